"""What changed in opencode's database since it was read, as its own times tell, and what is kept to ask for that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import msgpack

from memd.db import driver
from memd.errors import HistoryImportError
from memd.importers import opencode
from memd.importers.gathering import Gathering, counted

LAYOUT = "opencode 1"

_EARLIEST = -(1 << 63)
_SLACK_MS = 60_000


@dataclass(slots=True)
class Kept:
    """What is kept of a database that is watched: up to when its changes are read, and what was passed over in it.

    Of sessions that are read again the counts are not added up: each is the most that one pass found.
    """

    upto: int | None = None
    skipped: dict[str, int] = field(default_factory=dict)
    malformed: int = 0
    excluded: list[str] = field(default_factory=list)

    def note(self, upto: int | None, newest_ms: int, into: Gathering, excluded: Iterable[str]) -> None:
        """Take over what a pass came to so far. No clock is trusted to the second, and none that runs ahead of the
        file's own time."""
        if upto is not None:
            self.upto = min(upto, newest_ms) - _SLACK_MS
        self.skipped = dict(Counter(self.skipped) | Counter(counted(into)))
        self.malformed = max(self.malformed, into.malformed)
        self.excluded = sorted({*self.excluded, *excluded})

    def dump(self) -> bytes:
        """All of it as bytes."""
        packed: bytes = msgpack.packb((LAYOUT, asdict(self)))
        return packed

    @classmethod
    def load(cls, progress: tuple[bytes, list[bytes]] | None) -> Kept:
        """What ``dump`` gave; nothing where nothing was kept, or by another version of memd."""
        layout = msgpack.unpackb(progress[0]) if progress and progress[0] else None
        return cls(**layout[1]) if isinstance(layout, list) and layout[0] == LAYOUT else cls()


def changed(path: Path, since: int | None) -> list[tuple[int, str]]:
    """The sessions that changed since a time, with when they did, the one that changed first in front; None: all.

    HistoryImportError where the database does not tell.
    """
    with driver.foreign(path) as connection:
        opencode.check(connection)
        if any("time_updated" not in opencode.columns(connection, table) for table in opencode.TABLES):
            raise HistoryImportError("its tables do not tell what changed; memctl import reads all of it")
        rows = connection.execute(
            """SELECT coalesce(max(at), 0), CAST(id AS BLOB) FROM (
                 SELECT id, CAST(time_updated AS INTEGER) AS at FROM session
                 UNION ALL SELECT session_id, CAST(max(time_updated) AS INTEGER) FROM message GROUP BY session_id
                 UNION ALL SELECT m.session_id, CAST(max(p.time_updated) AS INTEGER) FROM part p
                   JOIN message m ON m.id = p.message_id GROUP BY m.session_id)
               WHERE id IN (SELECT id FROM session) GROUP BY id HAVING coalesce(max(at), 0) >= ? ORDER BY 1, 2""",
            (_EARLIEST if since is None else since,),
        )
        return [(driver.number(at), opencode.text_in(id)) for at, id in rows]
