"""Searching the memory files that Claude Code keeps itself, section by section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memd.db import driver
from memd.db.driver import Connection, Value
from memd.db.keyword import Filter, Plan
from memd.db.vectors import Lane
from memd.memory import statements
from memd.memory.statements import LANE, SECTIONS, Found
from memd.ranking.statements import Statement

NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and of which projects (None: of all); times are those of the files."""

    text: str
    projects: Sequence[int] | None = None
    limit: int = 10
    mode: str = "hybrid"
    since_ms: int | None = None
    until_ms: int | None = None

    def condition(self) -> Filter:
        """A condition over ``n`` (section) and ``f`` (file)."""
        parts, values = ["1"], list[Value]()
        if self.projects is not None:
            parts.append(f"f.project_id IN ({','.join('?' * len(self.projects))})")
            values.extend(self.projects)
        for sign, ms in ((">=", self.since_ms), ("<", self.until_ms)):
            if ms is not None:
                # multiplied by SQLite, which takes a number beyond its integers for a real one
                parts.append(f"f.mtime_ns {sign} ? * {NS_PER_MS}")
                values.append(ms)
        return Filter(" AND ".join(parts), values)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a memory file, with the file it stands in."""

    row: int
    heading: str
    content: str
    path: str
    name: str
    project: str | None
    at_ms: int


def find(connection: Connection, question: Question, lane: Lane, told: Plan) -> Found:
    """The sections that are relevant, ranked; ``told`` is what the index of turns knows of the words."""
    looked = statements.look(
        connection,
        SECTIONS,
        question.text,
        question.mode,
        question.condition(),
        lane,
        max(LANE, question.limit),
    )
    lanes = statements.above_floor(connection, SECTIONS, looked, question.mode, lane, told)
    found = by_rows(connection, lanes.rows)
    candidates = [
        Statement(
            row,
            lanes.words.get(row),
            lanes.cosines.get(row),
            len(found[row].content.encode()),
            found[row].at_ms,
        )
        for row in lanes.rows
    ]
    return statements.rank(SECTIONS, lanes.plan, candidates)


def by_rows(connection: Connection, rows: Sequence[int]) -> dict[int, Section]:
    """The sections in those rows."""
    listed = ",".join(str(int(row)) for row in rows)
    found = connection.execute(
        f"""SELECT n.id, n.heading, n.content, f.path, f.name, p.path, f.mtime_ns FROM native_section n
            JOIN native_file f ON f.id = n.file_id LEFT JOIN project p ON p.id = f.project_id
            WHERE n.id IN ({listed})"""
    )
    return {
        driver.number(row): Section(
            driver.number(row),
            str(heading),
            str(content),
            str(path),
            str(name),
            None if project is None else str(project),
            driver.number(mtime_ns) // NS_PER_MS,
        )
        for row, heading, content, path, name, project, mtime_ns in found
    }


def texts(connection: Connection, rows: Sequence[int]) -> Mapping[int, str]:
    """What is indexed of sections."""
    listed = ",".join(str(int(row)) for row in rows)
    found = connection.execute(
        f"SELECT id, coalesce(terms, content) FROM native_section WHERE id IN ({listed})"
    )
    return {driver.number(row): str(text) for row, text in found}
