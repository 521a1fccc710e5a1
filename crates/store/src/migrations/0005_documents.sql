-- Documents and their chunks. Whatever can be searched, memories and chunks, has a number of its own,
-- so that one log of changes and one table of vectors serve all: chunks count from 2^56 on.
CREATE TABLE document (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    scope INTEGER NOT NULL REFERENCES scope (id),
    path TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    size INTEGER NOT NULL CHECK (size >= 0),
    modified INTEGER NOT NULL,
    indexed_at INTEGER NOT NULL,
    UNIQUE (scope, path)
) STRICT;

CREATE TABLE chunk (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    page INTEGER,
    header_path TEXT,
    content TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

INSERT INTO sqlite_sequence (name, seq) VALUES ('chunk', 72057594037927936);

CREATE INDEX chunk_by_document ON chunk (document, ordinal);

-- A code of no bytes says that the model has nothing to say of the text.
CREATE TABLE vector (
    entry INTEGER NOT NULL,
    model INTEGER NOT NULL REFERENCES embedding_model (id),
    code BLOB NOT NULL,
    PRIMARY KEY (entry, model)
) STRICT, WITHOUT ROWID;

INSERT INTO vector (entry, model, code) SELECT memory, model, code FROM memory_vector;
DROP TABLE memory_vector;

CREATE TRIGGER vector_of_memory AFTER DELETE ON memory BEGIN
    DELETE FROM vector WHERE entry = old.seq;
END;

CREATE TRIGGER vector_of_chunk AFTER DELETE ON chunk BEGIN
    DELETE FROM vector WHERE entry = old.seq;
END;

ALTER TABLE change_log RENAME COLUMN memory TO entry;
