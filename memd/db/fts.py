"""The text indexes: what is written to them, and match expressions that no query text can break.

Turns are indexed in the batch that stores them, never by triggers; entries and sections, of which there are few, by
triggers. A query is cut into tokens, and each token is quoted: nothing of it is ever passed through.

The index cuts words at vowel signs (Hindi, Tamil): such a word is sought as its pieces in a row, and whoever seeks it
must see to it that a text which holds them holds the word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memd.db.driver import Connection
from memd.text import cjk
from memd.text import words as spoken

INDEXED_CHARS = 100_000
MOST_TERMS = 32
PHRASE_WORDS = 8
PHRASE_PAIRS = 24
PHRASE_PIECES = 24

_CHUNK = re.compile(r"\S+")
_WORD = re.compile(r"[^\W_]+")
_REST_OF_APOSTROPHE = frozenset(("s", "t", "d", "m", "re", "ve", "ll"))


@dataclass(frozen=True, slots=True)
class Index:
    """A text index, its vocabulary, over what a condition on its rows is asked, and where their texts stand."""

    name: str
    vocab: str
    joined: str
    texts: str


TURNS = Index(
    "turn_fts",
    "turn_vocab",
    # LEFT: where no condition asks for the session, SQLite leaves its table out.
    "CROSS JOIN turn t ON t.rowid = turn_fts.rowid LEFT JOIN session s ON s.id = t.session_id",
    "SELECT t.rowid AS place, c.text FROM turn t JOIN content c ON c.id = t.content_id",
)
ENTRIES = Index(
    "entry_fts",
    "entry_vocab",
    "CROSS JOIN entry e INDEXED BY entry_filter ON e.id = entry_fts.rowid",
    "SELECT id AS place, content FROM entry",
)
SECTIONS = Index(
    "native_fts",
    "native_vocab",
    "CROSS JOIN native_section n ON n.id = native_fts.rowid CROSS JOIN native_file f ON f.id = n.file_id",
    "SELECT id AS place, coalesce(heading, '') || ' ' || content FROM native_section",
)


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for: its words must stand in a row. ``stems`` are what the index holds of them.

    Where the words are the pieces of one word, ``whole`` is that word: a text must hold it.
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    prefix: bool = False  # the last word is the beginning of one
    whole: str = ""

    @property
    def said(self) -> Sequence[str]:
        """The words as they are said."""
        return (self.whole,) if self.whole else self.words

    @property
    def match(self) -> str:
        """The term as FTS5 reads it."""
        return '"' + " ".join(self.words) + '"' + ("*" if self.prefix else "")

    @property
    def in_pairs(self) -> bool:
        """True of a run of a script that is written without spaces."""
        return cjk.RUN.match(self.words[0]) is not None

    @property
    def parts(self) -> Sequence[Term]:
        """The words (or pairs) of a term that is written together, each on its own; none of a single one."""
        if self.whole or len(self.words) == 1 or len(self.words) != len(self.stems):
            return ()
        return [Term((word,), (stem,)) for word, stem in zip(self.words, self.stems, strict=True)]


def index_text(text: str) -> str:
    """What is indexed of a stored text: no points that may be written or left out, CJK in pairs."""
    return cjk.segment(spoken.unpointed(text[:INDEXED_CHARS]))


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
    found: dict[tuple[str, tuple[str, ...]], Term] = {}
    clean = query.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    for chunk in _CHUNK.finditer(spoken.unpointed(clean)):
        for whole, words in _pieces(chunk[0]):
            stems = tuple(stem for word in words for stem in stem_of(connection, word))
            if stems and (whole, words) not in found:
                prefix = len(words[0]) == 1 and cjk.RUN.match(words[0]) is not None
                found[whole, words] = Term(words, stems, prefix, whole)
            if len(found) >= MOST_TERMS:
                return list(found.values())
    return list(found.values())


def _pieces(chunk: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The phrases of a chunk; a word that the index holds in pieces as one of its own, with its pieces."""
    rest = chunk
    for whole, written in spoken.signed(chunk):
        rest = rest.replace(written, " ", 1)
        if pieces := _WORD.findall(written.lower()):
            yield whole, tuple(pieces[:PHRASE_PIECES])
    for words in _phrases(rest):
        yield "", words


def _phrases(chunk: str) -> Iterator[tuple[str, ...]]:
    """The words of a chunk without spaces: runs of other scripts as phrases of their own, the rest as one phrase."""
    plain = _WORD.findall(cjk.RUN.sub(" ", chunk).lower())
    if len(plain) > 1 and plain[-1] in _REST_OF_APOSTROPHE and ("'" in chunk or "’" in chunk):
        plain.pop()
    if plain:
        yield tuple(plain[:PHRASE_WORDS])
    for run in cjk.RUN.finditer(chunk):
        yield tuple(cjk.pairs(run[0])[:PHRASE_PAIRS]) or (run[0],)


def stem_of(connection: Connection, text: str) -> Sequence[str]:
    """What the indexes make of a word or a text: its stems, in their own eyes."""
    tokenizer = connection.fts5_tokenizer("porter", ["unicode61"])
    tokens = tokenizer(text.encode(), 0x0001, None, include_offsets=False, include_colocated=False)
    return [str(token) for token in tokens]


def phrase(text: str) -> str:
    """An expression for the words of a text, side by side; of runs of other scripts, for each of them."""
    text = spoken.unpointed(text)
    parts = [text.replace('"', " ").replace("\0", " ")]
    if cjk.RUN.search(text):
        parts = [" ".join(words) for chunk in _CHUNK.findall(text) for words in _phrases(chunk)]
    return " AND ".join(f'"{part}"' for part in parts)


def any_of(terms: Sequence[Term]) -> str:
    """An expression for one term at least."""
    return " OR ".join(term.match for term in terms)


def all_of(terms: Sequence[Term]) -> str:
    """An expression for every term."""
    return " AND ".join(term.match for term in terms)
