"""The method ``sync``: look at the watched folders now, and wait until what stands there is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from memd.errors import Busy, Degraded, Timeout
from memd.jobs import kinds, pauses
from memd.server.dispatch import Call, Method
from memd.server.methods.observations import refuse_paused
from memd.server.params import flag, number
from memd.services import Services, Synced
from memd.sources import observation_table
from memd.turns import spaces

LOOK_SECONDS = 0.25


class Syncing:
    """Answers ``sync``."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        schema = {"wait": flag(), "embedded": flag(), "timeout": number(0, 86_400, default=60.0)}
        return {"sync": Method(self.sync, schema, seconds=None)}

    async def sync(self, call: Call) -> Mapping[str, object]:
        """Scan now; with ``wait`` until every line that was whole at the call is found by word (or by meaning)."""
        asked = asyncio.wrap_future(self._services.sources.rescan())
        if not call.params.flag("wait"):
            asked.add_done_callback(lambda done: done.cancelled() or done.exception())
            return {"files": 0, "turns": 0, "pending": self._services.sources.behind()[0]}
        limit = call.params.number("timeout")
        try:
            async with asyncio.timeout(limit):
                result = await self._stored(asked, call)
                await self._absorbed(call)
                level = await self._shared()
                if call.params.flag("embedded"):
                    await self._embedded(call)
                    level = await self._shared()
        except TimeoutError:
            files, size = self._services.sources.behind()
            raise Timeout(
                f"not everything is stored after {limit:g} s: {files} files, {size} bytes wait"
            ) from None
        except asyncio.CancelledError:
            if asked.cancelled():
                raise Busy("memd is stopping") from None
            raise
        told = {} if self._services.shared is None else {"store": "level" if level else "away"}
        return {"files": result.files, "turns": result.turns, "pending": result.pending, **told}

    async def _shared(self) -> bool:
        """Tell the shared store what is stored here and take in what others told; False where it does not answer."""
        return self._services.shared is not None and await self._services.shared.level()

    async def _stored(self, asked: asyncio.Future[Synced], call: Call) -> Synced:
        while True:
            done, _ = await asyncio.wait([asked], timeout=1.0)
            if done:
                return asked.result()
            files, size = self._services.sources.behind()
            await call.event({"stage": "import", "files": files, "bytes": size})

    async def _absorbed(self, call: Call) -> None:
        """Wait until every record of an observation log has become entries."""
        services = self._services
        if not await services.db.read(observation_table.count_waiting):
            return
        await refuse_paused(services)
        await services.queue.enqueue(kinds.ABSORB, "all")
        with services.governor.hurry():
            while waiting := await services.db.read(observation_table.count_waiting):
                await call.event({"stage": "absorb", "records": waiting})
                await asyncio.sleep(LOOK_SECONDS)

    async def _embedded(self, call: Call) -> None:
        """Wait until no text lacks its vectors. Who waits for it does not wait for a retry that is minutes away."""
        services = self._services
        if services.space is None:
            raise Degraded(
                "no embedder is configured, so nothing is found by meaning: memctl config get embedding.embedder"
            )
        await self._refuse_paused()
        for kind in kinds.EMBEDDED:
            await services.queue.enqueue(kind, str(services.space))
        with services.governor.hurry():
            await self._all_embedded(services.space, call)

    async def _refuse_paused(self) -> None:
        for paused in await self._services.db.read(pauses.listing):
            if paused.kind in kinds.EMBEDDED:
                raise Degraded(f"embedding is paused: {paused.reason}; memctl jobs resume {paused.kind}")

    async def _all_embedded(self, space: int, call: Call) -> None:
        told = 0.0
        while (covered := await self._services.db.read(spaces.coverage, space)).waiting:
            if (told := told + LOOK_SECONDS) >= 1:
                await call.event({"stage": "embed", "waiting": covered.waiting, "contents": covered.contents})
                told = 0.0
            await asyncio.sleep(LOOK_SECONDS)
