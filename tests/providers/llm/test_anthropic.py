"""The SDK in this process, for what needs no other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from memd.errors import ModelRejected, ModelTimeout, ModelUnreachable
from memd.providers.llm.base import Request
from tests import messages_api
from tests.messages_api import MessagesApi, fail, use_tool

if TYPE_CHECKING:
    from memd.providers.llm.anthropic import Messages

SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}
REQUEST = Request("You distil.", "Entries: none", SCHEMA, 1000, "reflect")
UNKNOWN = fail(400, "invalid_request_error", "output_config: Extra inputs are not permitted")


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagesApi]:
    with messages_api.serving() as one:
        for name, value in one.env().items():
            monkeypatch.setenv(name, value)
        yield one


@contextmanager
def model(provider: str = "anthropic", name: str = "claude-old", seconds: float = 20.0) -> Iterator[Messages]:
    from memd.providers.llm import anthropic

    with anthropic.open_client(provider, None, seconds) as client:
        yield anthropic.Messages(client, name)


def test_a_model_that_knows_no_schemas_is_made_to_use_a_tool(api: MessagesApi) -> None:
    api.script.extend([UNKNOWN, use_tool({"insights": ["a"]}), use_tool({"insights": []})])
    with model() as one:
        replies = [one.ask(REQUEST) for _ in range(2)]

    assert [reply.data for reply in replies] == [{"insights": ["a"]}, {"insights": []}]
    assert replies[0].text == '{"insights": ["a"]}'
    assert len(api.asked) == 3  # what was learnt is not asked again
    assert api.asked[2].body["tool_choice"] == {"type": "tool", "name": "answer"}
    assert api.asked[2].body["tools"][0]["input_schema"] == SCHEMA


def test_one_that_accepts_neither_is_asked_no_third_time(api: MessagesApi) -> None:
    api.script.extend([UNKNOWN, UNKNOWN])
    with model() as one, pytest.raises(ModelRejected):
        one.ask(REQUEST)

    assert len(api.asked) == 2


def test_nothing_is_charged_where_there_was_no_connection(api: MessagesApi) -> None:
    api.close()
    with model() as one, pytest.raises(ModelUnreachable) as caught:
        one.ask(REQUEST)

    assert caught.value.free


def test_what_does_not_answer_in_time_may_have_been_charged(api: MessagesApi) -> None:
    api.script.append(messages_api.HANG)
    with model(seconds=0.3) as one, pytest.raises(ModelTimeout) as caught:
        one.ask(REQUEST)

    assert not caught.value.free
    assert len(api.asked) == 1


def test_bedrock_is_asked_for_the_same_message_by_its_own_address(
    api: MessagesApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", api.url)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    with model("bedrock", "anthropic.claude-haiku-5-5-v1:0") as one:
        reply = one.ask(REQUEST)

    (asked,) = api.asked
    assert asked.path == "/model/anthropic.claude-haiku-5-5-v1:0/invoke"
    assert (asked.prompt, reply.data) == (REQUEST.prompt, {"insights": []})
    assert messages_api.KEY not in str(asked.headers)
