"""Those who asked for a scan and wait until what it found is stored; used by the intake's thread alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field

from memd.services import Synced


@dataclass(slots=True)
class _Ticket:
    done: Future[Synced]
    waiting: set[bytes]
    result: Synced = field(default_factory=Synced)


class Tickets:
    """One for each who asked, with the paths that are still to be read for them."""

    def __init__(self) -> None:
        self._open: list[_Ticket] = []

    def open(self, asked: Iterable[Future[Synced]], waiting: Collection[bytes]) -> None:
        """They wait for these paths."""
        self._open.extend(_Ticket(future, set(waiting)) for future in asked)

    def keep(self, waiting: Collection[bytes]) -> None:
        """Nothing but these is to be read any more: the rest is stored or gone."""
        for ticket in self._open:
            ticket.waiting.intersection_update(waiting)

    def stored(self, turns: int) -> None:
        """So many turns were stored."""
        for ticket in self._open:
            ticket.result.turns += turns

    def unreadable(self) -> None:
        """A file could not be read."""
        for ticket in self._open:
            ticket.result.pending += 1

    def read(self, path: bytes) -> None:
        """A transcript was read to its end."""
        for ticket in self._open:
            if path in ticket.waiting:
                ticket.waiting.discard(path)
                ticket.result.files += 1

    def strike(self, paths: Iterable[bytes]) -> None:
        """These, which are no transcripts, were read."""
        gone = list(paths)
        for ticket in self._open:
            ticket.waiting.difference_update(gone)

    def finish(self, unsound: int) -> None:
        """Answer those who wait for nothing any more; the ``unsound`` files stand beside what they could not get."""
        for ticket in [ticket for ticket in self._open if not ticket.waiting]:
            self._open.remove(ticket)
            ticket.result.pending += unsound
            if ticket.done.set_running_or_notify_cancel():
                ticket.done.set_result(ticket.result)

    def cancel(self) -> None:
        """Nobody is answered any more."""
        for ticket in self._open:
            ticket.done.cancel()
