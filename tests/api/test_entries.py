"""The library face: writing entries, each with every outcome; while a daemon owns the database nothing is written."""

from __future__ import annotations

import os
import stat
from datetime import datetime
from pathlib import Path

import pytest

from memd import api
from memd.daemon import lock
from memd.db import journal
from memd.db.driver import Connection
from memd.errors import Busy
from memd.sources import attribution
from memd.sources.projects import Project


def test_an_entry_is_stored_and_listed_with_every_field(conn: Connection) -> None:
    stored = api.store_memory(
        conn, "the port is 8080", "decision", 8, scope="branch", project="app", branch="topic"
    )

    (entry,) = api.list_entries(conn, project="app", branch="topic")
    assert stored == {
        "action": "created",
        "id": entry["id"],
        "content": "the port is 8080",
        "scope": "branch",
        "project": "app",
        "branch": "topic",
        "potential_conflicts": [],
    }
    assert datetime.fromisoformat(entry.pop("created_at")).tzinfo is not None
    assert entry == {
        "id": stored["id"],
        "content": "the port is 8080",
        "entry_type": "decision",
        "importance": 8,
        "memory_class": "semantic",
        "scope": "branch",
        "project": "app",
        "branch": "topic",
        "superseded_by": None,
        "superseded_at": None,
    }


def test_what_is_said_again_is_one_entry_of_the_highest_importance(conn: Connection) -> None:
    first = api.store_memory(conn, "use make for every build of the app", importance=3)
    again = api.store_memory(conn, "Use make for every build of the app.", importance=7)

    assert (again["action"], again["id"]) == ("deduplicated", first["id"])
    assert api.find_duplicate(conn, "use make for every build of the app", "fact") == first["id"]
    assert api.find_duplicate(conn, "use make for every build of the app", "fact", project="app") is None
    assert [entry["importance"] for entry in api.list_entries(conn)] == [7]


def test_what_may_contradict_is_told_and_never_in_the_way(conn: Connection) -> None:
    """MC13, W8"""
    first = api.store_memory(conn, "the server listens on port 8080")
    second = api.store_memory(conn, "the server listens on port 8081")

    assert second["action"] == "created"
    (conflict,) = second["potential_conflicts"]
    assert (conflict["id"], conflict["content"]) == (first["id"], "the server listens on port 8080")
    assert conflict["similarity"] == round(conflict["similarity"], 4)


def test_unknown_types_and_scopes_and_wild_importances_are_bent(conn: Connection) -> None:
    api.store_memory(conn, "a text", "rumour", 99, scope="planet")

    (entry,) = api.list_entries(conn)
    assert (entry["entry_type"], entry["importance"], entry["scope"]) == ("fact", 10, "global")


@pytest.mark.parametrize("content", ["", "  ", None])
def test_an_entry_needs_a_text(conn: Connection, content: str) -> None:
    with pytest.raises(ValueError, match="content must be a text"):
        api.store_memory(conn, content)


@pytest.mark.parametrize("importance", ["much", None, float("inf")])
def test_importance_is_a_number(conn: Connection, importance: int) -> None:
    with pytest.raises(ValueError, match="importance is a number from 1 to 10"):
        api.store_memory(conn, "a text", importance=importance)


@pytest.mark.parametrize("place", [{}, {"branch": "topic"}])
def test_a_scope_needs_its_place(conn: Connection, place: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="scope 'branch' needs a project"):
        api.store_memory(conn, "a text", scope="branch", **place)  # type: ignore[arg-type]


def test_secrets_do_not_settle(conn: Connection) -> None:
    assert api.store_memory(conn, "the key is AKIAIOSFODNN7EXAMPLE")["content"] == (
        "the key is [REDACTED:aws_key]"
    )


def test_an_entry_is_superseded_once(conn: Connection) -> None:
    old = api.store_memory(conn, "deploys are on Monday", importance=8)["id"]

    done = api.supersede_memory(conn, old, "deploys are on Friday")

    assert done == {
        "action": "superseded",
        "old_id": old,
        "id": done["id"],
        "content": "deploys are on Friday",
        "scope": "global",
        "project": None,
        "branch": None,
    }
    assert [(entry["id"], entry["importance"]) for entry in api.list_entries(conn)] == [(done["id"], 8)]
    assert api.supersede_memory(conn, 99, "x") == {"action": "not_found", "old_id": 99}
    again = api.supersede_memory(conn, old, "deploys are on Sunday")
    assert (again["action"], again["live"]) == ("already_superseded", done["id"])


def test_entries_are_merged_into_one(conn: Connection) -> None:
    one = api.store_memory(conn, "Ada likes short answers", importance=4)["id"]
    two = api.store_memory(conn, "answers to Ada should be brief, with examples", importance=9)["id"]

    done = api.merge_memories(conn, [one, 99, two, one], "Ada likes short answers with examples")

    assert (done["action"], done["merged_ids"], done["not_found"]) == ("merged", [one, two], [99])
    assert [(entry["id"], entry["importance"]) for entry in api.list_entries(conn)] == [(done["id"], 9)]
    assert api.merge_memories(conn, [98, 99], "x")["action"] == "not_found"


