"""The methods of the queue: jobs.list, show, retry, cancel, dismiss."""

from __future__ import annotations

from collections.abc import Mapping

from memd.clock import iso
from memd.errors import NotFound
from memd.jobs import table
from memd.jobs.job import Job, State
from memd.server.dispatch import Call, Method
from memd.server.params import choice, integer, text
from memd.services import Services


class Jobs:
    """Answers about the queue."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        states = tuple(state.value for state in State)
        listing = {
            "state": choice(*states, optional=True),
            "kind": text(optional=True),
            "limit": integer(1, 1000, default=100),
        }
        one = {"id": text(most=64)}
        return {
            "jobs.list": Method(self.list, listing),
            "jobs.show": Method(self.show, one),
            "jobs.retry": Method(self.retry, one),
            "jobs.cancel": Method(self.cancel, one),
            "jobs.dismiss": Method(self.dismiss, one),
        }

    async def list(self, call: Call) -> Mapping[str, object]:
        """The newest jobs."""
        state, kind = call.params.maybe_text("state"), call.params.maybe_text("kind")
        found = await self._services.db.read(
            table.listing, state=state, kind=kind, limit=call.params.integer("limit")
        )
        return {"jobs": [_record(job) for job in found]}

    async def show(self, call: Call) -> Mapping[str, object]:
        """One job with all its fields."""
        job = await self._services.db.read(table.get, _number(call))
        return {"job": {**_record(job), "payload": dict(job.payload), "result": job.result}}

    async def retry(self, call: Call) -> Mapping[str, object]:
        """Put a job back into the queue with all its attempts."""
        now_ms = self._services.clock.now_ms()
        job = await self._services.db.write(table.move, _number(call), State.QUEUED, now_ms)
        self._services.queue.wake(job.lane)
        return {"job": _record(job)}

    async def cancel(self, call: Call) -> Mapping[str, object]:
        """Cancel a job; one that runs is stopped."""
        await self._services.queue.cancel(_number(call))
        return {"job": _record(await self._services.db.read(table.get, _number(call)))}

    async def dismiss(self, call: Call) -> Mapping[str, object]:
        """Remove a job that has ended."""
        await self._services.db.write(table.dismiss, _number(call))
        return {"dismissed": _number(call)}


def _number(call: Call) -> int:
    word = call.params.text("id")
    if not (word.isascii() and word.isdigit() and len(word) < 18):
        raise NotFound(f"there is no job {word!r}")
    return int(word)


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
