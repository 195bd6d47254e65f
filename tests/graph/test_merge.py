"""Two entities that are one thing, made one."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.db import journal
from memd.db.driver import Connection
from memd.errors import BadRequest, NotFound
from memd.graph import explore, merge, table
from tests.rows import database


def named(connection: Connection, *names: str) -> list[int]:
    return [table.upsert_entity(connection, name, "unknown", 50) for name in names]


def edges(connection: Connection, name: str) -> set[tuple[str, str, str, str]]:
    graph = explore.ego_graph(connection, name)
    assert graph
    return {(one.source, one.type, one.target, one.context) for one in graph.relationships}


def test_a_merge_repoints_joins_and_drops_edges_and_counts_them(connection: Connection) -> None:
    """MC18: the reference's table of a merge, with its counts."""
    user, ada, app, redis = named(connection, "User", "Ada", "app", "Redis")
    table.upsert_relationship(connection, user, ada, "related_to", "the same", 1)
    table.upsert_relationship(connection, ada, user, "manages", "", 1)
    table.upsert_relationship(connection, user, app, "owns", "of old", 10)
    table.upsert_relationship(connection, ada, app, "owns", "by name", 20)
    table.upsert_relationship(connection, app, user, "depends_on", "", 30)
    table.upsert_relationship(connection, user, redis, "uses", "daily", 40)

    merged = merge.merge(connection, "user", "ADA")

    counted = (merged.relationships_repointed, merged.relationships_deduplicated, merged.self_loops_dropped)
    assert counted == (2, 1, 2)
    assert edges(connection, "Ada") == {
        ("Ada", "owns", "app", "by name"),
        ("app", "depends_on", "Ada", ""),
        ("Ada", "uses", "Redis", "daily"),
    }
    [owns] = [one for one in explore.relationships(connection, ada) if one.type == "owns"]
    assert (owns.first_seen_ms, owns.last_seen_ms) == (10, 20)


def test_a_merge_sums_mentions_widens_the_window_and_upgrades_the_type(connection: Connection) -> None:
    """MC18: what stays holds what both held."""
    table.upsert_entity(connection, "User", "person", 10)
    table.upsert_entity(connection, "user", "person", 90)
    table.upsert_entity(connection, "Ada", "unknown", 50)

    target = merge.merge(connection, "User", "Ada").target

    assert (target.name, target.type, target.mentions) == ("Ada", "person", 3)
    assert (target.first_seen_ms, target.last_seen_ms) == (10, 90)


def test_a_merged_name_does_not_come_back(connection: Connection) -> None:
    """W35: it is another name of the one that stayed, also over several merges."""
    named(connection, "User", "Ada L.", "Ada")
    merge.merge(connection, "User", "Ada L.")
    merge.merge(connection, "Ada L.", "Ada")

    [ada] = {table.upsert_entity(connection, name, "person", 1) for name in ("user", "ada l", "Ada", "USER.")}

    found = table.find(connection, "user")
    assert found and (found.id, found.name, found.mentions) == (ada, "Ada", 7)
    assert table.aliases(connection, ada) == ["Ada L.", "User"]
    assert [one.name for one in explore.search(connection, "use")] == ["Ada"]


def test_an_edge_of_the_merged_one_to_itself_is_no_stumbling_block(connection: Connection) -> None:
    user, _ = named(connection, "User", "Ada")
    table.upsert_relationship(connection, user, user, "manages", "", 1)

    assert merge.merge(connection, "User", "Ada").self_loops_dropped == 1
    assert edges(connection, "Ada") == set()


def test_a_merge_of_what_is_missing_or_the_same_is_refused(connection: Connection) -> None:
    """MC18: an error, and nothing is changed."""
    named(connection, "User", "Ada")
    with pytest.raises(NotFound, match="no entity 'Eve'"):
        merge.merge(connection, "Eve", "Ada")
    with pytest.raises(NotFound, match="no entity 'Eve'"):
        merge.merge(connection, "Ada", "Eve")
    with pytest.raises(BadRequest, match="is Ada already"):
        merge.merge(connection, "ada", "Ada")

    merge.merge(connection, "User", "Ada")

    with pytest.raises(BadRequest, match="is Ada already"):
        merge.merge(connection, "User", "Ada")


def test_a_merge_can_be_undone(tmp_path: Path) -> None:
    """MC18: every entity, alias and edge is back as it was."""
    with database(tmp_path) as db:

        def fill(connection: Connection) -> None:
            user, ada, app = named(connection, "User", "Ada", "app")
            table.upsert_relationship(connection, user, app, "owns", "of old", 10)
            table.upsert_relationship(connection, ada, app, "owns", "by name", 20)
            table.upsert_relationship(connection, user, ada, "manages", "", 20)

        def everything(connection: Connection) -> list[object]:
            tables = ("entity", "entity_alias", "relationship")
            return [connection.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in tables]

        db.write_now(fill)
        before = db.read_now(everything)
        db.write_now(lambda c: journal.record(c, "entities merge", 1, lambda: merge.merge(c, "User", "Ada")))
        assert db.read_now(everything) != before

        db.write_now(journal.undo, None, 2)

        assert db.read_now(everything) == before
