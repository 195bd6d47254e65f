"""Reflection through the library."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memd import api
from memd.db.driver import Connection
from memd.ledger import table as ledger
from memd.reflection import apply, passed_over, proposal_table
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
    """MC29, W27: and the next one is made all the same."""
    remember(conn)
    model.script.extend(
        [messages_api.fail(400, "invalid_request_error"), say("Well, that is a lot to read.")]
    )
    model.otherwise = say(json.dumps(FOUND))

    for _ in range(2):
        told = api.reflect(conn)
        assert not told["skipped"] and told["reason"].startswith("LLM call failed")
        assert (told["insights"], told["batch_info"], api.get_watermark(conn)) == ([], None, None)
    assert api.reflect(conn)["stored"] == 1


def test_what_lies_before_the_days_of_a_first_reflection_waits_and_is_counted(
    conn: Connection, model: MessagesApi
) -> None:
    """W11, MC25: no entry is skipped for ever, and every figure says so."""
    remember(conn)
    conn.execute("UPDATE entry SET created_ms = created_ms - 30 * 86400000 WHERE id = 1")
    model.otherwise = say("Nothing to record.")

    first = api.reflect(conn, days=7, batch_size=2)
    waiting = (api.count_unreflected(conn), api.collect_stats(conn).unreflected)
    second = api.reflect(conn, days=7, min_new=1)

    assert [told["batch_info"] for told in (first, second)] == [
        {"processed": 2, "watermark": 3},
        {"processed": 1, "watermark": 3},
    ]
    assert (waiting, api.count_unreflected(conn)) == ((1, 1), 0)
    assert "deploys go out" not in model.asked[0].prompt and "deploys go out" in model.asked[1].prompt


def test_a_repeated_reflection_gives_nothing_new(conn: Connection, model: MessagesApi) -> None:
    """MC28, W15: an insight that is there is not counted as stored."""
    remember(conn)
    model.otherwise = say(json.dumps({**FOUND, "operations": []}))

    stored = [api.reflect(conn)["stored"]]
    api.update_watermark(conn, 0)
    stored.append(api.reflect(conn)["stored"])

    assert stored == [1, 0]
    assert len(api.list_entries(conn, entry_type="insight")) == 1


def test_dead_entries_are_not_reflected_on(conn: Connection, model: MessagesApi) -> None:
    """W10, MC15: neither counted nor sent."""
    remember(conn)
    api.retire_memory(conn, 1)
    api.supersede_memory(conn, 3, "the api runs on port 9090")
    model.otherwise = say("Nothing to record.")

    assert api.count_unreflected(conn) == 2
    assert api.reflect(conn)["skipped"] and not model.asked
    assert api.reflect(conn, min_new=2)["batch_info"]["processed"] == 2
    assert "tuesdays" not in model.asked[0].prompt and "8080" not in model.asked[0].prompt


def test_nothing_of_an_excluded_project_is_sent(conn: Connection, model: MessagesApi, home: Path) -> None:
    (home / "config.toml").write_text('[import]\nexclude = ["/home/dev/secret"]\n')
    remember(conn)
    api.store_memory(conn, "the launch is in May", scope="project", project="/home/dev/secret/app")
    model.otherwise = say("Nothing to record.")

    api.reflect(conn)

    assert "launch" not in model.asked[0].prompt and "tuesdays" in model.asked[0].prompt
    assert api.count_unreflected(conn) == 0


def test_a_reply_that_could_not_be_stored_is_not_paid_for_again(
    conn: Connection, model: MessagesApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(conn)
    model.otherwise = say(json.dumps(FOUND))
    with monkeypatch.context() as broken, pytest.raises(ZeroDivisionError):
        broken.setattr(apply, "reflection", lambda *_, **__: 1 // 0)
        api.reflect(conn)

    assert api.reflect(conn)["stored"] == 1
    assert len(model.asked) == 1


def test_the_budget_of_the_day_holds_here_too(
    conn: Connection, model: MessagesApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(conn)
    monkeypatch.setenv("MEMD_LLM__TOKENS_PER_DAY", "100")

    assert "llm.tokens_per_day" in api.reflect(conn)["reason"]
    assert (model.asked, api.get_watermark(conn)) == ([], None)


def test_after_a_reply_of_no_use_less_is_asked_about_until_the_one_to_blame_is_passed_over(
    conn: Connection, model: MessagesApi
) -> None:
    """MC22, W24: as the daemon's job does it, by the same figures."""
    remember(conn)
    api.store_memory(conn, "lunch is at noon")
    model.otherwise = say("", stop="refusal")

    reasons = [api.reflect(conn, min_new=1)["reason"] for _ in range(5)]

    assert [asked.prompt.count(", entry #") for asked in model.asked] == [4, 2, 1, 1, 1]
    assert all(reason.startswith("LLM call failed") for reason in reasons)
    assert reasons[-1].endswith("; entry 1 is passed over") and "passed over" not in reasons[-2]
    assert (api.get_watermark(conn), passed_over.ids(conn, None)) == (1, [1])

    model.otherwise = say("Nothing to record.")
    assert api.reflect(conn, min_new=1)["batch_info"]["processed"] == 3


def test_a_project_has_a_file_of_its_own_where_that_is_turned_on(
    conn: Connection, model: MessagesApi, home: Path, tmp_path: Path
) -> None:
    (home / "config.toml").write_text('[memory]\nproject_files = "project"\n')
    (home / "data" / "MEMORY.md").write_text("- Ada prefers tea\n")
    (app := tmp_path / "app").mkdir()
    (app / "MEMORY.md").write_text("- Ada prefers spaces\n")
    for text in ("deploys go out on tuesdays", "Ada prefers tabs", "the api runs on port 8080"):
        api.store_memory(conn, text, scope="project", project=str(app))
    model.otherwise = say(json.dumps(FOUND))

    told = api.reflect(conn, project=str(app))

    assert "~ Ada prefers spaces" in told["memory_diff"]
    assert "Ada prefers tea" not in model.asked[0].prompt
    assert proposal_table.get(conn, 1).file == str(app)


def test_a_program_may_ask_a_language_model_of_its_own(conn: Connection) -> None:
    """MC26: it answers in lines, as the seed's did; what goes to it is without secrets."""
    remember(conn)
    (api.get_data_dir() / "MEMORY.md").write_text("- the key is AKIAIOSFODNN7EXAMPLE\n")
    asked: list[str] = []

    def answer(system: str, prompt: str) -> str:
        asked.append(system + prompt)
        return "- **INSIGHT:** habits rule the releases [entries: #1, #2]\nMEMORY_ADD: Ada prefers tabs [entries: #2]"

    with api.language_model(answer):
        told = api.reflect(conn, branch="wip")

    assert (told["insights"], told["stored"]) == (["habits rule the releases"], 1)
    assert told["memory_diff"] == "Proposed MEMORY.md changes:\n\n+ Ada prefers tabs"
    assert "AKIAIOSFODNN7EXAMPLE" not in asked[0] and "branch wip" in asked[0]
    assert ledger.listing(conn, since_ms=0, limit=9) == []


@pytest.mark.parametrize("answer", [lambda *_: 1 // 0, lambda *_: None])
def test_one_that_fails_leaves_the_watermark(conn: Connection, answer: Callable[[str, str], str]) -> None:
    """MC29"""
    remember(conn)
    with api.language_model(answer):
        told = api.reflect(conn)

    assert told["reason"].startswith("LLM call failed: ") and api.get_watermark(conn) is None


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
