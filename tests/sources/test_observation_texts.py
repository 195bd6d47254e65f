"""What is forgotten goes from stored observations, and the rest stays in its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.driver import Connection
from memd.graph import forget
from memd.graph import table as graph
from memd.sources import observation_figures, observation_table, observation_texts
from memd.turns import tombstones
from tests.rows import database
from tests.sources.logs import record
from tests.tasks.absorbing import House


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with database(tmp_path) as db:
        one = House(db)
        one.observe(
            record(
                1,
                facts=["the zebra stands there", "the cache lives in Redis"],
                decisions={"content": "no ZEBRA in production"},
                relationships=[{"source": "app", "target": "Zebra", "context": "at night"}],
            ),
            record(2, facts=["nothing of it"]),
        )
        one.absorb()
        yield one


def test_every_item_that_holds_a_text_goes(house: House) -> None:
    assert house.db.write_now(observation_texts.forget, "zebra") == 1

    [(left,), _] = house.rows("SELECT extraction FROM observation ORDER BY id")
    assert "zebra" not in str(left).lower()
    assert "the cache lives in Redis" in str(left)
    assert house.db.write_now(observation_texts.forget, "zebra") == 0


def test_the_statement_of_an_entry_goes_and_the_others_keep_their_places(house: House) -> None:
    [(zebra,)] = house.rows("SELECT id FROM entry WHERE content = 'the zebra stands there'")
    [(redis,)] = house.rows("SELECT id FROM entry WHERE content LIKE '%Redis'")

    assert house.db.write_now(observation_texts.forget_entries, [zebra]) == 1

    house.db.write_now(lambda c: c.execute("DELETE FROM entry WHERE id IN (?, ?)", (zebra, redis)))
    [lacking] = house.db.read_now(observation_table.lacking, 0, 10)
    assert lacking.extraction["facts"] == [None, "the cache lives in Redis"]
    assert house.db.read_now(observation_table.gone, lacking) == {"facts/1"}


def test_marks_take_out_of_a_record_what_was_stored_before_them(house: House) -> None:
    marks = house.db.read_now(observation_texts.marks, "zebra")
    assert house.db.read_now(observation_texts.marked, marks) == 1

    assert house.db.write_now(observation_texts.forget_marked, marks) == 1

    assert house.db.read_now(observation_texts.marked, marks) == 0
    assert "zebra" not in str(house.rows("SELECT extraction FROM observation")).lower()


def test_a_forgotten_name_is_not_mentioned_again_by_a_log(house: House) -> None:
    def forgotten(connection: Connection) -> None:
        forget.remove(connection, forget.find(connection, "zebra"))
        forget.remove(connection, forget.Meant((), (), [(0, "in secret")]))

    house.db.write_now(forgotten)
    house.observe(
        record(
            3,
            entities=["ZEBRA", "Redis"],
            relationships=[
                {"source": "app", "target": "zebra"},
                {"source": "app", "target": "Redis", "context": "in secret"},
            ],
        )
    )
    [stored] = house.rows("SELECT extraction FROM observation ORDER BY id DESC LIMIT 1")
    assert "zebra" not in str(stored).lower() and "in secret" not in str(stored)
    house.absorb()

    assert house.db.read_now(graph.find, "zebra") is None
    assert [row[:4] for row in house.graph()[1]] == [("app", "related_to", "Redis", "")]
    assert house.db.read_now(observation_figures.dropped) == {"forgotten": 2}


def test_newer_rules_of_redaction_apply_to_what_is_stored(house: House) -> None:
    """R12: as `repair --redact` has it for turns."""
    key = "AKIAIOSFODNN7EXAMPLE"
    house.db.write_now(
        lambda c: c.execute("UPDATE observation SET extraction = replace(extraction, 'nothing', ?)", (key,))
    )

    last = house.db.write_now(observation_texts.redact_again, 0)

    assert last and house.db.write_now(observation_texts.redact_again, last) is None
    assert "[REDACTED:aws_key] of it" in str(house.rows("SELECT extraction FROM observation"))
    assert house.rows("SELECT kind, n FROM redaction") == [("aws_key", 1)]


def test_nothing_that_was_forgotten_comes_back_where_only_the_logs_are_left(
    house: House, tmp_path: Path
) -> None:
    """Neither a wording that no entry had, nor a name, nor what was said of an edge; it is not even stored."""
    house.db.write_now(observation_texts.forget, "zebra")
    marks = house.db.read_now(tombstones.all_of)
    (tmp_path / "new").mkdir()
    with database(tmp_path / "new") as db:
        other = House(db)
        db.write_now(tombstones.lay, marks)
        other.observe(
            record(
                1,
                facts=["The zebra stands there!", "it rains"],
                relationships=[{"source": "app", "target": "Zebra"}],
            ),
            record(2, project="other", facts=["the zebra stands there"]),
        )
        [(first,), _] = other.rows("SELECT extraction FROM observation ORDER BY id")
        assert json.loads(str(first)) == {"facts": [None, "it rains"], "relationships": [None]}

        other.absorb()

        assert other.entries() == [("fact", "it rains"), ("fact", "the zebra stands there")]
        assert other.graph() == ([], [])
        assert db.read_now(observation_texts.marked, marks) == 0
