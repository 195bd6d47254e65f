"""Accepting a batch: turns, index rows, counts, the follow-up and the new offsets, in one transaction (R1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import orjson

from memd.db.driver import Connection
from memd.importers import head
from memd.importers.harvest import Harvest
from memd.sources import attribution
from memd.sources.cursors import Cursor
from memd.sources.projects import Project
from memd.turns import rewording, table, tombstones, whose

FORMAT = "claude-code"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a transcript tells of itself and of its session, as far as it is read."""

    session: str
    title: str | None
    project: Project | None
    cwd: str | None
    branch: str | None
    continues: str | None
    skipped: dict[str, int]
    unknown: dict[str, int]
    duplicates: int
    bad_lines: int
    user_id: str | None = None  # whose it is, where that was said
    agent_id: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of one file, parsed and redacted; a last line that has no newline yet may be among its turns."""

    cursor: Cursor
    restart: bool
    facts: Facts
    harvest: Harvest
    redactions: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # by turn id, then by kind
    watched: bool = True  # False for a file that is imported once: a cursor that stands already is left alone
    format: str = FORMAT
    excluded: str | None = None  # the working directory for which the file, or some of it, is passed over


FollowUp = Callable[[Connection], object]


def batch(connection: Connection, parts: Sequence[Part], follow_up: FollowUp | None = None) -> table.Stored:
    """Store the parts and, where a turn was new, whatever must follow; how many were new, and how many known."""
    stored = table.Stored()
    for part in parts:
        _store(connection, _untold(connection, part), stored)
    table.queue_vectors(connection)
    table.index(connection, stored)
    if (stored.new or stored.reworded) and follow_up:
        follow_up(connection)
    return stored


def _untold(connection: Connection, part: Part) -> Part:
    """The part without its titles, where they told of something that was forgotten."""
    if not tombstones.is_untitled(connection, part.facts.session):
        return part
    harvest = part.harvest
    if part.format == FORMAT:  # what is kept of the files of others holds no titles
        harvest = replace(harvest, head=head.without_titles(harvest.head))
    return replace(part, facts=replace(part.facts, title=None), harvest=harvest)


def _store(connection: Connection, part: Part, stored: table.Stored) -> None:
    facts, harvest = part.facts, part.harvest
    file_id = _file(connection, part) if part.watched else _place(connection, part)
    new = table.add(
        connection,
        harvest.turns,
        file_id=file_id,
        home=facts.session or None,
        format_=part.format,
        stored=stored,
        user_id=facts.user_id,
    )
    known = [turn for turn in harvest.turns if turn.id not in new]
    if facts.user_id is not None:
        whose.note(connection, facts.user_id, known, file_id=file_id)
    if harvest.reworded:
        new |= rewording.reword(connection, known, stored)
    for turn_id in part.redactions.keys() & new:
        table.count_redactions(connection, part.redactions[turn_id])
    table.assign(connection, harvest.claims, format_=part.format, stored=stored)
    table.mark(connection, file_id=file_id, hidden=harvest.hidden, shown=harvest.shown)
    _describe(connection, part, {turn.session_id for turn in harvest.turns})


def _describe(connection: Connection, part: Part, sessions: set[str]) -> None:
    """Pass on what the file says to the sessions its turns belong to; the title is its own session's alone."""
    facts = part.facts
    there = table.sessions(connection, sessions | {facts.session})
    if not there:
        return  # all of it was forgotten, or gave no turn: nothing is to be known of its project
    project_id = (
        attribution.remember(connection, facts.cwd, facts.project) if facts.cwd and facts.project else None
    )
    for key in there:
        home = key == facts.session
        table.describe_session(
            connection,
            key,
            project_id=project_id,
            cwd=facts.cwd,
            branch=facts.branch,
            title=facts.title if home else None,
            continues=facts.continues if home else None,
            home=home,
            user_id=facts.user_id,
            agent_id=facts.agent_id,
        )


def _file(connection: Connection, part: Part) -> int:
    """Write the cursor and what the importer needs to go on; the file's row."""
    cursor, facts, harvest = part.cursor, part.facts, part.harvest
    if part.restart:
        connection.execute(
            "DELETE FROM file_chunk WHERE file_id = (SELECT id FROM file WHERE path = ?)", (cursor.path,)
        )
        connection.execute("UPDATE file SET excluded = NULL WHERE path = ?", (cursor.path,))
    file_id: int = connection.execute(
        """INSERT INTO file (path, device, inode, size, mtime_ns, offset, head_hash, tail_hash, session, bad_lines,
             duplicates, skipped, unknown, head, excluded) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
           ON CONFLICT (path) DO UPDATE SET device = excluded.device, inode = excluded.inode, size = excluded.size,
             mtime_ns = excluded.mtime_ns, offset = excluded.offset, head_hash = excluded.head_hash,
             tail_hash = excluded.tail_hash, session = excluded.session, bad_lines = excluded.bad_lines,
             duplicates = excluded.duplicates, skipped = excluded.skipped, unknown = excluded.unknown,
             head = excluded.head, excluded = coalesce(excluded.excluded, file.excluded),
             missing = 0
           RETURNING id""",
        (
            cursor.path,
            cursor.device,
            cursor.inode,
            cursor.size,
            cursor.mtime_ns,
            cursor.offset,
            cursor.head_hash,
            cursor.tail_hash,
            facts.session,
            facts.bad_lines,
            facts.duplicates,
            orjson.dumps(facts.skipped).decode(),
            orjson.dumps(facts.unknown).decode(),
            harvest.head,
            part.excluded,
        ),
    ).get
    if harvest.nodes:
        connection.execute(
            "INSERT INTO file_chunk SELECT ?1, coalesce(max(number), 0) + 1, ?2 FROM file_chunk WHERE file_id = ?1",
            (file_id, harvest.nodes),
        )
    return file_id


def _place(connection: Connection, part: Part) -> int:
    """The row of a file that is not watched: it says where turns came from; nothing of it counts as read."""
    cursor = part.cursor
    connection.execute(
        """INSERT OR IGNORE INTO file (path, device, inode, size, mtime_ns, offset, head_hash, tail_hash, session)
             VALUES (?, ?, ?, -1, 0, 0, x'', x'', ?)""",
        (cursor.path, cursor.device, cursor.inode, part.facts.session),
    )
    return int(connection.execute("SELECT id FROM file WHERE path = ?", (cursor.path,)).get)
