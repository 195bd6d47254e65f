"""The text index: what is written to it, and match expressions that no query text can break.

Rows are written in the batch that stores the turns, never by triggers. A query is cut into tokens, and each token is
quoted: nothing of it is ever passed through.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memd.db.driver import Connection
from memd.text import cjk

INDEXED_CHARS = 100_000
MOST_TERMS = 32

_CHUNK = re.compile(r"\S+")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for: its words must stand in a row. ``stems`` are what the index holds of them."""

    words: tuple[str, ...]
    stems: tuple[str, ...]

    @property
    def match(self) -> str:
        """The term as FTS5 reads it."""
        return '"' + " ".join(self.words) + '"'


def index_text(text: str) -> str:
    """What is indexed of a stored text."""
    return cjk.segment(text[:INDEXED_CHARS])


def insert(connection: Connection, rows: Iterable[tuple[int, str]]) -> None:
    """Index texts under their rows."""
    connection.executemany(
        "INSERT INTO turn_fts (rowid, text) VALUES (?, ?)",
        ((rowid, index_text(text)) for rowid, text in rows),
    )


def remove(connection: Connection, rows: Iterable[int]) -> None:
    """Take rows out of the index."""
    connection.executemany("DELETE FROM turn_fts WHERE rowid = ?", ((rowid,) for rowid in rows))


def terms(connection: Connection, query: str) -> list[Term]:
    """The terms of a question: a word each; what is written together (node.js, DEC-0054) is one of several words."""
    found: dict[tuple[str, ...], Term] = {}
    clean = query.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    for chunk in _CHUNK.findall(clean):
        for words in _terms_of(chunk):
            stems = tuple(stem for word in words for stem in stem_of(connection, word))
            if stems and words not in found:
                found[words] = Term(words, stems)
            if len(found) >= MOST_TERMS:
                return list(found.values())
    return list(found.values())


def _terms_of(chunk: str) -> Iterable[tuple[str, ...]]:
    """Words of a chunk without spaces: other scripts as phrases of their own, the rest as one phrase."""
    at, plain = 0, list[str]()
    for run in cjk.RUN.finditer(chunk):
        plain += _WORD.findall(chunk[at : run.start()].lower())
        yield tuple(cjk.pairs(run[0]))
        at = run.end()
    plain += _WORD.findall(chunk[at:].lower())
    if len(plain) > 1 and plain[-1] in ("s", "t", "d", "m", "re", "ve", "ll"):
        plain.pop()  # an apostrophe's rest
    if plain:
        yield tuple(plain[:8])


def stem_of(connection: Connection, word: str) -> Sequence[str]:
    """What the index makes of a word: its stem, in the index's own eyes."""
    tokenizer = connection.fts5_tokenizer("porter", ["unicode61"])
    tokens = tokenizer(word.encode(), 0x0001, None, include_offsets=False, include_colocated=False)
    return [str(token) for token in tokens]


def frequency(connection: Connection, stem: str) -> int:
    """In how many turns a stem stands."""
    found = connection.execute("SELECT doc FROM turn_vocab WHERE term = ?", (stem,)).get
    return int(found or 0)


def any_of(terms: Sequence[Term]) -> str:
    """An expression for one term at least."""
    return " OR ".join(term.match for term in terms)


def all_of(terms: Sequence[Term]) -> str:
    """An expression for every term."""
    return " AND ".join(term.match for term in terms)
