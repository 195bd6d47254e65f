"""What prompts are handed: ``python -m tests.bench injecting`` prints how much of it bears on them, and its cost.

Sixty prompts over the labelled conversations and some entries, a third of them about nothing that is stored. The first
of every two was looked at when the floor was set; the figures are of all, and of those that were not.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from memd.db.database import Database
from memd.db.driver import Connection
from memd.db.vector_tables import ENTRIES, TEXTS
from memd.db.vectors import Lane, Vectors
from memd.injection import prompt, query
from memd.injection.options import Options, Place
from memd.injection.page import EMPTY, Page
from memd.injection.prompt import Prompt
from memd.memory import table as entry_table
from memd.memory.entry import Draft, MemoryScope
from memd.providers.embedding.bundled import BundledEmbedder
from memd.providers.embedding.quantise import to_blobs
from memd.recall.context import StoredTurn
from memd.sources import attribution
from memd.sources.projects import Project
from memd.text.tokens import Offline
from memd.turns import spaces
from memd.turns import table as turn_table
from memd.turns.turn import Claim, Turn
from tests.bench import labelled, scoring
from tests.rows import database, store

_COUNTER = Offline()


@dataclass(frozen=True, slots=True)
class Handed:
    """A prompt, what bears on it, and what it was handed."""

    text: str
    right: frozenset[str]
    items: Sequence[str]
    tuned: bool

    @property
    def relevant(self) -> bool:
        """Whether anything stored bears on it."""
        return bool(self.right)


@dataclass(frozen=True, slots=True)
class Figures:
    """Of the items handed over, the share that is right; of the prompts, the shares that were answered, and silent."""

    precision: float
    answered: float
    silent: float


class Store:
    """The conversations and the entries in a database, with the bundled model's vectors."""

    def __init__(self, db: Database, model: BundledEmbedder) -> None:
        self._db, self._model = db, model
        self._vectors = Vectors()
        self._projects = {project: self._fill(project) for project in labelled.PROJECTS}
        self._entries = db.write_now(self._note)
        db.write_now(spaces.ensure, "bench", model.space.dim)
        db.write_now(turn_table.queue_vectors)
        for of in (ENTRIES, TEXTS):
            rows = db.read_now(spaces.waiting, 1, 10_000, of)
            blobs = [to_blobs(found) for found in model.embed_documents([text for _, text in rows])]
            db.write_now(spaces.put, 1, [(row, blob) for (row, _), blob in zip(rows, blobs, strict=True)], of)

    def _fill(self, project: str) -> int:
        store(self._db, [_as_stored(turn) for turn in labelled.turns(project)], cwd=f"/home/dev/{project}")
        return self._db.write_now(
            attribution.remember, f"/home/dev/{project}", Project(project, f"/home/dev/{project}", "cwd")
        )

    def _note(self, connection: Connection) -> dict[str, str]:
        at_ms = max(turn.sort_ms for turn in labelled.turns("shop"))
        return {
            str(entry_table.insert(connection, self._draft(one), at_ms)): f"*{one.name}"
            for one in labelled.entries()
        }

    def _draft(self, one: labelled.Noted) -> Draft:
        scope = MemoryScope(self._projects[one.project]) if one.project else MemoryScope()
        return Draft(one.text, one.type, one.importance, scope)

    def handed(self, asked: labelled.Asked, options: Options, *, by_meaning: bool = True) -> Page:
        """The page for a prompt."""
        text = query.of(asked.text)
        if text is None:
            return EMPTY
        lane = Lane(self._vectors, 1, self._model.embed_query(text) if by_meaning else None)
        about = Prompt(text, Place([self._projects[asked.project]]), 0)
        return self._db.read_now(prompt.page_for, about, lane, options, _COUNTER, options.prompt_tokens)

    def named(self, page: Page) -> list[str]:
        """The items of a page by their names in the files."""
        return [self._entries[one.id] if one.kind == "entry" else one.id for one in page.items]


@contextmanager
def stored() -> Iterator[Store]:
    """The store, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, database(Path(folder)) as db:
        yield Store(db, BundledEmbedder())


def run(options: Options | None = None, *, by_meaning: bool = True) -> list[Handed]:
    """Every prompt with what it is handed."""
    with stored() as known:
        return [
            Handed(
                asked.text,
                right(asked),
                known.named(known.handed(asked, options or Options(), by_meaning=by_meaning)),
                tuned=number % 2 == 0,
            )
            for number, asked in enumerate(labelled.prompts())
        ]


def figures(handed: Sequence[Handed]) -> Figures:
    """How good it is."""
    items = [name in one.right for one in handed for name in one.items]
    relevant = [one for one in handed if one.relevant]
    rest = [one for one in handed if not one.relevant]
    return Figures(
        precision=scoring.mean([float(one) for one in items]),
        answered=scoring.mean([float(not one.right.isdisjoint(one.items)) for one in relevant]),
        silent=scoring.mean([float(not one.items) for one in rest]),
    )


def right(asked: labelled.Asked) -> frozenset[str]:
    """What bears on a prompt: what is named, and the other turn of the same exchange."""
    partners = _partners(asked.project)
    return frozenset(other for name in asked.evidence for other in (name, *partners.get(name, ())))


@cache
def _partners(project: str) -> dict[str, tuple[str, ...]]:
    """Of each turn the one that answers it, or that it answers."""
    found: dict[str, tuple[str, ...]] = {}
    turns = labelled.turns(project)
    for asked, answer in pairwise(turns):
        if asked.session == answer.session and (asked.role, answer.role) == ("user", "assistant"):
            found[asked.id], found[answer.id] = (answer.id,), (asked.id,)
    return found


def _as_stored(turn: StoredTurn) -> Turn:
    return Turn(
        turn.id,
        turn.role,
        turn.text,
        turn.session,
        Claim.RECORD,
        turn.seq,
        at_ms=turn.at_ms,
        sort_ms=turn.sort_ms,
    )


def main() -> None:
    """The figures with and without meaning, then each prompt with what is wrong about it."""
    for name, by_meaning in (("words and meaning", True), ("words alone", False)):
        began = time.process_time()
        handed = run(by_meaning=by_meaning)
        print(f"{name}, {time.process_time() - began:.1f} CPU s with the store")
        for part, some in (("all", handed), ("not looked at", [one for one in handed if not one.tuned])):
            got = figures(some)
            print(
                f"  {part:<14} {len(some):>3} prompts  precision {got.precision:.2f}"
                f"  answered {got.answered:.2f}  silent {got.silent:.2f}"
            )
        if by_meaning:
            _print_faults(handed)


def _print_faults(handed: Sequence[Handed]) -> None:
    for one in handed:
        wrong = [name for name in one.items if name not in one.right]
        if wrong or (one.relevant and not one.items):
            print(f"    {one.text}\n      {', '.join(wrong) or 'nothing was handed over'}")


if __name__ == "__main__":
    main()
