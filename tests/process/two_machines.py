"""Two machines of a team, each with a memd of its own, and one PostgreSQL behind a network that can be cut.

``python -m tests.process.two_machines`` does with 20,000 turns and a cut of 30 seconds what the tests do with few.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
import uuid
from collections.abc import Callable, Sequence

import psycopg

from tests import postgres_server
from tests.process.conftest import Box
from tests.tcp_proxy import Proxy

TURNS_OF_SESSION = 25
SECONDS = 60.0


class Machine(Box):
    """One of them, whose user works in sessions of its own, and in some that lie on both machines."""

    def __init__(self, user: str, address: str, table: str) -> None:
        super().__init__()
        self.user = user
        self.env |= {
            "MEMD_STORE__URL": address,
            "MEMD_STORE__TABLE": table,
            "MEMD_STORE__USER_ID": user,
            "MEMD_STORE__USERS": "*",
            "MEMD_STORE__POLL_SECONDS": "1",
        }

    def say(self, session: str, texts: Sequence[str]) -> None:
        """Write a transcript of these turns."""
        path = self.projects / "-home-dev-app" / f"{uuid.uuid5(uuid.NAMESPACE_OID, session)}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{json.dumps(_record(path.stem, text))}\n" for text in texts))

    def turns(self) -> int:
        """How many are stored here."""
        return int(self.ask("status")["counts"]["turns"])

    def store(self) -> dict[str, object]:
        """What it says of the shared store."""
        said: dict[str, object] = self.ask("status")["store"]
        return said

    def die(self) -> None:
        """End as in a power cut, and come back."""
        self.kill()
        self.start()

    def level(self, seconds: float) -> None:
        """Read all there is, tell it and hear what the other told."""
        deadline = time.monotonic() + seconds
        while True:
            done = self.ctl("sync", "--wait", "--timeout", "50", "--json")
            if done.returncode == 0 and json.loads(done.stdout)["store"] == "level":
                return
            assert time.monotonic() < deadline, f"{done.stdout}\n{done.stderr}\n{self.log()[-5_000:]}"


def _record(session: str, text: str) -> dict[str, object]:
    return {
        "type": "user",
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, text)),
        "sessionId": session,
        "cwd": "/home/dev/app",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "message": {"role": "user", "content": text},
    }


class Team:
    """Both machines with a history of so many turns: of each its own, and a tenth that lies on both."""

    def __init__(self, address: str, turns: int) -> None:
        self.address, self.table = address, f"team_{uuid.uuid4().hex[:8]}"
        self.proxy = Proxy(postgres_server.place(address))
        behind = postgres_server.behind(self.proxy, address)
        self.machines = [Machine(user, behind, self.table) for user in ("ada", "bob")]
        self.expected: list[str] = []
        for n in range(turns // TURNS_OF_SESSION):
            told = [f"turn{n}x{m} of a long history" for m in range(TURNS_OF_SESSION)]
            for machine in self.machines if n % 10 == 0 else [self.machines[n % 2]]:
                machine.say(f"session {n}", told)
            self.expected += told

    def level(self, seconds: float = SECONDS) -> None:
        """Until each has told all and heard what the other has told."""
        for machine in (*self.machines, *self.machines):
            machine.level(seconds)

    def in_store(self) -> list[str]:
        """What lies in the store."""
        with psycopg.connect(self.address) as connection:
            return [text for (text,) in connection.execute(f'SELECT content FROM "{self.table}"'.encode())]

    def holds_all_once(self) -> None:
        """The union is everywhere exactly once, and found from everywhere."""
        expected = sorted(self.expected)
        assert sorted(self.in_store()) == expected
        for machine in self.machines:
            assert sorted(turn["text"] for turn in machine.export()) == expected
            for n in (TURNS_OF_SESSION, 2 * TURNS_OF_SESSION):  # of the one and of the other
                (first, *_) = self.expected[n].split()
                assert machine.found(first)[:1] == [self.expected[n]]

    def start(self) -> None:
        for machine in self.machines:
            machine.start()

    def dies_while_it_imports(self, times: int, seconds: float = SECONDS) -> list[int]:
        """Each machine dies so many times on the way; how much was in the store each time."""
        at: list[int] = []
        for n in range(times):
            wanted = max(1, len(self.expected) * n // times)
            self.until(lambda wanted=wanted: self.told() >= wanted, seconds)
            for machine in self.machines:
                at.append(self.told())
                machine.die()
        return at

    def told(self) -> int:
        """How many turns are in the store by now."""
        with psycopg.connect(self.address) as connection:
            if connection.execute("SELECT to_regclass(%s)", [self.table]).fetchone() == (None,):
                return 0
            ((count,),) = connection.execute(f'SELECT count(*) FROM "{self.table}"'.encode())
            return int(count)

    def until(self, true: Callable[[], bool], seconds: float = SECONDS) -> None:
        """Wait until it is true."""
        deadline = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < deadline, self.machines[0].log()[-5_000:]
            time.sleep(0.02)

    def close(self) -> None:
        for machine in self.machines:
            machine.kill()
            shutil.rmtree(machine.root, ignore_errors=True)
        self.proxy.refuse()


def main() -> None:
    """20,000 turns, killed five times each; and again behind a network that is silent for 30 seconds."""
    with postgres_server.running() as address:
        for name, happens in (("killed", _killed), ("cut", _cut)):
            team = Team(address, 20_000)
            began = time.monotonic()
            try:
                happens(team)
                team.level(600)
                team.holds_all_once()
            finally:
                team.close()
            print(
                f"{name}: {len(team.expected):,} turns everywhere once after {time.monotonic() - began:.0f} s"
            )


def _killed(team: Team) -> None:
    team.start()
    print("killed: with so many turns in the store", *team.dies_while_it_imports(5, 600))


def _cut(team: Team) -> None:
    team.start()
    team.until(lambda: team.told() > 2_000, 600)
    team.proxy.silence()
    began = time.monotonic()
    team.until(lambda: all(machine.store()["reachable"] is False for machine in team.machines))
    print(f"cut: noticed after {time.monotonic() - began:.0f} s")
    time.sleep(max(0.0, 30 - (time.monotonic() - began)))  # that is how long the network is cut
    team.proxy.restore()


if __name__ == "__main__":
    sys.exit(main())
