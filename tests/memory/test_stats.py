"""MC36: what is counted of entries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.memory import stats
from memd.memory.entry import MemoryScope
from memd.memory.stats import MemoryStats
from tests.memory import entries
from tests.rows import database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def test_mc36_everything_is_counted_by_what_it_is_and_where_it_holds(db: Database) -> None:
    space = entries.space(db)
    app, tool = entries.project(db, "/home/dev/app"), entries.project(db, "/home/dev/tool")
    first = entries.add(db, "one", type="event", scope=MemoryScope(app))
    entries.add(db, "two", type="task", scope=MemoryScope(app, "auth"))
    entries.add(db, "three", scope=MemoryScope(tool))
    entries.add(db, "four", dead=True)
    entries.add(db, "five", type="procedure")
    entries.add(db, "six")
    db.write_now(
        lambda c: c.execute("UPDATE entry SET superseded_ms = 9, superseded_by = 2 WHERE id = 1").fetchall()
    )
    entries.embed(db, space, [(first, "one"), (2, "two")])

    found = db.read_now(stats.collect, space)

    assert found == MemoryStats(
        total=6,
        by_type=[("fact", 3), ("event", 1), ("procedure", 1), ("task", 1)],
        by_class=[("semantic", 3), ("episodic", 2), ("procedural", 1)],
        by_scope=[("global", 3), ("project", 2), ("branch", 1)],
        by_project=[("(global)", 3), ("app", 2), ("tool", 1)],
        superseded=1,
        retired=1,
        embedded=2,
    )
    assert (found.unembedded, found.embedded_pct) == (4, 33)


def test_mc36_of_nothing_and_without_an_embedder_there_is_nothing_to_count(db: Database) -> None:
    found = db.read_now(stats.collect, None)

    assert (found.total, found.by_type, found.embedded, found.embedded_pct) == (0, [], 0, 0)
    entries.add(db, "one")
    assert db.read_now(stats.collect, None).unembedded == 1
