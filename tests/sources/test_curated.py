"""Forgetting curated memory: entries, graph, observations and the journal hold nothing of a text afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db import journal
from memd.db.driver import Connection
from memd.graph import merge
from memd.memory.forget import Wanted
from memd.sources import attribution, curated, forgetting
from memd.turns import tombstones
from tests.rows import database
from tests.sources.logs import record
from tests.tasks.absorbing import House

NOW = 1_790_000_000_000


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with database(tmp_path) as db:
        one = House(db)
        one.observe(
            record(
                1,
                facts=["the zebra stands there", "the cache lives in Redis"],
                entities=[{"name": "Zebra"}, {"name": "Grevy"}, {"name": "Redis"}],
                relationships=[{"source": "Redis", "target": "Grevy", "context": "as the zebra does"}],
            )
        )
        one.absorb()
        yield one


def held(house: House) -> str:
    """Every row that could hold a text, of every table but the indexes."""
    tables = ("entry", "entity", "entity_alias", "relationship", "observation", "journal")
    return "".join(str(house.rows(f"SELECT * FROM {table}")) for table in tables).lower()


def remove(house: House, wanted: Wanted) -> None:
    house.db.write_now(lambda c: forgetting.remove_curated(c, curated.find(c, wanted)))


def test_nothing_holds_a_forgotten_text(house: House) -> None:
    def merged(connection: Connection) -> object:
        return journal.record(connection, "merge", NOW, lambda: merge.merge(connection, "Zebra", "Grevy"))

    house.db.write_now(merged)
    seen = house.db.read_now(lambda c: curated.preview(c, curated.find(c, Wanted(match="ZEBRA"))))
    assert (seen["entries"], seen["observations"]) == (1, 1)
    assert seen["graph"]

    remove(house, Wanted(match="ZEBRA"))

    assert "zebra" not in held(house)
    assert "the cache lives in redis" in held(house)
    assert not house.db.read_now(curated.find, Wanted(match="zebra"))


def test_a_log_that_is_read_again_does_not_bring_it_back(house: House) -> None:
    remove(house, Wanted(match="zebra"))

    house.observe(record(2, facts=["The zebra stands there."], entities=[{"name": "the zebra"}]))
    house.absorb()

    assert house.rows("SELECT content FROM entry ORDER BY id") == [("the cache lives in Redis",)]
    assert ("Zebra",) not in house.rows("SELECT name FROM entity")


def test_what_an_older_database_holds_goes_by_the_marks(house: House) -> None:
    def marks(connection: Connection) -> set[bytes]:
        return set(curated.marks(connection, curated.find(connection, Wanted(match="zebra"))))

    kept = house.db.read_now(marks)
    house.db.write_now(forgetting.again, kept)

    assert house.rows("SELECT content FROM entry") == [("the cache lives in Redis",)]
    assert house.db.read_now(tombstones.all_of) == kept
    assert not house.db.read_now(curated.returned, kept)


def test_the_observations_of_a_forgotten_project_hold_nothing(house: House) -> None:
    house.observe(record(3, project="secret", facts=["the numbat digs"], entities=[{"name": "Numbat"}]))
    house.absorb()
    [secret] = house.db.read_now(attribution.named, "secret")

    remove(house, Wanted(projects=[secret]))

    assert "digs" not in held(house)
    assert "the zebra stands there" in held(house)
