"""The undo journal: rows come back byte for byte, later changes are respected, and nothing forgotten comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db import journal
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import BadRequest, NotFound
from tests.rows import database

NOW = 1_790_000_000_000

Rows = dict[str, list[tuple[object, ...]]]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        execute(
            db,
            "INSERT INTO project VALUES (1, 'app', '/app', 'git'), (2, 'two', '/two', 'cwd')",
            "INSERT INTO project_dir VALUES ('/app/src', 1)",
            "INSERT INTO session (id, key, format, project_id, title) VALUES (1, 'a', 'f', 1, 'T\u00e4st'), "
            "(2, 'b', 'f', 1, NULL), (3, 'c', 'f', 2, x'00ff')",
        )
        yield db


def execute(db: Database, *statements: str) -> None:
    db.write_now(lambda c: [c.execute(statement) for statement in statements])


def rows(db: Database) -> Rows:
    """Every row that the journal looks after."""
    return db.read_now(
        lambda c: {
            table: c.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in journal.TABLES
        }
    )


def change(db: Database, *statements: str, what: str = "test", at_ms: int = NOW) -> int:
    def work(connection: Connection) -> int | None:
        def act() -> None:
            for statement in statements:
                connection.execute(statement)

        return journal.record(connection, what, at_ms, act)[1]

    number = db.write_now(work)
    assert number is not None
    return number


def undo(db: Database, number: int | None = None) -> int:
    made = db.write_now(journal.undo, number, NOW)[1]
    assert made is not None
    return made


MERGE = (
    "UPDATE session SET project_id = 2, title = 'x' WHERE project_id = 1",
    "UPDATE project_dir SET project_id = 2",
    "DELETE FROM project WHERE id = 1",
    "INSERT INTO project_alias VALUES ('/app', 'app', 2, 1)",
)


def test_undoing_gives_every_row_back_as_it_was(db: Database) -> None:
    before = rows(db)
    change(db, *MERGE)
    assert rows(db) != before

    undo(db)

    assert rows(db) == before


def test_an_undoing_can_be_undone_and_that_again(db: Database) -> None:
    before = rows(db)
    first = change(db, *MERGE)
    after = rows(db)

    undoing = undo(db, first)
    redoing = undo(db, undoing)
    assert rows(db) == after
    undo(db, first)
    assert rows(db) == before
    with pytest.raises(BadRequest, match=f"change {first} is undone already"):
        undo(db, first)
    assert redoing > undoing


def test_without_a_number_the_last_change_goes_then_the_one_before(db: Database) -> None:
    before = rows(db)
    change(db, "UPDATE session SET title = 'one' WHERE id = 1")
    change(db, "UPDATE session SET title = 'two' WHERE id = 2")

    undo(db)
    undo(db)

    assert rows(db) == before
    with pytest.raises(NotFound, match="nothing to undo"):
        undo(db)


@pytest.mark.parametrize(
    ("later", "row"),
    [
        ("UPDATE session SET project_id = NULL WHERE id = 2", "session 2"),
        ("INSERT INTO project VALUES (1, 'other', '/other', 'cwd')", "project 1"),
        ("DELETE FROM project_alias", "project_alias /app"),
        ("DELETE FROM session WHERE id = 1", "session 1"),
    ],
)
def test_a_row_that_changed_since_is_named_and_nothing_is_undone(db: Database, later: str, row: str) -> None:
    number = change(db, *MERGE)
    execute(db, later)
    before = rows(db)

    with pytest.raises(BadRequest, match=f"change {number} cannot be undone.*{row}"):
        undo(db, number)

    assert rows(db) == before


def test_what_others_hang_on_stays(db: Database) -> None:
    number = change(db, "INSERT INTO project VALUES (9, 'new', '/new', 'cwd')")
    execute(db, "UPDATE session SET project_id = 9 WHERE id = 3")

    with pytest.raises(BadRequest, match="others hang on it"):
        undo(db, number)


def test_columns_that_the_change_did_not_touch_may_have_changed(db: Database) -> None:
    number = change(db, *MERGE)
    execute(db, "UPDATE session SET turns = 7, last_ms = 5")

    undo(db, number)

    sessions = db.read_now(lambda c: c.execute("SELECT project_id, turns, last_ms FROM session").fetchall())
    assert sessions == [(1, 7, 5), (1, 7, 5), (2, 7, 5)]


def test_a_change_that_changes_nothing_is_no_entry(db: Database) -> None:
    number = db.write_now(lambda c: journal.record(c, "nothing", NOW, lambda: c.execute("SELECT 1"))[1])

    assert number is None
    assert db.read_now(journal.listing, 9) == []


def test_a_change_that_fails_leaves_nothing(db: Database) -> None:
    def work(connection: Connection) -> None:
        def fail() -> None:
            connection.execute("DELETE FROM project_dir")
            raise BadRequest("no")

        journal.record(connection, "test", NOW, fail)

    with pytest.raises(BadRequest):
        db.write_now(work)

    assert rows(db)["project_dir"] == [("/app/src", 1)]
    assert db.read_now(journal.listing, 9) == []


def test_the_list_tells_what_was_done_and_what_was_undone(db: Database) -> None:
    first = change(db, *MERGE, what="merge")
    second = undo(db)

    newest, oldest = db.read_now(journal.listing, 9)

    assert (oldest.id, oldest.what, oldest.rows, oldest.undone_by) == (first, "merge", 5, second)
    assert (newest.id, newest.what, newest.undoes, newest.at_ms) == (
        second,
        f"undo {first} (merge)",
        first,
        NOW,
    )
    assert [entry.id for entry in db.read_now(journal.listing, 1)] == [second]


def test_old_changes_are_forgotten(db: Database) -> None:
    change(db, "UPDATE session SET title = 'one'", at_ms=NOW - 10)
    kept = change(db, "UPDATE session SET title = 'two'")

    assert db.write_now(journal.prune, NOW) == 1
    assert [entry.id for entry in db.read_now(journal.listing, 9)] == [kept]


def strike(db: Database, *gone: tuple[str, tuple[int | str, ...]]) -> None:
    db.write_now(journal.strike, set(gone))


def test_a_row_that_is_forgotten_goes_from_the_journal_and_the_rest_can_be_undone(db: Database) -> None:
    number = change(db, *MERGE)
    execute(db, "DELETE FROM session WHERE id = 1")

    strike(db, ("session", (1,)))
    undo(db, number)

    assert [row[0] for row in rows(db)["session"]] == [2, 3]
    assert rows(db)["project_dir"] == [("/app/src", 1)]


def test_a_change_of_forgotten_rows_alone_goes_with_its_words(db: Database) -> None:
    change(db, "UPDATE session SET title = 'zibeline' WHERE id = 1")
    kept = "SELECT count(*) FROM journal WHERE instr(changeset, CAST('zibeline' AS BLOB))"
    assert db.read_now(lambda c: c.execute(kept).get) == 1

    strike(db, ("session", (1,)))

    assert db.read_now(journal.listing, 9) == []


def test_a_change_that_cannot_be_read_is_no_damage_to_the_database(db: Database) -> None:
    number = change(db, *MERGE)
    execute(db, f"UPDATE journal SET changeset = x'00' WHERE id = {number}")

    assert [entry.rows for entry in db.read_now(journal.listing, 9)] == [0]
    with pytest.raises(BadRequest, match="cannot be read any more"):
        undo(db, number)
    strike(db, ("session", (1,)))
    assert db.read_now(journal.listing, 9) == []


def test_a_mark_stands_before_earlier_changes_and_nothing_takes_it_back(db: Database) -> None:
    first = change(db, "UPDATE session SET title = 'one' WHERE id = 1")
    db.write_now(journal.mark, "forget 3 turns", NOW)
    strike(db, ("session", (3,)))

    mark, other = db.read_now(journal.listing, 9)
    assert (mark.what, mark.rows, mark.final, other.id, other.final) == (
        "forget 3 turns",
        0,
        True,
        first,
        False,
    )
    for number, said in ((None, "the last change was a forgetting"), (mark.id, f"change {mark.id} was")):
        with pytest.raises(BadRequest, match=said):
            db.write_now(journal.undo, number, NOW)
    assert db.read_now(journal.states, "session").keys() == {("session", (1,))}

    undo(db, first)
    change(db, "UPDATE session SET title = 'two' WHERE id = 1")
    undo(db)
