"""The methods of upkeep: verify, repair, backup, reindex."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from memd.db import backup, check, driver
from memd.db.database import Over
from memd.db.driver import Connection
from memd.errors import BadRequest
from memd.jobs import kinds
from memd.server import entries
from memd.server.dispatch import Call, Method
from memd.server.params import flag, text
from memd.services import Services
from memd.sources import native_table, observation_texts, titles
from memd.turns import reredact, spaces

TELL_SECONDS = 0.2


class Upkeep:
    """Answers about the soundness of what is stored, and mends it."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        anew = {"embedder": text(optional=True), "missing": flag()}
        return {
            "verify": Method(self.verify, {}, seconds=None),
            "repair": Method(self.repair, {"redact": flag()}, seconds=None),
            "backup": Method(self.backup, {"path": text(most=16 << 10), "force": flag()}, seconds=None),
            "reindex": Method(self.reindex, anew),
        }

    async def verify(self, call: Call) -> Mapping[str, object]:
        """Every check with its outcome; import and search go on meanwhile."""
        tell = _teller(call)

        def told(done: int) -> None:
            tell({"stage": "verify", "checks": done})

        def work(connection: Connection, over: Over) -> list[check.Check]:
            return check.faults(connection, self._services.space, told)

        checks = await self._services.db.apart(work)
        for one in checks:
            if one.name == "pages" and not one.ok:
                self._services.db.on_fatal(driver.damaged(one.detail))
        return {"ok": all(one.ok for one in checks), "checks": [asdict(one) for one in checks]}

    async def repair(self, call: Call) -> Mapping[str, object]:
        """Make the index anew and mend the rest; with ``redact`` today's rules over what is stored, first."""
        services = self._services
        report: dict[str, object] = {}
        if call.params.flag("redact"):
            report["redacted"] = await self._redact(call)
        await self._index(call)
        await services.db.write(check.mend)
        if call.params.flag("redact"):
            await call.event({"stage": "compact"})
            await services.db.outside(check.compact)
        services.vectors.release()
        await self._wait_for_vectors()
        return {**report, **await self.verify(call)}

    async def _wait_for_vectors(self) -> None:
        """Let what lost its vectors get them again."""
        services = self._services
        if services.space:
            await services.db.write(spaces.queue_lost, services.space)
            for kind in kinds.EMBEDDED:
                await services.queue.enqueue(kind, str(services.space))

    async def _redact(self, call: Call) -> Mapping[str, object]:
        done, after = reredact.Redone(), 0
        while (following := await self._services.db.write(reredact.step, after, done)) is not None:
            after = following
            await call.event({"stage": "redact", "texts": done.texts, "changed": done.changed})
        await self._services.db.write(titles.redact_again)
        await self._services.db.write(entries.redact_again)
        await self._services.db.write(native_table.redact_again)
        observed = 0
        while (read := await self._services.db.write(observation_texts.redact_again, observed)) is not None:
            observed = read
        return {"texts": done.texts, "changed": done.changed, "kinds": dict(done.kinds)}

    async def _index(self, call: Call) -> None:
        last = await self._services.db.write(check.clear_index)
        after = 0
        while (following := await self._services.db.write(check.fill_index, after, last)) is not None:
            after = following
            await call.event({"stage": "index", "turns": after})

    async def backup(self, call: Call) -> Mapping[str, object]:
        """A copy of the whole database at an absolute path, while everything goes on."""
        target, force = Path(call.params.text("path")), call.params.flag("force")
        _refuse_own(target, self._services.db.path)
        tell = _teller(call)

        def told(done: int, whole: int) -> None:
            tell({"stage": "backup", "percent": 100 * done // whole})

        def work(connection: Connection, over: Over) -> backup.Backup:
            return backup.take(connection, target, force=force, over=over, tell=told)

        made = await self._services.db.apart(work)
        return {"path": str(made.path), "bytes": made.bytes, "turns": made.turns, "schema": made.schema}

    async def reindex(self, call: Call) -> Mapping[str, object]:
        """Ask for vectors anew, in a space beside the one that serves; with ``missing`` for texts that have none."""
        services, wanted = self._services, call.params.maybe_text("embedder")
        if not call.params.flag("missing"):
            job = await services.embedding.begin(wanted, services.queue.enqueue_in)
            services.queue.wake()
            return {"job": job}
        used = services.embedding.serving
        if used is None or wanted not in (None, used.setting):
            raise BadRequest(
                f"{wanted or 'no embedder'} does not serve: --missing is for the space that does"
            )
        await services.db.write(spaces.requeue_missing, used.space)
        jobs = [await services.queue.enqueue(kind, str(used.space)) for kind in kinds.EMBEDDED]
        return {"job": jobs[0]}


def _refuse_own(target: Path, database: Path) -> None:
    """Nothing is ever written over the live database or the files beside it."""
    if not target.is_absolute():
        raise BadRequest(f"{target} is no absolute path")
    place = target.parent.resolve() / target.name
    live = target.exists() and target.samefile(database)
    if live or (
        place.parent == database.parent.resolve() and place.name.startswith(("memd.db", "memd.lock"))
    ):
        raise BadRequest(f"{target} belongs to the database that is in use; name another file")


def _teller(call: Call) -> Callable[[Mapping[str, object]], None]:
    """For a thread: tells the caller how far the work is, at most every ``TELL_SECONDS``."""
    loop, told = asyncio.get_running_loop(), 0.0

    def tell(body: Mapping[str, object]) -> None:
        nonlocal told
        if (now := time.monotonic()) - told >= TELL_SECONDS:
            told = now
            asyncio.run_coroutine_threadsafe(_tell(call, body), loop)

    return tell


async def _tell(call: Call, body: Mapping[str, object]) -> None:
    try:
        await call.event(body)
    except (ConnectionError, RuntimeError):
        pass  # who asked has gone, which ends the call by itself
