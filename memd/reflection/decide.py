"""What a decision about proposals does: to the store here, to the curated files by edits that are written down with it.

All of it is one transaction of its caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memd.db import journal
from memd.db.driver import Connection
from memd.errors import BadRequest
from memd.memory import writer
from memd.memory.meaning import Meaning
from memd.reflection import memory_edit, memory_md, proposal_table
from memd.reflection.memory_md import Conflict
from memd.reflection.op import Add, Merge, ReflectionOp, Retire, Rewrite
from memd.reflection.proposal import Proposal


def applied(
    connection: Connection,
    numbers: Iterable[int],
    texts: Mapping[str, str],
    meanings: Mapping[str, Meaning],
    now_ms: int,
) -> tuple[list[int], int | None]:
    """``apply`` as a change of the undo journal; its number."""
    return journal.record(
        connection,
        lambda done: f"apply {listed(done)}",
        now_ms,
        lambda: apply(connection, numbers, texts, meanings, now_ms),
    )


def listed(numbers: Sequence[int]) -> str:
    """Proposals as a change of the journal names them."""
    return f"proposal{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))}"


def apply(
    connection: Connection,
    numbers: Iterable[int],
    texts: Mapping[str, str],
    meanings: Mapping[str, Meaning],
    now_ms: int,
) -> list[int]:
    """Apply proposals to the curated files that hold these ``texts``, in their order; their numbers.

    NotFound, BadRequest where one is decided already, Conflict where the file does not allow one: then none is applied.
    """
    done: list[int] = []
    afters, within = dict(texts), dict[str, dict[int, bool]]()
    for number in sorted(set(numbers)):
        one = _open(connection, number)
        before = afters[one.file]
        afters[one.file] = after = _edited(before, one)
        within.setdefault(one.file, {})[number] = True
        proposal_table.keep_patch(connection, number, memory_md.patch(before, after))
        _change_store(connection, one.op, meanings, now_ms)
        proposal_table.decide(connection, number, "applied", now_ms)
        done.append(number)
    for file, settled in within.items():
        memory_edit.put(connection, memory_edit.of(file, texts[file], afters[file], settled))
    return done


def reject(connection: Connection, numbers: Iterable[int], now_ms: int) -> list[int]:
    """Reject proposals: the same is not proposed again. NotFound, BadRequest where one is decided already."""
    done = sorted(set(numbers))
    for number in done:
        _open(connection, number)
        proposal_table.decide(connection, number, "rejected", now_ms)
    return done


def require_known(before: Mapping[int, bool], after: Mapping[int, bool]) -> None:
    """BadRequest where a decision came or went whose proposal is gone: which lines it is about, nobody knows."""
    for number in sorted(before.keys() ^ after.keys()):
        if not {**before, **after}[number]:
            raise BadRequest(
                f"proposal {number} is forgotten, with an entry that it rested on: what it did to MEMORY.md is yours to"
                " edit; `memctl undo --list` shows earlier changes"
            )


def new_texts(connection: Connection, numbers: Iterable[int]) -> list[str]:
    """The texts of entries that applying these makes."""
    changes = [proposal_table.get(connection, number).op for number in numbers]
    return [one.new for one in changes if isinstance(one, Rewrite | Merge) and one.entries]


def _open(connection: Connection, number: int) -> Proposal:
    one = proposal_table.get(connection, number)
    if one.state != "open":
        raise BadRequest(f"proposal {number} is {one.state} already; `memctl undo` takes that back")
    return one


def _edited(text: str, one: Proposal) -> str:
    try:
        return memory_md.edited(text, one.op)
    except Conflict as conflict:
        raise Conflict(f"proposal {one.id}: {conflict.message}") from None


def _change_store(
    connection: Connection, change: ReflectionOp, meanings: Mapping[str, Meaning], now_ms: int
) -> None:
    """Do to the entries behind it what it does to the file; those that hold no longer are left as they are."""
    match change:
        case Retire(entries=entries):
            for entry in entries:
                writer.retire(connection, entry, now_ms)
        case Rewrite(new=new, entries=[entry]):
            writer.supersede(connection, entry, new, meanings.get(new), now_ms)
        case Rewrite(new=new, entries=entries) | Merge(new, entries):
            writer.merge(connection, entries, new, meanings.get(new), now_ms)
        case Add():
            pass
