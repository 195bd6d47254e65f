-- Vector spaces side by side: one serves, one may be built to take its place, others have had their time.

-- retired_ms: nothing is added any more, and prune drops it. Its key is free for another space.
ALTER TABLE space ADD COLUMN retired_ms INTEGER;
-- The configured embedder against which a reindex was asked for: it outranks that setting until the setting changes.
ALTER TABLE space ADD COLUMN instead_of TEXT;

UPDATE space SET state = 'building';
UPDATE space SET state = 'serving' WHERE id = (
  SELECT id FROM space
  ORDER BY (SELECT count(*) FROM vector WHERE space_id = space.id) DESC, id DESC LIMIT 1
);
CREATE UNIQUE INDEX space_serving ON space (state) WHERE state = 'serving' AND retired_ms IS NULL;
