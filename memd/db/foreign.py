"""Whose database a file is: memd's own is known by its tables, and another program's is left as it is."""

from __future__ import annotations

from pathlib import Path

from memd.db import driver, migrate
from memd.errors import BadRequest, MemdError

TABLES = {"meta", "project", "session", "file", "content", "turn"}  # of every version of the schema
MAIT_CODE = "memory_entries"


def refuse(path: Path) -> None:
    """BadRequest where another program's database lies at ``path``; a file that is empty or missing is nobody's yet."""
    if not path.is_file() or not path.stat().st_size:
        return
    tables, ours = _look(path)
    if not tables or ours:
        return
    if MAIT_CODE in tables:
        raise BadRequest(
            f"{path} is mait-code's database, which memd does not write to:"
            f" memctl import --format mait-code {path.parent} takes over what it holds"
        )
    raise BadRequest(f"{path} is another program's database, which memd does not write to: give another path")


def is_ours(path: Path) -> bool:
    """Whether memd's own database, or a copy of one, lies at ``path``; False where nobody can tell."""
    try:
        return path.is_file() and not path.is_symlink() and _look(path)[1]
    except MemdError:
        return False


def _look(path: Path) -> tuple[set[str], bool]:
    """The tables of a database, and whether it is memd's."""
    with driver.translated(), driver.peeking(path) as connection:
        tables = {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
        return tables, tables >= TABLES and migrate.version(connection) > 0
