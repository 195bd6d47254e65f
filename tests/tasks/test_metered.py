"""The model behind the budget: nothing paid twice, nothing secret sent, every call in the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memd.clock import FixedClock
from memd.db.database import Database
from memd.errors import (
    BudgetSpent,
    ModelError,
    ModelOverloaded,
    ModelRefused,
    ModelTimeout,
    ReplyCut,
    ReplyUnusable,
    SpendLimit,
)
from memd.ledger import replies, table
from memd.ledger.budget import Caps
from memd.ledger.call import Call
from memd.providers.llm.base import Reply, Request, Stop
from memd.tasks.metered import Metered
from memd.text.tokens import Estimate
from tests.rows import database

REQUEST = Request("You distil.", "Entries: the lamp stands left", {"type": "object"}, 500, "reflect", job=3)
CAPS = Caps(10_000, 1.0)
REPLY = Reply('{"insights": ["a"]}', {"insights": ["a"]}, "claude-haiku-5-5", 100, 0, 20)
SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


class Scripted:
    """Says one after the other what it was given, and keeps what it was asked."""

    name, model = "anthropic", "claude-haiku-5-5"

    def __init__(self, *script: Reply | BaseException) -> None:
        self.script = list(script)
        self.asked: list[Request] = []

    def check(self) -> str:
        return "nothing"

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        await asyncio.sleep(0)
        said = self.script.pop(0)
        if isinstance(said, BaseException):
            raise said
        return said

    async def close(self) -> None:
        pass


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def metered(db: Database, model: Scripted, caps: Caps = CAPS) -> Metered:
    return Metered(model, db, FixedClock(), caps, Estimate())


def calls(db: Database) -> list[Call]:
    return db.read_now(lambda c: table.listing(c, since_ms=0, limit=99))


def test_a_call_stands_in_the_ledger_with_what_it_took(db: Database) -> None:
    reply = asyncio.run(metered(db, Scripted(REPLY)).complete(REQUEST))

    (call,) = calls(db)
    assert (call.purpose, call.job, call.model, call.result) == ("reflect", 3, "claude-haiku-5-5", "ok")
    assert (call.tokens.input, call.tokens.output) == (100, 20)
    assert call.price == pytest.approx(100 * 0.1e-6 + 20 * 0.5e-6)
    assert reply == replace(REPLY, call=call.id)


def test_the_same_is_not_paid_for_twice_until_its_effect_is_stored(db: Database) -> None:
    """As after a death of memd between the reply and the transaction that stores what it leads to."""
    model = Scripted(REPLY, REPLY)
    first = asyncio.run(metered(db, model).complete(REQUEST))
    again = asyncio.run(metered(db, model).complete(REQUEST))
    asked = len(model.asked)
    db.write_now(replies.forget, first.call)
    asyncio.run(metered(db, model).complete(REQUEST))

    assert again == first
    assert (asked, len(model.asked), len(calls(db))) == (1, 2, 2)


def test_two_that_ask_the_same_at_once_pay_once(db: Database) -> None:
    model = Scripted(REPLY)

    async def both() -> list[Reply]:
        one = metered(db, model)
        return await asyncio.gather(one.complete(REQUEST), one.complete(REQUEST))

    first, second = asyncio.run(both())

    assert first == second
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    ("said", "result", "counts"),
    [
        (ModelOverloaded(), "overloaded", False),
        (ModelTimeout(), "timeout", True),  # it may have been answered, and charged
        (ValueError("a bug"), "failed", True),
        (asyncio.CancelledError(), "cancelled", True),
    ],
)
def test_a_failure_stands_in_the_ledger_by_its_kind(
    db: Database, said: BaseException, result: str, counts: bool
) -> None:
    with pytest.raises(type(said)):
        asyncio.run(metered(db, Scripted(said)).complete(REQUEST))

    (call,) = calls(db)
    assert call.result == result
    assert (call.tokens.all > 0) is counts


@pytest.mark.parametrize(
    ("stop", "error"),
    [(Stop.CUT, ReplyCut), (Stop.REFUSED, ModelRefused), (Stop.TOO_LARGE, ReplyUnusable)],
)
def test_an_answer_that_was_not_given_to_its_end_is_paid_for_and_not_kept(
    db: Database, stop: Stop, error: type[ModelError]
) -> None:
    model = Scripted(replace(REPLY, stop_reason=stop), REPLY)
    one = metered(db, model)
    with pytest.raises(error):
        asyncio.run(one.complete(REQUEST))
    (call,) = calls(db)

    assert (call.result, call.tokens.all) == (error.kind, 120)
    assert asyncio.run(metered(db, model).complete(REQUEST)).data == {"insights": ["a"]}


def test_no_call_is_made_that_the_rest_of_the_budget_does_not_hold(db: Database) -> None:
    """The estimate is more than a call takes, so the caps hold."""
    model = Scripted(*[REPLY] * 99)
    made = 0
    with pytest.raises(BudgetSpent) as caught:
        for number in range(99):
            asyncio.run(
                metered(db, model, Caps(2_000, 1.0)).complete(replace(REQUEST, prompt=f"turn {number}"))
            )
            made += 1

    assert caught.value.retry_after_s > 0
    assert made == len(model.asked) == len(calls(db))
    assert 0 < sum(call.tokens.all for call in calls(db)) <= 2_000


def test_secrets_do_not_leave_the_machine_and_do_not_settle(db: Database) -> None:
    """R12, B20: also where one slipped past every gate before."""
    echo = replace(REPLY, text=f'{{"a": "{SECRET}"}}', data={"a": [SECRET]})
    model = Scripted(echo, replace(REPLY, text=f"it is {SECRET}", data=None))
    told = replace(REQUEST, system=f"token {SECRET}", prompt=f"and {SECRET}")
    first = asyncio.run(metered(db, model).complete(told))
    prose = asyncio.run(metered(db, model).complete(replace(told, prompt="other")))

    assert SECRET not in f"{model.asked}{first}{prose}"
    assert first.data == {"a": ["[REDACTED:github_token]"]}
    assert SECRET.encode() not in (db.path.parent / "memd.db-wal").read_bytes() + db.path.read_bytes()


def test_a_spend_limit_holds_until_the_next_day(db: Database) -> None:
    with pytest.raises(SpendLimit) as caught:
        asyncio.run(metered(db, Scripted(SpendLimit())).complete(REQUEST))

    assert 0 < caught.value.retry_after_s <= 86_400
