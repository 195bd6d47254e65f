"""A summary in openings: what each turn set out with, so that the whole of a history is in view, early and late.

Where all openings fit nothing is ranked. Else time is cut into equal slices, and each slice gives its best opening in
turn, the first and the last slice first, until the room is filled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memd.recall import candidates
from memd.recall.budget import Draft
from memd.recall.candidates import Candidate
from memd.recall.context import StoredTurn
from memd.recall.render import Labels
from memd.recall.select import Room, Weighed
from memd.text.tokens import Counter

SLICES = 24


def openings(turns: Sequence[StoredTurn], scores: Mapping[str, float]) -> list[Candidate]:
    """The openings of turns in order of time; ``scores`` are of those that bear on what is asked."""
    ordered = sorted(turns, key=lambda turn: turn.order)
    found = (candidates.opening(turn, scores.get(turn.id, 0.0)) for turn in ordered)
    return [one for one in found if one is not None]


def fits(found: Sequence[Candidate], room: Room, labels: Labels, counter: Counter) -> bool:
    """Whether all of them may be kept."""
    trial = Draft(labels, counter)
    for one in found:
        if trial.tokens > room.tokens:
            return False
        trial.add(one)
    return trial.tokens <= room.tokens


def unranked(found: Sequence[Candidate]) -> list[Weighed]:
    """Openings that all fit, in order of time."""
    return [Weighed(one, None) for one in found]


def by_slices(found: Sequence[Candidate]) -> list[Weighed]:
    """The openings in the order in which they are to be tried: the best of each slice of time, then the second best.

    Within a slice what bears on the question comes first, then what users said, then what came first.
    """
    size = max(1, -(-len(found) // SLICES))
    slices = [
        sorted(
            found[at : at + size], key=lambda one: (-round(one.score, 9), one.pool == "reply", one.turn.order)
        )
        for at in range(0, len(found), size)
    ]
    order = [slices[at] for at in halving(len(slices))]
    rounds = [slice_[n] for n in range(size) for slice_ in order if n < len(slice_)]
    places: dict[str, int] = {}
    weighed = []
    for one in rounds:
        places[one.pool] = places.get(one.pool, 0) + 1
        weighed.append(Weighed(one, places[one.pool], reason="not_sampled"))
    return weighed


def halving(n: int) -> list[int]:
    """The places from 0 to n - 1, the first, the last, and then always the middle of the widest gap."""
    taken = [0, n - 1][:n]
    gaps = [(0, n - 1)]
    for low, high in gaps:  # which grows meanwhile
        middle = (low + high) // 2
        if low < middle < high:
            taken.append(middle)
            gaps += [(low, middle), (middle, high)]
    return taken


def details(found: Sequence[Candidate]) -> list[Candidate]:
    """Windows of replies as a summary keeps them whole, in what the openings leave of the room."""
    return [one._replace(pool="detail") for one in found if one.pool == "reply"]
