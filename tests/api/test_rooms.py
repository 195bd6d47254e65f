"""The library face: the graph, scores, embeddings, native memory, and what reflection works on."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memd import api
from memd.api import embeddings, providers
from memd.db.driver import Connection
from memd.providers.embedding.base import ModelUnavailable
from memd.providers.embedding.hashed import HashEmbedder
from tests.sources.logs import DAY, log, record, statement

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def test_the_graph_is_written_found_and_merged(conn: Connection) -> None:
    user, ada = api.upsert_entity(conn, "User", "unknown"), api.upsert_entity(conn, "Ada", "person")
    redis = api.upsert_entity(conn, "Redis", "tool")
    assert api.upsert_entity(conn, "redis", "nonsense") == redis
    api.upsert_relationship(conn, user, redis, "uses", "as a cache")
    api.upsert_relationship(conn, ada, redis, "uses", "")

    found = api.find_entity_by_name(conn, "REDIS")
    assert found is not None
    assert (found["id"], found["entity_type"], found["mention_count"]) == (redis, "tool", 2)
    assert [
        (edge["source_name"], edge["target_name"]) for edge in api.get_entity_relationships(conn, redis)
    ] == [
        ("Ada", "Redis"),
        ("User", "Redis"),
    ]
    assert [one["name"] for one in api.search_entities(conn, "e")] == ["Redis", "User"]
    assert [one["degree"] for one in api.list_graph_entities(conn, require_relationship=True)] == [2, 1, 1]

    merged = api.merge_entities(conn, "user", "ada")

    assert (merged["target"]["name"], merged["relationships_deduplicated"]) == ("Ada", 1)
    ego = api.get_ego_graph(conn, "User")  # its former name
    assert ego is not None
    assert (ego["centre"]["name"], [one["name"] for one in ego["entities"]]) == ("Ada", ["Ada", "Redis"])
    assert [edge["context"] for edge in ego["relationships"]] == ["as a cache"]
    assert api.get_ego_graph(conn, "nobody") is None


def test_bad_arguments_of_the_graph_are_value_errors(conn: Connection) -> None:
    api.upsert_entity(conn, "Ada", "person")

    with pytest.raises(ValueError, match="an entity needs a name"):
        api.upsert_entity(conn, " ", "tool")
    with pytest.raises(ValueError, match="there is no entity 99"):
        api.upsert_relationship(conn, 1, 99, "uses", "")
    for names in (("Ada", "ada"), ("Ada", "nobody"), ("nobody", "Ada")):
        with pytest.raises(ValueError, match=r"Ada is Ada already|knows no entity"):
            api.merge_entities(conn, *names)


@pytest.mark.parametrize(
    ("memory_class", "half_life"),
    [("episodic", 3), ("semantic", 90), ("procedural", 180), (None, 7), ("?", 7)],
)
def test_recency_halves_with_the_half_life_of_the_class(memory_class: str | None, half_life: int) -> None:
    """MC08"""
    created = NOW - timedelta(days=half_life)

    for time in (created, created.isoformat(), created.replace(tzinfo=None)):
        assert math.isclose(api.recency_score(time, NOW, memory_class=memory_class), 0.5, abs_tol=1e-9)
    assert api.recency_score(NOW + timedelta(days=9), NOW) == 1.0
    assert api.recency_score("no time", NOW) == 0.0


@pytest.mark.parametrize(
    ("entry", "query", "boost"),
    [
        (("global", None, None), {}, 1.0),
        (("project", "app", None), {}, 1.0),
        (("global", None, None), {"query_project": "app"}, 0.7),
        (("project", None, None), {"query_project": "app"}, 0.7),
        (("project", "other", None), {"query_project": "app"}, 0.3),
        (("project", "app", None), {"query_project": "app"}, 0.85),
        (("branch", "app", "b"), {"query_project": "app", "query_branch": "b"}, 1.0),
        (("branch", "app", "b"), {"query_project": "app", "query_branch": "c"}, 0.85),
        (("branch", "app", "b"), {"query_project": "app"}, 0.85),
        (("branch", "app", None), {"query_project": "app"}, 0.85),
        (("branch", "app", "b"), {"query_branch": "b"}, 1.0),
    ],
)
def test_the_boost_is_that_of_the_scope(
    entry: tuple[str, str | None, str | None], query: dict[str, str], boost: float
) -> None:
    assert api.scope_boost(*entry, **query) == boost  # type: ignore[arg-type]


def test_the_composite_score_is_the_weighted_sum_times_the_boost() -> None:
    created = NOW - timedelta(days=90)
    plain = api.composite_score(created, 10, 0.25, memory_class="semantic", now=NOW)
    boosted = api.composite_score(
        created, 10, 0.25, memory_class="semantic", now=NOW, entry_scope="global", query_project="app"
    )

    assert math.isclose(plain, 0.3 * 0.5 + 0.3 * 1 + 0.4 * 0.25, abs_tol=1e-9)
    assert math.isclose(boosted, plain * 0.7, abs_tol=1e-9)
    assert api.composite_score(NOW, 1, 1.0, w_recency=0, w_importance=0, w_relevance=1, now=NOW) == 1.0
    assert api.importance_score(1) == 0.0 and api.importance_score(10) == 1.0


def test_results_are_ranked_best_first_and_equal_ones_stay_in_order() -> None:
    """MC09"""
    usual = {"created_at": NOW.isoformat(), "importance": 5, "scope": "global", "memory_class": "semantic"}
    results = [
        {**usual, "id": 1},  # counts as relevant by half
        {**usual, "id": 2, "relevance": 0.9},
        {**usual, "id": 3, "relevance": 0.5},
        {**usual, "id": 4, "relevance": 0.1},
    ]

    ranked = api.rank_results(results, limit=3)

    assert [entry["id"] for _, entry in ranked] == [2, 1, 3]
    assert ranked[1][0] == ranked[2][0] > 0


def test_texts_and_questions_get_vectors() -> None:
    vector = api.embed_text("a text")
    assert vector is not None
    assert len(vector) == api.EMBEDDING_DIM == len(api.embed_text("a text", prefix="search_query") or [])
    assert api.embed_texts(["a text", "another"]) == [vector, api.embed_text("another")]
    assert api.serialize_f32([1.0, 0.5]) == b"\x00\x00\x80?\x00\x00\x00?"
    provider = api.get_provider()
    assert isinstance(provider, api.EmbeddingProvider)
    assert (provider.dimension, provider.model_name) == (api.EMBEDDING_DIM, api.EMBEDDING_MODEL)
    assert provider.embed(["a text"]) == [vector]
    assert api.is_available()
    assert (api.BedrockProvider().dimension, api.BedrockProvider().model_name) == (
        1024,
        "amazon.titan-embed-text-v2:0",
    )
    with pytest.raises(AttributeError):
        _ = api.NO_SUCH_NAME


def test_a_provider_that_failed_is_tried_again(monkeypatch: pytest.MonkeyPatch, conn: Connection) -> None:
    """W27"""
    works = HashEmbedder.embed_documents
    seconds = [1000.0]
    monkeypatch.setattr(providers.time, "monotonic", lambda: seconds[0])

    def fails(self: HashEmbedder, texts: list[str]) -> list[object]:
        raise ModelUnavailable("the model", "is not there")

    monkeypatch.setattr(HashEmbedder, "embed_documents", fails)
    assert api.embed_text("a text") is None
    assert not api.is_available()
    assert api.store_memory(conn, "kept all the same")["action"] == "created"
    monkeypatch.setattr(HashEmbedder, "embed_documents", works)
    assert api.embed_text("a text") is None

    seconds[0] += providers.AGAIN_SECONDS

    assert api.is_available()
    assert api.embed_text("a text") is not None


def test_without_an_embedder_everything_else_works(monkeypatch: pytest.MonkeyPatch, conn: Connection) -> None:
    monkeypatch.setenv("MEMD_EMBEDDER", "none")

    assert api.get_provider() is None
    assert api.embed_text("a text") is None
    assert api.store_memory(conn, "a text")["action"] == "created"
    assert (api.EMBEDDING_DIM, api.EMBEDDING_MODEL) == (0, "")


def test_the_length_of_vectors_is_checked(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    assert api.check_dimension_match(conn) == (True, None, api.EMBEDDING_DIM)
    api.store_memory(conn, "a text")
    assert api.check_dimension_match(conn) == (True, api.EMBEDDING_DIM, api.EMBEDDING_DIM)

    conn.execute("UPDATE space SET dim = 9")

    assert api.check_dimension_match(conn) == (False, 9, api.EMBEDDING_DIM)


def test_vectors_of_another_model_are_never_compared(conn: Connection) -> None:
    """W28"""
    api.store_memory(conn, "a text")
    conn.execute("UPDATE space SET key = replace(key, 'hash', 'other')")

    assert embeddings.meaning(conn, "a text") is None
    assert embeddings.question(conn, "a text") is None


def test_native_memory_is_listed_from_the_folder_of_the_client(tmp_path: Path) -> None:
    (tmp_path / "root" / "home" / "some.app").mkdir(parents=True)
    folder = tmp_path / "claude" / "projects" / "-home-some-app" / "memory"
    folder.mkdir(parents=True)
    for name in ("zeta.md", "MEMORY.md"):
        (folder / name).write_text("a note\n")

    assert api.native_projects_dir() == tmp_path / "claude" / "projects"
    (project,) = api.list_native_memories(root=tmp_path / "root")

    assert [file["name"] for file in project.pop("files")] == ["MEMORY.md", "zeta.md"]
    assert project == {
        "slug": "-home-some-app",
        "label": "some.app",
        "path": str(tmp_path / "root" / "home" / "some.app"),
        "memory_dir": str(folder),
    }
    assert api.resolve_slug("-home-some-app", tmp_path / "root") == tmp_path / "root" / "home" / "some.app"
    assert api.munge_path("/home/some.app") == "-home-some-app"
    assert api.list_native_memories(tmp_path / "nowhere") == []


def test_watermarks_say_what_was_reflected_on(conn: Connection) -> None:
    """MC25: a project's covers what holds everywhere, and its own."""
    one = api.store_memory(conn, "holds everywhere")["id"]
    two = api.store_memory(conn, "of the app", scope="project", project="app")["id"]
    api.store_memory(conn, "of the tool", scope="project", project="tool")
    dead = api.store_memory(conn, "no longer so")["id"]
    api.retire_memory(conn, dead)
    api.store_insights(conn, ["they build a lot"])

    assert (api.get_watermark(conn), api.get_last_reflected_at(conn)) == (None, None)
    assert (api.count_unreflected(conn), api.count_unreflected(conn, project="app")) == (3, 2)
    assert api.check_novelty_gate_v2(conn) and not api.check_novelty_gate_v2(conn, project="app")

    api.update_watermark(conn, one, project="app")

    assert (api.get_watermark(conn, project="app"), api.get_watermark(conn)) == (one, None)
    assert api.get_last_reflected_at(conn, project="app") is not None
    assert api.count_unreflected(conn, project="app") == 1
    (row,) = api.get_unreflected_entries(conn, project="app", watermark=one)
    assert row[:4] == (two, "of the app", "fact", 5)
    assert [row[0] for row in api.get_unreflected_entries(conn, batch_size=2, days=1)] == [one, two]
    assert api.count_unreflected(conn, project="nothing") == 1


