"""Wiring: every room gets what it needs, here and nowhere else."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ParamSpec

from memd.clock import Clock
from memd.config.load import Loaded
from memd.config.paths import Paths
from memd.daemon import asking, options
from memd.daemon.configuration import FileConfiguration
from memd.daemon.dispatcher import dispatcher
from memd.daemon.embedders import Embedders
from memd.daemon.governor import Governor
from memd.daemon.handlers import handlers
from memd.daemon.health import give_memory_back
from memd.daemon.imports import Imports
from memd.daemon.schedule import Reflections
from memd.daemon.shared_store import Wishes, furnish
from memd.db.database import Database
from memd.db.driver import Capabilities, Connection
from memd.db.vectors import Vectors
from memd.errors import Fatal
from memd.importers.report import MemoryReport
from memd.intake.log_reading import LogReader
from memd.intake.loop import Intake
from memd.intake.mait_code.home import MaitCodeHome
from memd.intake.mait_code.run import HomeImport, Places
from memd.intake.reading import Reader
from memd.intake.restore import Restore
from memd.jobs import kinds
from memd.jobs.worker import Worker
from memd.providers.embedding.cross_encoder import CrossEncoder
from memd.providers.llm.base import LanguageModel
from memd.reflection.places import Places as CuratedPlaces
from memd.server.dispatch import Dispatcher
from memd.services import ImportWish, Services, Troubles
from memd.sources import attribution
from memd.sources.exclusions import Exclusions
from memd.sources.foreign import ForeignRoot
from memd.sources.hearing import Taken
from memd.sources.watch import Watcher
from memd.sources.watched import Watched
from memd.tasks.absorb_observations import AbsorbObservations
from memd.tasks.back_up import BackUp
from memd.tasks.compact import Compact
from memd.tasks.curated_files import CuratedFiles
from memd.tasks.embed import Embed, has_work
from memd.tasks.metered import Metered
from memd.tasks.prune import Prune
from memd.tasks.reindex import Reindex
from memd.tasks.shared_store import SharedStoreLife
from memd.text.tokens import Estimate
from memd.turns.marks import Marks
from memd.turns.shared import SharedStore

P = ParamSpec("P")


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
    shared: SharedStoreLife | None  # None: no store is shared
    reflections: Reflections | None  # None: they are not turned on, or there is no language model


def build(
    db: Database,
    capabilities: Capabilities,
    embedders: Embedders,
    loaded: Loaded,
    paths: Paths,
    roots: Sequence[bytes],
    foreign: Sequence[ForeignRoot],
    clock: Clock,
    troubles: Troubles,
    on_fatal: Callable[[Fatal], None],
    *,
    log_folders: Sequence[bytes],
    model: LanguageModel | None,
    shared: SharedStore | None,
) -> House:
    """Everything that serves, not yet started. Runs on the event loop that will run it."""
    loop = asyncio.get_running_loop()
    settings = loaded.settings
    governor = Governor(clock, troubles, settings.governor, threads=settings.embedding.threads)
    embedding = {
        kind: Embed(db, embedders, troubles, governor, tables) for kind, tables in kinds.EMBEDDED.items()
    }
    caps, counter = settings.llm.caps(), options.counter(settings)
    rough = Estimate()  # of what is sent: an exact count would put 28 MB of tables into memd for minutes
    llm = Metered(model, db, clock, caps, rough) if model else None
    reindex = Reindex(db, clock, embedders, troubles, governor, lambda kind, key: worker.enqueue(kind, key))
    backups = BackUp(db, clock, troubles, paths.backups, options.backups(settings))
    prune = Prune(
        db,
        clock,
        options.retention(settings),
        lambda connection: compact_soon(connection),
    )
    absorb = AbsorbObservations(
        db,
        clock,
        embedders,
        governor,
        settings.memory.thresholds(),
        lambda connection: embed_soon(connection),
    )
    curated = CuratedFiles(db, CuratedPlaces(paths.memory_md, settings.memory.project_files))
    exclusions = Exclusions(settings.import_.exclude, lambda cwd: db.read_now(attribution.remembered, cwd))
    working = handlers(embedding if embedders.serving else {}, reindex, prune, backups, Compact(db), absorb)
    if llm is not None:
        working |= asking.handlers(
            db,
            clock,
            llm,
            embedders,
            curated,
            settings,
            exclusions,
            rough=rough,
            exact=counter,
            observations=paths.observations,
            follow_up=lambda connection: embed_soon(connection),
            on_appended=lambda: intake.rescan(),
        )
    vectors = Vectors()

    def taken(page: Taken) -> None:
        worker.wake()
        if page.forgotten:
            vectors.release()

    furnished = None
    if shared is not None:
        wishes = Wishes(
            lambda connection: embed_soon(connection), lambda connection: compact_soon(connection), taken
        )
        furnished = furnish(db, clock, troubles, shared, settings.store, exclusions, embedders, wishes)
        working |= furnished[0]
    worker = Worker(
        db,
        clock,
        working,
        off={
            **dict.fromkeys((*kinds.EMBEDDED, kinds.REINDEX), "no embedder is configured"),
            **dict.fromkeys((kinds.REFLECT, kinds.OBSERVE), "no language model is configured"),
            **dict.fromkeys(kinds.SHARING, "no shared store is configured"),
        },
    )

    life = furnished[1](worker) if furnished else None

    def stored() -> None:
        worker.wake()
        if life is not None:
            life.wake()

    def compact_soon(connection: Connection) -> None:
        worker.enqueue_in(connection, kinds.COMPACT, "removed", None)

    def embed_soon(connection: Connection) -> None:
        used = embedders.serving
        for kind, tables in kinds.EMBEDDED.items():
            if used is not None and has_work(connection, used, tables):
                worker.enqueue_in(connection, kind, str(used.space), None)

    def absorb_soon(connection: Connection) -> None:
        worker.enqueue_in(connection, kinds.ABSORB, "all", None)

    intake = Intake(
        db,
        Reader(db, exclusions, subagents=settings.import_.subagents, own_home=str(paths.data)),
        troubles,
        Watched(roots, foreign, subagents=settings.import_.subagents),
        interval=lambda: options.scan_seconds(settings, watcher.mode),
        follow_up=embed_soon,
        native_follow_up=embed_soon,
        log_folders=log_folders,
        log_follow_up=absorb_soon,
        on_stored=lambda _: _soon(loop, stored),
        on_quiet=give_memory_back,
        on_fatal=lambda error: _soon(loop, on_fatal, error),
    )
    beside = [*(root.folder for root in foreign), *filter(os.path.isdir, log_folders)]
    watcher = Watcher(
        [*roots, *beside],
        intake.hint,
        troubles,
        debounce_ms=settings.watch.debounce_ms,
        step_ms=settings.watch.step_ms,
        events=settings.watch.mode != "poll",
        flat=[root.folder for root in foreign if root.flat],
        calm=beside,
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

    imports = Imports(db, exclusions, paths.data, take_home, embed_soon, stored)
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
        vectors=vectors,
        marks=Marks(),
        query_thread=ThreadPoolExecutor(1, "memd-query"),
        sources=intake,
        queue=worker,
        configuration=FileConfiguration(loaded, paths),
        curated=curated,
        exclusions=exclusions,
        shared=life,
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
        tz=options.timezone(settings),
        subagents=settings.import_.subagents,
        thresholds=settings.memory.thresholds(),
        review=options.review(settings),
        scoring=settings.scoring.rule(),
        injection=options.injection(settings),
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
        life,
        asking.reflections(settings, db, clock, worker, exclusions) if llm else None,
    )


def _soon(
    loop: asyncio.AbstractEventLoop, call: Callable[P, object], *args: P.args, **kwargs: P.kwargs
) -> None:
    """Call from another thread."""
    loop.call_soon_threadsafe(lambda: call(*args, **kwargs))
