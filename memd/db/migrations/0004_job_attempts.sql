-- What became of every attempt, why a kind stands still, and which texts memd ended over.

CREATE TABLE job_attempt (
  job_id     INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  number     INTEGER NOT NULL,
  started_ms INTEGER NOT NULL,
  ended_ms   INTEGER,
  ending     TEXT,
  reason     TEXT,
  next_ms    INTEGER,
  times      INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (job_id, number)
) WITHOUT ROWID;

-- What the job works on now, where the work itself may end memd; it stands there still after a death.
ALTER TABLE job ADD COLUMN in_flight TEXT;

-- automatic: paused by a condition that memd met, lifted at until_ms or at the next start.
ALTER TABLE job_pause ADD COLUMN until_ms INTEGER;
ALTER TABLE job_pause ADD COLUMN automatic INTEGER NOT NULL DEFAULT 0;

-- deaths: how often memd ended while the text was in flight; alone: with no other text beside it.
ALTER TABLE backlog ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
ALTER TABLE backlog ADD COLUMN alone INTEGER NOT NULL DEFAULT 0;
CREATE INDEX backlog_suspect ON backlog (space_id, deaths) WHERE deaths > 0;
