"""Salvage: a lost page costs its own rows, nothing wrong comes back, and what derives from the turns is made anew."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memd.db import check, driver, migrate, salvage, vector_tables
from memd.db.driver import Connection
from memd.memory import table as entry_table
from memd.memory.entry import EVERYWHERE, Draft, MemoryScope, Source
from memd.turns import spaces, table
from tests import damage, rows
from tests.db import schemas

TURNS = 600
ENTRIES = 400
TURNS_OF_A_PAGE = 100
LONGEST = 10_000


def text(number: int) -> str:
    """Short, long (over several pages), and beyond ASCII."""
    return f"word{number} naïve café 日本語 " + "x y z " * (LONGEST // 6 if number % 97 == 0 else number % 50)


EXPECTED = {f"s{n % 9}-{n}": (f"s{n % 9}", text(n)) for n in range(TURNS)}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a database with something in every table that is no index."""
    folder = tmp_path_factory.mktemp("sound")
    with rows.database(folder) as db:
        for at in range(0, TURNS, 100):
            turns = [rows.turn(n, text(n), session=f"s{n % 9}") for n in range(at, at + 100)]
            rows.store(db, turns, cwd=f"/home/dev/p{at}")
        db.write_now(_fill)
        db.write_now(_curate)
    return (folder / "memd.db").read_bytes()


def _fill(connection: Connection) -> None:
    for statement in (
        "INSERT INTO meta VALUES ('key', 'value')",
        "INSERT INTO redaction VALUES ('aws_key', 7)",
        "INSERT INTO job (kind, key, lane, run_at_ms, max_attempts, created_ms, updated_ms, state, error)"
        " VALUES ('k', 'key', 'l', 1, 5, 1, 1, 'dead', 'why')",
        # Enough to need an inner page.
        "INSERT INTO tombstone WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 900)"
        " SELECT randomblob(16) FROM n",
        "INSERT INTO file (path, device, inode, size, mtime_ns, offset, head_hash, tail_hash, session, missing)"
        " VALUES ('/p/a.jsonl', 1, 2, 3, 4, 500, x'01', x'02', 's1', 1)",
        "INSERT INTO file_chunk SELECT id, 1, x'00' FROM file",
        "UPDATE turn SET file_id = (SELECT id FROM file)",
    ):
        connection.execute(statement)


def _curate(connection: Connection) -> None:
    """Entries that hang on projects and on each other, a graph, a log with what was absorbed of it."""
    for n in range(1, ENTRIES + 1):
        scope = MemoryScope(1 + n % 6, "auth" if n % 4 == 0 else None) if n % 3 else EVERYWHERE
        entry_table.insert(connection, Draft(said(n), scope=scope, sources=[Source("turn", f"s1-{n}")]), n)
    for statement in (
        "UPDATE entry SET superseded_by = id + 1, superseded_ms = 9 WHERE id % 50 = 1",
        "INSERT INTO watermark (id, project_id, entry_id, at_ms) VALUES (1, 2, 7, 9)",
        "INSERT INTO entity VALUES (1, 'redis', 'Redis', 'tool', 3, 4, 5), (2, 'app', 'app', 'project', 1, 4, 5)",
        "INSERT INTO relationship VALUES (1, 2, 1, 'uses', 'as a cache', 4, 5)",
        "INSERT INTO observation_log VALUES (1, '/o/2026-11-30.jsonl', 1, 2, 3, 4, 3, x'01', x'02', 0, 1)",
        "INSERT INTO observation (id, key, log_id, day, position, at_ms, trigger, project, extraction, absorbed_ms)"
        " VALUES (1, x'01', 1, '2026-11-30', 0, 9, 'precompact', 'app', '{}', 9)",
        "INSERT INTO space (id, key, dim) VALUES (1, 'hash/8', 8)",
        "INSERT INTO entry_vector SELECT id, 1, id, 0, zeroblob(8) FROM entry",
    ):
        connection.execute(statement)


def said(number: int) -> str:
    return f"what holds {number} " + "in all of them " * (number % 9)


def statements(connection: Connection) -> set[str]:
    return {str(content) for (content,) in connection.execute("SELECT content FROM entry")}


@pytest.fixture
def path(sound: bytes, tmp_path: Path) -> Path:
    file = tmp_path / "damaged.db"
    file.write_bytes(sound)
    return file


@contextmanager
def salvaged(path: Path) -> Iterator[Connection]:
    """What comes out; it always stands every check."""
    target = path.with_name("salvaged.db")
    target.unlink(missing_ok=True)
    turns = salvage.fill(target, path, "why", "aside")
    connection = driver.connect(target, write=True)
    try:
        assert [one for one in check.faults(connection, None) if not one.ok] == []
        assert connection.execute("SELECT count(*) FROM turn").get == turns
        yield connection
    finally:
        connection.close()


