"""Which turns of an import come in: none of an excluded folder, none outside of the window, none that was forgotten,
and of those that are new no more than the limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from memd.db.database import Database
from memd.db.driver import Connection
from memd.importers.reasons import Skip
from memd.importers.report import ImportReport
from memd.intake.redaction import redacted
from memd.services import ImportWish
from memd.sources.exclusions import Exclusions
from memd.turns import tombstones
from memd.turns.turn import Turn


class Admitted(NamedTuple):
    """The turns that come in, redacted, with those that were known; how many of all were new, known, and left out."""

    turns: list[Turn]
    redactions: Mapping[str, Mapping[str, int]]
    new: set[str]
    duplicates: int
    skipped: int


class Admission:
    """The bounds of one import, with what was let in and left out so far; the report has the sums."""

    def __init__(self, db: Database, wish: ImportWish, exclusions: Exclusions, report: ImportReport) -> None:
        self._db, self._wish, self._exclusions, self.report = db, wish, exclusions, report
        self._seen: set[int] = set()  # of a dry run, which leaves nothing in the store to find again
        self.skipped: Counter[str] = Counter()
        self.redactions: Counter[str] = Counter()

    def admit(self, turns: Sequence[Turn], project_cwd: str | None) -> Admitted:
        """Those of the turns that come in."""
        inside = self._included(turns, project_cwd)
        inside, redactions = redacted(inside) if self._wish.redact else (inside, {})
        for kinds in redactions.values():
            self.redactions.update(kinds)
        inside = self._bounded(inside)
        skipped = len(turns) - len(inside)
        kept, new = self._counted(inside)
        self.report.imported += len(new)
        self.report.duplicates += len(kept) - len(new)
        return Admitted(kept, redactions, new, len(kept) - len(new), skipped)

    def finish(self) -> None:
        """Write the sums into the report."""
        self.report.skipped = {str(reason): count for reason, count in self.skipped.items() if count}
        self.report.redactions = dict(self.redactions)

    def _included(self, turns: Sequence[Turn], project_cwd: str | None) -> list[Turn]:
        """The turns that were not said in an excluded folder, nor in a session of one."""
        cover = self._exclusions.cover
        excluded = project_cwd is not None and cover(project_cwd)
        kept = [turn for turn in turns if not (excluded or (turn.cwd and cover(turn.cwd)))]
        self.skipped[Skip.EXCLUDED] += len(turns) - len(kept)
        return kept

    def _bounded(self, turns: Iterable[Turn]) -> list[Turn]:
        """The turns within the window that were not forgotten."""
        every = list(turns)
        inside = [turn for turn in every if _within(turn, self._wish)]
        self.skipped[Skip.OUTSIDE_WINDOW] += len(every) - len(inside)
        gone = self._db.read_now(tombstones.forgotten, [turn.id for turn in inside])
        self.skipped[Skip.FORGOTTEN] += len(gone)
        return [turn for turn in inside if turn.id not in gone]

    def _counted(self, turns: Iterable[Turn]) -> tuple[list[Turn], set[str]]:
        """The turns up to the limit, and the ids of those that are new."""
        inside, limit = list(turns), self._wish.limit
        known = self._db.read_now(_known, [turn.id for turn in inside])
        kept: list[Turn] = []
        new: set[str] = set()
        for turn in inside:
            if turn.id not in known and turn.id not in new and hash(turn.id) not in self._seen:
                if limit is not None and self.report.imported + len(new) >= limit:
                    self.report.limited = True
                    break
                new.add(turn.id)
            kept.append(turn)
        if self._wish.dry_run:
            self._seen.update(map(hash, new))
        return kept, new


def _within(turn: Turn, wish: ImportWish) -> bool:
    if turn.at_ms is None:
        return True
    return (wish.since_ms is None or turn.at_ms >= wish.since_ms) and (
        wish.until_ms is None or turn.at_ms < wish.until_ms
    )


def _known(connection: Connection, ids: Sequence[str]) -> set[str]:
    found = set[str]()
    for turn_id in ids:
        if connection.execute("SELECT 1 FROM turn WHERE id = ?", (turn_id,)).get is not None:
            found.add(turn_id)
    return found
