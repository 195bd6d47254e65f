"""Reflection as one call: what no reflection has seen is read by the language model, and what it finds is stored."""

from __future__ import annotations

import runpy
from collections.abc import Sequence

from memd.api import asking, embeddings, records, storage
from memd.api.records import Record
from memd.api.reflection import read_memory_md
from memd.db.driver import Connection
from memd.errors import Degraded, ModelError
from memd.memory import table
from memd.memory.writer import USUAL_THRESHOLDS
from memd.providers.llm.base import Request, Stop
from memd.reflection import apply, batch, diff, earlier, op, prompt, reply, statements
from memd.reflection.apply import Read
from memd.reflection.op import Found, ReflectionOp
from memd.reflection.prompt import Material
from memd.reflection.reply import Unreadable
from memd.text.neutral import restored
from memd.text.tokens import Offline
from memd.turns.redact import redact

PROMPT_TOKENS = 16_000
ANSWER_TOKENS = 4_000
DAY_MS = 86_400_000


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
    row, now_ms = records.project(conn, project), storage.now_ms()
    if batch.count(conn, row) < min_new:
        return _told("not enough new observations since last reflection", skipped=True)
    taken = batch.take(conn, row, batch_size, now_ms=now_ms, since_ms=now_ms - days * DAY_MS)
    if not taken.entries:
        return _told("no unreflected entries found", skipped=True)
    memory, near = read_memory_md() or "", earlier.nearest(conn, row, taken.entries)
    named = " ".join(filter(None, (project, branch and f"on the branch {branch}"))) or None
    counter = Offline()
    material = Material(taken.entries, redact(memory).text, near, named)
    built = prompt.build(material, PROMPT_TOKENS, counter)
    read = Read(row, taken.first(built.taken), memory, [entry.id for entry in near])
    request = Request(built.system, redact(built.text).text, reply.SCHEMA, ANSWER_TOKENS, "reflect")
    try:
        answer = asking.ask(conn, request, counter)
    except (ModelError, Degraded) as error:
        return _told(f"LLM call failed: {error.message}")
    found = reply.read(answer.data, answer.text, statements.texts(memory))
    if answer.stop_reason != Stop.END or isinstance(found, Unreadable):
        return _told("LLM call failed: its answer cannot be used")
    return _stored(conn, read, _clean(found))


def _stored(conn: Connection, read: Read, found: Found) -> Record:
    meanings = {
        one.text: meaning
        for one in found.insights
        if (meaning := embeddings.meaning(conn, one.text, write=True)) is not None
    }
    noted = storage.write(
        conn,
        "reflect",
        lambda: apply.reflection(
            conn, read, found, storage.now_ms(), meanings=meanings, thresholds=USUAL_THRESHOLDS
        ),
    )
    if noted is None:
        return _told("another reflection has read the same meanwhile")
    ids = sorted({entry for one in found.ops for entry in one.entries})
    shown = {entry: one.content[: diff.PREVIEW_CHARS] for entry, one in table.by_ids(conn, ids).items()}
    return {
        "skipped": False,
        "reason": None,
        "insights": [one.text for one in found.insights],
        "ops": [_record(one) for one in found.ops],
        "stored": len(noted.insights),
        "memory_diff": diff.render(found.ops, shown) if found.ops else None,
        "batch_info": {"processed": len(read.batch.entries), "watermark": read.batch.after.entry},
    }


def _told(reason: str, *, skipped: bool = False) -> Record:
    nothing: Record = {"insights": [], "ops": [], "stored": 0, "memory_diff": None, "batch_info": None}
    return {"skipped": skipped, "reason": reason, **nothing}


def _clean(found: Found) -> Found:
    def plain(text: str) -> str:
        return redact(restored(text)).text

    insights = [op.Insight(plain(one.text), one.entries) for one in found.insights]
    return Found(insights, [op.through(one, restored, plain) for one in found.ops], found.dropped)


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
