"""Another program that holds memd's database is waited for: searches go on, and nothing that was written is dropped."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing

from tests.process.conftest import Box


def test_a_reader_and_a_writer_from_outside_cost_no_turn(box: Box) -> None:
    """Field case B16, and R6."""
    texts = [f"word{n} of the import" for n in range(300)]
    for n, text in enumerate(texts[:100]):
        box.write(text, n % 7)
    box.start()
    box.settle()
    database = box.home / "data" / "memd.db"

    with closing(sqlite3.connect(database)) as reader, closing(sqlite3.connect(database)) as writer:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM turn").fetchone()
        writer.execute("BEGIN IMMEDIATE")
        for n, text in enumerate(texts[100:]):
            box.write(text, n % 7)
        waiting = box.ctl("sync", "--wait", "--timeout", "1")
        found = box.found("word7")
        writer.rollback()
        box.settle()
        reader.rollback()

    assert waiting.returncode == 75
    assert "locked" not in waiting.stderr + box.log()
    assert found == ["word7 of the import"]
    assert Counter(turn["text"] for turn in box.export()) == Counter(texts)
    assert box.ask("verify")["ok"] is True
