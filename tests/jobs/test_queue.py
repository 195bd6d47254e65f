"""The queue: bursts coalesce, attempts count at the claim, a late holder changes nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.errors import (
    BadRequest,
    BudgetSpent,
    Busy,
    Degraded,
    MemdError,
    ModelRateLimited,
    ModelRefused,
    ModelUnauthorized,
    NotFound,
    ReplyUnusable,
    SpendLimit,
)
from memd.jobs import attempts, by_hand, pauses, recovery, table
from memd.jobs.attempts import Ending
from memd.jobs.by_hand import Which
from memd.jobs.job import BY_HAND, ENDED, Job, State
from memd.jobs.outcome import Finished, Later
from memd.jobs.retry import Bury, Pause, RetryAfter, RetryPolicy, decide
from memd.jobs.settle import Settled, settle
from tests.rows import database

NOW = 1_000_000


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def enqueue(
    db: Database, key: str = "k", *, kind: str = "kind", now_ms: int = NOW, window_ms: int = 0
) -> int:
    return db.write_now(
        table.enqueue, kind, key, lane="lane", max_attempts=3, now_ms=now_ms, window_ms=window_ms
    )


def claim(db: Database, *, boot: str = "b1", now_ms: int = NOW) -> Job:
    job = db.write_now(table.claim, "lane", boot=boot, now_ms=now_ms)
    assert job is not None
    return job


def end(db: Database, outcome: Settled, *, now_ms: int = NOW) -> Job:
    """Claim what is due and let it end so."""
    job = claim(db, now_ms=now_ms)
    db.write_now(settle, job, outcome, now_ms)
    return db.read_now(table.get, job.id)


def told(db: Database, number: int) -> list[tuple[str | None, str | None, int]]:
    """How each attempt of a job ended, why, and how many times in a row."""
    return [(one.ending, one.reason, one.times) for one in db.read_now(attempts.listing, number)]


def test_the_same_key_is_one_job_while_it_lives(db: Database) -> None:
    first = enqueue(db)

    assert enqueue(db) == first
    assert enqueue(db, "other") != first


def test_the_same_key_is_one_job_within_its_window_after_it_is_done(db: Database) -> None:
    first = enqueue(db)
    end(db, Finished())

    assert enqueue(db, now_ms=NOW + 999, window_ms=1000) == first
    assert enqueue(db, now_ms=NOW + 1000, window_ms=1000) != first


def test_the_job_due_longest_is_claimed_first_and_once(db: Database) -> None:
    first, second = enqueue(db, "a"), enqueue(db, "b")

    claimed = [db.write_now(table.claim, "lane", boot="b1", now_ms=NOW) for _ in range(3)]

    assert [job.id if job else None for job in claimed] == [first, second, None]


def test_a_clock_that_was_set_back_holds_no_job_up(db: Database) -> None:
    number = enqueue(db)
    end(db, RetryAfter(60, "busy"))

    assert db.read_now(table.next_due, "lane", NOW + 1000) == NOW + 60_000
    assert db.read_now(table.next_due, "lane", NOW - 86_400_000) == NOW - 86_400_000
    assert claim(db, now_ms=NOW - 86_400_000).id == number


def test_a_late_holder_changes_nothing_and_its_effect_does_not_happen(db: Database) -> None:
    enqueue(db)
    late = claim(db)
    db.write_now(recovery.recover, boot="b2", now_ms=NOW + 1)
    again = claim(db, boot="b2", now_ms=NOW + 2)
    happened: list[str] = []

    for job, who in ((late, "late"), (again, "again")):
        outcome = Finished(effect=lambda _, who=who: {"by": happened.append(who)})
        db.write_now(settle, job, outcome, NOW + 3)

    assert happened == ["again"]
    assert db.read_now(table.get, again.id).state is State.DONE


def test_more_that_came_meanwhile_keeps_the_job_running(db: Database) -> None:
    enqueue(db)
    job = claim(db)

    assert db.write_now(settle, job, Finished(left=lambda _: True), NOW)
    assert db.read_now(table.get, job.id).state is State.RUNNING
    assert not db.write_now(settle, job, Finished({"n": 1}, left=lambda _: False), NOW)
    assert db.read_now(table.get, job.id).result == {"n": 1}


def test_work_that_ends_memd_every_time_is_set_aside(db: Database) -> None:
    number = enqueue(db)

    for boot in ("b1", "b2", "b3"):
        claim(db, boot=boot)
        db.write_now(recovery.recover, boot=boot + "x", now_ms=NOW)

    job = db.read_now(table.get, number)
    assert job.state is State.DEAD
    assert job.error is not None and "3 times" in job.error
    assert [ending for ending, _, _ in told(db, number)] == [Ending.KILLED] * 3


def test_a_backlog_is_not_set_aside_however_often_memd_ends_over_it(db: Database) -> None:
    number = enqueue(db)

    for boot in range(20):
        claim(db, boot=f"b{boot}")
        db.write_now(recovery.recover, boot="x", now_ms=NOW, backlogs={"kind"})

    job = db.read_now(table.get, number)
    assert (job.state, job.attempts) == (State.QUEUED, 0)


def test_deaths_that_do_not_follow_each_other_set_nothing_aside(db: Database) -> None:
    number = enqueue(db)

    for boot in ("b1", "b2", "b3"):
        claim(db, boot=boot)
        db.write_now(recovery.recover, boot=boot + "x", now_ms=NOW)
        end(db, Later(0, "no model"))

    assert db.read_now(table.get, number).state is State.RETRY


def test_a_lease_that_ended_frees_the_job_unless_it_is_held(db: Database) -> None:
    number = enqueue(db)
    job = claim(db)
    after = NOW + table.LEASE_MS + 1
    assert db.read_now(recovery.is_overdue, after)

    db.write_now(recovery.recover, boot="b1", now_ms=after, held={number})
    assert db.read_now(table.get, number).state is State.RUNNING
    assert db.write_now(table.renew, [job], after) == []
    assert not db.read_now(recovery.is_overdue, after)

    db.write_now(recovery.recover, boot="b1", now_ms=after + table.LEASE_MS + 1)
    assert db.read_now(table.get, number).state is State.QUEUED
    assert db.write_now(table.renew, [job], after) == [job]


def test_what_was_in_flight_is_known_after_a_death_and_after_nothing_else(db: Database) -> None:
    number = enqueue(db)
    db.write_now(table.note_in_flight, claim(db), {"vector": [7, 8]})
    db.write_now(recovery.recover, boot="b2", now_ms=NOW)

    job = claim(db, boot="b2")
    assert job.in_flight == {"vector": [7, 8]}

    db.write_now(settle, job, RetryAfter(0, "busy"), NOW)
    assert db.read_now(table.get, number).in_flight == {}


def test_every_attempt_is_told_with_its_reason_and_waits_are_one_line(db: Database) -> None:
    number = enqueue(db)

    end(db, RetryAfter(0, "busy"))
    for _ in range(3):
        end(db, Later(0, "no model"))
    end(db, Bury("bad"))

    assert told(db, number) == [("failed", "busy", 1), ("waited", "no model", 3), ("failed", "bad", 1)]
    assert db.read_now(table.get, number).attempts == 2


def test_of_the_attempts_of_a_job_the_newest_are_kept(db: Database) -> None:
    number = enqueue(db)

    for n in range(attempts.KEPT + 5):
        end(db, RetryAfter(0, str(n)))

    assert [reason for _, reason, _ in told(db, number)] == [str(n) for n in range(5, attempts.KEPT + 5)]


# a kind that stands still -------------------------------------------------------------------------


def test_a_permanent_condition_pauses_the_whole_kind_and_nothing_else(db: Database) -> None:
    first, second, other = enqueue(db, "a"), enqueue(db, "b"), enqueue(db, "a", kind="other")

    assert end(db, Pause("the key is refused", 60)).id == first

    assert enqueue(db, "c") > second
    states = {job.id: job.state for job in db.read_now(table.listing, state=None, kind="kind", limit=9)}
    assert set(states.values()) == {State.PAUSED}
    assert claim(db).id == other
    assert [(one.kind, one.reason, one.until_ms) for one in db.read_now(pauses.listing)] == [
        ("kind", "the key is refused", NOW + 60_000)
    ]


def test_a_pause_is_lifted_at_its_time(db: Database) -> None:
    number = enqueue(db)
    end(db, Pause("spent", 60))

    assert db.write_now(pauses.lift, ["kind"], NOW + 59_999, due=True) == []
    assert db.write_now(pauses.lift, ["kind"], NOW + 60_000, due=True) == ["kind"]
    assert claim(db, now_ms=NOW + 60_000).id == number


def test_a_start_lifts_what_memd_paused_and_leaves_what_a_person_paused(db: Database) -> None:
    enqueue(db), enqueue(db, kind="mine")
    db.write_now(pauses.pause, "kind", "no key", NOW, automatic=True)
    db.write_now(pauses.pause, "mine", "not now", NOW, automatic=False)
    db.write_now(pauses.pause, "mine", "no key", NOW, automatic=True)

    db.write_now(recovery.adopt, {"kind": "lane", "mine": "lane"}, {}, NOW)

    assert [(one.kind, one.reason) for one in db.read_now(pauses.listing)] == [("mine", "not now")]
    assert db.write_now(pauses.resume, "mine", NOW)
    assert not db.write_now(pauses.resume, "mine", NOW)


def test_a_start_looks_again_at_what_waits_and_lets_what_failed_have_its_time(db: Database) -> None:
    """A larger budget, say, may be what the start comes with."""
    for outcome in (RetryAfter(9000, "spent", counted=False), Later(9000, "no model"), RetryAfter(9000, "x")):
        enqueue(db, outcome.reason)
        end(db, outcome)

    db.write_now(recovery.adopt, {"kind": "lane"}, {}, NOW + 1)

    due = {
        job.key: job.run_at_ms
        for job in db.read_now(lambda c: table.listing(c, state=None, kind=None, limit=9))
    }
    assert due == {"spent": NOW + 1, "no model": NOW + 1, "x": NOW + 9_000_000}


def test_what_fails_while_its_kind_is_paused_is_not_tried_again(db: Database) -> None:
    enqueue(db)
    job = claim(db)
    db.write_now(pauses.pause, "kind", "not now", NOW, automatic=False)

    db.write_now(settle, job, RetryAfter(0, "busy"), NOW)

    assert db.read_now(table.get, job.id).state is State.PAUSED


def test_kinds_of_another_version_stay_and_say_why_they_wait(db: Database) -> None:
    """Also one that ran when memd was exchanged, and one that this memd knows but does not work on."""
    unknown, off = enqueue(db, kind="dream"), enqueue(db, kind="embed")
    claim(db)

    db.write_now(recovery.adopt, {"kind": "lane"}, {"embed": "no embedder is configured"}, NOW)
    db.write_now(recovery.recover, boot="b2", now_ms=NOW)

    why = {one.kind: one.reason for one in db.read_now(pauses.listing)}
    assert why["embed"] == "no embedder is configured"
    assert "does not know" in why["dream"]
    assert {db.read_now(table.get, number).state for number in (unknown, off)} == {State.PAUSED}
    db.write_now(recovery.adopt, {"dream": "other", "embed": "lane"}, {}, NOW)
    assert db.read_now(pauses.listing) == []
    assert db.read_now(table.get, unknown).lane == "other"


# by hand ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", list(State))
def test_a_job_is_moved_by_hand_only_along_the_table(db: Database, state: State) -> None:
    for verb, target in ((by_hand.retry, State.QUEUED), (by_hand.cancel, State.CANCELLED)):
        number = enqueue(db)
        db.write_now(lambda c: c.execute("UPDATE job SET state = ?", (state.value,)).fetchall())

        if state in BY_HAND[target]:
            assert db.write_now(verb, Which(number), NOW) == [number]
            assert db.read_now(table.get, number).state is target
        else:
            with pytest.raises(BadRequest, match=state.value):
                db.write_now(verb, Which(number), NOW)
            assert db.write_now(verb, Which(kind="kind"), NOW) == []


def test_only_an_ended_job_is_dismissed_and_its_attempts_go_with_it(db: Database) -> None:
    number = enqueue(db)
    with pytest.raises(BadRequest):
        db.write_now(by_hand.dismiss, Which(number))
    with pytest.raises(NotFound):
        db.write_now(by_hand.dismiss, Which(number + 1))

    end(db, Bury("bad"))
    db.write_now(by_hand.dismiss, Which(state="dead"))

    assert db.read_now(table.listing, state=None, kind=None, limit=10) == []
    assert told(db, number) == []


def test_a_revived_job_has_all_its_attempts_and_never_a_twin(db: Database) -> None:
    dead = [enqueue(db)]
    end(db, Bury("bad"))
    dead.append(enqueue(db))
    end(db, Bury("bad again"))

    assert db.write_now(by_hand.retry, Which(state="dead"), NOW) == dead[:1]
    assert db.read_now(table.get, dead[0]).attempts == 0
    with pytest.raises(BadRequest, match=f"job {dead[0]} does the work"):
        db.write_now(by_hand.retry, Which(dead[1]), NOW)


def test_dead_jobs_are_kept_until_they_are_dismissed(db: Database) -> None:
    dead, done = enqueue(db, "dead"), enqueue(db, "done")
    end(db, Bury("bad"))
    end(db, Finished())

    assert db.write_now(table.prune, NOW + 1) == 1

    assert db.read_now(table.get, dead).state is State.DEAD
    with pytest.raises(NotFound):
        db.read_now(table.get, done)


def test_of_the_done_jobs_the_newest_are_kept(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "KEPT", 2)
    for key in "abcd":
        enqueue(db, key)
        end(db, Finished())

    assert db.write_now(table.prune, 0) == 2

    left = db.read_now(table.listing, state=None, kind=None, limit=9)
    assert [job.key for job in left] == ["d", "c"]


def test_the_counts_tell_each_state_and_the_oldest_that_is_due(db: Database) -> None:
    for key in "abc":
        enqueue(db, key)
    end(db, Bury("bad"))
    end(db, RetryAfter(60, "busy"))

    counts = db.read_now(table.counts, NOW + 5000)

    assert counts == {"queued": 1, "running": 0, "retry": 1, "dead": 1, "paused": 0, "oldest_due_s": 5}


def test_a_state_is_live_or_ended() -> None:
    assert {State.DONE, State.DEAD, State.CANCELLED} == ENDED


class AskedTooOften(MemdError):
    """429"""

    transient = True
    retry_after_s = 99.0


@pytest.mark.parametrize(
    ("error", "attempts_made", "outcome"),
    [
        (Busy("b"), 1, RetryAfter),  # it may work later
        (Busy("b"), 5, Bury),  # it was tried often enough
        (NotFound("n"), 1, Bury),  # trying again changes nothing
        (OSError(), 1, RetryAfter),  # the outside world
        (AskedTooOften("a"), 1, RetryAfter),
        (Degraded("d"), 9, RetryAfter),  # a part of memd is out of order: however often
        (BudgetSpent("b", retry_after_s=7200), 9, RetryAfter),  # it waits for the next day
        (ModelRateLimited(retry_after_s=60), 1, RetryAfter),
        (ModelUnauthorized(), 1, Pause),  # the same key will not do for the next job either
        (SpendLimit(retry_after_s=7200), 1, Pause),
        (ReplyUnusable(), 1, RetryAfter),
        (ReplyUnusable(), 2, Bury),  # asked twice and paid for twice
        (ModelRefused(), 1, Bury),
    ],
)
def test_what_becomes_of_a_job_that_failed(error: Exception, attempts_made: int, outcome: type) -> None:
    """MC22: retried, then set aside and reported; whoever says how long to wait is heard."""
    decided = decide(error, attempts_made, RetryPolicy(max_attempts=5), draw=random.Random(1))

    assert isinstance(decided, outcome)
    if isinstance(decided, RetryAfter):
        assert decided.seconds >= getattr(error, "retry_after_s", 0.0)
        assert decided.counted is not isinstance(error, Degraded)


def test_the_wait_is_drawn_from_all_of_a_growing_span() -> None:
    """Full jitter: random(0, min(15 min, 5 s * 2 ** attempt))."""
    policy, draw = RetryPolicy(max_attempts=99), random.Random(1)

    def waits(tries: int) -> list[float]:
        decided = [decide(Busy("b"), tries, policy, draw=draw) for _ in range(400)]
        return [one.seconds for one in decided if isinstance(one, RetryAfter)]

    for tries, most in ((1, 10.0), (3, 40.0), (20, 900.0)):
        found = waits(tries)
        assert min(found) < 0.05 * most
        assert 0.95 * most < max(found) <= most
