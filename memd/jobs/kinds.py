"""The names of the job kinds, for those who ask for work; what each does is in `tasks/`."""

from __future__ import annotations

from memd.db.vector_tables import ENTRIES, SECTIONS, TEXTS

EMBED_TURNS = "embed_turns"
ABSORB = "absorb_observations"
EMBED_ENTRIES = "embed_entries"
REFLECT = "reflect"
OBSERVE = "observe_session"
REINDEX = "reindex"
PRUNE = "prune"
BACKUP = "backup"
COMPACT = "compact"
SHARE = "share_turns"
FETCH = "fetch_turns"

EMBEDDED = {EMBED_TURNS: (TEXTS,), EMBED_ENTRIES: (ENTRIES, SECTIONS)}  # whose texts each of them embeds
SHARING = (SHARE, FETCH)
STORE_LANE = "store"  # of both: what is told and what is heard go one after the other
