"""The settings as each room takes them."""

from __future__ import annotations

from datetime import UTC, tzinfo

from memd.config.settings import Settings
from memd.injection.options import Options as Injection
from memd.memory.review import Options as Review
from memd.tasks.back_up import Rules
from memd.tasks.prune import Retention
from memd.tasks.reflect import Options as Reflection
from memd.text.tokens import Counter, Offline, Scaled


def review(settings: Settings) -> Review:
    options = settings.review
    return Review(options.min_importance, options.threshold, settings.scoring.rule().half_lives)


def injection(settings: Settings) -> Injection:
    return settings.injection.options(timezone(settings), settings.scoring.rule(), review(settings))


def reflection(settings: Settings) -> Reflection:
    options = settings.reflection
    return Reflection(options.min_new, options.batch, options.days, options.prompt_tokens)


def backups(settings: Settings) -> Rules:
    backup = settings.backup
    return Rules(backup.every_hours, backup.keep, backup.max_mb * 1_000_000)


def retention(settings: Settings) -> Retention:
    options = settings.retention
    return Retention(options.turn_days, options.job_days, options.journal_days)


def counter(settings: Settings) -> Counter:
    factor = settings.recall.token_factor
    return Offline() if factor == 1 else Scaled(Offline(), factor)


def timezone(settings: Settings) -> tzinfo | None:
    return UTC if settings.recall.timezone == "utc" else None


def scan_seconds(settings: Settings, mode: str) -> float:
    return settings.watch.poll_seconds if mode == "poll" else settings.watch.rescan_seconds
