"""A call that is held to a project: what lies outside of it is refused, or left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import BadRequest, Forbidden
from memd.graph import explore
from memd.graph import table as graph
from memd.memory import writer
from memd.memory.entry import Draft, MemoryScope, Source
from memd.memory.which import Which
from memd.server import entries, heard, scope
from memd.server.params import check
from memd.server.scope import ALL, Scope
from tests.memory.entries import NOW, add, project
from tests.rows import database, store, turn


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        store(db, [turn(1, "ours", session="a")], cwd="/home/dev/ours")
        store(db, [turn(1, "theirs", session="b")], cwd="/home/dev/theirs")
        yield db


def held(db: Database, **params: object) -> Scope:
    return db.read_now(scope.of, check(scope.FIELDS, params))


def test_a_folder_that_memd_does_not_know_is_all_projects_or_strictly_none(db: Database) -> None:
    assert held(db, cwd="/home/dev/new") == ALL
    strict = held(db, cwd="/home/dev/new", strict=True)

    assert not strict.holds(1) and not strict.holds(2) and not strict.holds(None)
    assert "of which memd knows nothing yet" in strict.name


def test_a_strict_call_is_never_about_everything_by_mistake(db: Database) -> None:
    with pytest.raises(BadRequest, match="a strict call names its project"):
        held(db, strict=True)

    assert held(db, cwd="/home/dev/ours", strict=True) == held(db, cwd="/home/dev/ours")
    assert held(db, strict=True, all_projects=True) == ALL


def test_of_an_entry_that_holds_everywhere_what_was_said_elsewhere_is_not_shown(db: Database) -> None:
    def work(connection: Connection) -> None:
        sources = [Source("turn", "a-1"), Source("turn", "b-1"), Source("session", "b")]
        writer.store(connection, Draft("holds everywhere", "fact", 5, MemoryScope(), sources), None, NOW)

    db.write_now(work)

    shown: Any = db.read_now(entries.show, "1", held(db, project="/home/dev/ours"))

    told = {(one["id"], one.get("text"), one.get("outside")) for one in shown["sources"]}
    assert told == {("a-1", "ours", None), ("b-1", None, True), ("b", None, True)}


def test_an_entry_of_another_project_is_refused(db: Database) -> None:
    add(db, "theirs alone", scope=MemoryScope(project(db, "/home/dev/theirs")))

    with pytest.raises(Forbidden, match="entry #1 lies outside of /home/dev/ours"):
        db.read_now(entries.show, "1", held(db, project="/home/dev/ours"))


def test_of_the_graph_a_project_has_heard_what_its_entries_mention(db: Database) -> None:
    add(db, "The app uses Redis for its cache")

    def work(connection: Connection) -> None:
        app, redis, secret = (
            graph.upsert_entity(connection, name, "tool", NOW) for name in ("app", "Redis", "Quokka")
        )
        graph.upsert_relationship(connection, app, redis, "uses", "said elsewhere", NOW)
        graph.upsert_relationship(connection, app, secret, "uses", "secret", NOW)

    db.write_now(work)

    def look(connection: Connection, name: str) -> object:
        known = explore.ego_graph(connection, name)
        assert known
        found = heard.narrowed(connection, known, Which(projects=[1]))
        return found and (
            [one.name for one in found.entities],
            [edge.context for edge in found.relationships],
        )

    assert db.read_now(look, "app") == (["app", "Redis"], [""])
    assert db.read_now(look, "Quokka") is None
