"""The curated file on disk: read as text, replaced in one step."""

from __future__ import annotations

import os
from pathlib import Path

from memd.errors import BadRequest, Degraded

MOST_BYTES = 4 << 20


def read(path: Path) -> str:
    """What it holds; nothing where it is not there. BadRequest where it is no text, Degraded where the disk fails."""
    try:
        with open(path, "rb") as file:
            held = file.read(MOST_BYTES + 1)
        if len(held) > MOST_BYTES:
            raise BadRequest(f"{path} is larger than {MOST_BYTES >> 20} MiB: no curated file")
        return held.decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise BadRequest(f"{path} is no UTF-8 text (byte {error.start}): mend it by hand") from error
    except OSError as error:
        raise Degraded(f"{path} cannot be read: {error.strerror or error}") from error


def replace(path: Path, text: str) -> None:
    """Put the text in its place in one step, for its owner alone; a link stays a link. Degraded where that fails."""
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


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
