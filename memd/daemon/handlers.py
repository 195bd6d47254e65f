"""The kinds of jobs that need no language model, with who does them."""

from __future__ import annotations

from collections.abc import Mapping

from memd.jobs import kinds
from memd.jobs.outcome import Kind
from memd.tasks.absorb_observations import AbsorbObservations
from memd.tasks.back_up import BackUp
from memd.tasks.compact import Compact
from memd.tasks.embed import Embed
from memd.tasks.prune import Prune
from memd.tasks.reindex import Reindex


def handlers(
    embedding: Mapping[str, Embed],
    reindex: Reindex,
    prune: Prune,
    backups: BackUp,
    compact: Compact,
    absorb: AbsorbObservations,
) -> dict[str, Kind]:
    """Kind → handler, lane, retry policy. Without an embedder there is nothing to embed."""
    table = {
        kinds.PRUNE: Kind(prune.run, "upkeep", backlog=True),
        kinds.BACKUP: Kind(backups.run, "upkeep", backlog=True),
        kinds.COMPACT: Kind(compact.run, "upkeep", backlog=True),
        kinds.ABSORB: Kind(absorb.run, "absorb", backlog=True),
    }
    for kind, one in embedding.items():
        table[kind] = Kind(one.run, kind, backlog=True)
    if embedding:
        table[kinds.REINDEX] = Kind(reindex.run, "reindex", backlog=True)
    return table
