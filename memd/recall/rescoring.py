"""The best candidates read together with the question, by a model that is handed in, and ranked anew by what it says.

What it says is on a scale of its own, and of one question alone: its best counts as much as the best of all scores,
its worst nothing, and half of the score that was there is added. What was not read stays below what was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memd.recall.candidates import Candidate

PAIRS = 64  # candidates that are read: about half a second of a small model
QUERY_WORDS = 64  # the last ones of a long question, so that room is left for the text
KEPT = 0.5  # of the score that was there
DIGITS = 6

# A score for each text, on any scale; None where there is no telling now.
Rescorer = Callable[[str, Sequence[str]], Sequence[float] | None]


def rescored(query: str, found: Sequence[Candidate], rescore: Rescorer | None) -> list[Candidate]:
    """The candidates with new scores; as they are where nothing rescores."""
    if rescore is None or len(found) < 2:
        return list(found)
    ordered = sorted(found, key=lambda one: (-round(one.score, 9), -one.turn.sort_ms, one.turn.id, one.part))
    best, rest = ordered[:PAIRS], ordered[PAIRS:]
    said = rescore(" ".join(query.split()[-QUERY_WORDS:]), [one.text for one in best])
    if said is None:
        return list(found)
    top = best[0].score
    return [
        *(
            one._replace(score=top * share + KEPT * one.score)
            for one, share in zip(best, _shares(said), strict=True)
        ),
        *(one._replace(score=KEPT * one.score) for one in rest),
    ]


def _shares(said: Sequence[float]) -> list[float]:
    """From 0, the worst, to 1, the best; all 0 where they are equal."""
    low, high = min(said), max(said)
    return [round((one - low) / (high - low), DIGITS) if high > low else 0.0 for one in said]
