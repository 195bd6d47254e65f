"""Random histories of the queue: whatever happens to a job, its effect happens once where it is done, else never."""

from __future__ import annotations

import random
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from memd.db import driver, migrate
from memd.db.driver import Connection
from memd.errors import BadRequest, Busy, NotFound
from memd.jobs import by_hand, pauses, recovery, table
from memd.jobs.by_hand import Which
from memd.jobs.job import LIVE, Job, State
from memd.jobs.outcome import Finished, Later
from memd.jobs.retry import Pause, RetryPolicy, decide
from memd.jobs.settle import Stopped, settle

KINDS = {"reflect": "llm", "embed": "embed"}
BACKLOGS = {"embed"}
POLICY = RetryPolicy(max_attempts=3)

kinds = st.sampled_from(sorted(KINDS))


class Histories(RuleBasedStateMachine):
    """The queue on one side, on the other what each job must have come to."""

    held = Bundle("held")  # jobs that a handler believes to hold, rightly or not

    def __init__(self) -> None:
        super().__init__()
        self.db = driver.connect(Path(":memory:"), write=True)
        migrate.migrate(self.db, Path(":memory:"), Path())
        self.db.execute("CREATE TABLE effect (job_id INTEGER)")
        self.now, self.boot, self.draw = 1_000_000, 0, random.Random(0)
        self.asked: set[int] = set()
        self.dismissed: set[int] = set()

    def effect(self, job: Job) -> Finished:
        def happen(connection: Connection) -> dict[str, object]:
            connection.execute("INSERT INTO effect VALUES (?)", (job.id,))
            return {}

        return Finished(effect=happen)

    def end(self, job: Job, outcome: Finished | Later | Pause | Stopped) -> None:
        with driver.transaction(self.db):
            settle(self.db, job, outcome, self.now)

    # what can happen ------------------------------------------------------------------------------

    @rule(kind=kinds, key=st.sampled_from("ab"), window=st.sampled_from([0, 50_000]))
    def enqueue(self, kind: str, key: str, window: int) -> None:
        with driver.transaction(self.db):
            number = table.enqueue(
                self.db, kind, key, lane=KINDS[kind], max_attempts=3, now_ms=self.now, window_ms=window
            )
        self.asked.add(number)

    @rule(target=held, kind=kinds)
    def claim(self, kind: str) -> Job | None:
        with driver.transaction(self.db):
            return table.claim(self.db, KINDS[kind], boot=str(self.boot), now_ms=self.now)

    @rule(job=consumes(held))
    def finish(self, job: Job | None) -> None:
        if job:
            self.end(job, self.effect(job))

    @rule(job=held)
    def finish_and_forget_that_it_did(self, job: Job | None) -> None:
        self.finish(job)

    @rule(job=consumes(held), broken=st.booleans())
    def fail(self, job: Job | None, broken: bool) -> None:
        error = NotFound("no") if broken else Busy("busy")
        if job:
            with driver.transaction(self.db):
                settle(self.db, job, decide(error, job.attempts, POLICY, draw=self.draw), self.now)

    @rule(
        job=consumes(held),
        outcome=st.sampled_from([Later(30, "later"), Pause("refused"), Pause("spent", 60), Stopped()]),
    )
    def end_without_an_effect(self, job: Job | None, outcome: Later | Pause | Stopped) -> None:
        if job:
            self.end(job, outcome)

    @rule()
    def kill(self) -> None:
        self.boot += 1
        self.start()

    def start(self) -> None:
        with driver.transaction(self.db):
            recovery.adopt(self.db, KINDS, {}, self.now)
            recovery.recover(self.db, boot=str(self.boot), now_ms=self.now, backlogs=BACKLOGS)

    @rule(seconds=st.sampled_from([1, 61, 1000, -500]))
    def time_goes(self, seconds: int) -> None:
        """Leases end, pauses too; sometimes the clock is set back."""
        self.now += seconds * 1000
        with driver.transaction(self.db):
            recovery.recover(self.db, boot=str(self.boot), now_ms=self.now, backlogs=BACKLOGS)
            pauses.lift(self.db, KINDS, self.now, due=True)

    @rule(pick=st.integers(1, 12), verb=st.sampled_from([by_hand.retry, by_hand.cancel]))
    def by_hand(self, pick: int, verb: object) -> None:
        try:
            with driver.transaction(self.db):
                (by_hand.retry if verb is by_hand.retry else by_hand.cancel)(self.db, Which(pick), self.now)
        except (NotFound, BadRequest):
            pass

    @rule(state=st.sampled_from(["dead", "done", "cancelled"]), kind=kinds)
    def dismiss(self, state: str, kind: str) -> None:
        with driver.transaction(self.db):
            self.dismissed.update(by_hand.dismiss(self.db, Which(state=state, kind=kind)))

    @rule(kind=kinds, resume=st.booleans())
    def pause(self, kind: str, resume: bool) -> None:
        with driver.transaction(self.db):
            if resume:
                pauses.resume(self.db, kind, self.now)
            else:
                pauses.pause(self.db, kind, "by hand", self.now, automatic=False)

    # what holds always ----------------------------------------------------------------------------

    def jobs(self) -> list[Job]:
        return table.listing(self.db, state=None, kind=None, limit=-1)

    def effects(self) -> list[int]:
        return [number for (number,) in self.db.execute("SELECT job_id FROM effect")]

    @invariant()
    def an_effect_is_that_of_a_done_job_and_happened_once(self) -> None:
        effects = self.effects()
        done = {job.id for job in self.jobs() if job.state is State.DONE}
        assert len(effects) == len(set(effects))
        assert done <= set(effects) <= done | self.dismissed

    @invariant()
    def no_job_is_lost(self) -> None:
        assert {job.id for job in self.jobs()} == self.asked - self.dismissed

    @invariant()
    def no_two_live_jobs_do_the_same(self) -> None:
        live = [(job.kind, job.key) for job in self.jobs() if job.state in LIVE]
        assert len(live) == len(set(live))

    @invariant()
    def nothing_of_a_paused_kind_waits_to_be_claimed_but_what_was_retried(self) -> None:
        paused = {one.kind for one in pauses.listing(self.db)}
        assert not [job for job in self.jobs() if job.kind in paused and job.state is State.RETRY]

    def teardown(self) -> None:
        """Once nothing holds it up any more, every live job comes to its end."""
        self.boot += 1
        for kind in KINDS:
            with driver.transaction(self.db):
                pauses.resume(self.db, kind, self.now)
        self.start()
        self.now += 10_000_000
        for lane in KINDS.values():
            while (due := table.next_due(self.db, lane, self.now)) is not None and due <= self.now:
                with driver.transaction(self.db):
                    job = table.claim(self.db, lane, boot=str(self.boot), now_ms=self.now)
                assert job
                self.end(job, self.effect(job))
        self.an_effect_is_that_of_a_done_job_and_happened_once()
        assert not [job for job in self.jobs() if job.state in LIVE]
        self.db.close()


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],  # the machine may be busy
)
