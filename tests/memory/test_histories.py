"""Random histories of entries: whatever is done to them, what hangs together stays together, and undo gives it back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memd.db import driver, journal, migrate
from memd.db.driver import Connection
from memd.errors import BadRequest
from memd.memory import writer
from memd.memory.entry import Draft, EntryType, MemoryScope, Source
from memd.memory.meaning import Meaning
from memd.turns import spaces

TEXTS = [
    "the build uses a cache",
    "the build uses a shared cache",
    "the build uses no cache",
    "port 8080 is taken",
    "port 8081 is taken",
    "日本語",
]
texts = st.sampled_from(TEXTS)
entries = st.integers(1, 12)

Rows = dict[str, list[tuple[object, ...]]]


class Histories(RuleBasedStateMachine):
    """Every change goes through the journal, as the server's do; the rows before each are kept beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.db = driver.connect(Path(":memory:"), write=True)
        migrate.build(self.db, migrate.newest())
        self.db.execute("INSERT INTO project VALUES (1, 'app', '/app', 'git'), (2, 'two', '/two', 'git')")
        self.space = spaces.ensure(self.db, "test", 8)
        self.now = 1_000_000
        self.changes: list[tuple[int, Rows]] = []

    def rows(self) -> Rows:
        return {
            table: self.db.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall()
            for table in ("entry", "entry_source")
        }

    def meaning(self, number: int | None) -> Meaning | None:
        if number is None:
            return None
        vector = np.full((1, 8), 0.1, np.float32)
        vector[0, number] = 1
        return Meaning(self.space, vector)

    def do(self, work: Callable[[Connection], object]) -> None:
        before = self.rows()
        self.now += 1000
        with driver.transaction(self.db):
            _, change = journal.record(self.db, "test", self.now, lambda: work(self.db))
        if change is None:
            assert self.rows() == before
        else:
            self.changes.append((change, before))

    # what can happen ------------------------------------------------------------------------------

    @rule(
        text=texts,
        type=st.sampled_from(["fact", "decision"]),
        project=st.sampled_from([None, 1, 2]),
        branch=st.sampled_from([None, "one", "two"]),
        sources=st.lists(st.sampled_from("abc"), max_size=2),
        vector=st.none() | st.integers(0, 7),
    )
    def store(
        self,
        text: str,
        type: EntryType,
        project: int | None,
        branch: str | None,
        sources: list[str],
        vector: int | None,
    ) -> None:
        scope = MemoryScope(project, branch if project else None)
        draft = Draft(text, type, 5, scope, [Source("turn", turn) for turn in sources])
        self.do(lambda c: writer.store(c, draft, self.meaning(vector), self.now))

    @rule(entry=entries, text=texts, vector=st.none() | st.integers(0, 7))
    def supersede(self, entry: int, text: str, vector: int | None) -> None:
        self.do(lambda c: writer.supersede(c, entry, text, self.meaning(vector), self.now))

    @rule(asked=st.lists(entries, min_size=1, max_size=4), text=texts)
    def merge(self, asked: list[int], text: str) -> None:
        self.do(lambda c: writer.merge(c, asked, text, None, self.now))

    @rule(entry=entries)
    def retire(self, entry: int) -> None:
        self.do(lambda c: writer.retire(c, entry, self.now))

    @rule(entry=entries)
    def delete(self, entry: int) -> None:
        self.do(lambda c: writer.delete(c, entry))

    @rule(entry=entries)
    def review(self, entry: int) -> None:
        self.do(lambda c: writer.review(c, entry, self.now))

    @precondition(lambda self: self.changes)
    @rule()
    def undo_the_last(self) -> None:
        change, before = self.changes.pop()
        with driver.transaction(self.db):
            journal.undo(self.db, change, self.now)

        assert self.rows() == before

    @precondition(lambda self: self.changes)
    @rule(data=st.data())
    def undo_one_of_them(self, data: st.DataObject) -> None:
        change, _ = data.draw(st.sampled_from(self.changes))
        before = self.rows()
        try:
            with driver.transaction(self.db):
                journal.undo(self.db, change, self.now)
        except BadRequest:
            assert self.rows() == before
        else:
            self.changes.clear()  # what the others would give back now is not what stood before them

    # what always holds ----------------------------------------------------------------------------

    @invariant()
    def nothing_dangles(self) -> None:
        assert not self.db.execute("PRAGMA foreign_key_check").fetchall()
        assert not self.db.execute(
            "SELECT 1 FROM entry WHERE superseded_by IS NOT NULL AND superseded_ms IS NULL"
        ).fetchall()

    @invariant()
    def chains_end(self) -> None:
        following = dict(self.db.execute("SELECT id, superseded_by FROM entry").fetchall())
        for entry in following:
            seen = set[int]()
            while entry is not None:
                assert entry not in seen
                seen.add(entry)
                entry = following[entry]

    @invariant()
    def what_derives_is_of_what_is_there(self) -> None:
        ids = {entry for (entry,) in self.db.execute("SELECT id FROM entry")}
        assert {entry for (entry,) in self.db.execute("SELECT rowid FROM entry_fts")} == ids
        assert {entry for (entry,) in self.db.execute("SELECT entry_id FROM entry_vector")} <= ids
        for entry, content in self.db.execute("SELECT id, coalesce(terms, content) FROM entry").fetchall():
            match = " AND ".join(f'"{word}"' for word in content.split())
            found = self.db.execute("SELECT rowid FROM entry_fts WHERE entry_fts MATCH ?", (match,))
            assert (entry,) in found.fetchall()

    @invariant()
    def sightings_and_dates_agree(self) -> None:
        assert not self.db.execute(
            "SELECT 1 FROM entry WHERE sightings < 1 OR first_seen_ms > created_ms"
        ).get

    def teardown(self) -> None:
        self.db.close()


class TestHistories(Histories.TestCase):  # type: ignore[name-defined,misc]  # made by hypothesis
    settings = settings(max_examples=settings().max_examples // 4, stateful_step_count=25)


def test_what_was_retired_and_brought_back_can_still_be_taken_back() -> None:
    """What counts as seen anew hangs on the entry, and goes with it."""
    history = Histories()
    history.store(TEXTS[0], "fact", None, None, [], None)
    history.retire(1)
    history.undo_the_last()
    assert history.db.execute("SELECT count(*) FROM entry_sighting").get == 1

    history.undo_the_last()

    assert history.rows() == {"entry": [], "entry_source": []}
    assert history.db.execute("SELECT count(*) FROM entry_sighting").get == 0
