"""What reflection works on: watermarks, the entries above them, the curated file. None of it asks a model."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memd.api import records, storage
from memd.api.entries import store_memory
from memd.clock import iso
from memd.db.driver import Connection
from memd.memory import table
from memd.memory.entry import MemoryEntry
from memd.memory.which import Which
from memd.reflection import batch, unreflected, watermark
from memd.reflection.unreflected import NO_INSIGHTS, Wanted
from memd.reflection.watermark import Watermark
from memd.sources import attribution

INSIGHT_IMPORTANCE = 6
SHOWN_CHARS = 200

Row = tuple[int, str, str, int, str]


def get_watermark(conn: Connection, *, project: str | None = None) -> int | None:
    """The last entry that was reflected on, of a project or of all; None where there is none."""
    mark = _mark(conn, project)
    return None if mark is None else mark.entry


def update_watermark(conn: Connection, last_id: int, *, project: str | None = None) -> None:
    """Say that every entry up to one is reflected on; one before it may be given, too."""

    def work() -> None:
        row = None if project is None else attribution.called(conn, project)
        watermark.put(conn, row, watermark.upto(conn, last_id, storage.now_ms()))

    storage.write(conn, "update_watermark", work)


def get_last_reflected_at(conn: Connection, *, project: str | None = None) -> datetime | None:
    """When that was."""
    mark = _mark(conn, project)
    return None if mark is None else _moment(mark.at_ms)


def count_unreflected(conn: Connection, *, project: str | None = None) -> int:
    """How many live entries, insights apart, a reflection would read: new ones, and those that were seen once more."""
    return batch.count(conn, records.project(conn, project))


def check_novelty_gate_v2(conn: Connection, min_new: int = 3, *, project: str | None = None) -> bool:
    """True where enough entries are new for a reflection."""
    return count_unreflected(conn, project=project) >= min_new


def get_unreflected_entries(
    conn: Connection,
    batch_size: int = 50,
    days: int | None = None,
    exclude_types: tuple[str, ...] = NO_INSIGHTS,
    *,
    project: str | None = None,
    watermark: int | None = None,
) -> list[Row]:
    """Entries above a watermark, the oldest first; without one those of the last ``days``, where these are given."""
    since_ms = _ago_ms(days) if watermark is None and days is not None else None
    wanted = Wanted(records.project(conn, project), watermark, since_ms, exclude_types)
    return [_tuple(entry) for entry in unreflected.entries(conn, wanted, batch_size)]


def get_last_reflection_date(conn: Connection, *, project: str | None = None) -> datetime | None:
    """When the last insight was stored; ``get_last_reflected_at`` says when reflection was there last."""
    projects = None if project is None else attribution.named(conn, project)
    found = table.listing(conn, Which(projects, type="insight"), 1)
    return _moment(found[0].created_ms) if found else None


def count_entries_since(
    conn: Connection,
    since: datetime,
    exclude_types: tuple[str, ...] = NO_INSIGHTS,
    *,
    project: str | None = None,
) -> int:
    """How many live entries were stored since a time, a time without a zone being UTC."""
    moment = since if since.tzinfo else since.replace(tzinfo=UTC)
    since_ms = round(moment.timestamp() * 1000)
    return unreflected.count(
        conn, Wanted(records.project(conn, project), since_ms=since_ms, exclude=exclude_types)
    )


def check_novelty_gate(conn: Connection, min_new: int = 3, *, project: str | None = None) -> bool:
    """The same by the time of the last insight; True where there is none."""
    last = get_last_reflection_date(conn, project=project)
    return last is None or count_entries_since(conn, last, project=project) >= min_new


def get_recent_entries(
    conn: Connection,
    days: int = 7,
    limit: int = 200,
    exclude_types: tuple[str, ...] = NO_INSIGHTS,
    *,
    project: str | None = None,
) -> list[Row]:
    """Live entries of the last days, the oldest first."""
    wanted = Wanted(records.project(conn, project), since_ms=_ago_ms(days), exclude=exclude_types)
    return [_tuple(entry) for entry in unreflected.entries(conn, wanted, limit)]


def format_entries_text(entries: list[tuple[object, ...]]) -> str:
    """Entries as lines: with their ids, where these stand in front of the other four values."""
    lines = []
    for *id, content, entry_type, importance, created_at in entries:
        number = f"#{id[0]} " if id else ""
        lines.append(
            f"- {number}[{str(created_at)[:10]}] ({entry_type}, imp={importance}) {str(content)[:SHOWN_CHARS]}"
        )
    return "\n".join(lines)


def store_insights(conn: Connection, insights: list[str], *, project: str | None = None) -> int:
    """Store insights, of a project or of all; how many of them were new."""
    scope = "global" if project is None else "project"
    stored = [
        store_memory(conn, text, "insight", INSIGHT_IMPORTANCE, scope=scope, project=project)
        for text in insights
    ]
    return sum(one["action"] == "created" for one in stored)


def read_memory_md() -> str | None:
    """The curated file; None where there is none."""
    try:
        return storage.places().memory_md.read_text("utf-8")
    except FileNotFoundError:
        return None


def _mark(conn: Connection, project: str | None) -> Watermark | None:
    return watermark.get(conn, records.project(conn, project))


def _tuple(entry: MemoryEntry) -> Row:
    return entry.id, entry.content, entry.type, entry.importance, iso(entry.created_ms)


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


def _ago_ms(days: int) -> int:
    return storage.now_ms() - int(timedelta(days=days).total_seconds() * 1000)
