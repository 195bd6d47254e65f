"""A machine that shares a store: its database, and the handlers that tell and hear, driven step by step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memd.clock import FixedClock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.jobs.job import Job, State
from memd.jobs.outcome import Finished, Outcome
from memd.services import Troubles
from memd.sources import forgetting
from memd.sources.hearing import Hearing, Taken
from memd.sources.parcels import Wrapping
from memd.sources.remotes import Remotes
from memd.tasks.fetch_turns import FetchTurns
from memd.tasks.share_turns import ShareTurns
from memd.tasks.store_link import StoreLink
from memd.turns import forget, read, sharing
from memd.turns.read import Which
from memd.turns.shared import SharedStore, Whose
from memd.turns.sharing import Sharer
from tests.memory.entries import NOW
from tests.rows import database

JOB = Job(1, "share_turns", "all", "store", State.RUNNING, 0, 1, 5)


class Machine:
    """One of them. ``excluded`` are the folders of which nothing leaves and nothing comes in."""

    def __init__(
        self,
        db: Database,
        store: SharedStore,
        user: str,
        *,
        users: Sequence[str] | None = None,
        place: str = "memory://#memd",
        folders: Sequence[str] = (),
        excluded: Sequence[str] = (),
        agent: str | None = None,
        token_bytes: int = 0,
    ) -> None:
        self.db, self.user = db, user
        self.excluded = set(excluded)
        self.asked: list[str] = []
        self.sharer = Sharer(place, user, agent, folders, excluded, Whose(users, agent))
        self.id = db.write_now(sharing.settle, self.sharer)
        self.clock = FixedClock(NOW)
        self.troubles = Troubles(self.clock)
        self.link = StoreLink(store, self.clock, self.troubles)
        self._token_bytes = token_bytes
        self.start()

    def start(self) -> None:
        """The handlers of another start of memd: nothing of the one before is left."""
        known, covers = Remotes(), self.excluded.__contains__
        hearing = Hearing(
            self.id,
            lambda _: self.asked.append("embed"),
            lambda _: self.asked.append("compact"),
            lambda: self._token_bytes,
        )
        self.fetch = FetchTurns(
            self.db, self.link, self.id, self.sharer, hearing, covers, known, self._on_taken
        )
        self.share = ShareTurns(self.db, self.link, self.id, Wrapping(self.sharer, covers, known), self.fetch)

    def _on_taken(self, taken: Taken) -> None:
        self.taken = taken

    def tell(self) -> Outcome:
        """One attempt to tell all there is."""
        return asyncio.run(self.share.run(JOB))

    def hear(self) -> Outcome:
        """One attempt to hear all there is."""
        return asyncio.run(self.fetch.run(JOB))

    def level(self) -> None:
        """Tell, and hear; the store answers."""
        assert isinstance(self.tell(), Finished)
        assert isinstance(self.hear(), Finished)

    def write(self, *statements: str) -> None:
        """Change what stands here."""
        self.db.write_now(lambda c: [c.execute(statement) for statement in statements])

    def forget(self, turns: Sequence[str]) -> None:
        """Forget turns, as far as they are here."""

        def work(connection: Connection) -> None:
            forgetting.remove(connection, forget.rows_of(connection, turns))

        self.db.write_now(work)

    def turns(self, *columns: str) -> dict[str, tuple[object, ...]]:
        """What stands of every turn, by id."""
        found = columns or ("session_id", "role", "text", "other_branch", "created_at", "user_id")
        records = self.db.read_now(_records)
        return {str(one["id"]): tuple(one[name] for name in found) for one in records}

    def sessions(self) -> dict[str, read.Record]:
        """What stands of every session with turns, by key."""
        found = self.db.read_now(read.sessions, Which(), limit=1_000)
        return {str(one["id"]): one for one in found}

    def ask(self, query: str) -> list[tuple[object, ...]]:
        """The rows of a query."""
        return self.db.read_now(lambda c: c.execute(query).fetchall())


def _records(connection: Connection) -> list[read.Record]:
    records, _ = read.export(connection, Which(), after=0, most_bytes=1 << 40)
    users = dict(connection.execute("SELECT id, user_id FROM turn").fetchall())
    return [{**one, "user_id": users[one["id"]]} for one in records]


Made = Callable[..., Machine]


@contextmanager
def machines(folder: Path) -> Iterator[Made]:
    """Makes machines, each with a database of its own by its name; they end with the context."""
    opened = []

    def made(store: SharedStore, user: str, name: str | None = None, **more: object) -> Machine:
        place = folder / (name or user)
        place.mkdir(parents=True)
        context = database(place)
        opened.append(context)
        return Machine(context.__enter__(), store, user, **more)  # type: ignore[arg-type]  # by name

    try:
        yield made
    finally:
        for context in reversed(opened):
            context.__exit__(None, None, None)
