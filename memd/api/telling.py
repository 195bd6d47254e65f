"""Telling a program of each session that was imported, as soon as nothing more of it can come."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memd.importers.report import ImportedSession

OnSession = Callable[[ImportedSession], None]

# Formats whose files hold one session after the other, each in one piece.
_IN_A_ROW = frozenset({"chatgpt", "claude-ai", "codex", "gemini", "opencode"})


class Telling:
    """Calls ``on_session`` once with each session that has turns."""

    def __init__(self, on_session: OnSession | None) -> None:
        self._on_session = on_session or (lambda session: None)
        self._told: set[int] = set()
        self._begun: list[ImportedSession] = []

    def begin(self, session: ImportedSession) -> None:
        """A session begins."""
        self._begun.append(session)

    def so_far(self, format_: str, files: int) -> None:
        """Some of the history is stored: all sessions but the last are done, where it holds one after the other."""
        if files == 1 and format_ in _IN_A_ROW:
            self.done(self._begun[:-1])
            del self._begun[:-1]

    def done(self, sessions: Iterable[ImportedSession]) -> None:
        """These sessions are done."""
        for session in sessions:
            if session.turns and id(session) not in self._told:
                self._told.add(id(session))
                self._on_session(session)
