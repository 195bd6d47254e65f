"""The real SDK in its own process asks a Messages API on loopback: what memd sees of every answer and every failure."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memd.clock import SystemClock
from memd.errors import (
    BudgetSpent,
    ModelError,
    ModelOverloaded,
    ModelRateLimited,
    ModelRejected,
    ModelUnauthorized,
    ModelUnreachable,
    SpendLimit,
)
from memd.ledger import table
from memd.ledger.budget import Caps
from memd.providers.llm.base import MOST_TOKENS, Reply, Request, Stop
from memd.providers.llm.frames import Model
from memd.providers.llm.process import ModelProcess
from memd.tasks.metered import Metered
from memd.text.tokens import Estimate
from tests import messages_api
from tests.messages_api import Answer, MessagesApi, fail, say
from tests.rows import database

SCHEMA = {
    "type": "object",
    "properties": {"insights": {"type": "array", "items": {"type": "string"}}},
    "required": ["insights"],
    "additionalProperties": False,
}
REQUEST = Request("You distil.", "Entries: the lamp stands left", SCHEMA, 1000, "reflect")
SECONDS = 20.0
PLAIN = {"PATH": os.environ["PATH"]}


@dataclass
class Bench:
    """A model in a process that lives as long as the module, on a loop that does."""

    api: MessagesApi
    model: ModelProcess
    runner: asyncio.Runner

    def ask(self, *script: Answer) -> Reply:
        self.api.asked.clear()
        self.api.script.clear()
        self.api.script.extend(script)
        return self.runner.run(self.model.complete(REQUEST))


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with messages_api.serving() as api, asyncio.Runner() as runner:
        model = ModelProcess(Model("anthropic", "claude-haiku-5-5", None, SECONDS), {**PLAIN, **api.env()})
        yield Bench(api, model, runner)
        runner.run(model.close())


def test_a_reply_is_the_value_that_was_asked_for_and_what_it_took(bench: Bench) -> None:
    usage = {
        "input_tokens": 90,
        "cache_read_input_tokens": 10,
        "cache_creation_input_tokens": 5,
        "output_tokens": 7,
    }
    reply = bench.ask(say('{"insights": ["lamps stand left"]}', usage=usage))

    assert reply.data == {"insights": ["lamps stand left"]}
    assert (reply.input_tokens, reply.cached_tokens, reply.output_tokens) == (105, 10, 7)
    assert (reply.model, reply.stop_reason) == ("claude-haiku-5-5", Stop.END)


def test_tokens_beyond_any_prompt_are_counted_as_many_as_can_be(bench: Bench) -> None:
    """A number that the ledger cannot hold would have the same call paid for again."""
    reply = bench.ask(say("{}", usage={"input_tokens": 10**30, "output_tokens": -1}))

    assert (reply.input_tokens, reply.output_tokens) == (MOST_TOKENS, 0)


def test_the_request_carries_schema_cached_part_and_key_and_is_sent_once(bench: Bench) -> None:
    bench.ask()

    (asked,) = bench.api.asked
    assert asked.body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}
    assert asked.body["system"] == [
        {"type": "text", "text": "You distil.", "cache_control": {"type": "ephemeral"}}
    ]
    assert (asked.prompt, asked.body["max_tokens"]) == (REQUEST.prompt, 1000)
    assert any(messages_api.KEY in value for value in asked.headers.values())
    assert "reflect" not in json.dumps(asked.body)


@pytest.mark.parametrize(
    ("answer", "text", "stop"),
    [
        (say("Sure! Here is what I think."), "Sure! Here is what I think.", Stop.END),  # prose
        (say(""), "", Stop.END),  # nothing at all
        (say('{"insights": ["cu', stop="max_tokens"), '{"insights": ["cu', Stop.CUT),
        (say("I cannot help with that.", stop="refusal"), "I cannot help with that.", Stop.REFUSED),
        (say("x" * 10_000_000), "", Stop.TOO_LARGE),
        (say("[" * 100_000), "[" * 100_000, Stop.END),  # too deep to be parsed
        (messages_api.message("a text where blocks belong"), "", Stop.END),
        (messages_api.message([3, {"type": "text", "text": 4}, {"type": "thinking"}], usage=[1]), "", Stop.END),
    ],
)  # fmt: skip
def test_what_is_no_json_is_handed_on_as_text_without_a_value(
    bench: Bench, answer: Answer, text: str, stop: Stop
) -> None:
    reply = bench.ask(answer)

    assert (reply.text, reply.data, reply.stop_reason) == (text, None, stop)
    assert len(bench.api.asked) == 1


@pytest.mark.parametrize(
    ("answer", "error", "wait", "free"),
    [
        (fail(429, "rate_limit_error", retry_after="7"), ModelRateLimited, 7, True),
        (fail(429, "rate_limit_error", code="enforced_spend_limit_reached"), SpendLimit, 0, True),
        (fail(402, "billing_error"), SpendLimit, 0, True),
        (fail(529, "overloaded_error"), ModelOverloaded, 0, True),
        (fail(500, "api_error", retry_after="soon"), ModelOverloaded, 0, True),
        (fail(401, "authentication_error"), ModelUnauthorized, 0, True),
        (fail(403, "permission_error"), ModelUnauthorized, 0, True),
        (fail(400, "invalid_request_error"), ModelRejected, 0, True),
        (fail(404, "not_found_error"), ModelRejected, 0, True),
        (messages_api.CLOSE, ModelUnreachable, 0, False),  # it may have been answered, and charged
        (messages_api.CUT, ModelUnreachable, 0, False),
        (messages_api.PAGE, ModelUnreachable, 0, False),
        (messages_api.stream("nobody asked for a stream"), ModelUnreachable, 0, False),
    ],
)  # fmt: skip
def test_every_failure_is_one_kind_of_error_after_one_request(
    bench: Bench, answer: Answer, error: type[ModelError], wait: float, free: bool
) -> None:
    with pytest.raises(error) as caught:
        bench.ask(answer)

    assert (caught.value.retry_after_s, caught.value.free) == (wait, free)
    assert len(bench.api.asked) == 1


def test_an_error_says_nothing_that_came_from_the_provider_but_its_kind(bench: Bench) -> None:
    said = f"messages.0.content: 'the lamp stands left' for {messages_api.KEY}"
    with pytest.raises(ModelRejected) as caught:
        bench.ask(fail(400, "invalid_request_error", said))

    assert "400: invalid_request_error" in caught.value.message
    assert "lamp" not in caught.value.message and messages_api.KEY not in caught.value.message


def test_the_ledger_equals_what_the_provider_counted_and_stops_at_the_cap(
    bench: Bench, tmp_path: Path
) -> None:
    """Five hundred turns under a small cap."""
    asked: list[dict[str, int]] = []

    async def work_off(model: Metered) -> None:
        for number in range(500):
            asked.append(
                {"input_tokens": 700 + number, "cache_read_input_tokens": 50, "output_tokens": 30 + number}
            )
            bench.api.script.append(say('{"insights": []}', usage=asked[-1]))
            await model.complete(replace(REQUEST, prompt=f"turn {number}"))

    bench.api.asked.clear()
    bench.api.script.clear()
    with database(tmp_path) as db:
        model = Metered(bench.model, db, SystemClock(), Caps(20_000, 1.0), Estimate())
        with pytest.raises(BudgetSpent):
            bench.runner.run(work_off(model))
        spent = db.read_now(table.spent, SystemClock().now_ms())

    assert spent.tokens == sum(sum(one.values()) for one in asked[: len(bench.api.asked)]) <= 20_000
    assert 10 < len(bench.api.asked) < 30


def test_the_sdk_stays_out_of_the_process_that_asks(bench: Bench) -> None:
    bench.ask()

    loaded = "import sys, memd.daemon.wiring, memd.providers.llm.process, memd.providers.llm.open\n"
    code = asyncio.run(_exit_code("-c", f"{loaded}sys.exit('anthropic' in sys.modules)"))
    assert code == 0


async def _exit_code(*arguments: str) -> int:
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments)
    return await process.wait()
