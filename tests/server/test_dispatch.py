"""Whatever a handler does, its caller gets one answer and the log tells nothing of the request."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import structlog

from tests.server.conftest import serving


@pytest.mark.parametrize(
    ("method", "params", "code", "message"),
    [
        ("nope", {}, "unknown_method", "there is no method 'nope'"),
        ("no", {}, "degraded", "no model"),
        ("echo", {}, "bad_request", "say is missing"),
        ("bug", {"say": "ü" * 2049}, "too_large", "at most 4096 are allowed"),
        ("ping", {"x": 1}, "bad_request", "unknown parameter 'x'; allowed: none"),
        ("late", {}, "timeout", "late took longer than 0.02 s"),
        ("big", {"size": 9 << 20}, "too_large", "ask for fewer at a time"),
        ("gone", {}, "busy", "called off"),
    ],
)
def test_a_call_that_fails_says_why(
    folder: Path, method: str, params: dict[str, object], code: str, message: str
) -> None:
    async def act() -> dict[str, object]:
        async with serving(folder) as bench, bench.client() as client:
            answer = await client.call(method, **params)
            assert (await client.call("ping"))["ok"]  # and the connection goes on
            return answer

    answer = asyncio.run(act())

    error = answer["error"]
    assert isinstance(error, dict)
    assert (answer["ok"], error["code"]) == (False, code)
    assert message in error["message"]


@pytest.mark.parametrize(("method", "params"), [("bug", {"say": "sesame"}), ("odd", {})])
def test_a_bug_is_one_log_line_without_the_request(
    folder: Path, method: str, params: dict[str, object]
) -> None:
    async def act() -> dict[str, object]:
        async with serving(folder) as bench, bench.client() as client:
            return await client.call(method, **params)

    with structlog.testing.capture_logs() as lines:
        answer = asyncio.run(act())

    error = answer["error"]
    assert isinstance(error, dict)
    assert error["code"] == "internal"
    (line,) = lines
    assert line["event"] == "call_failed"
    assert line["id"] == error["detail"]
    assert line["error"] in ("ValueError", "TypeError")
    assert line["place"].partition(":")[0].endswith(".py")
    assert "sesame" not in str(line) + str(error)


def test_events_come_before_the_answer(folder: Path) -> None:
    async def act() -> list[object]:
        async with serving(folder) as bench, bench.client() as client:
            client.send("events", count=300)
            return [await client.receive() for _ in range(301)]

    *events, answer = asyncio.run(act())

    assert [event["event"]["n"] for event in events] == list(range(300))
    assert answer["result"] == {"sent": True}


def test_an_answer_of_just_under_the_limit_arrives(folder: Path) -> None:
    async def act() -> int:
        async with serving(folder) as bench, bench.client() as client:
            answer = await client.call("big", size=(8 << 20) - 100)
            return len(answer["result"]["text"])

    assert asyncio.run(act()) == (8 << 20) - 100
