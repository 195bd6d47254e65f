"""The method observe: what sessions would cost to be read by the language model, what would be sent; and that it is."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from memd.clock import parse_when
from memd.db.driver import Connection
from memd.errors import BadRequest, Degraded
from memd.jobs import kinds
from memd.ledger import estimate, prices
from memd.ledger.call import Tokens
from memd.server import scope
from memd.server.dispatch import Call, Method
from memd.server.params import choice, text
from memd.services import Services
from memd.sources import capture
from memd.turns import passed_over, read, unobserved
from memd.turns.redact import redact

MOST_SESSIONS = 1_000
MOST_TURNS = 100_000  # of a session
SHOWN_BYTES = 4 << 20  # of what would be sent


class Observing:
    """Has sessions read that nobody asked for by themselves."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        schema = {
            "session": text(optional=True),
            "project": text(optional=True, most=16 << 10),
            "since": text(optional=True),
            "stage": choice("cost", "dry_run", "now", default="cost"),
        }
        return {"observe": Method(self.observe, schema, seconds=None)}

    async def observe(self, call: Call) -> Mapping[str, object]:
        """The sessions that are meant with what reading them costs at most; the prompts; or the jobs that read them."""
        chosen, excluded = await self._chosen(call)
        return {**await self._answered(call, chosen), "excluded": excluded}

    async def _answered(self, call: Call, chosen: Sequence[tuple[int, str]]) -> Mapping[str, object]:
        match call.params.text("stage"):
            case "dry_run":
                return {"prompts": await asyncio.to_thread(self._prompts, chosen)}
            case "now":
                if self._services.llm is None:
                    raise Degraded(
                        "no language model is configured: set ANTHROPIC_API_KEY, or llm.provider (memctl config list)"
                    )
                return {"jobs": [await self._enqueue(row, key) for row, key in chosen]}
        return await asyncio.to_thread(self._cost, chosen)

    async def _enqueue(self, row: int, session: str) -> int:
        """The job; it is another than that of the schedule, which leaves history alone."""
        await self._services.db.write(passed_over.ask_again, row)
        return await self._services.queue.enqueue(kinds.OBSERVE, f"{session} by hand", {"session": session})

    async def _chosen(self, call: Call) -> tuple[list[tuple[int, str]], list[Mapping[str, object]]]:
        """The sessions that are meant, as far as there is something new in them; those whose project is excluded."""
        found = await self._services.db.read(_sessions, call, self._services.clock.now_ms())
        chosen, excluded = list[tuple[int, str]](), list[Mapping[str, object]]()
        for row, key, project in found:
            folder = project and await asyncio.to_thread(self._services.exclusions.covering, project)
            if folder is None:
                chosen.append((row, key))
            else:
                excluded.append({"id": key, "project": project, "folder": folder})
        return chosen, excluded

    def _parts(self, row: int) -> list[capture.Stretch]:
        spoken = self._services.db.read_now(unobserved.turns, row, MOST_TURNS)
        again = self._services.db.read_now(passed_over.parts, row)
        return [part for some in (spoken, again) for part in capture.stretches(some, self._services.counter)]

    def _cost(self, chosen: Sequence[tuple[int, str]]) -> Mapping[str, object]:
        sessions, tokens = list[Mapping[str, object]](), Tokens(0, 0, 0)
        for row, key in chosen:
            parts = self._parts(row)
            of = [
                estimate.of((capture.SYSTEM, part.prompt), capture.ANSWER_TOKENS, self._services.counter)
                for part in parts
            ]
            tokens = Tokens(
                tokens.input + sum(one.input for one in of), 0, tokens.output + sum(one.output for one in of)
            )
            sessions.append(
                {"id": key, "calls": len(parts), "turns": len({t for p in parts for t in p.turns})}
            )
        model = self._services.llm.model if self._services.llm else None
        return {
            "sessions": sessions,
            "calls": sum(int(str(one["calls"])) for one in sessions),
            "input_tokens": tokens.input,
            "output_tokens": tokens.output,
            "price": prices.dollars(model, tokens) if model else None,
            "model": model,
        }

    def _prompts(self, chosen: Sequence[tuple[int, str]]) -> list[Mapping[str, object]]:
        found, left = list[Mapping[str, object]](), SHOWN_BYTES
        for row, key in chosen:
            for part in self._parts(row):
                sent = {"session": key, "system": capture.SYSTEM, "prompt": redact(part.prompt).text}
                left -= len(sent["system"].encode()) + len(sent["prompt"].encode())
                if left < 0:
                    raise BadRequest("that is too much to be shown at once: name a --session")
                found.append(sent)
        return found


def _sessions(connection: Connection, call: Call, now_ms: int) -> list[tuple[int, str, str | None]]:
    """Rows, ids and projects of the sessions that a call means, that have turns which were not read yet."""
    session, project, since = (call.params.maybe_text(name) for name in ("session", "project", "since"))
    if session is None and project is None and since is None:
        raise BadRequest("which sessions? give a session, a project or a time since which they were held")
    parts, values = list[str](), list[int | str]()
    if session is not None:
        parts.append("s.key = ?")
        values.append(read.session_key(connection, session))
    if project is not None:
        row = scope.project(connection, project)
        if row is None:
            raise scope.unknown(project)
        parts.append("s.project_id = ?")
        values.append(row)
    if since is not None:
        parts.append("s.last_ms >= ?")
        values.append(parse_when(since, now_ms))
    return unobserved.sessions(connection, " AND ".join(parts), values, MOST_SESSIONS, passed_over=True)
