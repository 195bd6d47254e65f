"""Reflection as one call: what no reflection has seen is read by the language model, and what it finds is stored."""

from __future__ import annotations

import os
import runpy
from collections.abc import Mapping, Sequence
from dataclasses import replace

from memd.api import asking, embeddings, records, storage
from memd.api.records import Record
from memd.api.reflection import read_memory_md
from memd.config import load
from memd.db.driver import Connection
from memd.errors import Degraded, ModelError, ReplyUnusable
from memd.ledger import metering, replies
from memd.memory import table
from memd.memory.writer import USUAL_THRESHOLDS
from memd.providers.llm.base import Request
from memd.reflection import apply, diff, gate, op, reading, reply, statements
from memd.reflection.apply import Noted, Read
from memd.reflection.op import Found, ReflectionOp
from memd.reflection.reading import Gathered
from memd.reflection.reply import Unreadable
from memd.sources import attribution
from memd.sources.exclusions import Exclusions
from memd.text.tokens import Offline
from memd.turns.redact import redact


def main() -> None:
    """The command line: ``memctl``, with the arguments of this process; it ends with its exit code."""
    runpy.run_module("memctl", run_name="__main__", alter_sys=True)


def parse_reflection_response(response: str) -> Record:
    """What a reply holds: ``insights``, and ``ops`` with ``op``, ``old``, ``new`` and ``entry_ids``."""
    found = reply.read(None, response)
    if isinstance(found, Unreadable):
        return {"insights": [], "ops": []}
    return {"insights": [one.text for one in found.insights], "ops": [_record(one) for one in found.ops]}


def generate_memory_diff(ops: list[Record], previews: dict[int, str] | None = None) -> str:
    """Operations as they would change the curated file; ValueError where one of them is none.

    ``previews``: how the entries begin that a merge takes the place of.
    """
    return diff.render([_made(one) for one in ops], previews)


def reflect(
    conn: Connection,
    days: int = 7,
    min_new: int = 3,
    batch_size: int = 50,
    *,
    project: str | None = None,
    branch: str | None = None,
) -> Record:
    """Reflect once on what is new, of a project or of all, and propose what would change in MEMORY.md.

    A first reflection begins with the last ``days``; nothing before is lost. ``skipped`` and ``reason`` say why nothing
    was asked, or that the call failed: the watermark stands where it stood then.
    """
    storage.check_writable(conn)
    row = records.project(conn, project)
    if why := gate.why_shut(conn, row, min_new):
        return _told(why, skipped=True)
    gathered = reading.gather(conn, row, batch_size, days, storage.now_ms())
    named = " ".join(filter(None, (project, branch and f"on the branch {branch}")))
    try:
        read, found, call = _found(conn, replace(gathered, name=named or None))
    except (ModelError, Degraded) as error:
        return _told(f"LLM call failed: {error.message}")
    return _stored(conn, read, found, call)


def _found(conn: Connection, gathered: Gathered) -> tuple[Read, Found, int | None]:
    """What of it was read, what the reply holds, and the call that it cost; ModelError where there is no such reply."""
    settings = load.load(storage.places().config_file, os.environ).settings
    excluded = Exclusions(settings.import_.exclude, lambda cwd: attribution.remembered(conn, cwd))
    memory, counter = read_memory_md() or "", Offline()
    read, built = reading.prompted(
        gathered,
        memory,
        settings.reflection.prompt_tokens,
        counter,
        redact=_redacted,
        is_excluded=excluded.cover,
    )
    if not built.taken:
        return read, Found(), None
    request = Request(built.system, built.text, reply.SCHEMA, reading.ANSWER_TOKENS, reading.PURPOSE)
    answer = asking.ask(conn, settings, request, counter)
    found = reply.read(answer.data, answer.text, statements.texts(memory))
    if isinstance(found, Unreadable):
        with storage.transaction(conn):
            metering.of_no_use(conn, answer.call)
        raise ReplyUnusable(found.why)
    return read, reading.plain(found, _redacted), answer.call


def _stored(conn: Connection, read: Read, found: Found, call: int | None) -> Record:
    meanings = {one.text: embeddings.meaning(conn, one.text, write=True) for one in found.insights}
    known = {text: meaning for text, meaning in meanings.items() if meaning is not None}

    def work() -> Noted | None:
        replies.forget(conn, call)
        return apply.reflection(
            conn, read, found, storage.now_ms(), meanings=known, thresholds=USUAL_THRESHOLDS
        )

    noted = storage.write(conn, "reflect", work)
    if noted is None:
        return _told("another reflection has read the same meanwhile")
    return {
        "skipped": False,
        "reason": None,
        "insights": [one.text for one in found.insights],
        "ops": [_record(one) for one in found.ops],
        "stored": len(noted.insights),
        "memory_diff": diff.render(found.ops, _previews(conn, found)) if found.ops else None,
        "batch_info": {"processed": len(read.batch.entries), "watermark": read.batch.after.entry},
    }


def _previews(conn: Connection, found: Found) -> Mapping[int, str]:
    """How the entries begin that its operations name."""
    ids = sorted({entry for one in found.ops for entry in one.entries})
    return {entry: one.content[: diff.PREVIEW_CHARS] for entry, one in table.by_ids(conn, ids).items()}


def _told(reason: str, *, skipped: bool = False) -> Record:
    nothing: Record = {"insights": [], "ops": [], "stored": 0, "memory_diff": None, "batch_info": None}
    return {"skipped": skipped, "reason": reason, **nothing}


def _redacted(text: str) -> str:
    return redact(text).text


def _record(change: ReflectionOp) -> Record:
    old: Sequence[str] = () if isinstance(change, op.Merge) else op.before(change)
    return {
        "op": op.name(change),
        "old": old[0] if old else None,
        "new": op.after(change),
        "entry_ids": list(change.entries),
    }


def _made(record: Record) -> ReflectionOp:
    old = [record["old"]] if record.get("old") else []
    made = op.made(record.get("op", ""), old, record.get("new") or "", tuple(record.get("entry_ids", ())))
    if isinstance(made, str):
        raise ValueError(f"{record!r} is no operation: {made}")
    return made
