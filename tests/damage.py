"""Damage done to a database's file, as a disk would."""

from __future__ import annotations

import random
from pathlib import Path

from memd.db.pages import PAGE_BYTES


def overwrite(path: Path, *pages: int, seed: int = 0) -> None:
    """Random bytes in place of the pages, which count from 1."""
    draw = random.Random(seed)
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE_BYTES)
            file.write(draw.randbytes(PAGE_BYTES))


def count(path: Path) -> int:
    """How many pages the file has."""
    return path.stat().st_size // PAGE_BYTES
