"""Reflection as one call: what no reflection has seen is read by the language model, and what it finds is stored."""

from __future__ import annotations

import os
import runpy
from collections.abc import Mapping, Sequence
from dataclasses import replace

from memd.api import asking, embeddings, records, storage
from memd.api.records import Record
from memd.config import load
from memd.config.settings import Settings
from memd.db.driver import Connection
from memd.errors import Degraded, ModelError, ReplyUnusable
from memd.ledger import metering, narrowing
from memd.memory import table
from memd.memory.writer import USUAL_THRESHOLDS
from memd.reflection import curated_file, diff, op, reading, reply, rounds
from memd.reflection.apply import Noted, Read
from memd.reflection.op import Found, ReflectionOp
from memd.reflection.places import Places
from memd.reflection.prompt import Prompt
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
    was asked, or that the call failed: the watermark stands where it stood then. After a reply that was of no use fewer
    entries are asked about, as the daemon does it.
    """
    storage.check_writable(conn)
    row, now_ms = records.project(conn, project), storage.now_ms()
    gathered = rounds.gather(conn, row, min_new=min_new, size=batch_size, days=days, now_ms=now_ms)
    if isinstance(gathered, str):
        return _told(gathered, skipped=True)
    named = " ".join(filter(None, (project, branch and f"on the branch {branch}")))
    settings = load.load(storage.places().config_file, os.environ).settings
    read, built = _prompted(conn, settings, replace(gathered, name=named or None))
    try:
        found, call = _found(conn, settings, read, built) if built.taken else (Found(), None)
    except (ModelError, Degraded) as error:
        return _told(f"LLM call failed: {error.message}{_struck(conn, read, error)}")
    return _stored(conn, read, found, call)


def _prompted(conn: Connection, settings: Settings, gathered: Gathered) -> tuple[Read, Prompt]:
    excluded = Exclusions(settings.import_.exclude, lambda cwd: attribution.remembered(conn, cwd))
    places = Places(storage.places().memory_md, settings.memory.project_files)
    file = places.file_of(gathered.path)
    return reading.prompted(
        gathered,
        file,
        curated_file.read(places.path(file)),
        settings.reflection.prompt_tokens,
        Offline(),
        redact=_redacted,
        is_excluded=excluded.cover,
    )


def _found(conn: Connection, settings: Settings, read: Read, built: Prompt) -> tuple[Found, int | None]:
    """What the reply holds, and the call that it cost; ModelError where there is no such reply."""
    answer = asking.ask(conn, settings, rounds.request(built), Offline())
    try:
        return rounds.found(answer, read.memory, _redacted), answer.call
    except ReplyUnusable:
        with storage.transaction(conn):
            metering.of_no_use(conn, answer)
        raise


def _struck(conn: Connection, read: Read, error: ModelError | Degraded) -> str:
    """Count a reply that was of no use; in words that an entry was passed over for it, where one was."""
    if not isinstance(error, narrowing.UNUSABLE):
        return ""
    with storage.transaction(conn):
        passed = rounds.strike(conn, read, error, storage.now_ms())
    return f"; entry {', '.join(map(str, read.sent))} is passed over" if passed else ""


def _stored(conn: Connection, read: Read, found: Found, call: int | None) -> Record:
    meanings = {one.text: embeddings.meaning(conn, one.text, write=True) for one in found.insights}
    known = {text: meaning for text, meaning in meanings.items() if meaning is not None}

    def work() -> Noted | None:
        return rounds.store(
            conn, read, found, call, storage.now_ms(), meanings=known, thresholds=USUAL_THRESHOLDS
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
