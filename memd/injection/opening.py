"""What a session start says: the foremost entries that hold here, the last sessions, and what waits for a review.

Time is taken from memory, not from a clock: what is recent is so beside the newest thing that is stored. So the same
memory gives the same text, whenever it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memd.db import driver
from memd.db.driver import Connection
from memd.injection import lines, page
from memd.injection.handed import NONE, Context
from memd.injection.lines import Told
from memd.injection.options import Options, Place
from memd.injection.page import Page
from memd.memory import review, scoring, table
from memd.memory.scoring import DAY_MS
from memd.reflection import proposal_table
from memd.text.fence import Line
from memd.text.snippet import snippet
from memd.text.tokens import Counter
from memd.turns import read

FOREMOST = 100  # entries, of the most important ones and of the newest, that are compared
MOST_COUNTED = 100  # reviews, proposals
TITLE_CHARS = 80
SESSIONS_FIRST, COUNTS_FIRST = 10.0, 11.0  # ranks; that of an entry is its score, which is 1 at most


@dataclass(frozen=True, slots=True)
class Start:
    """A session that starts: where, when, what stands in its context, and whether it goes on from an earlier one."""

    place: Place
    now_ms: int
    context: Context = NONE
    goes_on: bool = False


def page_for(connection: Connection, start: Start, options: Options, counter: Counter, budget: int) -> Page:
    """The page. A session that goes on, and has one from its first start, gets what entries are new to it."""
    as_of = min(_newest(connection), start.now_ms - start.now_ms % DAY_MS + DAY_MS)
    told = [*_entries(connection, start, as_of, options)]
    if not (start.goes_on and start.context.is_known):
        told += [*_sessions(connection, start, options), *_due(connection, start, as_of, options)]
        told += _proposed(connection, start)
    return page.fitted(told, budget, counter)


def _newest(connection: Connection) -> int:
    """The time of the newest thing in memory."""
    newest = connection.execute(
        "SELECT max(coalesce((SELECT max(sort_ms) FROM turn), 0), coalesce((SELECT max(created_ms) FROM entry), 0))"
    ).get
    return driver.number(newest)


def _entries(connection: Connection, start: Start, as_of: int, options: Options) -> Iterator[Told]:
    """The entries that hold here, by importance, by recency, and by how near they hold; the best first."""
    found = table.foremost(connection, start.place.which, FOREMOST)
    ranked = scoring.rank(
        [(entry, 0.0) for entry in found],
        limit=len(found),
        asked=start.place.scope,
        now_ms=as_of,
        options=options.scoring,
    )
    for score, entry in ranked:
        told = lines.of_entry(entry, options.tz)
        if told.item not in start.context.items:
            yield replace(told, rank=score)


def _sessions(connection: Connection, start: Start, options: Options) -> Iterator[Told]:
    """The last sessions that are not the session's own."""
    known = read.last_sessions(
        connection, start.place.projects, options.sessions, apart_from=start.context.sessions
    )
    for session in known:
        title = snippet(session.title, (), TITLE_CHARS)
        yield replace(lines.of_session(session, title, options.tz), rank=SESSIONS_FIRST)


def _due(connection: Connection, start: Start, as_of: int, options: Options) -> Iterator[Told]:
    """How many entries wait for a review."""
    due = len(review.due(connection, start.place.which, as_of, MOST_COUNTED, options.review))
    if due:
        count = f"{due} or more" if due == MOST_COUNTED else str(due)
        entries = "entry waits" if due == 1 else "entries wait"
        yield Told(Line(f"{count} {entries} for a review, which memctl review shows"), rank=COUNTS_FIRST)


def _proposed(connection: Connection, start: Start) -> Iterator[Told]:
    """How many proposals of a reflection wait for a decision."""
    waiting = proposal_table.waiting(connection, start.place.projects, MOST_COUNTED)
    if waiting:
        count = f"{waiting} or more" if waiting == MOST_COUNTED else str(waiting)
        proposals = "proposal waits" if waiting == 1 else "proposals wait"
        yield Told(
            Line(f"{count} {proposals} for a decision, which memctl proposals shows"), rank=COUNTS_FIRST
        )
