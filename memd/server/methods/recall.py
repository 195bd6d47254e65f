"""The method ``recall``: the text to put before a model, within a budget of tokens."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from memd.clock import iso, parse_when
from memd.db.driver import Connection
from memd.db.vectors import Lane
from memd.recall import recall as recalling
from memd.recall.context import COVERAGES, RELEVANCES, Context, RecalledTurn, RecallOptions
from memd.recall.explain import REASONS
from memd.server import meaning, scope
from memd.server.dispatch import Call, Method
from memd.server.history import IndexedHistory
from memd.server.params import Params, choice, flag, integer, text
from memd.server.rescoring import ON, Rescoring
from memd.services import Services
from memd.turns.search import Question

MOST_TOKENS = 100_000
SECONDS = 30.0  # the model may have to be loaded first: a recall waits rather than answer otherwise

RECALL = {
    "query": text(),
    "budget": integer(1, MOST_TOKENS, optional=True),
    "coverage": choice(*COVERAGES, default="auto"),
    "no_requests": flag(),
    "no_preferences": flag(),
    "no_conflicts": flag(),
    "relevance": choice(*RELEVANCES, default="hybrid"),
    "since": text(optional=True),
    "until": text(optional=True),
    "explain": flag(),
    "shown": flag(),
    **scope.FIELDS,
}


class Recalling:
    """Answers from the services."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        return {"recall": Method(self.recall, RECALL, seconds=SECONDS)}

    async def recall(self, call: Call) -> Mapping[str, object]:
        """The answer of `interface.md`."""
        began, params, services = time.perf_counter(), call.params, self._services
        options = _options(params, services)
        used = services.embedding.serving
        lane, state = Lane(services.vectors), meaning.NOT_ASKED_FOR
        rescoring = Rescoring(services) if options.relevance == "semantic" else None
        with services.governor.question():
            if options.relevance != "lexical":
                lane, state = await meaning.of_question(services, params.text("query"), used, seconds=None)
            if rescoring:
                await rescoring.prepare()
            name, context = await services.db.read(self._read, params, options, lane, rescoring)
        took = round((time.perf_counter() - began) * 1000, 1)
        told = answer(context, shown=params.flag("shown"))
        return {
            **told,
            "scope": name,
            "meaning": state,
            **_relevance(options, rescoring),
            "elapsed_ms": took,
        }

    def _read(
        self,
        connection: Connection,
        params: Params,
        options: RecallOptions,
        lane: Lane,
        rescoring: Rescoring | None,
    ) -> tuple[str, Context]:
        services = self._services
        where = scope.of(connection, params)
        question = Question(
            text=params.text("query"),
            mode="hybrid" if lane.vector is not None else "keyword",
            project_ids=where.projects,
            since_ms=options.since_ms,
            until_ms=options.until_ms,
        )
        history = IndexedHistory(connection, question, lane, services.marks)
        rescore = rescoring.scores if rescoring else None
        return where.name, recalling.recall(question.text, history, options, services.counter, rescore)


def _relevance(options: RecallOptions, rescoring: Rescoring | None) -> dict[str, str]:
    """What ranked: what was asked for, or hybrid where there is no cross-encoder; and the state of that."""
    if rescoring is None:
        return {"relevance": options.relevance, "cross_encoder": meaning.NOT_ASKED_FOR}
    used = "semantic" if rescoring.state == ON else "hybrid"
    return {"relevance": used, "cross_encoder": rescoring.state}


def _options(params: Params, services: Services) -> RecallOptions:
    now_ms = services.clock.now_ms()
    since, until = params.maybe_text("since"), params.maybe_text("until")
    return RecallOptions(
        budget=params.maybe_integer("budget") or services.default_budget,
        coverage=params.text("coverage"),
        requests=not params.flag("no_requests"),
        preferences=not params.flag("no_preferences"),
        conflicts=not params.flag("no_conflicts"),
        relevance=params.text("relevance"),
        tz=services.tz,
        since_ms=parse_when(since, now_ms) if since else None,
        until_ms=parse_when(until, now_ms) if until else None,
        explain=params.flag("explain"),
    )


def answer(context: Context, *, shown: bool = False) -> dict[str, object]:
    """A context as the wire has it; with ``shown`` each turn with what of it stands in the text."""
    told: dict[str, object] = {
        "query": context.query,
        "text": context.text,
        "tokens": context.tokens,
        "budget": context.budget,
        "counter": context.counter,
        "history_tokens": context.history_tokens,
        "history_exact": context.history_exact,
        "turns": _turns(context.turns, shown),
        "requests": _turns(context.requests, shown),
        "preferences": _turns(context.preferences, shown),
        "conflicts": _turns(context.conflicts, shown),
        "sessions_total": context.sessions_total,
        "sessions_kept": context.sessions_kept,
        "note": context.note,
    }
    if context.explanation is not None:
        told["explanation"] = context.explanation.to_dict()
        told["reasons"] = dict(REASONS)
    return told


def _turns(recalled: Sequence[RecalledTurn], shown: bool) -> list[dict[str, object]]:
    return [
        {
            "id": one.turn.id,
            "role": one.turn.role,
            "created_at": None if one.turn.at_ms is None else iso(one.turn.at_ms),
            "partial": one.partial,
            "score": one.score,
            **(_shown(one) if shown else {}),
        }
        for one in recalled
    ]


def _shown(one: RecalledTurn) -> dict[str, object]:
    turn = one.turn
    return {
        "text": one.shown,
        "project": turn.project,
        "session_id": turn.session,
        "agent_id": turn.agent,
    }
