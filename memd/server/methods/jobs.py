"""The methods of the queue: jobs.list, show, retry, cancel, dismiss, and pause and resume of a whole kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memd.clock import iso
from memd.db.driver import Connection
from memd.db.vector_tables import TABLES
from memd.errors import BadRequest, NotFound
from memd.jobs import attempts, by_hand, kinds, pauses, table
from memd.jobs.attempts import Attempt
from memd.jobs.by_hand import Which
from memd.jobs.job import LIVE, Job, State
from memd.jobs.pauses import Paused
from memd.ledger import table as ledger
from memd.ledger.call import Answer
from memd.server.dispatch import Call, Method
from memd.server.params import choice, integer, text
from memd.services import Services
from memd.turns import spaces


class Jobs:
    """Answers about the queue."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        states = tuple(state.value for state in State)
        which = {"state": choice(*states, optional=True), "kind": text(optional=True)}
        some = {"id": text(most=64, optional=True), **which}
        return {
            "jobs.list": Method(self.list, {**which, "limit": integer(1, 1000, default=100)}),
            "jobs.show": Method(self.show, {"id": text(most=64)}),
            "jobs.retry": Method(self.retry, some),
            "jobs.cancel": Method(self.cancel, some),
            "jobs.dismiss": Method(self.dismiss, some),
            "jobs.pause": Method(self.pause, {"kind": text(most=64), "why": text(optional=True)}),
            "jobs.resume": Method(self.resume, {"kind": text(most=64)}),
        }

    async def list(self, call: Call) -> Mapping[str, object]:
        """The newest jobs, and the kinds that stand still."""
        state, kind = call.params.maybe_text("state"), call.params.maybe_text("kind")

        def work(connection: Connection) -> tuple[list[Job], list[Paused]]:
            limit = call.params.integer("limit")
            found = table.listing(connection, state=state, kind=kind, limit=limit)
            return found, pauses.listing(connection)

        found, paused = await self._services.db.read(work)
        return {"jobs": [_record(job) for job in found], "paused": paused_records(paused)}

    async def show(self, call: Call) -> Mapping[str, object]:
        """One job with all its fields and every attempt, and how the model's answers began that were of no use."""
        number = _number(call.params.text("id"))

        def work(connection: Connection) -> dict[str, object]:
            job = table.get(connection, number)
            more = {"lane": job.lane, "payload": dict(job.payload), "result": job.result}
            history = [_attempt(one) for one in attempts.listing(connection, number)]
            answers = [_answer(one) for one in ledger.answers(connection, number)]
            progress = self._progress(connection, job)
            return {**_record(job), **more, "progress": progress, "history": history, "answers": answers}

        return {"job": await self._services.db.read(work)}

    def _progress(self, connection: Connection, job: Job) -> Mapping[str, object] | None:
        """How far a job is that makes vectors."""
        embedding = self._services.embedding
        used = embedding.building if job.kind == kinds.REINDEX else embedding.serving
        tables = {kinds.REINDEX: TABLES, **kinds.EMBEDDED}.get(job.kind)
        if used is None or tables is None or job.state not in LIVE:
            return None
        return {"embedder": used.setting, **spaces.coverage(connection, used.space, tables).figures()}

    async def retry(self, call: Call) -> Mapping[str, object]:
        """Put jobs back into the queue with all their attempts."""
        services = self._services
        ids = await services.db.write(by_hand.retry, _which(call), services.clock.now_ms())
        services.queue.wake()
        return await self._changed(call, ids)

    async def cancel(self, call: Call) -> Mapping[str, object]:
        """Cancel jobs; those that run are broken off."""
        services = self._services
        ids = await services.db.write(by_hand.cancel, _which(call), services.clock.now_ms())
        services.queue.break_off(ids)
        return await self._changed(call, ids)

    async def dismiss(self, call: Call) -> Mapping[str, object]:
        """Remove jobs that have ended."""
        gone = await self._services.db.write(by_hand.dismiss, _which(call))
        return {"dismissed": gone}

    async def _changed(self, call: Call, ids: Sequence[int]) -> Mapping[str, object]:
        answer: dict[str, object] = {"changed": list(ids)}
        if call.params.maybe_text("id"):
            answer["job"] = _record(await self._services.db.read(table.get, ids[0]))
        return answer

    async def pause(self, call: Call) -> Mapping[str, object]:
        """Hold a whole kind until it is resumed; a job of it that runs is finished."""
        kind, why = call.params.text("kind"), call.params.maybe_text("why") or "paused by hand"
        if kind not in self._services.queue.kinds():
            raise NotFound(f"there is no kind {kind!r}; there are {', '.join(self._services.queue.kinds())}")
        now_ms = self._services.clock.now_ms()
        await self._services.db.write(pauses.pause, kind, why, now_ms, automatic=False)
        return {"paused": paused_records(await self._services.db.read(pauses.listing))}

    async def resume(self, call: Call) -> Mapping[str, object]:
        """Let a kind go on."""
        services, kind = self._services, call.params.text("kind")
        if not await services.db.write(pauses.resume, kind, services.clock.now_ms()):
            raise NotFound(f"{kind} is not paused; `memctl jobs list` shows which kinds are")
        services.queue.wake()
        return {"paused": paused_records(await services.db.read(pauses.listing))}


def paused_records(paused: Sequence[Paused]) -> list[Mapping[str, object]]:
    """The kinds that stand still, as answers tell them."""
    return [
        {
            "kind": one.kind,
            "reason": one.reason,
            "since": iso(one.since_ms),
            "until": _when(one.until_ms),
            "automatic": one.automatic,
        }
        for one in paused
    ]


def _which(call: Call) -> Which:
    one, state, kind = (call.params.maybe_text(name) for name in ("id", "state", "kind"))
    if one is None and state is None and kind is None:
        raise BadRequest("which jobs? give an ID, --state or --kind")
    if one is not None and (state or kind):
        raise BadRequest("an ID says which job it is; --state and --kind do not go with it")
    return Which(None if one is None else _number(one), state, kind)


def _number(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 18):
        raise NotFound(f"there is no job {word!r}")
    return int(word)


def _when(ms: int | None) -> str | None:
    return None if ms is None else iso(ms)


def _record(job: Job) -> dict[str, object]:
    return {
        "id": job.id,
        "kind": job.kind,
        "key": job.key,
        "state": job.state.value,
        "attempts": job.attempts,
        "max_attempts": job.max_attempts,
        "run_at": iso(job.run_at_ms),
        "created_at": iso(job.created_ms),
        "updated_at": iso(job.updated_ms),
        "error": job.error,
    }


def _attempt(one: Attempt) -> Mapping[str, object]:
    return {
        "attempt": one.number,
        "started_at": iso(one.started_ms),
        "ended_at": _when(one.ended_ms),
        "ending": one.ending or "running",
        "reason": one.reason,
        "next_at": _when(one.next_ms),
        "times": one.times,
    }


def _answer(one: Answer) -> Mapping[str, object]:
    return {"at": iso(one.at_ms), "result": one.result, "begins": one.text}
