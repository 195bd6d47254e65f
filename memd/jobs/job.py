"""A job: work that must happen, with its state; the states and their transitions as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class State(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    RETRY = "retry"
    PAUSED = "paused"
    DONE = "done"
    DEAD = "dead"
    CANCELLED = "cancelled"


TRANSITIONS: Mapping[State, frozenset[State]] = {
    State.QUEUED: frozenset({State.RUNNING, State.PAUSED, State.CANCELLED}),
    State.RUNNING: frozenset(
        {State.DONE, State.RETRY, State.DEAD, State.QUEUED, State.PAUSED, State.CANCELLED}
    ),
    State.RETRY: frozenset({State.RUNNING, State.QUEUED, State.PAUSED, State.CANCELLED}),
    State.PAUSED: frozenset({State.QUEUED, State.CANCELLED}),
    State.DEAD: frozenset({State.QUEUED, State.CANCELLED}),
    State.DONE: frozenset(),
    State.CANCELLED: frozenset({State.QUEUED}),
}

LIVE = frozenset({State.QUEUED, State.RUNNING, State.RETRY, State.PAUSED})
ENDED = frozenset(State) - LIVE
# From where a person may send a job: one that runs is the worker's to put back.
BY_HAND: Mapping[State, frozenset[State]] = {
    target: frozenset(state for state, targets in TRANSITIONS.items() if target in targets) - barred
    for target, barred in ((State.QUEUED, {State.RUNNING}), (State.CANCELLED, set[State]()))
}


@dataclass(frozen=True, slots=True)
class Job:
    """One row of the queue. (kind, key) is unique among live rows, so that bursts coalesce.

    ``in_flight`` is what the job worked on when memd ended over it, rows by table; empty after any other end.
    """

    id: int
    kind: str
    key: str
    lane: str
    state: State
    run_at_ms: int
    attempts: int
    max_attempts: int
    payload: Mapping[str, object] = field(default_factory=dict)
    token: str | None = None
    error: str | None = None
    result: Mapping[str, object] | None = None
    created_ms: int = 0
    updated_ms: int = 0
    in_flight: Mapping[str, Sequence[int]] = field(default_factory=dict)
