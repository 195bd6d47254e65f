"""Forgetting entries: what is meant, what is left of it, and who may bring it back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from memd.db import check, journal
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import BadRequest, NotFound
from memd.memory import forget, table, writer
from memd.memory.entry import Draft, MemoryScope, Source
from memd.memory.forget import Wanted
from memd.memory.writer import Created, Forgotten, Refreshed, Superseded
from memd.sources import attribution, curated, forgetting
from memd.turns import tombstones
from tests.memory.entries import NOW, project
from tests.memory.stored import created, get, live, meaning, store
from tests.rows import database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


KNOWN = "The quokka eats leaves"


def remove(db: Database, *entries: int, match: str | None = None) -> None:
    def work(connection: Connection) -> None:
        undoable = forget.undoable(connection, Wanted(match=match)) if match else ()
        forgetting.remove_curated(connection, curated.Meant(entries, undoable))

    db.write_now(work)


def recorded(db: Database, work: object, *values: object) -> int:
    """Do it as the server does; the number of the change."""

    def write(connection: Connection) -> int:
        change = journal.record(connection, "test", NOW, lambda: work(connection, *values))[1]  # type: ignore[operator]
        assert change is not None
        return change

    return db.write_now(write)


@pytest.mark.parametrize(
    ("match", "projects", "last", "found"),
    [
        ("QUOKKA", None, None, [1, 2, 4]),
        ("quokka", [1], None, [1, 2]),
        (None, [1], None, [1, 2, 3]),
        ("quokka", None, 3, [1, 2]),
        ("%", None, None, []),
    ],
)
def test_what_is_meant_is_found_dead_or_live(
    match: str | None, projects: Sequence[int] | None, last: int | None, found: list[int], db: Database
) -> None:
    app = project(db, "/app")
    created(db, KNOWN, scope=MemoryScope(app))
    db.write_now(writer.supersede, 1, "Quokkas eat grass", None, NOW)
    created(db, "something else", scope=MemoryScope(app))
    created(db, "a quokka of no project")

    assert db.read_now(forget.find, Wanted(projects, match, last)) == found


def test_nothing_of_a_forgotten_entry_is_left_and_the_chain_holds(db: Database) -> None:
    first = created(db, "one of them", meaning=meaning(db))
    second = db.write_now(writer.supersede, first, KNOWN, meaning(db), NOW)
    assert isinstance(second, Superseded)
    third = db.write_now(writer.supersede, second.id, "the last one", None, NOW)
    assert isinstance(third, Superseded)

    remove(db, second.id)

    assert get(db, first).superseded_by == third.id
    assert db.read_now(lambda c: c.execute("SELECT entry_id FROM entry_vector").fetchall()) == [(first,)]
    db.write_now(lambda c: c.execute("INSERT INTO entry_fts (entry_fts) VALUES ('integrity-check')"))
    assert db.read_now(forget.find, Wanted(match="quokka")) == []
    remove(db, third.id, first)
    assert live(db) == []


def test_the_words_are_in_no_byte_of_the_file(db: Database) -> None:
    change = recorded(db, writer.store, Draft(KNOWN, sources=(Source("turn", "t"),)), None, NOW)
    recorded(db, writer.delete, 1)
    created(db, "a quokka that stays in the file until it goes too")
    reworded = created(db, "leaves are eaten in the morning and then again at night")
    recorded(
        db, writer.store, Draft("leaves are eaten in the morning and then again at night: quokka"), None, NOW
    )
    assert "quokka" in get(db, reworded).content

    remove(db, *db.read_now(forget.find, Wanted(match="quokka")), match="quokka")
    db.write_now(lambda c: None)
    db._writer.submit(db._outside, check.compact).result()

    assert not [
        path for path in db.path.parent.rglob("*") if path.is_file() and b"quokka" in path.read_bytes()
    ]
    with pytest.raises((NotFound, BadRequest)):
        db.write_now(journal.undo, change, NOW)


def test_a_log_does_not_bring_it_back_and_a_person_does(db: Database) -> None:
    """And once more: what a person brought back can be forgotten again."""
    scope = MemoryScope(project(db, "/app"))
    for _ in range(2):
        done = store(db, KNOWN, scope=scope, by_hand=True)
        assert isinstance(done, Created)
        remove(db, done.id)

        assert store(db, f"{KNOWN.upper()}. ", scope=MemoryScope(project(db, "/app"))) == Forgotten()
        scope = MemoryScope(project(db, "/app"))

    assert isinstance(store(db, KNOWN), Created)
    assert isinstance(store(db, KNOWN, scope=scope, type="decision"), Created)
    assert isinstance(store(db, KNOWN, scope=scope, by_hand=True), Created)
    assert isinstance(store(db, KNOWN, scope=scope), Refreshed)


def test_what_was_forgotten_of_a_project_stays_so_when_it_is_merged(db: Database) -> None:
    app = project(db, "/app")
    created(db, "so that the project stays", scope=MemoryScope(app))
    remove(db, created(db, KNOWN, scope=MemoryScope(app)))

    two = project(db, "/two")
    db.write_now(attribution.merge, app, two)

    assert store(db, KNOWN, scope=MemoryScope(two)) == Forgotten()


def test_what_comes_back_with_an_older_database_goes_again(db: Database) -> None:
    """But what a person said anew since then stays."""
    for text in (KNOWN, "the numbat digs"):
        remove(db, created(db, text))
    store(db, "the numbat digs", by_hand=True)
    marks = db.read_now(tombstones.all_of)
    db.write_now(lambda c: [c.execute("DELETE FROM tombstone"), table.insert(c, Draft(KNOWN), NOW)])
    assert len(live(db)) == 2

    db.write_now(forgetting.again, marks)

    assert live(db) == ["the numbat digs"]


def test_a_project_of_which_nothing_is_left_goes(db: Database) -> None:
    entry = created(db, KNOWN, scope=MemoryScope(project(db, "/app")))

    remove(db, entry)

    assert db.read_now(attribution.named, "/app") == []
