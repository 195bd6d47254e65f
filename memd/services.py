"""What the upper floors are handed: the database, the embedder, the clock, the queue, and the list of troubles."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from typing import Protocol, TypeVar

from memd.clock import Clock, iso
from memd.db.database import Database
from memd.db.driver import Capabilities, Connection
from memd.db.vectors import Vectors
from memd.injection import options as injection
from memd.ledger.budget import Caps
from memd.memory import review, scoring
from memd.memory.dedup import Thresholds
from memd.providers.embedding.base import Embedder
from memd.providers.llm.base import LanguageModel
from memd.text.tokens import Counter
from memd.turns.marks import Marks

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that does not hold now, since when, and what to do. ``mild``: what is promised holds all the same."""

    name: str
    what: str
    since: str
    hint: str
    mild: bool = False


class Troubles:
    """The list behind ``status.degraded``: each trouble once, by its name, from its first to its last moment."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._open: dict[str, Trouble] = {}
        self._lock = threading.Lock()

    def raise_(self, name: str, what: str, hint: str, *, mild: bool = False) -> bool:
        """Note a trouble; True where it is new. What stands there under another name is not told twice."""
        with self._lock:
            if any(one.what == what for one in self._open.values() if one.name != name):
                return False
            known = self._open.get(name)
            since = known.since if known else iso(self._clock.now_ms())
            self._open[name] = Trouble(name, what, since, hint, mild)
            return known is None

    def clear(self, name: str) -> bool:
        """Strike a trouble off; True where it stood there."""
        with self._lock:
            return self._open.pop(name, None) is not None

    def all(self) -> list[Trouble]:
        """What does not hold now, oldest first."""
        with self._lock:
            return sorted(self._open.values(), key=lambda trouble: trouble.since)


@dataclass(slots=True)
class Synced:
    """What a scan that was asked for came to: files read, turns stored since, files it could not read."""

    files: int = 0
    turns: int = 0
    pending: int = 0


class Sources(Protocol):
    """The intake, as the server sees it."""

    @property
    def last_scan_at(self) -> float | None: ...

    @property
    def last_import_at(self) -> float | None: ...

    def rescan(self) -> Future[Synced]: ...

    def hint(self, paths: Iterable[bytes]) -> None: ...

    def behind(self) -> tuple[int, int]: ...

    def passed_over(self) -> Mapping[str, int]: ...

    def programs(self) -> Mapping[str, str]: ...


Enqueue = Callable[[Connection, str, str, Mapping[str, object] | None], int]


@dataclass(frozen=True, slots=True)
class InUse:
    """A vector space (its row) with the embedder that speaks it, and the setting that opened that."""

    space: int
    setting: str
    embedder: Embedder


class Embedding(Protocol):
    """The embedders in use: the one whose space answers, and one whose space is built to take its place.

    ``configured`` is the setting. It names the one that serves, but after a change of the setting or a reindex to
    another embedder, while the new space is built.
    """

    configured: str

    @property
    def serving(self) -> InUse | None: ...

    @property
    def building(self) -> InUse | None: ...

    def opened(self) -> Sequence[Embedder]: ...

    def begin(self, setting: str | None, enqueue: Enqueue) -> Awaitable[int]: ...

    def follow(self) -> Awaitable[None]: ...


class CrossEncoder(Protocol):
    """What reads a question and texts together. Where it is not there its calls raise ModelUnavailable."""

    name: str

    def check(self) -> str: ...

    def scores(self, query: str, texts: Sequence[str]) -> list[float]: ...

    def release_if_idle(self, now: float, idle_s: float) -> bool: ...

    def release(self) -> bool: ...

    def close(self) -> None: ...


class Governor(Protocol):
    """What memd may use of the machine, as those see it who work in the background and those who answer."""

    def question(self) -> AbstractContextManager[None]: ...

    def hurry(self) -> AbstractContextManager[None]: ...

    def turn(self, cpu_s: float) -> Awaitable[None]: ...

    def memory_mb(self) -> float: ...

    def figures(self) -> Mapping[str, object]: ...


class Queue(Protocol):
    """The worker, as the server sees it."""

    @property
    def last_finished_at(self) -> float | None: ...

    def enqueue(
        self, kind: str, key: str, payload: Mapping[str, object] | None = None, window_s: float = 0.0
    ) -> Awaitable[int]: ...

    def enqueue_in(
        self, connection: Connection, kind: str, key: str, payload: Mapping[str, object] | None
    ) -> int: ...

    def kinds(self) -> Sequence[str]: ...

    def wake(self, lane: str | None = None) -> None: ...

    def break_off(self, job_ids: Iterable[int]) -> None: ...


@dataclass(frozen=True, slots=True)
class ImportWish:
    """What to import, and within which bounds. ``limit``: at most so many new turns."""

    path: str
    format: str = "auto"
    since_ms: int | None = None
    until_ms: int | None = None
    limit: int | None = None
    dry_run: bool = False
    strict: bool = False
    redact: bool = True
    subagents: bool = False
    tool_output: bool = False
    user_id: str | None = None
    agent_id: str | None = None
    limits: Mapping[str, int] = field(default_factory=dict)  # those that are not as ever, by their names


Tell = Callable[[Mapping[str, object]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Settled:
    """One setting as ``config list`` shows it."""

    key: str
    value: object
    default: object
    origin: str
    doc: str
    allowed: str


class CuratedPlaces(Protocol):
    """Where the curated files lie."""

    def path(self, file: str) -> Path: ...


class CuratedFiles(Protocol):
    """MEMORY.md, and those of projects, with the decisions that stand in the database, as the server sees them."""

    @property
    def places(self) -> CuratedPlaces: ...

    async def read(self, file: str) -> str: ...

    async def change(
        self, work: Callable[[Connection, Mapping[str, str]], T], files: Collection[str]
    ) -> T: ...

    async def settle(self) -> Sequence[int]: ...


class Shared(Protocol):
    """The store that several machines share, as the server sees it. ``away_since``: None where it answers."""

    @property
    def away_since(self) -> str | None: ...

    def wake(self) -> None: ...

    def level(self) -> Awaitable[bool]: ...

    def figures(self) -> Awaitable[Mapping[str, object]]: ...


class Configuration(Protocol):
    """The settings, to look at and to change; a change counts from the next start."""

    def rows(self) -> Sequence[Settled]: ...

    def set(self, key: str, value: str) -> None: ...

    def change_list(self, key: str, changed: Callable[[Sequence[str]], Sequence[str]]) -> Sequence[str]: ...


class Exclusions(Protocol):
    """The folders whose sessions are passed over, as the server sees them."""

    @property
    def folders(self) -> Sequence[str]: ...

    def replace(self, folders: Sequence[str]) -> None: ...

    def cover(self, cwd: str) -> bool: ...

    def covering(self, cwd: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Services:
    """The frozen bundle."""

    db: Database
    clock: Clock
    troubles: Troubles
    capabilities: Capabilities
    embedding: Embedding
    llm: LanguageModel | None  # None: none is configured
    llm_caps: Caps
    cross_encoder: CrossEncoder
    governor: Governor
    vectors: Vectors
    marks: Marks
    query_thread: ThreadPoolExecutor
    sources: Sources
    queue: Queue
    configuration: Configuration
    curated: CuratedFiles
    exclusions: Exclusions
    shared: Shared | None  # None: no store is shared
    import_history: Callable[[ImportWish, Tell], Awaitable[Mapping[str, object]]]
    restore: Callable[[bool, Tell], Awaitable[Mapping[str, object]]]
    watch_mode: Callable[[], str]
    roots: Sequence[str]
    socket: str
    started_at: float
    embed_soon: Callable[[Connection], None]  # asks for vectors, in the transaction that stored what has none
    embed_rate: Callable[[], float]
    default_limit: int
    default_mode: str
    default_budget: int
    counter: Counter
    tz: tzinfo | None  # None: the machine's own
    subagents: bool
    thresholds: Thresholds
    review: review.Options
    scoring: scoring.Options
    injection: injection.Options

    @property
    def space(self) -> int | None:
        """The row of the vector space that serves; None without an embedder."""
        return self.embedding.serving.space if self.embedding.serving else None
