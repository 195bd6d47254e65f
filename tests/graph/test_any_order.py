"""Sightings in any order make one graph."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memd.db import driver, migrate
from memd.db.driver import Connection
from memd.graph import table

NAMES = ("Redis", "redis.", "the Redis", "app", "APP", "Kafka")
TYPES = {"r": "tool", "a": "project", "k": "service", "t": "tool"}

Sighting = tuple[str, str, bool]


def graph(sightings: list[tuple[int, Sighting]]) -> list[object]:
    connection = driver.connect(Path(":memory:"), write=True)
    migrate.build(connection, migrate.newest())
    for at_ms, sighting in sightings:
        see(connection, at_ms, *sighting)
    entities = connection.execute(
        "SELECT key, name, type, mentions, first_seen_ms, last_seen_ms FROM entity ORDER BY 1"
    )
    edges = connection.execute(
        """SELECT s.key, t.key, r.type, context, r.first_seen_ms, r.last_seen_ms FROM relationship r
           JOIN entity s ON s.id = source_id JOIN entity t ON t.id = target_id ORDER BY 1, 2"""
    )
    found = [entities.fetchall(), edges.fetchall()]
    connection.close()
    return found


def see(connection: Connection, at_ms: int, source: str, target: str, typed: bool) -> None:
    ends = [
        table.upsert_entity(connection, name, TYPES[name[0].lower()] if typed else "unknown", at_ms)
        for name in (source, target)
    ]
    table.upsert_relationship(connection, *ends, "uses", f"said at {at_ms}", at_ms)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_the_graph_does_not_depend_on_the_order_of_sightings(data: st.DataObject) -> None:
    said = data.draw(
        st.lists(
            st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.booleans()), min_size=1, max_size=12
        )
    )
    timed = list(enumerate(said))

    assert graph(data.draw(st.permutations(timed))) == graph(timed)
