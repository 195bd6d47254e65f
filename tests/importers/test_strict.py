"""A strict import says where the record stands that it stops at, so that it can be found (LS30)."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from memd.errors import HistoryImportError
from memd.importers.gathering import Wanted
from memd.importers.limits import ImportLimits
from tests.importers.exports import chatgpt, opencode
from tests.importers.test_formats import gathered

LONG = "long " * 400
STRICT = Wanted(strict=True, limits=ImportLimits(max_turn_chars=1_000))


def refusal(path: Path, format_: str = "auto") -> str:
    with pytest.raises(HistoryImportError) as caught:
        gathered(path, STRICT, format_)
    return str(caught.value)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({"role": "robot", "content": "beep"}, "is none of this format"),
        ({"role": "user", "content": LONG}, "holds a turn over the limit of its size"),
    ],
)
def test_a_line_is_named_by_the_byte_it_begins_at(bad: object, why: str, tmp_path: Path) -> None:
    good = json.dumps({"role": "user", "content": "kiln " * 180, "session_id": "s"}) + "\n"
    path = tmp_path / "history"
    path.write_text(2 * good + json.dumps(bad) + "\n")

    said = refusal(path, "jsonl")

    assert said == f"{path}: the record at byte {2 * len(good):,} {why}; nothing behind it is imported"


def test_a_turn_is_named_by_the_record_it_stands_in(tmp_path: Path) -> None:
    talks = [chatgpt.conversation(0), chatgpt.conversation(1)]
    data = chatgpt.dump(talks).replace(b"user words 1/0", LONG.encode(), 1)
    chats, memories = tmp_path / "chats", tmp_path / "memories"
    chats.write_bytes(data)
    memories.write_text(json.dumps([{"memory": "tea", "created_at": 1_790_000_000}, {"memory": LONG}]))

    for path in (chats, memories):
        place = refusal(path).split(" the record at byte ")[1].split(" ")[0]
        record = path.read_bytes()[int(place.replace(",", "")) :]
        assert LONG.encode() in record[: record.rindex(b"}")]


@pytest.mark.parametrize("table", ["message", "part"])
def test_what_stands_in_a_database_is_named_by_its_message(table: str, tmp_path: Path) -> None:
    path = opencode.export().file(tmp_path)
    with sqlite3.connect(path) as db:
        key = "id" if table == "message" else "message_id"
        db.execute(f"UPDATE {table} SET data = 'no JSON' WHERE {key} = 'msg_1_a'")
    db.close()

    assert refusal(path) == f"{path}: message msg_1_a is none of this format; nothing behind it is imported"


def test_a_file_that_is_nothing_of_the_format_is_told_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(json.dumps({"role": "user", "content": "hi"}))

    assert "file: it is none of this format" in refusal(tmp_path / "file", "gemini")
