"""A file of somebody else's: read where it may be changed, and changed in one step.

The rule: what is not plainly ours to change is never touched, and the failure says why and what to do. A link stays
a link, and a mode stays a mode.
"""

from __future__ import annotations

import errno
import os
import stat

from memctl.exits import REFUSED, TRY_AGAIN, Failure

MOST_BYTES = 16 << 20
PRIVATE = 0o600  # the mode of a new file


def content(path: str) -> bytes | None:
    """What a file holds; None where there is none, OSError where it is none to read."""
    try:
        fd = os.open(
            path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
        )  # a pipe would have it wait for a writer
    except FileNotFoundError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        with open(fd, "rb", closefd=False) as file:
            found = file.read(MOST_BYTES + 1)
    finally:
        os.close(fd)
    if len(found) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it is larger than {MOST_BYTES >> 20} MiB")
    return found


def read(path: str) -> bytes | None:
    """What a file holds that may be changed; None where there is none, and one may be made."""
    try:
        found = content(path)
        if found is not None:
            _check(path, os.stat(path))
    except OSError as error:
        raise refused(path, error.strerror or str(error), "mend that") from None
    _check_folder(path)
    return found


def write(path: str, content: bytes | None, before: bytes | None) -> list[str]:
    """Put the content in the file's place, or remove it (None); the folders that had to be made, outermost first."""
    if read(path) != before:
        raise Failure(TRY_AGAIN, f"{path} has just been changed by somebody else: run this again")
    target = os.path.realpath(path)
    if content is None:
        os.unlink(target)
        return []
    made = _make_folders(os.path.dirname(target))
    replace(target, content, mode(target))
    return made


def replace(target: str, content: bytes, mode: int = PRIVATE) -> None:
    """Put the content in a file's place, all of it or nothing."""
    fresh = f"{target}.{os.getpid()}.new"
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with open(os.open(fresh, flags, 0o600), "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, target)
    except OSError as error:
        if os.path.lexists(fresh):
            os.unlink(fresh)
        raise Failure(REFUSED, f"{target} cannot be written: {error.strerror}; it is as it was") from None


def refused(path: str, why: str, what: str) -> Failure:
    """The failure for a file that is left alone."""
    return Failure(REFUSED, f"{path} was not touched: {why}; {what}, then run this again")


def _check(path: str, found: os.stat_result) -> None:
    if found.st_uid != os.geteuid():
        raise refused(path, f"it belongs to user {found.st_uid}, not to you", "have its owner give it to you")
    if not found.st_mode & stat.S_IWUSR or not os.access(path, os.W_OK):
        raise refused(path, "it is read-only", "make it writable, or change it where it is made")


def _check_folder(path: str) -> None:
    """A file is changed by a new one that takes its place, so its folder must be writable."""
    folder = os.path.dirname(os.path.realpath(path))
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        raise refused(path, f"{folder} is no folder", "move it away")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise refused(path, f"its folder {folder} is read-only", "make it writable")


def _make_folders(folder: str) -> list[str]:
    missing: list[str] = []
    while not os.path.isdir(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    for one in missing:
        os.mkdir(one, 0o700)
    return missing


def mode(path: str) -> int:
    """The mode of a file, or that of a new one."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return PRIVATE
