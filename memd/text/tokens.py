"""How many tokens a text takes before a model, and how much of a text a budget of tokens holds.

A ``Counter`` names itself, so that an answer can say what it was counted with. ``fits`` and ``cut`` count only where
the length of a text in bytes does not decide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Protocol

from memd.text import cjk
from memd.text.cl100k import Cl100k, Unavailable

# Scripts without spaces may be cut behind every character.
_WORD = re.compile(rf"{cjk.CHARACTER}|(?:(?!{cjk.CHARACTER})\S)+")
_BYTES_A_TOKEN = 4


class Counter(Protocol):
    """Counts tokens: the same number for the same text, always; 0 for an empty one. For any thread."""

    @property
    def name(self) -> str:
        """What is counted with, for whoever reads the answer."""
        ...

    def count(self, text: str) -> int:
        """How many tokens the text is."""
        ...

    def at_most(self, text: str) -> int:
        """A bound that ``count`` never goes over, at next to no cost."""
        ...

    @property
    def ready(self) -> bool:
        """Whether ``count`` can begin at once: nothing has to be loaded first."""
        ...

    def release_if_idle(self, now: float, idle_s: float) -> bool:
        """Give memory back if nothing was counted between this call and one at least ``idle_s`` earlier; True if so."""
        ...

    def release(self) -> bool:
        """Give memory back now; what is counted next brings it back. True if there was any."""
        ...


@dataclass(frozen=True, slots=True)
class Estimate:
    """A token for every four bytes begun: near enough on the whole, and as quick as it gets."""

    name: str = "bytes/4"
    ready: bool = True

    def count(self, text: str) -> int:
        return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_A_TOKEN)

    at_most = count

    def release_if_idle(self, now: float, idle_s: float) -> bool:
        return False

    def release(self) -> bool:
        return False


@dataclass(slots=True)
class Offline:
    """cl100k_base where it can be loaded, else the estimate; which of them is found out once."""

    exact: Cl100k = field(default_factory=Cl100k)
    fault: str | None = None  # why it is the estimate
    _chosen: Counter | None = None

    @property
    def name(self) -> str:
        return self._counter().name

    @property
    def ready(self) -> bool:
        return self._chosen is not None and self._chosen.ready

    def count(self, text: str) -> int:
        return self._counter().count(text)

    def at_most(self, text: str) -> int:
        return self.exact.at_most(text)

    def release_if_idle(self, now: float, idle_s: float) -> bool:
        return self.exact.release_if_idle(now, idle_s)

    def release(self) -> bool:
        return self.exact.release()

    def _counter(self) -> Counter:
        if self._chosen is None:
            try:
                self.exact.load()
                self._chosen = self.exact
            except Unavailable as error:
                self.fault = str(error)
                self._chosen = Estimate()
        return self._chosen


@dataclass(frozen=True, slots=True)
class Scaled:
    """Another counter's tokens times a factor, rounded up: for models that make more of the same text."""

    counter: Counter
    factor: float

    def __post_init__(self) -> None:
        if not 1 <= self.factor <= 10:
            raise ValueError(f"a token factor lies between 1 and 10, not at {self.factor:g}")

    @property
    def name(self) -> str:
        return f"{self.counter.name} x {self.factor:g}"

    @property
    def ready(self) -> bool:
        return self.counter.ready

    def count(self, text: str) -> int:
        return self._scaled(self.counter.count(text))

    def at_most(self, text: str) -> int:
        return self._scaled(self.counter.at_most(text))

    def release_if_idle(self, now: float, idle_s: float) -> bool:
        return self.counter.release_if_idle(now, idle_s)

    def release(self) -> bool:
        return self.counter.release()

    def _scaled(self, tokens: int) -> int:
        return -(-tokens * round(self.factor * 1000) // 1000)


@dataclass(frozen=True, slots=True)
class Bound:
    """Another counter's bound, as a count: what fits by it fits, and nothing has to be loaded."""

    counter: Counter
    ready: bool = True

    @property
    def name(self) -> str:
        return f"at most {self.counter.name}"

    def count(self, text: str) -> int:
        return self.counter.at_most(text)

    at_most = count

    def release_if_idle(self, now: float, idle_s: float) -> bool:
        return False

    def release(self) -> bool:
        return False


def fits(text: str, budget: int, counter: Counter) -> bool:
    """Whether the text takes at most ``budget`` tokens."""
    return counter.at_most(text) <= budget or counter.count(text) <= budget


def cut(text: str, budget: int, counter: Counter) -> str:
    """The longest beginning of whole words that takes at most ``budget`` tokens; empty where the first does not fit.

    The text as it is when all of it fits. The cost depends on the budget, not on the length of the text.
    """
    length = max(budget, 1) * _BYTES_A_TOKEN
    while length < len(text) and fits(text[:length], budget, counter):
        length *= 2
    if length >= len(text) and fits(text, budget, counter):
        return text
    ends = [match.end() for match in _WORD.finditer(text, 0, length)]
    fitting, beyond = 0, len(ends) + 1
    while beyond - fitting > 1:
        middle = (fitting + beyond) // 2
        if fits(text[: ends[middle - 1]], budget, counter):
            fitting = middle
        else:
            beyond = middle
    return text[: ends[fitting - 1]] if fitting else ""
