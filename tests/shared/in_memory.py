"""A shared store in this process, that answers as one on a server does and fails when it is told to."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import RLock

import orjson

from memd.errors import MemdError
from memd.turns import tombstones
from memd.turns.shared import Facts, Heard, Mark, SharedSession, SharedTurn, SharedVectors, Told, Whose


@dataclass
class Held:
    """What lies in the store; each thing with its place in the order in which it was told."""

    sessions: dict[tuple[str, str], SharedSession] = field(default_factory=dict)
    turns: dict[str, SharedTurn] = field(default_factory=dict)
    vectors: dict[tuple[str, str], SharedVectors] = field(default_factory=dict)
    forgotten: set[bytes] = field(default_factory=set)
    untitled: set[str] = field(default_factory=set)
    told: dict[tuple[str, object], int] = field(default_factory=dict)
    beats: list[int] = field(default_factory=lambda: [random.getrandbits(60)])
    places: int = 0


class InMemoryShared:
    """A ``SharedStore`` for tests.

    ``failing``: every call raises it before it does anything. ``losing``: the next publish raises it when all is done,
    as where a network is cut before the answer. ``held`` may be looked at; ``backup`` and ``restore`` it.
    """

    def __init__(self) -> None:
        self.held = Held()
        self.failing: MemdError | None = None
        self.losing: MemdError | None = None
        self.closed = False
        self._lock = RLock()

    def backup(self) -> Held:
        """All of it as it is now."""
        with self._lock:
            return copy.deepcopy(self.held)

    def restore(self, backup: Held | None = None) -> None:
        """Be as in a backup, or as made anew."""
        with self._lock:
            self.held = copy.deepcopy(backup) if backup else Held()

    def close(self) -> None:
        self.closed = True

    def publish(self, told: Told) -> int:
        with self._lock:
            self._answer()
            new = self._tell(told)
            if lost := self.losing:
                self.losing = None
                raise lost
            return new

    def changes(self, mark: Mark, whose: Whose, space: str | None, most: int) -> Heard:
        with self._lock:
            self._answer()
            beat = mark.get("beat", 0)
            known = beat < len(self.held.beats) and self.held.beats[beat] == mark.get("check")
            restarted = bool(mark) and not known
            return self._hear(mark.get("place", 0) if known else 0, whose, space, most, restarted)

    def _answer(self) -> None:
        assert not self.closed
        if self.failing is not None:
            raise self.failing

    def _tell(self, told: Told) -> int:
        self.held.beats.append(random.getrandbits(60))
        self._forget(told.forgotten)
        self._drop_empty()
        for session in told.sessions:
            self._describe(session)
        new = [self._add(turn) for turn in told.turns]
        for turn in {(one.id, one.user): one for one in told.changed}.values():  # as it is in the end
            self._change(turn)
        for vectors in told.vectors:
            key = (vectors.turn, vectors.space)
            if vectors.windows and vectors.turn in self.held.turns and key not in self.held.vectors:
                self.held.vectors[key] = vectors
                self._place("vectors", key)
        self._drop_empty()
        return sum(new)

    def _forget(self, ids: Iterable[str]) -> None:
        for id in ids:
            key = tombstones.of_turn(id)
            if key not in self.held.forgotten:
                self.held.forgotten.add(key)
                self._place("forgotten", key)
            if gone := self.held.turns.pop(id, None):
                self._drop_vectors(id)
                self._untitle(gone.session)

    def _untitle(self, session: str) -> None:
        self.held.untitled.add(session)
        for key, one in self.held.sessions.items():
            if key[0] == session and "title" in one.facts:
                facts = {name: value for name, value in one.facts.items() if name != "title"}
                self.held.sessions[key] = one._replace(facts=facts)
                self._place("sessions", key)

    def _describe(self, session: SharedSession) -> None:
        key = (session.key, session.user)
        before = self.held.sessions.get(key)
        facts = dict(before.facts) if before else {}
        for name, value in _plain(session.facts).items():
            if name == "title" and session.key in self.held.untitled:
                continue
            if value is not None or name not in facts:
                facts[name] = value
        now = session._replace(facts=facts, agent=session.agent or (before and before.agent))
        if now != before:
            self.held.sessions[key] = now
            self._place("sessions", key)

    def _add(self, turn: SharedTurn) -> bool:
        if turn.id in self.held.turns or tombstones.of_turn(turn.id) in self.held.forgotten:
            return False
        self.held.turns[turn.id] = turn._replace(facts=_plain(turn.facts))
        self._place("turns", turn.id)
        return True

    def _change(self, turn: SharedTurn) -> None:
        before = self.held.turns.get(turn.id)
        now = turn._replace(facts=_plain(turn.facts))
        if before is None or before.user != turn.user or before == now:
            return
        self.held.turns[turn.id] = now
        self._place("turns", turn.id)
        if before.text != turn.text:
            self._drop_vectors(turn.id)

    def _drop_vectors(self, turn: str) -> None:
        self.held.vectors = {key: one for key, one in self.held.vectors.items() if key[0] != turn}

    def _drop_empty(self) -> None:
        spoken = {(turn.session, turn.user) for turn in self.held.turns.values()}
        self.held.sessions = {key: one for key, one in self.held.sessions.items() if key in spoken}

    def _place(self, kind: str, key: object) -> None:
        self.held.places += 1
        self.held.told.pop((kind, key), None)
        self.held.told[kind, key] = self.held.places

    def _hear(self, place: int, whose: Whose, space: str | None, most: int, restarted: bool) -> Heard:
        news = [(at, kind, key) for (kind, key), at in self.held.told.items() if at > place]
        page = [one for one in news if self._concerns(one[1], one[2], whose, space)][: most + 1]
        more, page = len(page) > most, page[:most]
        keys = {
            kind: [key for _, of, key in page if of == kind] for kind in ("turns", "vectors", "forgotten")
        }
        turns = [self.held.turns[str(id)] for id in keys["turns"]]
        beat = len(self.held.beats) - 1
        at = page[-1][0] if more else self.held.places
        read = [key for key in keys["vectors"] if self._turn_place(key) <= at]
        return Heard(
            mark={"place": at, "beat": beat, "check": self.held.beats[beat]},
            sessions=list(self._sessions(page, turns)),
            turns=turns,
            vectors=list(self._vectors(read, turns, space)),
            forgotten=[key for key in keys["forgotten"] if isinstance(key, bytes)],
            more=more,
            restarted=restarted,
        )

    def _concerns(self, kind: str, key: object, whose: Whose, space: str | None) -> bool:
        if kind == "forgotten":
            return True
        if kind == "vectors":
            assert isinstance(key, tuple)
            of = self.held.turns.get(key[0])
            return key in self.held.vectors and key[1] == space and of is not None and _is_of(of, whose)
        one = self.held.turns.get(str(key)) if kind == "turns" else self.held.sessions.get(key)  # type: ignore[call-overload]  # the key of a session
        return one is not None and _is_of(one, whose)

    def _turn_place(self, vectors: object) -> int:
        """The place of the turn of these vectors: they come with it where it changed since."""
        assert isinstance(vectors, tuple)
        return self.held.told["turns", vectors[0]]

    def _sessions(
        self, page: list[tuple[int, str, object]], turns: list[SharedTurn]
    ) -> Iterator[SharedSession]:
        """Those that are news, and those of turns that are."""
        keys = dict.fromkeys(
            itertools.chain(
                (key for _, kind, key in page if kind == "sessions"),
                ((turn.session, turn.user) for turn in turns),
            )
        )
        for key in keys:
            if key in self.held.sessions:
                yield self.held.sessions[key]

    def _vectors(
        self, keys: list[object], turns: list[SharedTurn], space: str | None
    ) -> Iterator[SharedVectors]:
        for key in dict.fromkeys(itertools.chain(((turn.id, space) for turn in turns), keys)):
            if key in self.held.vectors:
                yield self.held.vectors[key]


def _is_of(one: SharedTurn | SharedSession, whose: Whose) -> bool:
    return (whose.users is None or one.user in whose.users) and whose.agent in (None, one.agent)


def _plain(facts: Facts) -> Mapping[str, str | int | float | bool | Mapping[str, str | None] | None]:
    """The facts as they are after a way through JSON."""
    plain: dict[str, str | int | float | bool | Mapping[str, str | None] | None] = orjson.loads(
        orjson.dumps(dict(facts))
    )
    return plain
