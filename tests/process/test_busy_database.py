"""Another program that holds memd's database is waited for: searches go on, and nothing that was written is dropped."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
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


def test_what_is_remembered_while_another_program_holds_the_database_is_kept(box: Box) -> None:
    """Field case B16: every store that was accepted is there, once."""
    box.start()
    texts = [f"{word} has its own habits" for word in ("Ada", "Bob", "Cleo", "Dov", "Eva", "Finn")]
    database = box.home / "data" / "memd.db"

    with closing(sqlite3.connect(database)) as other, ThreadPoolExecutor(len(texts)) as people:
        other.execute("BEGIN IMMEDIATE")
        asked = [people.submit(box.ctl, "remember", "--json", text) for text in texts]
        late = box.ctl("remember", "--timeout", "1", "nobody waited for this answer")
        listed = box.ask("list", "--in", "entries")["entries"]
        other.rollback()
        done = [one.result() for one in asked]

    assert (late.returncode, listed) == (75, [])
    assert [one.returncode for one in done] == [0] * len(texts)
    accepted = {json.loads(one.stdout)["id"]: json.loads(one.stdout)["content"] for one in done}
    assert sorted(accepted.values()) == sorted(texts)
    for entry, text in accepted.items():
        assert box.ask("show", str(entry))["entry"]["content"] == text
    kept = Counter(one["content"] for one in box.ask("list", "--in", "entries")["entries"])
    assert kept - Counter(["nobody waited for this answer"]) == Counter(texts)
    assert "locked" not in late.stderr + box.log()
    assert box.ask("verify")["ok"] is True
