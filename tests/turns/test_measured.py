"""Whether a filter leaves few turns: remembered where they are many, as long as none of them goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.db.driver import Connection
from memd.db.keyword import Filter
from memd.turns import forget, measured
from memd.turns.forget import Wanted
from tests.rows import database, store, turn

SESSION = Filter("s.key = ?", ["s1"], narrow=True)


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    monkeypatch.setattr(measured, "FEW_TURNS", 3)
    with database(tmp_path) as db:
        store(db, [turn(n, f"text {n}", session="s1") for n in range(3)])
        yield db


def asked(db: Database, which: Filter) -> tuple[Filter, int]:
    """The measured filter, and how many statements looked at sessions for it."""

    def work(connection: Connection) -> tuple[Filter, int]:
        said: list[str] = []
        connection.set_exec_trace(lambda _, statement, __: bool(said.append(statement)) or True)
        try:
            found = measured.measured(connection, which)
        finally:
            connection.set_exec_trace(None)
        return found, sum("session" in statement for statement in said)

    return db.read_now(work)


def test_few_turns_are_known_by_the_rows_between_which_they_stand(db: Database) -> None:
    which, _ = asked(db, SESSION)

    assert (which.few, which.first, which.last) == (True, 1, 3)


def test_what_leaves_many_is_not_counted_again_while_turns_are_added(db: Database) -> None:
    store(db, [turn(3, "text 3", session="s1")])
    first = asked(db, SESSION)
    store(db, [turn(4, "text 4", session="s1")])
    again = asked(db, SESSION)

    assert first == (SESSION, 1)
    assert again == (SESSION, 0)


def test_where_turns_went_it_is_counted_anew(db: Database) -> None:
    store(db, [turn(3, "text 3", session="s1")])
    assert not asked(db, SESSION)[0].few

    db.write_now(lambda connection: forget.remove(connection, forget.find(connection, Wanted(turn="s1-3"))))

    assert asked(db, SESSION)[0].few


def test_what_filters_nothing_is_not_counted(db: Database) -> None:
    everything = Filter("1", [])

    assert asked(db, everything) == (everything, 0)
