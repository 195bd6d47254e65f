"""Excluded folders: the sessions of a project in one of them are passed over, wherever its worktrees lie."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence

from memd.sources import projects

KNOWN_SECONDS = 30.0


class Exclusions:
    """The folders, each with all below it; safe to share between threads.

    ``remembered`` gives the path of the project that the store knows for a working directory: it still holds when the
    folder, or the worktree, is gone.
    """

    def __init__(self, folders: Iterable[str], remembered: Callable[[str], str | None]) -> None:
        self._remembered = remembered
        self.replace(tuple(folders))

    @property
    def folders(self) -> Sequence[str]:
        """The folders as they are written in the settings."""
        return self._folders

    def replace(self, folders: Sequence[str]) -> None:
        """Have other folders excluded from now on."""
        self._folders = tuple(folders)
        self._places = {place: folder for folder in folders for place in sorted(places(folder))}
        self._known: dict[str, tuple[float, str | None]] = {}

    def cover(self, cwd: str) -> bool:
        """True of a working directory in an excluded folder, or of a project in one."""
        return self.covering(cwd) is not None

    def covering(self, cwd: str) -> str | None:
        """The folder, as it is written in the settings, that excludes a working directory; None where none does."""
        if not self._places:
            return None
        known = self._known
        now = time.monotonic()
        answer = known.get(cwd)
        if answer is None or now - answer[0] > KNOWN_SECONDS:
            answer = known[cwd] = (now, self._covering(cwd))
        return answer[1]

    def _covering(self, cwd: str) -> str | None:
        candidates = (cwd, _resolved(cwd), projects.identify(cwd).path, self._remembered(cwd))
        found = (
            folder
            for path in candidates
            if path
            for place, folder in self._places.items()
            if lies_in(path, place)
        )
        return next(found, None)


def places(folder: str) -> set[str]:
    """The paths that a folder in the settings may have in a transcript: as it is written, and with links resolved."""
    plain = os.path.normpath(os.path.expanduser(folder))
    return {plain, os.path.realpath(plain)}


def _resolved(cwd: str) -> str | None:
    """The path of a folder without the links in it; None of what can be no path."""
    try:
        return os.path.realpath(cwd) if cwd.startswith("/") else None
    except ValueError:
        return None


def lies_in(path: str, folder: str) -> bool:
    """True of the folder itself and of what is below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
