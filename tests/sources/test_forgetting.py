"""Forgetting with what hangs on it: titles in rows and in files' states, projects that nothing is left of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db import journal
from memd.db.database import Database
from memd.db.driver import Connection
from memd.importers import head
from memd.intake import accept
from memd.intake.accept import Part
from memd.intake.reading import facts_of
from memd.sources import attribution, forgetting
from memd.sources.cursors import Cursor
from memd.sources.projects import Project
from memd.turns import forget
from memd.turns.forget import Wanted
from tests.importers.transcripts import OTHER, SESSION, Json, assistant, reading, user
from tests.rows import database

APP = Project("app", "/home/dev/app", "cwd")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def titled(title: str) -> Json:
    return {"type": "ai-title", "aiTitle": title, "sessionId": SESSION}


def take_in(db: Database, *records: Json, name: str = SESSION) -> int:
    """Store a file of these records, read from its beginning; how many turns were new."""
    transcript, harvest = reading(*records, name=name)
    cursor = Cursor(f"/p/{name}.jsonl", 1, 1, 9, 9, 9, b"", b"")
    part = Part(cursor, True, facts_of(transcript, APP), harvest)
    return db.write_now(accept.batch, [part]).new


def forget_(db: Database, **wanted: str) -> None:
    def work(connection: Connection) -> None:
        forgetting.remove(connection, forget.find(connection, Wanted(**wanted)))  # type: ignore[arg-type]  # fields by name

    db.write_now(work)


def kept_titles(db: Database) -> list[str]:
    """Titles in the rows of sessions, and in what is kept of the files."""

    def look(connection: Connection) -> list[str]:
        rows = connection.execute("SELECT title FROM session WHERE title IS NOT NULL").fetchall()
        heads = connection.execute("SELECT head FROM file").fetchall()
        return [str(t) for (t,) in rows] + [t for (packed,) in heads for t in head.titles_in(packed)]

    return db.read_now(look)


DAY = (
    user("a", "where does the quokka live", cwd=APP.path),
    assistant("b", "on an island", "a"),
    titled("Quokka island"),
)


def test_a_title_goes_with_the_turn_it_tells_of_and_does_not_come_back(db: Database) -> None:
    take_in(db, *DAY)
    assert kept_titles(db) == ["Quokka island"] * 2

    forget_(db, turn="a")

    assert kept_titles(db) == []
    assert take_in(db, *DAY, titled("Quokkas")) == 0
    assert kept_titles(db) == []


def test_a_title_stays_where_it_tells_of_turns_that_stay(db: Database) -> None:
    take_in(db, *DAY[:2], titled("An island"), user("c", "an aside", "b"))

    forget_(db, turn="c")

    assert kept_titles(db) == ["An island"] * 2


def test_a_forgotten_session_leaves_no_session_no_title_and_no_project(db: Database) -> None:
    take_in(db, *DAY)

    forget_(db, session=SESSION)
    assert take_in(db, *DAY) == 0

    assert kept_titles(db) == []
    for table in ("turn", "content", "session", "project", "project_dir"):
        assert db.read_now(lambda c, t=table: c.execute(f"SELECT count(*) FROM {t}").get) == 0


def test_what_a_forgotten_session_gets_later_is_new_but_has_no_title(db: Database) -> None:
    take_in(db, *DAY)
    forget_(db, session=SESSION)

    assert take_in(db, *DAY, user("d", "said since", "b")) == 1

    assert kept_titles(db) == []


def test_a_copy_in_another_session_does_not_bring_a_turn_back(db: Database) -> None:
    """A resumed session repeats the turns of the one before; a fork says which they are copies of."""
    take_in(db, *DAY)
    forget_(db, turn="a")
    fork = {"messageUuid": "a", "sessionId": SESSION}

    assert take_in(db, user("a", "where does the quokka live", sessionId=OTHER), name=OTHER) == 0
    assert take_in(db, user("z", "where does the quokka live", forkedFrom=fork), name=OTHER) == 0


def test_a_project_with_other_sessions_stays(db: Database) -> None:
    take_in(db, *DAY)
    take_in(db, user("o", "other words", cwd=APP.path, sessionId=OTHER), name=OTHER)

    forget_(db, session=SESSION)

    assert db.read_now(lambda c: c.execute("SELECT path FROM project").fetchall()) == [(APP.path,)]


def test_a_project_that_nothing_is_left_of_goes_with_its_aliases_and_their_undoing(db: Database) -> None:
    take_in(db, *DAY)

    def merge(connection: Connection) -> None:
        into = attribution.row_of(connection, Project("new", "/home/dev/new", "cwd"))
        (app,) = attribution.named(connection, APP.path)
        journal.record(connection, "merge", 1, lambda: attribution.merge(connection, app, into))

    db.write_now(merge)
    forget_(db, session=SESSION)

    for table in ("project", "project_alias", "project_dir", "journal"):
        assert db.read_now(lambda c, t=table: c.execute(f"SELECT count(*) FROM {t}").get) == 0


def test_titles_that_hold_a_text_are_found_in_the_projects_that_are_meant(db: Database) -> None:
    take_in(db, *DAY[:2], titled("Something Secret"))
    project = int(db.read_now(lambda c: c.execute("SELECT id FROM project").get))

    assert db.read_now(forgetting.titled, "something secret", None) == [SESSION]
    assert db.read_now(forgetting.titled, "secret", [project]) == [SESSION]
    assert db.read_now(forgetting.titled, "secret", [project + 1]) == []
