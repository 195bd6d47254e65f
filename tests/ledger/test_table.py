"""The ledger: reserved before the call, corrected after it, within the day's caps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.errors import BudgetSpent
from memd.ledger import budget, replies, table
from memd.ledger.budget import Caps, Spent
from memd.ledger.call import Answer, Call, Result, Tokens
from tests.rows import database

DAY_MS = budget.DAY_MS
NOON = 20_000 * DAY_MS + DAY_MS // 2
CAPS = Caps(10_000, 1.0)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def reserve(db: Database, tokens: int = 1000, price: float | None = 0.1, at_ms: int = NOON) -> int:
    call = Call(0, at_ms, 7, "reflect", "claude", Tokens(tokens, 0, 0), price, Result.RUNNING)
    return db.write_now(table.reserve, call, CAPS)


def results(db: Database) -> list[str]:
    return [call.result for call in db.read_now(lambda c: table.listing(c, since_ms=0, limit=9))]


def test_a_call_counts_by_its_estimate_until_it_is_corrected(db: Database) -> None:
    number = reserve(db, 1000, 0.1)
    before = db.read_now(table.spent, NOON)
    db.write_now(table.correct, number, Result.OK, Tokens(100, 50, 20), 0.01)
    (call,) = db.read_now(lambda c: table.listing(c, since_ms=0, limit=9))

    assert before == Spent(1000, 0.1)
    assert db.read_now(table.spent, NOON) == Spent(120, 0.01)
    assert call == Call(number, NOON, 7, "reflect", "claude", Tokens(100, 50, 20), 0.01, "ok")


@pytest.mark.parametrize(
    ("tokens", "price", "calls", "named"),
    [
        (3000, 0.0, 3, "10,000 tokens"),
        (10, 0.3, 3, r"\$1\.00"),
        (10_001, 0.0, 0, "10,000 tokens"),  # no day holds it: it waits, and says why
        (2500, None, 4, "10,000 tokens"),  # where the price is not known, tokens alone count
    ],
)
def test_at_the_cap_it_waits_for_the_next_day_and_says_until_when(
    db: Database, tokens: int, price: float | None, calls: int, named: str
) -> None:
    for _ in range(calls):
        reserve(db, tokens, price)
    with pytest.raises(BudgetSpent, match=named) as caught:
        reserve(db, tokens, price)

    assert caught.value.retry_after_s == DAY_MS / 2 / 1000
    assert "UTC" in caught.value.message
    assert len(results(db)) == calls


@pytest.mark.parametrize(
    ("cap", "said"), [(0.25, "$0.25 "), (10.0, "$10.00 "), (0.005, "$0.005 "), (0.0, "$0.00 ")]
)
def test_a_cap_is_said_to_its_last_digit(cap: float, said: str) -> None:
    with pytest.raises(BudgetSpent) as caught:
        budget.require_room(Caps(10, cap), Spent(0, 0.0), Tokens(1, 0, 0), 11.0, NOON)

    assert f"day's {said}" in caught.value.message


def test_of_an_answer_of_no_use_its_beginning_is_kept_until_something_is_forgotten_or_its_time_is_over(
    db: Database,
) -> None:
    number, later = reserve(db), reserve(db, at_ms=NOON + DAY_MS)
    for call in (number, later):
        db.write_now(table.fail, call, "unusable", free=False)
        db.write_now(table.keep_answer, call, "Well, " + "x" * 300)

    assert db.read_now(table.answers, 7) == [
        Answer(at_ms, "unusable", "Well, " + "x" * 194) for at_ms in (NOON, NOON + DAY_MS)
    ]
    assert db.read_now(table.answers, 8) == []
    db.write_now(table.forget_answers, NOON + 1)
    assert [one.at_ms for one in db.read_now(table.answers, 7)] == [NOON + DAY_MS]
    db.write_now(table.forget_answers)
    assert db.read_now(table.answers, 7) == []
    assert db.read_now(table.spent, NOON) == Spent(1000, 0.1)


def test_a_new_day_has_its_whole_budget(db: Database) -> None:
    reserve(db, 9000)

    assert reserve(db, 9000, at_ms=NOON + DAY_MS // 2)
    assert db.read_now(table.spent, NOON) == Spent(9000, 0.1)


def test_what_failed_for_nothing_counts_nothing_and_what_may_have_been_charged_counts(db: Database) -> None:
    for free in (True, False):
        db.write_now(lambda c, free=free: table.fail(c, reserve_in(c), "timeout", free=free))

    assert db.read_now(table.spent, NOON) == Spent(1000, 0.1)


def reserve_in(connection: object) -> int:
    call = Call(0, NOON, None, "reflect", "claude", Tokens(1000, 0, 0), 0.1, Result.RUNNING)
    return table.reserve(connection, call, CAPS)  # type: ignore[arg-type]


def test_a_call_that_ran_when_memd_ended_is_unknown_and_counts(db: Database) -> None:
    reserve(db)
    db.write_now(table.recover)

    assert results(db) == ["unknown"]
    assert db.read_now(table.spent, NOON) == Spent(1000, 0.1)


def test_a_reply_stands_until_its_effect_is_stored_or_a_day_is_over(db: Database) -> None:
    call = reserve(db)
    db.write_now(replies.keep, b"asked", call, "reply", NOON)
    known = db.read_now(replies.kept, b"asked")
    db.write_now(replies.forget, call)
    gone = db.read_now(replies.kept, b"asked")
    db.write_now(replies.keep, b"asked", call, "reply", NOON)
    db.write_now(replies.prune, NOON + DAY_MS + 1)

    assert (known, gone, db.read_now(replies.kept, b"asked")) == ("reply", None, None)
