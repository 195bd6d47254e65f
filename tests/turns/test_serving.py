"""Vector spaces in their places: which one serves, which one is built, and what becomes of the others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.turns import serving, spaces
from memd.turns import table as turns
from tests.rows import database, store, turn

OLD, NEW = "bundled:m:4", "hash:words:4"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        store(db, [turn(n, f"text {n}") for n in range(5)])
        settle(db, "bundled", OLD)
        yield db


def settle(db: Database, setting: str, key: str, *, asked: bool = False) -> None:
    """What a start does whose setting names the embedder of this space."""
    db.write_now(serving.settle, setting, key, 4, 1, asked=asked)


def begin(db: Database, key: str, *, instead_of: str | None = "bundled") -> int:
    return db.write_now(serving.begin, key, 4, 1, instead_of=instead_of)


def places(db: Database) -> tuple[str | None, str | None]:
    """The models of the space that serves and of the one that is built."""
    found = db.read_now(lambda c: (serving.serving(c), serving.building(c)))
    return found[0].key if found[0] else None, found[1].key if found[1] else None


def embed(db: Database, space: int) -> None:
    while db.read_now(spaces.unqueued, space):
        db.write_now(turns.queue_vectors)
    rows = db.read_now(spaces.waiting, space, 100)
    db.write_now(spaces.put, space, [(content, [b"\1\2\3\4"]) for content, _ in rows])


def count(db: Database, table: str) -> int:
    return db.read_now(lambda c: int(c.execute(f"SELECT count(*) FROM {table}").get))


def test_the_first_space_serves_at_once(db: Database) -> None:
    assert places(db) == (OLD, None)


def test_a_changed_setting_begins_a_space_beside_the_one_that_serves(db: Database) -> None:
    settle(db, "hash", NEW)
    assert places(db) == (OLD, NEW)

    settle(db, "hash", NEW)  # the next start goes on with it
    assert places(db) == (OLD, NEW)


def test_a_setting_that_is_changed_back_gives_the_new_space_up(db: Database) -> None:
    settle(db, "hash", NEW)

    settle(db, "bundled", OLD)

    assert places(db) == (OLD, None)


@pytest.mark.parametrize("key", [OLD, NEW])
def test_a_reindex_is_gone_on_with_while_it_is_asked_for(db: Database, key: str) -> None:
    """To another embedder, and to the same one anew."""
    begin(db, key)

    settle(db, "bundled", OLD, asked=True)
    assert places(db) == (OLD, key)

    settle(db, "bundled", OLD, asked=False)
    assert places(db) == (OLD, None)


def test_a_reindex_outranks_the_setting_until_that_changes(db: Database) -> None:
    begin(db, NEW)
    db.write_now(serving.switch, 2)

    settle(db, "bundled", OLD)
    assert places(db) == (NEW, None)

    settle(db, "other", "other:m:4")
    assert places(db) == (NEW, "other:m:4")


def test_a_switch_changes_places_and_what_had_its_time_goes_step_by_step(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "DROPPED_ROWS", 2)
    embed(db, 1)
    new = begin(db, OLD)
    embed(db, new)
    assert count(db, "vector") == 10

    db.write_now(serving.switch, 2)

    assert places(db) == (OLD, None)
    steps = []
    while dropped := db.write_now(serving.drop_retired):
        steps.append(dropped)
    assert steps == [2, 2, 1, 1]
    assert (count(db, "vector"), count(db, "space")) == (5, 1)
    assert db.read_now(spaces.coverage, new).share == 1.0


def test_new_texts_wait_for_both_spaces_and_for_none_that_had_its_time(db: Database) -> None:
    begin(db, OLD)
    new = begin(db, NEW)  # in the place of the first
    embed(db, 1), embed(db, new)

    store(db, [turn(9, "another text")])
    db.write_now(turns.queue_vectors)

    waiting = {space: len(db.read_now(spaces.waiting, space, 9)) for space in (1, 2, 3)}
    assert waiting == {1: 1, 2: 0, new: 1}
    db.write_now(spaces.put, 2, [(1, [b"\1\2\3\4"])])
    assert db.read_now(spaces.coverage, new).waiting == 1
    assert db.read_now(lambda c: c.execute("SELECT count(*) FROM vector WHERE space_id = 2").get) == 0


def test_a_large_store_is_queued_in_steps_and_counts_as_waiting_meanwhile(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "QUEUED_AT_ONCE", 2)
    new = begin(db, NEW)

    assert len(db.read_now(spaces.waiting, new, 9)) == 2
    assert db.read_now(spaces.coverage, new).waiting == 5
    assert db.read_now(spaces.is_behind, new)
    embed(db, new)
    assert not db.read_now(spaces.is_behind, new)


def test_missing_vectors_are_queued_again_with_what_was_set_aside(db: Database) -> None:
    embed(db, 1)
    store(db, [turn(9, "breaks the model")])
    db.write_now(turns.queue_vectors)
    ((content, _),) = db.read_now(spaces.waiting, 1, 9)
    db.write_now(spaces.set_aside, 1, content, "ValueError")

    assert db.write_now(spaces.requeue_missing, 1) == 1

    assert [text for _, text in db.read_now(spaces.waiting, 1, 9)] == ["breaks the model"]
