"""Asking a language model from a program's own process: that of the settings, as the daemon does (see ``metering``), or
the program's own.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar

from memd.api import storage
from memd.config.settings import Settings
from memd.db.driver import Connection
from memd.errors import Degraded, ModelError
from memd.ledger import metering
from memd.providers.llm.base import LanguageModel, Reply, Request, parsed
from memd.providers.llm.open import open_model
from memd.text.tokens import Counter

Answerer = Callable[[str, str], str]

_own: ContextVar[Answerer | None] = ContextVar("language_model", default=None)


@contextmanager
def language_model(answer: Answerer) -> Iterator[None]:
    """Within the block ``reflect`` asks this: a function from instructions and material to the text of an answer.

    What it costs is the program's own affair: it counts against no budget of memd's and is in no ledger.
    """
    token = _own.set(answer)
    try:
        yield
    finally:
        _own.reset(token)


def ask(conn: Connection, settings: Settings, request: Request, counter: Counter) -> Reply:
    """The reply. Degraded without a language model, BudgetSpent, or ModelError where it gives none."""
    own = _own.get()
    return _metered(conn, settings, request, counter) if own is None else _told(own, request)


def _told(own: Answerer, request: Request) -> Reply:
    request = metering.outgoing(request)
    try:
        text = own(request.system, request.prompt)
    except Exception as error:
        raise ModelError(f"{type(error).__name__}: {error}") from error
    if not isinstance(text, str):
        raise ModelError(f"the answer is no text but {type(text).__name__}")
    return Reply(text, parsed(text), "", 0, 0, 0)


def _metered(conn: Connection, settings: Settings, request: Request, counter: Counter) -> Reply:
    model = open_model(settings.llm.asked(os.environ), os.environ)
    if model is None:
        raise Degraded("no language model is configured: set ANTHROPIC_API_KEY, or llm.provider")
    request = metering.outgoing(request)
    payload = metering.payload(model.model, request)
    if (known := metering.known(conn, payload)) is not None:
        return known
    number = _begin(conn, settings, model.model, request, counter)
    try:
        with ThreadPoolExecutor(1) as apart:  # the caller may be in a loop of its own
            answer = apart.submit(asyncio.run, _answer(model, request)).result()
    except BaseException as error:
        with storage.transaction(conn):
            metering.failed(conn, error, number, storage.now_ms())
        raise
    with storage.transaction(conn):
        reply = metering.came(conn, model.model, answer, number, payload, storage.now_ms())
    return metering.usable(reply)


async def _answer(model: LanguageModel, request: Request) -> Reply:
    try:
        return await model.complete(request)
    finally:
        await model.close()


def _begin(conn: Connection, settings: Settings, model: str, request: Request, counter: Counter) -> int:
    tokens = metering.estimated(request, counter)
    with storage.transaction(conn):
        return metering.begin(conn, model, request, tokens, settings.llm.caps(), storage.now_ms())
