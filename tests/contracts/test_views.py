"""What every store that can be searched tells of a scope (LS22): the same as a look at each of its turns would."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from memd.turns.store import Indexed, MemoryItem, MemoryStore, Scope, TurnView
from tests.contracts.test_stores import ADA

START = datetime(2026, 3, 1, 22, 30, tzinfo=UTC)
WORDS = (
    "the",
    "deploy",
    "database",
    "our",
    "failed",
    "again",
    "because",
    "a",
    "migration",
    "was",
    "slow",
    "and",
)
WINDOWS = [
    (None, None),
    (START + timedelta(hours=5), None),
    (None, START + timedelta(days=2, hours=1)),
    (START + timedelta(hours=1, minutes=30), START + timedelta(days=2, hours=1, minutes=30)),  # midnights
    (START + timedelta(hours=4), START + timedelta(hours=9)),
]


def turns() -> list[MemoryItem]:
    """Turns of three days, with runs and without, some of the same time."""
    draw = random.Random(7)
    return [
        MemoryItem(
            str(n),
            draw.choice(("user", "assistant")),
            " ".join(draw.choices(WORDS, k=6)),
            START + timedelta(minutes=20 * draw.randrange(200)),
            user_id=draw.choice(("ada", "bob")),
            agent_id=draw.choice((None, "bot")),
            run_id=draw.choice((None, "r1", "r2")),
        )
        for n in range(150)
    ]


def ids(found: list[MemoryItem] | None) -> list[str]:
    assert found is not None
    return [one.id for one in found]


@pytest.fixture
def filled(store: MemoryStore) -> Indexed:
    """A store with turns, of which some were given another text and some deleted."""
    store.add(turns())
    for n in range(0, 150, 9):
        store.update(str(n), content="another text for it ✓")
        store.delete(str(n + 1))
    store.delete_scope(Scope("bob", run_id="r2"))
    assert isinstance(store, Indexed)
    return store


@pytest.mark.parametrize("scope", [ADA, Scope(agent_id="bot"), Scope("bob", run_id="r1"), Scope(run_id="r2")])
def test_LS22_a_view_tells_what_its_scope_and_time_window_hold(filled: Indexed, scope: Scope) -> None:
    every = filled.list(scope)  # type: ignore[attr-defined]  # a store, too
    for since, until in WINDOWS:
        inside = filled.list(scope, since=since, until=until)  # type: ignore[attr-defined]  # a store, too
        with filled.view(scope, since=since, until=until) as view:
            _holds(view, inside, every)


def _holds(view: TurnView, inside: list[MemoryItem], every: list[MemoryItem]) -> None:
    extent = view.extent()
    assert (extent.turns, extent.size) == (len(inside), sum(len(one.content.encode()) for one in inside))
    assert _sessions(view) == {_session(one) for one in inside}
    assert view.counts() == (len(inside), len(every) - len(inside))
    assert ids(view.first(200, 1 << 20)) == ids(inside)
    assert view.first(max(0, len(inside) - 1), 1 << 20) is None or not inside
    assert ids(view.listed(200)) == ids(every)
    assert view.listed(len(every) - 1) is None
    assert ids(view.spread(200)) == ids(inside)
    places = [round(n * (len(inside) - 1) / 4) for n in range(5)] if len(inside) > 5 else range(len(inside))
    assert ids(view.spread(5)) == ids([inside[place] for place in places])


def _session(one: MemoryItem) -> tuple[object, ...]:
    return (one.user_id, one.agent_id, one.run_id, None if one.run_id else one.created_at.date())


def _sessions(view: TurnView) -> set[tuple[object, ...]]:
    return {(*ids, None if ids[2] else moment.date()) for *ids, moment in view.extent().sessions}


def test_LS22_words_and_phrases_are_found_in_their_scope_and_time(filled: Indexed) -> None:
    since = START + timedelta(hours=12)
    inside = filled.list(ADA, since=since)  # type: ignore[attr-defined]  # a store, too

    with filled.view(ADA, since=since) as view:
        hits = view.ranked("Which migrations were slow?", 500)
        marked = view.marked(["because a migration", "our database failed", "slow and"], 500)
        first = view.marked(["slow"], 3)

    assert {hit.item.id for hit in hits} == {
        one.id for one in inside if {"migration", "slow"} & {*one.content.split()}
    }
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    best = {*hits[0].item.content.split()}
    assert {"migration", "slow"} <= best
    phrases = ("because a migration", "our database failed", "slow and")
    by_age = sorted(inside, key=lambda one: (one.created_at, one.seq), reverse=True)
    asked = [one for one in by_age if one.role == "user"]
    assert ids(marked) == [one.id for one in asked if any(f" {p} " in f" {one.content} " for p in phrases)]
    slow = [one.id for one in asked if "slow" in one.content.split()]
    assert ids(first) == [id for id in slow if id in ids(first)] and len(first) == 3


def test_LS22_a_question_as_long_as_a_book_and_times_at_the_ends_of_the_calendar_are_answered(
    filled: Indexed,
) -> None:
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    book = "migration " + " ".join(f"word{n}" for n in range(20_000))

    with filled.view(ADA, since=first, until=last) as view:
        assert view.ranked(book, 9)
        assert view.extent().turns == view.counts()[0] > 0
    with filled.view(ADA, since=last) as view:
        assert (view.extent().turns, view.spread(9), view.ranked("migration", 9)) == (0, [], [])


def test_LS22_a_turn_is_told_with_those_beside_it_of_the_same_user_agent_and_run(filled: Indexed) -> None:
    until = START + timedelta(hours=40)
    inside = filled.list(ADA, until=until)  # type: ignore[attr-defined]  # a store, too
    threads: dict[object, list[MemoryItem]] = {}
    for one in inside:
        threads.setdefault((one.agent_id, one.run_id), []).append(one)
    expected = {
        one.id: (before and before.id, after and after.id)
        for thread in threads.values()
        for before, one, after in zip([None, *thread], thread, [*thread[1:], None], strict=False)
    }

    with filled.view(ADA, until=until) as view:
        around = view.around(list(expected))
        hits = view.ranked("deploy failed", 500)

    assert {id: (a and a.id, b and b.id) for id, (a, b) in around.items()} == expected
    seqs = {one.seq: one.id for one in inside}
    assert {hit.item.id: seqs.get(hit.before or 0) for hit in hits} == {
        hit.item.id: expected[hit.item.id][0] for hit in hits
    }
    assert hits
