"""The embedders in use, over restarts, changed settings and reindexes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memd.clock import FixedClock
from memd.config.sections.models import GovernorOptions
from memd.daemon.embedders import Embedders
from memd.daemon.governor import Governor
from memd.db.database import Database
from memd.errors import BadRequest, ConfigError, Degraded
from memd.jobs import by_hand, kinds, table
from memd.jobs.by_hand import Which
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Later
from memd.providers.embedding.base import Embedder, Floats, ModelUnavailable, Space
from memd.providers.embedding.hashed import HashEmbedder
from memd.services import Troubles
from memd.tasks.reindex import Reindex
from memd.turns import serving, spaces
from tests.rows import database, store, turn

NOW = FixedClock().now_ms()


class Model(HashEmbedder):
    """An embedder of a space of its own; its model may be missing."""

    def __init__(self, name: str) -> None:
        self.name, self.missing, self.closed = name, False, False

    @property
    def space(self) -> Space:
        return Space("fastembed", self.name, 384)

    def embed_query(self, text: str) -> Floats:
        if self.missing:
            raise ModelUnavailable(f"{self.name} is not here", "put it there")
        return super().embed_query(text)

    def embed_documents(self, texts: object) -> list[Floats]:
        self.embed_query("")
        return super().embed_documents(texts)  # type: ignore[arg-type]  # what the base takes

    def close(self) -> None:
        self.closed = True


class House:
    """A database, and what is in use over it since the last start."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.models: dict[str, Model] = {}
        self.asked: list[tuple[str, str]] = []
        self.start("fastembed:one")

    def open(self, setting: str) -> Embedder | None:
        if setting == "none":
            return None
        if setting == "fastembed:unknown":
            raise ConfigError("fastembed has no such model")
        return self.models.setdefault(setting, Model(setting.partition(":")[2]))

    def start(self, setting: str) -> None:
        self.models = {name: model for name, model in self.models.items() if model.missing}
        self.embedders = Embedders(self.db, FixedClock(), setting, self.open)
        self.embedders.settle()

    def in_use(self) -> tuple[str | None, str | None]:
        answers, coming = self.embedders.serving, self.embedders.building
        return answers.setting if answers else None, coming.setting if coming else None

    def begin(self, setting: str | None) -> int:
        return asyncio.run(self.embedders.begin(setting, self.enqueue_in))

    def enqueue_in(self, connection: object, kind: str, key: str, payload: object) -> int:
        return table.enqueue(connection, kind, key, lane="reindex", max_attempts=5, now_ms=NOW)  # type: ignore[arg-type]  # a kind of the test

    async def enqueue(self, kind: str, key: str) -> int:
        self.asked.append((kind, key))
        return 0

    def claim(self) -> Job:
        self.db.write_now(self.enqueue_in, kinds.REINDEX, "vectors", None)
        job = self.db.write_now(table.claim, "reindex", boot="b", now_ms=NOW)
        assert job is not None
        return job

    def reindex(self, job: Job) -> Finished | Later:
        clock, troubles = FixedClock(), Troubles(FixedClock())
        governor = Governor(clock, troubles, GovernorOptions(memory_mb=1_000_000))
        task = Reindex(self.db, clock, self.embedders, troubles, governor, self.enqueue)
        try:
            outcome = asyncio.run(task.run(job))
        finally:
            task.close()
        assert isinstance(outcome, Finished | Later)
        return outcome


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with database(tmp_path) as db:
        store(db, [turn(n, f"text {n}") for n in range(20)])
        yield House(db)


def test_the_old_space_serves_until_the_new_one_is_whole_then_they_change_places(house: House) -> None:
    house.begin("fastembed:two")
    assert house.in_use() == ("fastembed:one", "fastembed:two")

    outcome = house.reindex(house.claim())

    assert isinstance(outcome, Finished)
    assert outcome.result == {"embedder": "fastembed:two", "texts": 20, "waiting": 0, "set_aside": []}
    assert house.in_use() == ("fastembed:two", None)
    served = house.embedders.serving
    assert served and house.db.read_now(spaces.coverage, served.space).share == 1.0
    assert (kinds.PRUNE, "daily") in house.asked


