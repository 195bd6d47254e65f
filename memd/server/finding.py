"""One list of turns, entries and sections of memory files: what each room found, on one scale, as answers have it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from memd.clock import iso
from memd.db import fts, keyword
from memd.db.driver import Connection
from memd.db.keyword import Plan
from memd.db.vectors import Lane
from memd.memory import search as entries
from memd.memory import sections, statements, table
from memd.memory.entry import MemoryEntry
from memd.memory.search import Scored
from memd.memory.sections import Section
from memd.memory.statements import Found
from memd.ranking import fusion
from memd.ranking.fusion import Ranked
from memd.server.records import Record
from memd.text.snippet import snippet
from memd.turns import search as turns

NO_WORDS = "the question has no letter and no digit, so nothing can be found by its words"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, as each room that is to be asked takes it. ``seed``: entries alone, as mait-code ranks them."""

    text: str
    limit: int
    turns: turns.Question | None = None
    entries: entries.Question | None = None
    sections: sections.Question | None = None
    seed: bool = False
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Results:
    """Records of hits, best first; how many turns hold the words outside the project; and what else is to be said."""

    records: Sequence[Record] = field(default_factory=tuple)
    outside: int = 0
    note: str | None = None


def find(connection: Connection, asked: Asked, lane: Lane) -> Results:
    """The hits of a question among all that it is asked of."""
    with connection:  # one snapshot for every statement
        if asked.seed and asked.entries is not None:
            found = entries.seed(connection, asked.entries, lane)
            results = Results([_scored(one, asked.entries, explain=asked.explain) for one in found])
        else:
            results = _fused(connection, asked, lane)
        note = None if fts.terms(connection, asked.text) else NO_WORDS
    return replace(results, note=note)


def _fused(connection: Connection, asked: Asked, lane: Lane) -> Results:
    said = None if asked.turns is None else turns.find(connection, asked.turns, lane)
    told = keyword.plan(connection, asked.text) if said is None else said.plan
    found = _statements(connection, asked, lane, said, told)
    ranked = [one for room in (said, *found.values()) if room is not None for one in room.ranked()]
    best = fusion.best(ranked, asked.limit)
    outside = turns.outside(connection, asked.turns, told) if asked.turns is not None else 0
    return Results(_records(connection, best, said, found, asked), outside)


def _statements(
    connection: Connection, asked: Asked, lane: Lane, said: turns.Found | None, told: Plan
) -> dict[str, Found]:
    """What was found of each kind of statement, beside the turns."""
    found: list[tuple[Found, Callable[[Connection, Sequence[int]], Mapping[int, str]]]] = []
    if asked.entries is not None:
        found.append((entries.find(connection, asked.entries, lane, told), entries.texts))
    if asked.sections is not None:
        found.append((sections.find(connection, asked.sections, lane, told), sections.texts))
    candidates = [] if said is None else said.candidates
    return {
        one.shelf.kind: statements.beside(connection, one, candidates, told, texts) for one, texts in found
    }


def _records(
    connection: Connection,
    best: Sequence[Ranked],
    said: turns.Found | None,
    found: Mapping[str, Found],
    asked: Asked,
) -> list[Record]:
    rows = {kind: [one.row for one in best if one.kind == kind] for kind in ("turn", "entry", "native")}
    hits = turns.hits(connection, said, rows["turn"]) if said is not None else []
    told = dict(zip(rows["turn"], hits, strict=True))
    known, listed = table.by_ids(connection, rows["entry"]), sections.by_rows(connection, rows["native"])
    records: list[Record] = []
    for one in best:
        room: turns.Found | Found
        if said is not None and one.kind == "turn":
            room, record = said, asdict(told[one.row])
        else:
            room = found[one.kind]
            made = _entry(known[one.row], room) if one.kind == "entry" else _section(listed[one.row], room)
            record = {**made, "score": round(one.score, 6), "relevance": room.relevance(one.row)}
        if asked.explain:
            record["explanation"] = room.explained(one.row) | _freshness(known.get(one.row), one, asked)
        records.append(record)
    return records


def _freshness(entry: MemoryEntry | None, one: Ranked, asked: Asked) -> Record:
    if one.kind != "entry" or entry is None or asked.entries is None:
        return {}
    return {name: round(part, 6) for name, part in entries.explained(entry, asked.entries).items()}


def _entry(entry: MemoryEntry, found: Found) -> Record:
    (candidate,) = [one for one in found.candidates if one.row == entry.id]
    return _of_entry(entry, fusion.lanes(candidate), found.plan.words)


def _scored(one: Scored, question: entries.Question, *, explain: bool) -> Record:
    record = {
        **_of_entry(one.entry, one.lanes, ()),
        "score": one.score,
        "relevance": one.relevance,
    }
    if explain:
        made_of = {"relevance": one.relevance, **entries.explained(one.entry, question)}
        record["explanation"] = {name: round(part, 6) for name, part in made_of.items()}
    return record


def _of_entry(entry: MemoryEntry, lanes: Sequence[str], words: Sequence[str]) -> Record:
    return {
        **_hit(str(entry.id), "entry", lanes, entry.content, words),
        "id": entry.id,
        "type": entry.type,
        "project": entry.project,
        "branch": entry.scope.branch,
        "created_at": iso(entry.created_ms),
        "superseded": not entry.live,
        "importance": entry.importance,
        "memory_class": entry.memory_class,
        "scope": entry.scope.level,
        "first_seen_at": iso(entry.first_seen_ms),
        "sightings": entry.sightings,
        "superseded_by": entry.superseded_by,
    }


def _section(section: Section, found: Found) -> Record:
    (candidate,) = [one for one in found.candidates if one.row == section.row]
    return {
        **_hit(section.path, "native", fusion.lanes(candidate), section.content, found.plan.words),
        "project": section.project,
        "created_at": iso(section.at_ms),
        "name": section.name,
        "heading": section.heading,
    }


def _hit(id: str, kind: str, lanes: Sequence[str], text: str, words: Sequence[str]) -> Record:
    """What every hit has, as far as it is the same for all kinds."""
    return {
        "id": id,
        "score": 0.0,
        "relevance": 0.0,
        "lanes": lanes,
        "text": text,
        "snippet": snippet(text, words),
        "role": None,
        "project": None,
        "branch": None,
        "session_id": None,
        "uuid": None,
        "created_at": None,
        "agent_id": None,
        "kind": kind,
        "type": None,
        "superseded": False,
    }
