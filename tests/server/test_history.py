"""Recall's history over the database: what it finds, at a cost that does not grow with it (LS35, L1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.db.driver import Connection
from memd.db.vectors import Lane, Vectors
from memd.recall.context import Context, RecallOptions
from memd.recall.recall import recall
from memd.server.history import IndexedHistory
from memd.text.tokens import Estimate
from memd.turns.marks import Marks
from memd.turns.search import Question
from tests.rows import database, store, turn

QUESTIONS = [
    "which port does staging use",
    "summarise what we discussed",
    "should I change the staging port?",
]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def fill(db: Database, first: int, last: int) -> None:
    """Sessions of thirty turns, each of which holds words of the questions now and then."""
    words = ("port", "staging", "tulip", "garden", "Always water", "I prefer")
    store(
        db,
        [
            turn(
                n,
                f"matter {n}: {words[n % 6]} of row {n % 17}",
                session=f"s{n // 30}",
                role=("user", "assistant")[n % 2],
            )
            for n in range(first, last)
        ],
    )


def ask(connection: Connection, query: str) -> Context:
    history = IndexedHistory(connection, Question(query, mode="keyword"), Lane(Vectors()), Marks())
    return recall(query, history, RecallOptions(budget=500), Estimate())


def steps(db: Database, query: str) -> int:
    """The steps of SQLite's machine that a recall takes, in thousands."""

    def work(connection: Connection) -> int:
        counted = 0

        def count() -> bool:
            nonlocal counted
            counted += 1
            return False

        connection.set_progress_handler(count, 1_000)
        ask(connection, query)
        return counted

    return db.read_now(work)


@pytest.mark.parametrize("query", QUESTIONS)
def test_LS35_L1_a_recall_costs_no_more_in_a_history_four_times_as_long(db: Database, query: str) -> None:
    fill(db, 0, 4_000)
    short = steps(db, query)
    fill(db, 4_000, 16_000)

    assert steps(db, query) < 1.5 * short


def test_the_fact_is_found_among_many_turns_and_told_by_its_id(db: Database) -> None:
    fill(db, 0, 300)
    store(db, [turn(1, "The staging port is 8080.", session="fact")])

    context = db.read_now(ask, "what is the staging port")

    assert "The staging port is 8080." in context.text
    assert "fact-1" in {one.turn.id for one in context.turns}
    assert context.tokens <= 500
