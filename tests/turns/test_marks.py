"""Marked turns: what is remembered of them is what the index says, whatever was added, changed or forgotten."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from memd.db import check
from memd.db.database import Database
from memd.db.driver import Connection
from memd.turns import forget, marks, reredact, table
from memd.turns.marks import Marks
from memd.turns.search import Question
from memd.turns.turn import Claim
from tests.rows import START_MS, database, store, turn

ALL = Question("anything")
PHRASES = ["of one", "turn 11", '"', "", "from now on", "prefers", "数据库", "naïve"]
WORDS = "from|now|on|from now on|I|prefer|naïve|naive cafe|of one|turn 11|数据库连接|preferences|我喜欢|_now_|don't"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        store(db, [turn(n, f"turn {n} of one", role=("user", "assistant")[n % 2]) for n in range(6)])
        store(db, [turn(n, f"turn {n} of two", session="s2") for n in range(10, 13)], cwd="/home/dev/b")
        yield db


def ids(db: Database, remembered: Marks, most: int = 3, question: Question = ALL) -> list[str]:
    return [row.id for row in db.read_now(remembered.find, question, PHRASES[:4], most)]


def test_what_users_said_is_found_by_phrases_the_newest_first(db: Database) -> None:
    assert ids(db, Marks()) == ["s2-11", "s1-4", "s1-2"]


def test_what_was_said_since_comes_first_and_the_index_is_not_asked_again(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembered = Marks()
    ids(db, remembered)
    monkeypatch.delattr(marks, "marked")

    store(db, [turn(50, "the last turn of one"), turn(51, "says nothing")])

    assert ids(db, remembered) == ["s1-50", "s2-11", "s1-4"]


def test_what_is_forgotten_is_gone_at_once_and_an_older_turn_takes_its_place(db: Database) -> None:
    remembered = Marks()
    ids(db, remembered)

    forgotten: list[int] = db.read_now(forget.rows_of, ["s2-11"])
    db.write_now(forget.remove, forgotten)

    assert ids(db, remembered) == ["s1-4", "s1-2", "s1-0"]


def test_a_turn_that_takes_the_row_of_a_forgotten_one_is_not_taken_for_it(db: Database) -> None:
    store(db, [turn(50, "the last turn of one")])
    remembered = Marks()
    ids(db, remembered)

    gone: list[int] = db.read_now(forget.rows_of, ["s1-50"])
    db.write_now(forget.remove, gone)
    store(db, [turn(60, "something else")])

    assert db.read_now(forget.rows_of, ["s1-60"]) == gone
    assert ids(db, remembered) == ["s2-11", "s1-4", "s1-2"]


def test_what_is_remembered_is_bounded(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks, "REMEMBERED", 2)
    remembered = Marks()

    for most in range(1, 6):
        ids(db, remembered, most)

    assert len(remembered._known) == 2


@pytest.mark.parametrize("seed", range(6))
def test_after_any_history_the_list_is_the_one_made_from_scratch(db: Database, seed: int) -> None:
    draw, remembered = random.Random(seed), Marks()
    here: int = db.read_now(lambda c: c.execute("SELECT id FROM project WHERE path = '/home/dev/b'").get)
    asked = [ALL, Question("", project_ids=[here]), Question("", since_ms=START_MS + 30_000)]

    for step in range(40):
        draw.choice(CHANGES)(db, draw, step)
        for question in asked:
            for most in (3, 50):
                known = db.read_now(remembered.find, question, PHRASES, most)
                assert list(known) == list(db.read_now(Marks().find, question, PHRASES, most))


Change = Callable[[Database, random.Random, int], None]


def _add(db: Database, draw: random.Random, step: int) -> None:
    session, cwd = draw.choice([("s1", None), ("s2", "/home/dev/b"), (f"n{step}", "/home/dev/b")])
    said = [
        " ".join(draw.choices(WORDS.split("|"), k=draw.randrange(1, 12))) for _ in range(draw.randrange(1, 4))
    ]
    store(db, [turn(100 + 10 * step + n, text, session=session) for n, text in enumerate(said)], cwd=cwd)


def _forget(db: Database, draw: random.Random, step: int) -> None:
    rows = _rows(db)
    db.write_now(forget.remove, draw.sample(rows, min(len(rows), draw.randrange(1, 3))))


def _forget_the_last(db: Database, draw: random.Random, step: int) -> None:
    db.write_now(forget.remove, _rows(db)[-2:])


def _hide_or_show(db: Database, draw: random.Random, step: int) -> None:
    row, hidden = draw.choice(_rows(db) or [0]), draw.randrange(2)
    db.write_now(lambda c: c.execute("UPDATE turn SET hidden = ? WHERE rowid = ?", (hidden, row)).fetchall())


def _move(db: Database, draw: random.Random, step: int) -> None:
    def work(connection: Connection) -> None:
        turns = [str(id) for (id,) in connection.execute("SELECT id FROM turn WHERE claim < 2").fetchall()]
        claims = [(one, "s2", max(Claim)) for one in turns[:1]]
        table.assign(connection, claims, format_="claude-code", stored=table.Stored())

    db.write_now(work)


def _give_to_a_project(db: Database, draw: random.Random, step: int) -> None:
    def work(connection: Connection) -> None:
        project = connection.execute("SELECT id FROM project ORDER BY id LIMIT 1").get
        connection.execute(
            "UPDATE session SET project_id = ? WHERE key = 's1'", (project if step % 2 else None,)
        )

    db.write_now(work)


def _redact(db: Database, draw: random.Random, step: int) -> None:
    row, text = draw.choice(_rows(db) or [0]), f"{draw.choice(['from now on', 'gone'])} [REDACTED:key] {step}"

    def work(connection: Connection) -> None:
        content = connection.execute("SELECT content_id FROM turn WHERE rowid = ?", (row,)).get
        if content is not None:
            reredact._replace(connection, content, text)

    db.write_now(work)


def _index_anew(db: Database, draw: random.Random, step: int) -> None:
    last = db.write_now(check.clear_index)
    db.read_now(Marks().find, ALL, PHRASES, 3)
    after: int | None = 0
    while after is not None:
        after = db.write_now(check.fill_index, after, last)


CHANGES: Sequence[Change] = [
    *[_add] * 6,
    _forget,
    _forget_the_last,
    _hide_or_show,
    _move,
    _give_to_a_project,
    _redact,
    _index_anew,
]


def _rows(db: Database) -> list[int]:
    return db.read_now(lambda c: [row for (row,) in c.execute("SELECT rowid FROM turn ORDER BY rowid")])
