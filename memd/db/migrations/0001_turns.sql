-- Who said what, where: projects, sessions, the files they were read from, turns and their texts.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE project (
  id     INTEGER PRIMARY KEY,
  name   TEXT NOT NULL,
  path   TEXT NOT NULL UNIQUE,
  origin TEXT NOT NULL CHECK (origin IN ('git', 'cwd', 'folder'))
);

-- Which project a working directory belongs to, remembered so that it holds after the folder is gone.
CREATE TABLE project_dir (
  cwd        TEXT PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES project (id)
) WITHOUT ROWID;
CREATE INDEX project_dir_project ON project_dir (project_id);

CREATE TABLE session (
  id         INTEGER PRIMARY KEY,
  key        TEXT NOT NULL UNIQUE,
  format     TEXT NOT NULL,
  title      TEXT,
  project_id INTEGER REFERENCES project (id),
  cwd        TEXT,
  branch     TEXT,
  continues  TEXT,
  turns      INTEGER NOT NULL DEFAULT 0,
  started_ms INTEGER,
  last_ms    INTEGER
);
CREATE INDEX session_project ON session (project_id, last_ms);

-- A watched file: the cursor (how far it is read, and by what it is known again) and what was counted in it.
CREATE TABLE file (
  id         INTEGER PRIMARY KEY,
  path       TEXT NOT NULL UNIQUE,
  device     INTEGER NOT NULL,
  inode      INTEGER NOT NULL,
  size       INTEGER NOT NULL,
  mtime_ns   INTEGER NOT NULL,
  offset     INTEGER NOT NULL,
  head_hash  BLOB NOT NULL,
  tail_hash  BLOB NOT NULL,
  session    TEXT NOT NULL,
  missing    INTEGER NOT NULL DEFAULT 0,
  bad_lines  INTEGER NOT NULL DEFAULT 0,
  duplicates INTEGER NOT NULL DEFAULT 0,
  skipped    TEXT NOT NULL DEFAULT '{}',
  unknown    TEXT NOT NULL DEFAULT '{}',
  head       BLOB NOT NULL DEFAULT x'',
  chunks     INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX file_inode ON file (device, inode);
CREATE INDEX file_session ON file (session);

-- The tree of a transcript, one chunk a batch: what the importer needs to know of the lines behind the offset.
CREATE TABLE file_chunk (
  file_id INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  number  INTEGER NOT NULL,
  nodes   BLOB NOT NULL,
  PRIMARY KEY (file_id, number)
) WITHOUT ROWID;

-- A text, once, however often it was said: equal turns share it and its vectors.
CREATE TABLE content (
  id   INTEGER PRIMARY KEY,
  key  BLOB NOT NULL UNIQUE,
  text TEXT NOT NULL
);

CREATE TABLE turn (
  rowid      INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  session_id INTEGER NOT NULL REFERENCES session (id),
  seq        INTEGER NOT NULL,
  role       TEXT NOT NULL,
  content_id INTEGER NOT NULL REFERENCES content (id),
  file_id    INTEGER REFERENCES file (id) ON DELETE SET NULL,
  claim      INTEGER NOT NULL DEFAULT 0,
  hidden     INTEGER NOT NULL DEFAULT 0,
  at_ms      INTEGER,
  sort_ms    INTEGER,
  timestamp  TEXT,
  uuid       TEXT,
  message_id TEXT,
  agent_id   TEXT,
  branch     TEXT
);
CREATE INDEX turn_session ON turn (session_id, seq);
CREATE INDEX turn_content ON turn (content_id);
CREATE INDEX turn_time ON turn (sort_ms);
CREATE INDEX turn_file ON turn (file_id);

-- Contentless: the indexed text differs from the stored one (CJK runs also as bigrams, the first 100,000 characters).
CREATE VIRTUAL TABLE turn_fts USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE VIRTUAL TABLE turn_vocab USING fts5vocab (turn_fts, 'row');

-- A vector space is provider, model and dimension; vectors of two spaces never mix.
-- covered: contents up to this id have been put into the backlog of the space.
CREATE TABLE space (
  id      INTEGER PRIMARY KEY,
  key     TEXT NOT NULL UNIQUE,
  dim     INTEGER NOT NULL,
  state   TEXT NOT NULL DEFAULT 'building' CHECK (state IN ('building', 'serving')),
  covered INTEGER NOT NULL DEFAULT 0
);

-- One int8 vector a window of a text; the scale does not matter to the cosine.
CREATE TABLE vector (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id   INTEGER NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  content_id INTEGER NOT NULL REFERENCES content (id) ON DELETE CASCADE,
  part       INTEGER NOT NULL,
  embedding  BLOB NOT NULL
);
CREATE INDEX vector_content ON vector (content_id, space_id);
CREATE INDEX vector_space ON vector (space_id);

-- Texts of a space that have no vectors yet, newest first.
CREATE TABLE backlog (
  space_id   INTEGER NOT NULL REFERENCES space (id) ON DELETE CASCADE,
  sort_ms    INTEGER NOT NULL,
  content_id INTEGER NOT NULL REFERENCES content (id) ON DELETE CASCADE,
  failed     TEXT,
  PRIMARY KEY (space_id, sort_ms, content_id)
) WITHOUT ROWID;
CREATE INDEX backlog_content ON backlog (content_id);

CREATE TABLE redaction (
  kind TEXT PRIMARY KEY,
  n    INTEGER NOT NULL
) WITHOUT ROWID;
