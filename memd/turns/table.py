"""The SQL of turns: storing a batch, marking branches, correcting sessions. Every function runs in a write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

import orjson

from memd.db import driver, fts
from memd.db.driver import Connection
from memd.ids import content_key
from memd.turns import tombstones
from memd.turns.turn import Claim, Turn

QUEUED_AT_ONCE = 20_000  # texts, in one transaction


@dataclass(slots=True)
class Stored:
    """What a batch changed: how many turns were new, and how many there already. ``index`` is owed for ``texts``."""

    new: int = 0
    duplicates: int = 0
    reworded: int = 0
    texts: list[tuple[int, str]] = field(default_factory=list)  # of the new turns, by row
    _sessions: dict[str, int] = field(default_factory=dict)

    def session_id(self, connection: Connection, key: str, format_: str) -> int:
        """The row of the session, made where it is new."""
        known = self._sessions.get(key)
        if known is None:
            connection.execute("INSERT OR IGNORE INTO session (key, format) VALUES (?, ?)", (key, format_))
            known = connection.execute("SELECT id FROM session WHERE key = ?", (key,)).get
            self._sessions[key] = known
        return known


_INSERT = """INSERT INTO turn (rowid, id, session_id, seq, role, content_id, file_id, claim, at_ms, sort_ms, timestamp,
  uuid, message_id, agent_id, branch, user_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


def add(
    connection: Connection,
    turns: Sequence[Turn],
    *,
    file_id: int | None,
    home: str | None,
    format_: str,
    stored: Stored,
    user_id: str | None = None,
) -> Set[str]:
    """Store the turns that are new and not forgotten; the first of an id wins. ``home`` is the session the file is
    named after, ``user_id`` whose they are where that is not whoever uses this machine.

    Gives the ids that were new. ``index`` must follow in the same transaction.
    """
    known = _stored(connection, [turn.id for turn in turns])
    fresh: dict[str, Turn] = {}
    for turn in turns:
        if turn.id in known:
            _met_again(connection, turn, known[turn.id], file_id, home, format_, stored)
        else:
            fresh.setdefault(turn.id, turn)
    stored.duplicates += len(turns) - len(fresh)
    for turn_id in tombstones.forgotten(connection, list(fresh)):
        del fresh[turn_id]
    new = list(fresh.values())
    first = _next(connection, "SELECT max(rowid) FROM turn")
    said = contents(connection, [turn.text for turn in new])
    keys = {turn.session_id for turn in new}
    sessions = {key: stored.session_id(connection, key, format_) for key in keys}
    connection.executemany(
        _INSERT,
        [
            (
                row,
                turn.id,
                sessions[turn.session_id],
                turn.seq,
                turn.role,
                content,
                file_id,
                int(turn.claim),
                turn.at_ms,
                turn.sort_ms,
                turn.timestamp,
                turn.uuid,
                turn.message_id,
                turn.agent_id,
                turn.branch,
                user_id,
            )
            for row, (turn, content) in enumerate(zip(new, said, strict=True), first)
        ],
    )
    _count(connection, first)
    stored.texts += enumerate((turn.text for turn in new), first)
    stored.new += len(new)
    return fresh.keys()


def index(connection: Connection, stored: Stored) -> None:
    """Put the texts of a whole batch into the text index, at its end.

    Most statements that follow such an insert in a transaction make FTS5 write out what it gathered, as one more
    segment to merge.
    """
    fts.insert(connection, stored.texts)
    stored.texts.clear()


def _next(connection: Connection, query: str) -> int:
    return int(connection.execute(query).get or 0) + 1


# The number of a text that is gone is not given again: its vectors may still be on their way.
_LAST_CONTENT = (
    "SELECT max(n) FROM (SELECT max(id) AS n FROM content UNION ALL SELECT max(covered) FROM space)"
)


def contents(connection: Connection, texts: Sequence[str]) -> list[int]:
    """The rows of the texts, made where nobody said them before."""
    keys = [content_key(text) for text in texts]
    rows = connection.execute(
        """SELECT c.key, c.id FROM json_each(?) AS asked CROSS JOIN content c ON c.key = unhex(asked.value)""",
        (orjson.dumps([key.hex() for key in keys]).decode(),),
    )
    known: dict[bytes, int] = dict(rows)
    number = _next(connection, _LAST_CONTENT)
    new: list[tuple[int, bytes, str]] = []
    for key, text in zip(keys, texts, strict=True):
        if key not in known:
            known[key] = number + len(new)
            new.append((known[key], key, text))
    connection.executemany("INSERT INTO content (id, key, text) VALUES (?, ?, ?)", new)
    return [known[key] for key in keys]


Known = tuple[Claim, int | None, bool, str]


def _stored(connection: Connection, ids: Sequence[str]) -> dict[str, Known]:
    """Of these turns those that are stored, with their claim, owning file, mark and session."""
    rows = connection.execute(
        """SELECT t.id, t.claim, t.file_id, t.hidden, s.key FROM json_each(?) AS asked
             CROSS JOIN turn t ON t.id = asked.value CROSS JOIN session s ON s.id = t.session_id""",
        (orjson.dumps(ids).decode(),),
    )
    return {turn: (Claim(claim), owner, bool(hidden), key) for turn, claim, owner, hidden, key in rows}


def _met_again(
    connection: Connection,
    turn: Turn,
    known: Known,
    file_id: int | None,
    home: str | None,
    format_: str,
    stored: Stored,
) -> None:
    """Note what a turn that is stored already tells more: a stronger claim on its session, or its home file."""
    claim, owner, hidden, session = known
    if turn.claim > claim:
        assign(connection, [(turn.id, turn.session_id, turn.claim)], format_=format_, stored=stored)
        session = turn.session_id
    if file_id is not None and owner != file_id and home == session:
        # The original file decides the order and the branches, whichever copy was read first; what was only heard
        # before is this machine's own now.
        connection.execute(
            """UPDATE turn SET file_id = ?, seq = ?, hidden = 0,
                 user_id = iif(file_id IN (SELECT file_id FROM shared_store), NULL, user_id) WHERE id = ?""",
            (file_id, turn.seq, turn.id),
        )
    elif owner == file_id and hidden:
        connection.execute("UPDATE turn SET hidden = 0 WHERE id = ?", (turn.id,))


def _count(connection: Connection, first: int) -> None:
    """Bring the sessions' counters and spans up to date with the new rows, which begin with ``first``."""
    connection.execute(
        """UPDATE session SET turns = turns + n,
             started_ms = min(coalesce(started_ms, earliest), coalesce(earliest, started_ms)),
             last_ms = max(coalesce(last_ms, latest), coalesce(latest, last_ms))
           FROM (SELECT session_id, count(*) AS n, min(sort_ms) AS earliest, max(sort_ms) AS latest
                 FROM turn NOT INDEXED WHERE rowid >= ? GROUP BY session_id) WHERE id = session_id""",
        (first,),
    )


def assign(
    connection: Connection, claims: Sequence[tuple[str, str, Claim]], *, format_: str, stored: Stored
) -> None:
    """Give turns to the session that a stronger claim names."""
    for turn_id, key, claim in claims:
        row = connection.execute("SELECT session_id, claim FROM turn WHERE id = ?", (turn_id,)).fetchone()
        if row is None or row[1] >= claim:
            continue
        session = stored.session_id(connection, key, format_)
        connection.execute(
            "UPDATE turn SET session_id = ?, claim = ? WHERE id = ?", (session, int(claim), turn_id)
        )
        if session != row[0]:
            for moved in (int(row[0]), session):
                recount(connection, moved)


def recount(connection: Connection, session: int) -> None:
    """Counters of one session from its rows."""
    connection.execute(
        """UPDATE session SET (turns, started_ms, last_ms) =
             (SELECT count(*), min(sort_ms), max(sort_ms) FROM turn WHERE session_id = ?1) WHERE id = ?1""",
        (session,),
    )


def mark(connection: Connection, *, file_id: int, hidden: Sequence[str], shown: Sequence[str]) -> None:
    """Mark turns of abandoned branches, and take the mark off again; only the file that owns a turn decides."""
    for value, ids in ((1, hidden), (0, shown)):
        connection.executemany(
            "UPDATE turn SET hidden = ? WHERE id = ? AND file_id = ?",
            [(value, turn_id, file_id) for turn_id in ids],
        )


def sessions(connection: Connection, keys: Iterable[str]) -> list[str]:
    """Of these sessions those that are known."""
    asked = (orjson.dumps(list(keys)).decode(),)
    found = connection.execute("SELECT key FROM session WHERE key IN (SELECT value FROM json_each(?))", asked)
    return [str(key) for (key,) in found]


def describe_session(
    connection: Connection,
    key: str,
    *,
    project_id: int | None,
    cwd: str | None,
    branch: str | None,
    title: str | None,
    continues: str | None,
    home: bool,
    user_id: str | None = None,
    agent_id: str | None = None,
) -> None:
    """What a file tells of a session; the session's own file has the last word, a copy only fills gaps."""
    fill = "coalesce(?{0}, {1})" if home else "coalesce({1}, ?{0})"
    columns = ("project_id", "cwd", "branch", "title", "continues", "user_id", "agent_id")
    sets = ", ".join(f"{name} = {fill.format(at, name)}" for at, name in enumerate(columns, 2))
    connection.execute(
        f"UPDATE session SET {sets} WHERE key = ?1",
        (key, project_id, cwd, branch, title, continues, user_id, agent_id),
    )


def count_redactions(connection: Connection, kinds: Mapping[str, int]) -> None:
    """Add to the counters of redacted secrets."""
    connection.executemany(
        "INSERT INTO redaction VALUES (?, ?) ON CONFLICT (kind) DO UPDATE SET n = n + excluded.n",
        kinds.items(),
    )


def queue_vectors(connection: Connection) -> None:
    """Put contents that came since last time into the backlog of every vector space in use, so many at a time."""
    newest = _next(connection, "SELECT max(id) FROM content") - 1
    behind = connection.execute(
        "SELECT id, covered FROM space WHERE covered < ? AND retired_ms IS NULL", (newest,)
    ).fetchall()
    for space, covered in behind:
        last = min(newest, driver.number(covered) + QUEUED_AT_ONCE)
        connection.execute(
            """INSERT OR IGNORE INTO backlog (space_id, sort_ms, content_id)
                 SELECT ?1, max(coalesce(t.sort_ms, 0)), c.id FROM content c JOIN turn t ON t.content_id = c.id
                 WHERE c.id > ?2 AND c.id <= ?3 GROUP BY c.id""",
            (space, covered, last),
        )
        connection.execute("UPDATE space SET covered = ? WHERE id = ?", (last, space))
