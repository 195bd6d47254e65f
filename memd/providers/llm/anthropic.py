"""The Messages API through its SDK, also on Bedrock. Runs in the child process, and nowhere else.

The SDK itself tries nothing again: whoever asks decides. What it raises is told by kind alone, for its messages may
quote what was asked.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import anthropic

from memd.errors import (
    ModelError,
    ModelOverloaded,
    ModelRateLimited,
    ModelRejected,
    ModelTimeout,
    ModelUnauthorized,
    ModelUnreachable,
    SpendLimit,
)
from memd.providers.llm import key
from memd.providers.llm.base import JSON, Reply, Request, Stop, answered, parsed

CONNECT_SECONDS = 10.0
# Calls lie minutes apart: a connection that is kept would be stale by then, and one that half closes is seen at once.
_ALONE = {"connection": "close"}
SPENT = "enforced_spend_limit_reached"
_TOOL = "answer"
# how a model, or a gateway before it, says that it does not know structured output
_NO_SCHEMA = re.compile(r"output_config|output_format|json_schema|structured output", re.I)
_WORD = re.compile(r"[a-z_]{1,40}")
_CUT = ("max_tokens", "model_context_window_exceeded", "pause_turn")

Client = anthropic.Anthropic | anthropic.AnthropicBedrock


def open_client(provider: str, key_file: Path | None, timeout_s: float) -> Client:
    """The SDK's client, which has asked for nothing yet. ModelUnauthorized where there is no key for it."""
    timeout = anthropic.Timeout(timeout_s, connect=min(CONNECT_SECONDS, timeout_s))
    if provider == "bedrock":
        base = os.environ.get("AWS_ENDPOINT_URL_BEDROCK_RUNTIME")
        return anthropic.AnthropicBedrock(
            base_url=base, timeout=timeout, max_retries=0, default_headers=_ALONE
        )
    found = key.find(os.environ, key_file)
    return anthropic.Anthropic(
        api_key=found.api_key,
        auth_token=found.auth_token,
        timeout=timeout,
        max_retries=0,
        default_headers=_ALONE,
    )


class Messages:
    """Asks one model. Structured output by its schema; by a forced tool where that is not known."""

    def __init__(self, client: Client, model: str) -> None:
        self._client, self._model = client, model
        self._knows_schemas = True

    def ask(self, request: Request) -> Reply:
        """The reply. Raises ModelError."""
        try:
            return self._asked(request)
        except anthropic.BadRequestError as error:
            if not self._knows_schemas or not _NO_SCHEMA.search(error.message):
                raise _rejected(error) from error
        except anthropic.AnthropicError as error:
            raise _translated(error) from error
        self._knows_schemas = False
        return self.ask(request)

    def _asked(self, request: Request) -> Reply:
        create = self._client.messages.with_raw_response.create
        schema = dict(request.schema)
        answer = create(
            model=self._model,
            max_tokens=request.max_tokens,
            system=[{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}],
            messages=[{"role": "user", "content": request.prompt}],
            output_config={"format": {"type": "json_schema", "schema": schema}}
            if self._knows_schemas
            else anthropic.omit,
            tools=anthropic.omit if self._knows_schemas else [{"name": _TOOL, "input_schema": schema}],
            tool_choice=anthropic.omit if self._knows_schemas else {"type": "tool", "name": _TOOL},
        )
        return reply_in(answer.text(), self._model)


def reply_in(body: str, model: str) -> Reply:
    """The reply in the body of an answer. ModelUnreachable where it is none of the Messages API's."""
    message = parsed(body)
    if not isinstance(message, dict) or message.get("type") != "message":
        raise ModelUnreachable("something between memd and the language model answered in its place")
    blocks = message.get("content")
    text, data = _said(blocks if isinstance(blocks, list) else [])
    stop = str(message.get("stop_reason"))
    return answered(text, data, model, message.get("usage"), Stop.CUT if stop in _CUT else stop)


def _said(blocks: list[JSON]) -> tuple[str, JSON]:
    """The text of an answer and the value in it; the tool's input where it was made to use one."""
    texts: list[str] = []
    for block in blocks:
        match block:
            case {"type": "tool_use", "name": str(name), "input": dict(data)} if name == _TOOL:
                return json.dumps(data, ensure_ascii=False), data
            case {"type": "text", "text": str(text)}:
                texts.append(text)
    text = "".join(texts)
    return text, parsed(text)


def _translated(error: anthropic.AnthropicError) -> ModelError:
    """What the SDK raised, as memd's own kind of it."""
    match error:
        case anthropic.APITimeoutError():
            return _reached_out(ModelTimeout(), error)
        case anthropic.APIConnectionError():
            return _reached_out(ModelUnreachable(), error)
        case anthropic.APIStatusError():
            return _by_status(error)
    return ModelUnauthorized("the SDK finds no credentials it can use")


def _reached_out(told: ModelError, error: anthropic.APIConnectionError) -> ModelError:
    """Where there was no connection at all, nothing can have been charged."""
    told.free = type(error.__cause__).__name__ in ("ConnectError", "ConnectTimeout", "ProxyError")
    return told


def _by_status(error: anthropic.APIStatusError) -> ModelError:
    status, wait = error.status_code, _wait(error)
    if status == 402 or error.error_code == SPENT:
        return SpendLimit(retry_after_s=wait)
    if status in (401, 403):
        return ModelUnauthorized()
    if status == 429:
        return ModelRateLimited(retry_after_s=wait)
    if status in (408, 409) or status >= 500:
        return ModelOverloaded(retry_after_s=wait)
    return _rejected(error)


def _rejected(error: anthropic.APIStatusError) -> ModelRejected:
    kind = error.type if error.type and _WORD.fullmatch(error.type) else "no reason given"
    return ModelRejected(f"{ModelRejected.__doc__} ({error.status_code}: {kind})")


def _wait(error: anthropic.APIStatusError) -> float:
    """The seconds of its Retry-After; 0 without one."""
    try:
        return max(0.0, float(error.response.headers.get("retry-after", 0)))
    except ValueError:
        return 0.0
