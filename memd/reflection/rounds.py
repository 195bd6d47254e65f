"""One round of a reflection as the database sees it: what is read next, what came of a reply, or that it was of no use.

Who asks the model in between, the daemon's job or a program through the library, does it by these. Where no reply can
be used, fewer entries are asked about at once, down to one; that is passed over in the end, and told, so that the
watermark never stands still.
"""

from __future__ import annotations

from collections.abc import Mapping

from memd.db.driver import Connection
from memd.errors import ModelError, ReplyUnusable
from memd.ledger import narrowing, replies
from memd.memory.dedup import Thresholds
from memd.memory.meaning import Meaning
from memd.providers.llm.base import Reply, Request
from memd.reflection import apply, gate, reading, reply, statements
from memd.reflection.apply import Noted, Read
from memd.reflection.op import Found
from memd.reflection.prompt import Prompt
from memd.reflection.reading import Gathered, Redact
from memd.reflection.reply import Unreadable


def gather(
    connection: Connection, project: int | None, *, min_new: int, size: int, days: int, now_ms: int
) -> Gathered | str:
    """What is to be read next, of a project or of all; in words why nothing is."""
    if why := gate.why_shut(connection, project, min_new):
        return why
    most = narrowing.most(connection, _scope(project), size)
    return reading.gather(connection, project, most, days, now_ms)


def request(built: Prompt, job: int | None = None) -> Request:
    """What the model is asked."""
    return Request(built.system, built.text, reply.SCHEMA, reading.ANSWER_TOKENS, reading.PURPOSE, job)


def found(answer: Reply, memory: str, redact: Redact) -> Found:
    """What a reply holds, read with the curated file that was sent; ReplyUnusable where it is none."""
    held = reply.read(answer.data, answer.text, statements.texts(memory))
    if isinstance(held, Unreadable):
        raise ReplyUnusable(held.why)
    return reading.plain(held, redact)


def store(
    connection: Connection,
    read: Read,
    found: Found,
    call: int | None,
    now_ms: int,
    *,
    meanings: Mapping[str, Meaning],
    thresholds: Thresholds,
    job: int | None = None,
) -> Noted | None:
    """Store what came of a call; None where another reflection has read the same meanwhile."""
    noted = apply.reflection(
        connection, read, found, now_ms, meanings=meanings, thresholds=thresholds, job=job
    )
    narrowing.clear(connection, _scope(read.project), len(read.batch.entries))
    replies.forget(connection, call)
    return noted


def strike(
    connection: Connection, read: Read, error: ModelError, now_ms: int, job: int | None = None
) -> bool:
    """Count a reply that could not be used (``narrowing.UNUSABLE``); True where its entry was passed over for it."""
    if not narrowing.strike(connection, _scope(read.project), len(read.sent), error):
        return False
    return apply.pass_over(connection, read, now_ms, error.message, job)


def _scope(project: int | None) -> str:
    """By what a project is known to those who count bad answers."""
    return "reflect all" if project is None else f"reflect {project}"
