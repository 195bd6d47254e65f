-- What late interaction compares: the signs of the vectors of a text's tokens, a row a window, which goes with the
-- window's vector. Only what an embedder gives that can.
CREATE TABLE token_signs (
  vector_id INTEGER PRIMARY KEY REFERENCES vector (id) ON DELETE CASCADE,
  signs     BLOB NOT NULL
);

-- older: the vectors up to this one were stored before there were token signs, and have none yet.
ALTER TABLE space ADD COLUMN older INTEGER NOT NULL DEFAULT 0;
UPDATE space SET older = coalesce((SELECT max(id) FROM vector WHERE space_id = space.id), 0);
