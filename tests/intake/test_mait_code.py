"""Coming from mait-code: everything of a data folder is here afterwards, once, as often as it is imported."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.db.driver import Connection, Value
from memd.errors import BadRequest
from memd.graph import explore
from memd.importers.report import MemoryReport
from memd.intake.log_reading import LogReader
from memd.intake.mait_code import home as homes
from memd.intake.mait_code.run import HomeImport, Places
from memd.memory import table, writer
from memd.memory.dedup import Thresholds
from memd.memory.entry import Draft, MemoryEntry, MemoryScope
from memd.memory.which import Which
from memd.reflection import watermark
from memd.reflection.watermark import Watermark
from memd.services import ImportWish
from memd.sources import attribution
from memd.sources.exclusions import Exclusions
from memd.sources.projects import Project
from tests.intake.mait_code_home import NEWEST, MadeHome, filled
from tests.rows import database

NOW = 1_800_000_000_000
NOVEMBER = 1_793_527_200_000  # 2026-11-01 10:00
ALL = Which(include_superseded=True)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    (tmp_path / "here").mkdir()
    with database(tmp_path / "here") as db:
        yield db


def take(db: Database, folder: Path, *, exclude: Sequence[str] = (), **wish: bool) -> MemoryReport:
    """Import the folder."""
    home = homes.find(str(folder))
    assert home is not None
    here = db.path.parent
    exclusions = Exclusions(exclude, lambda cwd: db.read_now(attribution.remembered, cwd))
    return HomeImport(
        db,
        ImportWish(str(folder), **wish),  # type: ignore[arg-type]
        home,
        Places(here, here / "MEMORY.md"),
        reader=LogReader(db, exclusions),
        thresholds=Thresholds(),
        now_ms=NOW,
        follow_up=None,
    ).run()


def entries(db: Database) -> dict[str, MemoryEntry]:
    return {entry.content: entry for entry in db.read_now(table.listing, ALL, 1000)}


def everything(db: Database) -> list[list[tuple[Value, ...]]]:
    """The rows of all tables that an import writes to."""
    tables = ("entry", "entity", "relationship", "watermark", "project", "project_alias")
    return db.read_now(lambda c: [c.execute(f"SELECT * FROM {name}").fetchall() for name in tables])


@pytest.mark.parametrize("version", range(1, NEWEST + 2))
def test_a_home_of_every_version_comes_in_with_equal_counts(
    db: Database, tmp_path: Path, version: int
) -> None:
    filled(tmp_path / "home", version).close()

    report = take(db, tmp_path / "home")

    graph = (3, 1) if version >= 6 else (0, 0)
    assert (report.format, report.entries, report.imported, report.duplicates) == ("mait-code", 12, 12, 0)
    assert (report.entities, report.relationships) == graph
    assert (report.skipped, report.coerced, report.errors) == ({}, {}, [])
    assert len(entries(db)) == 12
    assert tuple(db.read_now(explore.counts).values()) == graph


def test_entries_keep_what_they_are(db: Database, tmp_path: Path) -> None:
    filled(tmp_path / "home").close()

    take(db, tmp_path / "home")

    found = entries(db)
    decision = found["the decision about topic2"]
    assert (decision.type, decision.importance, decision.created_ms) == ("decision", 3, NOVEMBER)
    assert (decision.first_seen_ms, decision.sightings, decision.live) == (NOVEMBER, 1, True)
    branch = found["only on the branch"]
    assert (branch.scope.level, branch.project_name, branch.scope.branch) == ("branch", "app", "topic")
    old = found["the old way"]
    assert old.superseded_by == found["the fact about topic0"].id
    assert old.superseded_ms == NOVEMBER + 38 * 3_600_000


def test_what_they_found_there_is_found_here(db: Database, tmp_path: Path) -> None:
    filled(tmp_path / "home").close()
    take(db, tmp_path / "home")

    def found(connection: Connection, query: str) -> list[str]:
        rows = connection.execute(
            "SELECT e.content FROM entry_fts f JOIN entry e ON e.id = f.rowid WHERE entry_fts MATCH ?",
            (query,),
        )
        return [str(text) for (text,) in rows]

    assert db.read_now(found, "8081") == ["the port is 8081"]
    assert db.read_now(found, "procedure") == ["the procedure about topic7"]


def test_the_graph_keeps_its_counts_and_windows(db: Database, tmp_path: Path) -> None:
    filled(tmp_path / "home").close()

    take(db, tmp_path / "home")

    ego = db.read_now(explore.ego_graph, "redis")
    assert ego is not None
    assert (ego.centre.name, ego.centre.type, ego.centre.mentions) == ("Redis", "tool", 3)
    assert ego.centre.last_seen_ms - ego.centre.first_seen_ms == (32 * 24 + 1) * 3_600_000
    (edge,) = ego.relationships
    assert (edge.source, edge.type, edge.target, edge.context) == ("app", "uses", "Redis", "as a cache")


def test_twice_is_once(db: Database, tmp_path: Path) -> None:
    filled(tmp_path / "home").close()
    take(db, tmp_path / "home")
    before = everything(db)

    report = take(db, tmp_path / "home")

    assert (report.imported, report.duplicates) == (0, 12)
    assert everything(db) == before


def test_a_newer_copy_adds_what_is_new_and_what_changed(db: Database, tmp_path: Path) -> None:
    home = filled(tmp_path / "home")
    take(db, tmp_path / "home")
    home.entry("a later fact", created_at="2026-11-20 10:00:00")
    home.connection.execute(
        "UPDATE memory_entries SET superseded_at = '2026-11-20 11:00:00' WHERE content = 'the port is 8080'"
    )
    home.connection.execute(
        "UPDATE memory_entries SET importance = 9, reviewed_at = '2026-11-20 11:00:00' WHERE id = 1"
    )
    home.connection.execute("UPDATE memory_entities SET mention_count = 4 WHERE name = 'Redis'")
    home.close()

    report = take(db, tmp_path / "home")

    found = entries(db)
    assert (report.imported, report.duplicates, len(found)) == (1, 12, 13)
    assert not found["the port is 8080"].live
    assert (found["the fact about topic0"].importance, found["the fact about topic0"].reviewed_ms) == (
        9,
        NOVEMBER + (19 * 24 + 1) * 3_600_000,
    )
    assert [one.mentions for one in db.read_now(explore.search, "redis")] == [4]


def test_a_copy_elsewhere_is_the_same_home(db: Database, tmp_path: Path) -> None:
    home = filled(tmp_path / "home")
    take(db, tmp_path / "home")
    home.close()
    (tmp_path / "home").rename(tmp_path / "moved")

    assert take(db, tmp_path / "moved").imported == 0


def test_what_went_here_does_not_come_back(db: Database, tmp_path: Path) -> None:
    filled(tmp_path / "home").close()
    take(db, tmp_path / "home")
    db.write_now(writer.delete, entries(db)["the port is 8080"].id)
    db.write_now(lambda c: c.execute("DELETE FROM entity WHERE name = 'Ada'") and None)

    take(db, tmp_path / "home")

    assert "the port is 8080" not in entries(db)
    assert db.read_now(explore.search, "Ada") == []


def test_an_entry_that_says_just_the_same_here_is_the_same(db: Database, tmp_path: Path) -> None:
    kept = db.write_now(table.insert, Draft("the fact about topic0", importance=9), NOW)
    filled(tmp_path / "home").close()

    report = take(db, tmp_path / "home")

    one = entries(db)["the fact about topic0"]
    assert (report.imported, report.duplicates, len(entries(db))) == (11, 1, 12)
    assert (one.id, one.importance, one.created_ms, one.first_seen_ms) == (kept, 9, NOW, NOVEMBER)


def test_equal_entries_of_a_home_stay_two(db: Database, tmp_path: Path) -> None:
    home = MadeHome(tmp_path / "home")
    home.entry("said twice")
    home.entry("said twice")
    home.close()

    report = take(db, tmp_path / "home")

    assert (report.imported, len(db.read_now(table.listing, ALL, 10))) == (2, 2)


@pytest.mark.parametrize(
    ("values", "what", "expected"),
    [
        ({"entry_type": "rumour"}, "type", ("fact", 5, "global")),
        ({"entry_type": None}, "type", ("fact", 5, "global")),
        ({"importance": 99}, "importance", ("fact", 10, "global")),
        ({"importance": "8"}, None, ("fact", 8, "global")),  # the column makes a number of it
        ({"importance": "much"}, "importance", ("fact", 5, "global")),
        ({"importance": None}, "importance", ("fact", 5, "global")),
        ({"scope": "project"}, "scope", ("fact", 5, "global")),
        ({"scope": "branch", "project": "app"}, "scope", ("fact", 5, "project")),
        ({"scope": "branch", "branch": "topic"}, "scope", ("fact", 5, "global")),
        ({"scope": "global", "project": "app"}, "scope", ("fact", 5, "global")),
        ({"scope": "planet"}, "scope", ("fact", 5, "global")),
        ({"created_at": "yesterday"}, "time", ("fact", 5, "global")),
        ({"created_at": "2026-11-01T10:00:00+00:00"}, None, ("fact", 5, "global")),
    ],
)
def test_a_row_that_does_not_fit_is_bent_and_counted(
    db: Database, tmp_path: Path, values: dict[str, object], what: str | None, expected: tuple[str, int, str]
) -> None:
    home = MadeHome(tmp_path / "home")
    home.entry("a text", **values)
    home.close()

    report = take(db, tmp_path / "home")

    entry = entries(db)["a text"]
    assert (entry.type, entry.importance, entry.scope.level) == expected
    assert report.coerced == ({what: 1} if what else {})
    assert entry.created_ms == (NOW if what == "time" else NOVEMBER)


@pytest.mark.parametrize(
    ("ended", "live"),
    [
        ({}, True),
        ({"superseded_at": "2026-11-03 00:00:00"}, False),
        ({"superseded_by": 99, "superseded_at": "2026-11-03 00:00:00"}, False),  # its successor was deleted
        ({"superseded_by": 1, "superseded_at": "2026-11-03 00:00:00"}, False),  # by itself
        ({"superseded_by": 99}, False),
    ],
)
def test_an_end_without_a_successor_is_a_retirement(
    db: Database, tmp_path: Path, ended: dict[str, object], live: bool
) -> None:
    home = MadeHome(tmp_path / "home")
    home.entry("a text", **ended)
    home.close()

    take(db, tmp_path / "home")

    assert (entries(db)["a text"].live, entries(db)["a text"].superseded_by) == (live, None)


def test_blank_and_endless_texts_are_left_out_and_counted(db: Database, tmp_path: Path) -> None:
    home = MadeHome(tmp_path / "home")
    home.entry("  ")
    home.entry("x" * 100_001)
    home.close()

    assert take(db, tmp_path / "home").skipped == {"empty": 1, "too_large": 1}


def test_words_of_older_vocabularies_are_mapped(db: Database, tmp_path: Path) -> None:
    home = MadeHome(tmp_path / "home", 6)
    one, two = home.entity("Parser", "module"), home.entity("Cluster", "infrastructure")
    home.relationship(one, two, "runs_on")
    home.relationship(one, 99)
    home.close()

    report = take(db, tmp_path / "home")

    ego = db.read_now(explore.ego_graph, "parser")
    assert ego is not None
    assert [entity.type for entity in ego.entities] == ["concept", "service"]
    assert [edge.type for edge in ego.relationships] == ["depends_on"]
    assert report.coerced == {"entity_type": 2, "relationship_type": 1}
    assert report.skipped == {"no_entity": 1}


def test_secrets_are_taken_out_of_every_text(db: Database, tmp_path: Path) -> None:
    key = "AKIAIOSFODNN7EXAMPLE"
    home = MadeHome(tmp_path / "home")
    home.entry(f"the key is {key}")
    home.relationship(home.entity("app"), home.entity("vault"), "uses", f"with {key}")
    (tmp_path / "home" / "memory" / "MEMORY.md").write_text(f"- {key}\n")
    home.close()

    report = take(db, tmp_path / "home")

    assert key not in str(everything(db)) + (db.path.parent / "MEMORY.md").read_text()
    assert report.redactions == {"aws_key": 2}


def test_projects_are_those_of_their_names_now(db: Database, tmp_path: Path) -> None:
    app = db.write_now(attribution.row_of, Project("app", "/dev/app", "git"))
    home = MadeHome(tmp_path / "home")
    home.entry("of the app", scope="project", project="app")
    home.entry("of its former name", scope="project", project="old-app")
    home.entry("of another", scope="project", project="unknown-one")
    (tmp_path / "home" / "project-aliases.json").write_text('{"old-app": "app", "older-app": "app"}')
    home.close()

    take(db, tmp_path / "home")

    found = entries(db)
    assert found["of the app"].scope == found["of its former name"].scope == MemoryScope(app)
    assert found["of another"].project == "unknown-one"
    assert db.read_now(attribution.named, "older-app") == [app]


def test_what_is_of_an_excluded_project_is_left_out(db: Database, tmp_path: Path) -> None:
    filled(tmp_path / "home").close()

    report = take(db, tmp_path / "home", exclude=["/dev/app"])

    assert (report.imported, report.skipped) == (9, {"excluded": 3})
    assert "the port is 8080" not in entries(db)


def test_a_broken_map_of_aliases_is_told_and_stops_nothing(db: Database, tmp_path: Path) -> None:
    filled(tmp_path / "home").close()
    (tmp_path / "home" / "project-aliases.json").write_text("[")

    report = take(db, tmp_path / "home")

    assert report.imported == 12
    assert "is no map of aliases" in report.errors[0]


def test_what_was_reflected_there_is_so_here(db: Database, tmp_path: Path) -> None:
    home = filled(tmp_path / "home")
    home.add("reflection_watermark", project="", last_reflected_id=8, last_reflected_at="2026-11-02 00:00:00")
    home.add(
        "reflection_watermark", project="app", last_reflected_id=10, last_reflected_at="2026-11-02 00:00:00"
    )
    home.close()

    take(db, tmp_path / "home")

    found = entries(db)
    app = db.read_now(attribution.named, "app")[0]
    mark = db.read_now(watermark.get, None)
    assert mark == Watermark(found["the procedure about topic7"].id, NOVEMBER + 14 * 3_600_000)
    assert db.read_now(watermark.get, app) == Watermark(found["the port is 8081"].id, mark.at_ms)


def test_a_watermark_never_passes_an_entry_that_was_not_reflected_on(db: Database, tmp_path: Path) -> None:
    db.write_now(table.insert, Draft("memd's own, and not reflected on"), NOW)
    home = filled(tmp_path / "home")
    home.add("reflection_watermark", project="", last_reflected_id=8, last_reflected_at="2026-11-02 00:00:00")
    home.close()

    take(db, tmp_path / "home")

    assert db.read_now(watermark.get, None) is None


def test_what_waits_for_a_reflection_here_goes_on_waiting(db: Database, tmp_path: Path) -> None:
    """W11: what lies before the days that a first reflection read."""
    own = db.write_now(table.insert, Draft("from before its days"), NOW)
    db.write_now(watermark.put, None, Watermark(own, NOW, floor=own))
    home = filled(tmp_path / "home")
    home.add("reflection_watermark", project="", last_reflected_id=8, last_reflected_at="2026-11-02 00:00:00")
    home.close()

    take(db, tmp_path / "home")

    mark = db.read_now(watermark.get, None)
    assert mark is not None and mark.entry > own
    assert mark.floor == own


def test_the_memory_file_is_taken_where_there_is_none(db: Database, tmp_path: Path) -> None:
    filled(tmp_path / "home").close()
    (tmp_path / "home" / "memory" / "MEMORY.md").write_text("- use make\n")
    ours = db.path.parent / "MEMORY.md"

    first = take(db, tmp_path / "home")
    ours.write_text("- mine\n")
    second = take(db, tmp_path / "home")

    assert first.memory_md == f"copied to {ours}"
    assert second.memory_md == f"left where it is: {ours} is there already"
    assert ours.read_text() == "- mine\n"
    assert ours.stat().st_mode & 0o777 == 0o600


def test_a_dry_run_says_what_would_be_and_writes_nothing(db: Database, tmp_path: Path) -> None:
    filled(tmp_path / "home").close()
    (tmp_path / "home" / "memory" / "MEMORY.md").write_text("- use make\n")

    report = take(db, tmp_path / "home", dry_run=True)

    assert (report.imported, report.entities, report.relationships) == (12, 3, 1)
    assert everything(db) == [[]] * 6
    assert sorted(os.listdir(db.path.parent)) == ["memd.db", "memd.db-shm", "memd.db-wal"]


def test_strict_takes_all_or_nothing(db: Database, tmp_path: Path) -> None:
    home = filled(tmp_path / "home")
    home.entry("odd", importance=99)
    home.close()

    with pytest.raises(BadRequest, match="1 rows do not fit"):
        take(db, tmp_path / "home", strict=True)

    assert entries(db) == {}


def _in_wal(home: MadeHome) -> None:
    assert Path(f"{home.folder}/memory.db-wal").stat().st_size > 0


def _closed(home: MadeHome) -> None:
    home.close()


def _read_only(home: MadeHome) -> None:
    home.close()
    (home.folder / "memory.db").chmod(0o400)
    home.folder.chmod(0o500)


@pytest.mark.parametrize("left", [_in_wal, _closed, _read_only])
def test_the_home_is_left_as_it_was(db: Database, tmp_path: Path, left: Callable[[MadeHome], None]) -> None:
    home = filled(tmp_path / "home")
    left(home)
    files = {
        path.name: path.read_bytes()
        for path in home.folder.iterdir()
        if path.suffix != ".db-shm" and path.is_file()
    }

    report = take(db, home.folder)

    assert report.imported == 12
    home.folder.chmod(0o700)
    assert files == {path.name: path.read_bytes() for path in home.folder.iterdir() if path.name in files}
    assert {path.name for path in home.folder.iterdir()} <= {*files, "memory", "memory.db-shm"}


def test_a_home_is_known_by_its_tables(db: Database, tmp_path: Path) -> None:
    filled(tmp_path / "home").close()
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "memory.db").write_text("no database")

    home = homes.find(str(tmp_path / "home"))
    assert home is not None and homes.is_ours(home, tmp_path)
    assert homes.find(str(tmp_path / "home" / "memory.db")) is not None
    assert homes.find(str(tmp_path / "text")) is None
    assert "text/memory.db cannot be read: it is damaged, or no SQLite" in homes.why_none(
        str(tmp_path / "text")
    )
    assert homes.why_none(str(tmp_path)) == "its memory.db is not there"
    other = homes.MaitCodeHome(tmp_path / "here", db.path)
    assert not homes.is_ours(other, tmp_path)


def test_a_damaged_database_is_refused_and_nothing_else_suffers(db: Database, tmp_path: Path) -> None:
    filled(tmp_path / "home").close()
    path = tmp_path / "home" / "memory.db"
    raw = path.read_bytes()
    path.write_bytes(raw[:100] + b"\xff" * (len(raw) - 100))

    with pytest.raises(BadRequest, match="is damaged, nothing is imported"):
        take(db, tmp_path / "home")
