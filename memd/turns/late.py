"""How well the turns that the lanes found meet a question token by token, where the tokens of both are known."""

from __future__ import annotations

from collections.abc import Mapping

from memd.db import token_signs
from memd.db.driver import Connection
from memd.db.keyword import Plan
from memd.db.vectors import Lane
from memd.ranking import late
from memd.ranking.late import Asked


def met(connection: Connection, plan: Plan, lane: Lane, places: Mapping[int, int]) -> Mapping[int, float]:
    """By row, from 0, as by chance, to 1, the best; of turns whose tokens are not known nothing.

    ``places`` are the rows, each with its text's id.
    """
    if lane.space is None or lane.tokens is None:
        return {}
    asked = late.asked(lane.tokens, _worth(connection, plan))
    if asked is None:
        return {}
    found = _texts(connection, lane.space, asked, sorted(set(places.values())))
    best = max(found.values(), default=0.0)
    if best <= 0:
        return {}
    return {row: found[text] / best for row, text in places.items() if text in found}


def _texts(connection: Connection, space: int, asked: Asked, texts: list[int]) -> dict[int, float]:
    """How far above chance each text meets what is asked: of its windows, the one that does best."""
    rows = token_signs.of(connection, space, texts)
    if not rows:
        return {}
    owners, signs = zip(*rows, strict=True)
    found: dict[int, float] = {}
    for owner, value in zip(owners, late.maxsim(asked, signs).tolist(), strict=True):
        found[owner] = max(found.get(owner, 0.0), value - late.BY_CHANCE)
    return found


def _worth(connection: Connection, plan: Plan) -> dict[str, float]:
    """What each word that is looked for is worth: the more the fewer turns hold it."""
    turns = int(connection.execute("SELECT coalesce(max(rowid), 0) FROM turn").get or 0)
    held = [*plan.costs.items(), *((term, 0) for term in plan.unknown)]
    worth: dict[str, float] = {}
    for term, count in held:
        for word in term.words:
            worth[word] = max(worth.get(word, 0.0), late.rarity(count, turns))
    return worth
