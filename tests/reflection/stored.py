"""Reflections for tests: what was read, and what a reply made of it."""

from __future__ import annotations

from collections.abc import Sequence

from memd.db.database import Database
from memd.memory.writer import USUAL_THRESHOLDS
from memd.reflection import apply, batch
from memd.reflection.apply import Noted, Read
from memd.reflection.op import Found, Insight, ReflectionOp
from tests.memory.entries import NOW


def read(db: Database, memory: str = "", project: int | None = None, limit: int = batch.SIZE) -> Read:
    """What there is to be read now."""
    return Read(project, db.read_now(batch.take, project, limit, now_ms=NOW), memory)


def note(db: Database, what: Read, found: Found) -> Noted | None:
    """Store what a reply held."""
    return db.write_now(apply.reflection, what, found, NOW, meanings={}, thresholds=USUAL_THRESHOLDS)


def reflected(
    db: Database,
    memory: str = "",
    *,
    insights: Sequence[Insight] = (),
    ops: Sequence[ReflectionOp] = (),
    project: int | None = None,
) -> Noted:
    """A reflection that found this."""
    noted = note(db, read(db, memory, project), Found(insights, ops))
    assert noted is not None
    return noted
