"""Which project a session is of: aliases and merged projects hold for what is there and for what is to come."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db import journal
from memd.db.database import Database
from memd.db.driver import Connection
from memd.sources import attribution
from memd.sources.projects import Project
from tests.rows import database, store, turn

NOW = 1_790_000_000_000


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        store(db, [turn(1, "one", session="a")], cwd="/old/app")
        store(db, [turn(1, "two", session="b")], cwd="/new/app2")
        yield db


def named(db: Database, text: str) -> int:
    (row,) = db.read_now(attribution.named, text)
    return row


def of(db: Database, session: str) -> str:
    return str(
        db.read_now(
            lambda c: (
                c.execute(
                    "SELECT p.path FROM session s JOIN project p ON p.id = s.project_id WHERE s.key = ?",
                    (session,),
                ).get
            )
        )
    )


def merge(db: Database, one: str, into: str) -> int | None:
    def work(connection: Connection) -> int | None:
        rows = [attribution.named(connection, path)[0] for path in (one, into)]
        return journal.record(connection, "merge", NOW, lambda: attribution.merge(connection, *rows))[1]

    return db.write_now(work)


def test_a_folder_that_is_gone_is_of_the_repository_that_it_lay_in(db: Database) -> None:
    row = db.write_now(attribution.remember, "/srv/shop", Project("shop", "/srv/shop", "git"))

    assert db.read_now(attribution.lookup, "/srv/shop/gone/deeper") == row
    assert db.read_now(attribution.remembered, "/srv/shop/gone") == "/srv/shop"
    assert (
        db.write_now(attribution.remember, "/srv/shop/gone", Project("gone", "/srv/shop/gone", "cwd")) == row
    )


def test_a_merged_projects_sessions_are_the_other_ones(db: Database) -> None:
    merge(db, "/old/app", "/new/app2")

    assert [of(db, session) for session in "ab"] == ["/new/app2"] * 2
    assert named(db, "/old/app") == named(db, "app") == named(db, "/new/app2")


def test_sessions_to_come_from_a_merged_project_are_the_other_ones_too(db: Database) -> None:
    merge(db, "/old/app", "/new/app2")

    store(db, [turn(1, "three", session="c")], cwd="/old/app")

    assert of(db, "c") == "/new/app2"
    assert db.read_now(attribution.find, Project("app", "/old/app", "cwd"), "/old/app") == named(db, "app2")


def test_a_path_that_memd_has_never_seen_can_stand_for_a_project(db: Database) -> None:
    db.write_now(attribution.alias, "/elsewhere/x", "x", named(db, "app"))

    store(db, [turn(1, "three", session="c")], cwd="/elsewhere/x")

    assert of(db, "c") == "/old/app"


def test_merges_follow_each_other_and_are_undone_one_by_one(db: Database) -> None:
    store(db, [turn(1, "three", session="c")], cwd="/third")
    merge(db, "/old/app", "/new/app2")
    merge(db, "/new/app2", "/third")
    assert [of(db, session) for session in "abc"] == ["/third"] * 3

    db.write_now(journal.undo, None, NOW)
    assert [of(db, session) for session in "abc"] == ["/new/app2", "/new/app2", "/third"]
    db.write_now(journal.undo, None, NOW)
    assert [of(db, session) for session in "abc"] == ["/old/app", "/new/app2", "/third"]


def test_a_new_project_does_not_stand_in_the_way_of_undoing_a_merge(db: Database) -> None:
    merge(db, "/new/app2", "/old/app")
    store(db, [turn(1, "three", session="c")], cwd="/third")

    db.write_now(journal.undo, None, NOW)

    assert [of(db, session) for session in "abc"] == ["/old/app", "/new/app2", "/third"]
