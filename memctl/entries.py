"""Entries in words: their numbers, where they hold, and what became of one."""

from __future__ import annotations

from collections.abc import Sequence

from memctl import output, terminal
from memctl.output import line, plain
from memd.wire.visible import visible


def number(value: object) -> str:
    """An entry by its number, as people write it."""
    return f"#{line(str(value))}"


def numbers(answer: output.Record, name: str) -> str:
    """The entries that stand under a name."""
    found = answer.get(name)
    return ", ".join(map(number, found)) if isinstance(found, list) else number(found)


def where(entry: output.Record) -> str:
    """Where an entry holds."""
    path = line(entry.get("project"))
    project = path.rstrip("/").rsplit("/", 1)[-1] or path
    match entry.get("scope"):
        case "project":
            return project
        case "branch":
            return f"{project}:{line(entry.get('branch'))}"
    return "everywhere"


def state(entry: output.Record) -> str:
    """Whether an entry holds still, and else why not."""
    if entry.get("superseded_by") is not None:
        return f"superseded by {number(entry['superseded_by'])}"
    return "retired" if entry.get("superseded_at") else "live"


def shown(answer: output.Record) -> str:
    """An entry with all that hangs on it."""
    entry = output.part(answer, "entry")
    head = {
        "type": entry.get("entry_type"),
        "importance": entry.get("importance"),
        "holds": where(entry),
        "state": state(entry),
        "sightings": entry.get("sightings"),
        "first": output.when(entry.get("first_seen_at")),
        "last": output.when(entry.get("created_at")),
        "reviewed": output.when(entry.get("reviewed_at")),
    }
    text = "".join(f"    {one}".rstrip() + "\n" for one in visible(str(entry.get("content"))).split("\n"))
    chain = [
        *(f"in the place of {_named(one)}" for one in output.rows(answer, "supersedes")),
        *(f"now {_named(one)}" for one in output.rows(answer, "successors")),
        *(f"rests on {_source(one)}" for one in output.rows(answer, "sources")),
    ]
    if answer.get("turn_begins_so"):
        chain.append(
            f"the id of a turn begins with {line(str(entry.get('id')))}, too: give more of it for that one"
        )
    return f"{number(entry.get('id'))}\n{text}{output.fields(head)}" + "".join(f"{one}\n" for one in chain)


def listed(found: Sequence[output.Record], *, color: bool) -> str:
    """A line an entry."""
    dead = any(one.get("superseded_at") for one in found)
    room = max(terminal.width() - (76 if dead else 56), 30)
    cells = [
        (
            output.when(one.get("created_at")),
            number(one.get("id")),
            line(one.get("entry_type")),
            plain(one.get("importance")),
            where(one),
            *([state(one)] if dead else []),
            line(one.get("content"), room),
        )
        for one in found
    ]
    return output.table(
        ("TIME", "ID", "TYPE", "IMP", "HOLDS", *(["STATE"] if dead else []), "TEXT"), cells, color=color
    )


def _named(entry: output.Record) -> str:
    return f"{number(entry.get('id'))}: {line(entry.get('content'), 100)}"


def _source(source: output.Record) -> str:
    """A turn, a session or a record of an observation log, and what it says."""
    if source.get("gone"):
        said = "is gone"
    else:
        parts = (source.get(name) for name in ("role", "trigger", "log", "title", "text"))
        time = output.when(source["created_at"]) if source.get("created_at") else ""
        said = ": ".join(filter(None, (time, *(line(part, 160) for part in parts if part))))
    return f"{line(source.get('kind'))} {line(source.get('id'))}  {said}".rstrip()


def undo(answer: output.Record) -> str:
    """How to take a change back, where there was one."""
    return f"; memctl undo {line(str(answer['change']))} takes it back" if answer.get("change") else ""


def percent(share: object) -> str:
    """A share from 0 to 1."""
    return f"{100 * share:.0f}%" if isinstance(share, int | float) else "-"


def became(answer: output.Record) -> str:
    """What became of an entry."""
    its = number(answer.get("id"))
    match answer.get("action"):
        case "superseded":
            return f"{number(answer.get('old_id'))} is superseded by {its}"
        case "merged":
            merged = answer.get("merged_ids")
            is_one = isinstance(merged, list) and len(merged) == 1
            return f"{numbers(answer, 'merged_ids')} {'is' if is_one else 'are one'} now{'' if is_one else ','} {its}"
        case "retired":
            return f"{its} is retired"
        case "deleted":
            return f"{its} is deleted"
        case "already_retired":
            return f"{its} was retired before"
        case "already_superseded":
            return f"{its} was superseded before, by {number(answer.get('superseded_by'))}{_head(answer)}"
        case "not_live":
            return f"none of {numbers(answer, 'old_ids')} is live; memctl show tells what became of each"
    return f"there is no entry {numbers(answer, 'old_ids') if 'old_ids' in answer else its}"


def besides(answer: output.Record) -> list[str]:
    """What else there is to say of a change, a line each."""
    said = list[str]()
    if secrets := output.part(answer, "redacted"):
        said.append(f"secrets were taken out of it: {plain(secrets)}")
    if answer.get("dead"):
        said.append(f"{numbers(answer, 'dead')} had gone before, and stay as they are")
    if answer.get("not_found"):
        said.append(f"there is no entry {numbers(answer, 'not_found')}")
    return said


def _head(answer: output.Record) -> str:
    """Where the chain of an entry ends, if not with the one that is named already."""
    head = answer.get("head")
    if head is None:
        return ", and what came of that is retired"
    return "" if head == answer.get("superseded_by") else f"; what holds now is {number(head)}"
