"""memd's folders and files, as they lie there: who may enter, and with no memd to ask, whether the database is one."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator

from memctl.doctor.check import FAULT, OK, UNKNOWN, WARN, Check

_MAGIC = b"SQLite format 3\0"
_MEMCTLS = {"setup", "autostart.lock"}  # what memctl itself puts beside the database, before it is made too
_LOW, _OUT = 1_000_000_000, 64 * 2**20


def modes(data: str, socket: str) -> Check:
    """Whether only the owner can enter the folders and read the files (R10)."""
    means = "what you said to your assistant is for nobody else to read"
    places = list(_ours(data, socket))
    foreign = [path for path, info in places if info.st_uid != os.geteuid()]
    if foreign:
        fix = f"chown -R {os.geteuid()} {foreign[0]}"
        return Check("folders", FAULT, f"{foreign[0]} belongs to another user", means, fix)
    loose = [(path, _wanted(info)) for path, info in places if stat.S_IMODE(info.st_mode) & 0o077]
    if not loose:
        return Check(
            "folders", OK if places else UNKNOWN, data if places else f"{data} is not there yet", means
        )

    def tighten() -> None:
        for path, mode in loose:
            os.chmod(path, mode)

    more = f" and {len(loose) - 1} more" if len(loose) > 1 else ""
    detail = f"others may get at {loose[0][0]}{more}"
    return Check("folders", FAULT, detail, means, f"chmod go= {loose[0][0]}", tighten)


def database(data: str) -> Check:
    """What can be said of the database while no memd has it open."""
    path, means = os.path.join(data, "memd.db"), "everything that is stored is in it"
    if _is_new(data):
        return Check("database", UNKNOWN, f"{data} holds none yet: no memd has run", means)
    if broken := _broken(data, path):
        detail, fix = broken
        return Check("database", FAULT, detail, means, fix)
    return Check("database", OK, f"{path}, {os.path.getsize(path):,} bytes", means)


def _is_new(data: str) -> bool:
    try:
        return set(os.listdir(data)) <= _MEMCTLS
    except OSError:
        return not os.path.isdir(data)


def _broken(data: str, path: str) -> tuple[str, str] | None:
    """Why the database cannot be used as it lies there, and what to do."""
    again = "start memd: it salvages what can be read, and reads the transcripts again"
    if not _writable(data) or (os.path.exists(path) and not _writable(path)):
        return (
            f"{data} cannot be written",
            "check its owner, its modes, and whether the disk is mounted read-only",
        )
    if why := _head(f"{path}.damaged"):
        return f"{path} was found damaged: {why.decode(errors='replace').strip()}", again
    head = _head(path)
    if head is None:
        missing = "cannot be read" if os.path.lexists(path) else "is not there"
        return f"{path} {missing}", "bring back a backup, or start memd: it reads the transcripts again"
    if head and not head.startswith(_MAGIC):
        return f"{path} is no database any more", again
    return None


def _head(path: str) -> bytes | None:
    """The first bytes of a file; None where it is not there or cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(500)
    except OSError:
        return None


def set_aside(data: str) -> Iterator[Check]:
    """A damaged database that memd put out of the way."""
    for name in sorted(_names(data)):
        if ".corrupt-" in name and not name.endswith(("-wal", "-shm")):
            detail = f"{os.path.join(data, name)} was damaged and set aside"
            means = "what the transcripts still had was read again; older turns may be in that file alone"
            yield Check(
                "damage", WARN, detail, means, "bring back a backup if turns are missing, then remove it"
            )


def disk(data: str) -> Check:
    """Whether there is room, with no memd to ask."""
    means = "on a full disk nothing can be stored"
    folder = data
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    free = shutil.disk_usage(folder).free
    state = FAULT if free < _OUT else WARN if free < _LOW else OK
    detail = f"{free // 1_000_000:,} MB free for {data}"
    return Check("disk", state, detail, means, "" if state == OK else "make room on that disk")


def _ours(data: str, socket: str) -> Iterator[tuple[str, os.stat_result]]:
    """What memd has made: its folders, and the files in them."""
    backups = os.path.join(data, "backups")
    files = [os.path.join(data, name) for name in _names(data) if name.startswith("memd.")]
    files += [os.path.join(backups, name) for name in _names(backups)]
    for path in (data, backups, os.path.dirname(socket), socket, *files):
        try:
            yield path, os.lstat(path)
        except OSError:
            continue


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _wanted(info: os.stat_result) -> int:
    return 0o700 if stat.S_ISDIR(info.st_mode) else 0o600


def _writable(path: str) -> bool:
    """As the kernel sees it; a file system that is mounted read-only counts too, also for root."""
    try:
        return os.access(path, os.W_OK) and not os.statvfs(path).f_flag & os.ST_RDONLY
    except OSError:
        return False