def turns(connection: Connection) -> dict[str, tuple[str, str]]:
    found = connection.execute(
        """SELECT t.id, s.key, c.text FROM turn t JOIN session s ON s.id = t.session_id
             JOIN content c ON c.id = t.content_id"""
    )
    return {str(turn): (str(session), str(content)) for turn, session, content in found}


def root(path: Path, name: str) -> int:
    with driver.looking(path) as connection:
        return int(connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).get)


def test_whichever_page_is_lost_no_other_pages_turns_are(path: Path, sound: bytes) -> None:
    for page in range(1, damage.count(path) + 1, 6):
        path.write_bytes(sound)
        damage.overwrite(path, page, seed=page)

        with salvaged(path) as connection:
            found = turns(connection)

        assert found.items() <= EXPECTED.items(), page
        assert len(found) >= TURNS - TURNS_OF_A_PAGE, page


@pytest.mark.parametrize("name", ["turn", "content", "session", "turn_fts_data", "sqlite_autoindex_turn_1"])
def test_an_inner_page_or_an_index_that_is_lost_costs_no_turn(path: Path, name: str) -> None:
    damage.overwrite(path, root(path, name))

    with salvaged(path) as connection:
        assert turns(connection) == EXPECTED


def test_what_was_forgotten_stays_so_without_the_first_page_too(path: Path) -> None:
    for page in (root(path, "tombstone"), 1):
        damage.overwrite(path, page)

        with salvaged(path) as connection:
            assert connection.execute("SELECT count(*) FROM tombstone").get >= 890


def test_without_its_first_page_and_so_its_schema_every_turn_is_found_by_its_shape(path: Path) -> None:
    damage.overwrite(path, 1)

    with salvaged(path) as connection:
        assert turns(connection) == EXPECTED


