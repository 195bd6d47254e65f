"""Vectors of entries and sections: each gets its own, by itself, whatever kept it from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from memd.db import journal
from memd.db.database import Database
from memd.db.driver import Connection
from memd.db.vector_tables import ENTRIES, SECTIONS
from memd.db.vectors import Vectors
from memd.jobs import kinds, table
from memd.jobs.outcome import Finished, Later
from memd.memory import nearest
from memd.memory import table as entry_table
from memd.providers.embedding.base import ModelUnavailable
from memd.providers.embedding.hashed import HashEmbedder
from memd.turns import serving, spaces
from tests.memory import entries
from tests.rows import database
from tests.tasks.embedding import NOW, embed, enqueue, kills_on, start, start_until_it_lives

CURATED = (ENTRIES, SECTIONS)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        entries.space(db)
        yield db


def native(db: Database, *sections: str) -> None:
    def work(connection: Connection) -> None:
        connection.execute(
            "INSERT INTO native_file VALUES (1, '/p/-app/memory/A.md', '-app', 'A.md', NULL, 1, 2, 3, 4)"
        )
        connection.executemany(
            "INSERT INTO native_section (file_id, position, heading, content) VALUES (1, ?, '', ?)",
            enumerate(sections),
        )

    db.write_now(work)


def run(db: Database, does: object = lambda _: None, boot: str = "boot") -> Finished | Later:
    enqueue(db, kinds.EMBED_ENTRIES)
    job = start(db, boot)
    assert job is not None
    outcome = embed(db, job, does)  # type: ignore[arg-type]  # what a model does to some texts
    assert isinstance(outcome, Finished | Later)
    return outcome


def waiting(db: Database) -> list[str]:
    return [text for of in CURATED for _, text in db.read_now(spaces.waiting, 1, 99, of)]


def test_mc03_entries_live_or_not_and_sections_get_vectors_the_newest_first(db: Database) -> None:
    seen: list[str] = []
    for n in range(3):
        entries.add(db, f"entry {n} " + "long " * 500, dead=n == 1)
    native(db, "first section", "second section")

    run(db, seen.extend)

    assert [text[:7] for text in seen[:3]] == ["entry 2", "entry 1", "entry 0"]
    assert seen[3:] == ["second section", "first section"]
    assert db.read_now(spaces.coverage, 1, CURATED).share == 1.0
    (query,) = HashEmbedder().embed_documents(["second section"])
    assert db.read_now(Vectors().nearest, 1, query[0], 1, None, SECTIONS)[0][0] == 2


def test_mc03_what_is_written_while_there_is_no_model_gets_its_vectors_once_there_is_one(
    db: Database,
) -> None:
    def missing(_: Sequence[str]) -> None:
        raise ModelUnavailable("the model is not here", "put it there")

    entries.add(db, "written in the dark")
    assert isinstance(run(db, missing), Later)
    entries.add(db, "and another")
    db.write_now(lambda c: c.execute("UPDATE job SET run_at_ms = ?", (NOW,)).fetchall())

    assert isinstance(run(db), Finished)

    assert db.read_now(spaces.coverage, 1, CURATED).share == 1.0


def test_an_entry_that_the_model_chokes_on_is_set_aside_and_missing_ones_are_tried_again(
    db: Database,
) -> None:
    def chokes(texts: Sequence[str]) -> None:
        if "bad" in texts:
            raise ValueError

    bad = entries.add(db, "bad")
    entries.add(db, "good")
    run(db, chokes)

    assert db.read_now(spaces.aside, 1) == [{"entry": bad, "why": "ValueError"}]
    assert waiting(db) == []
    assert db.write_now(spaces.requeue_missing, 1) == 1
    run(db)
    assert db.read_now(spaces.coverage, 1, CURATED).share == 1.0


@pytest.mark.parametrize("guilty", ["entry 7", "section 3"])
def test_the_text_that_memd_dies_on_is_found_and_no_other(db: Database, guilty: str) -> None:
    for n in range(20):
        entries.add(db, f"entry {n}")
    native(db, *[f"section {n}" for n in range(20)])
    enqueue(db, kinds.EMBED_ENTRIES)

    start_until_it_lives(db, kills_on(guilty))

    (one,) = db.read_now(spaces.aside, 1)
    assert one.get("entry") == 8 or one.get("native") == "/p/-app/memory/A.md"
    covered = db.read_now(spaces.coverage, 1, CURATED)
    assert (covered.contents, covered.waiting, covered.set_aside) == (40, 0, 1)


def test_an_entry_that_undoing_brings_back_waits_for_its_vectors(db: Database) -> None:
    entry = entries.add(db, "deleted by mistake")
    run(db)

    def delete(connection: Connection) -> None:
        journal.record(
            connection,
            "delete",
            NOW,
            lambda: connection.execute("DELETE FROM entry WHERE id = ?", (entry,)).fetchall(),
        )

    db.write_now(delete)
    assert db.read_now(lambda c: c.execute("SELECT count(*) FROM entry_vector").get) == 0
    db.write_now(journal.undo, None, NOW)

    assert waiting(db) == ["deleted by mistake"]
    assert db.read_now(lambda c: c.execute("SELECT rowid FROM entry_fts WHERE entry_fts MATCH 'mistake'").get)


def test_a_new_wording_waits_for_its_own_vectors(db: Database) -> None:
    entry = entries.add(db, "the port is 8080")
    run(db)

    db.write_now(entry_table.reword, entry, "the port is 8081")

    assert waiting(db) == ["the port is 8081"]
    assert db.read_now(lambda c: c.execute("SELECT count(*) FROM entry_vector").get) == 0


def test_an_entry_that_is_stored_with_its_vectors_does_not_wait(db: Database) -> None:
    entry = entries.add(db, "known already")
    entries.embed(db, 1, [(entry, "known already")])

    assert waiting(db) == []
    assert db.read_now(spaces.share, 1) == 1.0


def test_mc04_w28_vectors_of_another_model_of_the_same_width_are_never_used(db: Database) -> None:
    entry = entries.add(db, "the staging port")
    run(db)
    dim = HashEmbedder().space.dim
    vector = HashEmbedder().embed_query("the staging port")

    other = db.write_now(serving.begin, f"other/{dim}", dim, NOW)

    assert db.read_now(nearest.nearest, 1, vector, 5, "1", ())[0][0] == entry
    assert db.read_now(nearest.nearest, other, vector, 5, "1", ()) == []
    assert db.read_now(spaces.is_behind, other)
    db.write_now(nearest.put, other, entry, [np.ones(dim, np.int8).tobytes()])
    assert not db.read_now(spaces.is_behind, other)
    db.write_now(serving.switch, NOW)
    assert db.read_now(nearest.nearest, other, vector, 5, "1", ())[0][1] < 0.9


def test_vectors_of_a_space_that_had_its_time_go_in_steps(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "DROPPED_ROWS", 2)
    for n in range(5):
        entries.add(db, f"entry {n}")
    native(db, "section")
    run(db)
    db.write_now(serving.begin, "other/4", 4, NOW)
    db.write_now(serving.switch, NOW)

    dropped = []
    while some := db.write_now(serving.drop_retired):
        dropped.append(some)

    assert dropped == [2, 2, 1, 1, 1]
    left = "SELECT (SELECT count(*) FROM entry_vector) + (SELECT count(*) FROM native_vector)"
    assert db.read_now(lambda c: c.execute(left).get) == 0


def test_the_job_goes_on_while_more_comes_in(db: Database) -> None:
    def more(texts: Sequence[str]) -> None:
        if "first" in texts:
            entries.add(db, "second")

    entries.add(db, "first")
    run(db, more)

    assert db.read_now(spaces.coverage, 1, CURATED).share == 1.0
    assert db.read_now(lambda c: [one.state for one in table.listing(c, state=None, kind=None, limit=9)])
