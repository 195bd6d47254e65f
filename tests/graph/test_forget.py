"""What is forgotten goes from the graph, and does not come back."""

from __future__ import annotations

from memd.db.driver import Connection
from memd.graph import explore, forget, merge, table


def test_forgetting_a_text_removes_what_names_it_and_nothing_else(connection: Connection) -> None:
    app = table.upsert_entity(connection, "app", "project", 1)
    secret = table.upsert_entity(connection, "Project Zebra", "project", 1)
    redis = table.upsert_entity(connection, "Redis", "tool", 1)
    table.upsert_entity(connection, "zebra cache", "tool", 1)
    merge.merge(connection, "zebra cache", "Redis")
    edges = [
        table.upsert_relationship(connection, app, secret, "uses", "", 1),
        table.upsert_relationship(connection, app, redis, "uses", "for zebra", 1),
        table.upsert_relationship(connection, app, redis, "owns", "for all", 1),
    ]

    gone = forget.remove(connection, forget.find(connection, "ZEBRA"))

    assert set(gone) == {
        ("entity", (secret,)),
        ("entity_alias", ("zebra cache",)),
        ("relationship", (edges[0],)),
        ("relationship", (edges[1],)),
    }
    assert [one.name for one in explore.search(connection, "")] == ["Redis", "app"]
    assert [one.id for one in explore.relationships(connection, app)] == [edges[2]]
    assert not forget.find(connection, "zebra")


def test_a_forgotten_name_is_known_however_it_is_written(connection: Connection) -> None:
    table.upsert_entity(connection, "Zebra", "project", 1)
    forget.remove(connection, forget.find(connection, "zebra"))

    assert forget.is_forgotten(connection, forget.of_name("the ZEBRA."))
    assert not forget.is_forgotten(connection, forget.of_name("Redis"))


def test_what_a_copy_still_holds_is_found_by_its_marks(connection: Connection) -> None:
    app = table.upsert_entity(connection, "app", "project", 1)
    zebra = table.upsert_entity(connection, "Zebra", "project", 1)
    edge = table.upsert_relationship(connection, app, zebra, "uses", "in secret", 1)
    held = [forget.of_name("zebra"), forget.of_context("in secret")]

    meant = forget.returned(connection, held)

    assert (meant.entities, meant.edges) == ([(zebra, "Zebra")], [(edge, "in secret")])
    assert forget.marks(meant) == sorted(held)
    forget.remove(connection, meant)
    assert not forget.returned(connection, held)
