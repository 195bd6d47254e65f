"""The job kind ``prune``: forgets what its rule gives no more time.

Ended jobs, old changes, what sessions were handed that are over, the vectors of spaces that have had their time; and
turns, where somebody has set how long they stay. Unless it is told so no turn goes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memd.clock import Clock
from memd.db import driver, journal
from memd.db.database import Database
from memd.db.driver import Connection
from memd.injection import handed
from memd.jobs import table
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Outcome
from memd.ledger import replies
from memd.ledger import table as ledger
from memd.reflection import proposal_table
from memd.sources import forgetting
from memd.turns import forget, serving

DAY_MS = 86_400_000
HANDED_DAYS = 30  # a session is resumed no longer than its transcript lasts
CHUNK = 500


@dataclass(frozen=True, slots=True)
class Retention:
    """How many days turns, ended jobs and changes stay. ``turn_days`` 0: for ever."""

    turn_days: int
    job_days: int
    journal_days: int


class Prune:
    """The handler. ``compact`` asks for the clean-up of the file, in the transaction of a removal."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        rules: Retention,
        compact: Callable[[Connection], object],
    ) -> None:
        self._db, self._clock, self._rules, self._compact = db, clock, rules, compact

    async def run(self, job: Job) -> Outcome:
        """Remove what is over its time; how much it was."""
        turns, vectors = await self._forget_turns(), await self._drop_vectors()
        return Finished({"turns": turns, "vectors": vectors}, effect=self._prune)

    async def _forget_turns(self) -> int:
        """A chunk a transaction, so that the import is not held up; broken off, the next run goes on."""
        forgotten = 0
        if self._rules.turn_days:
            before = self._clock.now_ms() - self._rules.turn_days * DAY_MS
            while rows := await self._db.read(forget.older, before, CHUNK):
                await self._db.write(self._forget, rows)
                forgotten += len(rows)
        return forgotten

    async def _drop_vectors(self) -> int:
        dropped = 0
        while some := await self._db.write(serving.drop_retired):
            dropped += some
        return dropped

    def _forget(self, connection: Connection, rows: list[int]) -> None:
        forgetting.remove(connection, rows)
        if len(rows) == CHUNK:  # what a day's few turns leave free is used again; many are worth a rewrite
            self._compact(connection)

    def _prune(self, connection: Connection) -> dict[str, object]:
        now_ms, rules = self._clock.now_ms(), self._rules
        changes = journal.prune(connection, now_ms - rules.journal_days * DAY_MS)
        ledger.forget_answers(connection, now_ms - rules.job_days * DAY_MS)
        return {
            "jobs": table.prune(connection, now_ms - rules.job_days * DAY_MS),
            "replies": replies.prune(connection, now_ms),
            "changes": changes,
            "proposals": _prune_proposals(connection) if changes else 0,
            "handed": handed.prune(connection, now_ms - HANDED_DAYS * DAY_MS),
        }


def _prune_proposals(connection: Connection) -> int:
    """Those whose entries went, and could have come back by an undo until now."""
    undoable = {driver.number(key[0]) for _, key in journal.states(connection, "entry")}
    return proposal_table.prune(connection, undoable)
