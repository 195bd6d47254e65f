"""Searching entries: what is found, what is not, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memd.db import driver, keyword
from memd.db.database import Database
from memd.db.vectors import Lane, Vectors
from memd.memory import search
from memd.memory.entry import EVERYWHERE, MemoryScope
from memd.memory.search import Question
from memd.memory.which import Which
from memd.ranking import fusion
from tests.memory import entries
from tests.memory.entries import NOW
from tests.rows import database

DIM = 8
QUESTION = np.eye(DIM, dtype=np.float32)[0]

CODE = [
    "The auth-flow starts at the gateway and ends with a token",
    "We run node.js 20 in production",
    "The decoder is written in C++ for speed",
    "See DEC-0054 for why the queue is a table",
    "Deploys happen on Tuesdays after the standup",
    "今天讨论了部署方案",
]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        db.write_now(
            lambda c: c.execute(f"INSERT INTO space (id, key, dim) VALUES (1, 'test', {DIM})").fetchall()
        )
        yield db


def ask(db: Database, text: str, *, meant: bool = False, limit: int = 10, **more: object) -> list[int]:
    """Ids of the hits, best first."""
    question = Question(text, NOW, limit=limit, **more)  # type: ignore[arg-type]  # fields of a question
    lane = Lane(Vectors(), 1, QUESTION) if meant else Lane(Vectors())
    told = db.read_now(keyword.plan, text)
    found = db.read_now(search.find, question, lane, told)
    return [one.row for one in fusion.best(found.ranked(), limit)]


def near(db: Database, cosine: float, entry: int) -> int:
    """Give an entry a vector so near to the question."""
    vector = np.zeros(DIM, np.float32)
    vector[0], vector[1] = cosine, np.sqrt(1 - cosine**2)
    entries.place(db, 1, entry, vector)
    return entry


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("what's the auth flow?", 0),
        ("auth-flow", 0),
        ("which node.js do we run?", 1),
        ("node.js", 1),
        ("C++", 2),
        ("DEC-0054", 3),
        ("When do deploys happen, and after what?", 4),
        ("部署", 5),
    ],
)
def test_mc05_w1_natural_questions_and_code_find_the_obvious_entry(
    db: Database, query: str, place: int
) -> None:
    ids = [entries.add(db, text) for text in CODE]
    for n in range(30):
        entries.add(db, f"nothing of that in note {n}")

    assert ask(db, query)[0] == ids[place]


@pytest.mark.parametrize("word", ["fact", "preference", "global", "procedure"])
def test_mc05_w1_a_word_does_not_match_the_type_or_scope(db: Database, word: str) -> None:
    entries.add(db, "the cache moves")
    said = entries.add(db, f"somebody said {word} aloud")

    assert ask(db, word) == [said]


@pytest.mark.parametrize("query", ['"', "AND", "NEAR(", "*", "(", "💥", "^x", "a:b", "\x00", "{}[]" * 200])
def test_w1_no_query_breaks_the_search(db: Database, query: str) -> None:
    entries.add(db, "some words and a b x")

    assert isinstance(ask(db, query), list)


@pytest.mark.parametrize("meant", [False, True])
@pytest.mark.parametrize(
    ("which", "found"),
    [
        (Which(projects=[1]), {"everywhere", "project"}),
        (Which(projects=[1], branch="auth"), {"everywhere", "project", "auth"}),
        (Which(projects=[2], branch="auth"), {"everywhere", "other"}),
        (Which(projects=[]), {"everywhere"}),
        (Which(), {"everywhere", "project", "auth", "rewrite", "other"}),
        (Which(branch="auth"), {"everywhere", "project", "auth", "other"}),
        (Which(projects=[1], type="decision"), set()),
        (Which(projects=[1], level="project"), {"project"}),
    ],
)
def test_w3_no_lane_lets_a_row_of_another_branch_or_project_in(
    db: Database, which: Which, found: set[str], meant: bool
) -> None:
    assert (entries.project(db, "/home/dev/a"), entries.project(db, "/home/dev/b")) == (1, 2)
    scopes = {
        "everywhere": EVERYWHERE,
        "project": MemoryScope(1),
        "auth": MemoryScope(1, "auth"),
        "rewrite": MemoryScope(1, "rewrite"),
        "other": MemoryScope(2),
    }
    ids = {
        near(db, 0.9, entries.add(db, f"walrus {name}", scope=scope)): name for name, scope in scopes.items()
    }

    for mode in ("hybrid", "keyword", "vector"):
        hits = ask(db, "walrus", which=which, meant=meant or mode == "vector", mode=mode)
        assert {ids[hit] for hit in hits} == found, mode


def test_mc15_w2_dead_entries_are_hidden_on_every_lane_and_shown_where_asked_for(db: Database) -> None:
    dead = [near(db, 0.99, entries.add(db, f"walrus {n}", dead=True)) for n in range(120)]
    live = near(db, 0.5, entries.add(db, "the walrus that lives"))

    for mode in ("hybrid", "keyword", "vector"):
        assert ask(db, "walrus", mode=mode, meant=True) == [live], mode
    every = ask(db, "walrus", which=Which(include_superseded=True), meant=True, limit=50)
    assert len(every) == 50 and set(every) <= {*dead, live}


def test_w4_an_exact_answer_by_words_stands_above_texts_that_are_only_somewhat_near(db: Database) -> None:
    noise = [near(db, 0.45, entries.add(db, f"a note on other things {n}")) for n in range(20)]
    exact = near(db, 0.55, entries.add(db, "the staging port is 8443"))

    found = ask(db, "what is the staging port", meant=True, limit=30)

    assert found[0] == exact
    assert set(found[1:]) == set(noise)


def test_w4_of_what_words_alone_find_the_better_match_is_first(db: Database) -> None:
    entries.add(db, "the port of the harbour was closed for the winter, and no ship came in for weeks")
    exact = entries.add(db, "the staging port is 8443")
    entries.add(db, "staging is slow")

    assert ask(db, "staging port")[0] == exact


def test_w5_an_old_exact_answer_is_not_drowned_by_new_important_vague_ones(db: Database) -> None:
    exact = near(db, 0.8, entries.add(db, "the staging port is 8443", days=700, importance=2, type="event"))
    for n in range(20):
        near(db, 0.6, entries.add(db, f"we talked about staging again, part {n}", importance=10))

    assert ask(db, "what is the staging port", meant=True)[0] == exact


@pytest.mark.parametrize(
    ("older", "newer"),
    [({"days": 200}, {"days": 1}), ({"importance": 2}, {"importance": 9}), ({"dead": True}, {})],
)
def test_of_entries_that_fit_alike_the_fresh_the_important_and_the_live_one_is_first(
    db: Database, older: dict[str, object], newer: dict[str, object]
) -> None:
    second = near(db, 0.7, entries.add(db, "deploys are on Tuesdays", **older))  # type: ignore[arg-type]
    first = near(db, 0.7, entries.add(db, "deploys are on Thursdays", **newer))  # type: ignore[arg-type]
    # the other way about by the order in which they were stored
    third = near(db, 0.7, entries.add(db, "deploys are on Fridays", **older))  # type: ignore[arg-type]

    found = ask(db, "when are deploys", meant=True, which=Which(include_superseded=True))

    assert (found[0], set(found)) == (first, {first, second, third})


def seed(db: Database, mode: str, *, limit: int = 10) -> dict[int, float]:
    question = Question("walrus", NOW, limit=limit, mode=mode)
    return {
        one.entry.id: one.relevance
        for one in db.read_now(search.seed, question, Lane(Vectors(), 1, QUESTION))
    }


def test_mc07_the_seed_takes_the_cosine_where_there_is_one_and_else_a_fixed_relevance(
    db: Database,
) -> None:
    both = near(db, 0.6, entries.add(db, "the walrus"))
    vector = near(db, 0.8, entries.add(db, "a sea animal"))
    words = entries.add(db, "walrus without a vector")
    away = near(db, -0.5, entries.add(db, "nothing of the kind"))

    assert seed(db, "hybrid") == pytest.approx({both: 0.6, vector: 0.8, words: 0.3, away: 0.0}, abs=0.01)
    assert seed(db, "keyword") == {both: 0.7, words: 0.7}
    assert seed(db, "vector") == pytest.approx({both: 0.6, vector: 0.8, away: 0.0}, abs=0.01)


def test_mc07_the_seed_ranks_by_the_composite_score(db: Database) -> None:
    old = near(db, 0.9, entries.add(db, "the old walrus", days=400, importance=3))
    new = near(db, 0.5, entries.add(db, "the new walrus", importance=9))

    question = Question("walrus", NOW, limit=1)
    (one,) = db.read_now(search.seed, question, Lane(Vectors(), 1, QUESTION))

    assert one.entry.id == new
    assert one.score == pytest.approx(0.3 + 0.3 * 8 / 9 + 0.4 * 0.5, abs=0.005)
    assert ask(db, "walrus", meant=True)[0] == old  # ours does not


def test_mc02_w30_words_find_and_meaning_ranks_without_sqlite_vec(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "has_vec", lambda connection: False)
    far = near(db, 0.3, entries.add(db, "the walrus sleeps"))
    close = near(db, 0.9, entries.add(db, "the walrus swims"))

    assert ask(db, "walrus", meant=True) == [close, far]
    assert set(ask(db, "walrus")) == {close, far}