def test_what_is_said_once_more_is_to_be_reflected_on_again(conn: Connection) -> None:
    """W12: an old entry keeps its number, and counts as new."""
    for text in ("they use make", "they use make", "the tests are slow"):
        last = api.store_memory(conn, text)["id"]
    api.update_watermark(conn, last)
    assert api.count_unreflected(conn) == 0

    api.store_memory(conn, "they use make")

    assert (api.count_unreflected(conn), api.collect_stats(conn).unreflected) == (1, 1)
    assert api.check_novelty_gate_v2(conn, min_new=1) and not api.check_novelty_gate_v2(conn, min_new=2)
    assert [entry["reflected"] for entry in api.list_observations(conn)] == [True, False]


def test_the_older_gate_goes_by_the_last_insight(conn: Connection) -> None:
    api.store_memory(conn, "holds everywhere")
    assert api.get_last_reflection_date(conn) is None
    assert api.check_novelty_gate(conn)

    assert api.store_insights(conn, ["they build a lot", "they build a lot"], project="app") == 1

    last = api.get_last_reflection_date(conn)
    assert last is not None
    assert api.get_last_reflection_date(conn, project="app") == last
    assert not api.check_novelty_gate(conn, min_new=2)
    assert api.count_entries_since(conn, last - timedelta(days=1)) == 1
    assert [row[1] for row in api.get_recent_entries(conn)] == ["holds everywhere"]
    (insight,) = api.list_entries(conn, entry_type="insight")
    assert (insight["importance"], insight["scope"]) == (6, "project")


