"""A session in which several users speak on machines of theirs: whose each turn is, by whom told and forgotten."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from memd.db.driver import Connection
from memd.turns import read, table
from memd.turns.shared import SharedTurn
from tests.rows import store as say
from tests.rows import turn
from tests.shared.in_memory import InMemoryShared
from tests.shared.machine import Machine, Made

KEY = "00000000-0000-4000-8000-000000000001"
HERS, HIS = [f"{KEY}-0", f"{KEY}-1"], [f"{KEY}-10", f"{KEY}-11"]


def speak(machine: Machine, first: int, *, agent: str | None = None) -> None:
    """Say two turns in the session."""
    say(
        machine.db,
        [turn(first + n, f"number {first + n}", session=KEY) for n in range(2)],
        cwd="/home/dev/app",
    )
    if agent:
        machine.write(f"UPDATE session SET agent_id = '{agent}'")


def read_from_a_file(machine: Machine, path: str, ids: Iterable[str], user: str | None = None) -> None:
    """Meet turns of the session in a file of this machine's own, or import those of another user."""
    found = [turn(int(id.rpartition("-")[2]), f"number {id}", session=KEY) for id in ids]

    def work(connection: Connection) -> None:
        connection.execute(
            "INSERT INTO file (path, device, inode, size, mtime_ns, offset, head_hash, tail_hash, session)"
            f" VALUES ('{path}', 0, 0, 0, 0, 0, x'', x'', '{KEY}')"
        )
        stored, row = table.Stored(), connection.execute("SELECT max(id) FROM file").get
        table.add(connection, found, file_id=row, home=KEY, format_="codex", stored=stored, user_id=user)
        table.index(connection, stored)

    machine.db.write_now(work)


def users(told: Iterable[SharedTurn]) -> dict[str, str]:
    return {one.id: one.user for one in told}


@pytest.fixture
def ann(machine: Made, store: InMemoryShared) -> Machine:
    return machine(store, "ann")


@pytest.fixture
def lap(machine: Made, store: InMemoryShared) -> Machine:
    """Ann's other machine."""
    return machine(store, "ann", "lap")


@pytest.fixture
def bob(machine: Made, store: InMemoryShared) -> Machine:
    return machine(store, "bob")


@pytest.mark.parametrize("last", ["ann", "bob"])
def test_who_forgets_a_session_forgets_ones_own_for_everybody_and_the_others_here_alone(
    ann: Machine, lap: Machine, bob: Machine, store: InMemoryShared, last: str
) -> None:
    speak(ann, 0)
    speak(bob, 10)
    for one in (bob, ann) if last == "ann" else (ann, bob):
        one.tell()
        lap.level()
    assert (lap.sessions()[KEY]["user_id"], set(lap.turns())) == (last, {*HERS, *HIS})

    lap.forget([*HERS, *HIS])
    for one in (lap, ann, bob, lap):
        one.level()

    assert users(store.held.turns.values()) == dict.fromkeys(HIS, "bob")
    assert [set(one.turns()) for one in (ann, bob, lap)] == [set(HIS), set(HIS), set()]


def test_each_turn_says_whose_it_is(ann: Machine, lap: Machine, bob: Machine) -> None:
    speak(ann, 0)
    speak(bob, 10)
    for one in (ann, bob, lap, ann):
        one.level()

    shown = [
        {str(one["id"]): one["user_id"] for one in machine.db.read_now(read.show, HERS[0], 9)}
        for machine in (ann, lap)
    ]

    his = dict.fromkeys(HIS, "bob")
    assert shown == [dict.fromkeys(HERS) | his, dict.fromkeys(HERS, "ann") | his]


def test_who_goes_on_with_the_session_of_another_tells_it_as_ones_own(
    machine: Made, store: InMemoryShared
) -> None:
    ann, bob = machine(store, "ann", agent="hers"), machine(store, "bob")
    speak(ann, 0)
    ann.level()
    bob.level()
    speak(bob, 10)
    bob.write("UPDATE session SET title = 'Gone on with'")
    bob.level()

    assert bob.sessions()[KEY]["user_id"] == "ann"
    assert {(one.id, one.user, one.agent) for one in store.held.turns.values()} == {
        *((id, "ann", "hers") for id in HERS),
        *((id, "bob", None) for id in HIS),
    }
    assert {key: (one.agent, one.facts["title"]) for key, one in store.held.sessions.items()} == {
        (KEY, "ann"): ("hers", None),
        (KEY, "bob"): (None, "Gone on with"),
    }


def test_what_was_imported_of_another_is_told_as_theirs_beside_ones_own(
    ann: Machine, bob: Machine, store: InMemoryShared
) -> None:
    speak(ann, 0, agent="hers")
    read_from_a_file(ann, "/export.zip", HIS, "eve")
    ann.level()
    ann.write("UPDATE session SET title = 'Of two'")
    ann.level()
    bob.level()

    assert users(store.held.turns.values()) == dict.fromkeys(HERS, "ann") | dict.fromkeys(HIS, "eve")
    assert {key: one.facts["title"] for key, one in store.held.sessions.items()} == {
        (KEY, "ann"): "Of two",
        (KEY, "eve"): "Of two",
    }
    ann.forget([*HERS, *HIS])  # it was read here, so it is hers to forget
    ann.level()
    bob.level()
    assert (store.held.turns, bob.turns()) == ({}, {})


def test_a_transcript_on_the_machines_of_two_is_forgotten_by_either_for_both(
    ann: Machine, lap: Machine, bob: Machine, store: InMemoryShared
) -> None:
    speak(ann, 0)
    ann.level()
    bob.level()
    lap.level()
    assert bob.ask("SELECT DISTINCT user_id FROM turn") == [("ann",)]

    read_from_a_file(bob, "/home/bob/copy.jsonl", HERS)
    assert bob.ask("SELECT DISTINCT user_id FROM turn") == [(None,)]
    bob.level()
    assert users(store.held.turns.values()) == dict.fromkeys(HERS, "ann")
    bob.forget(HERS[:1])
    ann.forget(HERS[1:])
    for one in (bob, ann, bob, lap):
        one.level()

    assert (store.held.turns, ann.turns(), bob.turns(), lap.turns()) == ({}, {}, {}, {})


def test_of_a_store_made_anew_a_turn_is_of_who_tells_it_first(
    ann: Machine, lap: Machine, bob: Machine, store: InMemoryShared
) -> None:
    for one in (ann, bob):
        speak(one, 0)
    ann.level()
    lap.level()
    assert lap.ask("SELECT DISTINCT user_id FROM turn") == [("ann",)]

    store.restore()
    for one in (bob, bob, ann, ann, lap):
        one.level()

    assert users(store.held.turns.values()) == dict.fromkeys(HERS, "bob")
    assert lap.ask("SELECT DISTINCT user_id FROM turn") == [("bob",)]
    lap.forget(HERS)
    lap.level()
    assert len(store.held.turns) == 2
