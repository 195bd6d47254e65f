"""Reflection through the library."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd import api
from memd.db.driver import Connection
from memd.ledger import table as ledger
from tests import messages_api
from tests.messages_api import MessagesApi, say

FOUND = {
    "insights": [{"text": "habits rule the releases", "entries": [1, 2]}],
    "operations": [
        {"op": "rewrite", "old": ["Ada prefers spaces"], "new": "Ada prefers tabs", "entries": [2]}
    ],
}


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagesApi]:
    with messages_api.serving() as served:
        for name, value in served.env().items():
            monkeypatch.setenv(name, value)
        yield served


def remember(conn: Connection) -> None:
    for text in ("deploys go out on tuesdays", "Ada prefers tabs", "the api runs on port 8080"):
        api.store_memory(conn, text)


def test_a_reflection_stores_insights_and_tells_what_it_would_change(
    conn: Connection, model: MessagesApi, home: Path
) -> None:
    remember(conn)
    (home / "data" / "MEMORY.md").write_text("- Ada prefers spaces\n")
    model.script.append(say(json.dumps(FOUND)))

    told = api.reflect(conn)
    again = api.reflect(conn)

    assert told == {
        "skipped": False,
        "reason": None,
        "insights": ["habits rule the releases"],
        "ops": [{"op": "rewrite", "old": "Ada prefers spaces", "new": "Ada prefers tabs", "entry_ids": [2]}],
        "stored": 1,
        "memory_diff": "Proposed MEMORY.md changes:\n\n~ Ada prefers spaces\n"
        "    → Ada prefers tabs   [supersede #2]",
        "batch_info": {"processed": 3, "watermark": 3},
    }
    assert (again["skipped"], again["reason"]) == (
        True,
        "not enough new observations since last reflection",
    )
    assert (len(model.asked), api.get_watermark(conn), api.count_unreflected(conn)) == (1, 3, 0)
    [call] = ledger.listing(conn, since_ms=0, limit=9)
    assert (call.purpose, call.tokens.input, call.result) == ("reflect", 100, "ok")


def test_a_call_that_fails_leaves_the_watermark(conn: Connection, model: MessagesApi) -> None:
    """MC29"""
    remember(conn)
    model.script.extend(
        [messages_api.fail(400, "invalid_request_error"), say("Well, that is a lot to read.")]
    )

    for _ in range(2):
        told = api.reflect(conn)
        assert not told["skipped"] and told["reason"].startswith("LLM call failed")
        assert (told["insights"], told["batch_info"], api.get_watermark(conn)) == ([], None, None)


def test_without_a_language_model_that_is_said(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(conn)
    monkeypatch.setenv("MEMD_LLM__PROVIDER", "none")

    assert "no language model" in api.reflect(conn)["reason"]


def test_a_reply_is_insights_and_operations() -> None:
    """MC26: with the keys of the seed."""
    told = api.parse_reflection_response(
        "INSIGHT: one\n- MEMORY_ADD: a\nMEMORY_REWRITE: b -> c [entries: #1, #2]\n"
        "MEMORY_MERGE: d [entries: #3]\nMEMORY_RETIRE: e\nMEMORY_REWRITE: no arrow\nprose"
    )

    assert told == {
        "insights": ["one"],
        "ops": [
            {"op": "add", "old": None, "new": "a", "entry_ids": []},
            {"op": "rewrite", "old": "b", "new": "c", "entry_ids": [1, 2]},
            {"op": "merge", "old": None, "new": "d", "entry_ids": [3]},
            {"op": "retire", "old": "e", "new": None, "entry_ids": []},
        ],
    }
    assert api.parse_reflection_response("nothing of the kind, sorry") == {"insights": [], "ops": []}
    assert api.generate_memory_diff(told["ops"], {3: "the third"}) == (
        "Proposed MEMORY.md changes:\n\n+ a\n~ b\n    → c   [supersede #1, #2]\n- #3 the third\n+ d\n- e"
    )
    with pytest.raises(ValueError, match="no operation"):
        api.generate_memory_diff([{"op": "explode", "new": "x"}])
