-- How often a turn that stood there was changed or went (memd/db/turn_changes.py): what was read before may hold no
-- more. Turns that are added do not count: they stand behind all others.

CREATE TRIGGER turn_removed AFTER DELETE ON turn BEGIN
  INSERT INTO meta VALUES ('turn_changes', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1;
END;
CREATE TRIGGER turn_changed AFTER UPDATE ON turn WHEN
  (old.id, old.session_id, old.seq, old.role, old.content_id, old.hidden) IS NOT
  (new.id, new.session_id, new.seq, new.role, new.content_id, new.hidden)
  OR (old.at_ms, old.sort_ms, old.agent_id, old.branch) IS NOT (new.at_ms, new.sort_ms, new.agent_id, new.branch)
BEGIN
  INSERT INTO meta VALUES ('turn_changes', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1;
END;
CREATE TRIGGER session_changed AFTER UPDATE OF key, project_id, branch ON session WHEN
  (old.key, old.project_id, old.branch) IS NOT (new.key, new.project_id, new.branch)
BEGIN
  INSERT INTO meta VALUES ('turn_changes', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1;
END;
CREATE TRIGGER content_changed AFTER UPDATE OF text ON content WHEN old.text IS NOT new.text BEGIN
  INSERT INTO meta VALUES ('turn_changes', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1;
END;
CREATE TRIGGER project_changed AFTER UPDATE OF path ON project WHEN old.path IS NOT new.path BEGIN
  INSERT INTO meta VALUES ('turn_changes', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1;
END;
