"""Forgetting turns: what is meant, what is shown of it, and what is left of it afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db import check
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import NotFound
from memd.turns import forget, spaces, table
from memd.turns.forget import Lost, Wanted
from tests.rows import database, store, turn


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def meant(db: Database, **wanted: object) -> list[str]:
    """Ids of the turns that are meant."""

    def look(connection: Connection) -> list[str]:
        rows = forget.find(connection, Wanted(**wanted))  # type: ignore[arg-type]  # fields by name
        return sorted(forget.ids(connection, rows))

    return db.read_now(look)


def remove(db: Database, *turns: str) -> list[Lost]:
    return db.write_now(lambda c: forget.remove(c, forget.rows_of(c, turns)))


def column(db: Database, query: str) -> list[object]:
    return [row[0] for row in db.read_now(lambda c: c.execute(query).fetchall())]


def test_what_is_meant_is_found(db: Database) -> None:
    store(db, [turn(1, "Der Äpfel-Plan"), turn(2, "nothing")], cwd="/home/dev/app")
    store(db, [turn(1, "the ÄPFEL here", session="other")], cwd="/home/dev/two")
    project = column(db, "SELECT id FROM project WHERE path = '/home/dev/two'")

    assert meant(db, turn="s1-1") == ["s1-1"]
    assert meant(db, session="s1") == ["s1-1", "s1-2"]
    assert meant(db, session="o") == ["other-1"]
    assert meant(db, match="äpfel") == ["other-1", "s1-1"]
    assert meant(db, match="ÄPFEL-plan") == ["s1-1"]
    assert meant(db, match="äpfel", projects=project) == ["other-1"]
    assert meant(db, match="%") == []
    assert meant(db, session="s1", last=1) == ["s1-1"]


@pytest.mark.parametrize("wanted", [{"turn": "s1"}, {"turn": "x"}, {"session": "x"}])
def test_what_is_not_clearly_meant_is_not_found(db: Database, wanted: dict[str, str]) -> None:
    store(db, [turn(1, "one"), turn(2, "two")])

    with pytest.raises(NotFound):
        meant(db, **wanted)


def test_a_preview_counts_and_shows_the_first(db: Database) -> None:
    store(db, [turn(n, f"word {n}") for n in range(7)])
    store(db, [turn(0, "word 0", session="s2")])

    seen = db.read_now(lambda c: forget.preview(c, forget.find(c, Wanted(session="s1"))))

    assert (seen["turns"], seen["sessions_total"], seen["elsewhere"]) == (7, 1, 1)
    assert seen["sessions"] == [{"id": "s1", "title": None, "project": None, "turns": 7, "left": 0}]
    assert [one["text"] for one in seen["snippets"]] == [f"word {n}" for n in range(5)]  # type: ignore[attr-defined]  # from an answer


def test_a_removed_turn_leaves_no_row_and_does_not_come_back(db: Database) -> None:
    space = db.write_now(spaces.ensure, "test", 4)
    turns = [turn(1, "the quokka"), turn(2, "kept")]
    store(db, turns)
    db.write_now(table.queue_vectors)
    content = column(db, "SELECT id FROM content WHERE text = 'the quokka'")[0]
    db.write_now(spaces.put, space, [(content, [b"\1\2\3\4"])])

    remove(db, "s1-1")

    assert column(db, "SELECT id FROM turn") == ["s1-2"]
    assert column(db, "SELECT text FROM content") == ["kept"]
    assert column(db, "SELECT count(*) FROM vector") == [0]
    assert column(db, "SELECT rowid FROM turn_fts WHERE turn_fts MATCH 'quokka'") == []
    assert column(db, "SELECT turns FROM session") == [1]
    assert store(db, turns) == []
    assert [one.name for one in db.write_now(check.faults, space) if not one.ok] == []


def test_a_text_that_others_say_too_stays_with_them(db: Database) -> None:
    store(db, [turn(1, "yes"), turn(1, "yes", session="s2")])

    remove(db, "s1-1")

    assert column(db, "SELECT text FROM content") == ["yes"]
    assert column(db, "SELECT key FROM session") == ["s2"]
    assert column(db, "SELECT count(*) FROM turn_fts WHERE turn_fts MATCH 'yes'") == [1]


def test_vectors_on_their_way_reach_no_other_text(db: Database) -> None:
    space = db.write_now(spaces.ensure, "test", 4)
    store(db, [turn(1, "kept"), turn(2, "the quokka")])
    db.write_now(table.queue_vectors)
    content = column(db, "SELECT id FROM content WHERE text = 'the quokka'")[0]
    remove(db, "s1-2")
    store(db, [turn(3, "said next")])
    db.write_now(table.queue_vectors)

    db.write_now(spaces.put, space, [(content, [b"\1\2\3\4"])])

    assert column(db, "SELECT count(*) FROM vector") == [0]
    assert {text for _, text in db.read_now(spaces.waiting, space, 9)} == {"kept", "said next"}


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("Quokka diet", True),
        ("The diet", False),  # another turn says these
        ("Something else", False),
        ("部署方案", True),
    ],
)
def test_a_title_tells_where_no_other_turn_says_its_word(db: Database, title: str, told: bool) -> None:
    store(db, [turn(1, "the diet of a quokka, 部署"), turn(2, "the Diet")])

    (lost,) = remove(db, "s1-1")

    assert lost.left
    assert db.read_now(forget.tells, title, lost) is told


def test_every_title_tells_of_a_session_that_is_gone(db: Database) -> None:
    store(db, [turn(1, "the quokka")])

    (lost,) = remove(db, "s1-1")

    assert not lost.left
    assert db.read_now(forget.tells, "Something else", lost)
