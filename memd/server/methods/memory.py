"""The methods that write curated memory: remember, supersede, merge, retire, delete, reviewed; and review.

Everything they do stands in the undo journal. No answer waits for a model that does not come: what is stored without
vectors gets them from the job that looks for such entries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memd.db import journal
from memd.db.driver import Connection
from memd.memory import review, writer
from memd.memory.entry import LEAST, MOST, TYPES, USUAL, Draft, Source
from memd.memory.meaning import Meaning
from memd.server import holding, meaning, outcomes, records, which
from memd.server.dispatch import Call, Method
from memd.server.outcomes import Outcome
from memd.server.params import Params, choice, integer, listing, text
from memd.services import Services
from memd.turns import read
from memd.turns import table as turns
from memd.turns.redact import Redacted, redact

TEXT_BYTES = 16 << 10


class Memory:
    """Changes entries, and tells what became of them."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        content = {"text": text(most=TEXT_BYTES), "importance": integer(LEAST, MOST, optional=True)}
        one, many = {"id": integer(1)}, {"ids": listing(integer(1), least=1, most=100)}
        return {
            "remember": Method(
                self.remember,
                {
                    **content,
                    "type": choice(*TYPES, default="fact"),
                    "session": text(optional=True),
                    "turns": listing(text(), most=100, optional=True),
                    **holding.FIELDS,
                },
            ),
            "supersede": Method(self.supersede, {**one, **content}),
            "merge": Method(self.merge, {**many, **content}),
            "retire": Method(self.retire, one),
            "delete": Method(self.delete, one),
            "reviewed": Method(self.reviewed, many),
            "review": Method(self.review, {"limit": integer(1, 1000, default=10), **which.FIELDS}),
        }

    async def remember(self, call: Call) -> Mapping[str, object]:
        """Store an entry, or count a sighting of the one that says so already; what it may contradict."""
        params, services = call.params, self._services

        def store(connection: Connection, said: Redacted, vectors: Meaning | None) -> Mapping[str, object]:
            draft = Draft(
                said.text,
                params.text("type"),  # type: ignore[arg-type]  # the schema's choice
                params.maybe_integer("importance") or USUAL,
                holding.of(connection, params),
                _sources(connection, params),
            )
            return self._recorded(
                connection,
                lambda: writer.store(
                    connection, draft, vectors, services.clock.now_ms(), services.thresholds, by_hand=True
                ),
            )

        return await self._written(params, store)

    async def supersede(self, call: Call) -> Mapping[str, object]:
        """Put a new entry in the place of one."""
        params, now_ms = call.params, self._services.clock.now_ms()

        def work(connection: Connection, said: Redacted, vectors: Meaning | None) -> Mapping[str, object]:
            old, weight = params.integer("id"), params.maybe_integer("importance")
            return self._recorded(
                connection, lambda: writer.supersede(connection, old, said.text, vectors, now_ms, weight)
            )

        return await self._written(params, work)

    async def merge(self, call: Call) -> Mapping[str, object]:
        """Put a new entry in the place of several."""
        params, now_ms = call.params, self._services.clock.now_ms()

        def work(connection: Connection, said: Redacted, vectors: Meaning | None) -> Mapping[str, object]:
            ids, weight = params.integers("ids"), params.maybe_integer("importance")
            return self._recorded(
                connection, lambda: writer.merge(connection, ids, said.text, vectors, now_ms, weight)
            )

        return await self._written(params, work)

    async def retire(self, call: Call) -> Mapping[str, object]:
        """Let an entry hold no longer."""
        now_ms = self._services.clock.now_ms()
        return await self._changed(lambda c: writer.retire(c, call.params.integer("id"), now_ms))

    async def delete(self, call: Call) -> Mapping[str, object]:
        """Remove an entry; `undo` brings it back, unlike one that was forgotten."""
        return await self._changed(lambda c: writer.delete(c, call.params.integer("id")))

    async def reviewed(self, call: Call) -> Mapping[str, object]:
        """Note of entries that they hold still; what became of each."""
        ids, now_ms = list(dict.fromkeys(call.params.integers("ids"))), self._services.clock.now_ms()

        def work(connection: Connection) -> Mapping[str, object]:
            done, change = journal.record(
                connection,
                lambda done: (
                    "reviewed " + ", ".join(str(one.id) for one in done if isinstance(one, writer.Reviewed))
                ),
                now_ms,
                lambda: [writer.review(connection, one, now_ms) for one in ids],
            )
            return {"results": [outcomes.record(connection, one) for one in done], "change": change}

        return await self._services.db.write(work)

    async def review(self, call: Call) -> Mapping[str, object]:
        """The entries that are important and fading."""
        params, now_ms, options = call.params, self._services.clock.now_ms(), self._services.review

        def work(connection: Connection) -> Mapping[str, object]:
            asked, name = which.find(connection, params, now_ms)
            found = review.due(connection, asked, now_ms, params.integer("limit"), options)
            due = [{**records.of_entry(one.entry), "recall": round(one.recall, 4)} for one in found]
            return {"due": due, "scope": name}

        return await self._services.db.read(work)

    async def _written(
        self, params: Params, work: Callable[[Connection, Redacted, Meaning | None], Mapping[str, object]]
    ) -> Mapping[str, object]:
        """What ``work`` makes of the text that was given, without its secrets and with its meaning."""
        services = self._services
        said = redact(params.text("text").strip())

        def write(connection: Connection, vectors: Meaning | None) -> Mapping[str, object]:
            turns.count_redactions(connection, said.counts)
            return work(connection, said, vectors)

        with services.governor.question():
            answer = await services.db.write(write, await meaning.of_text(services, said.text))
        services.queue.wake()
        return {**answer, "redacted": dict(said.counts)}

    async def _changed(self, act: Callable[[Connection], Outcome]) -> Mapping[str, object]:
        return await self._services.db.write(lambda c: self._recorded(c, lambda: act(c)))

    def _recorded(self, connection: Connection, act: Callable[[], Outcome]) -> Mapping[str, object]:
        done, change = journal.record(connection, outcomes.change, self._services.clock.now_ms(), act)
        if change is not None:
            self._services.embed_soon(connection)
        return {**outcomes.record(connection, done), "change": change}


def _sources(connection: Connection, params: Params) -> list[Source]:
    """The turns and the session that an entry rests on; NotFound where one is not there."""
    session = params.maybe_text("session")
    found = [Source("turn", read.turn_id(connection, turn)) for turn in params.texts("turns")]
    return [*found, *([Source("session", read.session_key(connection, session))] if session else [])]
