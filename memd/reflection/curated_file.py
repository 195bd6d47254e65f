"""The curated file on disk: read as text, replaced in one step."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from memd.errors import BadRequest, Degraded
from memd.reflection.memory_md import Conflict

MOST_BYTES = 4 << 20


def read(path: Path) -> str:
    """What it holds; nothing where it is not there. BadRequest where it is no text, Degraded where the disk fails."""
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadRequest(f"{path} is no file: move it away")
            held = file.read(MOST_BYTES + 1)
        if len(held) > MOST_BYTES:
            raise BadRequest(f"{path} is larger than {MOST_BYTES >> 20} MiB: no curated file")
        return held.decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise BadRequest(f"{path} is no UTF-8 text (byte {error.start}): mend it by hand") from error
    except OSError as error:
        # Neither mends by itself: who asks is told now, instead of after the last try.
        lasting = error.errno in (errno.EISDIR, errno.ELOOP)
        kind = BadRequest if lasting else Degraded
        raise kind(f"{path} cannot be read: {error.strerror or error}") from error


def require_writable(path: Path) -> None:
    """Conflict where its owner has protected it: putting another file in its place would go round that."""
    if os.path.exists(path) and not path.stat().st_mode & stat.S_IWUSR:
        raise Conflict(f"{path} is write-protected: chmod u+w lets memd change it")


def replace(path: Path, text: str) -> None:
    """Put the text in its place in one step, for its owner alone; a link stays a link. Degraded where that fails."""
    require_writable(path)
    path = Path(os.path.realpath(path))
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as out:
            os.fchmod(out.fileno(), 0o600)
            out.write(text.encode())
            out.flush()
            os.fsync(out.fileno())
        os.replace(new, path)
        _sync(path.parent)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise Degraded(f"{path} cannot be written: {error.strerror or error}") from error


def _without_waiting(path: str, flags: int) -> int:
    """A pipe would have its reader wait for a writer."""
    return os.open(path, flags | os.O_NONBLOCK)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
