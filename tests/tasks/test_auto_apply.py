"""Proposals of kinds that need no person: applied as by one, told, and taken back as any change."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db import journal
from memd.db.database import Database
from memd.memory import table
from memd.providers.llm.base import JSON
from memd.reflection import proposal_table
from memd.tasks.reflect import Asked
from tests.memory.entries import add
from tests.memory.stored import live
from tests.rows import database
from tests.tasks.models import Scripted
from tests.tasks.reflecting import House

TEXTS = ("the api runs on port 8080", "tabs are preferred", "deploys go out on tuesdays")
MEMORY = "- Ada prefers tabs\n"
FOUND: JSON = {
    "insights": [],
    "operations": [
        {"op": "add", "old": [], "new": "Deploys are on Tuesdays", "entries": [3]},
        {"op": "rewrite", "old": ["Ada prefers tabs"], "new": "Ada likes tabs", "entries": [2]},
    ],
}


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def house(db: Database, folder: Path, *ops: str, answer: JSON = FOUND) -> House:
    for text in TEXTS:
        add(db, text)
    (folder / "MEMORY.md").write_text(MEMORY)
    return House(db, folder, Scripted(answer), auto_apply=ops)


def test_by_default_none_is_applied(db: Database, tmp_path: Path) -> None:
    job = house(db, tmp_path).run()

    assert job.result is not None and (job.result["proposals"], job.result["applied"]) == ([1, 2], [])
    assert (tmp_path / "MEMORY.md").read_text() == MEMORY


def test_the_kinds_that_are_named_are_applied_and_can_be_undone(db: Database, tmp_path: Path) -> None:
    """MC30: on file and entries as one; the others wait for a person."""
    one = house(db, tmp_path, "rewrite", "retire")

    job = one.run()

    assert job.result is not None and job.result["applied"] == [2]
    assert (tmp_path / "MEMORY.md").read_text() == "- Ada likes tabs\n"
    assert "Ada likes tabs" in live(db) and "tabs are preferred" not in live(db)
    assert [each.id for each in db.read_now(proposal_table.listing, ["open"])] == [1]

    db.write_now(journal.undo, None, one.clock.now_ms())
    asyncio.run(one.file.settle())
    assert (tmp_path / "MEMORY.md").read_text() == MEMORY
    assert set(live(db)) == set(TEXTS)


def test_what_the_file_does_not_allow_waits_for_a_person(db: Database, tmp_path: Path) -> None:
    """One that changes what another has changed already, and a file that somebody wrote in meanwhile."""
    twice: JSON = {
        "insights": [],
        "operations": [
            {"op": "rewrite", "old": ["Ada prefers tabs"], "new": "Ada likes tabs", "entries": []},
            {"op": "rewrite", "old": ["Ada prefers tabs"], "new": "Ada loves tabs", "entries": []},
        ],
    }
    one = house(db, tmp_path, "rewrite", answer=twice)

    job = one.run()

    assert job.result is not None and job.result["applied"] == [1]
    assert (tmp_path / "MEMORY.md").read_text() == "- Ada likes tabs\n"
    assert [each.id for each in db.read_now(proposal_table.listing, ["open"])] == [2]


def test_a_kill_before_they_are_applied_is_made_good_by_the_same_job(db: Database, tmp_path: Path) -> None:
    one = house(db, tmp_path, "add")
    job = one.claim(Asked())
    one.file.change = killed  # type: ignore[method-assign,assignment]
    with pytest.raises(KeyboardInterrupt):
        one.work(job)
    del one.file.change  # type: ignore[attr-defined]

    one.work(job)

    ended = db.read_now(lambda c: c.execute("SELECT count(*) FROM proposal").get)
    assert (ended, (tmp_path / "MEMORY.md").read_text()) == (2, f"{MEMORY}- Deploys are on Tuesdays\n")
    assert len(one.model.requests) == 1
    assert db.read_now(table.by_ids, [3])[3].content == TEXTS[2]


async def killed(work: object, files: object) -> None:
    raise KeyboardInterrupt
