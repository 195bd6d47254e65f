"""Whatever machines say, change and forget, whenever the store is away and wherever memd is killed: in the end each has
all that was said and not forgotten, once, as whoever said it has it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memd.errors import Busy
from memd.sources.hearing import Hearing
from memd.turns import outgoing
from tests.rows import store, turn
from tests.shared.in_memory import Held, InMemoryShared
from tests.shared.machine import machines

WHO = ("ann", "bob", "ann's other")
USERS = {"ann": "ann", "bob": "bob", "ann's other": "ann"}
SESSIONS = [f"00000000-0000-4000-8000-00000000000{n}" for n in range(3)]
NUMBERS = 100  # of the turns of each in a session

MEMORY = "/dev/shm"  # where nothing waits for a disk
ONE = st.sampled_from(WHO)
NUMBER = st.integers(0, 30)


def session_of(who: str, number: int) -> str:
    """The key of a session: the first is everybody's."""
    return SESSIONS[number].replace("8000", f"8{WHO.index(who):03}") if number else SESSIONS[0]


class Killed(Exception):
    """memd ended here."""


class Team(RuleBasedStateMachine):
    """Three machines of two people, and what each of their turns is to be in the end."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None)
        self.context = machines(Path(self.folder.name))
        made = self.context.__enter__()
        self.store = InMemoryShared()
        self.backup: Held | None = None
        self.machines = {who: made(self.store, USERS[who], who) for who in WHO}
        self.said: dict[str, tuple[str, str]] = {}  # by id: who has it in a file, and its text
        self.hidden: dict[str, bool] = {}
        self.titles: dict[tuple[str, str], str] = {}
        self.forgotten: set[str] = set()
        self.without: dict[str, set[str]] = {who: set() for who in WHO}  # what of others each forgot
        self.restored = False

    def teardown(self) -> None:
        self.context.__exit__(None, None, None)
        self.folder.cleanup()

    def of(self, who: str) -> list[str]:
        return [id for id, (owner, _) in self.said.items() if owner == who and id not in self.forgotten]

    @rule(who=ONE, session=st.integers(0, 2), numbers=st.lists(NUMBER, min_size=1, max_size=4, unique=True))
    def say(self, who: str, session: int, numbers: list[int]) -> None:
        """Each machine has sessions of its own, and one is everybody's; a text may be said by several."""
        key, first = session_of(who, session), NUMBERS * WHO.index(who)
        turns = [turn(first + n, f"text {n}", session=key) for n in numbers]
        store(self.machines[who].db, turns, cwd=f"/home/{who}")
        for one in turns:
            self.said.setdefault(one.id, (who, one.text))
            if one.id not in self.forgotten:
                self.hidden[one.id] = False  # what is met again is shown

    @rule(who=ONE, number=NUMBER, hidden=st.booleans())
    def mark(self, who: str, number: int, hidden: bool) -> None:
        if own := self.of(who):
            id = own[number % len(own)]
            self.machines[who].write(f"UPDATE turn SET hidden = {int(hidden)} WHERE id = '{id}'")
            self.hidden[id] = hidden

    @rule(who=ONE, number=NUMBER)
    def redact(self, who: str, number: int) -> None:
        """A text that stands here is rewritten, wherever it was said on this machine; nobody else says it here."""
        if own := self.of(who):
            _, text = self.said[own[number % len(own)]]
            new = f"{text}, redacted"
            db = self.machines[who].db
            if text in {found for id, (found,) in self.machines[who].turns("text").items() if id not in own}:
                return
            if db.read_now(lambda c: c.execute("SELECT 1 FROM content WHERE text = ?", (new,)).get):
                return
            db.write_now(
                lambda c: c.execute(
                    "UPDATE content SET text = ?, key = randomblob(16) WHERE text = ?", (new, text)
                ).fetchall()
            )
            self.said |= {id: (who, new) for id in own if self.said[id][1] == text}

    @rule(who=ONE, session=st.integers(0, 2), number=NUMBER)
    def title(self, who: str, session: int, number: int) -> None:
        key = session_of(who, session)
        self.machines[who].write(f"UPDATE session SET title = 'title {number}' WHERE key = '{key}'")

    @rule(who=ONE, number=NUMBER)
    def forget_own(self, who: str, number: int) -> None:
        if own := self.of(who):
            id = own[number % len(own)]
            self.machines[who].forget([id])
            self.forgotten.add(id)

    @rule(who=ONE, number=NUMBER)
    def forget_heard(self, who: str, number: int) -> None:
        """What others said goes here alone; what the same user said on another machine goes everywhere."""
        machine = self.machines[who]
        heard = sorted(set(machine.turns()) - set(self.of(who)))
        if not heard:
            return
        id = heard[number % len(heard)]
        machine.forget([id])
        if USERS[self.said[id][0]] == machine.user:
            self.forgotten.add(id)
        else:
            self.without[who].add(id)

    @rule(who=ONE)
    def tell(self, who: str) -> None:
        self.machines[who].tell()

    @rule(who=ONE)
    def hear(self, who: str) -> None:
        self.machines[who].hear()

    @rule()
    def go_away(self) -> None:
        self.store.failing = Busy("away")

    @rule()
    def come_back(self) -> None:
        self.store.failing = None

    @rule()
    def lose_an_answer(self) -> None:
        self.store.losing = Busy("cut")

    @rule(who=ONE)
    def be_killed_before_it_notes_what_it_told(self, who: str) -> None:
        machine = self.machines[who]
        parcel = machine.db.read_now(outgoing.parcel, machine.id)
        if parcel is not None and self.store.failing is None:
            self.store.losing = None
            self.store.publish(machine.share._wrapping.told(parcel))
        machine.start()

    @rule(who=ONE)
    def be_killed_while_it_takes_in(self, who: str) -> None:
        machine = self.machines[who]

        def die(_: object) -> None:
            raise Killed

        hearing = Hearing(machine.id, die, die, lambda: 0)
        machine.fetch._hearing = hearing
        try:
            machine.hear()
        except Killed:
            pass
        machine.start()

    @rule()
    def back_up(self) -> None:
        self.backup = self.store.backup()

    @precondition(lambda self: self.backup is not None)
    @rule()
    def restore(self) -> None:
        self.store.restore(self.backup)

    @rule()
    def make_anew(self) -> None:
        self.store.restore()

    @invariant()
    def nothing_stands_twice(self) -> None:
        for machine in self.machines.values():
            assert machine.ask("SELECT count(*) - count(DISTINCT id) FROM turn") == [(0,)]

    @rule()
    def come_together(self) -> None:
        """Told and heard as often as it takes."""
        self.store.failing = self.store.losing = None
        for _ in range(4):
            for machine in self.machines.values():
                machine.level()
        kept = {id: text for id, (_, text) in self.said.items() if id not in self.forgotten}
        assert {id: one.text for id, one in self.store.held.turns.items()} == kept
        for who, machine in self.machines.items():
            expected = {
                id: (text, self.hidden[id]) for id, text in kept.items() if id not in self.without[who]
            }
            assert machine.turns("text", "other_branch") == expected
            assert machine.ask("SELECT count(*) FROM outgoing WHERE kind <> 'session'") == [(0,)]
            counted = "SELECT s.key FROM session s WHERE s.turns <> (SELECT count(*) FROM turn WHERE session_id = s.id)"
            assert machine.ask(counted) == []
            assert machine.ask(
                "SELECT count(*) FROM content WHERE id NOT IN (SELECT content_id FROM turn)"
            ) == [(0,)]


TestTeam = Team.TestCase
TestTeam.settings = settings(max_examples=15, stateful_step_count=40, deadline=None)
