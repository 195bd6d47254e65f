-- A store in which several machines share what was said: whose a turn is, what is still to be told there, how far it is
-- heard.

-- Whose a turn is, where an import or a shared store told; NULL: of whoever uses this machine. Several may speak in one
-- session: of that it is kept who described it last, to be shown.
ALTER TABLE turn ADD COLUMN user_id TEXT;
ALTER TABLE session ADD COLUMN user_id TEXT;
ALTER TABLE session ADD COLUMN agent_id TEXT;

-- A store that was ever used, by its place. user_id: as whom this machine tells. file_id: the place of the turns that were
-- heard from it. folders, excluded, whose: what is told and heard, as JSON. Turns are told up to the row turn, vectors of the space
-- up to vector; told counts the turns. mark: how far it is heard.
CREATE TABLE shared_store (
  id       INTEGER PRIMARY KEY,
  place    TEXT NOT NULL UNIQUE,
  user_id  TEXT NOT NULL,
  file_id  INTEGER REFERENCES file (id) ON DELETE SET NULL,
  folders  TEXT NOT NULL DEFAULT '[]',
  excluded TEXT NOT NULL DEFAULT '[]',
  whose    TEXT NOT NULL DEFAULT '{}',
  turn     INTEGER NOT NULL DEFAULT 0,
  told     INTEGER NOT NULL DEFAULT 0,
  space    TEXT,
  vector   INTEGER NOT NULL DEFAULT 0,
  mark     TEXT NOT NULL DEFAULT '{}'
);

-- What has changed of what was told, by id. The number grows with each change, so that one which comes while another is
-- told stays. Without a store nothing is written here, and new turns and vectors never are: they stand behind the marks.
CREATE TABLE outgoing (
  number   INTEGER PRIMARY KEY AUTOINCREMENT,
  store_id INTEGER NOT NULL REFERENCES shared_store (id) ON DELETE CASCADE,
  kind     TEXT NOT NULL CHECK (kind IN ('turn', 'session', 'forgotten')),
  key      TEXT NOT NULL,
  UNIQUE (store_id, kind, key)
);

-- A turn that was heard from a store is not this machine's to tell. One behind the mark may have been told all the same: a
-- kill can fall between the store's yes and the mark.
CREATE TRIGGER turn_changed_to_tell AFTER UPDATE OF
  session_id, seq, role, content_id, claim, hidden, at_ms, sort_ms, agent_id, branch ON turn
WHEN EXISTS (SELECT 1 FROM shared_store) AND (
  (old.session_id, old.seq, old.role, old.content_id, old.claim, old.hidden) IS NOT
  (new.session_id, new.seq, new.role, new.content_id, new.claim, new.hidden)
  OR (old.at_ms, old.sort_ms, old.agent_id, old.branch) IS NOT (new.at_ms, new.sort_ms, new.agent_id, new.branch))
BEGIN
  INSERT OR REPLACE INTO outgoing (store_id, kind, key) SELECT id, 'turn', new.id FROM shared_store
    WHERE NOT EXISTS (SELECT 1 FROM shared_store heard WHERE heard.file_id = new.file_id);
END;
CREATE TRIGGER content_changed_to_tell AFTER UPDATE OF text ON content
WHEN EXISTS (SELECT 1 FROM shared_store) AND old.text IS NOT new.text BEGIN
  INSERT OR REPLACE INTO outgoing (store_id, kind, key) SELECT s.id, 'turn', t.id FROM shared_store s, turn t
    WHERE t.content_id = new.id AND NOT EXISTS (SELECT 1 FROM shared_store heard WHERE heard.file_id = t.file_id);
END;
CREATE TRIGGER session_changed_to_tell AFTER UPDATE OF
  key, format, title, project_id, cwd, branch, continues, user_id, agent_id ON session
WHEN EXISTS (SELECT 1 FROM shared_store) AND (
  (old.key, old.format, old.title, old.project_id, old.cwd) IS NOT
  (new.key, new.format, new.title, new.project_id, new.cwd)
  OR (old.branch, old.continues, old.user_id, old.agent_id) IS NOT
  (new.branch, new.continues, new.user_id, new.agent_id))
BEGIN
  INSERT OR REPLACE INTO outgoing (store_id, kind, key) SELECT id, 'session', new.key FROM shared_store;
END;
-- Where only some folders are told, a session may come to lie in one of them after its turns were passed over.
CREATE TRIGGER session_moved_to_tell AFTER UPDATE OF project_id, cwd ON session
WHEN EXISTS (SELECT 1 FROM shared_store WHERE folders <> '[]')
  AND (old.project_id, old.cwd) IS NOT (new.project_id, new.cwd) BEGIN
  UPDATE shared_store SET turn = min(turn, (SELECT coalesce(min(rowid), 1) - 1 FROM turn WHERE session_id = new.id))
    WHERE folders <> '[]';
END;
CREATE TRIGGER project_changed_to_tell AFTER UPDATE OF name, path ON project
WHEN EXISTS (SELECT 1 FROM shared_store) AND (old.name, old.path) IS NOT (new.name, new.path) BEGIN
  INSERT OR REPLACE INTO outgoing (store_id, kind, key)
    SELECT s.id, 'session', c.key FROM shared_store s, session c WHERE c.project_id = new.id;
END;

-- A user's own turns are forgotten for everybody, those of others here alone. The rows of the last turns are given again
-- to others: then these are still to be told.
CREATE TRIGGER turn_removed_to_tell AFTER DELETE ON turn WHEN EXISTS (SELECT 1 FROM shared_store) BEGIN
  INSERT OR REPLACE INTO outgoing (store_id, kind, key) SELECT id, 'forgotten', old.id FROM shared_store s
    WHERE NOT EXISTS (SELECT 1 FROM shared_store heard WHERE heard.file_id = old.file_id)
      OR s.user_id = old.user_id;
  DELETE FROM outgoing WHERE kind = 'turn' AND key = old.id;
  UPDATE shared_store SET turn = (SELECT coalesce(max(rowid), 0) FROM turn)
    WHERE turn > (SELECT coalesce(max(rowid), 0) FROM turn);
END;