def test_what_is_written_while_it_is_built_has_its_vectors_before_the_switch(house: House) -> None:
    house.begin("fastembed:two")
    coming = house.embedders.building
    assert coming
    embed = coming.embedder.embed_documents
    left = [turn(100, "late words"), turn(101, "later words")]

    def meanwhile(texts: object) -> list[Floats]:
        if left:
            store(house.db, [left.pop()])
        return embed(texts)  # type: ignore[arg-type]  # passed on as it is

    coming.embedder.embed_documents = meanwhile  # type: ignore[method-assign]  # one call is stood in for
    outcome = house.reindex(house.claim())

    assert isinstance(outcome, Finished) and outcome.result["texts"] == 22
    assert house.db.read_now(spaces.coverage, coming.space).share == 1.0


def test_a_start_goes_on_with_what_was_half_done(house: House) -> None:
    house.begin("fastembed:two")
    coming = house.embedders.building
    assert coming
    rows = house.db.read_now(spaces.waiting, coming.space, 7)
    house.db.write_now(spaces.put, coming.space, [(content, [bytes(384)]) for content, _ in rows])

    house.start("fastembed:one")

    assert house.in_use() == ("fastembed:one", "fastembed:two")
    again = house.embedders.building
    assert again and again.space == coming.space
    assert house.db.read_now(spaces.coverage, coming.space).waiting == 13


def test_a_reindex_that_was_called_off_is_not_gone_on_with(house: House) -> None:
    job = house.begin("fastembed:two")
    with pytest.raises(BadRequest, match="under way"):
        house.begin(None)
    house.db.write_now(by_hand.cancel, Which(job), NOW)

    house.start("fastembed:one")
    assert house.in_use() == ("fastembed:one", None)
    house.begin("fastembed:two")
    assert house.in_use() == ("fastembed:one", "fastembed:two")


def test_a_job_that_was_called_off_in_its_last_moment_switches_nothing(house: House) -> None:
    house.begin("fastembed:two")
    job = house.claim()
    house.db.write_now(by_hand.cancel, Which(job.id), NOW)

    house.reindex(job)

    assert house.in_use()[0] == "fastembed:one"


def test_the_same_model_anew_needs_it_once_in_memory(house: House) -> None:
    house.begin(None)
    answers, coming = house.embedders.serving, house.embedders.building
    assert answers and coming
    assert answers.embedder is coming.embedder and answers.space != coming.space

    house.reindex(house.claim())

    assert house.in_use() == ("fastembed:one", None)
    assert not house.models["fastembed:one"].closed


def test_an_old_model_that_is_no_longer_used_is_closed(house: House) -> None:
    house.start("fastembed:two")
    house.reindex(house.claim())

    assert house.in_use() == ("fastembed:two", None)
    assert house.models["fastembed:one"].closed
    assert not house.models["fastembed:two"].closed


def test_where_the_old_model_cannot_be_asked_the_new_space_serves_at_once(house: House) -> None:
    """MC04: nothing is searched with vectors of another model, and what is not covered yet is said."""
    house.start("fastembed:two")
    house.models["fastembed:one"].missing = True

    outcome = house.reindex(house.claim())

    assert isinstance(outcome, Finished) and outcome.result["waiting"] == 20
    assert house.in_use() == ("fastembed:two", None)
    assert (kinds.EMBED_TURNS, "2") in house.asked


def test_where_the_old_model_cannot_even_be_opened_the_new_space_serves_from_the_start(house: House) -> None:
    house.db.write_now(lambda c: c.execute("UPDATE space SET key = 'fastembed:unknown:384'").fetchall())

    house.start("fastembed:two")

    assert house.in_use() == ("fastembed:two", None)


def test_without_the_new_model_the_old_space_goes_on_serving(house: House) -> None:
    house.begin("fastembed:two")
    house.models["fastembed:two"].missing = True

    outcome = house.reindex(house.claim())

    assert isinstance(outcome, Later)
    assert house.in_use() == ("fastembed:one", "fastembed:two")


@pytest.mark.parametrize(
    ("configured", "setting", "error"),
    [
        ("fastembed:one", "none", BadRequest),
        ("fastembed:one", "fastembed:unknown", BadRequest),
        ("none", None, Degraded),
    ],
)
def test_what_makes_no_vectors_is_refused(
    house: House, configured: str, setting: str | None, error: type[Exception]
) -> None:
    house.start(configured)

    with pytest.raises(error):
        house.begin(setting)

    building: Callable[..., object] = serving.building
    assert house.db.read_now(building) is None
