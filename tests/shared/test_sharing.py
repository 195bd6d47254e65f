"""What one machine says another finds as it stands there: turns, sessions, changes, vectors. And what stays at home."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.db import token_signs
from memd.db.driver import Connection
from memd.db.vectors import Vectors
from memd.errors import Busy, StorageFailed
from memd.jobs.outcome import Finished, Later
from memd.turns import search, sharing, spaces, table
from memd.turns.shared import SharedSession, SharedTurn, SharedVectors, Told
from tests.rows import START_MS, store, turn
from tests.shared.in_memory import InMemoryShared
from tests.shared.machine import Machine, Made

UUID = "00000000-0000-4000-8000-000000000001"
SPACE = "hash/8"


def say(
    machine: Machine, *texts: str, session: str = UUID, first: int = 0, cwd: str | None = "/home/dev/app"
) -> None:
    store(machine.db, [turn(first + n, text, session=session) for n, text in enumerate(texts)], cwd=cwd)


def found(machine: Machine, word: str) -> list[str]:
    question = search.Question(word, 10, "keyword")
    return [hit.text for hit in machine.db.read_now(search.search, question, Vectors(), None, None).hits]


@pytest.fixture
def ann(machine: Made, store: InMemoryShared) -> Machine:
    return machine(store, "ann")


@pytest.fixture
def bob(machine: Made, store: InMemoryShared) -> Machine:
    return machine(store, "bob")


def test_what_one_machine_says_the_other_has(ann: Machine, bob: Machine) -> None:
    say(ann, "the cache moves", "on Mondays")
    ann.write("UPDATE session SET title = 'A title', continues = 'before'")

    ann.level()
    bob.level()

    assert {id: one[:-1] for id, one in bob.turns().items()} == {
        id: one[:-1] for id, one in ann.turns().items()
    }
    mine, theirs = ann.sessions()[UUID], bob.sessions()[UUID]
    same = ("title", "branch", "started_at", "last_at", "turns", "continues", "format", "cwd")
    assert [theirs[name] for name in same] == [mine[name] for name in same]
    assert (mine["user_id"], theirs["user_id"]) == (None, "ann")
    assert theirs["project"] == "user:ann:/home/dev/app"
    assert bob.ask("SELECT cwd FROM project_dir") == []
    assert bob.asked == ["embed"]


def test_every_fact_of_a_turn_is_heard(ann: Machine, bob: Machine) -> None:
    one = turn(3, "of a subagent", session=UUID, agent="a1")._replace(
        timestamp="2026-01-01T00:00:00+02:00", message_id="m", branch="auth", at_ms=None, sort_ms=START_MS
    )
    store(ann.db, [one, turn(4, "plain", session=UUID)])
    ann.write("UPDATE turn SET hidden = 1 WHERE seq = 4")
    names = "id, seq, role, claim, hidden, at_ms, sort_ms, timestamp, uuid, message_id, agent_id, branch"
    facts = f"SELECT {names} FROM turn"

    ann.level()
    bob.level()

    assert bob.ask(facts) == ann.ask(facts)


def test_nothing_is_told_twice_and_nothing_of_others(
    ann: Machine, bob: Machine, store: InMemoryShared
) -> None:
    say(ann, "hers")
    say(bob, "his", session=UUID.replace("1", "2"))
    for one in (ann, bob, ann, bob):
        one.level()

    told = dict(store.held.turns)
    ann.level()
    bob.level()

    assert {turn.user for turn in told.values()} == {"ann", "bob"}
    assert store.held.turns == told
    assert ann.turns().keys() == bob.turns().keys() == told.keys()
    again = ann.tell()
    assert isinstance(again, Finished) and again.result == {"turns": 0}


def test_one_hears_those_whom_one_reads(machine: Made, store: InMemoryShared) -> None:
    ann, bob, eve = (machine(store, name, users=["ann", name]) for name in ("ann", "bob", "eve"))
    for at, one in enumerate((ann, bob, eve)):
        say(one, f"of {one.user}", session=UUID.replace("1", str(at)))
        one.tell()
    for one in (ann, bob, eve):
        one.hear()

    assert [sorted(str(text) for _, _, text, *_ in one.turns().values()) for one in (ann, bob, eve)] == [
        ["of ann"],
        ["of ann", "of bob"],
        ["of ann", "of eve"],
    ]


def test_who_reads_others_than_before_hears_them_from_the_beginning(
    machine: Made, store: InMemoryShared
) -> None:
    ann, bob = machine(store, "ann"), machine(store, "bob", users=["bob"])
    say(ann, "hers")
    ann.tell()
    bob.hear()
    assert bob.turns() == {}

    again = Machine(bob.db, store, "bob", users=None)
    again.hear()

    assert len(again.turns()) == 1


def test_what_changes_is_heard(ann: Machine, bob: Machine) -> None:
    say(ann, "one", "two", "three")
    ann.level()
    bob.level()

    ann.write(
        "UPDATE turn SET hidden = 1 WHERE seq = 1",
        "UPDATE session SET title = 'Another'",
        "UPDATE content SET text = 'three, redacted', key = x'07' WHERE text = 'three'",
    )
    ann.level()
    bob.level()

    assert [one[2:4] for one in bob.turns().values()] == [
        ("one", False),
        ("two", True),
        ("three, redacted", False),
    ]
    assert bob.sessions()[UUID]["title"] == "Another"
    assert (found(bob, "redacted"), found(bob, "three")) == (["three, redacted"], ["three, redacted"])
    assert bob.ask("SELECT count(*) FROM content") == [(3,)]


def test_a_turn_that_changes_while_it_is_told_is_told_again(
    ann: Machine, bob: Machine, store: InMemoryShared
) -> None:
    say(ann, "one", "two")
    publish = store.publish

    def meanwhile(told: Told) -> int:
        store.publish = publish  # type: ignore[method-assign]  # once
        ann.write("UPDATE turn SET hidden = 1 WHERE seq = 0")
        return publish(told)

    store.publish = meanwhile  # type: ignore[method-assign]  # what happens on the way
    ann.level()
    bob.level()

    assert {id: one[3] for id, one in bob.turns().items()} == {f"{UUID}-0": True, f"{UUID}-1": False}


def test_a_row_that_is_given_again_while_a_parcel_is_told_is_told(
    ann: Machine, bob: Machine, store: InMemoryShared
) -> None:
    say(ann, "one", "two")
    publish = store.publish

    def meanwhile(told: Told) -> int:
        store.publish = publish  # type: ignore[method-assign]  # once
        ann.forget([f"{UUID}-1"])
        say(ann, "instead", first=7)
        return publish(told)

    store.publish = meanwhile  # type: ignore[method-assign]  # what happens on the way
    ann.level()
    bob.level()

    assert [one[2] for one in bob.turns().values()] == ["one", "instead"]


def test_the_rows_of_forgotten_turns_are_given_again_and_told(ann: Machine, bob: Machine) -> None:
    say(ann, "one", "two")
    ann.level()
    ann.forget([f"{UUID}-1"])
    say(ann, "instead", first=7)
    ann.level()
    bob.level()

    assert [one[2] for one in bob.turns().values()] == ["one", "instead"]


def test_one_forgets_ones_own_for_everybody(ann: Machine, bob: Machine, store: InMemoryShared) -> None:
    say(ann, "a secret", "not one")
    ann.write("UPDATE session SET title = 'About the secret'")
    ann.level()
    bob.level()

    ann.forget([f"{UUID}-0"])
    ann.level()
    bob.level()

    assert list(store.held.turns) == [f"{UUID}-1"]
    assert [one[2] for one in bob.turns().values()] == ["not one"]
    assert bob.sessions()[UUID]["title"] is None
    assert (found(bob, "secret"), bob.asked[-1]) == ([], "compact")
    assert bob.ask("SELECT key FROM outgoing WHERE kind = 'forgotten'") == []
    assert len((bob.db.path.parent / "forgotten").read_bytes()) == 16


def test_one_forgets_what_others_said_here_alone(ann: Machine, bob: Machine, store: InMemoryShared) -> None:
    say(ann, "hers")
    ann.level()
    bob.level()

    bob.forget([f"{UUID}-0"])
    bob.level()
    ann.level()
    bob.db.write_now(lambda c: c.execute("UPDATE shared_store SET mark = '{}'").fetchall())
    bob.level()

    assert (len(store.held.turns), len(ann.turns()), bob.turns()) == (1, 1, {})


def test_one_forgets_ones_own_on_whichever_machine(machine: Made, store: InMemoryShared) -> None:
    desk, lap = machine(store, "ann", "desk"), machine(store, "ann", "lap")
    say(desk, "a secret")
    desk.level()
    lap.level()

    lap.forget([f"{UUID}-0"])
    lap.level()
    desk.level()

    assert (store.held.turns, desk.turns(), lap.turns()) == ({}, {}, {})


def test_a_store_that_was_restored_forgets_again_and_is_told_again(
    ann: Machine, store: InMemoryShared
) -> None:
    say(ann, "a secret")
    ann.level()
    backup = store.backup()
    ann.forget([f"{UUID}-0"])
    say(ann, "said since", first=5)
    ann.level()

    store.restore(backup)
    ann.level()
    ann.level()

    assert [turn.text for turn in store.held.turns.values()] == ["said since"]


def test_what_changes_between_a_kill_and_the_next_start_is_told(ann: Machine, store: InMemoryShared) -> None:
    say(ann, "one", "two")
    store.losing = Busy("memd is killed here")
    ann.tell()
    ann.write(
        "UPDATE turn SET hidden = 1 WHERE seq = 0",
        "UPDATE content SET text = 'two, redacted', key = x'07' WHERE text = 'two'",
    )

    ann.level()

    told = store.held.turns.values()
    assert [(one.text, one.facts["hidden"]) for one in told] == [("one", True), ("two, redacted", False)]


def test_a_store_that_loses_what_it_took_last_is_told_again(ann: Machine, store: InMemoryShared) -> None:
    """Another server takes its place that has not got so far."""
    for backup in (None, store.backup()):
        say(ann, "one", "two")
        ann.tell()
        store.restore(backup)
        ann.level()
        ann.level()

        assert len(store.held.turns) == 2


def test_what_changed_since_the_backup_of_a_store_is_told_again(
    machine: Made, ann: Machine, store: InMemoryShared
) -> None:
    say(ann, "one", "two")
    ann.level()
    backup = store.backup()
    ann.write("UPDATE turn SET hidden = 1 WHERE seq = 0")
    ann.level()

    store.restore(backup)
    ann.level()
    ann.level()
    new = machine(store, "new")
    new.level()

    assert {one[2]: one[3] for one in new.turns().values()} == {"one": True, "two": False}


def test_what_is_to_begin_anew_while_a_parcel_is_told_does(ann: Machine, store: InMemoryShared) -> None:
    say(ann, "one", "two")
    publish = store.publish

    def meanwhile(told: Told) -> int:
        store.publish = publish  # type: ignore[method-assign]  # once
        ann.db.write_now(sharing.begin_anew)
        say(ann, "three", first=2)
        ann.level()
        ann.db.write_now(sharing.begin_anew)
        return publish(told)

    store.publish = meanwhile  # type: ignore[method-assign]  # what happens on the way
    ann.level()

    assert len(store.held.turns) == 3
    assert ann.ask("SELECT turn FROM shared_store") == [(3,)]


def test_a_store_made_anew_is_told_everything(ann: Machine, bob: Machine, store: InMemoryShared) -> None:
    say(ann, "one", "two")
    ann.level()
    bob.level()

    store.restore()
    ann.level()
    ann.level()

    assert len(store.held.turns) == 2
    bob.level()
    assert len(bob.turns()) == 2


def test_a_store_made_anew_is_told_everything_whomever_one_reads_from_then_on(
    machine: Made, store: InMemoryShared
) -> None:
    ann = machine(store, "ann", users=["ann"])
    say(ann, "one", "two")
    ann.level()

    store.restore()
    Machine(ann.db, store, "ann", users=None).level()

    assert len(store.held.turns) == 2


def test_another_store_is_told_from_the_beginning_but_nothing_of_others(
    ann: Machine, bob: Machine, store: InMemoryShared
) -> None:
    say(ann, "hers")
    say(bob, "his", session=UUID.replace("1", "2"))
    ann.level()
    bob.level()
    elsewhere = InMemoryShared()

    moved = Machine(bob.db, elsewhere, "bob", place="memory://other#memd")
    moved.level()

    assert [turn.text for turn in elsewhere.held.turns.values()] == ["his"]
    bob.forget([f"{UUID.replace('1', '2')}-0"])
    moved.level()
    bob.level()
    assert (elsewhere.held.turns, [turn.text for turn in store.held.turns.values()]) == ({}, ["hers"])


@pytest.mark.parametrize("error", [Busy("no answer"), StorageFailed("the network is unreachable")])
def test_where_the_store_is_away_it_waits_and_says_so(
    ann: Machine, store: InMemoryShared, error: Busy | StorageFailed
) -> None:
    say(ann, "hers")
    store.failing = error

    waits = [ann.tell(), ann.hear(), *(ann.tell() for _ in range(8))]

    assert all(isinstance(one, Later) for one in waits)
    seconds = [one.seconds for one in waits if isinstance(one, Later)]
    assert seconds == [1, 2, 4, 8, 16, 30, 30, 30, 30, 30]
    [trouble] = ann.troubles.all()
    assert (trouble.name, trouble.mild, ann.link.reachable) == ("store", True, False)
    assert error.message in trouble.what

    store.failing = None
    ann.level()
    assert (ann.troubles.all(), ann.link.reachable, len(store.held.turns)) == ([], True, 1)


def test_an_answer_that_is_lost_costs_nothing(ann: Machine, bob: Machine, store: InMemoryShared) -> None:
    say(ann, *(f"number {n}" for n in range(1_200)))
    store.losing = Busy("cut")

    assert isinstance(ann.tell(), Later)
    ann.level()
    bob.level()

    assert len(bob.turns()) == len(store.held.turns) == 1_200
    assert ann.ask("SELECT told FROM shared_store") == [(1_200,)]


def test_a_turn_that_one_has_from_ones_own_file_stays_as_that_tells_it(
    ann: Machine, bob: Machine, store: InMemoryShared
) -> None:
    say(ann, "both have it")
    say(bob, "both have it")
    bob.write("UPDATE turn SET hidden = 1", "UPDATE session SET title = 'His own'")
    ann.write("UPDATE session SET title = 'Hers'")
    for one in (ann, bob, ann, bob):
        one.level()

    assert [one[3] for one in bob.turns().values()] == [True]
    assert (bob.sessions()[UUID]["title"], bob.sessions()[UUID]["user_id"]) == ("His own", None)
    assert len(store.held.turns) == 1


def test_no_project_is_made_of_what_is_told_of_ones_own_session(machine: Made, store: InMemoryShared) -> None:
    ann = machine(store, "ann")
    say(ann, "hers")
    before = ann.ask("SELECT path FROM project")

    ann.level()

    assert store.held.sessions
    assert ann.ask("SELECT path FROM project") == before != []


def test_a_name_that_several_give_a_session_means_several(ann: Machine, bob: Machine) -> None:
    say(ann, "hers", session="notes", cwd=None)
    store(bob.db, [turn(9, "his", session="notes")])
    ann.level()
    bob.level()

    assert set(bob.sessions()) == {"notes", "notes@ann"}


def test_no_secret_leaves_or_comes_in(ann: Machine, bob: Machine, store: InMemoryShared) -> None:
    secret = "sk-ant-api03-" + "a1B2" * 24
    say(ann, f"the key is {secret}")
    ann.write(f"UPDATE session SET title = 'about {secret}'")
    ann.level()
    told = [*store.held.turns.values(), *store.held.sessions.values()]
    assert secret not in str(told)

    key = UUID.replace("1", "3")
    store.publish(
        Told(
            [SharedSession(key, "eve", None, {"title": f"of {secret}"})],
            [SharedTurn("t", key, "user", f"it is {secret}", 0, "eve", None, {})],
        )
    )
    bob.level()

    assert secret not in str(bob.turns()) + str(bob.sessions())
    assert "[REDACTED:" in str(bob.turns()["t"])


def test_nothing_leaves_of_folders_that_are_kept_back(machine: Made, store: InMemoryShared) -> None:
    ann = machine(store, "ann", folders=["/home/dev/team"])
    sessions = [UUID.replace("1", str(n)) for n in range(4)]
    for session, cwd in zip(
        sessions, ("/home/dev/team/app", "/home/dev/own", None, "/home/dev/team/x"), strict=True
    ):
        say(ann, f"in {cwd}", session=session, cwd=cwd)
    ann.excluded.add("/home/dev/team/x")
    _embed(ann)

    ann.level()

    assert [turn.text for turn in store.held.turns.values()] == ["in /home/dev/team/app"]
    assert len(store.held.sessions) == 1

    wider = Machine(ann.db, store, "ann")
    wider.level()
    assert len(store.held.turns) == 4


def test_a_session_that_comes_to_lie_in_a_folder_is_told_from_its_beginning(
    machine: Made, store: InMemoryShared
) -> None:
    ann = machine(store, "ann", folders=["/home/dev/team"])
    say(ann, "one", "two", cwd=None)
    say(ann, "elsewhere", session=UUID.replace("1", "2"), cwd="/home/dev/own")
    ann.level()
    assert store.held.turns == {}

    ann.write(f"UPDATE session SET cwd = '/home/dev/team/app' WHERE key = '{UUID}'")
    ann.level()

    assert [turn.text for turn in store.held.turns.values()] == ["one", "two"]


def test_a_folder_that_is_excluded_no_longer_is_told_and_heard(machine: Made, store: InMemoryShared) -> None:
    ann, bob = (machine(store, name, excluded=["/home/dev/app"]) for name in ("ann", "bob"))
    say(ann, "hers")
    ann.level()
    open_ = Machine(ann.db, store, "ann")
    assert store.held.turns == {}

    open_.level()
    bob.level()
    assert (len(store.held.turns), bob.turns()) == (1, {})
    bob.db.write_now(sharing.begin_anew)
    bob.excluded.clear()
    bob.level()

    assert len(bob.turns()) == 1


def test_nothing_comes_in_of_excluded_folders(ann: Machine, bob: Machine) -> None:
    bob.excluded.add("/home/dev/app")
    say(ann, "one")
    ann.level()
    bob.level()
    say(ann, "two", first=1)
    ann.level()
    bob.level()

    assert (bob.turns(), bob.ask("SELECT key FROM session")) == ({}, [])


def test_clones_of_a_repository_are_one_project(ann: Machine, bob: Machine, tmp_path: Path) -> None:
    hers, his = (
        _clone(tmp_path / "a", "git@host:team/app.git"),
        _clone(tmp_path / "b", "https://x:y@host/team/app"),
    )
    say(ann, "early", cwd=None)
    ann.write(f"INSERT INTO project VALUES (7, 'app', '{hers}', 'git')", "UPDATE session SET project_id = 7")
    ann.level()
    bob.level()
    assert bob.sessions()[UUID]["project"] == "remote:host/team/app"

    bob.write(f"INSERT INTO project VALUES (7, 'app', '{his}', 'git')")
    say(ann, "late", first=1, cwd=None)
    ann.level()
    bob.level()

    assert bob.sessions()[UUID]["project"] == his
    bob.excluded.add(his)
    say(ann, "shut out", first=2, cwd=None)
    ann.level()
    bob.level()
    assert len(bob.turns()) == 2


def _clone(folder: Path, url: str) -> str:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {url}\n')
    return str(folder)


def _embed(machine: Machine, key: str = SPACE, signs: bytes = b"") -> None:
    """Vectors for every text without one, each made of its own words."""

    def work(connection: Connection) -> None:
        space = spaces.ensure(connection, key, 8)
        connection.execute("UPDATE space SET state = 'serving' WHERE id = ?", (space,))
        table.queue_vectors(connection)
        rows = spaces.waiting(connection, space, 1_000)
        spaces.put(connection, space, [(owner, [text.encode()[:8].ljust(8)]) for owner, text in rows])
        if signs:
            token_signs.put(connection, space, [(owner, [signs]) for owner, _ in rows])

    machine.db.write_now(work)


VECTORS = """SELECT t.id, v.part, v.embedding, s.signs FROM turn t JOIN vector v ON v.content_id = t.content_id
  LEFT JOIN token_signs s ON s.vector_id = v.id ORDER BY t.id"""


def test_vectors_come_along_so_that_nobody_embeds_twice(machine: Made, store: InMemoryShared) -> None:
    ann, bob = machine(store, "ann", token_bytes=4), machine(store, "bob", token_bytes=4)
    _embed(bob)
    say(ann, "said first", "said twice")
    _embed(ann, signs=b"\x01\x02\x03\x04")
    ann.level()
    bob.level()
    assert bob.ask(VECTORS) == ann.ask(VECTORS) != []

    say(ann, "said later", "said twice", first=2)
    ann.level()
    bob.level()
    assert len(bob.ask("SELECT * FROM backlog")) == 1
    _embed(ann, signs=b"\x01\x02\x03\x04")
    ann.level()
    bob.level()

    assert bob.ask(VECTORS) == ann.ask(VECTORS)
    assert (len(bob.ask(VECTORS)), bob.ask("SELECT * FROM backlog")) == (4, [])


@pytest.mark.parametrize(
    ("space", "windows"),
    [
        ("another/8", [(bytes(8), bytes(4))]),
        (SPACE, [(bytes(7), bytes(4))]),
        (SPACE, [(bytes(8), bytes(5))]),
        (SPACE, [(bytes(8), b"")]),
        (SPACE, []),
    ],
)
def test_vectors_that_are_of_no_use_here_are_made_here(
    machine: Made, store: InMemoryShared, space: str, windows: list[tuple[bytes, bytes]]
) -> None:
    bob = machine(store, "bob", token_bytes=4)
    _embed(bob)
    given = SharedTurn("t", UUID, "user", "a text", 0, "ann", None, {})
    store.publish(
        Told([SharedSession(UUID, "ann", None, {})], [given], vectors=[SharedVectors("t", space, windows)])
    )
    bob.level()

    assert bob.ask("SELECT count(*) FROM vector") == [(0,)]
    assert len(bob.ask("SELECT * FROM backlog")) == 1


def test_what_another_program_wrote_there_is_heard_as_far_as_it_makes_sense(
    bob: Machine, store: InMemoryShared
) -> None:
    odd = {"seq": 1 << 62, "claim": 99, "hidden": "yes", "at_ms": "now", "uuid": 5, "branch": "b" * 10_000}
    store.publish(
        Told(
            [
                SharedSession(
                    "s", "eve", None, {"project": {"name": "p", "path": "/home/dev/app"}, "cwd": "/x"}
                )
            ],
            [
                SharedTurn("1", "s", "user", "plain", 1_000_000, "eve", None, {}),
                SharedTurn("2", "s", "system", "odd", 2_000_000, "eve", "a", odd),  # type: ignore[arg-type]  # it is
                SharedTurn("3", "s", "", "of nobody", 0, "eve", None, {}),
            ],
        )
    )
    bob.level()

    assert set(bob.turns()) == {"1", "2"}
    assert bob.ask("SELECT seq, claim, hidden, at_ms, uuid, branch FROM turn WHERE id = '2'") == [
        (2_000, 1, 0, 2_000, None, None)
    ]
    assert bob.sessions()["s@eve"]["project"] == "user:eve:/home/dev/app"
