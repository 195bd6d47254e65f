-- What the language model was asked, what it took and what that cost.

-- A row stands here before the call is made, with an estimate; afterwards with what the provider counted.
CREATE TABLE ledger (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms         INTEGER NOT NULL,
  job_id        INTEGER,             -- the job may be gone since
  purpose       TEXT NOT NULL,
  model         TEXT NOT NULL,
  input_tokens  INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL,
  price         REAL,                -- US dollars; NULL where the model's price is not known
  result        TEXT NOT NULL        -- running, ok, or how it failed
);
CREATE INDEX ledger_at ON ledger (at_ms);

-- Replies that are paid for, until their effect is stored: the same request is not paid for again meanwhile.
CREATE TABLE ledger_reply (
  payload BLOB PRIMARY KEY,          -- a hash of what was asked
  call_id INTEGER NOT NULL REFERENCES ledger (id) ON DELETE CASCADE,
  at_ms   INTEGER NOT NULL,
  reply   TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX ledger_reply_call ON ledger_reply (call_id);
