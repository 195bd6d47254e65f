"""Search with the tokens of the question: who meets every word of it comes first, and who has no tokens still comes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from memd.db import token_signs
from memd.db.database import Database
from memd.db.vectors import Lane, Vectors
from memd.providers.embedding.base import Embedder
from memd.providers.embedding.bundled import BundledEmbedder
from memd.providers.embedding.hashed import HashEmbedder
from memd.providers.embedding.quantise import to_blobs
from memd.ranking import fusion
from memd.turns import search, spaces, table
from memd.turns.search import Found, Question
from tests.rows import database, store, turn

TEXTS = [
    "We run the test server on 8801. " + "The garden needs water and the roof is to be mended. " * 9,
    "The staging server listens on a port of its own, 8443.",
    "Staging is a word for many things, and so is port.",
    "Lunch was late today.",
    "The port of Hamburg is a staging place for ships.",
]
QUESTION = "Which port does the staging server listen on?"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        store(db, [turn(n, text, session=f"s{n}") for n, text in enumerate(TEXTS)])
        yield db


def embed(db: Database, embedder: Embedder, signed: Sequence[int] = range(len(TEXTS))) -> int:
    """Vectors for all, signs of tokens for some."""
    space = db.write_now(spaces.ensure, embedder.space.key, embedder.space.dim)
    db.write_now(table.queue_vectors)
    rows = db.read_now(spaces.waiting, space, 100)
    vectors = embedder.embed_documents([text for _, text in rows])
    db.write_now(spaces.put, space, [(one, to_blobs(v)) for (one, _), v in zip(rows, vectors, strict=True)])
    if embedder.tokens:
        some = [(owner, text) for owner, text in rows if TEXTS.index(text) in signed]
        made = embedder.tokens.embed_with_tokens([text for _, text in some])
        pairs = [(owner, one.tokens) for (owner, _), one in zip(some, made, strict=True)]
        db.write_now(token_signs.put, space, pairs)
    return space


def find(db: Database, embedder: Embedder, space: int, mode: str = "hybrid") -> Found:
    tokens = embedder.tokens.tokens_of_query(QUESTION) if embedder.tokens else None
    lane = Lane(Vectors(), space, embedder.embed_query(QUESTION), tokens)
    return db.read_now(search.find, Question(QUESTION, mode=mode), lane)


def ranked(found: Found) -> list[int]:
    return [one.row for one in fusion.best(found.ranked(), 10)]


def test_the_turn_that_meets_the_question_token_by_token_is_first_and_best_met(db: Database) -> None:
    model = BundledEmbedder()
    found = find(db, model, embed(db, model))

    assert ranked(found)[0] == 2
    assert max(found.met, key=lambda row: found.met[row]) == 2 and found.met[2] == 1.0
    assert found.explained(2)["tokens"] == 1.0
    assert ranked(found) == ranked(find(db, model, 1))


@pytest.mark.parametrize("signed", [[], [3], [0, 2, 3, 4], [1]])
def test_a_turn_without_signs_stands_where_its_words_and_meaning_put_it(
    db: Database, signed: list[int]
) -> None:
    model = BundledEmbedder()
    found = find(db, model, embed(db, model, signed))

    assert ranked(found)[0] == 2
    assert (2 in found.met) == (1 in signed)


def test_relevance_is_that_of_words_and_meaning_with_tokens_and_without(db: Database) -> None:
    model = BundledEmbedder()
    space = embed(db, model)
    found = find(db, model, space)
    lane = Lane(Vectors(), space, model.embed_query(QUESTION))
    alone = db.read_now(search.find, Question(QUESTION), lane)

    assert found.relevances == alone.relevances == alone.scores
    assert found.scores != alone.scores


def test_by_meaning_alone_the_nearest_vector_comes_first(db: Database) -> None:
    model = BundledEmbedder()

    assert find(db, model, embed(db, model), mode="vector").met == {}


def test_an_embedder_without_tokens_finds_by_words_and_meaning(db: Database) -> None:
    model = HashEmbedder()
    found = find(db, model, embed(db, model))

    assert found.met == {} and ranked(found)[0] == 2
    assert found.explained(2)["tokens"] is None
