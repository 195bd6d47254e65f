"""A database of every version of the schema there ever was, as SQL that can be read and compared.

    python -m tests.db.schemas

writes the files that are missing in ``tests/fixtures/schemas``: each is what the migrations up to its version make,
with some rows in every table. A file of a released version is never written again: it shows what users have.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memd.db import driver, fts, migrate
from memd.db.driver import Connection
from memd.ids import content_key

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "schemas"

VERSIONS = [step.number for step in migrate.migrations()]
TEXTS = ["the build fails when the cache moves", "naïve café 日本語", "said twice", "a long text " * 20]

ROWS = {
    1: [
        "INSERT INTO meta VALUES ('key', 'value')",
        "INSERT INTO project VALUES (1, 'app', '/home/dev/app', 'cwd')",
        "INSERT INTO project_dir VALUES ('/home/dev/app', 1)",
        "INSERT INTO session (id, key, format, title, project_id, turns, started_ms, last_ms)"
        " VALUES (1, '00000000-0000-4000-8000-000000000000', 'claude-code', 'A title', 1, 5, 1000, 5000)",
        "INSERT INTO file (id, path, device, inode, size, mtime_ns, offset, head_hash, tail_hash, session, missing)"
        " VALUES (1, '/p/-home-dev-app/a.jsonl', 1, 2, 300, 4, 300, x'01', x'02', 's', 1)",
        "INSERT INTO file_chunk VALUES (1, 1, x'00ff')",
        "INSERT INTO redaction VALUES ('aws_key', 2)",
        "INSERT INTO space (id, key, dim, state, covered) VALUES (1, 'hash/8', 8, 'serving', 4)",
        "INSERT INTO vector VALUES (1, 1, 1, 0, x'0102030405060708')",
        "INSERT INTO backlog (space_id, sort_ms, content_id) VALUES (1, 2000, 2)",
    ],
    2: [
        "INSERT INTO job (id, kind, key, lane, state, run_at_ms, max_attempts, created_ms, updated_ms, error)"
        " VALUES (1, 'embed_turns', '1', 'embed', 'dead', 1, 5, 1, 2, 'why')",
        "INSERT INTO job_pause (kind, reason, since_ms) VALUES ('reflect', 'a limit', 3)",
    ],
    3: [
        "INSERT INTO tombstone VALUES (x'000102030405060708090a0b0c0d0e0f')",
        "INSERT INTO project_alias (path, name, project_id) VALUES ('/home/dev/old', 'old', 1)",
        "INSERT INTO journal (id, at_ms, what, changeset) VALUES (1, 7, 'merge', x'00')",
    ],
    4: ["INSERT INTO job_attempt (job_id, number, started_ms, ending) VALUES (1, 1, 1, 'failed')"],
    5: [
        "INSERT INTO space (id, key, dim, retired_ms, instead_of) VALUES (2, 'hash/9#2', 9, 4, 'bundled')",
    ],
    7: [
        "INSERT INTO entry (id, content, type, importance, scope, project_id, branch, created_ms, first_seen_ms)"
        " VALUES (1, 'the cache moves on Mondays', 'fact', 5, 'branch', 1, 'main', 9, 8)",
        "INSERT INTO entry (id, content, terms, type, importance, scope, created_ms, first_seen_ms, superseded_ms)"
        " VALUES (2, '日本語', '日本 本語', 'preference', 7, 'global', 9, 8, 10)",
        "INSERT INTO entry_source VALUES (1, 'turn', 'turn-1')",
        "INSERT INTO entry_vector VALUES (1, 1, 1, 0, x'0102030405060708')",
        "DELETE FROM entry_backlog",
        "INSERT INTO entry_backlog VALUES (1, 2, 'why', 0, 0)",
        "INSERT INTO entity VALUES (1, 'redis', 'Redis', 'tool', 3, 4, 5)",
        "INSERT INTO entity VALUES (2, 'app', 'app', 'project', 1, 4, 5)",
        "INSERT INTO entity_alias VALUES ('redis server', 'Redis server', 1)",
        "INSERT INTO relationship VALUES (1, 2, 1, 'uses', 'as a cache', 4, 5)",
        "INSERT INTO observation_log VALUES (1, '/o/2026-11-30.jsonl', 1, 2, 3, 4, 3, x'01', x'02', 0, 1)",
        "INSERT INTO observation VALUES"
        " (1, x'01', 1, '2026-11-30', 0, 9, 'precompact', 'app', NULL, '{}', 9,"
        " '{\"facts/0\": 1}', 0, '{}', NULL, 0, NULL)",
        "INSERT INTO watermark (id, project_id, entry_id, at_ms) VALUES (1, 1, 1, 9)",
        "INSERT INTO native_file VALUES (1, '/p/-home-dev-app/memory/A.md', '-home-dev-app', 'A.md', 1, 1, 2, 3, 4)",
        "INSERT INTO native_section VALUES (1, 1, 0, 'Notes', 'the notes', NULL)",
        "INSERT INTO native_section VALUES (2, 1, 1, 'More', 'the rest', NULL)",
        "INSERT INTO native_vector VALUES (1, 1, 1, 0, x'0102030405060708')",
        "INSERT INTO imported_entry VALUES (x'01', 1)",
        "INSERT INTO imported_entity VALUES (x'02', 3)",
        "DELETE FROM native_backlog WHERE section_id = 1",
    ],
    8: [
        "INSERT INTO handed_session VALUES ('00000000-0000-4000-8000-000000000000', 9, 8)",
        "INSERT INTO handed VALUES ('00000000-0000-4000-8000-000000000000', 'turn', 'turn-1')",
    ],
    9: ["INSERT INTO token_signs VALUES (1, x'0f')"],
    11: [
        "INSERT INTO ledger (id, at_ms, job_id, purpose, model, input_tokens, cached_tokens, output_tokens, price,"
        " result) VALUES (1, 9, 1, 'reflect', 'claude-haiku-5-5', 1000, 100, 50, 0.0001, 'ok')",
        "INSERT INTO ledger_reply VALUES (x'01', 1, 9, '{}')",
    ],
    12: [
        "INSERT INTO entry_source VALUES (2, 'entry', '1')",
        "INSERT INTO entry_sighting VALUES (7, 1)",
        "UPDATE watermark SET floor_id = 1, sighting = 6",
        "INSERT INTO reflection VALUES (1, 1, 1, 9, 2, 1, 0, '[]')",
        "INSERT INTO proposal (id, reflection_id, op, old, new, entries, patch, in_file)"
        " VALUES (1, 1, 'add', '[]', 'The cache moves on Mondays', '[1]', '[]', 0)",
        "INSERT INTO decision VALUES (1, 'rejected', 10)",
        "INSERT INTO memory_edit (before, after, proposals) VALUES (x'01', '# Memory', '{}')",
        "INSERT INTO observe_cursor VALUES (1, 3, 0, 9)",
        "INSERT INTO observation_pending VALUES (1, '2026-11-30', 0, x'7b7d0a')",
        "INSERT INTO narrowing VALUES ('reflect all', 1, 2)",
        "INSERT INTO entry_passed_over VALUES (1, NULL, 1, 9, 'why', 0)",
        "INSERT INTO turn_passed_over VALUES ('turn-1', 0, 9, 1, 9, 'why', 0)",
    ],
    13: [
        "UPDATE session SET user_id = 'ann', agent_id = 'helper'",
        "UPDATE turn SET user_id = 'ann' WHERE id = 'turn-2'",
        "INSERT INTO file (id, path, device, inode, size, mtime_ns, offset, head_hash, tail_hash, session)"
        " VALUES (2, 'postgresql://db/team#memd', 0, 0, -1, 0, 0, x'', x'', '')",
        "INSERT INTO shared_store VALUES"
        " (1, 'postgresql://db/team#memd', 'ann', 2, '[]', '[]', '{}', 3, 3, 'hash/8', 1, '{}')",
        "INSERT INTO outgoing VALUES (7, 1, 'forgotten', 'turn-9')",
    ],
    14: [
        "UPDATE ledger SET answer = 'Well, that'",
        "UPDATE proposal SET file = '/home/dev/app'",
        "INSERT INTO memory_edit VALUES ('/home/dev/app', x'01', '# Memory', '{}')",
    ],
}


def file(version: int) -> Path:
    """Where the database of a version stands."""
    return FOLDER / f"{version:04}.sql"


def load(connection: Connection, version: int) -> None:
    """Make the database of a version, as a memd of that time left it."""
    connection.execute("PRAGMA foreign_keys=OFF")
    with driver.transaction(connection):
        connection.execute(file(version).read_text("utf-8"))


def make(connection: Connection, version: int) -> None:
    """Build the schema of a version in an empty database, with its rows."""
    migrate.build(connection, version)
    connection.execute("PRAGMA foreign_keys=OFF")  # the rows stand in no order
    with driver.transaction(connection):
        for number in range(1, version + 1):
            for statement in ROWS.get(number, ()):
                connection.execute(statement)
            if number == 1:
                _say(connection)


def _say(connection: Connection) -> None:
    for number, text in enumerate(TEXTS, 1):
        connection.execute("INSERT INTO content VALUES (?, ?, ?)", (number, content_key(text), text))
    for number, content in enumerate((1, 2, 3, 3, 4), 1):
        connection.execute(
            "INSERT INTO turn (rowid, id, session_id, seq, role, content_id, file_id, at_ms, sort_ms)"
            " VALUES (?1, 'turn-' || ?1, 1, ?1, 'user', ?2, 1, ?1 * 1000, ?1 * 1000)",
            (number, content),
        )
        fts.insert(connection, [(number, TEXTS[content - 1])])


def dump(connection: Connection) -> Iterator[str]:
    """The database as statements: its tables, then their rows as they lie in them, the text index's too."""
    kinds = dict(
        connection.execute("SELECT name, type FROM pragma_table_list WHERE schema = 'main'").fetchall()
    )
    schema = connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    for type_, name, sql in schema:
        if type_ != "trigger" and kinds.get(name) != "shadow" and name != "sqlite_sequence":
            yield f"{sql};"
    for type_, name, _ in schema:
        if type_ == "table" and kinds[name] in ("table", "shadow"):
            yield from _rows(connection, str(name))
    yield from (f"{sql};" for type_, _, sql in schema if type_ == "trigger")  # the rows they made stand above
    yield f"PRAGMA user_version={migrate.version(connection)};"


def _rows(connection: Connection, table: str) -> Iterator[str]:
    yield f"DELETE FROM {table};"
    listed = connection.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
    quoted = " || ', ' || ".join(f"quote({name})" for (name,) in listed)
    for (values,) in connection.execute(f"SELECT {quoted} FROM {table} ORDER BY 1"):
        yield f"INSERT INTO {table} VALUES ({values});"


def main() -> None:
    """Write what is missing."""
    FOLDER.mkdir(exist_ok=True)
    for version in VERSIONS:
        if not file(version).exists():
            connection = driver.connect(Path(":memory:"), write=True)
            make(connection, version)
            file(version).write_text("\n".join(dump(connection)) + "\n", "utf-8")
            connection.close()
            print(f"wrote {file(version).name}")


if __name__ == "__main__":
    main()