def test_entries_are_formatted_as_lines() -> None:
    row = ("x" * 300, "fact", 5, "2026-11-30T10:00:00Z")

    assert api.format_entries_text([(7, *row), row]) == (
        f"- #7 [2026-11-30] (fact, imp=5) {'x' * 200}\n- [2026-11-30] (fact, imp=5) {'x' * 200}"
    )


def test_the_curated_file_is_read(home: Path) -> None:
    assert api.read_memory_md() is None
    (api.get_data_dir() / "MEMORY.md").write_text("- use make\n")

    assert api.read_memory_md() == "- use make\n"


def said(day: str, **extraction: object) -> dict[str, object]:
    return record(timestamp=f"{day}T10:00:00+00:00", branch="topic", **extraction)


def test_the_batches_of_a_day_are_summed_up(home: Path) -> None:
    """MC23"""
    log(
        home / "data" / "observations",
        said(DAY, facts=[statement("one"), statement("two")], entities=[{"name": "Redis"}], decisions=[]),
        b"no record\n",
        said(DAY),
    )

    assert api.daily_batches(DAY) == [
        {
            "timestamp": f"{DAY}T10:00:00+00:00",
            "trigger": "precompact",
            "project": "app",
            "branch": "topic",
            "counts": counts,
        }
        for counts in ({"facts": 2, "entities": 1}, {})
    ]
    assert api.daily_batches("2026-01-01") == api.daily_batches("../escape") == []


