"""What recall and context print: the text alone on standard output, made safe for a terminal."""

from __future__ import annotations

import json

import pytest

from memctl.main import main
from tests.memctl.conftest import Start
from tests.memctl.fake_daemon import answer

EVIL = "\x1b[2Jx"
TURN = {
    "id": "abc123",
    "role": "user",
    "created_at": "2026-11-30T09:00:00.000Z",
    "pool": "user",
    "status": "kept",
    "reason": None,
    "tokens": 21,
    "candidates": [{"rank": 1, "score": 1.234}],
}
ANSWER = {
    "text": f"[2026-11-30 (Mon) 09:00] user: port 8080 {EVIL}",
    "tokens": 21,
    "budget": 2000,
    "counter": "cl100k_base",
    "history_tokens": 123456,
    "history_exact": False,
    "sessions_total": 40,
    "sessions_kept": 1,
    "note": None,
    "scope": "/home/dev/app",
    "meaning": "on",
    "reasons": {"no_match": "shares no word", "route": "does not ask for it"},
    "explanation": {
        "mode": "turns",
        "route": "lookup",
        "room": 2000,
        "user_room": 500,
        "user_turn_cap": 800,
        "turns": [TURN, {**TURN, "status": "dropped", "reason": "no_match", "candidates": []}],
        "sections": [
            {"name": "requests", "shown": False, "reason": "route", "tokens": 0, "cap": 0, "candidates": []}
        ],
        "rest": {"no_match": 4998},
    },
}


def test_the_text_stands_alone_on_standard_output(daemon: Start, capfd: pytest.CaptureFixture[str]) -> None:
    daemon(answer(ANSWER))

    assert main(["recall", "which", "port"]) == 0

    out, err = capfd.readouterr()
    assert out == "[2026-11-30 (Mon) 09:00] user: port 8080 \\x1b[2Jx\n"
    assert (
        "21 of 2,000 tokens (cl100k_base) · the whole history takes about 123,456 · 1 of 40 sessions" in err
    )


def test_where_there_is_no_cross_encoder_it_is_said_what_ranked_instead(
    daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    daemon(answer({**ANSWER, "relevance": "hybrid", "cross_encoder": "off: no model: fetch it"}))

    assert main(["recall", "--relevance", "semantic", "which port"]) == 0

    assert capfd.readouterr().err.endswith(" · ranked as hybrid: no model: fetch it\n")


def test_LS33_an_explanation_says_what_was_kept_and_why_the_rest_was_not(
    daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    daemon(answer(ANSWER))

    assert main(["recall", "--explain", "which port"]) == 0

    out = capfd.readouterr().out
    assert (
        "turns, for the question is of the kind lookup; 2,000 tokens for turns, 500 kept for the user's"
        in out
    )
    assert "whole  user 1  1.23       21  2026-11-30 09:00  user  abc123" in out
    assert "4,999  shares no word" in out
    assert "does not ask for it" in out


def test_LS33_flags_go_out_as_parameters_and_json_comes_in_whole(
    daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    fake = daemon(answer(ANSWER))

    assert main(["recall", "--json", "--budget", "50", "--coverage", "never", "--no-requests", "x", "y"]) == 0

    asked = dict(fake.params)
    asked.pop("cwd", None)
    assert asked == {"query": "x y", "budget": 50, "coverage": "never", "no_requests": True}
    assert json.loads(capfd.readouterr().out) == ANSWER


def test_context_prints_nothing_where_nothing_bears_and_says_why_beside_it(
    daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    daemon(answer({"text": "", "note": "nothing stored bears on the question"}))

    assert main(["context", "which port"]) == 0

    out, err = capfd.readouterr()
    assert (out, err) == ("", "memctl: nothing stored bears on the question\n")


def test_context_without_a_prompt_asks_for_what_a_session_start_says(
    daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    fake = daemon(answer({"text": "<memd-memory>", "note": None}))

    assert main(["context", "--budget", "300"]) == 0

    assert capfd.readouterr().out == "<memd-memory>\n"
    asked = dict(fake.params)
    asked.pop("cwd", None)
    assert asked == {"budget": 300}
