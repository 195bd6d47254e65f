"""Databases and turns for tests: real SQLite in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memd.db import migrate
from memd.db.database import Database
from memd.db.driver import Connection
from memd.sources import attribution
from memd.sources.projects import Project
from memd.turns import table
from memd.turns.turn import Claim, Turn

DAY_MS = 86_400_000
START_MS = 1_790_000_000_000


@contextmanager
def database(folder: Path) -> Iterator[Database]:
    """A fresh, migrated database."""
    db = Database(folder / "memd.db")
    db.open(lambda connection: migrate.migrate(connection, folder / "memd.db", folder / "backups"))
    try:
        yield db
    finally:
        db.close()


def turn(
    number: int, text: str, *, session: str = "s1", role: str = "user", agent: str | None = None
) -> Turn:
    """A turn that stands at ``number`` in its session."""
    at_ms = START_MS + number * 1000
    return Turn(
        id=f"{session}-{number}",
        role=role,
        text=text,
        session_id=session,
        claim=Claim.RECORD,
        seq=number,
        uuid=f"{session}-{number}",
        at_ms=at_ms,
        sort_ms=at_ms,
        agent_id=agent,
    )


def store(db: Database, turns: Sequence[Turn], *, cwd: str | None = None) -> list[str]:
    """Store the turns; their session belongs to the project of ``cwd``."""

    def work(connection: Connection) -> list[str]:
        stored = table.Stored()
        new = table.add(connection, turns, file_id=None, home=None, format_="claude-code", stored=stored)
        table.index(connection, stored)
        if cwd:
            project = attribution.remember(connection, cwd, Project(Path(cwd).name, cwd, "cwd"))
            for key in {one.session_id for one in turns}:
                table.describe_session(
                    connection,
                    key,
                    project_id=project,
                    cwd=cwd,
                    branch="main",
                    title=None,
                    continues=None,
                    home=True,
                )
        return list(new)

    return db.write_now(work)
