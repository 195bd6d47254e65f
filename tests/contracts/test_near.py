"""What is near in meaning in a shared table of PostgreSQL: found by pgvector's index, and only where there is one."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import psycopg
import pytest

from memd.api import Memory, embeddings
from memd.api.meaning import Meaning, Question, nearness
from memd.api.providers import Current
from memd.providers.embedding import quantise
from memd.providers.embedding.base import Floats
from memd.turns.shared import SharedTurn, SharedVectors, Told
from memd.turns.store import MemoryItem, Near, Scope
from memd.turns.stores.postgres import driver, near, near_schema
from memd.turns.stores.postgres.shared import PostgresShared
from memd.turns.stores.postgres.store import PostgresStore
from tests.contracts.test_shared import ALL, START_US, at_once, heard, session, turn
from tests.contracts.test_stores import item

DIM = 16
SPACE = f"test:noise:{DIM}"
ADA, BOB = Scope("ada"), Scope("bob")


@pytest.fixture
def opened(postgres: str, name: str) -> Iterator[PostgresShared]:
    with closing(PostgresShared(postgres, table=name)) as store:
        yield store


@pytest.fixture
def connection(postgres: str) -> Iterator[driver.Connection]:
    """A connection of the test's own."""
    with psycopg.connect(postgres, autocommit=True) as connected:
        yield connected


def noise(draw: random.Random, dim: int = DIM) -> bytes:
    """A vector that points anywhere."""
    return bytes(draw.randrange(256) for _ in range(dim))


def mixed(some: Sequence[Floats], count: int) -> list[bytes]:
    """Vectors that lie between these, as those of talk about many things do."""
    draw = np.random.default_rng(3)
    parts = np.array([draw.permutation(len(some))[:4] for _ in range(count)])
    mix = (draw.dirichlet(np.ones(4), count)[:, :, None] * np.array(some)[parts]).sum(1)
    mix /= np.linalg.norm(mix, axis=1, keepdims=True)
    return quantise.to_blobs((mix + 0.02 * draw.standard_normal(mix.shape)).astype(np.float32))


def told(turns: Sequence[SharedTurn], vectors: Sequence[bytes], space: str = SPACE) -> Told:
    """Turns, each with a vector, as a machine tells them."""
    sessions = {(one.session, one.user): session(one.session, one.user) for one in turns}
    windows = [SharedVectors(one.id, space, [(of, b"")]) for one, of in zip(turns, vectors, strict=True)]
    return Told(list(sessions.values()), turns, vectors=windows)


def tell(
    store: PostgresShared, turns: Sequence[SharedTurn], vectors: Sequence[bytes], space: str = SPACE
) -> None:
    for at in range(0, len(turns), 500):
        store.publish(told(turns[at : at + 500], vectors[at : at + 500], space))


def fill(connection: driver.Connection, name: str) -> None:
    """Wait until each vector is in its index."""
    while near_schema.fill(connection, name, 5.0):
        pass
    assert not due(connection, name)


def due(connection: driver.Connection, name: str) -> list[driver.Row]:
    """The vectors that are not in their index."""
    return driver.run(connection, f'SELECT seq FROM "{name}_vector" WHERE near IS NULL').fetchall()


def nearest(
    connection: driver.Connection, name: str, scope: Scope, vector: Sequence[float], limit: int = 5
) -> list[str] | None:
    with PostgresStore(connection, table=name).view(scope) as view:
        assert isinstance(view, Near)
        found = view.nearest(SPACE, vector, limit)
        return None if found is None else [hit.item.id for hit in found]


def exactly(vectors: Sequence[bytes], asked: Sequence[float], limit: int) -> list[int]:
    """The places of the nearest."""

    def cosine(vector: bytes) -> float:
        numbers = [(one ^ 128) - 128 for one in vector]
        return sum(map(float.__mul__, map(float, numbers), asked)) / sum(one * one for one in numbers) ** 0.5

    return sorted(range(len(vectors)), key=lambda n: -cosine(vectors[n]))[:limit]


def crowd(count: int, seed: int = 7) -> tuple[list[SharedTurn], list[bytes], list[float]]:
    """Turns of ada, every 40th one of bob, that mean anything; and a question."""
    draw = random.Random(seed)
    turns = [turn(str(n), user="ada" if n % 40 else "bob") for n in range(count)]
    return turns, [noise(draw) for _ in turns], [draw.uniform(-1, 1) for _ in range(DIM)]


