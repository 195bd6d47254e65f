"""Tombstones outside of the database: what was forgotten stays so where the database is lost, salvaged or restored.

The file lies beside the database and holds 16 bytes a tombstone, no text. It is only ever added to.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from memd.errors import Degraded

SIZE = 16


def beside(database: Path) -> Path:
    """Where the file of a database lies."""
    return database.with_name("forgotten")


def read(path: Path) -> set[bytes]:
    """Every tombstone in the file; none where it is not there. Degraded where it cannot be read."""
    try:
        held = path.read_bytes()
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise Degraded(f"{path} cannot be read: {error.strerror or error}") from error
    return {held[at : at + SIZE] for at in range(0, len(held) - SIZE + 1, SIZE)}


def add(path: Path, keys: Iterable[bytes]) -> None:
    """Add tombstones; they are on the disk when this returns. Degraded where they cannot be."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with open(descriptor, "r+b") as file:
            file.seek(os.fstat(descriptor).st_size // SIZE * SIZE)  # what a crash cut short is written over
            file.write(b"".join(keys))
            file.flush()
            os.fsync(descriptor)
        _sync(path.parent)
    except OSError as error:
        raise Degraded(
            f"{path}, which keeps from coming back what was forgotten, cannot be written: {error.strerror or error}"
        ) from error


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
