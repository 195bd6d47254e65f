"""Texts that were embedded before there were token signs get those by themselves, after all that waits for vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

import pytest

from memd.db import token_signs
from memd.db.database import Database
from memd.db.driver import Connection
from memd.jobs.outcome import Finished
from memd.providers.embedding.base import Embedded, TokenEmbedder
from memd.providers.embedding.hashed import HashEmbedder
from memd.ranking.late import Tokens
from memd.turns import spaces
from memd.turns import table as turns
from tests.rows import database, store, turn
from tests.tasks.embedding import Killed, Model, embed, enqueue, kills_on, start, start_until_it_lives

TEXTS = [f"text {n}" for n in range(40)]


class TokenModel(Model):
    """A model that has eight bytes of signs for each word."""

    @property
    def tokens(self) -> TokenEmbedder:  # type: ignore[override]  # the base has none
        return self

    def embed_with_tokens(self, texts: Sequence[str]) -> list[Embedded]:
        windows = self.embed_documents(texts)
        return [Embedded(one, [signs(text)]) for one, text in zip(windows, texts, strict=True)]

    @property
    def token_bytes(self) -> int:
        return 8

    def tokens_of_query(self, text: str) -> Tokens:
        raise AssertionError("nobody asks")


def signs(text: str) -> bytes:
    return b"".join(blake2b(word.encode(), digest_size=8).digest() for word in text.split())


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A store whose texts all have vectors, made by a memd that kept no signs."""
    with database(tmp_path) as db:
        space = HashEmbedder().space
        db.write_now(spaces.ensure, space.key, space.dim)
        say(db, TEXTS)
        work(db, Model)
        db.write_now(lambda c: c.execute("UPDATE space SET older = (SELECT max(id) FROM vector)").fetchall())
        enqueue(db)
        yield db


def say(db: Database, texts: Sequence[str], first: int = 0) -> None:
    store(db, [turn(first + n, text) for n, text in enumerate(texts)])
    db.write_now(turns.queue_vectors)
    enqueue(db)


def work(
    db: Database,
    model: type[Model],
    does: Callable[[Sequence[str]], None] = lambda _: None,
    boot: str = "boot",
) -> None:
    job = start(db, boot)
    assert job is not None
    assert isinstance(embed(db, job, does, model), Finished)


def signed(db: Database) -> dict[str, bytes]:
    def read(connection: Connection) -> dict[str, bytes]:
        rows = connection.execute("SELECT id, text FROM content").fetchall()
        texts = {int(row): str(text) for row, text in rows}
        return {texts[owner]: found for owner, found in token_signs.of(connection, 1, list(texts))}

    return db.read_now(read)


def vector_ids(db: Database) -> list[object]:
    return db.read_now(lambda c: c.execute("SELECT id FROM vector ORDER BY id").fetchall())


def test_every_older_text_gets_its_signs_and_keeps_its_vector(db: Database) -> None:
    before = vector_ids(db)

    work(db, TokenModel)

    assert signed(db) == {text: signs(text) for text in TEXTS}
    assert vector_ids(db) == before
    assert not db.read_now(token_signs.is_behind, 1)


def test_a_new_text_gets_both_at_once_and_comes_first(db: Database) -> None:
    say(db, ["a new one"], first=100)
    asked: list[str] = []

    work(db, TokenModel, asked.extend)

    assert asked[0] == "a new one"
    assert signed(db).keys() == {*TEXTS, "a new one"}


def test_a_model_without_tokens_leaves_everything_as_it_is(db: Database) -> None:
    asked: list[str] = []

    work(db, Model, asked.extend)

    assert asked == [] and signed(db) == {}


@pytest.mark.parametrize("calls", [0, 1, 17, 39])
def test_after_a_kill_it_goes_on_and_at_most_a_text_a_kill_is_left_without(db: Database, calls: int) -> None:
    asked: list[str] = []

    def killed(texts: Sequence[str]) -> None:
        if len(asked) == calls:
            asked.append("killed")
            raise Killed
        asked.extend(texts)

    with pytest.raises(Killed):
        work(db, TokenModel, killed)
    work(db, TokenModel, boot="next boot")

    assert signed(db) == {text: signs(text) for text in TEXTS}


def test_a_text_that_memd_dies_on_is_passed_over(db: Database) -> None:
    deaths = start_until_it_lives(db, kills_on(TEXTS[20]), model=TokenModel)

    assert deaths <= 2
    assert signed(db).keys() == {*TEXTS} - {TEXTS[20]}


def test_a_text_that_the_model_does_not_take_any_more_keeps_its_vector(db: Database) -> None:
    def chokes(texts: Sequence[str]) -> None:
        if TEXTS[20] in texts:
            raise ValueError

    work(db, TokenModel, chokes)

    assert signed(db).keys() == {*TEXTS} - {TEXTS[20]}
    assert db.read_now(spaces.coverage, 1).share == 1.0
