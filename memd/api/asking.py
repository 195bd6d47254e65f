"""Asking the language model of the settings from a program's own process: redacted, in the budget, in the ledger."""

from __future__ import annotations

import asyncio
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from memd.api import storage
from memd.config import load
from memd.config.paths import absolute
from memd.config.settings import Settings
from memd.db.driver import Connection
from memd.errors import Degraded, ModelError
from memd.ledger import estimate, prices, table
from memd.ledger.budget import Caps
from memd.ledger.call import Call, Result, Tokens
from memd.providers.llm.base import LanguageModel, Reply, Request
from memd.providers.llm.frames import Model
from memd.providers.llm.open import open_model
from memd.text.tokens import Counter


def ask(conn: Connection, request: Request, counter: Counter) -> Reply:
    """The reply. Degraded without a language model, BudgetSpent, or ModelError where it gives none.

    The caller has taken secrets out of the request.
    """
    settings = load.load(storage.places().config_file, os.environ).settings
    model = open_model(_model(settings), os.environ)
    if model is None:
        raise Degraded("no language model is configured: set ANTHROPIC_API_KEY, or llm.provider")
    number = _reserve(conn, settings, request, counter)
    try:
        with ThreadPoolExecutor(1) as apart:  # the caller may be in a loop of its own
            reply = apart.submit(asyncio.run, _answer(model, request)).result()
    except ModelError as error:
        with storage.transaction(conn):
            table.fail(conn, number, error.kind, free=error.free)
        raise
    tokens = Tokens(reply.input_tokens, reply.cached_tokens, reply.output_tokens)
    with storage.transaction(conn):
        table.correct(conn, number, Result.OK, tokens, prices.dollars(settings.llm.model, tokens))
    return reply


async def _answer(model: LanguageModel, request: Request) -> Reply:
    try:
        return await model.complete(request)
    finally:
        await model.close()


def _reserve(conn: Connection, settings: Settings, request: Request, counter: Counter) -> int:
    texts = (request.system, request.prompt, json.dumps(request.schema))
    tokens = estimate.of(texts, request.max_tokens, counter)
    price = prices.dollars(settings.llm.model, tokens)
    call = Call(0, storage.now_ms(), None, request.purpose, settings.llm.model, tokens, price, Result.RUNNING)
    caps = Caps(settings.llm.tokens_per_day, settings.llm.money_per_day)
    with storage.transaction(conn):
        return table.reserve(conn, call, caps)


def _model(settings: Settings) -> Model:
    options = settings.llm
    file = Path(absolute(options.key_file, os.environ)) if options.key_file else None
    return Model(options.provider, options.model, file, options.timeout_seconds)
