"""What asks the language model: the kinds of jobs that do, and what the schedule asks them for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from memd.clock import Clock
from memd.config.settings import Settings
from memd.daemon import options
from memd.daemon.schedule import Reflections, trigger
from memd.db.database import Database
from memd.db.driver import Connection
from memd.jobs import kinds
from memd.jobs.outcome import Kind
from memd.jobs.retry import RetryPolicy
from memd.providers.llm.base import LanguageModel
from memd.services import Embedding, Queue
from memd.sources.exclusions import Exclusions
from memd.tasks.auto_apply import AutoApply
from memd.tasks.curated_files import CuratedFiles
from memd.tasks.observe_session import ObserveSession
from memd.tasks.observe_soon import ObserveSoon
from memd.tasks.reflect import Reflect
from memd.tasks.reflect_soon import ReflectSoon
from memd.text.tokens import Counter

ATTEMPTS = 8  # of a job that asks the language model


def handlers(
    db: Database,
    clock: Clock,
    model: LanguageModel,
    embedding: Embedding,
    curated: CuratedFiles,
    settings: Settings,
    exclusions: Exclusions,
    *,
    rough: Counter,
    exact: Counter,
    observations: Path,
    follow_up: Callable[[Connection], object],
    on_appended: Callable[[], object],
) -> Mapping[str, Kind]:
    """Kind → handler, lane, retry policy. ``follow_up`` runs in each write that stores entries."""
    thresholds = settings.memory.thresholds()
    auto_apply = AutoApply(db, clock, embedding, curated, settings.reflection.auto_apply, follow_up)
    reflect = Reflect(
        db,
        clock,
        model,
        embedding,
        curated,
        options.reflection(settings),
        thresholds,
        rough,
        is_excluded=exclusions.cover,
        follow_up=follow_up,
        auto_apply=auto_apply,
    )
    observe = ObserveSession(
        db, clock, model, observations, exact, is_excluded=exclusions.cover, on_appended=on_appended
    )
    policy = RetryPolicy(ATTEMPTS)
    return {
        kinds.REFLECT: Kind(reflect.run, "llm", policy, backlog=True),
        kinds.OBSERVE: Kind(observe.run, "llm", policy, backlog=True),
    }


def reflections(
    settings: Settings, db: Database, clock: Clock, queue: Queue, exclusions: Exclusions
) -> Reflections | None:
    """What the schedule asks for; None where it is not turned on."""
    chosen = settings.reflection
    trigger(chosen.schedule)  # a line that is none is told at the start, whether it counts or not
    soon = ReflectSoon(db, clock, queue, chosen.min_new, chosen.after_entries)
    observe = ObserveSoon(db, clock, queue, chosen.quiet_minutes, exclusions.cover)
    return Reflections(chosen.schedule, soon.daily, soon.look, observe.look) if chosen.enabled else None
