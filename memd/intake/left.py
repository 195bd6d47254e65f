"""What a growing file took back of what it said: which turns that are, of those stored and of those at hand."""

from __future__ import annotations

from memd.db.database import Database
from memd.importers.harvest import Harvest
from memd.turns import of_file


def turns(db: Database, path: str, harvest: Harvest) -> list[str]:
    """The ids of the turns that were taken back, and not said again since."""
    left, seen = set[str](), 0
    for one in harvest.left:
        left -= {turn.id for turn in harvest.turns[seen : one.turns]}
        seen = one.turns
        left.update(db.read_now(of_file.between, path, one.first, one.last))
        left.update(turn.id for turn in harvest.turns[:seen] if one.first <= turn.seq < one.last)
    return sorted(left - {turn.id for turn in harvest.turns[seen:]})
