-- Curated memory: entries and what they rest on, the graph, the observation logs, Claude Code's own memory files.

-- A statement that holds. It is live while superseded_ms is null; with superseded_by it has a successor, else it is retired.
-- created_ms moves with every sighting, first_seen_ms never. terms: what is indexed, where that is not the content itself.
CREATE TABLE entry (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  content       TEXT NOT NULL,
  terms         TEXT,
  type          TEXT NOT NULL CHECK (type IN
    ('fact', 'preference', 'decision', 'event', 'insight', 'task', 'relationship', 'procedure')),
  importance    INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 10),
  scope         TEXT NOT NULL CHECK (scope IN ('global', 'project', 'branch')),
  project_id    INTEGER REFERENCES project (id),
  branch        TEXT,
  created_ms    INTEGER NOT NULL,
  first_seen_ms INTEGER NOT NULL,
  sightings     INTEGER NOT NULL DEFAULT 1,
  reviewed_ms   INTEGER,
  superseded_by INTEGER REFERENCES entry (id) ON DELETE SET NULL,
  superseded_ms INTEGER,
  CHECK ((scope = 'global') = (project_id IS NULL)),
  CHECK ((scope = 'branch') = (branch IS NOT NULL)),
  CHECK (superseded_by IS NULL OR superseded_ms IS NOT NULL)
);
CREATE INDEX entry_live ON entry (project_id, type, branch) WHERE superseded_ms IS NULL;
CREATE INDEX entry_created ON entry (created_ms);
-- What a search asks of every entry that holds a word, without the rows and their texts.
CREATE INDEX entry_filter ON entry (id, superseded_ms, project_id, branch, type, scope, created_ms);
CREATE INDEX entry_successor ON entry (superseded_by) WHERE superseded_by IS NOT NULL;

-- What an entry rests on: a turn or a session by its id, or a record of an observation log.
CREATE TABLE entry_source (
  entry_id INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  kind     TEXT NOT NULL CHECK (kind IN ('turn', 'session', 'observation')),
  source   TEXT NOT NULL,
  PRIMARY KEY (entry_id, kind, source)
) WITHOUT ROWID;
CREATE INDEX entry_source_of ON entry_source (kind, source);

-- Contentless, and kept by triggers, as is all that derives from an entry: undoing brings rows and takes them by SQL alone.
CREATE VIRTUAL TABLE entry_fts USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE VIRTUAL TABLE entry_vocab USING fts5vocab (entry_fts, 'row');

CREATE TABLE entry_vector (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id  INTEGER NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  entry_id  INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  part      INTEGER NOT NULL,
  embedding BLOB NOT NULL
);
CREATE INDEX entry_vector_entry ON entry_vector (entry_id, space_id);
CREATE INDEX entry_vector_space ON entry_vector (space_id);

-- Entries of a space that have no vectors yet, live or not, as the backlog of turns; kept by triggers, too.
CREATE TABLE entry_backlog (
  space_id INTEGER NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  entry_id INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  failed   TEXT,
  deaths   INTEGER NOT NULL DEFAULT 0,
  alone    INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (space_id, entry_id)
) WITHOUT ROWID;
CREATE INDEX entry_backlog_entry ON entry_backlog (entry_id);

CREATE TRIGGER entry_added AFTER INSERT ON entry BEGIN
  INSERT INTO entry_fts (rowid, text) VALUES (new.id, coalesce(new.terms, new.content));
  INSERT INTO entry_backlog (space_id, entry_id) SELECT id, new.id FROM space WHERE retired_ms IS NULL;
END;
CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN
  DELETE FROM entry_fts WHERE rowid = old.id;
  DELETE FROM entry_vector WHERE entry_id = old.id;
  DELETE FROM entry_backlog WHERE entry_id = old.id;
END;
CREATE TRIGGER entry_reworded AFTER UPDATE OF content, terms ON entry WHEN new.content IS NOT old.content BEGIN
  DELETE FROM entry_fts WHERE rowid = old.id;
  INSERT INTO entry_fts (rowid, text) VALUES (new.id, coalesce(new.terms, new.content));
  DELETE FROM entry_vector WHERE entry_id = new.id;
  DELETE FROM entry_backlog WHERE entry_id = new.id;
  INSERT INTO entry_backlog (space_id, entry_id) SELECT id, new.id FROM space WHERE retired_ms IS NULL;
END;

-- A named thing. key: the name as it is compared, whatever its case.
CREATE TABLE entity (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  key           TEXT NOT NULL UNIQUE,
  name          TEXT NOT NULL,
  type          TEXT NOT NULL CHECK (type IN ('person', 'project', 'tool', 'service', 'concept', 'org', 'unknown')),
  mentions      INTEGER NOT NULL DEFAULT 1,
  first_seen_ms INTEGER NOT NULL,
  last_seen_ms  INTEGER NOT NULL
);
CREATE INDEX entity_mentions ON entity (mentions);

