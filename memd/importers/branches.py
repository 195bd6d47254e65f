"""The tree of a transcript, and which turns a rewind left behind.

A prompt hangs, past notices, off an anchor: a reply, another turn, a tool result or a compact boundary. Of prompts
that share an anchor, with no boundary between them in the file, the last is current; the earlier ones and all that
hangs below them are on other branches. Nothing else ever is.

Records come in file order and each is settled as it comes, so that a file read as it grows and one read at once end
alike. Anchors are the roots of a union-find forest (a notice leads to its parent's, the records of one reply to the
first of them): a parent that turns up late only ever joins anchors, so a turn once left behind stays so.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Self

from memd.importers import chunks
from memd.importers.chunks import Node

NONE = -1


class Kind(IntEnum):
    """What a record is to the tree."""

    NOTICE = 0  # walked over
    ANCHOR = 1  # a reply, a tool result, a turn that is no prompt
    BOUNDARY = 2  # of a compaction
    PROMPT = 3  # a user turn of a user record: the only kind that can replace another


NOTICE, ANCHOR, BOUNDARY, PROMPT = Kind  # as plain names, which every Python is quick to look up


class Branches:
    """The tree so far."""

    def __init__(self) -> None:
        self._nodes: dict[str, int] = {}
        self._kinds = bytearray()
        self._parents = array("i")
        self._children = array("i")  # the youngest child of a node ...
        self._siblings = array("i")  # ... and the one before a child
        self._roots = array("i")  # union-find: one step nearer to the anchor
        self._turns: list[str | None] = []
        self._left = bytearray()
        self._replies: dict[str, int] = {}  # the first record of each reply
        self._orphans: dict[str, list[int]] = {}  # nodes by the parent that no record was met for
        self._epoch = 0  # boundaries so far
        self._epochs: dict[int, int] = {}  # of prompts
        self._current: dict[int, dict[int, int]] = {}  # the current prompt by anchor and epoch
        self._hidden: list[str] = []
        self._told = 0
        self._fresh: list[Node] = []

    def __contains__(self, uuid: object) -> bool:
        """True where a record, or a turn, of that id was added."""
        return uuid in self._nodes

    @property
    def hidden(self) -> tuple[str, ...]:
        """The ids of all turns on other branches."""
        return tuple(self._hidden)

    @property
    def hidden_count(self) -> int:
        """How many turns are on other branches."""
        return len(self._hidden)

    def add(
        self,
        uuid: str | None,
        parent: str | None,
        kind: int,
        *,
        reply: str | None = None,
        turn: str | None = None,
    ) -> None:
        """Take in the next record of the file. ``reply`` is the id its records share, ``turn`` the id of its turn."""
        above = self._nodes.get(parent, NONE) if parent is not None else NONE
        first = self._replies.get(reply, NONE) if reply is not None else NONE
        self._fresh.append((uuid, parent if above < 0 else above, kind, reply if first < 0 else first, turn))
        self._place(uuid, parent, above, kind, reply, first, turn)

    def take(self) -> tuple[list[str], bytes]:
        """The turns left behind since the last call, and the nodes added since then, packed."""
        hidden, self._told = self._hidden[self._told :], len(self._hidden)
        fresh, self._fresh = self._fresh, []
        return hidden, chunks.pack(fresh)

    @classmethod
    def load(cls, packed: Iterable[bytes]) -> Self:
        """The tree whose nodes were packed, chunk by chunk."""
        tree = cls()
        for chunk in packed:
            for uuid, parent, kind, reply, turn in chunks.unpack(chunk):
                tree._place(uuid, *_split(parent), kind, *_split(reply), turn)
        tree._told = len(tree._hidden)
        return tree

    def copy(self) -> Self:
        """An independent copy."""
        twin = type(self)()
        for name, value in vars(self).items():
            setattr(
                twin, name, value if isinstance(value, int) else value[:] if name in _FLAT else value.copy()
            )
        twin._orphans = {uuid: nodes.copy() for uuid, nodes in self._orphans.items()}
        twin._current = {root: epochs.copy() for root, epochs in self._current.items()}
        return twin

    def _place(
        self,
        uuid: str | None,
        parent: str | None,
        above: int,
        kind: int,
        reply: str | None,
        first: int,
        turn: str | None,
    ) -> None:
        node = len(self._turns)
        self._kinds.append(kind)
        self._parents.append(NONE)
        self._children.append(NONE)
        self._siblings.append(NONE)
        self._roots.append(first if first >= 0 else node)
        self._turns.append(turn)
        self._left.append(0)
        if reply is not None and first < 0:
            self._replies[reply] = node
        if kind == PROMPT:
            self._epochs[node] = self._epoch
        elif kind == BOUNDARY:
            self._epoch += 1
        if above >= 0:
            self._link(node, above)
        elif parent is not None and parent != uuid:
            self._orphans.setdefault(parent, []).append(node)
        if turn is not None:
            self._nodes.setdefault(turn, node)
        if uuid is not None:
            self._nodes.setdefault(uuid, node)
            for child in self._orphans.pop(uuid, ()):
                self._link(child, node)

    def _link(self, node: int, parent: int) -> None:
        """Hang a node below its parent, with all that follows from it."""
        self._parents[node] = parent
        self._siblings[node] = self._children[parent]
        self._children[parent] = node
        kind = self._kinds[node]
        if kind == NOTICE:
            self._join(node, self._root(parent))
        elif kind == PROMPT:
            self._compete(self._root(parent), node)
        if self._left[parent]:
            self._leave(node)

    def _root(self, node: int) -> int:
        roots = self._roots
        while roots[node] != node:
            roots[node] = node = roots[roots[node]]
        return node

    def _join(self, notice: int, root: int) -> None:
        """A notice that ended a chain leads on to ``root`` now; prompts that hung off it hang off that one."""
        self._roots[notice] = root
        for prompt in self._current.pop(notice, {}).values() if notice != root else ():
            self._compete(root, prompt)

    def _compete(self, root: int, prompt: int) -> None:
        """The later of two prompts of one anchor and epoch leaves the earlier one behind."""
        prompts = self._current.setdefault(root, {})
        epoch = self._epochs[prompt]
        other = prompts.get(epoch, prompt)
        older, newer = min(other, prompt), max(other, prompt)
        prompts[epoch] = newer
        if older != newer and not self._below(newer, older):
            self._leave(older)

    def _below(self, node: int, above: int) -> bool:
        """True where the walk up from ``node`` meets ``above``: then it goes on from it, and replaces nothing.

        One reply's records may have a prompt between them, so two prompts of one anchor need not be rivals.
        """
        while node > above:
            parent = self._parents[node]
            if parent >= node:
                return False
            node = parent
        return node == above

    def _leave(self, top: int) -> None:
        """Mark a node and everything below it."""
        waiting = [top]
        while waiting:
            node = waiting.pop()
            if self._left[node]:
                continue
            self._left[node] = 1
            turn = self._turns[node]
            if turn is not None:
                self._hidden.append(turn)
            waiting.extend(self._below_directly(node))

    def _below_directly(self, node: int) -> Iterator[int]:
        child = self._children[node]
        while child >= 0:
            yield child
            child = self._siblings[child]


def _split(reference: int | str | None) -> tuple[str | None, int]:
    """The id of a node that is not known yet, or the number of one that is."""
    return (None, reference) if isinstance(reference, int) else (reference, NONE)


_FLAT = frozenset(
    {"_kinds", "_parents", "_children", "_siblings", "_roots", "_turns", "_left", "_hidden", "_fresh"}
)