def test_an_entry_is_retired_once(conn: Connection) -> None:
    one = api.store_memory(conn, "a text")["id"]
    two = api.store_memory(conn, "something else entirely")["id"]
    api.supersede_memory(conn, two, "something new about that")

    assert api.retire_memory(conn, one) == {"action": "retired", "id": one}
    assert api.retire_memory(conn, one) == {"action": "already_retired", "id": one}
    assert api.retire_memory(conn, two)["action"] == "already_superseded"
    assert api.retire_memory(conn, 99) == {"action": "not_found", "id": 99}


def test_an_entry_is_deleted(conn: Connection) -> None:
    one = api.store_memory(conn, "a text")["id"]

    assert api.delete_entry(conn, one) is True
    assert api.delete_entry(conn, one) is False
    assert api.list_entries(conn, include_superseded=True) == []


def test_every_change_can_be_undone(conn: Connection) -> None:
    one = api.store_memory(conn, "a text")["id"]
    api.delete_entry(conn, one)

    journal.undo(conn, None, 0)

    assert [entry["id"] for entry in api.list_entries(conn)] == [one]


def test_lists_are_filtered_by_type_time_and_scope(conn: Connection) -> None:
    """MC10, MC11"""
    api.store_memory(conn, "holds everywhere", "preference")
    api.store_memory(conn, "of the app", scope="project", project="app")
    api.store_memory(conn, "of its branch", scope="branch", project="app", branch="topic")
    gone = api.store_memory(conn, "of the tool", scope="project", project="Tool")["id"]
    api.retire_memory(conn, gone)

    def texts(**which: object) -> list[str]:
        return [entry["content"] for entry in api.list_entries(conn, **which)]  # type: ignore[arg-type]

    assert texts() == ["of its branch", "of the app", "holds everywhere"]
    assert texts(project="app") == ["of the app", "holds everywhere"]
    assert texts(project="app", branch="topic") == ["of its branch", "of the app", "holds everywhere"]
    assert texts(branch="another") == texts()
    assert texts(project="nothing") == ["holds everywhere"]
    assert texts(project="app", scope="branch") == ["of its branch"]
    assert texts(entry_type="preference") == ["holds everywhere"]
    assert texts(include_superseded=True)[0] == "of the tool"
    assert texts(since=" 7 D ") == texts(since="nonsense") == texts()
    assert texts(limit=1) == ["of its branch"]
    assert api.list_projects(conn) == ["app"]
    with pytest.raises(ValueError, match="entry_type is one of fact"):
        texts(entry_type="rumour")


def test_a_project_keeps_the_name_it_was_given(conn: Connection) -> None:
    api.store_memory(conn, "of the app", scope="project", project="/dev/app")

    (entry,) = api.list_entries(conn, project="/dev/app")

    assert entry["project"] == "/dev/app"


def test_the_database_is_memds_own_and_for_the_owner_alone(home: Path) -> None:
    with api.connection() as conn:
        api.store_memory(conn, "a text")

    assert api.get_db_path() == home / "data" / "memd.db"
    assert api.get_data_dir() == home / "data"
    assert stat.S_IMODE(api.get_db_path().stat().st_mode) == 0o600
    with api.connection() as conn:
        api.ensure_schema(conn)
        assert len(api.list_entries(conn)) == 1


def test_while_a_daemon_owns_the_database_it_is_read_and_not_written(conn: Connection, home: Path) -> None:
    one = api.store_memory(conn, "a text")["id"]
    held = lock.acquire(home / "data" / "memd.lock")

    with api.connection() as other:
        assert [entry["id"] for entry in api.list_entries(other)] == [one]
        for each in (conn, other):
            with pytest.raises(Busy, match=rf"a running memd \(pid {os.getpid()}\) owns .*memctl"):
                api.retire_memory(each, one)
        held.release()
        with pytest.raises(Busy, match="a running memd owned"):
            api.retire_memory(other, one)

    assert api.retire_memory(conn, one)["action"] == "retired"


def test_who_asks_whether_a_daemon_is_there_keeps_none_from_starting(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    path = api.get_data_dir() / "memd.lock"
    lock.acquire(path).release()
    asking = os.open(path, os.O_RDONLY)
    fcntl.flock(asking, fcntl.LOCK_SH)
    monkeypatch.setattr(lock.time, "sleep", lambda seconds: os.close(asking))

    lock.acquire(path).release()


def test_what_was_stored_by_a_name_is_found_by_it_when_folders_of_that_name_come(conn: Connection) -> None:
    said = "the port of the gateway is 8080"
    stored = api.store_memory(conn, said, scope="project", project="app")

    for path in ("/a/app", "/b/app"):
        attribution.row_of(conn, Project("app", path, "git"))

        assert api.find_duplicate(conn, said, "fact", project="app") == stored["id"]
        assert [one["id"] for one in api.list_observations(conn, project="app")] == [stored["id"]]
        assert [one["id"] for one in api.search_entries(conn, "gateway", project="/a/app")] == [stored["id"]]
        again = api.store_memory(conn, said, scope="project", project="app")
        assert (again["action"], again["id"]) == ("deduplicated", stored["id"])
