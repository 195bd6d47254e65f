"""What every shared store promises: each thing told once however often it is, to whom it may concern, in any order."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from memd.turns import tombstones
from memd.turns.shared import (
    Facts,
    Heard,
    Mark,
    SharedSession,
    SharedStore,
    SharedTurn,
    SharedVectors,
    Told,
    Whose,
)

ALL = Whose(None)
SPACE = "a-space"
START_US = 1_780_000_000_123_456


def turn(
    id: str, text: str = "a text", *, session: str = "s", user: str = "ada", **more: object
) -> SharedTurn:
    given: dict[str, object] = {"role": "user", "at_us": START_US, "agent": None, "facts": {}}
    return SharedTurn(id=id, session=session, text=text, user=user, **(given | more))  # type: ignore[arg-type]  # by name


def session(key: str = "s", user: str = "ada", agent: str | None = None, **facts: object) -> SharedSession:
    return SharedSession(key, user, agent, facts)  # type: ignore[arg-type]  # by name


def vectors(turn: str, space: str = SPACE, *windows: tuple[bytes, bytes]) -> SharedVectors:
    return SharedVectors(turn, space, windows or [(bytes(8), b"")])


@dataclass
class Reader:
    """One who reads page after page, and keeps what it hears as a machine does."""

    store: SharedStore
    whose: Whose = ALL
    space: str | None = SPACE
    most: int = 100
    mark: Mark = field(default_factory=dict)
    sessions: dict[tuple[str, str], SharedSession] = field(default_factory=dict)
    turns: dict[str, SharedTurn] = field(default_factory=dict)
    vectors: dict[str, SharedVectors] = field(default_factory=dict)
    forgotten: set[bytes] = field(default_factory=set)
    pages: list[Heard] = field(default_factory=list)

    def read(self) -> Reader:
        """Read to the end."""
        more = True
        while more:
            more = self.page().more
        return self

    def page(self) -> Heard:
        heard = self.store.changes(self.mark, self.whose, self.space, self.most)
        self.pages.append(heard)
        self.mark = heard.mark
        self.sessions |= {(one.key, one.user): one for one in heard.sessions}
        assert {(one.session, one.user) for one in heard.turns if not one.session.startswith("none")} <= set(
            self.sessions
        )
        self.turns |= {one.id: one for one in heard.turns}
        for one in heard.vectors:
            assert one.turn in self.turns
            self.vectors[one.turn] = one
        self.forgotten |= set(heard.forgotten)
        return heard


def heard(store: SharedStore, **more: object) -> Reader:
    """All that one hears who comes anew."""
    return Reader(store, **more).read()  # type: ignore[arg-type]  # by name


def test_what_is_told_is_heard_as_it_was_told(shared: SharedStore) -> None:
    facts: Facts = {
        "cwd": "/a \0 b",
        "n": 1,
        "x": 0.5,
        "hidden": True,
        "none": None,
        "project": {"name": "é\0", "origin": None},
    }
    given = turn("1", "  two\n\tlines\0 ✓ \r\n\\u0000 \ufffe", agent="bot", role="assistant", facts=facts)
    others = [turn("2", ""), turn("3", "\0"), turn("4", at_us=-1), turn("5", "long " * 100_000)]
    of = session(agent="bot", title="a \0 title", parts={"a": None, "b": "\\"}, told=None)
    windows = [(b"\0\x80\xff" * 128, b"\x01\0" * 40), (bytes(384), b"")]

    new = shared.publish(Told([of], [given, *others], vectors=[vectors("1", SPACE, *windows)]))

    found = heard(shared)
    assert new == 5
    assert found.turns == {one.id: one for one in [given, *others]}
    assert found.sessions == {("s", "ada"): of}
    assert [(one.turn, one.space, list(one.windows)) for one in found.vectors.values()] == [
        ("1", SPACE, windows)
    ]


def test_what_is_told_again_is_there_once_and_as_before(shared: SharedStore) -> None:
    told = Told([session()], [turn("1"), turn("2"), turn("1", "twice")], vectors=[vectors("1")])
    shared.publish(told)
    reader = heard(shared)

    assert shared.publish(told) == 0
    assert shared.publish(Told([session()], [turn("1", "another", user="bob"), turn("3")])) == 1

    assert reader.turns == {"1": turn("1"), "2": turn("2")}
    again = reader.page()
    assert ([one.id for one in again.turns], again.sessions, again.vectors) == (["3"], again.sessions, [])


def test_who_has_read_all_hears_nothing(shared: SharedStore) -> None:
    shared.publish(Told([session()], [turn("1")], vectors=[vectors("1")]))
    reader = heard(shared)

    again = reader.page()

    assert not any((again.turns, again.vectors, again.sessions, again.forgotten))
    assert (again.more, again.restarted, again.mark) == (False, False, reader.pages[-1].mark)


def test_nothing_is_heard_of_a_store_where_nothing_was_told(shared: SharedStore) -> None:
    shared.publish(Told())

    found = heard(shared)

    assert (found.turns, found.pages[0].more, found.pages[0].restarted) == ({}, False, False)


@pytest.mark.parametrize(
    ("whose", "expected"),
    [
        (ALL, "1234"),
        (Whose(["ada"]), "12"),
        (Whose(["ada", "bob"]), "123"),
        (Whose(["nobody"]), ""),
        (Whose([]), ""),
        (Whose(None, "bot"), "24"),
        (Whose(["ada"], "bot"), "2"),
    ],
)
def test_one_hears_of_whom_one_asks_alone(shared: SharedStore, whose: Whose, expected: str) -> None:
    turns = [
        turn("1", session="a"),
        turn("2", session="b", agent="bot"),
        turn("3", session="c", user="bob"),
        turn("4", session="d", user="eve", agent="bot"),
    ]
    sessions = [session(one.session, one.user, one.agent) for one in turns]
    shared.publish(Told(sessions, turns, vectors=[vectors(one.id) for one in turns]))

    found = heard(shared, whose=whose, most=1)

    assert set(found.turns) == set(found.vectors) == set(expected)
    assert {key for key, _ in found.sessions} == {one.session for one in turns if one.id in expected}


def test_pages_hold_about_as_many_turns_as_are_asked_for(shared: SharedStore) -> None:
    for n in range(0, 95, 5):
        shared.publish(
            Told(
                [session(f"s{n}")],
                [turn(f"{n + m}", session=f"s{n}") for m in range(5)],
                vectors=[vectors(f"{n + m}") for m in range(5)],
            )
        )

    found = heard(shared, most=10)

    assert list(found.turns) == [str(n) for n in range(95)]
    assert max(len(page.turns) for page in found.pages) <= 10
    assert len(found.vectors) == 95
    assert [page.more for page in found.pages] == [True] * (len(found.pages) - 1) + [False]


def test_a_turn_comes_with_its_vectors_and_those_told_later_come_later(shared: SharedStore) -> None:
    shared.publish(Told([session()], [turn("1"), turn("2")], vectors=[vectors("1"), vectors("1", "other")]))
    reader = Reader(shared)

    first = reader.page()
    shared.publish(Told(vectors=[vectors("2"), vectors("1"), vectors("none")]))
    second = reader.page()

    assert [(one.turn, one.space) for one in first.vectors] == [("1", SPACE)]
    assert [(one.turn, one.space) for one in second.vectors] == [("2", SPACE)]
    assert heard(shared, space="other").vectors.keys() == {"1"}
    assert heard(shared, space=None).vectors == {}


def test_the_windows_of_a_turn_stay_together_however_small_a_page(shared: SharedStore) -> None:
    shared.publish(Told([session()], [turn(str(n)) for n in range(6)]))
    reader = heard(shared, most=1)
    windows = [(bytes([n]) * 4, b"signs") for n in range(5)]

    shared.publish(Told(vectors=[vectors(str(n), SPACE, *windows) for n in range(6)]))
    reader.read()

    assert [list(one.windows) for page in reader.pages for one in page.vectors][:6] == [windows] * 6
    assert len(reader.vectors) == 6


def test_a_change_is_heard_and_takes_the_vectors_of_the_old_text_along(shared: SharedStore) -> None:
    shared.publish(Told([session()], [turn("1"), turn("2")], vectors=[vectors("1"), vectors("2")]))
    reader = heard(shared)
    hidden = turn("2", facts={"hidden": True}, at_us=START_US + 1)

    shared.publish(Told(changed=[turn("1", "another \0 text"), hidden]))
    reader.read()

    assert reader.turns == {"1": turn("1", "another \0 text"), "2": hidden}
    anew = heard(shared)
    assert (anew.turns, set(anew.vectors)) == (reader.turns, {"2"})


def test_no_vectors_come_before_a_turn_that_changed_however_small_a_page(shared: SharedStore) -> None:
    shared.publish(Told([session()], [turn("1"), turn("2")], vectors=[vectors("1"), vectors("2")]))
    shared.publish(Told(changed=[turn("1", facts={"hidden": True})]))

    assert heard(shared, most=1).vectors.keys() == {"1", "2"}


def test_a_change_that_changes_nothing_is_not_heard(shared: SharedStore) -> None:
    given = turn("1", facts={"project": {"name": "x"}, "cwd": None})
    shared.publish(Told([session()], [given], vectors=[vectors("1")]))
    reader = heard(shared)

    shared.publish(Told(changed=[given]))

    assert not reader.page().turns
    assert set(heard(shared).vectors) == {"1"}


def test_another_user_changes_nothing_and_what_is_not_there_is_not_made(shared: SharedStore) -> None:
    shared.publish(Told([session()], [turn("1")]))

    shared.publish(Told(changed=[turn("1", "mine", user="bob"), turn("2", "new")]))

    assert heard(shared).turns == {"1": turn("1")}


def test_a_turn_that_moves_to_another_session_is_heard_there(shared: SharedStore) -> None:
    shared.publish(Told([session()], [turn("1")]))

    shared.publish(Told([session("right")], changed=[turn("1", session="right")]))

    found = heard(shared)
    assert found.turns == {"1": turn("1", session="right")}
    assert set(found.sessions) == {("right", "ada")}


def test_what_is_forgotten_goes_for_good_whoever_told_it(shared: SharedStore) -> None:
    shared.publish(Told([session()], [turn("1"), turn("2")], vectors=[vectors("1"), vectors("2")]))
    early, late = heard(shared), Reader(shared)

    shared.publish(Told(forgotten=["1", "unheard of"]))
    shared.publish(Told(forgotten=["1"]))
    new = shared.publish(
        Told([session()], [turn("1"), turn("unheard of")], [turn("1", "x")], [vectors("1"), vectors("2")])
    )

    assert new == 0
    keys = {tombstones.of_turn("1"), tombstones.of_turn("unheard of")}
    assert late.read().turns.keys() == late.vectors.keys() == {"2"}
    assert early.read().forgotten == late.forgotten == keys
    assert not early.page().forgotten


def test_what_is_told_and_forgotten_at_once_is_forgotten(shared: SharedStore) -> None:
    assert shared.publish(Told([session()], [turn("1")], vectors=[vectors("1")], forgotten=["1"])) == 0

    found = heard(shared)
    assert (found.turns, found.vectors, found.sessions) == ({}, {}, {})


def test_a_session_goes_with_its_last_turn(shared: SharedStore) -> None:
    both = [session(title="of one"), session("t", title="of the other"), session("empty", title="of none")]
    shared.publish(Told(both, [turn("1"), turn("2", session="t")]))

    shared.publish(Told(forgotten=["1"]))
    shared.publish(Told([session(title="of one")]))

    assert set(heard(shared).sessions) == {("t", "ada")}


def test_a_title_goes_for_good_when_a_turn_of_its_session_is_forgotten(shared: SharedStore) -> None:
    shared.publish(Told([session(title="a secret", format="codex")], [turn("1"), turn("2")]))
    reader = heard(shared)

    shared.publish(Told(forgotten=["1"]))
    shared.publish(Told([session(title="a secret", branch="main")], [turn("3")]))

    assert reader.read().sessions["s", "ada"].facts == {"format": "codex", "branch": "main"}
    shared.publish(Told(forgotten=["2", "3"]))
    shared.publish(Told([session(title="a secret")], [turn("4")]))
    assert heard(shared).sessions["s", "ada"].facts == {}


def test_the_last_to_describe_a_session_is_right_but_none_erases_nothing(shared: SharedStore) -> None:
    shared.publish(
        Told(
            [session(agent="bot", title="first \0", branch="main", project={"name": "x", "a": None})],
            [turn("1")],
        )
    )
    reader = heard(shared)

    shared.publish(Told([session(title="second", branch=None, format=None)]))
    shared.publish(Told([session(user="bob", title="of bob's own")], [turn("2", user="bob")]))

    assert reader.read().sessions == {
        ("s", "ada"): session(
            agent="bot", title="second", branch="main", project={"name": "x", "a": None}, format=None
        ),
        ("s", "bob"): session(user="bob", title="of bob's own"),
    }


def test_a_description_that_says_nothing_new_is_not_heard(shared: SharedStore) -> None:
    shared.publish(Told([session(title="a title", branch="main")], [turn("1")]))
    reader = heard(shared)

    shared.publish(Told([session(title="a title", branch=None)]))

    assert not reader.page().sessions


def test_any_order_of_tellers_and_readers_ends_in_the_union(shared: SharedStore) -> None:
    """Three machines tell overlapping turns in an order of their own at once, and one reads meanwhile."""
    every = [turn(f"{n:03}", session=f"s{n % 7}", user=["ada", "bob"][n % 2]) for n in range(120)]
    gone = {one.id for one in every[::11]}
    reader, done = Reader(shared, most=7), threading.Event()

    def tell(seed: int) -> None:
        draw = random.Random(seed)
        for batch in _batches(draw.sample(every, len(every)), 17):
            sessions = {(one.session, one.user): session(one.session, one.user) for one in batch}
            told = [vectors(one.id) for one in batch if draw.random() < 0.7]
            forgotten = [one.id for one in batch if one.id in gone]
            shared.publish(Told([*sessions.values()], batch, batch, told, forgotten))

    def listen() -> None:
        while not done.is_set():
            reader.read()

    at_once([lambda seed=seed: tell(seed) for seed in range(3)], [listen], done)

    left = {one.id: one for one in every if one.id not in gone}
    reader.read()
    heard_for_good = {
        id: one for id, one in reader.turns.items() if tombstones.of_turn(id) not in reader.forgotten
    }
    assert heard(shared).turns == left == heard_for_good
    assert heard(shared).vectors.keys() <= left.keys()


def _batches(every: Sequence[SharedTurn], size: int) -> list[Sequence[SharedTurn]]:
    return [every[at : at + size] for at in range(0, len(every), size)]


def at_once(
    some: Sequence[Callable[[], object]], beside: Sequence[Callable[[], object]], done: threading.Event
) -> None:
    """Run all of these together; those beside end when the others are done. The first error of any is raised."""
    errors: list[BaseException] = []

    def kept(one: Callable[[], object]) -> None:
        try:
            one()
        except BaseException as error:
            errors.append(error)

    threads, more = (
        [threading.Thread(target=kept, args=(one,)) for one in group] for group in (some, beside)
    )
    for thread in [*threads, *more]:
        thread.start()
    for thread in threads:
        thread.join(60)
    done.set()
    for thread in more:
        thread.join(60)
    if errors:
        raise errors[0]
