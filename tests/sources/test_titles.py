"""Titles are made of what was said: no secret settles in them, nor in the state of the file they came from (R12)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.importers import head, titles
from memd.sources import titles as kept
from memd.turns.redact import Redacted
from tests.importers.transcripts import SESSION, user
from tests.rows import database
from tests.secrets import FORMATS, made
from tests.sources.test_forgetting import kept_titles, take_in, titled

_, PREFIX, ALPHABET, LENGTH = FORMATS[0]
SECRET = PREFIX + made(ALPHABET, LENGTH)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def test_a_secret_in_a_title_is_stored_nowhere(db: Database) -> None:
    take_in(db, user("u1", "deploy", sessionId=SESSION), titled(f"Deploy with {SECRET}"))

    assert all(SECRET not in title and "[REDACTED:" in title for title in kept_titles(db))
    assert len(kept_titles(db)) == 2


def test_one_that_older_rules_left_is_taken_out_by_a_repair(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(titles, "redact", lambda text: Redacted(text, {}))
        take_in(db, user("u1", "deploy", sessionId=SESSION), titled(f"Deploy with {SECRET}"))
    assert all(SECRET in title for title in kept_titles(db))

    db.write_now(kept.redact_again)

    (title,) = kept_titles(db)
    assert SECRET not in title
    assert title.startswith("Deploy with [REDACTED:")
    (packed,) = db.read_now(lambda connection: connection.execute("SELECT head FROM file").fetchone())
    assert head.titles_in(packed) == []
