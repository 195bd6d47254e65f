"""The job kind ``observe_session``: what was said in a session since it was read last becomes an observation.

State is truth. In one transaction the cursor moves over the turns that an answer is about, and the record that it gave
is written down; then it is appended to the log, from where it is absorbed as any other. So each answer counts once,
wherever memd is killed. Where no answer can be used, less is asked about at once, down to one turn; that is passed over
in the end, and told, so that a session never stands still.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memd.clock import Clock, iso
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import ModelError, NotFound, ReplyUnusable
from memd.jobs import table
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Outcome
from memd.ledger import metering, narrowing, replies
from memd.providers.llm.base import LanguageModel, Reply, Request
from memd.sources import capture, own_log
from memd.sources.capture import Captured, Stretch
from memd.text.tokens import Counter
from memd.turns import passed_over, unobserved
from memd.turns.unobserved import Spoken

PURPOSE = "observe"
TRIGGER = "memd"


@dataclass(frozen=True, slots=True)
class _Session:
    """Where a session was held, and how."""

    row: int
    project: str | None
    branch: str | None

    @property
    def scope(self) -> str:
        """By what it is known to those who count bad answers."""
        return f"session {self.row}"


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
        while (part := await self._next(job, session)) is not None:
            try:
                answer, captured = await self._ask(job, part)
            except narrowing.UNUSABLE as error:
                if not await self._strike(job, session, part, error):
                    raise
                told["passed_over"] += 1
                continue
            if not await self._keep(job, session, part, answer, captured):
                break
            told["calls"] += 1
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

    async def _next(self, job: Job, session: _Session) -> Stretch | None:
        spoken = await self._db.read(_spoken, session, _since_ms(job))
        return await asyncio.to_thread(capture.stretch, spoken, self._counter)

    async def _ask(self, job: Job, part: Stretch) -> tuple[Reply, Captured]:
        """The answer about a part, and what it holds; ReplyUnusable where that is nothing of the schema."""
        request = Request(capture.SYSTEM, part.prompt, capture.SCHEMA, capture.ANSWER_TOKENS, PURPOSE, job.id)
        answer = await self._model.complete(request)
        captured = capture.read(answer.data, answer.text, part.turns)
        if captured is None:
            await self._db.write(metering.of_no_use, answer)
            raise ReplyUnusable("the language model's answer is none of the schema")
        return answer, captured

    async def _strike(self, job: Job, session: _Session, part: Stretch, error: ModelError) -> bool:
        """Count an answer that could not be used; True where its turn was passed over for it."""
        now_ms = self._clock.now_ms()

        def strike(connection: Connection) -> bool:
            if not table.holds(connection, job):
                return False
            if not narrowing.strike(connection, session.scope, len(part.parts), error):
                return False
            _move(connection, job, session, part, now_ms)
            passed_over.put(connection, part.parts, now_ms, error.message, job.id)
            return True

        return await self._db.write(strike)

    async def _keep(
        self, job: Job, session: _Session, part: Stretch, answer: Reply, captured: Captured
    ) -> bool:
        """Write down what an answer gave, and append it; False where the job is no longer ours."""
        now_ms = self._clock.now_ms()
        line = own_log.line_of(now_ms, TRIGGER, session.project, session.branch, captured.extraction)
        day = iso(now_ms)[:10]
        offset = await asyncio.to_thread(own_log.size, self._folder, day)

        def keep(connection: Connection) -> bool:
            if not table.holds(connection, job):
                return False
            _move(connection, job, session, part, now_ms)
            passed_over.remove(connection, part.parts, part.upto.chars)
            narrowing.clear(connection, session.scope, len(part.parts))
            replies.forget(connection, answer.call)
            if not captured.is_empty:
                own_log.put(connection, day, offset, line)
            return True

        kept = await self._db.write(keep)
        await self.catch_up()
        return kept


def payload(session: str, since_ms: int | None = None) -> Mapping[str, object]:
    """The payload of the job that reads a session; with ``since_ms`` what was said before stays unread."""
    return {"session": session} if since_ms is None else {"session": session, "since_ms": since_ms}


def _since_ms(job: Job) -> int | None:
    """Since when a turn must be said to be read; None where somebody asked for the session."""
    since_ms = job.payload.get("since_ms")
    return since_ms if isinstance(since_ms, int) else None


def _move(connection: Connection, job: Job, session: _Session, part: Stretch, now_ms: int) -> None:
    """Move the cursor over a part; what is history, and left behind with that, is noted to be unread."""
    if (since_ms := _since_ms(job)) is not None:
        passed_over.put_history(connection, session.row, since_ms, now_ms)
    unobserved.move(connection, session.row, part.upto, now_ms)


def _spoken(connection: Connection, session: _Session, since_ms: int | None) -> list[Spoken]:
    """What is read next: new turns, then those that were passed over and asked for."""
    most = narrowing.most(connection, session.scope, capture.MOST_TURNS)
    return (
        unobserved.turns(connection, session.row, most, since_ms)
        or passed_over.parts(connection, session.row, asked_again=True)[:most]
    )


def _session(connection: Connection, key: str) -> _Session:
    row = connection.execute(
        "SELECT s.id, p.path, s.branch FROM session s LEFT JOIN project p ON p.id = s.project_id WHERE s.key = ?",
        (key,),
    ).fetchone()
    if row is None:
        raise NotFound(f"there is no session {key!r}")
    return _Session(int(str(row[0])), *(None if one is None else str(one) for one in row[1:]))
