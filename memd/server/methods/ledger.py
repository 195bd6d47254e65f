"""The method ``ledger``: what the language model was asked for, what it took, and what is left of today's budget."""

from __future__ import annotations

from collections.abc import Mapping

from memd.clock import iso, parse_when
from memd.db.driver import Connection
from memd.ledger import budget, table
from memd.ledger.budget import Spent
from memd.ledger.call import Call as Entry
from memd.server.dispatch import Call, Method
from memd.server.params import integer, text
from memd.services import Services


class Ledger:
    """Answers ``ledger``."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        schema = {"since": text(optional=True), "limit": integer(1, 1000, default=50)}
        return {"ledger": Method(self.ledger, schema)}

    async def ledger(self, call: Call) -> Mapping[str, object]:
        """The newest calls first, and the sums of today (UTC)."""
        now_ms, since = self._services.clock.now_ms(), call.params.maybe_text("since")
        since_ms = parse_when(since, now_ms) if since else 0

        def work(connection: Connection) -> tuple[list[Entry], Spent]:
            found = table.listing(connection, since_ms=since_ms, limit=call.params.integer("limit"))
            return found, table.spent(connection, now_ms)

        found, spent = await self._services.db.read(work)
        return {"calls": [_record(one) for one in found], "today": self._today(spent, now_ms)}

    def _today(self, spent: Spent, now_ms: int) -> Mapping[str, object]:
        caps = self._services.llm_caps
        return {
            "tokens": spent.tokens,
            "money": round(spent.money, 6),
            "cap_tokens": caps.tokens,
            "cap_money": caps.money,
            "until": iso(budget.begin_of(now_ms) + budget.DAY_MS),
        }


def _record(one: Entry) -> Mapping[str, object]:
    return {
        "id": one.id,
        "at": iso(one.at_ms),
        "job": one.job,
        "purpose": one.purpose,
        "model": one.model,
        "input_tokens": one.tokens.input,
        "cached_tokens": one.tokens.cached,
        "output_tokens": one.tokens.output,
        "price": None if one.price is None else round(one.price, 9),
        "result": one.result,
    }
