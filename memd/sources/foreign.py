"""The history of other programs where they keep it: which folders, and which files in them are watched.

Files are told by their places and names, as their programs make them; nothing is opened here. A database has its
newest changes in a file beside it, so both say whether it changed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from memd.sources.scan import Found, Stat, Survey

DEEPEST = 8

CODEX, GEMINI, OPENCODE = "codex", "gemini", "opencode"

_NAMES = {
    CODEX: re.compile(rb"rollout-.*\.jsonl(\.zst)?", re.DOTALL),
    GEMINI: re.compile(rb"session-.*\.jsonl", re.DOTALL),
    OPENCODE: re.compile(rb"opencode[\w.-]*\.db"),
}
_BESIDE = b"-wal"


class State(NamedTuple):
    """The stat of a database together with that of the newest changes beside it."""

    st_dev: int
    st_ino: int
    st_size: int
    st_mtime_ns: int


@dataclass(frozen=True, slots=True)
class ForeignRoot:
    """A folder of another program. ``flat``: its files lie right in it, and what is below is none of ours."""

    format: str
    folder: bytes

    @property
    def flat(self) -> bool:
        """Whether only the folder itself is looked at."""
        return self.format == OPENCODE

    def files(self, survey: Survey) -> Iterator[Found]:
        """Every file of the program that lies there, by name; a folder that is missing has none."""
        return self._in(self.folder, survey, 0)

    def file(self, path: bytes) -> Found | None:
        """The file that an event at a path is about; None where it is none of ours, or gone."""
        inside = path.removeprefix(self.folder.rstrip(b"/") + b"/")
        parts = inside.split(b"/")
        if inside == path or len(parts) > (1 if self.flat else DEEPEST + 1):
            return None
        path = path.removesuffix(_BESIDE) if self.flat else path
        if not self._fits(path):
            return None
        try:
            return self._found(path, os.lstat(path))
        except OSError:
            return None

    def folder_of(self, path: bytes) -> bytes | None:
        """The folder to look through for an event at a path: files may have been made in it before it was watched."""
        below = path.startswith(self.folder.rstrip(b"/") + b"/") and not self.flat
        return path if below and not self._fits(path) and os.path.isdir(path) else None

    def within(self, folder: bytes) -> Iterator[Found]:
        """The files in a folder below this one."""
        return self._in(folder, Survey(), folder.count(b"/") - self.folder.rstrip(b"/").count(b"/"))

    def _in(self, folder: bytes, survey: Survey, depth: int) -> Iterator[Found]:
        for entry in _entries(folder, survey):
            if self._fits(entry.path):
                if found := self._regular(entry, survey):
                    yield found
            elif not self.flat and depth < DEEPEST and entry.is_dir(follow_symlinks=False):
                yield from self._in(entry.path, survey, depth + 1)

    def _fits(self, path: bytes) -> bool:
        folder, name = os.path.split(path)
        placed = self.format != GEMINI or os.path.basename(folder) == b"chats"
        return placed and _NAMES[self.format].fullmatch(name) is not None

    def _regular(self, entry: os.DirEntry[bytes], survey: Survey) -> Found | None:
        try:
            found = self._found(entry.path, entry.stat(follow_symlinks=False))
        except OSError:
            return None  # it went away since the folder was listed
        if found is None:
            survey.ignored += 1
        return found

    def _found(self, path: bytes, info: os.stat_result) -> Found | None:
        if not stat.S_ISREG(info.st_mode):
            return None
        return Found(path, state_of(path, info) if self.flat else info, "", format=self.format)


def state_of(path: bytes, info: os.stat_result) -> Stat:
    """The state of a database with what stands beside it."""
    try:
        beside = os.lstat(path + _BESIDE)
    except OSError:
        return info
    size, newest = info.st_size + beside.st_size, max(info.st_mtime_ns, beside.st_mtime_ns)
    return State(info.st_dev, info.st_ino, size, newest)


def _entries(folder: bytes, survey: Survey) -> list[os.DirEntry[bytes]]:
    try:
        with os.scandir(folder) as listing:
            return sorted(listing, key=lambda entry: entry.name)
    except FileNotFoundError:
        return []
    except OSError as error:
        survey.unreadable[folder] = error.strerror or type(error).__name__
        return []
