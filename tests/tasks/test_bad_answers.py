"""Answers that are none, from a Messages API through the SDK: asked for once more at most, and nothing is stored."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.jobs.job import Job, State
from memd.providers.llm.frames import Model
from memd.providers.llm.process import ModelProcess
from tests import messages_api
from tests.memory.entries import add
from tests.memory.stored import live
from tests.messages_api import Answer, MessagesApi, say, use_tool
from tests.rows import database, store, turn
from tests.tasks import observing, reflecting
from tests.tasks.models import Scripted

BAD = {
    "prose": say("Here is what I think about these: not much."),
    "empty": say(""),
    "cut JSON": say('{"facts": [{"content": "cut', stop="max_tokens"),
    "half a value": say('{"insights": [{"text": "cut of'),
    "wrong types": say(json.dumps({"insights": 7, "operations": "x", "facts": "y", "entities": 1})),
    "a list": say("[1, 2, 3]"),
    "10 MB": say("x" * 10_000_000),
    "10 MB of JSON": say(json.dumps({"insights": ["x" * 10_000_000], "facts": []})),
    "a refusal": say("I can't help with that.", stop="refusal"),
    "nothing in the tool": use_tool({}),
}
TEXTS = ("the api runs on port 8080", "tabs are preferred", "deploys go out on tuesdays")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


@pytest.fixture
def api() -> Iterator[MessagesApi]:
    with messages_api.serving() as api:
        yield api


def forgiven(db: Database) -> None:
    """As if there had been no bad answer."""
    db.write_now(lambda connection: connection.execute("DELETE FROM narrowing"))


async def ended(
    house: reflecting.House | observing.House, api: MessagesApi, answer: Answer
) -> tuple[Job, int]:
    """A job with nothing but this answer, worked on until it has ended; how many calls that took."""
    api.otherwise, before = answer, len(api.asked)
    while True:
        job = await house.attempt()
        if job.state is not State.RETRY:
            return job, len(api.asked) - before


def test_a_reflection_stores_nothing_of_an_answer_that_is_none(
    db: Database, tmp_path: Path, api: MessagesApi
) -> None:
    """MC26, MC29"""
    for text in TEXTS:
        add(db, text)
    model = ModelProcess(Model("anthropic", "claude-haiku-5-5", None, 60.0), api.env())
    house = reflecting.House(db, tmp_path, Scripted(""), asked=model)

    async def work() -> None:
        for name, answer in BAD.items():
            job, calls = await ended(house, api, answer)
            assert (job.state, calls <= 2, house.mark()) == (State.DEAD, True, None), name
            assert live(db) == list(TEXTS), name
            forgiven(db)
        job, calls = await ended(house, api, say("There is nothing to record."))
        assert (job.state, calls, house.mark()) == (State.DONE, 1, len(TEXTS))
        await model.close()

    asyncio.run(work())


def test_an_extraction_stores_nothing_of_an_answer_that_is_none(
    db: Database, tmp_path: Path, api: MessagesApi
) -> None:
    """MC20"""
    store(db, [turn(1, "why does the cache move"), turn(2, "on Mondays", role="assistant")])
    model = ModelProcess(Model("anthropic", "claude-haiku-5-5", None, 60.0), api.env())
    house = observing.House(db, tmp_path / "observations", Scripted(""), asked=model)

    async def work() -> None:
        for name, answer in BAD.items():
            if name == "10 MB of JSON":
                continue
            job, calls = await ended(house, api, answer)
            assert (job.state, calls <= 2, house.lines()) == (State.DEAD, True, []), name
            forgiven(db)
        job, calls = await ended(house, api, say(json.dumps({"facts": []})))
        assert (job.state, calls, house.lines()) == (State.DONE, 1, [])
        await model.close()

    asyncio.run(work())
    assert live(db) == []
