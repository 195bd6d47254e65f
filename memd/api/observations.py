"""Observations: the batches of a day's logs, and the entries that reflection works on."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

from memd.api import records, storage
from memd.api.records import Record
from memd.config import load
from memd.config.paths import observations_dirs
from memd.db.driver import Connection
from memd.reflection import observed
from memd.sources import observations
from memd.sources.extraction import importance_of
from memd.turns.redact import redact

_TOLD = ("facts", "preferences", "decisions", "bugs_fixed")
_CONTENT_CHARS = 200
_CONTEXT_CHARS = 100


def daily_batches(day: str) -> list[Record]:
    """The captures of a day (YYYY-MM-DD): when, why, where, and how much each extracted; none where it has no log."""
    return [asdict(batch) for batch in observations.daily_batches(_folders(), day)]


def list_observations(
    conn: Connection, *, project: str | None = None, limit: int = observed.LIMIT
) -> list[Record]:
    """Every entry but insights, live or not, newest id first, each with whether it was ``reflected`` on.

    With a project: what holds everywhere and what is of it, judged by its own watermark.
    """
    row = records.project(conn, project)
    asked = {} if project is None or row is None else {row: project}
    found = observed.listing(conn, row, limit)
    return [{**records.of_entry(entry, asked), "reflected": reflected} for entry, reflected in found]


def observation_projects(conn: Connection) -> list[str]:
    """The names of the projects that these are of."""
    return observed.projects(conn)


def read_observation_logs(days: int = 7) -> str:
    """What the logs of the last days say, an item a line, without secrets."""
    today, lines = datetime.now(UTC).date(), list[str]()
    for ago in range(days, -1, -1):
        day = (today - timedelta(days=ago)).isoformat()
        for record in observations.records(_folders(), day):
            extraction = record.get("extraction")
            lines.extend(_lines(extraction) if isinstance(extraction, Mapping) else ())
    return redact("\n".join(lines)).text


def _lines(extraction: Mapping[str, object]) -> Iterator[str]:
    for category in _TOLD:
        for item in _items(extraction, category):
            content = str(item.get("content", ""))[:_CONTENT_CHARS]
            yield f"- [{category}] (imp={importance_of(item.get('importance'))}) {content}"
    for item in _items(extraction, "entities"):
        context = str(item.get("context") or "")[:_CONTEXT_CHARS]
        yield f"- [entity] {item.get('name', '')} ({item.get('entity_type', 'unknown')}): {context}"


def _items(extraction: Mapping[str, object], category: str) -> list[Mapping[str, object]]:
    return [item for item in observations.items_in(extraction.get(category)) if isinstance(item, Mapping)]


def _folders() -> list[bytes]:
    places = storage.places()
    configured = load.load(places.config_file, os.environ).settings.sources.observations
    return [os.fsencode(folder) for folder in observations_dirs(os.environ, places.observations, configured)]
