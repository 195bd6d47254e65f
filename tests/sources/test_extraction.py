"""Extractions as models write them: everything that can be meant is taken, the rest is counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory.entry import LEVELS
from memd.sources import extraction
from memd.sources.extraction import Edge, Thing, read, resolve_scope

TABLE = [
    # category, said, project, branch, level
    ("facts", None, None, None, "global"),
    ("facts", "branch", None, "wip", "global"),
    ("decisions", "project", None, None, "global"),
    ("facts", None, "app", None, "project"),
    ("facts", None, "app", "wip", "branch"),
    ("preferences", None, "app", None, "global"),
    ("preferences", None, "app", "wip", "global"),
    ("decisions", None, "app", None, "project"),
    ("decisions", None, "app", "wip", "project"),
    ("procedures", None, "app", "wip", "project"),
    ("bugs_fixed", None, "app", None, "project"),
    ("bugs_fixed", None, "app", "wip", "branch"),
    ("facts", "nowhere", "app", "wip", "branch"),
    ("facts", 7, "app", None, "project"),
    ("facts", " Global ", "app", "wip", "global"),
]


@pytest.mark.parametrize(("category", "said", "project", "branch", "level"), TABLE)
def test_scopes_are_resolved_by_the_table(
    category: str, said: object, project: str | None, branch: str | None, level: str
) -> None:
    """MC21: without a project all is global; else what the model says holds; else the category decides."""
    assert resolve_scope({"scope": said}, category, project, branch) == level


@pytest.mark.parametrize("category", extraction.TYPES)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("branch", [None, "wip"])
def test_a_scope_that_a_model_gives_holds_for_every_category(
    category: str, level: str, branch: str | None
) -> None:
    """MC21: it is the first to be heard, wherever there is a project."""
    assert resolve_scope({"scope": level}, category, "app", branch) == level


def test_the_categories_become_types() -> None:
    said = {category: [f"of {category}"] for category in extraction.TYPES}

    found = read(said, None, None)

    assert {(one.content, one.type) for one in found.statements} == {
        ("of facts", "fact"),
        ("of preferences", "preference"),
        ("of decisions", "decision"),
        ("of procedures", "procedure"),
        ("of bugs_fixed", "event"),
    }


@pytest.mark.parametrize(
    ("said", "importance"),
    [
        (8, 8),
        ("8", 8),
        (" 8/10 ", 8),
        ("7.5", 7),
        (7.9, 7),
        (0, 1),
        (99, 10),
        ("999", 10),
        (-3, 1),
        (None, 5),
        ("high", 5),
        (True, 5),
        ([8], 5),
        (float("nan"), 5),
        (float("inf"), 10),
        (10**400, 10),
    ],
)
def test_an_importance_is_understood_however_it_is_written(said: object, importance: int) -> None:
    """W22: the text "8" is no reason to drop what it belongs to."""
    [one] = read({"facts": [{"content": "x", "importance": said}]}, None, None).statements

    assert one.importance == importance


def test_items_of_a_wrong_shape_are_counted_and_the_others_are_taken() -> None:
    """W22, MC20: a text, a number, a list where an object belongs. Null is what was forgotten."""
    found = read(
        {
            "facts": [None, "a text", 7, [], {"content": None}, {"content": " "}, {}, {"content": "said"}],
            "preferences": None,
            "decisions": {"content": "alone, not in a list"},
            "procedures": "alone, and a text",
            "bugs_fixed": 3.5,
            "entities": ["Redis", None, {"name": None}, {"name": "Kafka", "entity_type": "Tool"}],
            "relationships": ["app uses Redis", {"source": "app"}, {"source": "app", "target": "Redis"}],
        },
        None,
        None,
    )

    assert [(one.place, one.content) for one in found.statements] == [
        ("facts/1", "a text"),
        ("facts/7", "said"),
        ("decisions/0", "alone, not in a list"),
        ("procedures/0", "alone, and a text"),
    ]
    assert found.things == [Thing("Redis", "unknown"), Thing("Kafka", "tool")]
    assert found.edges == [Edge("app", "Redis", "related_to", "")]
    assert found.bad == 5 + 1 + 1 + 2
    assert found.dropped == {"forgotten": 2}


def test_what_is_not_worth_a_place_in_the_graph_is_dropped_with_its_reason() -> None:
    """W35: versions, hashes, cards, branches and numbers are no entities; nor has a thing an edge to itself."""
    found = read(
        {
            "entities": ["1.2.3", "abc1234", "PR #7", "wip", "42", "Redis"],
            "relationships": [
                {"source": "app", "target": "v2", "relationship_type": "uses"},
                {"source": "Redis", "target": "the redis", "relationship_type": "uses"},
            ],
        },
        "app",
        "wip",
    )

    assert found.things == [Thing("Redis", "unknown")]
    assert found.edges == []
    assert dict(found.dropped) == {"version": 2, "hash": 1, "card": 1, "branch": 1, "number": 1, "loop": 1}
    assert found.bad == 0


def test_an_endless_category_or_text_is_bad_from_the_limit_on() -> None:
    found = read({"facts": ["x"] * 1_005, "decisions": ["x" * 10_001]}, None, None)

    assert (len(found.statements), found.bad) == (1_000, 6)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
ITEM = JSON | st.dictionaries(
    st.sampled_from(("content", "importance", "scope", "name", "entity_type", "source", "target", "context")),
    JSON,
)


@given(
    st.dictionaries(st.sampled_from((*extraction.TYPES, "entities", "relationships")), JSON | st.lists(ITEM))
)
def test_no_shape_raises(said: dict[str, object]) -> None:
    """MC20: whatever JSON a model writes."""
    found = read(said, "app", "wip")

    assert found.bad >= 0
    assert all(one.content.strip() and 1 <= one.importance <= 10 for one in found.statements)
