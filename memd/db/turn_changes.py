"""How often turns that stood there were changed or went; what adds turns does not count.

Triggers count (migration 0010), so nobody who changes turns need think of it; only who writes the text index anew,
which has no triggers, says so.
"""

from __future__ import annotations

from memd.db.driver import Connection


def count(connection: Connection) -> int:
    """The number so far: where it is the same, every turn that stood there stands there as it was."""
    return int(connection.execute("SELECT value FROM meta WHERE key = 'turn_changes'").get or 0)


def note(connection: Connection) -> None:
    """One more."""
    connection.execute(
        "INSERT INTO meta VALUES ('turn_changes', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"
    )
