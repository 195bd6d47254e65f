"""The composite score, against figures worked out by hand from its formula."""

from __future__ import annotations

from math import exp, log

import pytest

from memd.errors import ConfigError
from memd.memory import scoring
from memd.memory.entry import EVERYWHERE, EntryType, MemoryClass, MemoryEntry, MemoryScope
from memd.memory.scoring import DAY_MS, Boosts, HalfLives, Options, Weights

NOW = 1_790_000_000_000
HERE = MemoryScope(1)
BRANCH = MemoryScope(1, "auth")


def entry(
    number: int,
    *,
    days: float = 0.0,
    importance: int = 5,
    type: EntryType = "fact",
    scope: MemoryScope = EVERYWHERE,
) -> MemoryEntry:
    created_ms = NOW - int(days * DAY_MS)
    return MemoryEntry(
        number, "x", type, importance, scope, None, None, created_ms, created_ms, 1, None, None, None
    )


@pytest.mark.parametrize(
    ("days", "memory_class", "score"),
    [
        (0, "episodic", 1.0),
        (3, "episodic", 0.5),
        (6, "episodic", 0.25),
        (90, "semantic", 0.5),
        (30, "semantic", 0.7937005259840998),
        (180, "procedural", 0.5),
        (7, None, 0.5),
        (1, None, exp(-log(2) / 7)),
        (-5, "semantic", 1.0),  # of a time to come
    ],
)
def test_mc08_recency_halves_with_every_half_life_of_its_class(
    days: float, memory_class: MemoryClass | None, score: float
) -> None:
    found = scoring.recency_score(NOW - int(days * DAY_MS), NOW, memory_class)

    assert found == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize(
    ("importance", "score"), [(-3, 0.0), (1, 0.0), (4, 1 / 3), (5, 4 / 9), (10, 1.0), (40, 1.0)]
)
def test_mc08_importance_goes_from_nought_to_one(importance: int, score: float) -> None:
    assert scoring.importance_score(importance) == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize(
    ("holds", "asked", "boost"),
    [
        (EVERYWHERE, EVERYWHERE, 1.0),
        (MemoryScope(2, "x"), EVERYWHERE, 1.0),
        (EVERYWHERE, HERE, 0.7),
        (EVERYWHERE, BRANCH, 0.7),
        (MemoryScope(2), HERE, 0.3),
        (MemoryScope(2, "auth"), BRANCH, 0.3),
        (HERE, HERE, 0.85),
        (HERE, BRANCH, 0.85),
        (BRANCH, BRANCH, 1.0),
        (BRANCH, HERE, 0.85),
        (MemoryScope(1, "other"), BRANCH, 0.85),
    ],
)
def test_mc08_the_boost_is_that_of_the_nearest_scope(
    holds: MemoryScope, asked: MemoryScope, boost: float
) -> None:
    assert scoring.scope_boost(holds, asked) == boost


@pytest.mark.parametrize(
    ("days", "importance", "relevance", "memory_class", "holds", "asked", "score"),
    [
        (0, 10, 1.0, "semantic", None, EVERYWHERE, 1.0),
        (0, 1, 0.0, "semantic", None, EVERYWHERE, 0.3),
        (90, 5, 0.5, "semantic", None, EVERYWHERE, 0.15 + 0.3 * 4 / 9 + 0.2),
        (3, 8, 0.9, "episodic", HERE, HERE, (0.15 + 0.3 * 7 / 9 + 0.36) * 0.85),
        (360, 10, 0.62, "procedural", EVERYWHERE, HERE, (0.075 + 0.3 + 0.248) * 0.7),
        (14, 1, 0.3, None, BRANCH, BRANCH, 0.075 + 0.12),
        (45, 7, 0.71, "semantic", MemoryScope(2), HERE, (0.3 * 0.5**0.5 + 0.2 + 0.284) * 0.3),
    ],
)
def test_mc08_the_score_is_the_weighted_sum_times_the_boost(
    days: float,
    importance: int,
    relevance: float,
    memory_class: MemoryClass | None,
    holds: MemoryScope | None,
    asked: MemoryScope,
    score: float,
) -> None:
    found = scoring.composite_score(
        NOW - int(days * DAY_MS),
        importance,
        relevance,
        memory_class=memory_class,
        holds=holds,
        asked=asked,
        now_ms=NOW,
    )

    assert found == pytest.approx(score, abs=1e-9)


def test_mc09_the_best_come_first_cut_to_the_limit_and_equal_ones_stay_in_order() -> None:
    found = [(entry(1), 0.1), (entry(2), 0.9), (entry(3), 0.1), (entry(4), 0.4)]

    ranked = scoring.rank(found, limit=3, now_ms=NOW)

    assert [one.id for _, one in ranked] == [2, 4, 1]
    assert ranked[0][0] == pytest.approx(0.3 + 0.3 * 4 / 9 + 0.36, abs=1e-9)


def test_mc09_what_was_found_without_a_relevance_has_a_half() -> None:
    ((bare, _),) = scoring.rank([(entry(1), None)], limit=5, now_ms=NOW)
    ((half, _),) = scoring.rank([(entry(1), 0.5)], limit=5, now_ms=NOW)

    assert bare == half


@pytest.mark.parametrize("limit", [0, -1])
def test_mc09_a_limit_of_none_gives_none(limit: int) -> None:
    assert scoring.rank([(entry(1), 0.5)], limit=limit, now_ms=NOW) == []


def test_other_constants_are_taken() -> None:
    options = Options(Weights(0.0, 0.5, 0.5), HalfLives(episodic=1), Boosts(project=0.5))

    ((score, _),) = scoring.rank(
        [(entry(1, importance=10, scope=HERE), 0.4)], limit=1, asked=HERE, now_ms=NOW, options=options
    )

    assert score == pytest.approx(0.35, abs=1e-9)
    assert scoring.recency_score(NOW - DAY_MS, NOW, "episodic", options.half_lives) == pytest.approx(0.5)


def test_weights_that_do_not_make_one_are_a_wrong_setting() -> None:
    with pytest.raises(ConfigError, match=r"make 0\.9 together") as caught:
        Weights(0.2, 0.3, 0.4)

    assert caught.value.exit_code == 78
    assert Weights(0.3, 0.3, 0.4 + 5e-7).relevance > 0.4
