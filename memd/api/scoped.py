"""A memory held to one scope: what is not of it cannot be read, changed or deleted, whatever id is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memd.turns.store import MemoryItem, Scope

if TYPE_CHECKING:
    from memd.api.found import MemoryContext
    from memd.api.messages import Message
    from memd.api.turns import Memory


class ScopedMemory:
    """A `Memory` for one user, agent or run alone: what a program hands to those who may name ids but not whose."""

    def __init__(self, memory: Memory, scope: Scope) -> None:
        self._memory, self.scope = memory, scope

    def add(
        self,
        messages: Message | Sequence[Message],
        *,
        timestamp: object = None,
        metadata: Mapping[str, object] | None = None,
    ) -> list[MemoryItem]:
        """Store turns in the scope."""
        scope = self.scope
        return self._memory.add(
            messages,
            user_id=scope.user_id,
            agent_id=scope.agent_id,
            run_id=scope.run_id,
            timestamp=timestamp,
            metadata=metadata,
        )

    def search(
        self,
        query: str,
        *,
        budget: int | None = None,
        since: object = None,
        until: object = None,
        explain: bool = False,
    ) -> MemoryContext:
        """What of the scope answers the question."""
        scope = self.scope
        return self._memory.search(
            query,
            user_id=scope.user_id,
            agent_id=scope.agent_id,
            run_id=scope.run_id,
            budget=budget,
            since=since,
            until=until,
            explain=explain,
        )

    def get_all(self, *, since: object = None, until: object = None) -> list[MemoryItem]:
        """Every turn of the scope, oldest first."""
        scope = self.scope
        return self._memory.get_all(
            user_id=scope.user_id, agent_id=scope.agent_id, run_id=scope.run_id, since=since, until=until
        )

    def get(self, memory_id: str) -> MemoryItem | None:
        """One turn; None where the scope has none by that id."""
        item = self._memory.get(memory_id)
        return item if item and self.scope.matches(item.user_id, item.agent_id, item.run_id) else None

    def update(
        self, memory_id: str, content: str | None = None, *, metadata: Mapping[str, object] | None = None
    ) -> MemoryItem | None:
        """Correct a turn; None where the scope has none by that id."""
        return self._memory.update(memory_id, content, metadata=metadata) if self.get(memory_id) else None

    def delete(self, memory_id: str) -> bool:
        """Delete a turn; False where the scope has none by that id."""
        return self.get(memory_id) is not None and self._memory.delete(memory_id)

    def delete_all(self) -> int:
        """Delete every turn of the scope; how many there were."""
        return self._memory.delete_all(
            user_id=self.scope.user_id, agent_id=self.scope.agent_id, run_id=self.scope.run_id
        )
