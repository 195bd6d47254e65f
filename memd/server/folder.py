"""Folders that only their owner can enter.

The rule: 0700 whatever the umask, ours, no link, and every folder above is ours or root's. A loose folder of
ours is tightened; one that is not ours is refused.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from memd.errors import CannotCreate, ConfigError, NotOurs


def private_folder(path: Path) -> None:
    """Make the folder, and those above it that are missing, or tighten it. NotOurs or CannotCreate if not."""
    try:
        _make(path)
        _check_parents(path)
        _tighten(path)
    except OSError as error:
        raise CannotCreate(f"the folder {path} cannot be made: {error.strerror}") from error


def _make(path: Path) -> None:
    """``mkdir(parents=True)`` would leave those above to the umask."""
    if path.is_symlink() or path.is_dir():
        return
    if path.parent != path:
        _make(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)


def _check_parents(path: Path) -> None:
    for parent in (resolved := path.parent.resolve(strict=True), *resolved.parents):
        if parent.stat().st_uid not in (0, os.geteuid()):
            raise NotOurs(f"{parent}, above {path}, belongs to another user")


def _tighten(path: Path) -> None:
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise NotOurs(f"{path} is a link; memd needs a folder of its own there")
    if not stat.S_ISDIR(found.st_mode):
        raise CannotCreate(f"{path} is no folder")
    if found.st_uid != os.geteuid():
        raise NotOurs(f"the folder {path} belongs to another user")
    if stat.S_IMODE(found.st_mode) != 0o700:
        _refuse_shared(path, found.st_mode)
        path.chmod(0o700)


def _refuse_shared(path: Path, mode: int) -> None:
    """Tightening /tmp or somebody's home would break what else lives there."""
    if mode & stat.S_ISVTX or path.resolve() in (Path("/"), Path.home().resolve()):
        raise ConfigError(f"{path} is shared with other programs; memd needs a folder of its own")
