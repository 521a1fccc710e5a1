-- Searches look at an index in memory, which each process brings up to date from the log of changes.
DROP TABLE memory_vocabulary;
DROP TABLE memory_terms;

-- The session, conversation or document that a memory was stored in.
ALTER TABLE memory ADD COLUMN thread TEXT;

-- What changed, in order; only the latest part is kept. The mark is random, so that an index can tell
-- whether it grew from this store's history or from that of a copy.
CREATE TABLE change_log (
    at INTEGER PRIMARY KEY AUTOINCREMENT,
    memory INTEGER NOT NULL,
    mark INTEGER NOT NULL
) STRICT;

CREATE TABLE embedding_model (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    -- 0 until the first vector is there.
    dimensions INTEGER NOT NULL DEFAULT 0 CHECK (dimensions >= 0),
    -- Whether every memory has had a vector of it, so that it may be searched.
    complete INTEGER NOT NULL DEFAULT 0 CHECK (complete IN (0, 1)),
    -- What its cosines weigh, as the ranking wrote it.
    calibration TEXT
) STRICT;

-- A code of no bytes says that the model has nothing to say of the text.
CREATE TABLE memory_vector (
    memory INTEGER NOT NULL REFERENCES memory (seq) ON DELETE CASCADE,
    model INTEGER NOT NULL REFERENCES embedding_model (id),
    code BLOB NOT NULL,
    PRIMARY KEY (memory, model)
) STRICT, WITHOUT ROWID;
