"""Taking in what was heard from a shared store: turns, sessions, vectors, tombstones and the mark, in one transaction.

A turn that this machine has from its own files stays as these tell it. What was forgotten here stays so; where it was
the user's own, the store is told to forget it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from memd.db import driver, token_signs
from memd.db.driver import Connection
from memd.sources import attribution, forgetting, titles
from memd.sources.heard_page import HeardSession, Page
from memd.turns import heard, outgoing, rewording, serving, sharing, spaces, table, tombstone_file, tombstones
from memd.turns.heard import HeardTurn
from memd.turns.shared import Mark, SharedVectors

FollowUp = Callable[[Connection], object]


@dataclass(slots=True)
class Taken:
    """How many turns were new and how many were forgotten. ``passed``: the page was not taken in. ``again``: the store
    is another one, and is told everything anew."""

    new: int = 0
    forgotten: int = 0
    passed: bool = False
    again: bool = False


class Hearing:
    """Stores page after page of one store. ``follow_up`` asks for what new turns need, ``compact`` for what removed
    ones leave to be done; both within the transaction. ``token_bytes``: of the embedder in use, 0 where it gives no
    tokens."""

    def __init__(
        self, store: int, follow_up: FollowUp, compact: FollowUp, token_bytes: Callable[[], int]
    ) -> None:
        self._store, self._follow_up, self._compact = store, follow_up, compact
        self._token_bytes = token_bytes

    def take(self, connection: Connection, page: Page, mark: Mark, *, again: bool) -> Taken:
        """Take in a page and the mark behind it. ``again``: the store is another one, and is told everything anew."""
        known, taken = sharing.known(connection, self._store), Taken(again=again)
        if page.forgotten:
            taken.forgotten = self._forget(connection, page.forgotten)
        stored = table.Stored()
        self._turns(connection, page, known, stored)
        for session in page.sessions.values():
            _describe(connection, session, stored)
        table.queue_vectors(connection)
        table.index(connection, stored)
        _put(connection, page.vectors, self._token_bytes())
        if again:
            sharing.tell_again(connection, self._store)
        sharing.note_heard(connection, self._store, mark)
        taken.new = stored.new
        if stored.new or stored.reworded:
            self._follow_up(connection)
        return taken

    def _forget(self, connection: Connection, keys: Iterable[bytes]) -> int:
        """Forget what others forgot; how many turns of it were here."""
        fresh = set(keys) - tombstones.all_of(connection)
        if not fresh:
            return 0
        tombstones.lay(connection, fresh)
        found = connection.execute("SELECT rowid, id FROM turn").fetchall()
        gone = {driver.number(row): str(id) for row, id in found if tombstones.of_turn(str(id)) in fresh}
        if gone:
            forgetting.remove(connection, list(gone))
            outgoing.strike_forgotten(connection, self._store, gone.values())
            self._compact(connection)
        return len(gone)

    def _turns(self, connection: Connection, page: Page, known: sharing.Known, stored: table.Stored) -> None:
        """Store the new turns, and bring those level that were heard before."""
        here = heard.here(connection, [one.turn.id for one in page.turns])
        new = [one for one in page.turns if one.turn.id not in here]
        gone = tombstones.forgotten(connection, [one.turn.id for one in new])
        own = [one.turn.id for one in new if one.turn.id in gone and one.user == known.user]
        outgoing.note_forgotten(connection, self._store, own)
        for (format_, user), turns in _alike(page, new).items():
            table.add(
                connection,
                [one.turn for one in turns],
                file_id=known.file,
                home=None,
                format_=format_,
                stored=stored,
                user_id=user,
            )
        hidden = [one.turn.id for one in new if one.hidden]
        table.mark(connection, file_id=known.file, hidden=hidden, shown=[])
        before = [one for one in page.turns if one.turn.id in here and not here[one.turn.id].own]
        rewording.reword(connection, [one.turn for one in before], stored)
        for one in before:
            session = _session_of(connection, page, one, stored)
            heard.change(connection, here[one.turn.id], one, session)


def note(connection: Connection, file: Path, keys: Sequence[bytes]) -> None:
    """Write down, outside of the database, what is to be forgotten and was not yet; on the writer's thread."""
    if fresh := sorted(set(keys) - tombstones.all_of(connection)):
        tombstone_file.add(file, fresh)


def folders(connection: Connection, keys: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Where those of the sessions were held that are here."""
    rows = connection.execute(
        """SELECT s.key, s.cwd, p.path FROM session s LEFT JOIN project p ON p.id = s.project_id
           WHERE s.key IN (SELECT value FROM json_each(?))""",
        (orjson.dumps(sorted(keys)).decode(),),
    )
    return {str(key): [str(path) for path in paths if path] for key, *paths in rows}


def _alike(page: Page, turns: Sequence[HeardTurn]) -> Mapping[tuple[str, str], Sequence[HeardTurn]]:
    """The turns by format and user."""
    found: dict[tuple[str, str], list[HeardTurn]] = {}
    for one in turns:
        found.setdefault((page.sessions[one.turn.session_id].format, one.user), []).append(one)
    return found


def _session_of(connection: Connection, page: Page, one: HeardTurn, stored: table.Stored) -> int:
    key = one.turn.session_id
    return stored.session_id(connection, key, page.sessions[key].format)


def _describe(connection: Connection, told: HeardSession, stored: table.Stored) -> None:
    """What was told of a session; of one with turns of this machine that only fills gaps, but for its project."""
    row = stored.session_id(connection, told.key, told.format)
    others = not heard.is_own(connection, row)
    untitled = tombstones.is_untitled(connection, told.key)
    if told.title == "" and others and not untitled:
        titles.strike(connection, told.key)
    table.describe_session(
        connection,
        told.key,
        project_id=attribution.row_of(connection, told.project) if told.project and others else None,
        cwd=told.cwd,
        branch=told.branch,
        title=None if untitled else told.title or None,
        continues=told.continues,
        home=others,
        user_id=told.user if others else None,
        agent_id=told.agent if others else None,
    )


def _put(connection: Connection, told: Sequence[SharedVectors], token_bytes: int) -> None:
    """Store the vectors of texts that have none yet, where they are what the embedder in use would make."""
    placed = serving.serving(connection)
    if placed is None or not told:
        return
    dim = driver.number(connection.execute("SELECT dim FROM space WHERE id = ?", (placed.id,)).get)
    contents = heard.unembedded(connection, placed.id, [one.turn for one in told])
    windows = {
        contents[one.turn]: one.windows
        for one in told
        if one.turn in contents and one.space == placed.key and _are_sound(one.windows, dim, token_bytes)
    }
    vectors = [(content, [blob for blob, _ in of]) for content, of in windows.items()]
    spaces.put(connection, placed.id, vectors)
    if token_bytes:
        signs = [(content, [blob for _, blob in of]) for content, of in windows.items()]
        token_signs.put(connection, placed.id, signs)


def _are_sound(windows: Sequence[tuple[bytes, bytes]], dim: int, token_bytes: int) -> bool:
    if not windows or any(len(embedding) != dim for embedding, _ in windows):
        return False
    if not token_bytes:
        return True
    # Without any signs they are of a time before these: made here, they have some.
    return any(signs for _, signs in windows) and not any(len(signs) % token_bytes for _, signs in windows)