def test_observations_are_listed_with_whether_they_were_reflected_on(conn: Connection) -> None:
    """MC24"""
    one = api.store_memory(conn, "holds everywhere")["id"]
    two = api.store_memory(conn, "of the app", scope="project", project="app")["id"]
    api.store_memory(conn, "of the tool", scope="project", project="tool")
    api.store_insights(conn, ["they build a lot"])
    api.retire_memory(conn, one)
    api.update_watermark(conn, one, project="app")

    found = api.list_observations(conn, project="app")

    assert [(entry["id"], entry["reflected"], entry["project"]) for entry in found] == [
        (two, False, "app"),
        (one, True, None),
    ]
    assert [entry["reflected"] for entry in api.list_observations(conn)] == [False] * 3
    assert len(api.list_observations(conn, limit=1)) == 1
    assert [entry["id"] for entry in api.list_observations(conn, project="nothing")] == [one]
    assert api.observation_projects(conn) == ["app", "tool"]


def test_the_last_logs_are_read_as_text_without_secrets(home: Path) -> None:
    today = datetime.now(UTC).date()
    for days, fact in ((0, "the key is AKIAIOSFODNN7EXAMPLE"), (3, "x" * 300), (30, "long ago")):
        day = (today - timedelta(days=days)).isoformat()
        things = [{"name": "Redis", "entity_type": "tool", "context": "y" * 200}] if days == 3 else []
        log(home / "data" / "observations", said(day, facts=[statement(fact, "8")], entities=things), day=day)

    assert api.read_observation_logs().split("\n") == [
        f"- [facts] (imp=8) {'x' * 200}",
        f"- [entity] Redis (tool): {'y' * 100}",
        "- [facts] (imp=8) the key is [REDACTED:aws_key]",
    ]