@pytest.mark.parametrize("seed", range(8))
def test_scattered_damage_and_a_cut_end_bring_back_no_text_that_was_never_said(path: Path, seed: int) -> None:
    draw = random.Random(seed)
    with path.open("r+b") as file:
        for _ in range(40):
            file.seek(draw.randrange(100, path.stat().st_size))
            file.write(draw.randbytes(draw.randrange(1, 64)))
        # The first half of so small a file is the first pages of its tables and indexes, and no turns.
        file.truncate(draw.randrange(path.stat().st_size * 2 // 3, path.stat().st_size))

    with salvaged(path) as connection:
        found = {content for _, content in turns(connection).values()}

    assert found <= {content for _, content in EXPECTED.values()}
    assert found


def test_a_file_of_garbage_gives_an_empty_database(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(300_000))

    with salvaged(path) as connection:
        assert turns(connection) == {}


def test_the_other_tables_come_along_and_every_file_is_read_anew(path: Path) -> None:
    damage.overwrite(path, root(path, "turn_time"))

    with salvaged(path) as connection:
        one = connection.execute

        assert one("SELECT value FROM meta WHERE key = 'key'").get == "value"
        assert one("SELECT kind, n FROM redaction").fetchall() == [("aws_key", 7)]
        assert one("SELECT state, error FROM job").fetchall() == [("dead", "why")]
        assert one("SELECT path, missing, size, offset FROM file").fetchall() == [("/p/a.jsonl", 1, -1, 0)]
        assert one("SELECT count(*) FROM file_chunk").get == 0
        assert one("SELECT count(*) FROM turn WHERE file_id = (SELECT id FROM file)").get == TURNS
        assert one("SELECT count(*) FROM project").get == TURNS // 100
        assert one("SELECT count(*) FROM turn_fts WHERE turn_fts MATCH 'word17'").get == 1


def test_what_happened_is_written_down_with_the_number_of_turns(path: Path) -> None:
    with salvaged(path) as connection:
        account = salvage.account(connection)

    assert account is not None
    assert "600 turns were salvaged" in account
    assert "(why)" in account and "aside" in account


def test_what_stands_in_the_wal_alone_is_salvaged_too(tmp_path: Path) -> None:
    with rows.database(tmp_path) as db:
        rows.store(db, [rows.turn(1, "in the file")])
    with rows.database(tmp_path) as db:
        rows.store(db, [rows.turn(2, "in the wal")])
        for suffix in ("", "-wal"):
            copy = tmp_path / f"killed.db{suffix}"
            copy.write_bytes((tmp_path / f"memd.db{suffix}").read_bytes())

    with salvaged(tmp_path / "killed.db") as connection:
        assert {content for _, content in turns(connection).values()} == {"in the file", "in the wal"}


@pytest.mark.parametrize("version", schemas.VERSIONS)
def test_a_damaged_database_of_an_older_version_comes_up_to_date(tmp_path: Path, version: int) -> None:
    path = tmp_path / "damaged.db"
    old = driver.connect(path, write=True)
    schemas.load(old, version)
    old.close()
    damage.overwrite(path, root(path, "turn_time"))

    with salvaged(path) as connection:
        assert migrate.version(connection) == migrate.newest()
        assert sorted(content for _, content in turns(connection).values()) == sorted(
            [*schemas.TEXTS, schemas.TEXTS[2]]
        )


def test_a_text_whose_turns_are_lost_waits_for_its_vectors_once_it_is_read_again(tmp_path: Path) -> None:
    with rows.database(tmp_path) as db:
        rows.store(db, [rows.turn(1, "kept"), rows.turn(2, "read again")])
        db.write_now(lambda c: c.execute("DELETE FROM turn WHERE id = ?", (rows.turn(2, "").id,)) and None)
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    salvage.fill(fresh / "memd.db", tmp_path / "memd.db", "why", "aside")

    with rows.database(fresh) as db:
        space = db.write_now(spaces.ensure, "hash", 4)
        rows.store(db, [rows.turn(2, "read again")])
        db.write_now(lambda c: table.queue_vectors(c))

        waiting = [text for _, text in db.read_now(spaces.waiting, space, 10)]

    assert sorted(waiting) == ["kept", "read again"]


@pytest.mark.parametrize(
    "name",
    [
        "entry",
        "entry_fts_data",
        "entry_vector",
        "entry_live",
        "entry_created",
        "project",
        "observation_log",
        "space",
    ],
)
def test_an_entry_outlives_what_it_hangs_on_and_what_hangs_on_it(path: Path, name: str) -> None:
    damage.overwrite(path, root(path, name))

    with salvaged(path) as connection:
        assert statements(connection) == {said(n) for n in range(1, ENTRIES + 1)}
        scopes = dict(connection.execute("SELECT scope, count(*) FROM entry GROUP BY scope").fetchall())
        assert scopes == {"global": 133, "project": 200, "branch": 67}
        assert connection.execute("SELECT count(*) FROM entry WHERE superseded_by IS NOT NULL").get == 8
        assert connection.execute("SELECT count(*) FROM observation WHERE absorbed_ms = 9").get == 1
        assert connection.execute("SELECT count(*) FROM relationship").get == 1
        assert connection.execute("SELECT project_id FROM watermark").get == 2
        bound = "SELECT count(*) FROM entry e JOIN project p ON p.id = e.project_id WHERE p.path GLOB '/home/dev/p*'"
        assert connection.execute(bound).get == 267
        assert connection.execute("SELECT offset FROM observation_log").get == 0


def test_entries_are_found_and_wait_for_vectors_after_a_salvage(path: Path, tmp_path: Path) -> None:
    damage.overwrite(path, root(path, "entry_fts_data"))

    with salvaged(path) as connection:
        space = spaces.ensure(connection, "hash/8", 8)
        hits = connection.execute(
            "SELECT rowid FROM entry_fts WHERE entry_fts MATCH 'holds AND 77'"
        ).fetchall()
        assert [entry for (entry,) in hits] == [77]
        assert connection.execute("SELECT count(*) FROM entry_vector").get == 0
        assert len(spaces.waiting(connection, space, 999, vector_tables.ENTRIES)) == ENTRIES


def test_a_shared_store_is_told_and_heard_anew_after_a_salvage(path: Path) -> None:
    connection = driver.connect(path, write=True)
    with driver.transaction(connection):
        connection.execute(
            "INSERT INTO shared_store (place, user_id, file_id, turn, told, vector, mark)"
            """ SELECT 'p', 'ann', id, 9, 9, 9, '{"seq": 9}' FROM file"""
        )
        connection.execute("INSERT INTO outgoing (store_id, kind, key) VALUES (1, 'forgotten', 't')")
    driver.close(connection)

    with salvaged(path) as found:
        kept = found.execute("SELECT turn, told, vector, mark, file_id FROM shared_store").fetchall()
        assert kept == [(0, 0, 0, "{}", found.execute("SELECT id FROM file").get)]
        assert found.execute("SELECT kind, key FROM outgoing").fetchall() == [("forgotten", "t")]


def test_whose_a_turn_is_stays_known_after_a_salvage(path: Path) -> None:
    connection = driver.connect(path, write=True)
    whose = "SELECT id, user_id FROM turn WHERE user_id IS NOT NULL ORDER BY id"
    with driver.transaction(connection):
        connection.execute("UPDATE turn SET user_id = 'user ' || (rowid % 3) WHERE rowid % 2")
        before = connection.execute(whose).fetchall()
    driver.close(connection)
    damage.overwrite(path, root(path, "turn_time"))

    with salvaged(path) as found:
        assert found.execute(whose).fetchall() == before != []
