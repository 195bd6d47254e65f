"""The SQL of proposals, and of what was decided about them. What a decision does is in ``decide``.

One that is open stands only while every entry behind it is there: it is seen again once an undo has brought them back.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence

from memd.db import driver
from memd.db.driver import Connection, Row
from memd.errors import NotFound
from memd.reflection import memory_md, op
from memd.reflection.memory_md import Patch
from memd.reflection.op import ReflectionOp
from memd.reflection.places import EVERYWHERE
from memd.reflection.proposal import STATES, Proposal, State

_STATE = "coalesce(d.verdict, 'open')"
_LACKS = """EXISTS (SELECT 1 FROM json_each(p.entries) b
  WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.id = b.value))"""
_STANDS = f"(d.verdict IS NOT NULL OR NOT {_LACKS})"
_SELECT = f"""SELECT p.id, p.reflection_id, o.name, r.at_ms, p.op, p.old, p.new, p.entries, {_STATE}, d.at_ms,
  p.patch, p.in_file, p.file
  FROM proposal p JOIN reflection r ON r.id = p.reflection_id LEFT JOIN project o ON o.id = r.project_id
  LEFT JOIN decision d ON d.proposal_id = p.id"""


def add(connection: Connection, reflection: int, change: ReflectionOp, file: str = EVERYWHERE) -> int:
    """Store a proposal about a curated file; its number."""
    connection.execute(
        "INSERT INTO proposal (reflection_id, op, old, new, entries, file) VALUES (?, ?, ?, ?, ?, ?)",
        (reflection, op.name(change), *_texts(change), json.dumps(list(change.entries)), file),
    )
    return connection.last_insert_rowid()


def is_known(connection: Connection, change: ReflectionOp, file: str = EVERYWHERE) -> bool:
    """Whether the same is proposed already and not decided yet, or was rejected: nobody is asked twice."""
    found = connection.execute(
        f"""SELECT 1 FROM proposal p LEFT JOIN decision d ON d.proposal_id = p.id
            WHERE p.op = ? AND p.old = ? AND p.new = ? AND p.file = ? AND {_STATE} <> 'applied' AND {_STANDS}
            LIMIT 1""",
        (op.name(change), *_texts(change), file),
    ).get
    return found is not None


def listing(connection: Connection, states: Collection[State] = STATES, limit: int = -1) -> list[Proposal]:
    """Proposals in these states, the oldest first."""
    rows = connection.execute(
        f"{_SELECT} WHERE {_STATE} IN ({_marks(states)}) AND {_STANDS} ORDER BY p.id LIMIT ?",
        (*states, limit),
    )
    return [_proposal(row) for row in rows]


def open_of_job(connection: Connection, job: int, ops: Collection[str]) -> list[int]:
    """Those of these kinds that a job proposed and nobody decided about."""
    marks = ",".join("?" * len(ops))
    rows = connection.execute(
        f"{_SELECT} WHERE r.job_id = ? AND p.op IN ({marks}) AND {_STATE} = 'open' AND {_STANDS} ORDER BY p.id",
        (job, *ops),
    )
    return [_proposal(row).id for row in rows]


def get(connection: Connection, number: int) -> Proposal:
    """One proposal; NotFound where there is none, or an entry behind it is gone."""
    row = connection.execute(f"{_SELECT} WHERE p.id = ?", (number,)).fetchone()
    if row is None:
        raise NotFound(f"there is no proposal {number}; `memctl proposals` lists those there are")
    one = _proposal(row)
    if (
        one.state == "open"
        and connection.execute(f"SELECT {_LACKS} FROM proposal p WHERE id = ?", (number,)).get
    ):
        raise NotFound(
            f"proposal {number} rests on an entry that is gone; `memctl undo --list` shows what took it away, and an"
            " undo of that brings both back"
        )
    return one


def waiting(connection: Connection, projects: Sequence[int] | None, most: int) -> int:
    """How many wait for a decision, up to ``most``: those about everything, and about these projects (None: all)."""
    about = "" if projects is None else f"AND (r.project_id IS NULL OR r.project_id IN ({_marks(projects)}))"
    found = connection.execute(
        f"""SELECT count(*) FROM (
              SELECT 1 FROM proposal p JOIN reflection r ON r.id = p.reflection_id
              WHERE NOT EXISTS (SELECT 1 FROM decision d WHERE d.proposal_id = p.id) AND NOT {_LACKS} {about}
              LIMIT ?)""",
        (*(projects or ()), most),
    ).get
    return driver.number(found)


def unsettled(connection: Connection, file: str) -> list[Proposal]:
    """Those that a curated file has and should not, and those that it should have and has not."""
    rows = connection.execute(
        f"{_SELECT} WHERE ({_STATE} = 'applied') <> p.in_file AND p.file = ? ORDER BY p.id", (file,)
    )
    return [_proposal(row) for row in rows]


def unsettled_files(connection: Connection) -> list[str]:
    """The curated files of which there are such."""
    rows = connection.execute(
        f"""SELECT DISTINCT p.file FROM proposal p LEFT JOIN decision d ON d.proposal_id = p.id
            WHERE ({_STATE} = 'applied') <> p.in_file ORDER BY 1"""
    )
    return [str(file) for (file,) in rows]


def files(connection: Connection, numbers: Collection[int]) -> list[str]:
    """The curated files that these are about."""
    rows = connection.execute(
        f"SELECT DISTINCT file FROM proposal WHERE id IN ({_marks(numbers)}) ORDER BY 1", tuple(numbers)
    )
    return [str(file) for (file,) in rows]


def decide(connection: Connection, number: int, verdict: State, now_ms: int) -> None:
    """Note what was said to a proposal that is open."""
    connection.execute("INSERT INTO decision VALUES (?, ?, ?)", (number, verdict, now_ms))


def decided(connection: Connection) -> Mapping[int, bool]:
    """The numbers of those that were decided, with whether they are still there."""
    rows = connection.execute(
        "SELECT d.proposal_id, p.id IS NOT NULL FROM decision d LEFT JOIN proposal p ON p.id = d.proposal_id"
    )
    return {driver.number(number): bool(there) for number, there in rows}


def keep_patch(connection: Connection, number: int, changes: Patch) -> None:
    """Note which lines of the curated file it changes."""
    record = json.dumps(memory_md.to_record(changes))
    connection.execute("UPDATE proposal SET patch = ? WHERE id = ?", (record, number))


def settle(connection: Connection, settled: Mapping[int, bool]) -> None:
    """Note which of them the curated file has now."""
    connection.executemany(
        "UPDATE proposal SET in_file = ? WHERE id = ?", [(there, number) for number, there in settled.items()]
    )


def counts(connection: Connection) -> Mapping[str, int]:
    """How many there are, by state."""
    rows = f"""SELECT {_STATE}, count(*) FROM proposal p LEFT JOIN decision d ON d.proposal_id = p.id
               WHERE {_STANDS} GROUP BY 1"""
    return driver.pairs(connection, rows)


def forget(connection: Connection, match: str) -> int:
    """Remove those that hold a text, for good; how many."""
    said = match.casefold()
    rows = connection.execute("SELECT id, old, new, patch FROM proposal").fetchall()
    gone = [
        driver.number(number)
        for number, *texts in rows
        if any(said in one.casefold() for one in _said(map(str, texts)))
    ]
    connection.executemany("DELETE FROM proposal WHERE id = ?", [(number,) for number in gone])
    return len(gone)


def forget_of(connection: Connection, entries: Collection[int], files: Collection[str] = ()) -> None:
    """Remove those that rest on one of these entries, or are about one of these files, for good."""
    connection.execute(
        """DELETE FROM proposal WHERE file IN (SELECT value FROM json_each(?2))
           OR EXISTS (SELECT 1 FROM json_each(entries) b JOIN json_each(?1) f ON f.value = b.value)""",
        (json.dumps(list(entries)), json.dumps(list(files))),
    )


def prune(connection: Connection, undoable: Collection[int]) -> int:
    """Remove open ones that rest on an entry that is gone and that no undo brings back; how many."""
    rows = connection.execute(
        """SELECT p.id, b.value FROM proposal p, json_each(p.entries) b LEFT JOIN decision d ON d.proposal_id = p.id
            WHERE d.verdict IS NULL AND NOT EXISTS (SELECT 1 FROM entry e WHERE e.id = b.value)"""
    )
    gone = {driver.number(number) for number, entry in rows if entry not in undoable}
    connection.executemany("DELETE FROM proposal WHERE id = ?", [(number,) for number in sorted(gone)])
    return len(gone)


def _said(texts: Iterable[str]) -> Iterable[str]:
    """What the columns hold as it is written in them, and as it reads."""
    for text in texts:
        yield text
        if text[:1] == "[":
            yield json.dumps(json.loads(text), ensure_ascii=False)


def _texts(change: ReflectionOp) -> tuple[str, str]:
    return json.dumps(list(op.before(change)), ensure_ascii=False), op.after(change) or ""


def _proposal(row: Row) -> Proposal:
    number = driver.number(row[0])
    _, reflection, project, at_ms, kind, old, new, entries, state, decided_ms, patch, in_file, file = row
    change = op.made(str(kind), json.loads(str(old)), str(new), tuple(json.loads(str(entries))))
    if isinstance(change, str):
        raise ValueError(f"proposal {number} cannot be read: {change}")
    return Proposal(
        number,
        driver.number(reflection),
        None if project is None else str(project),
        driver.number(at_ms),
        change,
        str(state),  # type: ignore[arg-type]  # the table's CHECK
        None if decided_ms is None else driver.number(decided_ms),
        memory_md.from_record(json.loads(str(patch))),
        bool(in_file),
        str(file),
    )


def _marks(values: Collection[object]) -> str:
    return ",".join("?" * len(values))
