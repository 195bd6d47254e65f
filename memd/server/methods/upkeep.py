"""The methods of upkeep: verify, repair, reindex."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from memd.db import check
from memd.errors import BadRequest, Degraded
from memd.jobs import kinds
from memd.server.dispatch import Call, Method
from memd.server.params import flag, text
from memd.services import Services
from memd.turns import reredact


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
            "reindex": Method(self.reindex, anew),
        }

    async def verify(self, call: Call) -> Mapping[str, object]:
        """Every check with its outcome."""
        checks = await self._services.db.outside(check.faults, self._services.space)
        return {"ok": all(one.ok for one in checks), "checks": [asdict(one) for one in checks]}

    async def repair(self, call: Call) -> Mapping[str, object]:
        """Make the index anew and mend the rest; with ``redact`` today's rules over what is stored, first."""
        services = self._services
        report: dict[str, object] = {}
        if call.params.flag("redact"):
            report["redacted"] = await self._redact(call)
        await self._index(call)
        await services.db.write(check.mend, services.space)
        if call.params.flag("redact"):
            await services.db.outside(check.compact)
        services.vectors.release()
        if services.space:
            await services.queue.enqueue(kinds.EMBED_TURNS, str(services.space))
        return {**report, **await self.verify(call)}

    async def _redact(self, call: Call) -> Mapping[str, object]:
        done, after = reredact.Redone(), 0
        while (following := await self._services.db.write(reredact.step, after, done)) is not None:
            after = following
            await call.event({"stage": "redact", "texts": done.texts, "changed": done.changed})
        return {"texts": done.texts, "changed": done.changed, "kinds": dict(done.kinds)}

    async def _index(self, call: Call) -> None:
        last = await self._services.db.write(check.clear_index)
        after = 0
        while (following := await self._services.db.write(check.fill_index, after, last)) is not None:
            after = following
            await call.event({"stage": "index", "turns": after})

    async def reindex(self, call: Call) -> Mapping[str, object]:
        """Ask for vectors anew; another embedder is a setting, and its space fills by itself."""
        services, wanted = self._services, call.params.maybe_text("embedder")
        if services.space is None:
            raise Degraded("no embedder is configured: memctl config set embedding.embedder bundled")
        if wanted not in (None, services.embedder_name):
            raise BadRequest(
                f"memd runs with {services.embedder_name}: memctl config set embedding.embedder {wanted}, then"
                " memctl service restart; the new vectors are built by themselves"
            )
        missing = call.params.flag("missing")
        job = await services.queue.enqueue(kinds.REINDEX, str(services.space), {"missing": missing})
        return {"job": job}
