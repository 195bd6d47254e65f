"""Lists, neighbourhoods and their drawings, in orders that do not change by themselves."""

from __future__ import annotations

import pytest

from memd.db.driver import Connection
from memd.errors import NotFound
from memd.graph import draw, explore, table


@pytest.fixture
def graph(connection: Connection) -> Connection:
    """Ada owns and manages app, which uses Redis and Kafka; Bob stands alone."""
    ids = {
        name: table.upsert_entity(connection, name, "unknown", at_ms, mentions=mentions)
        for name, at_ms, mentions in (
            ("app", 10, 5),
            ("Redis", 30, 2),
            ("Ada", 20, 2),
            ("bob", 20, 2),
            ("Kafka", 40, 1),
        )
    }
    for source, type_, target in (
        ("app", "uses", "Redis"),
        ("app", "uses", "Kafka"),
        ("app", "depends_on", "Redis"),
        ("Ada", "owns", "app"),
        ("Ada", "manages", "app"),
        ("Redis", "related_to", "Kafka"),
    ):
        table.upsert_relationship(connection, ids[source], ids[target], type_, "", 1)
    return connection


def test_a_list_goes_by_mentions_then_by_the_last_sighting_then_by_id(graph: Connection) -> None:
    """MC18: with the degree of each."""
    found = [(one.entity.name, one.degree) for one in explore.listing(graph)]

    assert found == [("app", 5), ("Redis", 3), ("Ada", 2), ("bob", 0), ("Kafka", 2)]


def test_a_list_hides_only_what_it_is_asked_to_hide(graph: Connection) -> None:
    """W35: single mentions and loners are left out where somebody asks for it."""

    def names(**options: object) -> list[str]:
        return [one.entity.name for one in explore.listing(graph, **options)]

    assert len(names()) == 5
    assert names(min_mentions=2) == ["app", "Redis", "Ada", "bob"]
    assert names(min_mentions=2, require_relationship=True) == ["app", "Redis", "Ada"]
    assert names(limit=1) == ["app"]
    assert names(query="A", limit=2) == ["app", "Ada"]
    assert names(query="the ADA!") == ["Ada"]
    assert names(query="nothing") == []


def test_a_neighbourhood_has_its_centre_first_and_its_own_edges_first(graph: Connection) -> None:
    """MC18: neighbours by mentions then name; edges that go out, then by source, type and target."""
    ego = explore.ego_graph(graph, "APP")
    assert ego

    assert [one.name for one in ego.entities] == ["app", "Ada", "Redis", "Kafka"]
    assert [(one.source, one.type, one.target) for one in ego.relationships] == [
        ("app", "depends_on", "Redis"),
        ("app", "uses", "Kafka"),
        ("app", "uses", "Redis"),
        ("Ada", "manages", "app"),
        ("Ada", "owns", "app"),
    ]


def test_there_is_no_neighbourhood_of_nothing(graph: Connection) -> None:
    with pytest.raises(NotFound, match="no entity 'Eve'"):
        table.known(graph, "Eve")


def test_a_neighbourhood_is_drawn_as_text(graph: Connection) -> None:
    ego = explore.ego_graph(graph, "Redis")
    assert ego

    assert draw.text(ego) == (
        "Redis (unknown, mentioned 2 times)\n├─ related_to → Kafka\n├─ depends_on ← app\n└─ uses ← app\n"
    )


def test_what_was_mentioned_once_is_said_so(graph: Connection) -> None:
    table.upsert_entity(graph, "Zebra", "unknown", 1)
    ego = explore.ego_graph(graph, "Zebra")
    assert ego

    assert draw.text(ego) == "Zebra (unknown, mentioned once)\n"


def test_a_neighbourhood_is_drawn_as_dot_and_mermaid(graph: Connection) -> None:
    ego = explore.ego_graph(graph, "Kafka")
    assert ego

    assert draw.dot(ego) == (
        "digraph memory {\n  rankdir=LR;\n  node [shape=box];\n"
        '  e5 [label="Kafka\\nunknown", penwidth=2];\n  e1 [label="app\\nunknown"];\n'
        '  e2 [label="Redis\\nunknown"];\n'
        '  e2 -> e5 [label="related_to"];\n  e1 -> e5 [label="uses"];\n}\n'
    )
    assert draw.mermaid(ego) == (
        'graph LR\n  e5["Kafka"]\n  e1["app"]\n  e2["Redis"]\n'
        "  e2 -->|related_to| e5\n  e1 -->|uses| e5\n  style e5 stroke-width:3px\n"
    )


def test_a_diagram_brings_back_no_character_that_turns_text(connection: Connection) -> None:
    """R13: a viewer of Mermaid shows a number as its character."""
    table.upsert_entity(connection, "Bi\u202edi", "tool", 1)
    ego = explore.ego_graph(connection, "Bi\u202edi")

    assert ego and draw.mermaid(ego).splitlines()[1] == '  e1["Bi#60;U+202E#62;di"]'


@pytest.mark.parametrize(
    "name", ['a"b', "a\\", 'x"]; e9 [label="', "a\nb", "#quot;", "<b>bold</b>", "]\n  click e1"]
)
def test_no_name_breaks_out_of_a_drawing(connection: Connection, name: str) -> None:
    table.upsert_entity(connection, name, "tool", 1)
    ego = explore.ego_graph(connection, name)
    assert ego

    dotted = draw.dot(ego).splitlines()
    assert len(dotted) == 5
    label = dotted[3].removeprefix('  e1 [label="').removesuffix('\\ntool", penwidth=2];')
    assert label.replace("\\\\", "").replace('\\"', "").count('"') == 0
    assert not label.replace("\\\\", "").endswith("\\")
    lines = draw.mermaid(ego).splitlines()
    assert len(lines) == 3
    assert set('"<>[]#\\') & set(lines[1].removeprefix('  e1["').removesuffix('"]')) <= {"#"}
