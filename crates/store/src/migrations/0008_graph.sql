-- Things by their names, and how they hang together. A memory goes with each, by which searches find it.
CREATE TABLE entity (
    id INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL REFERENCES scope (id),
    name TEXT NOT NULL,
    kind TEXT,
    summary TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    mirror BLOB NOT NULL CHECK (length(mirror) = 16),
    UNIQUE (scope, name)
) STRICT;

-- What is not true any more is closed and stays.
CREATE TABLE link (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES entity (id) ON DELETE CASCADE,
    relation TEXT NOT NULL,
    target INTEGER NOT NULL REFERENCES entity (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    valid_at INTEGER NOT NULL,
    invalid_at INTEGER,
    mirror BLOB NOT NULL CHECK (length(mirror) = 16)
) STRICT;

CREATE UNIQUE INDEX link_open ON link (source, relation, target) WHERE invalid_at IS NULL;
CREATE INDEX link_by_source ON link (source, invalid_at);
CREATE INDEX link_by_target ON link (target, invalid_at);
