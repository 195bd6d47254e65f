"""Two machines that share a store on PostgreSQL: whatever dies or is cut, each has all there is, exactly once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from tests import postgres_server
from tests.process.two_machines import Team
from tests.tcp_proxy import Proxy

TURNS = 1_000


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with postgres_server.running() as address:
        yield address


@pytest.fixture
def team(postgres: str) -> Iterator[Team]:
    made = Team(postgres, TURNS)
    yield made
    made.close()


def test_machines_that_are_killed_while_they_import_share_all_of_it_once(team: Team) -> None:
    team.start()

    at = team.dies_while_it_imports(2)
    team.level()

    assert 0 < at[0] < TURNS
    team.holds_all_once()


@pytest.mark.parametrize("cut", [Proxy.refuse, Proxy.silence])
def test_machines_whose_network_is_cut_go_on_by_themselves_and_share_the_rest_later(
    team: Team, cut: Callable[[Proxy], None]
) -> None:
    ada, bob = team.machines
    ada.start()
    team.until(lambda: team.told() > 0)

    cut(team.proxy)
    bob.start()
    team.until(lambda: [one.store()["reachable"] for one in (ada, bob)] == [False, False])
    for machine, n in ((ada, 2), (bob, 1)):
        word = f"turn{n}x0"  # of its own
        team.until(lambda machine=machine, word=word: f"{word} of a long history" in machine.found(word))
        assert machine.ask("search", word)["fresh"]["store_away_since"]
    assert team.told() < TURNS
    team.proxy.restore()
    team.level()

    team.holds_all_once()
    assert [one.store()["reachable"] for one in (ada, bob)] == [True, True]


def test_a_network_that_is_silent_holds_up_no_end(team: Team) -> None:
    ada, _ = team.machines
    ada.start()
    ada.level(50)
    team.proxy.silence()
    ada.say("in silence", ["said while nobody answers"])
    team.until(lambda: bool(ada.found("nobody answers")))
    team.until(lambda: ada.store()["waiting"] == 1)

    begun = time.monotonic()

    assert ada.stop() == 0
    assert time.monotonic() - begun < 5


def test_what_one_forgets_of_ones_own_is_forgotten_by_all_and_the_rest_here_alone(team: Team) -> None:
    ada, bob = team.machines
    ada.say("her session", ["a word that ada takes back", "a word that stays"])
    team.start()
    team.level()

    for machine, word in ((ada, "takes back"), (bob, "that stays")):
        done = machine.ctl("forget", "--match", word, "--all-projects", "--yes")
        assert done.returncode == 0, done.stderr
    team.level()

    assert ", level with the shared store" in ada.ctl("sync", "--wait").stdout
    assert ", as ada: " in ada.ctl("status").stdout
    _, checks = ada.diagnose()
    assert checks["store"]["state"] == "ok"
    kept = [text for text in team.in_store() if text.startswith("a word")]
    assert kept == ["a word that stays"]
    assert [one["text"] for one in ada.export() if one["text"].startswith("a word")] == kept
    assert [one for one in bob.export() if one["text"].startswith("a word")] == []
