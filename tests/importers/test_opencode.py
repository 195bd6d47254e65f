"""opencode's database is another program's, and may hold anything (LS29)."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from memd.errors import HistoryImportError
from tests.importers.exports import opencode
from tests.importers.test_formats import gathered, said


def test_what_the_program_has_not_moved_into_its_database_yet_is_read_too(tmp_path: Path) -> None:
    path = opencode.export().file(tmp_path, "opencode.db")
    live = sqlite3.connect(path)
    live.execute("PRAGMA journal_mode=WAL")
    live.execute("UPDATE part SET data = replace(data, 'question 0', 'another question')")
    live.commit()

    _, sessions = gathered(path)

    assert ("ses_0", "user", "another question") in said(sessions)
    live.close()


def test_a_database_that_nobody_writes_to_gets_no_files_beside_it(tmp_path: Path) -> None:
    path = opencode.export().file(tmp_path, "opencode.db")
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA journal_mode=WAL")
    db.close()
    before = path.read_bytes()

    gathered(path)

    assert os.listdir(tmp_path) == ["opencode.db"]
    assert path.read_bytes() == before


def test_bytes_that_are_no_text_are_no_reason_to_fail(tmp_path: Path) -> None:
    path = opencode.export().file(tmp_path)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE session SET title = CAST(x'ff41' AS TEXT), revert = CAST(x'ff' AS TEXT)")
        db.execute("INSERT INTO part VALUES ('q', 'msg_0_a', 'ses_0', 0, 0, CAST(x'7bff' AS TEXT))")
        db.execute("INSERT INTO part VALUES ('r', 'msg_0_a', 'ses_0', 0, 0, 7)")
    db.close()

    into, sessions = gathered(path)

    assert ("ses_0", "user", "question 0") in said(sessions)
    assert next(one.title for one in sessions if one.key == "ses_0") == "\ufffdA"
    assert into.malformed > opencode.export().malformed


def test_columns_that_came_later_are_not_needed(tmp_path: Path) -> None:
    path = opencode.export().file(tmp_path)
    with sqlite3.connect(path) as db:
        for column in ("revert", "parent_id", "title", "directory"):
            db.execute(f"ALTER TABLE session DROP COLUMN {column}")
        db.execute("ALTER TABLE part DROP COLUMN time_created")
    db.close()

    assert ("ses_sub", "user", "for a subagent") in said(gathered(path)[1])


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("DROP TABLE part; CREATE TABLE part (id TEXT)", "SQLite cannot read it: "),
        ("DROP TABLE part; CREATE VIEW part AS SELECT * FROM message", "holds no history"),
        ("DROP TABLE message", "holds no history"),
    ],
)
def test_other_tables_are_told_of(script: str, sentence: str, tmp_path: Path) -> None:
    path = opencode.export().file(tmp_path)
    with sqlite3.connect(path) as db:
        db.executescript(script)
    db.close()

    with pytest.raises(HistoryImportError, match=sentence):
        gathered(path)


@pytest.mark.parametrize("cut", [100, 5000, 9000])
def test_a_database_that_is_cut_off_is_told_of(cut: int, tmp_path: Path) -> None:
    path = opencode.export().file(tmp_path)
    os.truncate(path, cut)

    with pytest.raises(HistoryImportError, match="SQLite cannot read it") as caught:
        gathered(path)
    assert str(path) in str(caught.value)
