"""Turn memory behind the methods and answers that programs written for Mem0 know.

What is added stays word for word: nothing is inferred, so ``infer``, ``prompt`` and ``memory_type`` change nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from memd.api.messages import Message
from memd.api.turns import Memory
from memd.turns.store import MemoryItem, MemoryStore, Scope

Json = dict[str, object]
IDS = ("user_id", "agent_id", "run_id")
TOP = 20  # results, unless another number is asked for


class Mem0Memory:
    """A memory as Mem0's. ``memory`` is a `Memory`, or what one can be made of: a store, a path, None."""

    def __init__(self, memory: Memory | MemoryStore | str | os.PathLike[str] | None = None) -> None:
        self.memory = memory if isinstance(memory, Memory) else Memory(memory)

    def add(
        self,
        messages: Message | Sequence[Message],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, object] | None = None,
        timestamp: object = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> Json:
        """Store messages; ``results`` has one ADD a turn. ValueError where nobody is named."""
        added = self.memory.add(
            messages,
            user_id=user_id,
            agent_id=agent_id,
            run_id=run_id,
            timestamp=timestamp,
            metadata=metadata,
        )
        events = [{"id": one.id, "memory": one.content, "event": "ADD", "role": one.role} for one in added]
        return {"results": events}

    def search(
        self,
        query: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        filters: Mapping[str, object] | None = None,
        top_k: int = TOP,
        limit: int | None = None,
        threshold: float | None = None,
        rerank: bool = False,
        budget: int | None = None,
    ) -> Json:
        """The best turns as ``results``, and the text for a model as ``context``; ``rerank`` asks the model too."""
        scope = _scope(filters, user_id=user_id, agent_id=agent_id, run_id=run_id)
        found = self.memory.search(
            query,
            user_id=scope.user_id,
            agent_id=scope.agent_id,
            run_id=scope.run_id,
            budget=budget,
            relevance="semantic" if rerank else None,
        )
        best = sorted(found.turns, key=lambda one: -one.score)[: top_k if limit is None else limit]
        near = [one for one in best if threshold is None or one.score >= threshold]
        return {"results": [_shown(one.item) | {"score": one.score} for one in near], "context": found.text}

    def get(self, memory_id: str) -> Json | None:
        """One turn; None where there is none by that id."""
        item = self.memory.get(memory_id)
        return None if item is None else _shown(item)

    def get_all(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        filters: Mapping[str, object] | None = None,
        limit: int | None = None,
        top_k: int | None = None,
    ) -> Json:
        """The turns of a scope as ``results``, oldest first."""
        scope = _scope(filters, user_id=user_id, agent_id=agent_id, run_id=run_id)
        found = self.memory.get_all(user_id=scope.user_id, agent_id=scope.agent_id, run_id=scope.run_id)
        return {"results": [_shown(one) for one in found[: limit if top_k is None else top_k]]}

    def update(self, memory_id: str, data: str, metadata: Mapping[str, object] | None = None) -> Json:
        """Give a turn another text. ValueError where there is none by that id."""
        if self.memory.update(memory_id, data, metadata=metadata) is None:
            raise ValueError(f"there is no memory {memory_id!r}")
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> Json:
        """Delete a turn. ValueError where there is none by that id."""
        if not self.memory.delete(memory_id):
            raise ValueError(f"there is no memory {memory_id!r}")
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> Json:
        """Delete every turn of a scope. ValueError where nobody is named."""
        self.memory.delete_all(user_id=user_id, agent_id=agent_id, run_id=run_id)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[Json]:
        """That a turn was added, and when it last changed; what it said before is not kept."""
        item = self.memory.get(memory_id)
        if item is None:
            return []
        added: Json = {
            "memory_id": item.id,
            "event": "ADD",
            "old_memory": None,
            "new_memory": None if item.updated_at else item.content,
            "created_at": item.created_at.isoformat(),
            "updated_at": None,
            "is_deleted": False,
        }
        if item.updated_at is None:
            return [added]
        changed = {"event": "UPDATE", "new_memory": item.content, "updated_at": item.updated_at.isoformat()}
        return [added, added | changed]


def _scope(filters: Mapping[str, object] | None, **ids: str | None) -> Scope:
    """Whose turns are meant, by arguments and filters. ValueError for a filter on anything else."""
    for name, value in (filters or {}).items():
        if name not in IDS or not isinstance(value, str):
            raise ValueError(f"a filter on {name!r} is not known; use {', '.join(IDS)} with one text each")
        if ids[name] not in (None, value):
            raise ValueError(f"{name} is asked to be {ids[name]!r} and, by the filter, {value!r}")
        ids[name] = value
    return Scope(**ids)


def _shown(item: MemoryItem) -> Json:
    """A turn as Mem0 shows a memory."""
    plain = item.to_dict()
    same = {name: plain[name] for name in ("id", "role", "metadata", "created_at", "updated_at", *IDS)}
    return {"memory": item.content} | same
