"""Asking the language model of the settings from a program's own process, as the daemon does (see ``metering``)."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

from memd.api import storage
from memd.config.settings import Settings
from memd.db.driver import Connection
from memd.errors import Degraded
from memd.ledger import metering
from memd.providers.llm.base import LanguageModel, Reply, Request
from memd.providers.llm.open import open_model
from memd.text.tokens import Counter


def ask(conn: Connection, settings: Settings, request: Request, counter: Counter) -> Reply:
    """The reply. Degraded without a language model, BudgetSpent, or ModelError where it gives none."""
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
