"""What a new text is to the entries there are: a duplicate of one, in possible conflict with some, or new.

Only live entries of its type and its project are compared (of none, where it has none). Those are looked at that share
its rarest words, ranked best, and those nearest in meaning; so the size of the store does not matter to what is found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from memd.db import driver, fts
from memd.db.counts import Counts
from memd.db.driver import Connection, Value
from memd.db.fts import Term
from memd.errors import ConfigError
from memd.memory import differences, guards, nearest
from memd.memory.entry import Draft
from memd.memory.meaning import Meaning
from memd.memory.which import LIVE

CANDIDATES = 30  # of each way to find some
RANKED = 2_000  # hits that one expression may rank
LONG = 200  # characters: from there on comparing letters takes milliseconds
ROUNDING = 0.0005  # stored vectors have a byte a dimension: a cosine is known no better

_AMONG = f"e.type = ? AND e.project_id IS ? AND {LIVE}"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """How alike two texts are that are duplicates, by their letters or their vectors, and that may be in conflict.

    ConfigError where a conflict would have to be more alike than a duplicate.
    """

    string: float = 0.85
    vector: float = 0.92
    conflict: float = 0.60

    def __post_init__(self) -> None:
        if self.conflict > self.vector:
            raise ConfigError(
                f"memory.dedup_conflict is {self.conflict:g}, above memory.dedup_vector, {self.vector:g};"
                " it must be the lower one"
            )


@dataclass(frozen=True, slots=True)
class Conflict:
    """An entry that may say the opposite, and how alike it is (to four places)."""

    id: int
    content: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Found:
    """The entry that says the same, if one does; else those that may contradict it, most alike first."""

    duplicate: int | None
    conflicts: Sequence[Conflict]


@dataclass(frozen=True, slots=True)
class _Likeness:
    """How like the new text an entry is; a ratio below the threshold counts as none."""

    id: int
    content: str
    ratio: float
    cosine: float
    guarded: bool

    @property
    def similarity(self) -> float:
        return max(self.ratio, self.cosine)


def find(connection: Connection, draft: Draft, meaning: Meaning | None, thresholds: Thresholds) -> Found:
    """What is known already of a draft."""
    cosines = _nearest(connection, draft, meaning)
    texts = _texts(connection, {*_worded_alike(connection, draft), *cosines})
    writing = _Writing(draft.content)
    alike = [
        _likeness(writing, entry, text, cosines.get(entry, 0.0), thresholds) for entry, text in texts.items()
    ]
    alike.sort(key=lambda one: (-one.similarity, one.id))
    same = [one for one in alike if not one.guarded and _is_same(one, thresholds)]
    if same:
        return Found(min(same, key=lambda one: (-one.ratio, -one.cosine, one.id)).id, ())
    least = thresholds.conflict - ROUNDING
    return Found(
        None,
        [Conflict(one.id, one.content, round(one.similarity, 4)) for one in alike if one.similarity >= least],
    )


def twins(connection: Connection, draft: Draft) -> Sequence[int]:
    """The live entries of its type and project with the very text of a draft."""
    texts = _texts(connection, _worded_alike(connection, draft))
    return [entry for entry, text in texts.items() if normalised(text) == normalised(draft.content)]


def normalised(content: str) -> str:
    """The text as it is compared: small letters, single spaces, no full stop at its end."""
    return " ".join(content.casefold().split()).rstrip(".!;, ")


def _is_same(one: _Likeness, thresholds: Thresholds) -> bool:
    return one.ratio >= thresholds.string or one.cosine >= thresholds.vector - ROUNDING


def _likeness(writing: _Writing, entry: int, text: str, cosine: float, thresholds: Thresholds) -> _Likeness:
    content = writing.text
    same = normalised(content) == normalised(text)
    ratio = 1.0 if same else writing.ratio(text, thresholds.string)
    near = ratio > 0 or cosine >= thresholds.vector - ROUNDING
    guarded = near and (
        guards.apart(content, text)
        or ((ratio > 0 or differences.alike(content, text)) and differences.exchanged(content, text))
    )
    return _Likeness(entry, text, ratio, cosine, guarded)


class _Writing:
    """A text as its letters, or its words where it or the other is long, are compared with those of many others."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._letters: SequenceMatcher[str] = SequenceMatcher(None, "", text, autojunk=False)
        self._words: SequenceMatcher[str] = SequenceMatcher(None, (), text.split())

    def ratio(self, other: str, least: float) -> float:
        """How much of both is the same; none where that is less than what is asked."""
        if max(len(self.text), len(other)) > LONG:
            matcher = self._words
            matcher.set_seq1(other.split())
        else:
            matcher = self._letters
            matcher.set_seq1(other)
        if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
            return 0.0
        ratio = matcher.ratio()
        return ratio if ratio >= least else 0.0


def _nearest(connection: Connection, draft: Draft, meaning: Meaning | None) -> Mapping[int, float]:
    """The entries nearest in meaning: of a long text, by the window that is farthest from them."""
    if meaning is None:
        return {}
    cosines: dict[int, float] = {}
    for number, window in enumerate(meaning.windows):
        found = dict(
            nearest.nearest(
                connection, meaning.space, window, CANDIDATES, _AMONG, (draft.type, draft.scope.project)
            )
        )
        if number:
            found = {
                entry: min(cosine, cosines[entry]) for entry, cosine in found.items() if entry in cosines
            }
        cosines = found
    return cosines


def _worded_alike(connection: Connection, draft: Draft) -> set[int]:
    """The entries that share most of its words, and those that share its rarest."""
    terms = fts.terms(connection, draft.content)
    among = (draft.type, draft.scope.project)
    if not terms:
        return _written_alike(connection, draft.content, among)
    counts = Counts(connection, terms, fts.ENTRIES)
    costs = {term: counts.of(term) for term in terms}
    known = sorted((term for term in terms if costs[term]), key=lambda term: costs[term])
    if not known:
        return set()
    rare = _affordable(known, costs)
    found = _ranked(connection, fts.any_of(rare), among)
    if len(rare) < len(known):
        found |= _ranked(connection, fts.all_of(known), among)
    return found


def _affordable(terms: Sequence[Term], costs: Mapping[Term, int]) -> Sequence[Term]:
    """As many of the rarest terms as may be ranked together, one at least."""
    left = RANKED
    for number, term in enumerate(terms):
        left -= costs[term]
        if left < 0 and number:
            return terms[:number]
    return terms


def _ranked(connection: Connection, match: str, among: Sequence[Value]) -> set[int]:
    rows = connection.execute(
        f"""SELECT e.id FROM entry_fts CROSS JOIN entry e ON e.id = entry_fts.rowid
            WHERE entry_fts MATCH ? AND {_AMONG} ORDER BY bm25(entry_fts), e.id LIMIT ?""",
        (match, *among, CANDIDATES),
    )
    return {driver.number(entry) for (entry,) in rows}


def _written_alike(connection: Connection, content: str, among: Sequence[Value]) -> set[int]:
    """The entries with the very same text: all that can be said of one without a word."""
    rows = connection.execute(
        f"SELECT e.id FROM entry e WHERE {_AMONG} AND e.content = ? LIMIT ?", (*among, content, CANDIDATES)
    )
    return {driver.number(entry) for (entry,) in rows}


def _texts(connection: Connection, entries: set[int]) -> dict[int, str]:
    listed = ",".join(str(entry) for entry in sorted(entries))
    rows = connection.execute(f"SELECT id, content FROM entry WHERE id IN ({listed})")
    return {driver.number(entry): str(content) for entry, content in rows}
