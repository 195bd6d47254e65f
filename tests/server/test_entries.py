"""Entries as ``show`` has them: their sources followed, their chain in both directions (W33)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memd.db import journal
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import NotFound
from memd.memory import writer
from memd.memory.entry import Draft, Source
from memd.memory.which import Which
from memd.memory.writer import Merged, Superseded
from memd.server import entries
from tests.memory.entries import NOW
from tests.memory.stored import created
from tests.rows import database, store, turn


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def show(db: Database, asked: str) -> Any:
    return db.read_now(entries.show, asked)


@pytest.mark.parametrize("asked", ["1", "#1"])
def test_an_entry_is_shown_by_its_number(asked: str, db: Database) -> None:
    created(db, "a statement")

    assert show(db, asked)["entry"]["content"] == "a statement"


@pytest.mark.parametrize("asked", ["x", "1x", "١", "abc-1", "9" * 30])
def test_what_is_no_number_is_no_entry(asked: str, db: Database) -> None:
    created(db, "a statement")

    assert show(db, asked) is None


def test_digits_may_begin_the_id_of_a_turn(db: Database) -> None:
    store(db, [turn(1, "x", session="12")])
    created(db, "a statement")

    assert show(db, "12") is None
    assert show(db, "1")["turn_begins_so"] is True
    for asked in ("3", "#12"):
        with pytest.raises(NotFound, match="there is no entry #"):
            show(db, asked)


@pytest.mark.parametrize("absorbed_ms", [None, 5], ids=["waiting", "absorbed"])
def test_what_an_entry_rests_on_is_followed(db: Database, absorbed_ms: int | None) -> None:
    store(db, [turn(1, "the port moved to 8081 " + "and so on " * 100)])
    db.write_now(
        lambda c: [
            c.execute(
                "INSERT INTO observation_log (id, path, device, inode, size, mtime_ns, offset, head_hash, tail_hash)"
                " VALUES (1, '/o/2026-11-30.jsonl', 1, 1, 1, 1, 1, x'', x'')"
            ),
            c.execute(
                "INSERT INTO observation (id, key, log_id, day, position, at_ms, trigger, extraction, absorbed_ms)"
                " VALUES (7, x'01', 1, '2026-11-30', 0, 0, 'precompact', '{}', ?)",
                (absorbed_ms,),
            ),
        ]
    )
    turns = [Source("turn", "s1-1"), Source("turn", "gone"), Source("session", "s1")]
    sources = [*turns, Source("observation", "7"), Source("observation", "8")]
    db.write_now(writer.store, Draft("port 8081", sources=sources), None, NOW)

    observed, lost, session, gone, said = show(db, "1")["sources"]

    assert (said["role"], said["session_id"]) == ("user", "s1")
    assert said["text"].startswith("the port moved to 8081") and len(said["text"]) < 300
    assert gone == {"kind": "turn", "id": "gone", "gone": True}
    assert (session["kind"], session["turns"]) == ("session", 1)
    assert observed["created_at"] == "1970-01-01T00:00:00.000Z"
    assert [observed[name] for name in ("day", "trigger", "log")] == [
        "2026-11-30",
        "precompact",
        "2026-11-30.jsonl",
    ]
    assert lost == {"kind": "observation", "id": "8", "gone": True}


def test_the_chain_is_shown_both_ways(db: Database) -> None:
    """MC14: what it stands in the place of, nearest first, and what stands in its place."""
    one, two = created(db, "one thing"), created(db, "another matter")
    merged = db.write_now(writer.merge, [one, two], "both of them", None, NOW)
    assert isinstance(merged, Merged)
    newer = db.write_now(writer.supersede, merged.id, "more than both", None, NOW)
    assert isinstance(newer, Superseded)
    newest = db.write_now(writer.supersede, newer.id, "all there is", None, NOW)
    assert isinstance(newest, Superseded)

    def ids(asked: int, name: str) -> list[int]:
        return [entry["id"] for entry in show(db, str(asked))[name]]

    assert (ids(newer.id, "supersedes"), ids(newer.id, "successors")) == ([merged.id, one, two], [newest.id])
    assert (ids(one, "supersedes"), ids(one, "successors")) == ([], [merged.id, newer.id, newest.id])
    assert show(db, str(one))["entry"]["superseded_by"] == merged.id


def test_mc15_a_list_holds_no_dead_entry_unless_asked(db: Database) -> None:
    """W36: and then it says what became of it; the newest come first, the later of equals before the other."""
    for text in ("retired", "superseded", "live"):
        created(db, text)
    db.write_now(writer.retire, 1, NOW)
    db.write_now(writer.supersede, 2, "its successor", None, NOW)

    def listed(which: Which) -> list[tuple[object, object, bool]]:
        found = db.read_now(entries.listing, which, 10, 0)
        return [(one["content"], one["superseded_by"], one["superseded_at"] is not None) for one in found]

    assert listed(Which()) == [("its successor", None, False), ("live", None, False)]
    assert listed(Which(include_superseded=True)) == [
        ("its successor", None, False),
        ("live", None, False),
        ("superseded", 4, True),
        ("retired", None, True),
    ]


def test_newer_rules_of_redaction_reach_entries_and_the_journal(db: Database) -> None:
    """R12."""
    secret = "the key is AKIAIOSFODNN7EXAMPLF"

    def stored(connection: Connection) -> object:
        return journal.record(
            connection, "t", NOW, lambda: writer.store(connection, Draft(secret), None, NOW)
        )

    db.write_now(stored)
    db.write_now(entries.redact_again)

    assert show(db, "1")["entry"]["content"] == "the key is [REDACTED:aws_key]"
    assert "AKIA" not in str(db.read_now(lambda c: c.execute("SELECT changeset FROM journal").fetchall()))
    assert db.read_now(lambda c: c.execute("SELECT n FROM redaction").get) == 1
