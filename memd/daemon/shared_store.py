"""The shared store with all that lives on it, where one is configured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memd.clock import Clock
from memd.config.sections.store import StoreOptions
from memd.daemon.embedders import Embedders
from memd.db.database import Database
from memd.db.driver import Connection
from memd.jobs import kinds
from memd.jobs.outcome import Kind
from memd.jobs.retry import RetryPolicy
from memd.services import Queue, Troubles
from memd.sources.exclusions import Exclusions
from memd.sources.hearing import Hearing, Taken
from memd.sources.parcels import Wrapping
from memd.sources.remotes import Remotes
from memd.tasks.fetch_turns import FetchTurns
from memd.tasks.share_turns import ShareTurns
from memd.tasks.shared_store import SharedStoreLife
from memd.tasks.store_link import LONGEST_SECONDS, StoreLink
from memd.turns import sharing
from memd.turns.shared import SharedStore, Whose
from memd.turns.sharing import Sharer

FOR_EVER = RetryPolicy(
    max_attempts=1_000_000, longest_s=LONGEST_SECONDS
)  # what is to be told never goes to the dead

Furnished = tuple[Mapping[str, Kind], Callable[[Queue], SharedStoreLife]]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the rest of the house does for it: with new turns, with what removed ones leave, after every page."""

    follow_up: Callable[[Connection], object]
    compact: Callable[[Connection], object]
    on_taken: Callable[[Taken], object]


def furnish(
    db: Database,
    clock: Clock,
    troubles: Troubles,
    store: SharedStore,
    options: StoreOptions,
    exclusions: Exclusions,
    embedders: Embedders,
    wishes: Wishes,
) -> Furnished:
    """Its kinds of jobs, and its life once there is a queue for them."""
    agent = options.agent_id or None
    sharer = Sharer(
        options.place,
        options.user(),
        agent,
        options.folders,
        exclusions.folders,
        Whose(options.read(), agent),
    )
    row = db.write_now(sharing.settle, sharer)
    link, remotes = StoreLink(store, clock, troubles), Remotes()
    hearing = Hearing(row, wishes.follow_up, wishes.compact, lambda: _token_bytes(embedders))
    fetch = FetchTurns(db, link, row, sharer, hearing, exclusions.cover, remotes, wishes.on_taken)
    share = ShareTurns(db, link, row, Wrapping(sharer, exclusions.cover, remotes), fetch)
    working = {
        kind: Kind(run, kinds.STORE_LANE, FOR_EVER, backlog=True)
        for kind, run in ((kinds.SHARE, share.run), (kinds.FETCH, fetch.run))
    }
    return working, lambda queue: SharedStoreLife(
        db, clock, queue, link, fetch, row, sharer, options.poll_seconds
    )


def _token_bytes(embedders: Embedders) -> int:
    used = embedders.serving
    return used.embedder.tokens.token_bytes if used and used.embedder.tokens else 0
