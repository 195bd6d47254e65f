-- Eight segments of the text index become one, not four: an import writes each word fewer times then. The few segments
-- more that a search looks into cost it nothing that can be measured.
INSERT INTO turn_fts (turn_fts, rank) VALUES ('automerge', 8);
