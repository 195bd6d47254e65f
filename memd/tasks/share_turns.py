"""The job kind ``share_turns``: tells the shared store what is new here, parcel after parcel.

The marks move once the store has said yes, and said it once more: what was told is heard back before it counts, so that
a store which loses its last moments (another server took its place) is noticed when it is heard next, and told again.
State is truth: the job ends when nothing is left to tell.
"""

from __future__ import annotations

from memd.db.database import Database
from memd.jobs import kinds, pauses
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Later, Outcome
from memd.sources.parcels import Wrapping
from memd.tasks.fetch_turns import FetchTurns
from memd.tasks.store_link import StoreAway, StoreLink
from memd.turns import outgoing
from memd.turns.outgoing import Parcel


class ShareTurns:
    """The handler, for the store in that row."""

    def __init__(
        self, db: Database, link: StoreLink, store: int, wrapping: Wrapping, fetch: FetchTurns
    ) -> None:
        self._db, self._link, self._store, self._wrapping = db, link, store, wrapping
        self._fetch = fetch

    async def run(self, job: Job) -> Outcome:
        """Tell until nothing is left; wait where the store does not answer."""
        turns = 0
        try:
            while (parcel := await self._db.read(outgoing.parcel, self._store)) is not None:
                turns += await self._tell(parcel)
        except StoreAway as away:
            return Later(away.seconds, f"the shared store does not answer: {away.why}")
        return Finished({"turns": turns}, left=lambda connection: outgoing.is_behind(connection, self._store))

    async def _tell(self, parcel: Parcel) -> int:
        """Tell a parcel, and then note that it is told; how many turns of it were."""
        told = await self._link.off_loop(self._wrapping.told, parcel)
        if any((told.sessions, told.turns, told.changed, told.vectors, told.forgotten)):
            await self._link.call(self._link.store.publish, told)
            if await self._is_another_store():
                return 0
        await self._db.write(outgoing.told, self._store, parcel, len(told.turns))
        return len(told.turns)

    async def _is_another_store(self) -> bool:
        """Hear what was told, unless a person has that wait; True where it was told to a store that is no more."""
        if await self._db.read(pauses.of, kinds.FETCH) is not None:
            return False
        return (await self._fetch.take_in()).again
