"""The names and signatures that programs rely on."""

from __future__ import annotations

SCOPED = "*, project=None, branch=None, include_superseded=False"

FUNCTIONS = {
    # command line
    "main": "",
    # storage
    "connection": "db_path=None",
    "ensure_schema": "conn",
    "get_connection": "db_path=None",
    "get_data_dir": "",
    "get_db_path": "",
    # embeddings
    "check_dimension_match": "conn",
    "embed_text": "text, *, prefix='search_document'",
    "embed_texts": "texts, *, prefix='search_document'",
    "get_provider": "",
    "is_available": "",
    "serialize_f32": "vec",
    # search
    "delete_entry": "conn, entry_id",
    "hybrid_search": f"conn, query, limit=20, entry_type=None, {SCOPED}",
    "list_entries": "conn, limit=20, entry_type=None, since=None, *, project=None, branch=None, scope=None,"
    " include_superseded=False",
    "list_projects": "conn",
    "search_entries": f"conn, query, limit=20, entry_type=None, {SCOPED}",
    "vector_search_entries": f"conn, query, limit=20, entry_type=None, {SCOPED}",
    # scoring
    "composite_score": "created_at, importance, relevance=0.5, *, memory_class=None, entry_scope=None,"
    " entry_project=None, entry_branch=None, query_project=None, query_branch=None, w_recency=0.3,"
    " w_importance=0.3, w_relevance=0.4, now=None",
    "importance_score": "importance",
    "rank_results": "results, *, limit, query_project=None, query_branch=None",
    "recency_score": "created_at, now=None, *, memory_class=None",
    "scope_boost": "entry_scope, entry_project, entry_branch, *, query_project=None, query_branch=None",
    # entities
    "find_entity_by_name": "conn, name",
    "get_ego_graph": "conn, name",
    "get_entity_relationships": "conn, entity_id",
    "list_graph_entities": "conn, query='', *, min_mentions=1, require_relationship=False, limit=None",
    "merge_entities": "conn, source_name, target_name",
    "search_entities": "conn, query, limit=20",
    "upsert_entity": "conn, name, entity_type",
    "upsert_relationship": "conn, source_entity_id, target_entity_id, relationship_type, context",
    # writer
    "find_duplicate": "conn, content, entry_type, *, project=None",
    "merge_memories": "conn, old_ids, content, *, importance=None",
    "retire_memory": "conn, entry_id",
    "store_memory": "conn, content, entry_type='fact', importance=5, *, scope='global', project=None, branch=None",
    "supersede_memory": "conn, old_id, content, *, importance=None",
    # stats
    "collect_stats": "conn",
    # reflection
    "count_unreflected": "conn, *, project=None",
    "get_last_reflected_at": "conn, *, project=None",
    "get_watermark": "conn, *, project=None",
    "update_watermark": "conn, last_id, *, project=None",
    "check_novelty_gate_v2": "conn, min_new=3, *, project=None",
    "get_unreflected_entries": "conn, batch_size=50, days=None, exclude_types=('insight',), *, project=None,"
    " watermark=None",
    "get_last_reflection_date": "conn, *, project=None",
    "count_entries_since": "conn, since, exclude_types=('insight',), *, project=None",
    "check_novelty_gate": "conn, min_new=3, *, project=None",
    "get_recent_entries": "conn, days=7, limit=200, exclude_types=('insight',), *, project=None",
    "read_observation_logs": "days=7",
    "format_entries_text": "entries",
    "store_insights": "conn, insights, *, project=None",
    "parse_reflection_response": "response",
    "generate_memory_diff": "ops, previews=None",
    "reflect": "conn, days=7, min_new=3, batch_size=50, *, project=None, branch=None",
    "read_memory_md": "",
    # observations
    "daily_batches": "day",
    "list_observations": "conn, *, project=None, limit=100000",
    "observation_projects": "conn",
    # native memory
    "list_native_memories": "projects_dir=None, *, root=PosixPath('/')",
    "native_projects_dir": "",
    "resolve_slug": "slug, root=PosixPath('/')",
}

CLASSES = ("BedrockProvider", "EmbeddingProvider", "LocalProvider", "MemoryStats")
VALUES = ("EMBEDDING_DIM", "EMBEDDING_MODEL")
