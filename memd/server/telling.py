"""What methods answer, as lines for a model: what it is and who said it, where it comes from, and its words.

The rule (R13): whatever is stored stands in a line, behind the fence; a remark beside it is memd's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memd.injection.lines import known_as, name_of, said_by
from memd.server.meaning import NOT_ASKED_FOR, ON
from memd.text.fence import Line

Answer = Mapping[str, object]

WHOLE_CHARS = 800  # of a hit; of a longer one its snippet is told
ID_LETTERS = 12


@dataclass(frozen=True, slots=True)
class Told:
    """The lines, best or oldest first, and remarks on them, a line each."""

    lines: Sequence[Line]
    remarks: Sequence[str] = ()


def search(answer: Answer) -> Told:
    """The hits, and which lane was off."""
    lanes, fresh = _part(answer, "lanes"), _part(answer, "fresh")
    off = [(name, state) for name, state in lanes.items() if state not in (ON, NOT_ASKED_FOR)]
    remarks = [f"search by {name}: {state}" for name, state in off]
    if answer.get("note"):
        remarks.append(str(answer["note"]))
    if fresh.get("behind_files"):
        remarks.append(f"{fresh['behind_files']} transcripts are not read to their end yet")
    if fresh.get("store_away_since"):
        remarks.append(
            f"the shared store has not answered since {fresh['store_away_since']}: what others said since is missing"
        )
    return Told([_HITS[str(hit["kind"])](hit) for hit in _rows(answer, "results")], remarks)


def recall(answer: Answer) -> Told:
    """What was recalled of each turn, those of the sections first."""
    names = ("requests", "preferences", "conflicts", "turns")
    note = answer.get("note")
    return Told([_turn(turn) for name in names for turn in _rows(answer, name)], [str(note)] if note else [])


def show(answer: Answer) -> Told:
    """An entry with what it rests on and what stood and stands in its place; or turns."""
    if "entry" not in answer:
        return Told([_turn(turn) for turn in _rows(answer, "turns")])
    remarks = []
    if answer.get("turn_begins_so"):
        remarks.append("the id of a turn begins so, too: give more of it for that one")
    return Told(
        [
            _entry(_part(answer, "entry")),
            *(_entry(one, "stood before it") for one in _rows(answer, "supersedes")),
            *(_entry(one, "stands in its place") for one in _rows(answer, "successors")),
            *(_source(one) for one in _rows(answer, "sources")),
        ],
        remarks,
    )


def sessions(answer: Answer) -> Told:
    """A line a session, with its title."""
    return Told([_session(one) for one in _rows(answer, "sessions")])


def session(answer: Answer) -> Told:
    """The turns of the page."""
    return Told([_turn(turn) for turn in _rows(answer, "items")])


def listing(answer: Answer) -> Told:
    """Entries, or turns."""
    entries = [_entry(one) for one in _rows(answer, "entries")]
    return Told([*entries, *(_turn(turn) for turn in _rows(answer, "turns"))])


def entity(answer: Answer) -> Told:
    """The thing as it is drawn with its edges, and the entries that mention it."""
    found, total = _rows(answer, "entries"), answer.get("entries_total")
    remarks = [f"{len(found)} of {total} entries that mention it"] if total != len(found) else []
    drawn = Line("Known relationships", "from observation logs", str(answer.get("drawing", "")))
    return Told([drawn, *(_entry(one) for one in found)], remarks)


TOLD: Mapping[str, Callable[[Answer], Told]] = {
    "search": search,
    "recall": recall,
    "show": show,
    "sessions": sessions,
    "session": session,
    "list": listing,
    "entity": entity,
}


def _turn_hit(hit: Answer) -> Line:
    return _turn({**hit, "text": _shown(hit)})


def _entry_hit(hit: Answer) -> Line:
    return _entry({**hit, "content": _shown(hit), "entry_type": hit["type"]})


def _section_hit(hit: Answer) -> Line:
    source = _joined(_when(hit), _folder(hit), f"memory file {hit.get('name')}", hit.get("heading"))
    return Line("A memory file of Claude Code reads", source, _shown(hit))


_HITS = {"turn": _turn_hit, "entry": _entry_hit, "native": _section_hit}


def _shown(hit: Answer) -> str:
    text = str(hit["text"])
    return text if len(text) <= WHOLE_CHARS else str(hit["snippet"])


def _turn(turn: Answer) -> Line:
    session = turn.get("session_id")
    source = _joined(
        _when(turn),
        _folder(turn),
        f"turn {str(turn['id'])[:ID_LETTERS]}",
        f"session {session}" if session else None,
    )
    return Line(said_by(str(turn["role"]), turn.get("agent_id")), source, str(turn["text"]))


def _entry(entry: Answer, what: str | None = None) -> Line:
    over = None
    if entry.get("superseded_by") is not None:
        over = f"superseded by #{entry['superseded_by']}"
    elif entry.get("superseded_at") or entry.get("superseded"):
        over = "holds no longer"
    branch = f"branch {entry['branch']}" if entry.get("branch") else None
    place = _folder(entry) or "everywhere"
    source = _joined(_when(entry), place, branch, f"entry #{entry['id']}", what, over)
    return Line(known_as(str(entry["entry_type"])), source, str(entry["content"]))


def _source(source: Answer) -> Line:
    state = "gone" if source.get("gone") else "outside of this scope" if source.get("outside") else None
    said = source.get("text") or source.get("title") or source.get("trigger") or ""
    return Line(
        f"It rests on a {source['kind']}", _joined(_when(source), f"id {source['id']}", state), str(said)
    )


def _session(one: Answer) -> Line:
    source = _joined(
        str(one.get("last_at") or "")[:16].replace("T", " "),
        _folder(one),
        f"branch {one['branch']}" if one.get("branch") else None,
        f"turns: {one.get('turns')}",
        f"session {one['id']}",
    )
    return Line("Earlier session", source, str(one.get("title") or ""))


def _when(record: Answer) -> str | None:
    at = record.get("created_at") or record.get("started_at")
    return str(at)[:16].replace("T", " ") if at else None


def _folder(record: Answer) -> str:
    project = record.get("project")
    return name_of(str(project)) if project else ""


def _joined(*parts: object) -> str:
    return ", ".join(str(part) for part in parts if part)


def _part(answer: Answer, name: str) -> Answer:
    found = answer.get(name)
    return found if isinstance(found, Mapping) else {}


def _rows(answer: Answer, name: str) -> Sequence[Answer]:
    found = answer.get(name)
    return found if isinstance(found, list | tuple) else []
