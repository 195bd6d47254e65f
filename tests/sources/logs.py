"""Observation logs as their writers write them."""

from __future__ import annotations

import json
from pathlib import Path

DAY = "2026-11-30"


def statement(content: str, importance: object = 5, scope: str | None = None) -> dict[str, object]:
    item: dict[str, object] = {"content": content, "importance": importance}
    return item if scope is None else {**item, "scope": scope}


def record(
    number: int = 0,
    *,
    project: str | None = "app",
    branch: str | None = None,
    timestamp: object = None,
    **extraction: object,
) -> dict[str, object]:
    """A record of the ``number``-th minute of the day."""
    return {
        "timestamp": timestamp or f"{DAY}T{number // 60:02d}:{number % 60:02d}:00.000000+00:00",
        "trigger": "precompact",
        "project": project,
        "branch": branch,
        "extraction": extraction,
    }


def line(said: object) -> bytes:
    return json.dumps(said).encode() + b"\n"


def log(folder: Path, *said: object, day: str = DAY) -> Path:
    """Append records to the log of a day."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{day}.jsonl"
    with path.open("ab") as file:
        for one in said:
            file.write(one if isinstance(one, bytes) else line(one))
    return path