-- Another name of a thing, that of one which was merged into it.
CREATE TABLE entity_alias (
  key       TEXT PRIMARY KEY,
  name      TEXT NOT NULL,
  entity_id INTEGER NOT NULL REFERENCES entity (id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX entity_alias_entity ON entity_alias (entity_id);

CREATE TABLE relationship (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  source_id     INTEGER NOT NULL REFERENCES entity (id) ON DELETE CASCADE,
  target_id     INTEGER NOT NULL REFERENCES entity (id) ON DELETE CASCADE,
  type          TEXT NOT NULL CHECK (type IN
    ('uses', 'owns', 'contributes_to', 'depends_on', 'manages', 'related_to')),
  context       TEXT NOT NULL DEFAULT '',
  first_seen_ms INTEGER NOT NULL,
  last_seen_ms  INTEGER NOT NULL,
  UNIQUE (source_id, target_id, type)
);
CREATE INDEX relationship_target ON relationship (target_id);

-- A watched observation log: its cursor, and what was counted in it.
CREATE TABLE observation_log (
  id          INTEGER PRIMARY KEY,
  path        TEXT NOT NULL UNIQUE,
  device      INTEGER NOT NULL,
  inode       INTEGER NOT NULL,
  size        INTEGER NOT NULL,
  mtime_ns    INTEGER NOT NULL,
  offset      INTEGER NOT NULL,
  head_hash   BLOB NOT NULL,
  tail_hash   BLOB NOT NULL,
  missing     INTEGER NOT NULL DEFAULT 0,
  bad_records INTEGER NOT NULL DEFAULT 0
);

-- A record of a log, by the identity of (file name, position, bytes); absorbed_ms is null while it waits, and for ever
-- where memd cannot take it: failed says why. entries: which entry each of its statements led to. dropped: what of it is
-- not worth a place in the graph, by reason. upto: the place of its last item that is taken in, while it is absorbed
-- in part. deaths: how often memd ended while it took up this record alone, and came no further.
CREATE TABLE observation (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  key         BLOB NOT NULL UNIQUE,
  log_id      INTEGER NOT NULL REFERENCES observation_log (id),
  day         TEXT NOT NULL,
  position    INTEGER NOT NULL,
  at_ms       INTEGER NOT NULL,
  trigger     TEXT NOT NULL,
  project     TEXT,
  branch      TEXT,
  extraction  TEXT NOT NULL,
  absorbed_ms INTEGER,
  entries     TEXT NOT NULL DEFAULT '{}',
  bad_items   INTEGER NOT NULL DEFAULT 0,
  dropped     TEXT NOT NULL DEFAULT '{}',
  upto        TEXT,
  deaths      INTEGER NOT NULL DEFAULT 0,
  failed      TEXT
);
CREATE INDEX observation_day ON observation (day, position);
CREATE INDEX observation_waiting ON observation (at_ms, id) WHERE absorbed_ms IS NULL AND failed IS NULL;

-- The last entry that reflection has seen, of a project or of all (null).
CREATE TABLE watermark (
  id         INTEGER PRIMARY KEY,
  project_id INTEGER REFERENCES project (id),
  entry_id   INTEGER NOT NULL,
  at_ms      INTEGER NOT NULL
);
CREATE UNIQUE INDEX watermark_project ON watermark (coalesce(project_id, 0));

-- Memory files that Claude Code keeps itself, in sections. memd reads them, and writes none.
CREATE TABLE native_file (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  path       TEXT NOT NULL UNIQUE,
  slug       TEXT NOT NULL,
  name       TEXT NOT NULL,
  project_id INTEGER REFERENCES project (id),
  device     INTEGER NOT NULL,
  inode      INTEGER NOT NULL,
  size       INTEGER NOT NULL,
  mtime_ns   INTEGER NOT NULL
);
CREATE INDEX native_file_project ON native_file (project_id);

CREATE TABLE native_section (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  file_id  INTEGER NOT NULL REFERENCES native_file (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  heading  TEXT NOT NULL,
  content  TEXT NOT NULL,
  terms    TEXT
);
CREATE INDEX native_section_file ON native_section (file_id, position);

CREATE VIRTUAL TABLE native_fts USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE VIRTUAL TABLE native_vocab USING fts5vocab (native_fts, 'row');

CREATE TABLE native_vector (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id   INTEGER NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  section_id INTEGER NOT NULL REFERENCES native_section (id) ON DELETE CASCADE,
  part       INTEGER NOT NULL,
  embedding  BLOB NOT NULL
);
CREATE INDEX native_vector_section ON native_vector (section_id, space_id);
CREATE INDEX native_vector_space ON native_vector (space_id);

CREATE TABLE native_backlog (
  space_id   INTEGER NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  section_id INTEGER NOT NULL REFERENCES native_section (id) ON DELETE CASCADE,
  failed     TEXT,
  deaths     INTEGER NOT NULL DEFAULT 0,
  alone      INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (space_id, section_id)
) WITHOUT ROWID;
CREATE INDEX native_backlog_section ON native_backlog (section_id);

CREATE TRIGGER native_section_added AFTER INSERT ON native_section BEGIN
  INSERT INTO native_fts (rowid, text) VALUES (new.id, coalesce(new.terms, new.content));
  INSERT INTO native_backlog (space_id, section_id) SELECT id, new.id FROM space WHERE retired_ms IS NULL;
END;
CREATE TRIGGER native_section_removed AFTER DELETE ON native_section BEGIN
  DELETE FROM native_fts WHERE rowid = old.id;
END;

-- What came from another memory's database, by a hash of its row there: a second import knows it. The entry that it is
-- here is null once it went; of an entity it says how many of its mentions are counted here.
CREATE TABLE imported_entry (
  key      BLOB PRIMARY KEY,
  entry_id INTEGER
) WITHOUT ROWID;
CREATE INDEX imported_entry_id ON imported_entry (entry_id);
CREATE TRIGGER imported_entry_removed AFTER DELETE ON entry BEGIN
  UPDATE imported_entry SET entry_id = NULL WHERE entry_id = old.id;
END;

CREATE TABLE imported_entity (
  key      BLOB PRIMARY KEY,
  mentions INTEGER NOT NULL
) WITHOUT ROWID;

-- A new space has nothing yet.
CREATE TRIGGER space_added AFTER INSERT ON space BEGIN
  INSERT INTO entry_backlog (space_id, entry_id) SELECT new.id, id FROM entry;
  INSERT INTO native_backlog (space_id, section_id) SELECT new.id, id FROM native_section;
END;
