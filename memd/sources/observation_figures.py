"""What there is to say of observations: their batches by day, how many there are, what was left out or set aside."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memd.db import driver
from memd.db.driver import Connection
from memd.sources.observation_table import COLUMNS, WAITING, Stored, stored_of


def aside(connection: Connection) -> list[dict[str, object]]:
    """The records that were set aside, the first hundred: where each stands, and why."""
    rows = connection.execute(
        """SELECT o.id, l.path, o.position, o.failed FROM observation o JOIN observation_log l ON l.id = o.log_id
           WHERE o.failed IS NOT NULL ORDER BY o.id LIMIT 100"""
    )
    return [dict(zip(("id", "log", "offset", "why"), row, strict=True)) for row in rows]


def batches(
    connection: Connection, days: int, day: str | None = None, projects: Sequence[str] = ()
) -> list[tuple[str, Stored]]:
    """The records of a day, or of the last days with some, each with its day; newest day first, else in file order.

    ``projects``: of those that say one of these names.
    """
    rows = connection.execute(
        f"""WITH chosen AS (SELECT * FROM observation
              WHERE (?1 IS NULL OR day = ?1) AND (?2 = '[]' OR project IN (SELECT value FROM json_each(?2))))
            SELECT o.day, {COLUMNS} FROM chosen o JOIN observation_log l ON l.id = o.log_id
            WHERE o.day IN (SELECT DISTINCT day FROM chosen ORDER BY day DESC LIMIT ?3)
            ORDER BY o.day DESC, l.path, o.position""",
        (day, json.dumps(list(projects)), days),
    )
    return [(str(row[0]), stored_of(row[1:])) for row in rows]


def figures(connection: Connection) -> dict[str, int]:
    """Figures for ``status``."""
    names = ("logs", "missing_logs", "bad_records", "records", "waiting", "set_aside", "bad_items")
    row = connection.execute(
        f"""SELECT (SELECT count(*) FROM observation_log), (SELECT count(*) FROM observation_log WHERE missing),
              (SELECT coalesce(sum(bad_records), 0) FROM observation_log), count(*),
              count(*) FILTER (WHERE {WAITING}), count(*) FILTER (WHERE failed IS NOT NULL),
              coalesce(sum(bad_items), 0) FROM observation o"""
    ).get
    return dict(zip(names, map(driver.number, row), strict=True))


def dropped(connection: Connection) -> dict[str, int]:
    """What of the records was not worth a place in the graph, by reason."""
    return driver.pairs(
        connection,
        """SELECT j.key, sum(j.value) FROM observation o, json_each(o.dropped) j
           WHERE o.dropped <> '{}' GROUP BY j.key ORDER BY 2 DESC, 1""",
    )
