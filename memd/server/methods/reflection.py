"""The methods reflect and insights: have entries read by the language model, and what it found in them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from memd.clock import iso
from memd.db.driver import Connection
from memd.errors import Degraded, Timeout
from memd.jobs import kinds, pauses, table
from memd.jobs.job import ENDED, Job, State
from memd.jobs.pauses import Paused
from memd.memory import table as entries
from memd.memory.which import Which
from memd.reflection import batch, passed_over, proposal_table, watermark
from memd.server import scope
from memd.server.dispatch import Call, Method
from memd.server.params import flag, integer, number, text
from memd.services import Services

LOOK_SECONDS = 0.2
KEY_SECONDS = 86_400.0  # for which the key of a job that is done gives that job


class Reflection:
    """Has memd reflect, and answers what it found."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        project = {"project": text(optional=True, most=16 << 10)}
        schema = {
            **project,
            "now": flag(),
            "key": text(optional=True, most=200),
            "drain": flag(),
            "min_new": integer(0, 10_000, optional=True),
            "days": integer(1, 36_500, optional=True),
            "wait": flag(),
            "seconds": number(0, 86_400, default=600),
        }
        return {
            "reflect": Method(self.reflect, schema, seconds=None),
            "insights": Method(self.insights, {**project, "limit": integer(1, 1000, default=100)}),
        }

    async def reflect(self, call: Call) -> Mapping[str, object]:
        """The job that reflects, with ``wait`` how it ended; without ``now`` only what there is to reflect on."""
        project = await self._services.db.read(_project, call)
        if not call.params.flag("now"):
            return await self._services.db.read(_waiting, project)
        if self._services.llm is None:
            raise Degraded(
                "no language model is configured: set ANTHROPIC_API_KEY, or llm.provider (memctl config list)"
            )
        asked = {"project": project, "drain": call.params.flag("drain")}
        asked |= {name: call.params.maybe_integer(name) for name in ("min_new", "days")}
        own = [str(asked[name]) for name in ("drain", "min_new", "days") if asked[name] not in (None, False)]
        scope_key = "all" if project is None else f"project {project}"
        given = call.params.maybe_text("key")
        key, window_s = (given, KEY_SECONDS) if given else (" ".join([scope_key, *own]), 0.0)
        await self._services.db.write(passed_over.ask_again, project)
        job = await self._services.queue.enqueue(kinds.REFLECT, key, asked, window_s)
        if not call.params.flag("wait"):
            return {"job": job}
        ended = await self._ended(call, job)
        return {"job": job, "state": ended.state.value, "error": ended.error, "result": ended.result}

    async def _ended(self, call: Call, job: int) -> Job:
        """The job once it has ended. Timeout as soon as it is known that it takes longer than the call has time."""
        loop, seconds = asyncio.get_running_loop(), call.params.number("seconds")
        end = loop.time() + seconds
        while True:
            found, pause = await self._services.db.read(_stands, job)
            if found.state in ENDED:
                return found
            left = end - loop.time()
            if why := _held(found, pause, self._services.clock.now_ms() + int(left * 1000)):
                raise Timeout(f"job {job} waits: {why}")
            if left <= 0:
                raise Timeout(
                    f"job {job} is {found.state.value} after {seconds:g} s ({found.error or 'no error'}); it goes on:"
                    f" memctl jobs show {job}"
                )
            await call.event({"stage": "reflect", "job": job, "state": found.state.value})
            await asyncio.sleep(LOOK_SECONDS)

    async def insights(self, call: Call) -> Mapping[str, object]:
        """The live insights, of a project or all, the newest first, each with the entries it rests on."""

        def work(connection: Connection) -> Mapping[str, object]:
            project = _project(connection, call)
            which = Which(None if project is None else [project], type="insight")
            found = entries.listing(connection, which, call.params.integer("limit"))
            return {
                "insights": [
                    {
                        "id": one.id,
                        "text": one.content,
                        "project": one.project,
                        "created_at": iso(one.created_ms),
                        "sightings": one.sightings,
                        "entries": [
                            int(source.id)
                            for source in entries.sources(connection, one.id)
                            if source.kind == "entry"
                        ],
                    }
                    for one in found
                ]
            }

        return await self._services.db.read(work)


def _stands(connection: Connection, job: int) -> tuple[Job, Paused | None]:
    found = table.get(connection, job)
    return found, pauses.of(connection, found.kind)


def _held(job: Job, pause: Paused | None, until_ms: int) -> str | None:
    """Why a job does not run before a time; None where it may."""
    if job.state is State.RUNNING:
        return None
    if pause is not None and (pause.until_ms is None or pause.until_ms > until_ms):
        return f"{job.kind} is paused: {pause.reason} (memctl jobs resume {job.kind})"
    if job.run_at_ms > until_ms:
        return f"{job.error or 'it is not due'} (at {iso(job.run_at_ms)}; now: memctl jobs retry {job.id})"
    return None


def _project(connection: Connection, call: Call) -> int | None:
    """The project that a call names; NotFound where memd knows none of that name."""
    named = call.params.maybe_text("project")
    if named is None:
        return None
    row = scope.project(connection, named)
    if row is None:
        raise scope.unknown(named)
    return row


def _waiting(connection: Connection, project: int | None) -> Mapping[str, object]:
    mark = watermark.get(connection, project)
    return {
        "waiting": batch.count(connection, project),
        "last_reflected_at": None if mark is None else iso(mark.at_ms),
        "passed_over": passed_over.ids(connection, project),
        "open_proposals": proposal_table.counts(connection).get("open", 0),
    }
