"""What a call of ``forget`` means of turns and of entries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.errors import NotFound
from memd.memory.entry import MemoryScope
from memd.server import meant
from memd.server.methods.forgetting import SCHEMA
from memd.server.params import check
from tests.memory.entries import project
from tests.memory.stored import created
from tests.rows import database, store, turn


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A turn and an entry of each of two projects, and an entry of none; all speak of the quokka."""
    with database(tmp_path) as db:
        for number, path in enumerate(("/dev/app", "/dev/two"), 1):
            store(db, [turn(number, "a quokka", session=f"s{number}")], cwd=path)
            created(db, f"quokka {path}", scope=MemoryScope(project(db, path)))
        created(db, "quokka everywhere")
        yield db


def found(db: Database, **given: object) -> tuple[list[str], list[int]]:
    """Turns and entries that are meant."""
    look = db.read_now(meant.look, check(SCHEMA, given))
    return list(look.turns), list(look.curated.entries)


@pytest.mark.parametrize(
    ("given", "turns", "entries"),
    [
        ({"id": "2"}, [], [2]),
        ({"id": "#3"}, [], [3]),
        ({"id": "s1-1"}, ["s1-1"], []),
        ({"session": "s2"}, ["s2-2"], []),
        ({"project": "app"}, ["s1-1"], [1]),
        ({"folder": "/dev/two"}, ["s2-2"], [2]),
        ({"folder": "/dev"}, ["s1-1", "s2-2"], [1, 2]),
        ({"folder": "/elsewhere"}, [], []),
        ({"match": "QUOKKA", "all_projects": True}, ["s1-1", "s2-2"], [1, 2, 3]),
        ({"match": "QUOKKA", "all_projects": True, "last_entry": 1}, ["s1-1", "s2-2"], [1]),
        ({"match": "QUOKKA", "project": "two"}, ["s2-2"], [2]),
        ({"match": "nothing", "all_projects": True}, [], []),
        ({"backups": True}, [], []),
    ],
)
def test_what_is_meant(given: dict[str, object], turns: list[str], entries: list[int], db: Database) -> None:
    assert found(db, **given) == (turns, entries)


@pytest.mark.parametrize("asked", ["#9", "9"])
def test_an_entry_that_is_not_there_is_no_turn(asked: str, db: Database) -> None:
    with pytest.raises(NotFound):
        found(db, id=asked)
