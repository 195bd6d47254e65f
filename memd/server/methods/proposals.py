"""The methods of proposals: list and show what reflection would change in MEMORY.md, apply it, reject it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memd.clock import iso
from memd.db import journal
from memd.db.driver import Connection
from memd.memory import table as entries
from memd.reflection import decide, diff, memory_md, op, proposal_table
from memd.reflection.memory_md import Conflict
from memd.reflection.proposal import STATES, Proposal
from memd.server import meaning
from memd.server.dispatch import Call, Method
from memd.server.params import choice, integer, listing
from memd.services import Services


class Proposals:
    """Answers what is proposed, and does what is decided about it."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        some = {"ids": listing(integer(1), least=1, most=100)}
        state = {"state": choice(*STATES, optional=True), "limit": integer(1, 1000, default=100)}
        return {
            "proposals.list": Method(self.list, state),
            "proposals.show": Method(self.show, some),
            "proposals.apply": Method(self.apply, some),
            "proposals.reject": Method(self.reject, some),
        }

    async def list(self, call: Call) -> Mapping[str, object]:
        """Those in a state, by default the open ones, the oldest first."""
        state = call.params.maybe_text("state") or "open"
        found = await self._services.db.read(
            proposal_table.listing,
            [state],  # type: ignore[list-item]  # the schema's choice
            call.params.integer("limit"),
        )
        return {"proposals": [self._record(one) for one in found]}

    async def show(self, call: Call) -> Mapping[str, object]:
        """Proposals with their diff, the entries behind them, and why the file does not allow one now."""
        found, previews = await self._services.db.read(_found, call.params.integers("ids"))
        texts = {file: await self._text(file) for file in {one.file for one in found}}
        shown = [
            {
                **self._record(one),
                "diff": diff.render([one.op], previews),
                "conflict": _conflict(texts[one.file], one) if one.state == "open" else None,
            }
            for one in found
        ]
        return {"proposals": shown}

    async def _text(self, file: str) -> str | Conflict:
        """What a file holds; why it cannot be told."""
        try:
            return await self._services.curated.read(file)
        except Conflict as conflict:
            return conflict

    async def apply(self, call: Call) -> Mapping[str, object]:
        """Change the curated files and the entries as proposed: all of them or none."""
        services, numbers, now_ms = self._services, call.params.integers("ids"), self._services.clock.now_ms()
        texts = await services.db.read(decide.new_texts, numbers)
        meant = {text: found for text in texts if (found := await meaning.of_text(services, text))}

        def work(connection: Connection, held: Mapping[str, str]) -> Mapping[str, object]:
            done, change = decide.applied(connection, numbers, held, meant, now_ms)
            services.embed_soon(connection)
            return {"applied": done, "change": change}

        answer = await services.curated.change(work, await services.db.read(proposal_table.files, numbers))
        services.queue.wake()
        return answer

    async def reject(self, call: Call) -> Mapping[str, object]:
        """Set proposals aside: the same is not proposed again."""
        numbers, now_ms = call.params.integers("ids"), self._services.clock.now_ms()

        def work(connection: Connection) -> Mapping[str, object]:
            done, change = journal.record(
                connection,
                lambda done: f"reject {decide.listed(done)}",
                now_ms,
                lambda: decide.reject(connection, numbers, now_ms),
            )
            return {"rejected": done, "change": change}

        return await self._services.db.write(work)

    def _record(self, one: Proposal) -> dict[str, object]:
        return {
            "id": one.id,
            "op": op.name(one.op),
            "old": list(op.before(one.op)),
            "new": op.after(one.op),
            "entries": list(one.op.entries),
            "state": one.state,
            "project": one.project,
            "file": self._path(one.file),
            "file_of": one.file or None,
            "reflection": one.reflection,
            "created_at": iso(one.at_ms),
            "decided_at": None if one.decided_ms is None else iso(one.decided_ms),
        }

    def _path(self, file: str) -> str | None:
        """Where the file lies; None where it has no place now."""
        try:
            return str(self._services.curated.places.path(file))
        except Conflict:
            return None


def _found(connection: Connection, numbers: Sequence[int]) -> tuple[Sequence[Proposal], Mapping[int, str]]:
    """Proposals, and how the entries begin that are behind them."""
    found = [proposal_table.get(connection, number) for number in numbers]
    known = entries.by_ids(connection, sorted({entry for one in found for entry in one.op.entries}))
    return found, {entry: one.content[: diff.PREVIEW_CHARS] for entry, one in known.items()}


def _conflict(text: str | Conflict, one: Proposal) -> str | None:
    if isinstance(text, Conflict):
        return text.message
    try:
        memory_md.edited(text, one.op)
    except Conflict as conflict:
        return conflict.message
    return None
