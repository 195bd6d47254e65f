"""The SQL of native memory: the files as they were when last read, and their sections. The files are the truth."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memd.db import driver, fts
from memd.db.driver import Connection
from memd.sources import attribution, slugs
from memd.sources.cursors import key_of
from memd.sources.native import MemoryFile
from memd.sources.projects import Project
from memd.text.markdown import Section
from memd.turns.redact import redact


@dataclass(frozen=True, slots=True)
class Known:
    """A file as it was read, and the path of the project it is taken for."""

    path: str
    state: tuple[int, int, int, int]
    slug: str
    project: str | None


@dataclass(frozen=True, slots=True)
class Reading:
    """A file with its sections, redacted; the working directory that its slug means, and the project of that."""

    file: MemoryFile
    sections: Sequence[Section]
    cwd: str | None = None
    project: Project | None = None


def state_of(info: os.stat_result) -> tuple[int, int, int, int]:
    """By what a file is known to be unchanged."""
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns


def load(connection: Connection) -> dict[str, Known]:
    """Every file that is stored, by path."""
    rows = connection.execute(
        """SELECT f.path, f.device, f.inode, f.size, f.mtime_ns, f.slug, p.path FROM native_file f
           LEFT JOIN project p ON p.id = f.project_id"""
    )
    return {str(path): Known(path, tuple(state), slug, project) for path, *state, slug, project in rows}


def put(connection: Connection, readings: Iterable[Reading]) -> None:
    """Store files as they stand now; a section that they had before keeps its row and its vectors."""
    for reading in readings:
        file, project = reading.file, None
        if reading.cwd and reading.project:
            project = attribution.remember(connection, reading.cwd, reading.project)
        row: int = connection.execute(
            """INSERT INTO native_file (path, slug, name, project_id, device, inode, size, mtime_ns)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?)
               ON CONFLICT (path) DO UPDATE SET project_id = excluded.project_id, device = excluded.device,
                 inode = excluded.inode, size = excluded.size, mtime_ns = excluded.mtime_ns
               RETURNING id""",
            (key_of(file.path), file.slug, file.name, project, *state_of(file.stat)),
        ).get
        _replace(connection, row, reading.sections)


def _replace(connection: Connection, file: int, sections: Sequence[Section]) -> None:
    held: dict[Section, list[int]] = defaultdict(list)
    for row, heading, content in connection.execute(
        "SELECT id, heading, content FROM native_section WHERE file_id = ? ORDER BY position DESC", (file,)
    ):
        held[Section(str(heading), str(content))].append(driver.number(row))
    for position, section in enumerate(sections):
        if rows := held.get(section):
            connection.execute("UPDATE native_section SET position = ? WHERE id = ?", (position, rows.pop()))
        else:
            _insert(connection, file, position, section)
    gone = [(row,) for rows in held.values() for row in rows]
    connection.executemany("DELETE FROM native_section WHERE id = ?", gone)


def _insert(connection: Connection, file: int, position: int, section: Section) -> None:
    heading, content = section
    terms = fts.index_text(content if heading in content else f"{heading}\n{content}")
    connection.execute(
        "INSERT INTO native_section (file_id, position, heading, content, terms) VALUES (?, ?, ?, ?, ?)",
        (file, position, heading, content, None if terms == content else terms),
    )


def remove(connection: Connection, paths: Iterable[str]) -> None:
    """Drop files with their sections."""
    connection.executemany("DELETE FROM native_file WHERE path = ?", [(path,) for path in paths])


def redact_again(connection: Connection) -> None:
    """Apply today's rules of redaction to what is stored."""
    rows = connection.execute("SELECT id, file_id, position, heading, content FROM native_section").fetchall()
    for row, file, position, heading, content in rows:
        clean = Section(redact(str(heading)).text, redact(str(content)).text)
        if clean != (heading, content):
            connection.execute("DELETE FROM native_section WHERE id = ?", (row,))
            _insert(connection, driver.number(file), driver.number(position), clean)


def text_of(connection: Connection, path: str) -> str | None:
    """The text of a file, as it is stored; None where it is not."""
    rows = connection.execute(
        """SELECT s.content FROM native_file f LEFT JOIN native_section s ON s.file_id = f.id
           WHERE f.path = ? ORDER BY s.position""",
        (path,),
    ).fetchall()
    return "".join(str(content or "") for (content,) in rows) if rows else None


def meant(connection: Connection, home: bytes) -> str | None:
    """The path that the slug of a project's folder stands for: as the transcripts in it say, else one that fits."""
    cwd = told(connection, home)
    if cwd is not None:
        return cwd
    resolved = slugs.resolve_slug(key_of(os.path.basename(home)))
    return None if resolved is None else str(resolved)


def told(connection: Connection, home: bytes) -> str | None:
    """What the transcripts in a project's folder say that its slug stands for."""
    slug = key_of(os.path.basename(home))
    return next((cwd for cwd in _cwds(connection, home) if slugs.fits(slug, cwd)), None)


def _cwds(connection: Connection, folder: bytes) -> list[str]:
    """The working directories that the transcripts right in a folder name, those of the last session first."""
    start = key_of(folder).rstrip("/") + "/"
    rows = connection.execute(
        """SELECT s.cwd FROM file f JOIN session s ON s.key = f.session
           WHERE f.path > ?1 AND f.path < ?2 AND s.cwd IS NOT NULL GROUP BY s.cwd ORDER BY max(s.last_ms) DESC""",
        (start, start[:-1] + "0"),  # the character behind the slash
    )
    return [str(cwd) for (cwd,) in rows]


def named(connection: Connection, text: str) -> list[str]:
    """The paths of the files that a text may name: by path, by name, or by name below the slug or the project."""
    rows = connection.execute(
        """SELECT f.path FROM native_file f LEFT JOIN project p ON p.id = f.project_id
           WHERE ?1 IN (f.path, f.name, f.slug || '/' || f.name, p.name || '/' || f.name) ORDER BY f.path""",
        (text,),
    )
    return [str(path) for (path,) in rows]
