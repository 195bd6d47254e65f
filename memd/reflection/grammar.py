"""The line grammar of a reply, for models that give no structured one.

    INSIGHT: <text>
    MEMORY_ADD: <text>                       (or MEMORY_UPDATE)
    MEMORY_REWRITE: <old> -> <new> [entries: #12, #34]
    MEMORY_MERGE: <text> [entries: #5, #9]
    MEMORY_RETIRE: <old> [entries: #7]

A marker may stand behind a bullet, a number or a quote mark, and in bold. What says something and is no such line is
dropped, and told.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from memd.reflection import op
from memd.reflection.op import Dropped, Found, Insight, ReflectionOp

SHOWN_CHARS = 200

_MARKED = re.compile(
    r"[\s>#]*(?:(?:[-*+•–]|\(?\d{1,3}[.)])\s+)*(?P<open>[*_`]{0,3})"
    r"(?P<marker>INSIGHT|MEMORY[_ ](?P<op>ADD|UPDATE|REWRITE|MERGE|RETIRE))(?P<close>[*_`]{0,3})\s*:"
    r"(?P<inner>[*_`]{0,3})(?P<rest>.*)",
    re.IGNORECASE,
)
_ENTRIES = re.compile(r"\s*\[\s*entr(?:y|ies)\s*:([^\[\]]*)\][\s.]*$", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_LONGEST_NUMBER = 18  # digits, of what a row can have
_ARROW = re.compile(r"->|→|⇒|=>")
_SAYS_NOTHING = re.compile(r"[\W_]*|\s*#.*|.*:[\s*_`]*|\s*```\w*\s*")


def read(text: str, known: Collection[str] = ()) -> Found:
    """What the lines say. ``known`` are the statements that an old text may be, to tell its arrows from the one."""
    insights: list[Insight] = []
    ops: list[ReflectionOp] = []
    dropped: list[Dropped] = []
    for line in text.splitlines():
        found = _line(line, known)
        if isinstance(found, Insight):
            insights.append(found)
        elif isinstance(found, str):
            dropped.append(Dropped(line.strip()[:SHOWN_CHARS], found))
        elif found is not None:
            ops.append(found)
    return Found(tuple(insights), tuple(ops), tuple(dropped))


def ids(text: str) -> Sequence[int]:
    """Every number of a text, in order, each once."""
    return tuple(dict.fromkeys(int(one) for one in _NUMBER.findall(text) if len(one) <= _LONGEST_NUMBER))


def is_marked(text: str) -> bool:
    """True where a line of it is of the grammar."""
    return any(_MARKED.fullmatch(line) for line in text.splitlines())


def _line(line: str, known: Collection[str]) -> Insight | ReflectionOp | str | None:
    """What a line holds, or why it is dropped; None where it says nothing."""
    marked = _MARKED.fullmatch(line)
    if marked is None:
        return None if _SAYS_NOTHING.fullmatch(line) else "it has no marker"
    rest, entries = _backed(_plain(marked))
    if marked["op"] is None:
        return Insight(rest, entries) if rest else "it says nothing"
    kind = marked["op"].lower().replace("update", "add")
    if kind == "rewrite":
        sides = _sides(rest, known)
        return "it has no arrow between old and new" if sides is None else op.made(kind, *sides, entries)
    if kind == "retire":
        return op.made(kind, (rest,) if rest else (), "", entries)
    return op.made(kind, (), rest, entries)


def _plain(marked: re.Match[str]) -> str:
    """What stands behind the marker, without the end of what was begun before it: ``**INSIGHT: text**``."""
    rest = marked["rest"].strip()
    if marked["open"] and not marked["close"] and not marked["inner"]:
        rest = rest.removesuffix(marked["open"])
    return rest.strip()


def _backed(rest: str) -> tuple[str, Sequence[int]]:
    suffix = _ENTRIES.search(rest)
    return (rest, ()) if suffix is None else (rest[: suffix.start()].strip(), ids(suffix[1]))


def _sides(rest: str, known: Collection[str]) -> tuple[Sequence[str], str] | None:
    """Old and new text: split where the old one is known, else at the first arrow; None without one."""
    splits = list(_splits(rest))
    if not splits:
        return None
    old, new = next((split for split in splits if split[0] in known), splits[0])
    return ((old,) if old else ()), new


def _splits(rest: str) -> Iterator[tuple[str, str]]:
    for arrow in sorted(_ARROW.finditer(rest), key=lambda found: (found[0] != "->", found.start())):
        yield rest[: arrow.start()].strip(), rest[arrow.end() :].strip()
