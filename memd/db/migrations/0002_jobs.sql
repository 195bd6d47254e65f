-- The queue: one table, one state machine (memd/jobs/job.py).

CREATE TABLE job (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  kind         TEXT NOT NULL,
  key          TEXT NOT NULL,
  payload      TEXT NOT NULL DEFAULT '{}',
  lane         TEXT NOT NULL,
  state        TEXT NOT NULL DEFAULT 'queued',
  run_at_ms    INTEGER NOT NULL,
  attempts     INTEGER NOT NULL DEFAULT 0,
  max_attempts INTEGER NOT NULL,
  lease_ms     INTEGER,
  token        TEXT,
  boot         TEXT,
  error        TEXT,
  result       TEXT,
  created_ms   INTEGER NOT NULL,
  updated_ms   INTEGER NOT NULL
);
CREATE UNIQUE INDEX job_live ON job (kind, key) WHERE state IN ('queued', 'running', 'retry', 'paused');
CREATE INDEX job_due ON job (lane, run_at_ms) WHERE state IN ('queued', 'retry');
CREATE INDEX job_running ON job (lease_ms) WHERE state = 'running';

CREATE TABLE job_pause (
  kind     TEXT PRIMARY KEY,
  reason   TEXT NOT NULL,
  since_ms INTEGER NOT NULL
) WITHOUT ROWID;
