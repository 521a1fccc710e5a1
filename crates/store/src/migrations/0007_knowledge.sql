-- Items of knowledge folders as they were when they were last synced; the files are the truth.
CREATE TABLE item (
    -- The folder, and the file below it.
    root TEXT NOT NULL,
    path TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    layer TEXT NOT NULL,
    owner TEXT,
    -- Of content, constraints and status.
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    -- Of the text that was accepted, where that may not change.
    seal BLOB CHECK (length(seal) = 32),
    -- The memory that points to it.
    pointer BLOB NOT NULL CHECK (length(pointer) = 16),
    PRIMARY KEY (root, id)
) STRICT, WITHOUT ROWID;

-- What the last sync of a folder could not take.
CREATE TABLE item_failure (
    root TEXT NOT NULL,
    path TEXT NOT NULL,
    why TEXT NOT NULL
) STRICT;

CREATE INDEX item_failure_by_root ON item_failure (root);

CREATE TABLE sync_state (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    syncs INTEGER NOT NULL,
    items INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    at INTEGER,
    succeeded INTEGER NOT NULL
) STRICT;

INSERT INTO sync_state (only, syncs, items, micros, succeeded) VALUES (1, 0, 0, 0, 1);
