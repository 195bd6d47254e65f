"""Two machines that share a store on PostgreSQL: whatever dies or is cut, each has all there is, exactly once."""

from __future__ import annotations

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
