"""The job kind ``fetch_turns``: takes in what others told the shared store, page after page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memd.db.database import Database
from memd.db.driver import Connection
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Later, Outcome
from memd.sources import hearing, remotes
from memd.sources.heard_page import Page, Reading
from memd.sources.hearing import Hearing, Taken
from memd.sources.remotes import Remotes
from memd.tasks.store_link import StoreAway, StoreLink
from memd.turns import serving, sharing, tombstone_file
from memd.turns.shared import Heard, Mark
from memd.turns.sharing import Sharer

MOST_TURNS = 500


class FetchTurns:
    """The handler, for the store in that row. ``on_taken`` hears how much came and went with each page."""

    def __init__(
        self,
        db: Database,
        link: StoreLink,
        store: int,
        sharer: Sharer,
        hearing: Hearing,
        is_excluded: Callable[[str], bool],
        known_remotes: Remotes,
        on_taken: Callable[[Taken], object],
    ) -> None:
        self._db, self._link, self._store, self._sharer = db, link, store, sharer
        self._hearing, self._is_excluded, self._remotes = hearing, is_excluded, known_remotes
        self._on_taken = on_taken

    async def has_news(self) -> bool:
        """Whether the store says anything that was not heard yet. StoreAway where it says nothing at all."""
        mark, space = await self._db.read(self._state)
        heard = await self._link.call(self._link.store.changes, mark, self._sharer.whose, space, 1)
        return heard.mark != mark or _says_something(heard)

    async def run(self, job: Job) -> Outcome:
        """Take in all there is; wait where the store does not answer."""
        try:
            sum_ = await self.take_in()
        except StoreAway as away:
            return Later(away.seconds, f"the shared store does not answer: {away.why}")
        return Finished({"turns": sum_.new, "forgotten": sum_.forgotten})

    async def take_in(self) -> Taken:
        """Take in all there is; how much. StoreAway where the store does not answer."""
        sum_ = Taken()
        while await self._take_next(sum_):
            pass
        return sum_

    async def _take_next(self, sum_: Taken) -> bool:
        """Take in a page; whether there is another."""
        mark, space = await self._db.read(self._state)
        heard = await self._link.call(self._link.store.changes, mark, self._sharer.whose, space, MOST_TURNS)
        if not _says_something(heard) and heard.mark == mark:
            return False
        clones = await self._clones()
        reading = Reading(self._sharer.user, self._is_excluded, clones)
        folders = await self._db.read(hearing.folders, sorted(reading.keys(heard)))
        page = await self._link.off_loop(reading.page, heard, folders)
        if page.forgotten:  # first: where there is no room for the marks, nothing is removed
            file = tombstone_file.beside(self._db.path)
            await self._db.outside(hearing.note, file, sorted(page.forgotten))
        taken = await self._db.write(self._take, page, heard, clones, mark)
        sum_.new, sum_.forgotten = sum_.new + taken.new, sum_.forgotten + taken.forgotten
        sum_.again = sum_.again or taken.again
        self._on_taken(taken)
        return heard.more or taken.passed

    async def _clones(self) -> Mapping[str, str]:
        """The repositories of this machine by the addresses that they were cloned from."""
        folders = await self._db.read(remotes.local)
        return await self._link.off_loop(self._remotes.by_address, folders)

    def _take(
        self, connection: Connection, page: Page, heard: Heard, clones: Mapping[str, str], since: Mark
    ) -> Taken:
        """Take the page in, unless it is to be heard from elsewhere by now."""
        if sharing.known(connection, self._store).mark != since:
            return Taken(passed=True)
        remotes.adopt(connection, clones)
        return self._hearing.take(connection, page, heard.mark, again=heard.restarted)

    def _state(self, connection: Connection) -> tuple[Mark, str | None]:
        """How far it is heard, and the space whose vectors are of use here."""
        placed = serving.serving(connection)
        return sharing.known(connection, self._store).mark, placed.key if placed else None


def _says_something(heard: Heard) -> bool:
    return heard.restarted or any((heard.sessions, heard.turns, heard.vectors, heard.forgotten))
