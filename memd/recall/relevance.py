"""How well turns and their windows bear on a question, once the index has found them.

The index's score ranks turns. Here windows are told apart by their words, neighbours come in (a short answer brings
the question it answers), and a value that was changed later brings the later one.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memd.ranking import bm25
from memd.recall import candidates
from memd.recall.candidates import Candidate
from memd.recall.context import StoredTurn
from memd.recall.history import Found, History
from memd.text import words

FETCHED = 0.5  # the weight of what is fetched along, such as what a standing request asks for
REST = 0.4  # of a reply's score that its worst window keeps
ROOMS = 2  # so many times what the room holds is cut into windows
HELD = 0.2  # is added for holding every word of the question, in whatever form

SHORT_WORDS = 12  # an answer up to so long may not stand by itself
ANSWERED = 0.95  # of an answer's score goes to the question it answers
ANSWERING = 0.85  # of a question's score goes to what follows it
AROUND = 20  # of the best turns are asked for these
BESIDE = 0.5  # of the score of the very best goes to the two turns on either side
VERY_BEST = 5
OWN = 0.3  # of their own score is added to that; with it they still stay below the turn that brings them

UPDATED = 1.001  # of the score of what a later turn changes
COMPARED = 60  # of the best turns are compared with each other
TOLD_CHARS = 600  # longer turns say too much to be an update of another
SHARED = 0.6  # of the words of the shorter one
SHARED_LEAST = 2

Around = Mapping[str, tuple[StoredTurn | None, StoredTurn | None]]


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of a question, each with its weight."""

    weights: Mapping[str, float]

    @classmethod
    def of(cls, query: str, more: Sequence[str] = ()) -> Asked:
        """The words of a question, and of what is fetched along with it."""
        also = {stem: FETCHED for text in more for stem in words.stems(text)}
        return cls(also | dict.fromkeys(words.stems(query), 1.0))

    def without(self, faint: Container[str]) -> Asked:
        """The same without some stems; as it is where nothing would be left."""
        return Asked(
            {stem: weight for stem, weight in self.weights.items() if stem not in faint} or self.weights
        )

    def share(self, text: str) -> float:
        """How much of the question a text holds, from 0 to 1."""
        total = sum(self.weights.values())
        if not total:
            return 0.0
        held = words.held(text, self.weights)
        return sum(weight for stem, weight in self.weights.items() if stem in held) / total


def scored(asked: Asked, found: Sequence[Found], cap_chars: int, room_chars: int) -> list[Candidate]:
    """The candidates of turns: user turns whole unless they are longer than ``cap_chars``, replies in windows.

    What ranks behind more than the room can hold is taken whole: it will not be reached.
    """
    made: list[Candidate] = []
    filled = 0
    for each in found:
        if filled < ROOMS * room_chars:
            made += _candidates(asked, each, cap_chars)
        else:
            made.append(candidates.whole(each.turn, REST * each.score))
        filled += min(len(each.turn.text), candidates.SHORT_CHARS)
    return made


def _candidates(asked: Asked, found: Found, cap_chars: int) -> list[Candidate]:
    turn = found.turn
    if turn.by_user and len(turn.text) <= cap_chars:
        return [candidates.whole(turn, found.score)]
    parts = candidates.windows(turn, candidates.pool_of(turn))
    met = _met(asked, parts)
    best = max(met)
    shares = [one / best for one in met] if best else [1.0 if not n else 0.0 for n in range(len(met))]
    return [
        part._replace(score=found.score * (REST + (1 - REST) * share))
        for part, share in zip(parts, shares, strict=True)
    ]


def _met(asked: Asked, parts: Sequence[Candidate]) -> list[float]:
    """How well each part of a turn meets the words of the question."""
    return bm25.of_counts(asked.weights, [words.counted(part.text, asked.weights) for part in parts])


def best_window(asked: Asked, one: Candidate) -> Candidate:
    """The window to keep of a turn that is too long to keep whole; a window is its own."""
    if one.kind != "turn":
        return one
    parts = candidates.windows(one.turn, one.pool)
    met = _met(asked, parts)
    return parts[max(range(len(parts)), key=lambda n: (met[n], -n))]._replace(score=one.score)


