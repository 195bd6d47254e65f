"""Codex's rollouts, ``rollout-*.jsonl``: a session a file, a line an item of the conversation or a notice about it.

The items that went to the model and came from it are the turns; the events repeat them for the screen. A rollback
leaves the last prompts and all behind them; which, is found by reading the file once ahead, or told once it comes where
a file is read as it grows. The first rollouts had bare items without an envelope.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memd.importers.gathering import Gathering
from memd.importers.reader import DataFile
from memd.importers.records import text_of
from memd.importers.rollout import ENVELOPES, Json, Prompts, Rollout, Stretch


def fits(record: Json) -> bool:
    """True for a line of a rollout, of the first ones too."""
    if text_of(record, "type") in ENVELOPES:
        return isinstance(record.get("payload"), dict)
    item = record.get("type") == "message" and isinstance(record.get("content"), list)
    return (item and isinstance(record.get("role"), str)) or (
        "instructions" in record and "timestamp" in record and "id" in record and "role" not in record
    )


def read(file: DataFile, into: Gathering) -> Iterator[int]:
    """Gather the session; how far the file is read, after each line."""
    rollout = Rollout(into, _rolled_back(file, into))
    for raw in into.records(file):
        record = into.value(raw)
        if isinstance(record, dict):
            rollout.line(record, raw.at)
        elif record is not None:
            into.bad()
        yield raw.end


def _rolled_back(file: DataFile, into: Gathering) -> list[Stretch]:
    """The stretches that were taken back."""
    prompts = Prompts()
    found = (prompts.note(raw.value, raw.at) for raw in into.records(file) if isinstance(raw.value, dict))
    return [stretch for stretch in found if stretch]


class Growing:
    """A rollout that is read as it grows."""

    rewords = False

    def __init__(self, into: Gathering, facts: Mapping[str, object] | None, steps: Sequence[object]) -> None:
        self._rollout = Rollout(into)
        self._prompts = Prompts(step for step in steps if isinstance(step, int))
        if facts is not None:
            self._rollout.load(facts)

    @property
    def session(self) -> str | None:
        """The session that the file is of, as far as it tells."""
        return self._rollout.id

    @property
    def cwd(self) -> str | None:
        """Its working directory."""
        return self._rollout.cwd

    def line(self, record: Json, at: int) -> Stretch | None:
        """Take in a line; the stretch that it takes back, where it does."""
        self._rollout.line(record, at)
        return self._prompts.note(record, at)

    def facts(self) -> Mapping[str, object]:
        """What is small of what must be known to read on."""
        return self._rollout.dump()

    def steps(self) -> Sequence[int]:
        """What was added since the last time to that which grows with the file."""
        steps, self._prompts.steps = self._prompts.steps, []
        return steps
