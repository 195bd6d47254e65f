-- What must not come back, and what can be taken back.

-- What was forgotten, by a hash of its id alone (memd/turns/tombstones.py): no import brings it back.
CREATE TABLE tombstone (
  key BLOB PRIMARY KEY
) WITHOUT ROWID;

-- Another path, and name, of a project: that of a folder that moved, or of a project merged into this one.
-- former: the number of the merged project, which no other gets, so that undoing can bring it back.
CREATE TABLE project_alias (
  path       TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  project_id INTEGER NOT NULL REFERENCES project (id),
  former     INTEGER
) WITHOUT ROWID;
CREATE INDEX project_alias_project ON project_alias (project_id);

-- Changes that can be undone: what was done, and SQLite's changeset of it, which holds the rows as they were before.
CREATE TABLE journal (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms     INTEGER NOT NULL,
  what      TEXT NOT NULL,
  changeset BLOB NOT NULL,
  undoes    INTEGER REFERENCES journal (id) ON DELETE SET NULL,
  undone_by INTEGER REFERENCES journal (id) ON DELETE SET NULL
);

-- The working directory for which a file is passed over: it lies in an excluded folder.
ALTER TABLE file ADD COLUMN excluded TEXT;
