"""Reading ahead: the question that comes next finds marked turns and their statements read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from memd.db.database import Database
from memd.db.driver import Connection
from memd.db.vectors import Lane, Vectors
from memd.recall import statements
from memd.server import ahead
from memd.server.history import IndexedHistory
from memd.services import Services
from memd.turns import marks, recalled
from memd.turns.marks import Marks
from memd.turns.search import Question
from tests.rows import database, store, turn


class Governor:
    """Notes how much processor time it was told of."""

    def __init__(self) -> None:
        self.told: list[float] = []

    async def turn(self, cpu_s: float) -> None:
        self.told.append(cpu_s)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        said = [
            turn(n, f"From now on always name matter {n} first. I prefer tabs to spaces.") for n in range(30)
        ]
        store(db, said, cwd="/home/dev/app")
        store(db, [turn(5, "an older one", session="s2")], cwd="/home/dev/b")
        yield db


@pytest.fixture
def services(db: Database, monkeypatch: pytest.MonkeyPatch) -> Services:
    monkeypatch.setattr(ahead, "BEHIND_START_SECONDS", 0)
    bundle = SimpleNamespace(db=db, governor=Governor(), vectors=Vectors(), marks=Marks())
    return cast(Services, bundle)


def test_a_question_asked_next_reads_no_turn_and_asks_no_index(
    db: Database, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(ahead.of_last(services))
    monkeypatch.delattr(marks, "marked")
    monkeypatch.delattr(statements, "_found")

    def ask(connection: Connection) -> int:
        project = recalled.last_project(connection)
        question = Question("", project_ids=[cast(int, project)])
        history = IndexedHistory(connection, question, Lane(Vectors()), services.marks)
        return len(statements.requests(history)) + len(statements.preferences(history))

    assert db.read_now(ask) == 60


def test_it_comes_by_the_governor_after_each_portion(services: Services) -> None:
    asyncio.run(ahead.of_last(services))

    told = cast(Governor, services.governor).told
    assert len(told) == 1 + -(-30 // ahead.PORTION)


def test_where_nothing_was_said_there_is_nothing_to_read(services: Services, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with database(tmp_path / "other") as empty:
        asyncio.run(ahead.of_last(cast(Services, SimpleNamespace(db=empty))))
