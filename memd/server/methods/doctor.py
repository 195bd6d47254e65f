"""The method ``doctor``: a look at everything that memd itself can see; ``memctl doctor`` looks at the rest."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from memd.clock import iso
from memd.db import backup_folder, check, driver
from memd.db.driver import Connection
from memd.errors import MemdError, ModelError, Timeout
from memd.jobs import kinds, pauses, table
from memd.jobs.job import Job
from memd.jobs.pauses import Paused
from memd.ledger import table as ledger
from memd.ledger.budget import Spent
from memd.providers.embedding.base import ModelUnavailable
from memd.server import checks, passed_over
from memd.server.checks import Check, Verdict
from memd.server.dispatch import Call, Method
from memd.services import Services, Trouble
from memd.turns import spaces
from memd.turns.spaces import Coverage

SECONDS = 25.0
_LIMITS = Path("/proc/sys/fs/inotify")


class Doctor:
    """Answers ``doctor``."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        return {"doctor": Method(self.doctor, {}, seconds=SECONDS)}

    async def doctor(self, call: Call) -> Mapping[str, object]:
        """Every check with its state, and the places that the client looks at itself."""
        services, data = self._services, self._services.db.path.parent
        found = [
            checks.sqlite(services.capabilities),
            *await self._stored(),
            self._importing(),
            *checks.programs(services.sources.programs(), os.path.isdir),
            checks.watch(services.watch_mode(), asked=str(self._setting("watch.mode")), limits=_limits()),
            await asyncio.to_thread(self._model),
            checks.disk(str(data), shutil.disk_usage(data).free),
            await self._llm(),
            *await self._shared(),
        ]
        troubles = [*services.troubles.all(), *await self._passed_over()]
        told = checks.with_troubles(found, troubles)
        return {
            "checks": [asdict(one) for one in told],
            "places": {"data": str(data), "socket": services.socket},
        }

    async def _stored(self) -> list[Check]:
        """What the database tells; that it does not is a fault too."""
        services = self._services
        try:
            seen = await services.db.read(_seen, services.space, services.clock.now_ms())
        except Timeout:
            why, fix = "there is too much to count in ten seconds", "memctl verify"
            return [Check("index", Verdict.UNKNOWN, why, "a turn is found by its words", fix)]
        except MemdError as error:
            why = "everything that is stored is in it"
            return [
                Check("database", Verdict.FAULT, error.message, why, "memctl verify, memctl service logs")
            ]
        now_ms, uptime = services.clock.now_ms(), self._uptime()
        newest = backup_folder.newest(services.db.path.parent / "backups")
        every = self._setting("backup.every_hours")
        return [
            checks.index(seen.texts, seen.indexed),
            checks.embedding(seen.covered, seen.embedding, services.embed_rate(), seen.embedding_paused),
            checks.jobs(
                dead=seen.dead, paused=seen.paused, oldest_due_s=seen.oldest_due_s, last=seen.last_done
            ),
            checks.backups(
                newest, every_hours=int(str(every)), turns=seen.turns, now_ms=now_ms, uptime=uptime
            ),
        ]

    async def _passed_over(self) -> list[Trouble]:
        try:
            return await self._services.db.read(passed_over.troubles)
        except MemdError:  # the check of the database tells
            return []

    async def _shared(self) -> list[Check]:
        shared = self._services.shared
        return [] if shared is None else [checks.shared(await shared.figures())]

    def _importing(self) -> Check:
        services, now = self._services, self._services.clock.monotonic()
        scanned, imported = services.sources.last_scan_at, services.sources.last_import_at
        files, size = services.sources.behind()
        interval = "watch.poll_seconds" if services.watch_mode() == "poll" else "watch.rescan_seconds"
        return checks.importing(
            checks.Importing(
                roots=services.roots,
                missing_roots=[root for root in services.roots if not os.path.isdir(root)],
                interval=float(str(self._setting(interval))),
                uptime=now - services.started_at,
                last_scan=None if scanned is None else now - scanned,
                last_import=None if imported is None else now - imported,
                behind_files=files,
                behind_bytes=size,
            )
        )

    async def _llm(self) -> Check:
        llm, caps = self._services.llm, self._services.llm_caps
        now_ms = self._services.clock.now_ms()
        spent, last = await self._services.db.read(_asked, now_ms, now_ms - int(1000 * self._uptime()))
        if llm is None:
            return checks.llm(None, "", "", spent, caps, last)
        name = f"{llm.name}, {llm.model}"
        try:
            by_itself = self._setting("reflection.enabled") is True
            return checks.llm(name, llm.check(), "", spent, caps, last, by_itself=by_itself)
        except ModelError as error:
            return checks.llm(name, "", error.message, spent, caps, last)

    def _model(self) -> Check:
        used = self._services.embedding.serving
        if used is None:
            return checks.model(self._services.embedding.configured, None)
        try:
            return checks.model(used.setting, used.embedder.check())
        except ModelUnavailable as error:
            return checks.model(used.setting, None, error.what, error.hint)

    def _uptime(self) -> float:
        return self._services.clock.monotonic() - self._services.started_at

    def _setting(self, key: str) -> object:
        return next(row.value for row in self._services.configuration.rows() if row.key == key)


@dataclass(frozen=True, slots=True)
class _Seen:
    """Figures of one snapshot."""

    turns: int
    texts: int
    indexed: int
    covered: Coverage | None
    embedding: Job | None
    embedding_paused: Paused | None
    dead: int
    paused: int
    oldest_due_s: int | None
    last_done: str


def _seen(connection: Connection, space: int | None, now_ms: int) -> _Seen:
    texts, indexed = check.indexed(connection)
    last, dead = table.last_done(connection), table.listing(connection, state="dead", kind=None, limit=1000)
    return _Seen(
        turns=driver.number(connection.execute("SELECT count(*) FROM turn").get),
        texts=texts,
        indexed=indexed,
        covered=spaces.coverage(connection, space) if space else None,
        embedding=_at_work(connection, space) if space else None,
        embedding_paused=next(
            (one for one in pauses.listing(connection) if one.kind in kinds.EMBEDDED), None
        ),
        dead=len(dead),
        paused=len(table.listing(connection, state="paused", kind=None, limit=1000)),
        oldest_due_s=table.oldest_due_s(connection, now_ms),
        last_done=f"last done: {last.kind}, {iso(last.updated_ms)[:16].replace('T', ' ')}"
        if last
        else "none was done yet",
    )


def _asked(connection: Connection, now_ms: int, started_ms: int) -> tuple[Spent, str]:
    """What the language model took today, and what came of its last call since the start, which may have mended it."""
    last = ledger.listing(connection, since_ms=started_ms, limit=1)
    return ledger.spent(connection, now_ms), last[0].result if last else ""


def _at_work(connection: Connection, space: int) -> Job | None:
    """The job that makes what vectors are missing; None where one is missing itself."""
    found = [
        table.live(connection, kind)
        for kind, tables in kinds.EMBEDDED.items()
        if spaces.is_behind(connection, space, tables)
    ]
    return None if None in found else next(iter(found), None)


def _limits() -> str:
    """How many folders and programs the kernel lets watch, where it tells."""
    try:
        watches, instances = (
            int((_LIMITS / f"max_user_{what}").read_text("ascii")) for what in ("watches", "instances")
        )
    except (OSError, ValueError):
        return ""
    return f"; the kernel allows {watches:,} watches and {instances:,} instances"
