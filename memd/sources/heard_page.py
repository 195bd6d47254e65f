"""What was heard from a shared store, made into what may stand here. Pure, but for the looks at folders.

Whoever reaches the store may have written it: what is none of the shapes that memd tells is passed over or left out, it
is redacted once more, and nothing of it takes the place of a folder, or of a session, of this machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from memd.sources.projects import Project
from memd.sources.remotes import PREFIX
from memd.turns.heard import HeardTurn
from memd.turns.redact import redact, redact_all
from memd.turns.shared import Facts, Heard, SharedSession, SharedTurn, SharedVectors
from memd.turns.turn import Claim, Turn

FORMAT = "shared"  # of a session of which its format was not told
LONGEST = 4_096  # of a name, a path or a title
_LARGEST = 1 << 62
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class HeardSession(NamedTuple):
    """A session as somebody told it. A title that is empty was taken away."""

    key: str
    user: str
    agent: str | None = None
    format: str = FORMAT
    title: str | None = None
    cwd: str | None = None
    branch: str | None = None
    continues: str | None = None
    project: Project | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """What is to be taken in at once. ``vectors`` are of texts that stand here as they were told."""

    turns: Sequence[HeardTurn] = ()
    sessions: Mapping[str, HeardSession] = field(default_factory=dict)
    vectors: Sequence[SharedVectors] = ()
    forgotten: frozenset[bytes] = frozenset()


def key_of(session: str, user: str, me: str) -> str:
    """What a session is called here: a name that others may have given, too, goes with its user's."""
    if user == me or _UUID.search(session) or "@" in session:
        return session or FORMAT
    return f"{session or FORMAT}@{user}"


class Reading:
    """Makes pages of what was heard. ``cover`` says of folders whether they are excluded, ``clones`` of an address
    which project here was cloned from it."""

    def __init__(self, me: str, cover: Callable[[str], bool], clones: Mapping[str, str]) -> None:
        self._me, self._cover, self._clones = me, cover, clones

    def page(self, heard: Heard, folders: Mapping[str, Sequence[str]]) -> Page:
        """The page. ``folders`` are those of sessions that are here already."""
        sessions = {(one.key, one.user): self._session(one) for one in heard.sessions}
        shut = {
            self._key(one)
            for one in heard.sessions
            if any(self._cover(folder) for folder in self._folders(one.facts, sessions[one.key, one.user]))
        }
        shut |= {key for key, known in folders.items() if any(map(self._cover, known))}
        let_in = [one for one in heard.turns if self._key(one) not in shut and _is_sound(one)]
        clean = redact_all([one.text for one in let_in])
        turns = [
            self._turn(one, clean[at].text if at in clean else one.text) for at, one in enumerate(let_in)
        ]
        reworded = {let_in[at].id for at in clean}
        described = {one.key: one for one in sessions.values() if one.key not in shut}
        for one, turn in zip(let_in, turns, strict=True):
            described.setdefault(
                turn.turn.session_id, HeardSession(turn.turn.session_id, one.user, one.agent)
            )
        return Page(
            turns,
            described,
            [one for one in heard.vectors if one.turn not in reworded],
            frozenset(key for key in heard.forgotten if len(key) == 16),
        )

    def keys(self, heard: Heard) -> set[str]:
        """What the sessions of these turns are called here."""
        return {self._key(one) for one in heard.turns}

    def _key(self, one: SharedTurn | SharedSession) -> str:
        return key_of(one.session if isinstance(one, SharedTurn) else one.key, one.user, self._me)

    def _folders(self, facts: Facts, session: HeardSession) -> Iterable[str]:
        """Where a session was held, there, and where the same project lies here."""
        told = _mapping(facts, "project")
        found = (session.cwd, told.get("path"), session.project and session.project.path)
        return [folder for folder in found if folder]

    def _session(self, one: SharedSession) -> HeardSession:
        facts = one.facts
        title = _text(facts, "title")
        return HeardSession(
            self._key(one),
            one.user,
            one.agent,
            _text(facts, "format") or FORMAT,
            redact(title).text if title else title,
            _text(facts, "cwd"),
            _text(facts, "branch"),
            _text(facts, "continues"),
            self._project(_mapping(facts, "project"), one.user),
        )

    def _project(self, told: Mapping[str, str | None], user: str) -> Project | None:
        """The clone of the same repository that is here; else one that no folder here can be."""
        name, path, remote = told.get("name"), told.get("path"), told.get("remote")
        if remote and remote in self._clones:
            here = self._clones[remote]
            return Project(here.rstrip("/").rpartition("/")[2] or here, here, "git")
        if not name or not (remote or path):
            return None
        return Project(name, f"{PREFIX}{remote}" if remote else f"user:{user}:{path}", "folder")

    def _turn(self, one: SharedTurn, text: str) -> HeardTurn:
        facts, at_ms = one.facts, one.at_us // 1_000
        sort_ms = _number(facts, "sort_ms", at_ms)
        turn = Turn(
            id=one.id,
            role=one.role,
            text=text,
            session_id=self._key(one),
            claim=_claim(_number(facts, "claim", int(Claim.RECORD))),
            seq=_number(facts, "seq", at_ms) or 0,
            uuid=_text(facts, "uuid"),
            timestamp=_text(facts, "timestamp"),
            at_ms=_number(facts, "at_ms", at_ms),
            sort_ms=sort_ms,
            message_id=_text(facts, "message_id"),
            agent_id=_text(facts, "subagent"),
            branch=_text(facts, "branch"),
        )
        return HeardTurn(turn, one.user, facts.get("hidden") is True)


def _is_sound(one: SharedTurn) -> bool:
    return bool(one.id) and 0 < len(one.role) <= 40 and abs(one.at_us) < _LARGEST


def _claim(number: int | None) -> Claim:
    return Claim(number) if number in list(Claim) else Claim.RECORD


def _number(facts: Facts, name: str, missing: int) -> int | None:
    """A number as it was told, which may be none; where it was not told at all, what stands for it."""
    value = facts.get(name, missing)
    if value is None:
        return None
    return value if type(value) is int and abs(value) < _LARGEST else missing


def _text(facts: Facts, name: str) -> str | None:
    value = facts.get(name)
    return value if isinstance(value, str) and len(value) <= LONGEST else None


def _mapping(facts: Facts, name: str) -> Mapping[str, str | None]:
    value = facts.get(name)
    if not isinstance(value, Mapping):
        return {}
    return {key: text for key, text in value.items() if isinstance(text, str) and len(text) <= LONGEST}
