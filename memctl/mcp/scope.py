"""The project that a bridge is held to, from its start to its end. Who calls a tool has no say in it."""

from __future__ import annotations

import os

from memctl.arguments import Arguments
from memctl.cwd import cwd
from memctl.entries import number
from memctl.exits import FORBIDDEN, Failure
from memctl.output import Record


class Scope:
    """One project, or all: as the command line says, else the project of the working directory."""

    def __init__(self, arguments: Arguments) -> None:
        self._all = arguments.has("all_projects")
        self._project = _place(arguments.text("project"))
        self._cwd = cwd()

    def check_change(self, entry: Record) -> None:
        """Failure where an entry holds beyond the scope: it may be read from here, and is for others to change."""
        if entry.get("scope") == "global" and not self._all:
            raise Failure(
                FORBIDDEN,
                f"entry {number(entry.get('id'))} holds everywhere, and this server is held to one project: it can be"
                " read here and not changed. Remember what holds in this project instead, or have the user change it:"
                " memctl supersede or forget in a terminal, or a server that was started with --all-projects",
            )

    def looking(self) -> dict[str, object]:
        """The parameters that hold a question to the scope; one that memd does not know yet holds nothing."""
        if self._all:
            return {"all_projects": True}
        return {"project": self._project} if self._project else {"cwd": self._cwd, "strict": True}

    def holding(self) -> dict[str, object]:
        """The parameters by which a new entry holds in the scope."""
        if self._project:
            return {"project": self._project}
        return {"cwd": self._cwd} if self._all else {"cwd": self._cwd, "scope": "project"}


def _place(word: str | None) -> str | None:
    """A path as memd needs it; a name stays a name."""
    return os.path.abspath(os.path.expanduser(word)) if word and word[:1] in (".", "~", "/") else word
