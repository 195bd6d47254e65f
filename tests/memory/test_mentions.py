"""Entries that mention a thing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.memory import mentions
from memd.memory.which import Which
from tests.memory.entries import add
from tests.rows import database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def found(db: Database, *names: str, limit: int = 10) -> tuple[list[str], int]:
    entries, total = db.read_now(mentions.of, names, limit, Which())
    return [entry.content for entry in entries], total


def test_live_entries_alone_are_counted(db: Database) -> None:
    """MC15: what was superseded or retired mentions nothing any more."""
    add(db, "Redis is the cache")
    add(db, "redis was the queue", dead=True)
    add(db, "the cache is warm")

    assert found(db, "Redis") == (["Redis is the cache"], 1)


def test_a_name_of_several_words_is_a_phrase(db: Database) -> None:
    add(db, "the auth service restarts", days=1)
    add(db, "a service for auth")
    add(db, "use node.js there", days=2)
    add(db, "日本語の文書", days=3)

    assert found(db, "Auth Service") == (["the auth service restarts"], 1)
    assert found(db, "node.js") == (["use node.js there"], 1)
    assert found(db, "日本語")[1] == 1
    assert found(db, "auth service", "node.js") == (["the auth service restarts", "use node.js there"], 2)
    assert found(db, "auth service", "node.js", limit=1) == (["the auth service restarts"], 2)


@pytest.mark.parametrize("name", ['"', '" OR "a', "?", "", "C++", "NEAR(a b)"])
def test_no_name_breaks_the_question(db: Database, name: str) -> None:
    add(db, "C is a letter")

    assert found(db, name) == ([], 0)
