-- Sentences that may be worth keeping. What was decided stays, so that none is offered twice.
CREATE TABLE candidate (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    scope INTEGER NOT NULL REFERENCES scope (id),
    text TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    kind TEXT NOT NULL,
    project TEXT,
    client TEXT NOT NULL,
    session TEXT,
    episode BLOB NOT NULL CHECK (length(episode) = 8),
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    decided_at INTEGER,
    UNIQUE (scope, hash)
) STRICT;

CREATE INDEX candidate_by_state ON candidate (scope, state, id);
