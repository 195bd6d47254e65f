"""Made data folders of mait-code, as any version of its schema left them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import apsw

NEWEST = 13  # 14: the same, with the record of what made the vectors

# What each version of the schema adds that rows are in; the others concern indexes, triggers and vectors.
_STEPS: dict[int, list[str]] = {
    1: [
        """CREATE TABLE memory_entries (id INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL,
             entry_type TEXT DEFAULT 'fact', importance INTEGER DEFAULT 5, memory_class TEXT DEFAULT 'episodic',
             created_at DATETIME DEFAULT CURRENT_TIMESTAMP)""",
        "CREATE INDEX idx_created ON memory_entries (created_at)",
    ],
    2: [
        "CREATE VIRTUAL TABLE memory_entries_fts USING fts5 (content, content = memory_entries, content_rowid = id)"
    ],
    3: [
        """CREATE TRIGGER memory_entries_ai AFTER INSERT ON memory_entries BEGIN
             INSERT INTO memory_entries_fts (rowid, content) VALUES (new.id, new.content); END"""
    ],
    5: [
        """CREATE TABLE memory_entities (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE COLLATE NOCASE,
             entity_type TEXT DEFAULT 'unknown', first_seen DATETIME DEFAULT CURRENT_TIMESTAMP,
             last_seen DATETIME DEFAULT CURRENT_TIMESTAMP, mention_count INTEGER DEFAULT 1)"""
    ],
    6: [
        """CREATE TABLE memory_relationships (id INTEGER PRIMARY KEY AUTOINCREMENT, source_entity_id INTEGER,
             target_entity_id INTEGER, relationship_type TEXT, context TEXT,
             first_seen DATETIME DEFAULT CURRENT_TIMESTAMP, last_seen DATETIME DEFAULT CURRENT_TIMESTAMP,
             UNIQUE (source_entity_id, target_entity_id, relationship_type))"""
    ],
    8: [
        "ALTER TABLE memory_entries ADD COLUMN scope TEXT DEFAULT 'global'",
        "ALTER TABLE memory_entries ADD COLUMN project TEXT",
        "ALTER TABLE memory_entries ADD COLUMN branch TEXT",
    ],
    9: [
        """CREATE TABLE reflection_watermark (project TEXT PRIMARY KEY, last_reflected_id INTEGER,
             last_reflected_at DATETIME)"""
    ],
    11: [
        "ALTER TABLE memory_entries ADD COLUMN superseded_by INTEGER REFERENCES memory_entries (id)",
        "ALTER TABLE memory_entries ADD COLUMN superseded_at DATETIME",
    ],
    13: ["ALTER TABLE memory_entries ADD COLUMN reviewed_at DATETIME"],
    14: [
        "CREATE TABLE memory_meta (key TEXT PRIMARY KEY, value TEXT)",
        "INSERT INTO memory_meta VALUES ('embedding-provider', 'local')",
    ],
}

Values = dict[str, object]


@dataclass
class MadeHome:
    """A data folder; ``add`` and the like write rows as far as its version has their columns."""

    folder: Path
    version: int = NEWEST
    wal: bool = True
    connection: apsw.Connection = field(init=False)

    def __post_init__(self) -> None:
        (self.folder / "memory" / "observations").mkdir(parents=True)
        self.connection = apsw.Connection(str(self.folder / "memory.db"))
        if self.wal:
            self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute(
            """CREATE TABLE schema_version (version INTEGER PRIMARY KEY,
                 applied_at DATETIME DEFAULT CURRENT_TIMESTAMP, description TEXT)"""
        )
        for version in range(1, self.version + 1):
            for statement in _STEPS.get(version, []):
                self.connection.execute(statement)
            if version <= NEWEST:
                self.connection.execute("INSERT INTO schema_version (version) VALUES (?)", (version,))

    def add(self, table: str, **values: object) -> int:
        """A row; columns that this version has not are left out."""
        held = {row[1] for row in self.connection.execute(f"PRAGMA table_info({table})")}
        kept = {name: value for name, value in values.items() if name in held}
        marks = ", ".join("?" * len(kept))
        self.connection.execute(
            f"INSERT INTO {table} ({', '.join(kept)}) VALUES ({marks})",
            tuple(kept.values()),  # type: ignore[arg-type]
        )
        return self.connection.last_insert_rowid()

    def entry(self, content: str, **values: object) -> int:
        """An entry; by default a fact of the first of November."""
        usual: Values = {"entry_type": "fact", "importance": 5, "created_at": "2026-11-01 10:00:00"}
        return self.add("memory_entries", **{**usual, "content": content, **values})

    def entity(self, name: str, type_: str = "tool", mentions: int = 1) -> int:
        return self.add(
            "memory_entities",
            name=name,
            entity_type=type_,
            mention_count=mentions,
            first_seen="2026-10-01 08:00:00",
            last_seen="2026-11-02 09:00:00",
        )

    def relationship(self, source: int, target: int, type_: str = "uses", context: str = "") -> int:
        return self.add(
            "memory_relationships",
            source_entity_id=source,
            target_entity_id=target,
            relationship_type=type_,
            context=context,
            first_seen="2026-10-01 08:00:00",
            last_seen="2026-11-02 09:00:00",
        )

    def log(self, day: str, records: Iterable[Values]) -> Path:
        """A log of observations."""
        path = self.folder / "memory" / "observations" / f"{day}.jsonl"
        with path.open("a") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
        return path

    def close(self) -> None:
        self.connection.close()


def filled(folder: Path, version: int = NEWEST) -> MadeHome:
    """A home with some of everything that its version has: 12 entries, and from version 6 on a graph."""
    home = MadeHome(folder, version)
    kinds = ["fact", "preference", "decision", "event", "insight", "task", "relationship", "procedure"]
    for number, kind in enumerate(kinds):
        home.entry(f"the {kind} about topic{number}", entry_type=kind, importance=number + 1)
    home.entry("the port is 8080", scope="project", project="app")
    home.entry("the port is 8081", scope="project", project="app")  # no duplicate of the one before
    home.entry("only on the branch", scope="branch", project="app", branch="topic")
    home.entry("the old way", superseded_by=1, superseded_at="2026-11-03 00:00:00")
    if version >= 6:
        app, redis = home.entity("app", "project", 5), home.entity("Redis", "tool", 3)
        home.entity("Ada", "person")
        home.relationship(app, redis, "uses", "as a cache")
    return home
