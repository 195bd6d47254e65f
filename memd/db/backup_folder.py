"""The folder of backups: what lies there, and what has to go when there is too much of it.

Two sorts of copies lie there: those the schedule takes (``memd-<time>.db``) and those that a migration leaves
(``before-schema-*.db``). A file's time is the last moment at which it held everything there was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memd.db import backup

DAY_MS = 86_400_000
MIGRATION_DAYS = 30


@dataclass(frozen=True, slots=True)
class Kept:
    """One backup: where it is, how large, when it was last known to be up to date, and who took it."""

    path: Path
    bytes: int
    at_ms: int
    scheduled: bool


def file_name(now_ms: int) -> str:
    """The name of a scheduled backup that begins now."""
    return f"memd-{datetime.fromtimestamp(now_ms // 1000, UTC):%Y%m%dT%H%M%SZ}.db"


def taken_ms(path: Path) -> int:
    """When a scheduled backup was begun, by its name; 0 where that is no time."""
    try:
        return int(datetime.strptime(path.stem, "memd-%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp() * 1000)
    except ValueError:
        return 0


def listing(folder: Path) -> list[Kept]:
    """Every backup in the folder, oldest first; nothing where there is no folder."""
    return sorted(_found(folder), key=lambda kept: kept.at_ms)


def newest(folder: Path) -> Kept | None:
    """The newest backup that the schedule took."""
    scheduled = [kept for kept in listing(folder) if kept.scheduled]
    return scheduled[-1] if scheduled else None


def surplus(kept: Sequence[Kept], *, keep: int, most_bytes: int, now_ms: int) -> list[Kept]:
    """Which of these, oldest first, have to go: so many are kept, within so many bytes. Never the newest scheduled one.

    A migration's copy goes after a month, or where the scheduled ones would not fit beside it.
    """
    scheduled = [one for one in kept if one.scheduled]
    if not scheduled:
        return []
    copies = [one for one in kept if not one.scheduled]
    going = scheduled[:-keep] + [one for one in copies if now_ms - one.at_ms > MIGRATION_DAYS * DAY_MS]
    over = sum(one.bytes for one in kept) - sum(one.bytes for one in going) - most_bytes
    for one in [one for one in scheduled[:-1] + copies if one not in going]:
        if over <= 0:
            break
        going.append(one)
        over -= one.bytes
    return going


def clean(folder: Path) -> None:
    """Remove what an interrupted backup has left."""
    for part in folder.glob(f"*.db{backup.PART}*"):
        part.unlink(missing_ok=True)


def _found(folder: Path) -> Iterator[Kept]:
    for path in folder.glob("*.db"):
        if path.name.startswith(("memd-", "before-schema-")) and path.is_file():
            info = path.stat()
            yield Kept(path, info.st_size, info.st_mtime_ns // 1_000_000, path.name.startswith("memd-"))
