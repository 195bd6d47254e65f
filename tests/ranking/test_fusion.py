"""The rule by which two rankings become one."""

from __future__ import annotations

import pytest

from memd.ranking import fusion
from memd.ranking.fusion import Candidate, Ranked


def candidate(
    row: int,
    *,
    bm25: float | None = None,
    cosine: float | None = None,
    session: int = 1,
    before: int | None = None,
    size: int = 100,
    at_ms: int = 0,
) -> Candidate:
    return Candidate(row, session, size, before, bm25, cosine, at_ms)


@pytest.mark.parametrize(
    ("bm25", "cosine", "score"),
    [
        (8.0, 0.5, 1.0),  # the best of both lanes
        (4.0, 0.25, 0.5),
        (8.0, None, 0.4),  # words alone weigh less than meaning
        (None, 0.5, 0.6),
        (None, -0.2, 0.0),  # what points away is not punished below nothing
    ],
)
def test_a_score_is_the_weighted_sum_of_shares_of_the_best(
    bm25: float | None, cosine: float | None, score: float
) -> None:
    best = candidate(1, bm25=8.0, cosine=0.5)

    assert fusion.convex([best, candidate(2, bm25=bm25, cosine=cosine)])[2] == pytest.approx(score)


def test_a_lane_that_is_alone_has_the_whole_weight() -> None:
    assert fusion.convex([candidate(1, bm25=3.0), candidate(2, bm25=1.5)]) == {1: 1.0, 2: 0.5}
    assert fusion.convex([candidate(1, cosine=0.6), candidate(2, cosine=0.3)]) == {1: 1.0, 2: 0.5}


def test_nothing_to_merge_is_nothing() -> None:
    assert fusion.convex([]) == {}
    assert fusion.surrounded([], {}) == {}
    assert fusion.best([], 5) == []


@pytest.mark.parametrize(
    ("size", "prior"), [(0, 1.0), (800, 1.0), (1600, 1 - 0.4 / 3), (6400, 0.6), (10**9, 0.6)]
)
def test_a_long_text_loses_up_to_two_fifths(size: int, prior: float) -> None:
    assert fusion.length_prior(size) == pytest.approx(prior)


def test_neighbours_lift_each_other_and_a_turn_between_strangers_gets_nothing() -> None:
    pair = [candidate(1, bm25=4.0), candidate(2, bm25=2.0, before=1)]
    apart = [candidate(1, bm25=4.0), candidate(2, bm25=2.0, before=99)]
    scores = {1: 1.0, 2: 0.5}

    together, alone = fusion.surrounded(pair, scores), fusion.surrounded(apart, scores)

    assert together[1] - alone[1] == pytest.approx(fusion.AFTER * 0.5)
    assert together[2] - alone[2] == pytest.approx(fusion.BEFORE * 1.0)


def test_a_session_with_a_good_hit_lifts_its_other_hits() -> None:
    candidates = [candidate(1, session=1), candidate(2, session=1), candidate(3, session=2)]

    ranked = fusion.surrounded(candidates, {1: 1.0, 2: 0.3, 3: 0.3})

    assert ranked[2] > ranked[3]


def test_of_two_turns_that_match_alike_the_one_that_only_asks_comes_second() -> None:
    asking = Candidate(1, 1, 100, None, 4.0, None, asks=True)

    ranked = fusion.surrounded([asking, candidate(2, bm25=4.0)], {1: 1.0, 2: 1.0})

    assert ranked[1] < ranked[2]


def test_surroundings_add_no_turn() -> None:
    assert fusion.surrounded([candidate(5, before=4)], {5: 1.0}).keys() == {5}


def test_of_equals_the_newest_comes_first_then_the_one_stored_last() -> None:
    ranked = [
        Ranked("turn", 1, 0.5, 50),
        Ranked("turn", 2, 0.5, 90),
        Ranked("turn", 3, 0.5 + 1e-12, 50),
        Ranked("turn", 4, 0.9, 10),
    ]

    assert [one.row for one in fusion.best(ranked, 9)] == [4, 2, 3, 1]
    assert [one.row for one in fusion.best(reversed(ranked), 2)] == [4, 2]


def test_on_the_scale_of_others_a_score_may_pass_one_and_a_lane_they_lack_is_its_own() -> None:
    found, others = [candidate(1, bm25=6.0, cosine=0.4)], [candidate(2, bm25=4.0)]

    assert fusion.convex(found, fusion.scale(others, found))[1] == pytest.approx(0.4 * 1.5 + 0.6)


def test_beside_turns_whose_tokens_were_compared_another_is_met_as_its_meaning_says() -> None:
    found = [candidate(1, bm25=8.0, cosine=0.5), candidate(2, bm25=4.0, cosine=0.4), candidate(3, cosine=0.4)]
    on = fusion.scale(found)

    scores = fusion.late(found, on, {1: 1.0, 2: 0.2})

    assert scores[1] == pytest.approx(1.0)
    assert scores[2] == pytest.approx(0.5 * 0.2 + 0.3 * 0.5 + 0.2 * 0.8)
    assert scores[3] == pytest.approx(0.5 * 0.8 + 0.2 * 0.8)
