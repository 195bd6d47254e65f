"""What stands in observation logs becomes entries and graph: each record once, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from memd.db.driver import Connection
from memd.graph import merge
from memd.graph import table as graph
from memd.jobs.outcome import Finished
from memd.memory import forget, writer
from memd.memory.entry import Draft
from memd.providers.embedding.base import ModelUnavailable
from memd.providers.embedding.hashed import HashEmbedder
from memd.sources import attribution, observation_figures, observation_table
from memd.sources.projects import Project
from memd.tasks import absorb_observations, absorption
from tests.rows import database
from tests.sources.logs import record, statement
from tests.tasks.absorbing import House, Killed

MINUTE = 60_000
MIDNIGHT = 1_795_996_800_000


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with database(tmp_path) as db:
        yield House(db)


def test_a_record_becomes_entries_of_its_time_with_where_they_came_from(house: House) -> None:
    house.observe(
        record(
            7,
            branch="wip",
            facts=[statement("the cache lives in Redis", 8)],
            preferences=[statement("answers are short")],
            decisions=[statement("Kafka is not used")],
            procedures=[statement("release with make release")],
            bugs_fixed=[statement("the login loop")],
        )
    )

    house.absorb()

    at_ms = MIDNIGHT + 7 * MINUTE
    rows = house.rows(
        """SELECT e.type, e.content, e.importance, e.scope, p.name, e.branch, e.created_ms, e.first_seen_ms,
             s.kind, s.source
           FROM entry e LEFT JOIN project p ON p.id = e.project_id JOIN entry_source s ON s.entry_id = e.id
           ORDER BY e.id"""
    )
    assert rows == [
        ("fact", "the cache lives in Redis", 8, "branch", "app", "wip", at_ms, at_ms, "observation", "1"),
        ("preference", "answers are short", 5, "global", None, None, at_ms, at_ms, "observation", "1"),
        ("decision", "Kafka is not used", 5, "project", "app", None, at_ms, at_ms, "observation", "1"),
        (
            "procedure",
            "release with make release",
            5,
            "project",
            "app",
            None,
            at_ms,
            at_ms,
            "observation",
            "1",
        ),
        ("event", "the login loop", 5, "branch", "app", "wip", at_ms, at_ms, "observation", "1"),
    ]
    assert house.follow_ups == 1


def test_what_is_said_again_is_one_entry_seen_twice(house: House) -> None:
    """W25: a sighting counts, and neither its first time nor its source is lost."""
    house.observe(
        record(9, facts=["the cache lives in Redis"]), record(3, facts=["The cache lives in Redis."])
    )

    house.absorb()

    [(entry, sightings, first, last)] = house.rows(
        "SELECT id, sightings, first_seen_ms, created_ms FROM entry"
    )
    assert (sightings, first, last) == (2, MIDNIGHT + 3 * MINUTE, MIDNIGHT + 9 * MINUTE)
    assert house.rows("SELECT source FROM entry_source WHERE entry_id = ? ORDER BY 1", entry) == [
        ("1",),
        ("2",),
    ]


def test_a_record_adds_to_the_graph_at_its_own_time(house: House) -> None:
    """MC16, MC17: an end that only edges name is mentioned once, and of no known type."""
    house.observe(
        record(
            5,
            entities=[{"name": "Redis", "entity_type": "Tool"}, {"name": "redis", "entity_type": "person"}],
            relationships=[
                {"source": "app", "target": "REDIS", "relationship_type": "Runs On", "context": "as a cache"},
                {"source": "app", "target": "Redis", "relationship_type": "hates"},
            ],
        )
    )

    house.absorb()

    at_ms = MIDNIGHT + 5 * MINUTE
    assert house.graph() == (
        [("app", "unknown", 1, at_ms, at_ms), ("Redis", "tool", 2, at_ms, at_ms)],
        [
            ("app", "depends_on", "Redis", "as a cache", at_ms, at_ms),
            ("app", "related_to", "Redis", "", at_ms, at_ms),
        ],
    )


def test_a_name_that_was_merged_counts_for_the_other_and_makes_no_edge_to_itself(house: House) -> None:
    """W35: the alias does not come back with the next record."""
    house.observe(record(1, entities=["User", "Ada"]))
    house.absorb()
    house.db.write_now(merge.merge, "User", "Ada")

    house.observe(record(2, entities=["user"], relationships=[{"source": "User", "target": "Ada"}]))
    house.absorb()

    entities, edges = house.graph()
    assert [row[:3] for row in entities] == [("Ada", "unknown", 4)]
    assert edges == []
    assert house.db.read_now(observation_figures.dropped) == {"loop": 1}


def test_a_project_that_is_named_by_its_path_is_the_one_at_that_path(house: House, tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    inside = tmp_path / "repo" / "src"
    inside.mkdir()
    house.observe(record(1, project=str(inside), facts=["said in it"]))

    house.absorb()

    assert house.rows("SELECT p.path FROM entry e JOIN project p ON p.id = e.project_id") == [
        (str((tmp_path / "repo").resolve()),)
    ]


def test_a_project_that_is_named_alone_is_the_one_there_is(house: House) -> None:
    house.db.write_now(attribution.row_of, Project("app", "/home/dev/app", "git"))
    house.observe(record(1, facts=["said of the app"]))

    house.absorb()

    assert house.rows("SELECT p.path FROM entry e JOIN project p ON p.id = e.project_id") == [
        ("/home/dev/app",)
    ]


def test_a_text_that_was_forgotten_does_not_come_back(house: House) -> None:
    def forgotten(connection: Connection) -> None:
        entry = writer.store(connection, Draft("The secret wish.", "preference"), None, 1)
        assert isinstance(entry, writer.Created)
        forget.remove(connection, [entry.id])

    house.db.write_now(forgotten)
    house.observe(record(1, preferences=["the secret wish", "answers are short"]))

    house.absorb()

    assert house.entries() == [("preference", "answers are short")]


@pytest.mark.parametrize("failing", ["store", "upsert_entity", "upsert_relationship"])
def test_an_item_that_raises_is_counted_and_the_others_go_on(
    house: House, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """W22, W24: nothing of it stays, and nothing waits for it."""
    module = writer if failing == "store" else graph
    real = getattr(module, failing)

    def fail(connection: Connection, *values: object, **named: object) -> object:
        result = real(connection, *values, **named)
        if "poison" in repr(values) or (failing == "upsert_relationship" and "depends_on" in values):
            raise ZeroDivisionError
        return result

    monkeypatch.setattr(module, failing, fail)
    house.observe(
        record(
            1,
            facts=["poison one", "sound one"],
            entities=["poison", "sound"],
            relationships=[
                {"source": "sound", "target": "app", "relationship_type": "depends_on"},
                {"source": "sound", "target": "app", "relationship_type": "uses"},
            ],
        ),
        record(2, facts=["another one"]),
    )

    house.absorb()

    assert house.rows("SELECT bad_items, absorbed_ms IS NULL FROM observation ORDER BY id") == [
        (1, 0),
        (0, 0),
    ]
    contents = [content for _, content in house.entries()]
    assert ("poison one" in contents) is (failing != "store")
    assert {"sound one", "another one"} <= set(contents)
    assert [row[:3] for row in house.graph()[1]][-1] == ("sound", "uses", "app")


def test_a_record_that_cannot_be_absorbed_is_set_aside_and_the_others_go_on(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W24: it is named with its reason, and nothing of it is half done."""
    real = observation_table.mark

    def fail(connection: Connection, observation: int, *values: object, **named: object) -> None:
        if observation == 1:
            raise OverflowError
        real(connection, observation, *values, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(absorption.observation_table, "mark", fail)
    house.observe(record(1, facts=["first"], entities=["First"]), record(2, facts=["second"]))

    outcome = house.absorb()

    assert house.entries() == [("fact", "second")]
    assert house.graph()[0] == []
    assert isinstance(outcome, Finished) and outcome.effect
    assert house.db.read_now(outcome.effect) == {
        "set_aside": [{"id": 1, "log": "/o/2026-11-30.jsonl", "offset": 0, "why": "OverflowError"}]
    }


class Choosy(HashEmbedder):
    """Takes no text with poison in it; the others mean all the same."""

    def embed_documents(self, texts: Sequence[str]) -> list[np.ndarray]:
        if any("poison" in text for text in texts):
            raise ValueError("I do not take this")
        return [np.ones((1, self.space.dim), np.float32) for _ in texts]


def test_texts_that_mean_the_same_are_one_entry_where_there_is_a_model(house: House) -> None:
    house.speak(Choosy())
    house.observe(
        record(1, facts=["the sky looks blue today", "poison, as far as the model goes"]),
        record(2, facts=["azure above us this morning"]),
    )

    house.absorb()

    assert house.rows("SELECT sightings FROM entry ORDER BY id") == [(2,), (1,)]
    assert house.rows("SELECT entry_id FROM entry_vector") == [(1,)]


def test_without_a_model_absorbing_goes_on(house: House) -> None:
    class Absent(HashEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> list[np.ndarray]:
            raise ModelUnavailable("the model is gone", "bring it back")

    house.speak(Absent())
    house.observe(record(1, facts=["one"]))

    house.absorb()

    assert house.entries() == [("fact", "one")]


def test_records_are_absorbed_in_the_order_of_their_times(house: House) -> None:
    house.observe(record(30, facts=["last"]), record(10, facts=["first"]), record(20, facts=["second"]))

    house.absorb()

    assert [content for _, content in house.entries()] == ["first", "second", "last"]


def many(number: int) -> list[dict[str, object]]:
    """So many records that mention the same few things."""
    return [
        record(
            n,
            facts=[f"statement {n} of {chr(97 + n % 26)}{n * 7919}"],
            entities=[f"Thing {n % 5}"],
            relationships=[{"source": f"Thing {n % 5}", "target": "app", "relationship_type": "uses"}],
        )
        for n in range(number)
    ]


def absorb_between_deaths(house: House, monkeypatch: pytest.MonkeyPatch, deaths: int, likely: float) -> None:
    """Absorb everything, though memd is killed so often, before or behind a commit."""
    draw, real, left = random.Random(7), house.db.write, deaths

    async def write(work: object, *values: object, **named: object) -> object:
        nonlocal left
        dies = left > 0 and draw.random() < likely
        left -= dies
        if dies and draw.random() < 0.5:
            raise Killed
        result = await real(work, *values, **named)  # type: ignore[arg-type]
        if dies:
            raise Killed
        return result

    while house.db.read_now(observation_table.count_waiting):
        monkeypatch.setattr(house.db, "write", write)
        try:
            house.absorb()
        except Killed:
            pass
        finally:
            monkeypatch.setattr(house.db, "write", real)
    assert left == 0


def test_each_record_counts_once_wherever_memd_is_killed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R1: ten deaths at any place of the work, before or behind a commit."""
    house.observe(*many(200))

    absorb_between_deaths(house, monkeypatch, 10, 0.25)

    assert house.rows("SELECT count(*), sum(sightings) FROM entry") == [(200, 200)]
    assert [row[:3] for row in house.graph()[0]] == [
        ("app", "unknown", 200),
        *((f"Thing {n}", "unknown", 40) for n in range(5)),
    ]
    assert house.rows("SELECT count(*) FROM observation WHERE failed IS NOT NULL") == [(0,)]


LARGE = 100


def large() -> dict[str, object]:
    """A record of many alike statements, and of things that are mentioned over and over."""
    return record(
        1,
        facts=[f"the host n{n} listens on port {n * 7919}" for n in range(LARGE)],
        entities=[f"Thing {n % 5}" for n in range(LARGE)],
        relationships=[{"source": f"Thing {n % 5}", "target": f"Edge {n % 7}"} for n in range(LARGE)],
    )


def assert_whole(house: House) -> None:
    """Each item of the large record counts once."""
    assert house.rows("SELECT count(*), sum(sightings) FROM entry") == [(LARGE, LARGE)]
    assert [row[:3] for row in house.graph()[0]] == [
        *((f"Edge {n}", "unknown", 1) for n in range(7)),
        *((f"Thing {n}", "unknown", LARGE // 5) for n in range(5)),
    ]
    assert len(house.graph()[1]) == 35
    [(noted, bad, upto, waits)] = house.rows(
        """SELECT (SELECT count(DISTINCT value) FROM json_each(entries)), bad_items, upto, absorbed_ms IS NULL
           FROM observation"""
    )
    assert (noted, bad, upto, waits) == (LARGE, 0, None, 0)


def test_others_write_while_a_large_record_is_absorbed(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """No transaction is longer than its time and one item."""
    monkeypatch.setattr(absorb_observations, "WRITE_SECONDS", 0.0)
    house.observe(large())

    async def watched() -> set[int]:
        work, seen = asyncio.create_task(house.work()), set[int]()
        while not work.done():
            seen.add(await house.db.write(lambda c: int(c.execute("SELECT count(*) FROM entry").get)))
        await work
        return seen

    seen = asyncio.run(watched())

    assert len(seen - {0, LARGE}) >= 3
    assert_whole(house)


def test_a_large_record_goes_on_behind_the_last_item_wherever_memd_is_killed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R1: thirty deaths between its transactions, and it is not set aside for them."""
    monkeypatch.setattr(absorb_observations, "WRITE_SECONDS", 0.0)
    house.observe(large())

    absorb_between_deaths(house, monkeypatch, 30, 0.1)

    assert_whole(house)


def test_lost_entries_of_a_large_record_come_back_by_several_transactions(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(absorb_observations, "WRITE_SECONDS", 0.0)
    house.observe(large())
    house.absorb()
    house.db.write_now(lambda c: c.execute("DELETE FROM entry WHERE id > 10") and None)
    house.follow_ups = 0

    lacking = house.db.read_now(observation_table.lacking, 0, 10)
    stored = asyncio.run(house.handler.again(lacking))

    assert (stored, house.follow_ups) == (LARGE - 10, LARGE - 10)
    assert_whole(house)


def test_the_texts_of_a_large_record_are_embedded_a_few_at_a_time(house: House) -> None:
    """A stop is heeded between them."""
    sizes: list[int] = []

    class Counting(HashEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> list[np.ndarray]:
            sizes.append(len(texts))
            return super().embed_documents(texts)

    house.speak(Counting())
    house.observe(large())

    house.absorb()

    assert sum(sizes) == LARGE and max(sizes) <= absorb_observations.BATCH_TEXTS
    assert house.rows("SELECT count(DISTINCT entry_id) FROM entry_vector") == [(LARGE,)]


def test_a_record_that_memd_ends_over_is_set_aside_and_named(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R1, R15: the third death over it alone is the last; its neighbours are absorbed before that."""
    house.observe(record(1, facts=["sound"]), record(2, facts=["deadly"]), record(3, facts=["sound too"]))
    real = absorb_observations.extraction.read

    def die(extracted: object, *values: object) -> object:
        if "deadly" in repr(extracted):
            raise Killed
        return real(extracted, *values)  # type: ignore[arg-type]

    monkeypatch.setattr(absorb_observations.extraction, "read", die)
    deaths = 0
    for _ in range(10):
        try:
            house.absorb()
            break
        except Killed:
            deaths += 1

    assert deaths == 4  # once in company, three times alone
    assert sorted(content for _, content in house.entries()) == ["sound", "sound too"]
    [aside] = house.db.read_now(observation_figures.aside)
    assert (aside["id"], aside["why"]) == (2, "memd ended 3 times while it was absorbed")


def test_absorbing_twice_changes_nothing(house: House) -> None:
    house.observe(*many(5))
    house.absorb()
    before = house.entries(), house.graph()

    house.absorb()

    assert (house.entries(), house.graph()) == before


def test_an_entry_keeps_its_first_time_however_late_an_old_record_comes(house: House) -> None:
    """W6: created moves with the newest sighting alone."""

    def remember(connection: Connection) -> object:
        return writer.store(connection, Draft("answers are short", "preference"), None, MIDNIGHT + 9 * MINUTE)

    house.db.write_now(remember)
    house.observe(record(1, preferences=["answers are short"]))

    house.absorb()

    assert house.rows("SELECT first_seen_ms, created_ms, sightings FROM entry") == [
        (MIDNIGHT + MINUTE, MIDNIGHT + 9 * MINUTE, 2)
    ]
