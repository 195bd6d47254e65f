"""The job kind ``observe_session``: what was said in a session since it was read last becomes an observation.

A stretch of which no answer was of use is sent in smaller pieces by the next job; one that came to nothing three times
is passed over, and told: the session goes on behind it.

State is truth. In one transaction the cursor moves over the turns that an answer is about, and the record that it gave
is written down; then it is appended to the log, from where it is absorbed as any other. So each answer counts once,
wherever memd is killed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import structlog

from memd.clock import Clock, iso
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import NotFound, ReplyUnusable
from memd.jobs import table
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Outcome
from memd.ledger import metering, replies
from memd.ledger import table as ledger
from memd.providers.llm.base import LanguageModel, Request
from memd.sources import capture, own_log
from memd.sources.capture import Captured, Stretch
from memd.text.tokens import Counter
from memd.turns import unobserved

PURPOSE = "observe"
TRIGGER = "memd"
STRIKES = 3

_log = structlog.get_logger("memd.observe")


@dataclass(frozen=True, slots=True)
class _Session:
    """Where a session was held, and how."""

    row: int
    project: str | None
    branch: str | None


class ObserveSession:
    """The handler. ``is_excluded``: the paths of projects of which nothing goes to a model.

    ``on_appended`` is told when the log has a new record.
    """

    def __init__(
        self,
        db: Database,
        clock: Clock,
        model: LanguageModel,
        folder: Path,
        counter: Counter,
        *,
        is_excluded: Callable[[str], bool],
        on_appended: Callable[[], object],
    ) -> None:
        self._db, self._clock, self._model, self._folder = db, clock, model, folder
        self._counter, self._is_excluded, self._on_appended = counter, is_excluded, on_appended

    async def run(self, job: Job) -> Outcome:
        """Read the session to its end; how many calls that took, and what they gave."""
        session = await self._db.read(_session, str(job.payload.get("session")))
        told = {"calls": 0, "records": 0, "items": 0, "dropped": 0, "passed_over": 0}
        if session.project is not None and await asyncio.to_thread(self._is_excluded, session.project):
            return Finished({**told, "reason": "the project is excluded"})
        await self.catch_up()
        strikes = await self._db.read(_strikes, job, session)
        while (part := await self._next(session, strikes)) is not None:
            is_asked = strikes < STRIKES
            captured, call = await self._asked(job, part) if is_asked else (Captured({}, 0), None)
            if not await self._keep(job, session, part, captured, call):
                break
            told["calls"] += is_asked
            if not is_asked:
                told["passed_over"] += len(part.turns)
                _log.warning("turns_passed_over", job=job.id, turns=part.turns)
            strikes = 0
            told["records"] += not captured.is_empty
            told["items"] += sum(map(len, captured.extraction.values()))
            told["dropped"] += captured.dropped
        return Finished(dict(told))

    async def catch_up(self) -> None:
        """Append what was written down to be appended."""
        for one in await self._db.read(own_log.pending):
            await asyncio.to_thread(own_log.append, self._folder, one)
            await self._db.write(own_log.end, one)
            self._on_appended()

    async def _next(self, session: _Session, strikes: int) -> Stretch | None:
        spoken = await self._db.read(unobserved.turns, session.row, capture.MOST_TURNS)
        budget = capture.PROMPT_TOKENS >> min(strikes, STRIKES - 1)
        return await asyncio.to_thread(capture.stretch, spoken, self._counter, budget)

    async def _asked(self, job: Job, part: Stretch) -> tuple[Captured, int | None]:
        """What an answer holds, and the call that it cost; ReplyUnusable where it is none."""
        request = Request(capture.SYSTEM, part.prompt, capture.SCHEMA, capture.ANSWER_TOKENS, PURPOSE, job.id)
        answer = await self._model.complete(request)
        captured = capture.read(answer.data, answer.text, part.turns)
        if captured is None:
            await self._db.write(metering.of_no_use, answer.call)
            raise ReplyUnusable("the language model's answer is none of the schema")
        return captured, answer.call

    async def _keep(
        self, job: Job, session: _Session, part: Stretch, captured: Captured, call: int | None
    ) -> bool:
        """Write down what an answer gave, and append it; False where the job is no longer ours."""
        now_ms = self._clock.now_ms()
        line = own_log.line_of(now_ms, TRIGGER, session.project, session.branch, captured.extraction)
        day = iso(now_ms)[:10]
        offset = await asyncio.to_thread(own_log.size, self._folder, day)

        def keep(connection: Connection) -> bool:
            if not table.holds(connection, job):
                return False
            unobserved.move(connection, session.row, part.upto, now_ms)
            replies.forget(connection, call)
            if not captured.is_empty:
                own_log.put(connection, day, offset, line)
            return True

        kept = await self._db.write(keep)
        await self.catch_up()
        return kept


def _strikes(connection: Connection, job: Job, session: _Session) -> int:
    """How many jobs came to nothing over the stretch that is next."""
    return ledger.given_up(connection, job.kind, job.key, unobserved.moved_ms(connection, session.row))


def payload(session: str) -> Mapping[str, object]:
    """The payload of the job that reads a session."""
    return {"session": session}


def _session(connection: Connection, key: str) -> _Session:
    row = connection.execute(
        "SELECT s.id, p.path, s.branch FROM session s LEFT JOIN project p ON p.id = s.project_id WHERE s.key = ?",
        (key,),
    ).fetchone()
    if row is None:
        raise NotFound(f"there is no session {key!r}")
    return _Session(int(str(row[0])), *(None if one is None else str(one) for one in row[1:]))
