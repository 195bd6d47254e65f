-- What was put before the model in a session, by the client's id of it: each turn and each entry once.
-- emptied_ms: when the session's context was emptied last, by a compaction or a clear.

CREATE TABLE handed_session (
  key        TEXT PRIMARY KEY,
  at_ms      INTEGER NOT NULL,
  emptied_ms INTEGER
) WITHOUT ROWID;
CREATE INDEX handed_session_at ON handed_session (at_ms);

CREATE TABLE handed (
  session TEXT NOT NULL REFERENCES handed_session (key) ON DELETE CASCADE,
  kind    TEXT NOT NULL CHECK (kind IN ('turn', 'entry')),
  item    TEXT NOT NULL,
  PRIMARY KEY (session, kind, item)
) WITHOUT ROWID;
