"""What was passed over for want of a usable answer of the language model, as troubles that say how to ask again."""

from __future__ import annotations

from collections.abc import Sequence

from memd.clock import iso
from memd.db.driver import Connection
from memd.reflection import passed_over as entries
from memd.services import Trouble
from memd.turns import passed_over as turns

SHOWN = 3


def troubles(connection: Connection) -> list[Trouble]:
    """One for entries, one for turns, where there are any."""
    by_project, by_session = entries.by_project(connection), turns.by_session(connection)
    reflect = [f"memctl reflect --now{f' --project {name}' if name else ''}" for name in by_project]
    observe = [f"memctl observe --session {key}" for key in by_session]
    return [
        *_trouble("entries", sum(by_project.values()), entries.since_ms(connection), reflect),
        *_trouble("turns", sum(by_session.values()), turns.since_ms(connection), observe),
    ]


def _trouble(noun: str, number: int, since_ms: int, commands: Sequence[str]) -> list[Trouble]:
    if not number:
        return []
    what = f"{number:,} {noun} not read: the language model gave no usable answer about them"
    more = f" (and {len(commands) - SHOWN} more)" if len(commands) > SHOWN else ""
    hint = f"ask again: {', '.join(commands[:SHOWN])}{more}"
    return [Trouble(f"passed_over_{noun}", what, iso(since_ms), hint, mild=True)]
