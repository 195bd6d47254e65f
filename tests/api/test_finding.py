"""The library face: searches by word, by meaning, and both, with every filter inside."""

from __future__ import annotations

import pytest

from memd import api
from memd.api import embeddings
from memd.db.driver import Connection

SEARCHES = (api.search_entries, api.vector_search_entries, api.hybrid_search)


def texts(found: list[dict[str, object]]) -> list[object]:
    return [entry["content"] for entry in found]


@pytest.mark.parametrize("query", ["what's the auth flow?", "auth-flow"])
def test_natural_questions_find_the_obvious_entry_by_word(conn: Connection, query: str) -> None:
    """MC05, W1"""
    api.store_memory(conn, "The auth-flow starts at the gateway")
    api.store_memory(conn, "Deploys happen on Tuesdays")

    assert texts(api.search_entries(conn, query)) == ["The auth-flow starts at the gateway"]


def test_what_is_near_in_meaning_comes_with_its_similarity(conn: Connection) -> None:
    same = api.store_memory(conn, "Deploys happen on Tuesdays")["id"]
    api.store_memory(conn, "The parser is written in C")

    found = api.vector_search_entries(conn, "Deploys happen on Tuesdays")

    assert found[0]["id"] == same
    assert found[0]["similarity"] == pytest.approx(1.0, abs=1e-3)
    assert all(0.0 <= entry["similarity"] <= 1.0 for entry in found)


def test_the_union_of_both_has_the_relevance_of_the_seeds_rule(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MC07: the similarity where meaning found it, 0.3 where words alone did."""
    both = api.store_memory(conn, "Deploys happen on Tuesdays")["id"]
    api.store_memory(conn, "Something else of no concern")
    monkeypatch.setattr(embeddings, "meaning", lambda *_, **__: None)
    alone = api.store_memory(conn, "Deploys need two approvals from the team")["id"]

    found = {
        entry["id"]: entry["relevance"] for entry in api.hybrid_search(conn, "Deploys happen on Tuesdays")
    }

    similar = {
        entry["id"]: entry["similarity"]
        for entry in api.vector_search_entries(conn, "Deploys happen on Tuesdays")
    }
    assert found == pytest.approx({**similar, alone: 0.3}, abs=1e-4)
    assert found[both] > 0.99


def test_results_are_ranked_by_the_composite_score(conn: Connection) -> None:
    one = api.store_memory(conn, "Deploys happen on Tuesdays", importance=2)["id"]
    two = api.store_memory(conn, "Deploys happen at noon, says the plan", importance=9)["id"]

    ranked = api.rank_results(api.hybrid_search(conn, "when do deploys happen"), limit=2)

    assert {entry["id"] for _, entry in ranked} == {one, two}
    assert ranked[0][0] >= ranked[1][0]


@pytest.mark.parametrize("search", SEARCHES)
def test_every_filter_holds_inside_the_search(conn: Connection, search: object) -> None:
    """MC06, MC15, W3: what is dead, of another type, project or branch takes nobody's place."""
    assert callable(search)
    wanted = api.store_memory(
        conn, "deploys of the app are green", "decision", scope="project", project="app"
    )["id"]
    for number in range(30):
        other = api.store_memory(
            conn, f"deploys of the app are green {number}", "decision", scope="project", project="app"
        )
        api.retire_memory(conn, other["id"])
    api.store_memory(conn, "deploys of the app are green", "fact", scope="project", project="app")
    api.store_memory(conn, "deploys of the app are green", "decision", scope="project", project="tool")
    branch = api.store_memory(
        conn,
        "deploys of the app are green on topic",
        "decision",
        scope="branch",
        project="app",
        branch="topic",
    )["id"]

    query = "deploys of the app are green"
    assert [entry["id"] for entry in search(conn, query, 1, "decision", project="app")] == [wanted]
    on_topic = search(conn, query, 5, "decision", project="app", branch="topic")
    assert {entry["id"] for entry in on_topic} == {wanted, branch}
    assert len(search(conn, query, 10, "decision", project="app", include_superseded=True)) >= 10
    assert {entry["project"] for entry in on_topic} == {"app"}
    with pytest.raises(ValueError, match="entry_type is one of"):
        search(conn, query, entry_type="rumour")


def test_without_a_model_words_find_all_the_same(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """MC02"""
    api.store_memory(conn, "Deploys happen on Tuesdays")
    monkeypatch.setattr(embeddings, "question", lambda *_: None)

    assert api.vector_search_entries(conn, "deploys") == []
    assert [entry["relevance"] for entry in api.hybrid_search(conn, "deploys")] == [0.3]
    assert len(api.search_entries(conn, "deploys")) == 1


@pytest.mark.parametrize("search", SEARCHES)
def test_a_question_without_words_finds_nothing(conn: Connection, search: object) -> None:
    assert callable(search)
    api.store_memory(conn, "Deploys happen on Tuesdays")

    assert search(conn, "  ") == []
