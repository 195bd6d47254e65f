"""Every name that programs rely on is there, with its signature, and can be called."""

from __future__ import annotations

import inspect
import runpy
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from memd import api
from memd.db.driver import Connection
from tests.api.reference import CLASSES, FUNCTIONS, VALUES

NOW = datetime(2026, 11, 30, tzinfo=UTC)

# How each is called: with the connection, on a memory of one entry (1) and two entities (1, 2) that are joined.
CALLS: dict[str, Callable[[Connection], object]] = {
    "main": lambda c: api.main(),
    "connection": lambda c: api.connection().__enter__().close(),
    "ensure_schema": api.ensure_schema,
    "get_connection": lambda c: api.get_connection().close(),
    "get_data_dir": lambda c: api.get_data_dir(),
    "get_db_path": lambda c: api.get_db_path(),
    "check_dimension_match": api.check_dimension_match,
    "embed_text": lambda c: api.embed_text("a text"),
    "embed_texts": lambda c: api.embed_texts(["a text"]),
    "get_provider": lambda c: api.get_provider(),
    "is_available": lambda c: api.is_available(),
    "serialize_f32": lambda c: api.serialize_f32([0.5]),
    "delete_entry": lambda c: api.delete_entry(c, 1),
    "hybrid_search": lambda c: api.hybrid_search(c, "a text"),
    "list_entries": api.list_entries,
    "list_projects": api.list_projects,
    "search_entries": lambda c: api.search_entries(c, "a text"),
    "vector_search_entries": lambda c: api.vector_search_entries(c, "a text"),
    "composite_score": lambda c: api.composite_score(NOW, 5, now=NOW),
    "importance_score": lambda c: api.importance_score(5),
    "rank_results": lambda c: api.rank_results(api.list_entries(c), limit=3),
    "recency_score": lambda c: api.recency_score(NOW),
    "scope_boost": lambda c: api.scope_boost("global", None, None),
    "find_entity_by_name": lambda c: api.find_entity_by_name(c, "app"),
    "get_ego_graph": lambda c: api.get_ego_graph(c, "app"),
    "get_entity_relationships": lambda c: api.get_entity_relationships(c, 1),
    "list_graph_entities": api.list_graph_entities,
    "merge_entities": lambda c: api.merge_entities(c, "app", "Redis"),
    "search_entities": lambda c: api.search_entities(c, "app"),
    "upsert_entity": lambda c: api.upsert_entity(c, "Ada", "person"),
    "upsert_relationship": lambda c: api.upsert_relationship(c, 1, 2, "uses", "as a cache"),
    "find_duplicate": lambda c: api.find_duplicate(c, "a text", "fact"),
    "merge_memories": lambda c: api.merge_memories(c, [1], "another text"),
    "retire_memory": lambda c: api.retire_memory(c, 1),
    "store_memory": lambda c: api.store_memory(c, "another text"),
    "supersede_memory": lambda c: api.supersede_memory(c, 1, "another text"),
    "collect_stats": api.collect_stats,
    "count_unreflected": api.count_unreflected,
    "get_last_reflected_at": api.get_last_reflected_at,
    "get_watermark": api.get_watermark,
    "update_watermark": lambda c: api.update_watermark(c, 1),
    "check_novelty_gate_v2": api.check_novelty_gate_v2,
    "get_unreflected_entries": api.get_unreflected_entries,
    "get_last_reflection_date": api.get_last_reflection_date,
    "count_entries_since": lambda c: api.count_entries_since(c, NOW),
    "check_novelty_gate": api.check_novelty_gate,
    "get_recent_entries": api.get_recent_entries,
    "read_observation_logs": lambda c: api.read_observation_logs(),
    "format_entries_text": lambda c: api.format_entries_text(api.get_recent_entries(c)),
    "store_insights": lambda c: api.store_insights(c, ["an insight"]),
    "read_memory_md": lambda c: api.read_memory_md(),
    "parse_reflection_response": lambda c: api.parse_reflection_response("INSIGHT: one"),
    "generate_memory_diff": lambda c: api.generate_memory_diff([{"op": "add", "new": "one"}]),
    "reflect": api.reflect,
    "daily_batches": lambda c: api.daily_batches("2026-11-30"),
    "list_observations": api.list_observations,
    "observation_projects": api.observation_projects,
    "list_native_memories": lambda c: api.list_native_memories(),
    "native_projects_dir": lambda c: api.native_projects_dir(),
    "resolve_slug": lambda c: api.resolve_slug("-no-such-folder"),
}
NOTHING = {"read_memory_md", "get_last_reflected_at", "get_watermark", "get_last_reflection_date"}
SILENT = {"main", "connection", "ensure_schema", "get_connection", "resolve_slug", "update_watermark"}


@pytest.fixture
def memory(conn: Connection) -> Connection:
    api.store_memory(conn, "a text")
    api.upsert_relationship(
        conn, api.upsert_entity(conn, "app", "project"), api.upsert_entity(conn, "Redis", "tool"), "uses", ""
    )
    return conn


def signature(function: Callable[..., object]) -> str:
    """The parameters with their defaults, without their types."""
    found = inspect.signature(function)
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in found.parameters.values()]
    return str(inspect.Signature(plain))[1:-1]


@pytest.mark.parametrize(("name", "parameters"), FUNCTIONS.items())
def test_every_function_has_its_name_and_signature(name: str, parameters: str) -> None:
    assert name in api.__all__
    assert signature(getattr(api, name)).replace("PosixPath", "Path") == parameters.replace(
        "PosixPath", "Path"
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_can_be_called(memory: Connection, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runpy, "run_module", lambda *_, **__: None)  # memctl ends the process

    assert (CALLS[name](memory) is None) == (name in NOTHING | SILENT)


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_is_there(name: str) -> None:
    assert name in api.__all__
    assert isinstance(getattr(api, name), type)


@pytest.mark.parametrize("name", VALUES)
def test_every_value_is_there(name: str) -> None:
    assert getattr(api, name)


def test_stats_have_every_figure_and_load_no_model(
    memory: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MC36"""
    api.store_memory(memory, "of the app", "preference", scope="project", project="app")
    api.retire_memory(memory, api.store_memory(memory, "no longer so")["id"])
    api.supersede_memory(memory, 1, "the text of today")
    monkeypatch.setattr(api.LocalProvider, "embed", None)
    api.update_watermark(memory, 1)

    stats = api.collect_stats(memory)

    assert (stats.total, stats.superseded, stats.retired, stats.embedded) == (4, 1, 1, 4)
    assert stats.by_type == [("fact", 3), ("preference", 1)]
    assert (stats.by_class, stats.by_scope) == ([("semantic", 4)], [("global", 3), ("project", 1)])
    assert stats.by_project == [("(global)", 3), ("app", 1)]
    assert (stats.unembedded, stats.embedded_pct) == (0, 100)
    assert (stats.provider, stats.model, stats.dim) == ("hash", api.EMBEDDING_MODEL, api.EMBEDDING_DIM)
    assert stats.unreflected == 2
    assert stats.last_reflected_at is not None