def with_words(asked: Asked, found: Sequence[Found]) -> list[Found]:
    """What was found, with more for those that hold more of the question's words in any of their forms."""
    held = [words.held(one.turn.text, asked.weights) for one in found]
    counts = [dict.fromkeys(stems, 1) for stems in held]
    tells = {stem: weight * bm25.rarity(stem, counts) for stem, weight in asked.weights.items()}
    total = sum(tells.values()) or 1.0
    shares = (sum(tells[stem] for stem in asked.weights if stem in stems) / total for stems in held)
    return ordered(
        replace(one, score=one.score + HELD * share) for one, share in zip(found, shares, strict=True)
    )


def with_neighbours(found: Sequence[Found], history: History) -> list[Found]:
    """What was found, with the turns around the very best, the question that a short answer answers, and what follows
    upon a question."""
    best = found[:AROUND]
    around = _around([one.turn for one in best], history)
    own = {one.turn.id: one.score for one in found}
    scores = {one.turn.id: one for one in found}
    for one in best:
        before, after = around.get(one.turn.id, (None, None))
        if before and _short(one.turn.text):
            _lift(scores, before, ANSWERED * one.score)
        if after and _asks(one.turn.text):
            _lift(scores, after, ANSWERING * one.score)
    for one in best[:VERY_BEST]:
        for turn in _beside(one.turn, around):
            _lift(scores, turn, BESIDE * one.score + OWN * own.get(turn.id, 0.0))
    return ordered(scores.values())


def _around(best: Sequence[StoredTurn], history: History) -> Around:
    """The turns on either side of each, and of the very best also those beyond."""
    around = history.around(best)
    beside = {one.id: one for turn in best[:VERY_BEST] for one in around.get(turn.id, ()) if one}
    return {**around, **history.around([one for id, one in beside.items() if id not in around])}


def _beside(turn: StoredTurn, around: Around) -> Iterator[StoredTurn]:
    """The two turns before a turn and the two after it, where there are so many."""
    for side in (0, 1):
        one = around.get(turn.id, (None, None))[side]
        beyond = around.get(one.id, (None, None))[side] if one else None
        yield from filter(None, (one, beyond))


def _lift(scores: dict[str, Found], turn: StoredTurn, score: float) -> None:
    known = scores.get(turn.id)
    if known is None and score > 0:
        scores[turn.id] = Found(turn, score)
    elif known is not None and known.score < score:
        scores[turn.id] = replace(known, score=score)


def _short(text: str) -> bool:
    return len(text) <= 10 * SHORT_WORDS and len(text.split()) <= SHORT_WORDS


def _asks(text: str) -> bool:
    return text.rstrip()[-1:] in "?？" and bool(text.strip())


def with_updates(asked: Asked, found: Sequence[Found]) -> list[Found]:
    """What was found, a later turn before the earlier one that says the same of something, but for a value."""
    told = [(one.turn, _told(one.turn.text)) for one in found[:COMPARED]]
    about = sorted(
        ((turn, said) for turn, said in told if not said.isdisjoint(asked.weights)),
        key=lambda one: one[0].order,
    )
    scores = {one.turn.id: one for one in found}
    for at, (earlier, said) in enumerate(about):
        answers = said & asked.weights.keys()
        for later, said_later in about[at + 1 :]:
            if answers <= said_later and _changes(said, said_later):
                _lift(scores, later, scores[earlier.id].score * UPDATED)
    return ordered(scores.values())


def _told(text: str) -> frozenset[str]:
    return frozenset(words.stems(text)) if len(text) <= TOLD_CHARS else frozenset()


def _changes(said: frozenset[str], later: frozenset[str]) -> bool:
    """Whether the later words say of the same thing something else."""
    shared = len(said & later)
    few, many = sorted((len(said), len(later)))
    return max(SHARED_LEAST, SHARED * few, many / 2) <= shared < few


def ordered(found: Iterable[Found]) -> list[Found]:
    """Best first; of equal ones the newest."""
    return sorted(
        found, key=lambda one: (-round(one.score, 9), -one.turn.sort_ms, -one.turn.seq, one.turn.id)
    )
