"""What setup has changed, kept in memd's data folder: each file as it was before, and by a hash as it was left.

The rule: the copy is there before the file is touched, and a file that is still as it was left goes back byte for byte.
One setup at a time changes files and writes here.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from memctl.setup import file

FOLDER, NAME, LOCK = "setup", "claude-code.json", "lock"


@dataclass(frozen=True, slots=True)
class Kept:
    """One file: the copy of what it held (None: there was no file), and the hash of what was written."""

    copy: str | None
    left: str


@dataclass(slots=True)
class Record:
    """Every file that setup has changed, and the folders it made."""

    folder: str
    files: dict[str, Kept] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold up every other setup, with what the ones before have written down."""
        self._make_folder()
        fd = os.open(os.path.join(self.folder, LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            self.files, self.made = _told(self.folder)
            yield
        finally:
            os.close(fd)

    def __contains__(self, path: str) -> bool:
        """Whether setup has written down that it changed the file."""
        return os.path.realpath(path) in self.files

    def as_left(self, path: str, now: bytes) -> bool:
        """Whether the file is still as setup has left it."""
        kept = self.files.get(os.path.realpath(path))
        return kept is not None and kept.left == _hash(now)

    def before(self, path: str) -> bytes | None:
        """What the file held before setup; None where there was none, or nothing is known of it."""
        kept = self.files.get(os.path.realpath(path))
        if kept is None or kept.copy is None:
            return None
        with open(kept.copy, "rb") as copy:
            return copy.read()

    def keep(self, path: str, before: bytes | None, after: bytes) -> str | None:
        """Note that a file is about to be changed; where the copy of it lies."""
        target = os.path.realpath(path)
        kept = self.files.get(target)
        if kept is None or before is None or kept.left != _hash(before):
            kept = Kept(None if before is None else self._copy(target, before), _hash(after))
        else:  # it was ours to begin with, so what it held before that counts
            kept = Kept(kept.copy, _hash(after))
        self.files[target] = kept
        self.save()
        return kept.copy

    def forget(self, path: str, now: bytes | None) -> None:
        """A file is as it was before setup, or ours was taken out of it; the copy goes where it says no more."""
        kept = self.files.pop(os.path.realpath(path), None)
        if kept and kept.copy and now == _read(kept.copy):
            os.unlink(kept.copy)
        for folder in sorted(self.made, key=len, reverse=True):
            if not os.path.isdir(folder) or not os.listdir(folder):
                if os.path.isdir(folder):
                    os.rmdir(folder)
                self.made.remove(folder)
        self.save()

    def save(self) -> None:
        """Write it down."""
        self._make_folder()
        told = {"files": {path: asdict(kept) for path, kept in self.files.items()}, "made": self.made}
        file.replace(os.path.join(self.folder, NAME), json.dumps(told, indent=2).encode())

    def _copy(self, target: str, content: bytes) -> str:
        self._make_folder()
        when = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        name = f"{os.path.basename(target).lstrip('.')}.{when}-{_hash(target.encode() + content)[:8]}"
        path = os.path.join(self.folder, name)
        file.replace(path, content)
        return path

    def _make_folder(self) -> None:
        os.makedirs(os.path.dirname(self.folder), mode=0o700, exist_ok=True)
        os.makedirs(self.folder, mode=0o700, exist_ok=True)


def load(data: str) -> Record:
    """The record in a data folder; an empty one where there is none that can be read."""
    folder = os.path.join(data, FOLDER)
    return Record(folder, *_told(folder))


def _told(folder: str) -> tuple[dict[str, Kept], list[str]]:
    """The files and the folders that are written down."""
    files: dict[str, Kept] = {}
    try:
        told = json.loads(_read(os.path.join(folder, NAME)) or b"{}")
        for path, kept in told.get("files", {}).items():
            if kept["copy"] is None or os.path.isfile(kept["copy"]):
                files[path] = Kept(kept["copy"], kept["left"])
        return files, [str(one) for one in told.get("made", [])]
    except (ValueError, LookupError, TypeError, AttributeError):
        return {}, []


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as found:
            return found.read()
    except OSError:
        return None


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
