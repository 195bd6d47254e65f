-- Reflection: what of the entries it has yet to see, what it proposed and what became of that, how far sessions are observed.

-- An insight rests on entries, too.
CREATE TABLE entry_source_of_any (
  entry_id INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  kind     TEXT NOT NULL CHECK (kind IN ('turn', 'session', 'observation', 'entry')),
  source   TEXT NOT NULL,
  PRIMARY KEY (entry_id, kind, source)
) WITHOUT ROWID;
INSERT INTO entry_source_of_any SELECT entry_id, kind, source FROM entry_source;
DROP TABLE entry_source;
ALTER TABLE entry_source_of_any RENAME TO entry_source;
CREATE INDEX entry_source_of ON entry_source (kind, source);
CREATE TRIGGER entry_removed_as_source AFTER DELETE ON entry BEGIN
  DELETE FROM entry_source WHERE kind = 'entry' AND source = CAST(old.id AS TEXT);
END;

-- Entries that there is something new about, although they are no new ones: seen once more, brought back to life, moved
-- to another project. The number grows with each time.
CREATE TABLE entry_sighting (
  number   INTEGER PRIMARY KEY AUTOINCREMENT,
  entry_id INTEGER NOT NULL UNIQUE REFERENCES entry (id) ON DELETE CASCADE
);
CREATE TRIGGER entry_seen AFTER UPDATE OF sightings, superseded_ms, project_id ON entry
WHEN new.sightings > old.sightings OR new.project_id IS NOT old.project_id
  OR (new.superseded_ms IS NULL AND old.superseded_ms IS NOT NULL) BEGIN
  INSERT OR REPLACE INTO entry_sighting (entry_id) VALUES (new.id);
END;
CREATE TRIGGER entry_brought_back AFTER INSERT ON entry
WHEN new.id <= (SELECT max(entry_id) FROM watermark) BEGIN
  INSERT OR REPLACE INTO entry_sighting (entry_id) VALUES (new.id);
END;

-- An undo deletes rows without what a table's own ON DELETE does.
CREATE TRIGGER entry_sighting_removed AFTER DELETE ON entry BEGIN
  DELETE FROM entry_sighting WHERE entry_id = old.id;
END;

-- Of the entries up to the watermark, those up to floor_id are still to be seen; of what there is new about the others,
-- that behind this number.
ALTER TABLE watermark ADD COLUMN floor_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE watermark ADD COLUMN sighting INTEGER NOT NULL DEFAULT 0;

-- A reflection that was done: of which project (null: of all), how many entries it read, what of the reply was dropped.
CREATE TABLE reflection (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES project (id) ON DELETE SET NULL,
  job_id     INTEGER,
  at_ms      INTEGER NOT NULL,
  entries    INTEGER NOT NULL,
  insights   INTEGER NOT NULL,
  repeated   INTEGER NOT NULL,
  dropped    TEXT NOT NULL DEFAULT '[]'
);

CREATE TRIGGER reflection_project_removed AFTER DELETE ON project BEGIN
  UPDATE reflection SET project_id = NULL WHERE project_id = old.id;
END;

-- A change of the curated file that it proposed, and the entries behind that. old: a list of statements. patch: the lines
-- that it changed, once it was applied; in_file: whether the file has it now. It goes with any of its entries.
CREATE TABLE proposal (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  reflection_id INTEGER NOT NULL REFERENCES reflection (id) ON DELETE CASCADE,
  op            TEXT NOT NULL CHECK (op IN ('add', 'rewrite', 'merge', 'retire')),
  old           TEXT NOT NULL,
  new           TEXT NOT NULL,
  entries       TEXT NOT NULL,
  patch         TEXT NOT NULL DEFAULT '[]',
  in_file       INTEGER NOT NULL DEFAULT 0
);
CREATE TRIGGER proposal_entry_removed AFTER DELETE ON entry BEGIN
  DELETE FROM proposal WHERE old.id IN (SELECT value FROM json_each(entries));
END;

-- What a person said to a proposal; it can be undone, so it stands apart from the texts.
CREATE TABLE decision (
  proposal_id INTEGER PRIMARY KEY,
  verdict     TEXT NOT NULL CHECK (verdict IN ('applied', 'rejected')),
  at_ms       INTEGER NOT NULL
);

-- What the curated file is to become: written down before it is written there, gone once it stands there. before: the
-- hash of what it is then. proposals: which are in it afterwards, 1 or 0 by id.
CREATE TABLE memory_edit (
  id        INTEGER PRIMARY KEY CHECK (id = 1),
  before    BLOB NOT NULL,
  after     TEXT NOT NULL,
  proposals TEXT NOT NULL
);

-- How far a session is observed: its turns up to this row, and so many characters of the one behind it.
CREATE TABLE observe_cursor (
  session_id INTEGER PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
  turn       INTEGER NOT NULL,
  chars      INTEGER NOT NULL,
  at_ms      INTEGER NOT NULL
);

-- Records that are to stand in memd's own observation log, each written down with the cursor that it goes with: the day,
-- where the log ended then, and the line.
CREATE TABLE observation_pending (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  day    TEXT NOT NULL,
  offset INTEGER NOT NULL,
  line   BLOB NOT NULL
);

-- Of a scope that the language model is asked about, how many items are next among which is one that it gives no usable
-- answer about, and how many such answers there were in a row.
CREATE TABLE narrowing (
  scope    TEXT PRIMARY KEY,
  suspects INTEGER,                  -- NULL: that is not known yet
  strikes  INTEGER NOT NULL
) WITHOUT ROWID;

-- What was passed over, because the model gave no usable answer about it even alone: an entry, for the reflections of a
-- project (null: of all); a part of a turn, from one character to another. again: somebody asked for it once more.
CREATE TABLE entry_passed_over (
  entry_id   INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  project_id INTEGER REFERENCES project (id) ON DELETE CASCADE,
  job_id     INTEGER,
  at_ms      INTEGER NOT NULL,
  why        TEXT NOT NULL,
  again      INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX entry_passed_over_by ON entry_passed_over (entry_id, coalesce(project_id, 0));
CREATE TRIGGER entry_passed_over_removed AFTER DELETE ON entry BEGIN
  DELETE FROM entry_passed_over WHERE entry_id = old.id;
END;
CREATE TRIGGER entry_passed_over_project_removed AFTER DELETE ON project BEGIN
  DELETE FROM entry_passed_over WHERE project_id = old.id;
END;
CREATE TABLE turn_passed_over (
  turn_id TEXT NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
  start   INTEGER NOT NULL,
  upto    INTEGER NOT NULL,
  job_id  INTEGER,
  at_ms   INTEGER NOT NULL,
  why     TEXT NOT NULL,
  again   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (turn_id, start)
) WITHOUT ROWID;
