"""Is this the file it should be? Size and SHA-256 are checked before a byte of a model is used.

A file found good is not read again while its size and time stay the same.
"""

from __future__ import annotations

from hashlib import file_digest
from pathlib import Path

from memd.providers.embedding.base import ModelUnavailable

_known: dict[tuple[Path, int, int], str] = {}


def check(path: Path, sha256: str, size: int | None = None, *, hint: str) -> None:
    """Raise ModelUnavailable with ``hint`` unless ``path`` has that digest (and size, where known)."""
    try:
        found = path.stat()
        if size is not None and found.st_size != size:
            raise ModelUnavailable(f"{path} has {found.st_size:,} bytes instead of {size:,}", hint)
        key = (path, found.st_size, found.st_mtime_ns)
        if key not in _known:
            with path.open("rb") as file:
                _known[key] = file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelUnavailable(f"{path} cannot be read ({error.strerror or error})", hint) from error
    if _known[key] != sha256:
        raise ModelUnavailable(f"{path} has SHA-256 {_known[key][:12]}… instead of {sha256[:12]}…", hint)