def test_the_nearest_are_found_with_their_cosines(
    opened: PostgresShared, connection: driver.Connection, name: str
) -> None:
    vectors = {"with": (127, 0), "across": (0, 127), "against": (129, 0), "nowhere": (0, 0)}
    turns = [turn(id, session=id) for id in vectors]

    tell(opened, turns, [bytes([*one, *[0] * 14]) for one in vectors.values()])

    with PostgresStore(connection, table=name).view(ADA) as view:
        assert isinstance(view, Near)
        found = view.nearest(SPACE, [1.0, 0.5, *[0.0] * 14], 9)
        some = view.cosines(SPACE, [0.0, 1.0, *[0.0] * 14], ["across", "with", "none", "nowhere"])
    assert found is not None
    assert [(hit.item.id, round(hit.score, 2)) for hit in found] == [
        ("with", 0.89),
        ("across", 0.45),
        ("against", -0.89),
    ]
    assert {id: round(cosine, 2) for id, cosine in some.items()} == {"across": 1.0, "with": 0.0}


def test_a_turn_is_as_near_as_its_nearest_window(
    opened: PostgresShared, connection: driver.Connection, name: str
) -> None:
    ahead, beside = bytes([127, *[0] * 15]), bytes([100, 100, *[0] * 14])
    opened.publish(
        Told(
            [session()],
            [turn("long"), turn("short")],
            vectors=[
                SharedVectors("long", SPACE, [(bytes([129, *[0] * 15]), b""), (ahead, b"")]),
                SharedVectors("short", SPACE, [(beside, b"")]),
            ],
        )
    )

    assert nearest(connection, name, ADA, [1.0, *[0.0] * 15]) == ["long", "short"]


