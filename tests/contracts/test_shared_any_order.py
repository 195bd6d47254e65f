"""Whatever is told in any order, a store on a server holds what one in this process holds, and so do its readers."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from contextlib import closing

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from memd.turns import tombstones
from memd.turns.shared import SharedSession, SharedTurn, SharedVectors, Told, Whose
from memd.turns.stores.postgres.shared import PostgresShared
from tests.contracts.test_shared import ALL, SPACE, Reader, heard, turn
from tests.shared.in_memory import InMemoryShared

IDS, SESSIONS, USERS = (
    "12345678",
    ("none s", "none t"),
    ("ada", "bob"),
)  # not described before each turn of them
_NAMES = itertools.count()

FACTS = st.dictionaries(st.sampled_from(("title", "branch")), st.sampled_from((None, "x", "y\0")))
TURNS = st.builds(
    turn,
    st.sampled_from(IDS),
    st.sampled_from(("a text", "another", "\0")),
    session=st.sampled_from(SESSIONS),
    user=st.sampled_from(USERS),
    facts=st.sampled_from(({}, {"hidden": True})),
)
DESCRIBED = st.builds(
    SharedSession, st.sampled_from(SESSIONS), st.sampled_from(USERS), st.sampled_from((None, "bot")), FACTS
)
WINDOWS = st.lists(st.tuples(st.binary(min_size=1, max_size=3), st.binary(max_size=2)), max_size=3)
EMBEDDED = st.builds(SharedVectors, st.sampled_from(IDS), st.sampled_from((SPACE, "other")), WINDOWS)


def some(of: st.SearchStrategy[object]) -> st.SearchStrategy[list[object]]:
    return st.lists(of, max_size=4)


TELLINGS = st.builds(
    Told,
    some(DESCRIBED),
    some(TURNS),
    some(TURNS),
    some(EMBEDDED),
    st.lists(st.sampled_from(IDS), max_size=1),
)


class Listener(Reader):
    """One who lets go of what it heard of turns that were forgotten, and of vectors of texts that are others now."""

    def listen(self) -> None:
        before = dict(self.turns)
        page = self.page()
        told = {one.turn for one in page.vectors}
        for one in page.turns:
            if one.id in before and before[one.id].text != one.text and one.id not in told:
                self.vectors.pop(one.id, None)

    def listen_to_the_end(self) -> None:
        self.listen()
        while self.pages[-1].more:
            self.listen()

    def left(self) -> tuple[dict[str, SharedTurn], dict[str, Sequence[tuple[bytes, bytes]]]]:
        turns = {id: one for id, one in self.turns.items() if tombstones.of_turn(id) not in self.forgotten}
        return turns, {id: list(one.windows) for id, one in self.vectors.items() if id in turns}


@settings(
    max_examples=15, phases=[Phase.generate]
)  # every example makes tables: it takes long to find a smaller one
@given(st.lists(st.tuples(TELLINGS, st.integers(0, 3), st.integers(1, 4)), max_size=7))
def test_a_store_on_a_server_holds_what_one_in_this_process_holds(
    postgres: str, history: list[tuple[Told, int, int]]
) -> None:
    model = InMemoryShared()
    with closing(PostgresShared(postgres, table=f"order_{os.getpid()}_{next(_NAMES)}")) as server:
        listeners = [Listener(store, ALL) for store in (server, model)]
        for told, pages, most in history:
            assert server.publish(told) == model.publish(told)
            for listener in listeners:
                listener.most = most
                for _ in range(pages):
                    listener.listen()

        for whose in (ALL, Whose(["ada"]), Whose(None, "bot")):
            _same(*(heard(store, whose=whose) for store in (server, model)))
        anew = heard(server)
        for listener in listeners:
            listener.listen_to_the_end()
            assert listener.left() == (anew.turns, _windows(anew))
            assert {key: listener.sessions[key] for key in anew.sessions} == anew.sessions


def _same(found: Reader, expected: Reader) -> None:
    assert found.turns == expected.turns
    assert found.sessions == expected.sessions
    assert found.forgotten == expected.forgotten
    assert _windows(found) == _windows(expected)


def _windows(reader: Reader) -> dict[str, Sequence[tuple[bytes, bytes]]]:
    return {id: list(one.windows) for id, one in reader.vectors.items()}
