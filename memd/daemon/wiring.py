"""Wiring: every room gets what it needs, here and nowhere else."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import ParamSpec

from memd.clock import Clock
from memd.config.load import Loaded
from memd.config.paths import Paths
from memd.config.settings import Settings
from memd.daemon.configuration import FileConfiguration
from memd.daemon.dispatcher import dispatcher
from memd.daemon.embedders import Embedders
from memd.daemon.governor import Governor
from memd.daemon.health import give_memory_back
from memd.daemon.imports import Imports
from memd.daemon.schedule import Reflections, trigger
from memd.db.database import Database
from memd.db.driver import Capabilities, Connection
from memd.db.vectors import Vectors
from memd.errors import Fatal
from memd.importers.report import MemoryReport
from memd.injection import options as injection
from memd.intake.log_reading import LogReader
from memd.intake.loop import Intake
from memd.intake.mait_code.home import MaitCodeHome
from memd.intake.mait_code.run import HomeImport, Places
from memd.intake.reading import Reader
from memd.intake.restore import Restore
from memd.jobs import kinds
from memd.jobs.outcome import Kind
from memd.jobs.retry import RetryPolicy
from memd.jobs.worker import Worker
from memd.memory import review
from memd.providers.embedding.cross_encoder import CrossEncoder
from memd.providers.llm.base import LanguageModel
from memd.server.dispatch import Dispatcher
from memd.services import ImportWish, Services, Troubles
from memd.sources import attribution
from memd.sources.exclusions import Exclusions
from memd.sources.watch import Watcher
from memd.tasks import reflect as reflect_task
from memd.tasks.absorb_observations import AbsorbObservations
from memd.tasks.auto_apply import AutoApply
from memd.tasks.back_up import BackUp, Rules
from memd.tasks.compact import Compact
from memd.tasks.curated_file import CuratedFile
from memd.tasks.embed import Embed, has_work
from memd.tasks.metered import Metered
from memd.tasks.observe_session import ObserveSession
from memd.tasks.observe_soon import ObserveSoon
from memd.tasks.prune import Prune, Retention
from memd.tasks.reflect import Reflect
from memd.tasks.reflect_soon import ReflectSoon
from memd.tasks.reindex import Reindex
from memd.text.tokens import Counter, Estimate, Offline, Scaled
from memd.turns.marks import Marks

P = ParamSpec("P")

ASK_ATTEMPTS = 8  # of a job that asks the language model


@dataclass(frozen=True, slots=True)
class House:
    """The rooms of a running daemon."""

    services: Services
    dispatcher: Dispatcher
    intake: Intake
    watcher: Watcher
    worker: Worker
    governor: Governor
    embedders: Embedders
    embedding: Mapping[str, Embed]
    reindex: Reindex
    backups: BackUp
    imports: Imports
    absorb: AbsorbObservations
    reflections: Reflections | None  # None: they are not turned on, or there is no language model


def build(
    db: Database,
    capabilities: Capabilities,
    embedders: Embedders,
    loaded: Loaded,
    paths: Paths,
    roots: Sequence[bytes],
    clock: Clock,
    troubles: Troubles,
    on_fatal: Callable[[Fatal], None],
    *,
    log_folders: Sequence[bytes],
    model: LanguageModel | None,
) -> House:
    """Everything that serves, not yet started. Runs on the event loop that will run it."""
    loop = asyncio.get_running_loop()
    settings = loaded.settings
    governor = Governor(clock, troubles, settings.governor, threads=settings.embedding.threads)
    embedding = {
        kind: Embed(db, embedders, troubles, governor, tables) for kind, tables in kinds.EMBEDDED.items()
    }
    caps, counter = settings.llm.caps(), _counter(settings)
    rough = Estimate()  # of what is sent: an exact count would put 28 MB of tables into memd for minutes
    llm = Metered(model, db, clock, caps, rough) if model else None
    reindex = Reindex(db, clock, embedders, troubles, governor, lambda kind, key: worker.enqueue(kind, key))
    backups = BackUp(db, clock, troubles, paths.backups, _rules(settings))
    prune = Prune(
        db,
        clock,
        Retention(settings.retention.turn_days, settings.retention.job_days, settings.retention.journal_days),
        lambda connection: worker.enqueue_in(connection, kinds.COMPACT, "removed", None),
    )
    absorb = AbsorbObservations(
        db,
        clock,
        embedders,
        governor,
        settings.memory.thresholds(),
        lambda connection: embed_soon(connection),
    )
    curated = CuratedFile(db, paths.memory_md)
    working = _kinds(embedding if embedders.serving else {}, reindex, prune, backups, Compact(db), absorb)
    if llm is not None:
        auto_apply = AutoApply(
            db,
            clock,
            embedders,
            curated,
            settings.reflection.auto_apply,
            lambda connection: embed_soon(connection),
        )
        reflect = Reflect(
            db,
            clock,
            llm,
            embedders,
            curated,
            _reflection(settings),
            settings.memory.thresholds(),
            rough,
            is_excluded=lambda path: exclusions.cover(path),
            follow_up=lambda connection: embed_soon(connection),
            auto_apply=auto_apply,
        )
        observe = ObserveSession(
            db,
            clock,
            llm,
            paths.observations,
            counter,
            is_excluded=lambda path: exclusions.cover(path),
            on_appended=lambda: intake.rescan(),
        )
        policy = RetryPolicy(ASK_ATTEMPTS)
        working[kinds.REFLECT] = Kind(reflect.run, "llm", policy, backlog=True)
        working[kinds.OBSERVE] = Kind(observe.run, "llm", policy, backlog=True)
    worker = Worker(
        db,
        clock,
        working,
        off={
            **dict.fromkeys((*kinds.EMBEDDED, kinds.REINDEX), "no embedder is configured"),
            **dict.fromkeys((kinds.REFLECT, kinds.OBSERVE), "no language model is configured"),
        },
    )

    def embed_soon(connection: Connection) -> None:
        used = embedders.serving
        for kind, tables in kinds.EMBEDDED.items():
            if used is not None and has_work(connection, used, tables):
                worker.enqueue_in(connection, kind, str(used.space), None)

    def absorb_soon(connection: Connection) -> None:
        worker.enqueue_in(connection, kinds.ABSORB, "all", None)

    exclusions = Exclusions(settings.import_.exclude, lambda cwd: db.read_now(attribution.remembered, cwd))
    intake = Intake(
        db,
        Reader(db, exclusions, subagents=settings.import_.subagents, own_home=str(paths.data)),
        troubles,
        roots,
        subagents=settings.import_.subagents,
        interval=lambda: _scan_seconds(settings, watcher),
        follow_up=embed_soon,
        native_follow_up=embed_soon,
        log_folders=log_folders,
        log_follow_up=absorb_soon,
        on_stored=lambda _: _soon(loop, worker.wake),
        on_quiet=give_memory_back,
        on_fatal=lambda error: _soon(loop, on_fatal, error),
    )
    watcher = Watcher(
        [*roots, *filter(os.path.isdir, log_folders)],
        intake.hint,
        troubles,
        debounce_ms=settings.watch.debounce_ms,
        step_ms=settings.watch.step_ms,
        events=settings.watch.mode != "poll",
    )

    def remembered(connection: Connection) -> None:
        embed_soon(connection)
        absorb_soon(connection)

    def take_home(wish: ImportWish, home: MaitCodeHome) -> MemoryReport:
        return HomeImport(
            db,
            wish,
            home,
            Places(paths.data, paths.memory_md),
            reader=LogReader(db, exclusions),
            thresholds=settings.memory.thresholds(),
            now_ms=clock.now_ms(),
            follow_up=remembered,
        ).run()

    imports = Imports(db, exclusions, paths.data, take_home, embed_soon, worker.wake)
    restore = Restore(
        db,
        LogReader(db, exclusions),
        log_folders,
        governor,
        intake.rescan,
        lambda: worker.enqueue(kinds.ABSORB, "all"),
        absorb.again,
    )
    services = Services(
        db=db,
        clock=clock,
        troubles=troubles,
        capabilities=capabilities,
        embedding=embedders,
        llm=llm,
        llm_caps=caps,
        cross_encoder=CrossEncoder(
            settings.recall.cross_encoder, cache_dir=paths.models, threads=settings.embedding.threads
        ),
        governor=governor,
        vectors=Vectors(),
        marks=Marks(),
        query_thread=ThreadPoolExecutor(1, "memd-query"),
        sources=intake,
        queue=worker,
        configuration=FileConfiguration(loaded, paths),
        curated=curated,
        exclusions=exclusions,
        import_history=imports.run,
        restore=restore.run,
        watch_mode=lambda: watcher.mode,
        roots=[os.fsdecode(root) for root in roots],
        socket=str(paths.socket),
        started_at=clock.monotonic(),
        embed_soon=embed_soon,
        embed_rate=embedding[kinds.EMBED_TURNS].rate.per_second,
        default_limit=settings.search.limit,
        default_mode=settings.search.mode,
        default_budget=settings.recall.budget,
        counter=counter,
        tz=_timezone(settings),
        subagents=settings.import_.subagents,
        thresholds=settings.memory.thresholds(),
        review=_review(settings),
        scoring=settings.scoring.rule(),
        injection=_injection(settings),
    )
    return House(
        services,
        dispatcher(services),
        intake,
        watcher,
        worker,
        governor,
        embedders,
        embedding,
        reindex,
        backups,
        imports,
        absorb,
        _reflections(settings, db, clock, worker, exclusions) if llm else None,
    )


def _reflections(
    settings: Settings, db: Database, clock: Clock, worker: Worker, exclusions: Exclusions
) -> Reflections | None:
    options = settings.reflection
    trigger(options.schedule)  # a line that is none is told at the start, whether it counts or not
    soon = ReflectSoon(db, clock, worker, options.min_new, options.after_entries)
    observe = ObserveSoon(db, clock, worker, options.quiet_minutes, exclusions.cover)
    return Reflections(options.schedule, soon.daily, soon.look, observe.look) if options.enabled else None


def _review(settings: Settings) -> review.Options:
    options = settings.review
    return review.Options(options.min_importance, options.threshold, settings.scoring.rule().half_lives)


def _injection(settings: Settings) -> injection.Options:
    return settings.injection.options(_timezone(settings), settings.scoring.rule(), _review(settings))


def _reflection(settings: Settings) -> reflect_task.Options:
    options = settings.reflection
    return reflect_task.Options(options.min_new, options.batch, options.days, options.prompt_tokens)


def _rules(settings: Settings) -> Rules:
    backup = settings.backup
    return Rules(backup.every_hours, backup.keep, backup.max_mb * 1_000_000)


def _counter(settings: Settings) -> Counter:
    factor = settings.recall.token_factor
    return Offline() if factor == 1 else Scaled(Offline(), factor)


def _timezone(settings: Settings) -> tzinfo | None:
    return UTC if settings.recall.timezone == "utc" else None


def _scan_seconds(settings: Settings, watcher: Watcher) -> float:
    return settings.watch.poll_seconds if watcher.mode == "poll" else settings.watch.rescan_seconds


def _soon(
    loop: asyncio.AbstractEventLoop, call: Callable[P, object], *args: P.args, **kwargs: P.kwargs
) -> None:
    """Call from another thread."""
    loop.call_soon_threadsafe(lambda: call(*args, **kwargs))


def _kinds(
    embedding: Mapping[str, Embed],
    reindex: Reindex,
    prune: Prune,
    backups: BackUp,
    compact: Compact,
    absorb: AbsorbObservations,
) -> dict[str, Kind]:
    """Kind → handler, lane, retry policy. Without an embedder there is nothing to embed."""
    table = {
        kinds.PRUNE: Kind(prune.run, "upkeep", backlog=True),
        kinds.BACKUP: Kind(backups.run, "upkeep", backlog=True),
        kinds.COMPACT: Kind(compact.run, "upkeep", backlog=True),
        kinds.ABSORB: Kind(absorb.run, "absorb", backlog=True),
    }
    for kind, one in embedding.items():
        table[kind] = Kind(one.run, kind, backlog=True)
    if embedding:
        table[kinds.REINDEX] = Kind(reindex.run, "reindex", backlog=True)
    return table
