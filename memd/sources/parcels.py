"""A parcel of turns as it leaves the machine: in the words of the shared store, and without what is to stay here.

Nothing leaves of a folder that is excluded or not among those that are told, and no secret: what an import was told not
to redact is redacted here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memd.sources.exclusions import lies_in, places
from memd.sources.remotes import Remotes
from memd.turns.outgoing import Parcel
from memd.turns.own import OwnSession, OwnTurn
from memd.turns.redact import redact, redact_all
from memd.turns.shared import Facts, SharedSession, SharedTurn, SharedVectors, Told
from memd.turns.sharing import Sharer


class Wrapping:
    """Makes what is told of what stands here. Looks at folders and takes its time: for a thread."""

    def __init__(self, sharer: Sharer, is_excluded: Callable[[str], bool], remotes: Remotes) -> None:
        self._sharer, self._is_excluded, self._remotes = sharer, is_excluded, remotes
        self._places = frozenset(place for folder in sharer.folders for place in places(folder))

    def told(self, parcel: Parcel) -> Told:
        """What of a parcel is told."""
        sessions = {key: one for key, one in parcel.sessions.items() if self._leaves(one)}
        described = sorted((key, user or "") for key, user in parcel.described if key in sessions)
        return Told(
            [self._session(sessions[key], user or None) for key, user in described],
            self._turns(parcel.turns, sessions),
            self._turns(parcel.changed, sessions),
            self._vectors(parcel, sessions),
            parcel.forgotten,
        )

    def _leaves(self, session: OwnSession) -> bool:
        folders = [folder for folder in (session.cwd, session.project and session.project[1]) if folder]
        if any(self._is_excluded(folder) for folder in folders):
            return False
        return not self._places or any(lies_in(folder, place) for folder in folders for place in self._places)

    def _turns(self, turns: Sequence[OwnTurn], sessions: Mapping[str, OwnSession]) -> list[SharedTurn]:
        leaving = [turn for turn in turns if turn.session in sessions]
        clean = redact_all([turn.text for turn in leaving])
        return [
            self._turn(turn, clean[at].text if at in clean else turn.text, sessions[turn.session])
            for at, turn in enumerate(leaving)
        ]

    def _turn(self, turn: OwnTurn, text: str, session: OwnSession) -> SharedTurn:
        at_ms = turn.at_ms if turn.at_ms is not None else turn.sort_ms
        facts: Facts = {
            "seq": turn.seq,
            "claim": turn.claim,
            "hidden": turn.hidden,
            "at_ms": turn.at_ms,
            "sort_ms": turn.sort_ms,
            "timestamp": turn.timestamp,
            "uuid": turn.uuid,
            "message_id": turn.message_id,
            "subagent": turn.agent_id,
            "branch": turn.branch,
        }
        return SharedTurn(
            turn.id,
            turn.session,
            turn.role,
            text,
            1_000 * (at_ms or 0),
            *self._whose(turn.user, session),
            facts,
        )

    def _session(self, session: OwnSession, user: str | None) -> SharedSession:
        title = redact(session.title).text if session.title else None
        facts: Facts = {
            "format": session.format,
            "title": "" if session.untitled else title,  # none would leave there what it says there
            "cwd": session.cwd,
            "branch": session.branch,
            "continues": session.continues,
            "project": self._project(session),
        }
        return SharedSession(session.key, *self._whose(user, session), facts)

    def _whose(self, user: str | None, session: OwnSession) -> tuple[str, str | None]:
        """Who says it, and with which agent: that of the session is its own user's."""
        me = self._sharer.user
        is_theirs = (user or me) == (session.user or me)
        return user or me, (is_theirs and session.agent) or self._sharer.agent

    def _project(self, session: OwnSession) -> Mapping[str, str | None] | None:
        if session.project is None:
            return None
        name, path, origin = session.project
        remote = self._remotes.of(path) if origin == "git" else None
        return {"name": name, "path": path, "origin": origin, "remote": remote}

    def _vectors(self, parcel: Parcel, sessions: Mapping[str, OwnSession]) -> list[SharedVectors]:
        """Those of texts that leave as they stand here."""
        if parcel.space is None:
            return []
        clean = redact_all([one.text for one in parcel.vectors])
        return [
            SharedVectors(turn, parcel.space, one.windows)
            for at, one in enumerate(parcel.vectors)
            if at not in clean
            for turn, session in one.turns
            if session in sessions
        ]
