"""The backlog of vectors: whatever a text does to the model or to memd, every other text gets its vectors."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.jobs import table
from memd.jobs.outcome import Finished, Later
from memd.jobs.settle import settle
from memd.providers.embedding.base import ModelUnavailable
from memd.providers.embedding.hashed import HashEmbedder
from memd.turns import spaces, suspects
from memd.turns import table as turns
from tests.rows import database, store, turn
from tests.tasks.embedding import NOW, Killed, embed, enqueue, kills_on, start, start_until_it_lives

TEXTS = [f"text {n} " + "word " * 30 for n in range(40)]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        space = HashEmbedder().space
        db.write_now(spaces.ensure, space.key, space.dim)
        store(db, [turn(n, text) for n, text in enumerate(TEXTS)])
        db.write_now(turns.queue_vectors)
        enqueue(db)
        yield db


def aside(db: Database) -> list[str]:
    return [str(one["turn"]) for one in db.read_now(spaces.aside, 1)]


@pytest.mark.parametrize("guilty", [0, 17, 39])
def test_the_text_that_memd_dies_on_is_found_set_aside_and_named_and_no_other(
    db: Database, guilty: int
) -> None:
    deaths = start_until_it_lives(db, kills_on(TEXTS[guilty]))

    assert aside(db) == [f"s1-{guilty}"]
    assert db.read_now(spaces.aside, 1)[0]["why"] == suspects.WHY
    covered = db.read_now(spaces.coverage, 1)
    assert (covered.contents, covered.waiting, covered.set_aside) == (40, 0, 1)
    assert deaths <= 10


def test_two_such_texts_are_both_found(db: Database) -> None:
    start_until_it_lives(db, kills_on(TEXTS[3], TEXTS[4]), most=30)

    assert sorted(aside(db)) == ["s1-3", "s1-4"]
    assert db.read_now(spaces.coverage, 1).waiting == 0


@pytest.mark.parametrize("seed", range(5))
def test_kills_from_outside_bury_nothing(db: Database, seed: int) -> None:
    draw = random.Random(seed)
    for boot in range(25):
        left = draw.randrange(10)  # calls until the kill; the first is the one that loads the model

        def killed_at_some_moment(_: Sequence[str]) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed

        store(db, [turn(n, f"more {n} " + "word " * 99) for n in range(boot * 9 + 100, boot * 9 + 109)])
        db.write_now(turns.queue_vectors)
        enqueue(db)
        job = start(db, f"boot {boot}")
        assert job is not None
        with contextlib.suppress(Killed):
            embed(db, job, killed_at_some_moment)

    enqueue(db)
    start_until_it_lives(db, lambda _: None)
    assert aside(db) == []
    assert db.read_now(spaces.coverage, 1).share == 1.0


def test_a_stop_is_no_death(db: Database) -> None:
    for boot in range(9):
        job = start(db, f"boot {boot}")
        assert job is not None
        db.write_now(table.note_in_flight, job, {"vector": [1]})
        db.write_now(settle, job, Later(0, "stopping"), NOW)

    job = start(db, "last")
    assert job is not None and job.in_flight == {}
    assert isinstance(embed(db, job, lambda _: None), Finished)
    assert aside(db) == []


def test_a_text_that_the_model_chokes_on_is_set_aside_and_the_rest_goes_on(db: Database) -> None:
    def chokes(texts: Sequence[str]) -> None:
        if TEXTS[7] in texts:
            raise ValueError

    job = start(db, "boot")
    assert job is not None
    outcome = embed(db, job, chokes)

    assert isinstance(outcome, Finished)
    assert db.read_now(spaces.aside, 1) == [{"turn": "s1-7", "why": "ValueError"}]
    result = db.read_now(table.get, job.id).result
    assert result == {"embedded": 40, "set_aside": [{"turn": "s1-7", "why": "ValueError"}]}


def test_a_model_that_chokes_on_everything_sets_no_text_aside(db: Database) -> None:
    def broken(_: Sequence[str]) -> None:
        raise MemoryError

    job = start(db, "boot")
    assert job is not None
    with pytest.raises(MemoryError):
        embed(db, job, broken)

    assert aside(db) == []
    assert db.read_now(spaces.coverage, 1).waiting == 40


def test_without_a_model_the_job_waits_and_says_so(db: Database) -> None:
    """MC03: the backlog is worked off by itself once the model is there."""

    def missing(_: Sequence[str]) -> None:
        raise ModelUnavailable("the model is not here", "put it there")

    for _ in range(9):
        job = start(db, "boot")
        assert job is not None
        outcome = embed(db, job, missing)
        assert isinstance(outcome, Later) and outcome.seconds <= 30
        db.write_now(lambda c: c.execute("UPDATE job SET run_at_ms = ?", (NOW,)).fetchall())

    job = start(db, "boot")
    assert job is not None
    assert isinstance(embed(db, job, lambda _: None), Finished)
    assert db.read_now(spaces.coverage, 1).share == 1.0
