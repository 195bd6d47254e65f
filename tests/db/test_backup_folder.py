"""The folder of backups: what goes when there are too many, or when they take too much."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.db import backup_folder
from memd.db.backup_folder import DAY_MS, Kept

NOW = 1_790_000_000_000


def kept(name: str, days: int, size: int = 10) -> Kept:
    return Kept(Path(name), size, NOW - days * DAY_MS, name.startswith("memd-"))


@pytest.mark.parametrize(
    ("there", "keep", "most", "gone"),
    [
        ([], 3, 100, []),
        ([kept("memd-1", 2), kept("memd-2", 1)], 3, 100, []),
        # more than are kept
        ([kept("memd-1", 3), kept("memd-2", 2), kept("memd-3", 1)], 1, 100, ["memd-1", "memd-2"]),
        # too large together: the oldest first
        ([kept("memd-1", 3), kept("memd-2", 2), kept("memd-3", 1)], 3, 20, ["memd-1"]),
        # the newest stays, however large
        ([kept("memd-1", 3), kept("memd-2", 2, 500)], 3, 20, ["memd-1"]),
        # a migration's copy stays for a month, and outlives the scheduled ones where room is short
        ([kept("before-schema-3-from-2", 29), kept("memd-1", 2), kept("memd-2", 1)], 3, 20, ["memd-1"]),
        ([kept("before-schema-3-from-2", 31), kept("memd-1", 1)], 3, 100, ["before-schema-3-from-2"]),
        # but the newest scheduled one goes before it
        ([kept("before-schema-3-from-2", 5), kept("memd-1", 1)], 3, 15, ["before-schema-3-from-2"]),
        # and it is all there is where none was taken since
        ([kept("before-schema-3-from-2", 99)], 3, 5, []),
    ],
)
def test_what_has_to_go(there: list[Kept], keep: int, most: int, gone: list[str]) -> None:
    found = backup_folder.surplus(there, keep=keep, most_bytes=most, now_ms=NOW)

    assert [one.path.name for one in found] == gone


def test_only_backups_count_and_only_unfinished_ones_are_cleaned_away(tmp_path: Path) -> None:
    names = ["memd-20261130T080000Z.db", "before-schema-2-from-1.db", "notes.db", "mine.txt", "mine.part"]
    parts = ["memd-20261130T090000Z.db.part", "before-schema-2-from-1.db.part-journal"]
    for name in names + parts:
        (tmp_path / name).write_text(name)

    backup_folder.clean(tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    assert {one.path.name for one in backup_folder.listing(tmp_path)} == set(names[:2])
    assert backup_folder.listing(tmp_path / "missing") == []


def test_the_name_tells_when_a_backup_was_begun() -> None:
    name = backup_folder.file_name(NOW)

    assert backup_folder.taken_ms(Path(name)) == NOW
    assert backup_folder.taken_ms(Path("memd-yesterday.db")) == 0