def test_the_index_finds_nearly_all_that_a_look_at_each_finds(
    opened: PostgresShared, connection: driver.Connection, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns, vectors, asked = crowd(1_500)
    tell(opened, turns, vectors)
    fill(connection, name)
    monkeypatch.setattr(near, "FEW", 100)

    found = nearest(connection, name, ADA, asked, 50)

    wanted = [n for n in exactly(vectors, asked, 60) if n % 40][:50]
    assert found is not None
    assert len({int(id) for id in found} & set(wanted)) >= 45


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_scope_that_is_a_small_part_of_all_still_gives_enough(
    opened: PostgresShared,
    connection: driver.Connection,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    goes_on: bool,
) -> None:
    turns, vectors, asked = crowd(1_500)
    tell(opened, turns, vectors)
    fill(connection, name)
    found = near_schema.kind(connection, name)
    assert found is not None and found.goes_on
    monkeypatch.setattr(near_schema, "kind", lambda *_: found._replace(goes_on=goes_on))
    wanted = [str(n) for n in exactly(vectors, asked, 1_500) if n % 40 == 0][:10]
    assert nearest(connection, name, BOB, asked, 10) == wanted
    monkeypatch.setattr(near, "FEW", 0)
    monkeypatch.setattr(near, "MOST", 50)  # where the scan does not go on, it meets but one or two of bob's

    ids = nearest(connection, name, BOB, asked, 10)

    assert ids is not None
    assert len(ids) == 10
    assert all(int(id) % 40 == 0 for id in ids)
    assert len(set(ids) & set(wanted)) >= (8 if goes_on else 10)


def test_what_is_forgotten_or_said_anew_is_not_near(
    opened: PostgresShared, connection: driver.Connection, name: str
) -> None:
    ahead = bytes([127, *[0] * 15])
    tell(opened, [turn("kept"), turn("changed"), turn("gone")], [ahead] * 3)

    opened.publish(Told(forgotten=["gone"], changed=[turn("changed", "of another thing")]))

    assert nearest(connection, name, ADA, [1.0, *[0.0] * 15]) == ["kept"]


def test_a_time_window_holds_for_what_is_near_too(
    opened: PostgresShared, connection: driver.Connection, name: str
) -> None:
    turns = [turn(str(n), at_us=START_US + n * 1_000_000) for n in range(9)]
    tell(opened, turns, [bytes([127, *[0] * 15])] * 9)
    store = PostgresStore(connection, table=name)
    every = store.list(ADA)

    with store.view(ADA, since=every[3].created_at, until=every[6].created_at) as view:
        assert isinstance(view, Near)
        found = view.nearest(SPACE, [1.0, *[0.0] * 15], 9)

    assert found is not None
    assert sorted(hit.item.id for hit in found) == ["3", "4", "5"]


def test_vectors_of_another_space_or_of_none_tell_nothing(
    opened: PostgresShared, connection: driver.Connection, postgres: str, name: str
) -> None:
    tell(opened, [turn("1")], [bytes(range(DIM))])
    tell(opened, [turn("2")], [bytes(range(1, 9))], "another:8")
    plain = PostgresStore(connection, table=f"{name}_p")
    plain.add([item("1")])

    with PostgresStore(connection, table=name).view(ADA) as view:
        assert isinstance(view, Near)
        assert view.nearest("test:none:16", [1.0] * DIM, 5) is None
        assert view.nearest(SPACE, [1.0] * 8, 5) is None
        assert view.cosines("test:none:16", [1.0] * DIM, ["1"]) == {}
        other = view.nearest("another:8", [1.0] * 8, 5)
    assert other is not None
    assert [hit.item.id for hit in other] == ["2"]
    with plain.view(ADA) as view:
        assert isinstance(view, Near)
        assert view.nearest(SPACE, [1.0] * DIM, 5) is None
        assert view.cosines(SPACE, [1.0] * DIM, ["1"]) == {}


def test_vectors_of_before_are_put_in_by_whoever_comes_next(
    opened: PostgresShared, connection: driver.Connection, postgres: str, name: str
) -> None:
    turns, vectors, asked = crowd(700)
    tell(opened, turns[:500], vectors[:500])
    driver.run(connection, f'ALTER TABLE "{name}_vector" DROP COLUMN near', None)
    tell(opened, turns[500:], vectors[500:])
    assert nearest(connection, name, ADA, asked) is None

    with closing(PostgresShared(postgres, table=name)) as other:
        other.publish(Told(forgotten=["never"]))
        assert nearest(connection, name, ADA, asked)
        mark = heard(other).mark
        for _ in range(9):
            other.changes(mark, ALL, None, 500)

    assert not due(connection, name)
    wanted = [str(n) for n in exactly(vectors, asked, 9) if n % 40][:5]
    assert nearest(connection, name, ADA, asked) == wanted


def test_machines_that_tell_at_once_each_put_vectors_in(
    connection: driver.Connection, postgres: str, name: str
) -> None:
    turns, vectors, asked = crowd(600)

    def machine(n: int) -> None:
        with closing(PostgresShared(postgres, table=name)) as own:
            for at in range(n, 600, 60):
                own.publish(told(turns[at : at + 15], vectors[at : at + 15]))

    at_once([lambda n=n: machine(n) for n in range(0, 60, 15)], [], threading.Event())
    fill(connection, name)

    wanted = [str(n) for n in exactly(vectors, asked, 9) if n % 40][:5]
    assert nearest(connection, name, ADA, asked) == wanted


def test_nobody_waits_for_long_where_the_index_cannot_be_made(
    opened: PostgresShared, connection: driver.Connection, postgres: str, name: str
) -> None:
    tell(opened, [turn("1")], [bytes(range(DIM))], "another")

    with psycopg.connect(postgres, autocommit=True) as other, other.transaction():
        driver.run(other, f'LOCK TABLE "{name}_vector" IN ROW EXCLUSIVE MODE', None)
        assert opened.publish(told([turn("2")], [bytes(range(DIM))])) == 1
        assert nearest(connection, name, ADA, [1.0] * DIM) is None
    opened.publish(told([turn("3")], [bytes(range(DIM))]))

    assert nearest(connection, name, ADA, [1.0] * DIM) == ["3", "2"]


@pytest.fixture
def unarmed(connection: driver.Connection, postgres: str, name: str) -> Iterator[str]:
    """The address of a database where somebody who may not have pgvector made may make tables."""
    role, base = f"role_{name}", f"base_{name}"
    driver.run(connection, f"CREATE ROLE {role} LOGIN", None)
    driver.run(connection, f"CREATE DATABASE {base}", None)
    of_base = psycopg.conninfo.make_conninfo(postgres, dbname=base)
    with psycopg.connect(of_base, autocommit=True) as owner:
        driver.run(owner, f"GRANT USAGE, CREATE ON SCHEMA public TO {role}", None)
    yield psycopg.conninfo.make_conninfo(of_base, user=role)
    driver.run(connection, f"DROP DATABASE {base} WITH (FORCE)", None)
    driver.run(connection, f"DROP ROLE {role}", None)


def test_who_may_not_make_the_extension_shares_as_before(unarmed: str, name: str) -> None:
    turns, vectors, asked = crowd(30)

    with closing(PostgresShared(unarmed, table=name)) as store:
        tell(store, turns, vectors)
        assert store.publish(told([turn("last")], [vectors[0]])) == 1
    with psycopg.connect(unarmed, autocommit=True) as connection:
        assert not driver.run(connection, "SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchall()
        assert nearest(connection, name, ADA, asked) is None


def test_who_may_not_read_the_vectors_finds_by_words(
    opened: PostgresShared, connection: driver.Connection, postgres: str, name: str
) -> None:
    tell(opened, [turn("1", "The key hangs in the shed.")], [bytes(range(DIM))])
    role = f"reader_{name}"
    tables = ", ".join(f'"{name}{suffix}"' for suffix in ("", "_day", "_meta"))
    driver.run(connection, f"CREATE ROLE {role} LOGIN; GRANT SELECT ON {tables} TO {role}", None)
    try:
        with psycopg.connect(postgres, user=role, autocommit=True) as reader:
            assert nearest(reader, name, ADA, [1.0] * DIM) is None
            with PostgresStore(reader, table=name).view(ADA) as view:
                assert [hit.item.id for hit in view.ranked("the key", 9)] == ["1"]
            driver.run(connection, f'GRANT SELECT ON "{name}_vector" TO {role}', None)
            assert nearest(reader, name, ADA, [1.0] * DIM) == ["1"]
    finally:
        driver.run(connection, f"DROP OWNED BY {role}; DROP ROLE {role}", None)


SAID = """
I get hives from peanuts.|The harbour ferry leaves at nine.|My sister paints boats in oil.
We moved the meeting to Tuesday afternoon.|The printer on the second floor is broken again.
The roof was repaired after the storm.|He practises the cello every evening.|Rent is due on the first of the month.
The deploy script needs a newer compiler.|Our cat sleeps in the laundry basket.|The train to Ghent was late.
She collects stamps with lighthouses on them.|The museum is closed on Mondays.|I sold my old bicycle last week.
"""


def test_the_library_finds_by_meaning_what_shares_no_word(
    opened: PostgresShared,
    connection: driver.Connection,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MEMD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MEMD_EMBEDDER", "bundled")
    monkeypatch.setattr(embeddings, "_current", Current())
    embedder = embeddings.embedder()
    assert embedder is not None
    peanuts, *rest = [line for line in SAID.replace("\n", "|").split("|") if line]
    own, *others = [found[0] for found in embedder.embed_documents([peanuts, *rest])]
    count, mine = 5_600, 2_345
    turns = [
        turn(str(n), f"{rest[n % len(rest)]} ({n})", session=f"s{n // 9}", user="ada" if n % 20 else "bob")
        for n in range(count)
    ]
    turns[mine] = turns[mine]._replace(text=peanuts)
    turns[mine + 35] = turns[mine + 35]._replace(text="Nuts, said bob.", user="bob")
    vectors = mixed(others, count)
    vectors[mine] = vectors[mine + 35] = quantise.to_blobs(own[None])[0]
    tell(opened, turns, vectors, embedder.space.key)
    fill(connection, name)
    driver.run(connection, f'ANALYZE "{name}", "{name}_vector"', None)
    asked: list[tuple[str, driver.Values | None]] = []

    def noted(
        of: driver.Connection, statement: str, values: driver.Values | None = ()
    ) -> psycopg.Cursor[driver.Row]:
        asked.append((statement, values))
        return driver.run(of, statement, values)

    monkeypatch.setattr(near, "run", noted)
    memory = Memory(PostgresStore(connection, table=name), relevance="hybrid", budget=200)

    found, of_bob = (memory.search("food allergies", user_id=user).text for user in ("ada", "bob"))

    assert (peanuts in found, "said bob" in found) == (True, False)
    assert (peanuts in of_bob, "said bob" in of_bob) == (False, True)
    assert "peanuts" not in memory.search("food allergies", user_id="ada", relevance="lexical").text
    (statement, values) = next((one, values) for one, values in asked if "count(*) FROM (" in one)
    plan = driver.run(connection, f"EXPLAIN {statement}", values).fetchall()
    assert any(f"Index Scan using {name}_near_" in str(line) for (line,) in plan), plan


def test_turns_without_vectors_are_compared_by_their_texts(
    opened: PostgresShared, connection: driver.Connection, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(opened, [turn("1", "The key hangs in the shed.")], [bytes(range(DIM))])
    store = PostgresStore(connection, table=name)
    store.add([MemoryItem("2", "user", "A key is a key.", store.list(ADA)[0].created_at, user_id="ada")])
    texts: list[str] = []

    def scorer(query: str, given: Sequence[str]) -> list[float]:
        texts.extend(given)
        return [0.5 for _ in given]

    with store.view(ADA) as view:
        meaning = Meaning(scorer, lambda query: Question(SPACE, [1.0] * DIM))
        found = nearness(view, "the key", view.ranked("the key", 9), meaning, 9)

    assert texts == ["A key is a key."]
    assert found.cosines.keys() == {"1", "2"}
    assert found.cosines["2"] == 0.5
