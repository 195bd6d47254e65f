"""Memory files that Claude Code keeps itself, ``<slug>/memory/**/*.md`` below a projects folder. Read, never written.

Links are not followed. A folder that is missing or cannot be read holds nothing here; who compares with what was there
before asks the survey which ones those were.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from memd.sources.cursors import key_of
from memd.sources.scan import Survey

FOLDER = b"memory"
INDEX = "MEMORY.md"
MOST_BYTES = 1 << 20

Meant = Callable[[bytes], str | None]


class MemoryFile(NamedTuple):
    """A memory file on disk, below ``home``, a project's folder; ``name`` is its path in the memory folder there."""

    path: bytes
    home: bytes
    name: str
    stat: os.stat_result

    @property
    def slug(self) -> str:
        """The slug of the project."""
        return key_of(os.path.basename(self.home))

    @property
    def too_large(self) -> bool:
        """True of what is listed but not read."""
        return self.stat.st_size > MOST_BYTES

    @property
    def modified(self) -> str:
        """The day of its last change, here."""
        return time.strftime("%Y-%m-%d", time.localtime(self.stat.st_mtime))


@dataclass(frozen=True, slots=True)
class ProjectMemory:
    """The memory files of a project, its index first; ``path`` is None where nothing tells what its slug means."""

    slug: str
    path: str | None
    folder: str
    files: list[MemoryFile]

    @property
    def label(self) -> str:
        """What people call it."""
        return os.path.basename(self.path or "") or self.slug


def listing(root: bytes, meant: Meant) -> list[ProjectMemory]:
    """Every project with memory files below a projects folder, by label; ``meant`` says the path behind a home."""
    survey = Survey()
    found: list[ProjectMemory] = []
    for name in _names(root):
        home = os.path.join(root, name)
        folder = os.path.join(home, FOLDER)
        if files := sorted(in_folder(folder, survey), key=_order):
            found.append(ProjectMemory(files[0].slug, meant(home), key_of(folder), files))
    return sorted(found, key=lambda project: (project.label.casefold(), project.slug))


def in_folder(folder: bytes, survey: Survey) -> Iterator[MemoryFile]:
    """The files of one project's memory folder, those in folders below it too."""
    home = os.path.dirname(folder)
    if os.path.islink(folder) or os.path.islink(home):
        return
    waiting = [folder]
    while waiting:
        for entry in _entries(waiting.pop(), survey):
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif entry.name.endswith(b".md") and (info := _regular(entry)):
                yield MemoryFile(entry.path, home, key_of(os.path.relpath(entry.path, folder)), info)


def place(root: bytes, path: bytes) -> bytes | None:
    """The memory folder that a path below ``root`` is, or lies in; None of any other path."""
    top = root.rstrip(b"/") + b"/"
    parts = path[len(top) :].split(b"/") if path.startswith(top) else []
    return os.path.join(root, *parts[:2]) if len(parts) > 1 and parts[1] == FOLDER else None


def _order(file: MemoryFile) -> tuple[bool, str, str]:
    return file.name != INDEX, file.name.casefold(), file.name


def _names(root: bytes) -> list[bytes]:
    try:
        return os.listdir(root)
    except OSError:
        return []


def _entries(folder: bytes, survey: Survey) -> list[os.DirEntry[bytes]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        survey.unreadable[folder] = error.strerror or type(error).__name__
        return []


def _regular(entry: os.DirEntry[bytes]) -> os.stat_result | None:
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    return info if stat.S_ISREG(info.st_mode) else None
