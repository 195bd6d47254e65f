"""The library face of memd, for programs that keep a memory in their own process.

Turn memory, in a store of the program's own: `Memory`. Curated memory, on a database file: entries, what finds and
scores them, the graph, observations, native memory, stats, and what reflection works on, handed on from the rooms.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from memd.api import embeddings as _embeddings
from memd.api.asking import language_model
from memd.api.embeddings import (
    check_dimension_match,
    embed_text,
    embed_texts,
    get_provider,
    is_available,
    serialize_f32,
)
from memd.api.entries import (
    delete_entry,
    find_duplicate,
    merge_memories,
    retire_memory,
    store_memory,
    supersede_memory,
)
from memd.api.explanation import ExplainedTurn, SearchExplanation
from memd.api.finding import (
    hybrid_search,
    list_entries,
    list_projects,
    search_entries,
    vector_search_entries,
)
from memd.api.found import MemoryContext, RecalledTurn
from memd.api.graph import (
    find_entity_by_name,
    get_ego_graph,
    get_entity_relationships,
    list_graph_entities,
    merge_entities,
    search_entities,
    upsert_entity,
    upsert_relationship,
)
from memd.api.importing import import_history
from memd.api.mem0 import Mem0Memory
from memd.api.native import list_native_memories, munge_path, native_projects_dir, resolve_slug
from memd.api.observations import (
    daily_batches,
    list_observations,
    observation_projects,
    read_observation_logs,
)
from memd.api.providers import BedrockProvider, EmbeddingProvider, LocalProvider
from memd.api.reflecting import generate_memory_diff, main, parse_reflection_response, reflect
from memd.api.reflection import (
    check_novelty_gate,
    check_novelty_gate_v2,
    count_entries_since,
    count_unreflected,
    format_entries_text,
    get_last_reflected_at,
    get_last_reflection_date,
    get_recent_entries,
    get_unreflected_entries,
    get_watermark,
    read_memory_md,
    store_insights,
    update_watermark,
)
from memd.api.scoped import ScopedMemory
from memd.api.scoring import (
    SCOPE_BOOST_CROSS_PROJECT,
    SCOPE_BOOST_GLOBAL,
    W_IMPORTANCE,
    W_RECENCY,
    W_RELEVANCE,
    composite_score,
    importance_score,
    rank_results,
    recency_score,
    scope_boost,
)
from memd.api.stats import MemoryStats, collect_stats
from memd.api.storage import connection, ensure_schema, get_connection, get_data_dir, get_db_path
from memd.api.turns import Memory
from memd.errors import HistoryImportError
from memd.importers.limits import ImportLimits
from memd.importers.report import ImportedSession, ImportReport
from memd.recall.explain import ExplainedCandidate, ExplainedSection
from memd.turns.store import MemoryItem, MemoryStore, Scope
from memd.turns.stores.in_memory import InMemoryStore
from memd.turns.stores.sqlite import SQLiteStore

if TYPE_CHECKING:
    from memd.turns.stores.mongo.store import MongoStore
    from memd.turns.stores.postgres.store import PostgresStore

__all__ = [
    "SCOPE_BOOST_CROSS_PROJECT",
    "SCOPE_BOOST_GLOBAL",
    "W_IMPORTANCE",
    "W_RECENCY",
    "W_RELEVANCE",
    "BedrockProvider",
    "EmbeddingProvider",
    "ExplainedCandidate",
    "ExplainedSection",
    "ExplainedTurn",
    "HistoryImportError",
    "ImportLimits",
    "ImportReport",
    "ImportedSession",
    "InMemoryStore",
    "LocalProvider",
    "Mem0Memory",
    "Memory",
    "MemoryContext",
    "MemoryItem",
    "MemoryStats",
    "MemoryStore",
    "RecalledTurn",
    "SQLiteStore",
    "Scope",
    "ScopedMemory",
    "SearchExplanation",
    "check_dimension_match",
    "check_novelty_gate",
    "check_novelty_gate_v2",
    "collect_stats",
    "composite_score",
    "connection",
    "count_entries_since",
    "count_unreflected",
    "daily_batches",
    "delete_entry",
    "embed_text",
    "embed_texts",
    "ensure_schema",
    "find_duplicate",
    "find_entity_by_name",
    "format_entries_text",
    "generate_memory_diff",
    "get_connection",
    "get_data_dir",
    "get_db_path",
    "get_ego_graph",
    "get_entity_relationships",
    "get_last_reflected_at",
    "get_last_reflection_date",
    "get_provider",
    "get_recent_entries",
    "get_unreflected_entries",
    "get_watermark",
    "hybrid_search",
    "import_history",
    "importance_score",
    "is_available",
    "language_model",
    "list_entries",
    "list_graph_entities",
    "list_native_memories",
    "list_observations",
    "list_projects",
    "main",
    "merge_entities",
    "merge_memories",
    "munge_path",
    "native_projects_dir",
    "observation_projects",
    "parse_reflection_response",
    "rank_results",
    "read_memory_md",
    "read_observation_logs",
    "recency_score",
    "reflect",
    "resolve_slug",
    "retire_memory",
    "scope_boost",
    "search_entities",
    "search_entries",
    "serialize_f32",
    "store_insights",
    "store_memory",
    "supersede_memory",
    "update_watermark",
    "upsert_entity",
    "upsert_relationship",
    "vector_search_entries",
]

if TYPE_CHECKING:  # an import of every name must not need the extras
    __all__ += ["MongoStore", "PostgresStore"]


_STORES = {  # loaded when used: each needs an extra of memd
    "MongoStore": "memd.turns.stores.mongo.store",
    "PostgresStore": "memd.turns.stores.postgres.store",
}


def __getattr__(name: str) -> object:
    """What is told or loaded when it is asked for: the stores on servers, ``EMBEDDING_DIM`` and ``EMBEDDING_MODEL``."""
    if name in _STORES:
        return getattr(import_module(_STORES[name]), name)
    return _embeddings.__getattr__(name)
