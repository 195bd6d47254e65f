"""What a session was handed: known until its context is emptied, and forgotten when it is old."""

from __future__ import annotations

from memd.injection import handed
from memd.injection.lines import Item
from tests import rows
from tests.injection.memory import NOW, Memory

ONE, TWO = Item("turn", "t1"), Item("entry", "2")


def test_items_are_known_by_session_until_its_context_is_emptied(memory: Memory) -> None:
    memory.db.write_now(handed.note, "a", [ONE, TWO], NOW)
    memory.db.write_now(handed.note, "a", [ONE], NOW)
    memory.db.write_now(handed.note, "b", [TWO], NOW)

    assert memory.context("a").items == {ONE, TWO}

    memory.db.write_now(handed.empty, "a", NOW + 5)

    assert memory.context("a") == handed.Context(["a"], NOW + 5, frozenset(), is_known=True)
    assert memory.context("b").items == {TWO}


def test_what_old_sessions_were_handed_is_forgotten(memory: Memory) -> None:
    memory.db.write_now(handed.note, "old", [ONE], NOW - 40 * rows.DAY_MS)
    memory.db.write_now(handed.note, "new", [ONE], NOW)

    assert memory.db.write_now(handed.prune, NOW - 30 * rows.DAY_MS) == 1

    assert memory.context("old").items == frozenset()
    assert memory.context("new").items == {ONE}
    assert memory.db.read_now(lambda c: c.execute("SELECT count(*) FROM handed").get) == 1
