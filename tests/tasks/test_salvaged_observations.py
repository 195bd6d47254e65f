"""After a salvage the logs make good what they hold: nothing of it is missing, and nothing counts twice."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from memd.db import salvage
from memd.db.driver import Connection
from memd.db.pages import Pages
from memd.memory import writer
from memd.memory.entry import Draft
from tests import damage
from tests.rows import database
from tests.sources.logs import record
from tests.tasks.absorbing import House

RECORDS = 120
BY_HAND = 40
DELETED = "observed word7919 of host1"
HELD = """SELECT content, sightings FROM entry
          WHERE content GLOB 'observed*' AND content <> 'observed word7919 of host1' ORDER BY content"""


def said() -> list[dict[str, object]]:
    """Records that say something new, something they all say, and mention a few things."""
    return [
        record(
            n,
            facts=[f"observed word{n * 7919} of host{n}", "observed by everyone"],
            entities=["Kappa", f"Thing {n % 60}"],
            relationships=[{"source": "Kappa", "target": f"Thing {n % 60}", "relationship_type": "uses"}],
        )
        for n in range(RECORDS)
    ]


def fill(folder: Path) -> tuple[object, ...]:
    """A database with what they say absorbed, some entries made by hand, and one deleted; what it holds."""
    with database(folder) as db:
        house = House(db)
        for n in range(BY_HAND):
            db.write_now(_by_hand, f"by hand token{n * 104729} number{n}")
        house.observe(*said())
        house.absorb()
        db.write_now(lambda c: writer.delete(c, _entry(c, DELETED)))
        return house.rows(HELD), house.graph()


def _by_hand(connection: Connection, content: str) -> object:
    return writer.store(connection, Draft(content), None, 1, by_hand=True)


def _entry(connection: Connection, content: str) -> int:
    return int(connection.execute("SELECT id FROM entry WHERE content = ?", (content,)).get)


def leaves(path: Path, table: str) -> list[int]:
    with closing(Pages(path)) as pages:
        roots = {str(record[1]): record[3] for _, records in pages.tree(1) for _, record in records}
        root = roots[table]
        assert isinstance(root, int)
        return [number for number, records in pages.tree(root) if list(records)]


@pytest.mark.parametrize("table", ["entry", "entity", "relationship", "observation", "entry_source"])
def test_whichever_leaf_is_lost_what_the_logs_hold_is_whole_again(tmp_path: Path, table: str) -> None:
    before = fill(tmp_path)
    sound = (tmp_path / "memd.db").read_bytes()
    for page in leaves(tmp_path / "memd.db", table)[:4]:
        (tmp_path / "memd.db").write_bytes(sound)
        damage.overwrite(tmp_path / "memd.db", page)
        fresh = tmp_path / f"fresh-{page}"
        fresh.mkdir()
        salvage.fill(fresh / "memd.db", tmp_path / "memd.db", "why", "aside")

        with database(fresh) as db:
            house = House(db)
            house.observe(*said())
            house.absorb()
            account = db.read_now(salvage.account) or ""

            assert (house.rows(HELD), house.graph()) == before, page
            if table != "observation":  # with its record it is lost, too, that the entry was deleted
                assert DELETED not in [content for _, content in house.entries()]
            assert "of the graph were salvaged" in account
            assert (f"of {table})" in account or f"of {table}," in account) is (table != "entry_source")


def test_where_no_row_was_lost_nothing_is_absorbed_again(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "fresh").mkdir()

    salvage.fill(tmp_path / "fresh" / "memd.db", tmp_path / "memd.db", "why", "aside")

    with database(tmp_path / "fresh") as db:
        waiting: Sequence[object] = House(db).rows("SELECT id FROM observation WHERE absorbed_ms IS NULL")
        account = db.read_now(salvage.account) or ""
    assert list(waiting) == []
    assert "lost" not in account
