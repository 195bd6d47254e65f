"""Turns that say something else by now: text, index and vectors follow, and what others say too stays."""

from __future__ import annotations

from pathlib import Path

from memd.db.driver import Connection
from memd.turns import rewording, table
from memd.turns.turn import Turn
from tests.rows import database, store, turn


def reword(connection: Connection, *turns: Turn) -> tuple[set[str], int]:
    stored = table.Stored()
    changed = rewording.reword(connection, turns, stored)
    table.index(connection, stored)
    return set(changed), stored.reworded


def test_a_turn_with_other_words_has_those_alone(tmp_path: Path) -> None:
    with database(tmp_path) as db:
        store(db, [turn(1, "half"), turn(2, "half"), turn(3, "alone")])

        changed = db.write_now(reword, turn(1, "the whole answer"), turn(3, "in company"), turn(9, "unknown"))

        assert changed == ({"s1-1", "s1-3"}, 2)
        texts = "SELECT c.text FROM turn t JOIN content c ON c.id = t.content_id ORDER BY t.id"
        assert db.read_now(lambda c: c.execute(texts).fetchall()) == [
            ("the whole answer",),
            ("half",),
            ("in company",),
        ]
        assert db.read_now(lambda c: c.execute("SELECT count(*) FROM content").get) == 3
        for word, there in (("answer", [1]), ("half", [2]), ("alone", []), ("company", [3])):
            found = "SELECT rowid FROM turn_fts WHERE turn_fts MATCH ? ORDER BY rowid"
            rows = db.read_now(lambda c, w=word, q=found: c.execute(q, (w,)).fetchall())  # type: ignore[misc]
            assert [row for (row,) in rows] == there


def test_the_same_words_again_change_nothing(tmp_path: Path) -> None:
    with database(tmp_path) as db:
        store(db, [turn(1, "said")])

        assert db.write_now(reword, turn(1, "said")) == (set(), 0)


def test_a_turn_of_the_same_batch_is_indexed_once(tmp_path: Path) -> None:
    def both(connection: Connection) -> None:
        stored = table.Stored()
        table.add(connection, [turn(1, "half")], file_id=None, home=None, format_="gemini", stored=stored)
        rewording.reword(connection, [turn(1, "whole")], stored)
        table.index(connection, stored)

    with database(tmp_path) as db:
        db.write_now(both)

        found = db.read_now(
            lambda c: c.execute("SELECT rowid FROM turn_fts WHERE turn_fts MATCH 'whole'").fetchall()
        )
        assert found == [(1,)]
        assert (
            db.read_now(lambda c: c.execute("SELECT 1 FROM turn_fts WHERE turn_fts MATCH 'half'").get) is None
        )
