"""Sightings of entities and relationships, in whatever order they come."""

from __future__ import annotations

import pytest

from memd.db.driver import Connection
from memd.errors import BadRequest
from memd.graph import explore, table
from memd.graph.entity import Entity, Relationship, entity_type, relationship_type


def the(connection: Connection, name: str) -> Entity:
    found = table.find(connection, name)
    assert found
    return found


def edge(connection: Connection, source: int, target: int) -> Relationship:
    [one] = [one for one in explore.relationships(connection, source) if one.target_id == target]
    return one


def test_an_entity_is_one_whatever_the_case_of_its_name(connection: Connection) -> None:
    """MC16: names are compared without case; mentions are counted, and the first name stays."""
    first = table.upsert_entity(connection, "  Redis ", "tool", 20)
    second = table.upsert_entity(connection, "REDIS", "tool", 30)

    assert first == second
    assert the(connection, "redis") == Entity(first, "Redis", "tool", 2, 20, 30)


def test_a_type_is_taken_only_where_none_is_known(connection: Connection) -> None:
    """MC16: unknown is upgraded, and what is known stays."""
    table.upsert_entity(connection, "Redis", "unknown", 1)
    table.upsert_entity(connection, "Redis", "tool", 2)
    table.upsert_entity(connection, "Redis", "person", 3)
    table.upsert_entity(connection, "Redis", "unknown", 4)

    assert the(connection, "Redis").type == "tool"


def test_an_earlier_sighting_that_comes_late_widens_the_window(connection: Connection) -> None:
    """MC16: the window is that of the records' own times, and the name that of the earliest."""
    table.upsert_entity(connection, "redis", "tool", 20)
    table.upsert_entity(connection, "Redis", "tool", 10)
    table.upsert_entity(connection, "REDIS", "tool", 15)

    found = the(connection, "redis")
    assert (found.name, found.first_seen_ms, found.last_seen_ms, found.mentions) == ("Redis", 10, 20, 3)


@pytest.mark.parametrize("name", ["Redis.", '"Redis"', "the Redis", "`redis`", "ＲＥＤＩＳ", "The  redis!"])
def test_simple_variants_of_a_name_are_one_entity(connection: Connection, name: str) -> None:
    """W35: quotes, punctuation behind, an article and width make no other thing of it."""
    table.upsert_entity(connection, "Redis", "tool", 1)

    table.upsert_entity(connection, name, "unknown", 2)

    assert [one.name for one in explore.search(connection, "")] == ["Redis"]


def test_names_that_differ_in_more_stay_apart(connection: Connection) -> None:
    for name in ("C", "C++", "C#", "node", "node.js", ".NET", "net", "The"):
        table.upsert_entity(connection, name, "tool", 1)

    assert explore.counts(connection)["entities"] == 8


def test_a_name_of_blanks_is_refused(connection: Connection) -> None:
    with pytest.raises(BadRequest, match="needs a name"):
        table.upsert_entity(connection, " \n", "tool", 1)


def test_an_edge_is_one_however_often_it_is_seen(connection: Connection) -> None:
    """MC17: unique by both ends and its type; what is said of it is what was said last."""
    app = table.upsert_entity(connection, "app", "project", 1)
    redis = table.upsert_entity(connection, "Redis", "tool", 1)
    first = table.upsert_relationship(connection, app, redis, "uses", "as a cache", 10)
    second = table.upsert_relationship(connection, app, redis, "uses", "as a queue", 20)
    other = table.upsert_relationship(connection, app, redis, "depends_on", "", 20)

    assert first == second != other
    seen = explore.relationships(connection, app)
    assert [(one.type, one.context, one.first_seen_ms, one.last_seen_ms) for one in seen] == [
        ("depends_on", "", 20, 20),
        ("uses", "as a queue", 10, 20),
    ]


def test_what_is_said_of_an_edge_is_neither_emptied_nor_made_older(connection: Connection) -> None:
    """MC17: a context is refreshed by one that is different and newer."""
    app = table.upsert_entity(connection, "app", "project", 1)
    redis = table.upsert_entity(connection, "Redis", "tool", 1)
    table.upsert_relationship(connection, app, redis, "uses", "as a cache", 20)
    table.upsert_relationship(connection, app, redis, "uses", "", 30)
    table.upsert_relationship(connection, app, redis, "uses", "long ago", 10)

    one = edge(connection, app, redis)
    assert (one.context, one.first_seen_ms, one.last_seen_ms) == ("as a cache", 10, 30)


@pytest.mark.parametrize(
    ("word", "type_"),
    [
        ("Tool", "tool"),
        (" ORG ", "org"),
        ("component", "concept"),
        ("Infrastructure", "service"),
        ("system", "service"),
        ("database", "unknown"),
        (None, "unknown"),
        (["tool"], "unknown"),
    ],
)
def test_entity_types_are_coerced(word: object, type_: str) -> None:
    """MC16: however it is written; words of older vocabularies too."""
    assert entity_type(word) == type_


@pytest.mark.parametrize(
    ("word", "type_"),
    [
        ("Contributes To", "contributes_to"),
        ("contributes-to", "contributes_to"),
        ("runs on", "depends_on"),
        ("IMPLEMENTS", "contributes_to"),
        ("integrates_with", "uses"),
        ("hates", "related_to"),
        (7, "related_to"),
    ],
)
def test_relationship_types_are_coerced(word: object, type_: str) -> None:
    """MC17: junk is related_to."""
    assert relationship_type(word) == type_
