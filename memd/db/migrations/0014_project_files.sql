-- Projects may have a curated file of their own; proposals outlive the entries behind them; and of an answer that was of
-- no use it is kept how it began.

-- An entry may come back: what took it away can be undone. Only forgetting removes a proposal, and does so by itself.
DROP TRIGGER proposal_entry_removed;

-- file: the path of the project whose own file it is about; empty: the one for all. A path, for a project's row may go
-- and come back.
ALTER TABLE proposal ADD COLUMN file TEXT NOT NULL DEFAULT '';

-- Of each file what it is to become, as before.
CREATE TABLE memory_edit_of_any (
  file      TEXT NOT NULL DEFAULT '' PRIMARY KEY,
  before    BLOB NOT NULL,
  after     TEXT NOT NULL,
  proposals TEXT NOT NULL
);
INSERT INTO memory_edit_of_any SELECT '', before, after, proposals FROM memory_edit;
DROP TABLE memory_edit;
ALTER TABLE memory_edit_of_any RENAME TO memory_edit;

-- How a call's answer began, where nothing could be made of it.
ALTER TABLE ledger ADD COLUMN answer TEXT;
