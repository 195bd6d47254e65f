"""The methods that tell how memd is: ping, status, stats, and the settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict

from memd.clock import iso
from memd.db import token_signs
from memd.db.driver import Connection
from memd.errors import NotFound
from memd.jobs import kinds, pauses, table
from memd.ledger import table as ledger
from memd.ledger.budget import Spent
from memd.memory import stats
from memd.reflection import batch, watermark
from memd.server import passed_over
from memd.server.dispatch import Call, Method
from memd.server.methods.jobs import paused_records
from memd.server.params import text
from memd.services import InUse, Services
from memd.sources import observation_figures
from memd.text.addresses import scrubbed
from memd.turns import read, spaces
from memd.version import __version__


class Status:
    """Answers about memd itself."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        return {
            "ping": Method(self.ping, {}, immediate=True),
            "status": Method(self.status, {}),
            "stats": Method(self.stats, {}),
            "config.list": Method(self.config_list, {}),
            "config.get": Method(self.config_get, {"key": text()}),
            "config.set": Method(self.config_set, {"key": text(), "value": text(blank=True)}),
        }

    async def ping(self, call: Call) -> Mapping[str, object]:
        """That the loop turns."""
        return {"pong": True, "pid": os.getpid(), "version": __version__}

    async def status(self, call: Call) -> Mapping[str, object]:
        """The health of everything, as `interface.md` has it."""
        services, now = self._services, self._services.clock.monotonic()
        counts, jobs, building = await services.db.read(self._figures)
        spent = await services.db.read(ledger.spent, services.clock.now_ms())
        scanned, worked = services.sources.last_scan_at, services.queue.last_finished_at
        imported = services.sources.last_import_at
        files, size = services.sources.behind()
        troubles = [*services.troubles.all(), *await services.db.read(passed_over.troubles)]
        degraded = [{"what": one.what, "since": one.since, "hint": one.hint} for one in troubles]
        return {
            "ready": scanned is not None,
            "pid": os.getpid(),
            "version": __version__,
            "uptime_s": round(now - services.started_at, 1),
            "degraded": degraded,
            "watch": {
                "mode": services.watch_mode(),
                "roots": [*services.roots, *services.sources.programs().values()],
                "last_scan_age_s": None if scanned is None else round(now - scanned, 1),
                "last_import_age_s": None if imported is None else round(now - imported, 1),
                "behind_files": files,
                "behind_bytes": size,
                **services.sources.passed_over(),
            },
            "counts": counts,
            "jobs": {**jobs, "last_finished_age_s": None if worked is None else round(now - worked, 1)},
            "embedder": {**self._embedder(), "building": building},
            "llm": self._llm(spent),
            **await self._shared(),
            "sqlite": {"version": services.capabilities.sqlite, "vec": services.capabilities.vec},
            "governor": services.governor.figures(),
            "memory_mb": round(services.governor.memory_mb(), 1),
            "socket": services.socket,
            "database": str(services.db.path),
        }

    async def _shared(self) -> dict[str, object]:
        """The store that is shared, where one is."""
        shared = self._services.shared
        return {} if shared is None else {"store": await shared.figures()}

    def _embedder(self) -> dict[str, object]:
        """The embedder that answers; without one, what is configured."""
        embedding = self._services.embedding
        used = embedding.serving
        return {
            "name": used.setting if used else embedding.configured,
            "dim": used.embedder.space.dim if used else None,
            "loaded": bool(used and used.embedder.loaded),
            "configured": embedding.configured,
        }

    def _llm(self, spent: Spent) -> dict[str, object]:
        """The language model, and what it took today (UTC) of what it may: tokens, and US dollars."""
        llm, caps = self._services.llm, self._services.llm_caps
        rows = self._services.configuration.rows()
        by_itself = any(row.key == "reflection.enabled" and row.value is True for row in rows)
        return {
            "provider": llm.name if llm else None,
            "model": llm.model if llm else None,
            "spent_today": spent.tokens,
            "cap": caps.tokens,
            "money_today": round(spent.money, 6),
            "money_cap": caps.money,
            "by_itself": llm is not None and by_itself,
        }

    def _figures(
        self, connection: Connection
    ) -> tuple[dict[str, object], dict[str, object], dict[str, object] | None]:
        counts = _counts(connection)
        used = self._services.embedding.serving
        covered = spaces.coverage(connection, used.space) if used else None
        counts["embedded_pct"] = round(100 * covered.share, 1) if covered else 0.0
        counts["embed_waiting"] = covered.waiting if covered else 0
        counts["embed_set_aside"] = covered.set_aside if covered else 0
        counts["token_signs_waiting"] = _without_signs(connection, used)
        jobs = table.counts(connection, self._services.clock.now_ms())
        jobs["paused_kinds"] = paused_records(pauses.listing(connection))
        return counts, jobs, self._building(connection)

    def _building(self, connection: Connection) -> dict[str, object] | None:
        """How far the space is that is to take the place of the one that serves."""
        coming = self._services.embedding.building
        if coming is None or not table.is_live(connection, kinds.REINDEX):
            return None
        covered = spaces.coverage(connection, coming.space)
        return {"name": coming.setting, **covered.figures()}

    async def stats(self, call: Call) -> Mapping[str, object]:
        """What is stored and what was passed over, by kind."""

        def work(connection: Connection) -> dict[str, object]:
            return {
                **_counts(connection),
                "dropped": observation_figures.dropped(connection),
                **read.tallies(connection),
                "projects": read.projects(connection),
                "memory": self._memory(connection),
            }

        return await self._services.db.read(work)

    def _memory(self, connection: Connection) -> dict[str, object]:
        """What there is of curated memory."""
        found, mark = stats.collect(connection, self._services.space), watermark.get(connection, None)
        return {
            **{
                name: dict(value) if isinstance(value, list) else value
                for name, value in asdict(found).items()
            },
            "unembedded": found.unembedded,
            "embedded_pct": found.embedded_pct,
            "unreflected": batch.count(connection, None),
            "last_reflected_at": None if mark is None else iso(mark.at_ms),
        }

    async def config_list(self, call: Call) -> Mapping[str, object]:
        """Every setting, with where its value comes from."""
        return {"settings": [asdict(row) for row in self._services.configuration.rows()]}

    async def config_get(self, call: Call) -> Mapping[str, object]:
        """One setting."""
        key = call.params.text("key")
        for row in self._services.configuration.rows():
            if row.key == key:
                return asdict(row)
        raise NotFound(f"there is no setting {key!r}; `memctl config list` shows them all")

    async def config_set(self, call: Call) -> Mapping[str, object]:
        """Write one setting into config.toml; it counts from the next start."""
        key, value = call.params.text("key"), call.params.text("value")
        self._services.configuration.set(key, value)
        return {"key": key, "value": scrubbed(value), "restart": True}


def _without_signs(connection: Connection, used: InUse | None) -> int:
    """How many vectors wait for the signs of their tokens, where the embedder makes some."""
    return token_signs.waiting(connection, used.space) if used and used.embedder.tokens else 0


def _counts(connection: Connection) -> read.Record:
    """What is stored of transcripts and of observation logs; files and bad lines are those of both."""
    counts, logs = read.counts(connection), observation_figures.figures(connection)
    for name, beside in (("files", "logs"), ("missing_files", "missing_logs"), ("bad_lines", "bad_records")):
        of_transcripts = counts[name]
        counts[name] = logs[beside] + (of_transcripts if isinstance(of_transcripts, int) else 0)
    return {**counts, "observations": logs}
