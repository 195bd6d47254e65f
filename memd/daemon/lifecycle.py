"""The daemon's life: lock, database, socket, intake; then a signal; then everything back in order (R8, R15)."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import structlog

from memd.clock import Clock, SystemClock
from memd.config.load import Loaded
from memd.config.paths import Paths, history_dirs, observations_dirs
from memd.daemon import folders, lock, schedule, wiring
from memd.daemon.embedders import Embedders
from memd.daemon.health import Health, give_memory_back
from memd.daemon.lock import Lock
from memd.daemon.notify import Notifier
from memd.daemon.opening import Opened, check_behind, forget_again, open_database
from memd.db import aside, backup_folder
from memd.errors import Damaged, Fatal, MemdError
from memd.jobs import kinds
from memd.ledger import table as ledger
from memd.providers.embedding.open import open_embedder
from memd.providers.llm.open import open_model
from memd.server import ahead, binding
from memd.server.listener import Listener
from memd.services import Services, Troubles
from memd.sources import foreign, observation_table
from memd.sources.foreign import ForeignRoot
from memd.tasks.observe_soon import note_first_start
from memd.turns.stores.open import open_shared
from memd.version import __version__

_log = structlog.get_logger("memd")

GRACE_SECONDS = 1.0
INTAKE_SECONDS = 2.0
JOB_SECONDS = 3.0
LONGEST_START_SECONDS = 1800


async def live(loaded: Loaded, paths: Paths, roots: Sequence[bytes], env: Mapping[str, str]) -> int:
    """Serve until a signal or something fatal; the exit code."""
    if "LISTEN_FDS" not in env:  # before there is anything at all in the home
        binding.check_length(paths.socket)
    folders.make_private(_own_folders(paths))
    held = lock.acquire(paths.lock)
    backup_folder.clean(paths.backups)
    clock = SystemClock()
    troubles = Troubles(clock)
    notifier = Notifier(env)
    try:
        opened = open_database(paths, troubles, clock, lambda line: _starting(line, held, notifier))
        if opened.fresh and held.ran_before:
            troubles.raise_(
                "database gone",
                f"{paths.database} was gone: a new one is filled from the transcripts that are still there",
                f"what they no longer hold may be in {paths.backups}; the next start says this no more",
                mild=True,
            )
        try:
            held.say("")
            return await _inhabit(opened, loaded, paths, roots, env, clock, troubles, notifier)
        finally:
            opened.db.close()
    except MemdError as error:
        if isinstance(error, Damaged):
            aside.condemn(paths.database, error.detail or "")
        held.say(f"it ended by itself: {error.message}")
        raise
    finally:
        held.release()


async def _inhabit(
    opened: Opened,
    loaded: Loaded,
    paths: Paths,
    roots: Sequence[bytes],
    env: Mapping[str, str],
    clock: Clock,
    troubles: Troubles,
    notifier: Notifier,
) -> int:
    """Furnish the house on the open database, and serve."""
    loop = asyncio.get_running_loop()
    ending: asyncio.Future[Fatal | None] = loop.create_future()

    def on_fatal(error: Fatal) -> None:
        loop.call_soon_threadsafe(_end, ending, error)

    opened.db.on_fatal = on_fatal
    opened.db.after_apart = give_memory_back
    if opened.capabilities.vec is None:
        troubles.raise_(
            "sqlite-vec",
            f"sqlite-vec does not load: {opened.capabilities.vec_problem}",
            "vectors are scanned exactly",
            mild=True,
        )
    again = forget_again(opened.db, troubles)
    settings = loaded.settings.embedding
    open_ = partial(
        open_embedder,
        model_dir=paths.model_dir,
        cache_dir=paths.models,
        threads=settings.threads,
        clock=clock,
    )
    embedders = Embedders(opened.db, clock, settings.embedder, open_)
    embedders.settle()
    house = wiring.build(
        opened.db,
        opened.capabilities,
        embedders,
        loaded,
        paths,
        roots,
        _foreign(loaded, env),
        clock,
        troubles,
        lambda error: _end(ending, error),
        log_folders=_log_folders(loaded, paths, env),
        model=open_model(loaded.settings.llm.asked(env), env),
        shared=open_shared(loaded.settings.store.url, loaded.settings.store.table),
    )
    if again:
        _log.info("forgotten_again")
        await house.worker.enqueue(kinds.COMPACT, "removed")
    return await _serve(house, ending, loaded, paths, env, notifier, checked=opened.checked)


def _foreign(loaded: Loaded, env: Mapping[str, str]) -> list[ForeignRoot]:
    """The folders of other programs that are watched."""
    asked, folders = loaded.settings.sources, history_dirs(env)
    wanted = {foreign.CODEX: asked.codex, foreign.GEMINI: asked.gemini, foreign.OPENCODE: asked.opencode}
    return [
        ForeignRoot(program, os.path.realpath(os.fsencode(folders[program])))
        for program, wants in wanted.items()
        if wants
    ]


def _log_folders(loaded: Loaded, paths: Paths, env: Mapping[str, str]) -> list[bytes]:
    """Where observation logs are looked for."""
    folders = observations_dirs(env, paths.observations, loaded.settings.sources.observations)
    return list(dict.fromkeys(os.path.realpath(os.fsencode(folder)) for folder in folders))


def _starting(line: str, held: Lock, notifier: Notifier) -> None:
    """The start takes longer: the supervisor and who asks learn why."""
    notifier.starting(line, LONGEST_START_SECONDS)
    held.say(f"{lock.STARTING} {line}")


def _own_folders(paths: Paths) -> list[Path]:
    return [
        *([paths.home] if paths.home else []),
        paths.data,
        paths.backups,
        paths.observations,
        paths.models,
    ]


def _end(ending: asyncio.Future[Fatal | None], error: Fatal | None) -> None:
    if not ending.done():
        ending.set_result(error)


async def _ahead(services: Services) -> None:
    with suppress(MemdError):  # what was not read ahead is read when somebody asks
        await ahead.of_last(services)


async def _serve(
    house: wiring.House,
    ending: asyncio.Future[Fatal | None],
    loaded: Loaded,
    paths: Paths,
    env: Mapping[str, str],
    notifier: Notifier,
    *,
    checked: bool,
) -> int:
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, _end, ending, None)
    listener = Listener(paths.socket, house.dispatcher, env=env)
    services = house.services
    house.intake.start()
    await listener.start()
    house.watcher.start()
    health = Health(
        services,
        listener,
        notifier,
        idle_seconds=loaded.settings.embedding.idle_seconds,
        on_fatal=lambda error: _end(ending, error),
    )
    tasks = [
        loop.create_task(health.run()),
        loop.create_task(house.worker.run()),
        loop.create_task(house.governor.run(health.let_go)),
    ]
    tasks.append(loop.create_task(_ahead(services)))
    if house.shared is not None:
        tasks.append(loop.create_task(house.shared.run()))
    if not checked:
        tasks.append(loop.create_task(check_behind(paths.database)))
    for task in tasks:
        task.add_done_callback(lambda done: _report(done, ending))

    async def embed_soon() -> None:
        await services.db.write(services.embed_soon)
        services.queue.wake()

    await services.db.write(ledger.recover)
    await services.db.write(note_first_start, services.clock.now_ms())
    await _settle_file(services)
    ticks = schedule.start(house.worker.enqueue, embed_soon, house.backups.due, house.reflections)
    await embed_soon()
    if await services.db.read(observation_table.count_waiting):
        await house.worker.enqueue(kinds.ABSORB, "all")
    if services.embedding.building is not None:
        await house.worker.enqueue(kinds.REINDEX, "vectors")
    notifier.ready(f"memd {__version__}")
    _log.info("ready", version=__version__, pid=os.getpid(), socket=str(paths.socket))
    error = await ending
    _log.info("stopping", why=error.message if error else "signal")
    notifier.stopping()
    ticks.shutdown(wait=False)
    await _stop(house, listener, tasks)
    if error is not None:
        raise error
    return 0


async def _settle_file(services: Services) -> None:
    """Write to the curated files what was decided and could not be written there before memd ended."""
    try:
        await services.curated.settle()
    except MemdError as error:
        hint = "what was applied stands in the entries; MEMORY.md follows at the next start or the next apply"
        services.troubles.raise_("MEMORY.md", error.message, hint, mild=True)


def _report(done: asyncio.Task[None], ending: asyncio.Future[Fatal | None]) -> None:
    """A task that ends by itself is a bug: memd ends too, rather than live on without it."""
    if not done.cancelled() and (bug := done.exception()) is not None:
        _log.error("task_failed", error=type(bug).__name__)
        _end(ending, bug if isinstance(bug, Fatal) else Fatal(f"a task failed: {type(bug).__name__}"))


async def _stop(house: wiring.House, listener: Listener, tasks: Sequence[asyncio.Task[None]]) -> None:
    house.watcher.stop()
    stopping_intake = asyncio.get_running_loop().run_in_executor(None, house.intake.stop, INTAKE_SECONDS)
    await asyncio.gather(listener.stop(GRACE_SECONDS), house.worker.stop(JOB_SECONDS))
    if house.services.llm is not None:
        await house.services.llm.close()
    house.embedders.close()
    house.services.cross_encoder.close()
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks, timeout=2.0)
    await stopping_intake
    for embedding in house.embedding.values():
        embedding.close()
    house.reindex.close()
    house.absorb.close()
    house.imports.close()
    if house.shared is not None:
        house.shared.close()
    house.services.query_thread.shutdown(wait=False, cancel_futures=True)
