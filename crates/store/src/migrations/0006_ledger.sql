-- Records of the ledger as their files tell them, what happened, and what git has yet to hear of.
-- Records count from 2^57 on among all that can be searched.
CREATE TABLE record (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 6),
    scope INTEGER NOT NULL REFERENCES scope (id),
    revision INTEGER NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    phase TEXT NOT NULL,
    trust TEXT NOT NULL,
    title TEXT NOT NULL,
    -- The title as it is compared.
    title_key TEXT NOT NULL,
    target TEXT NOT NULL,
    rationale TEXT NOT NULL,
    consequences TEXT NOT NULL,
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    evidence TEXT NOT NULL,
    supersedes BLOB,
    superseded_by BLOB,
    superseded_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    rest_front TEXT NOT NULL,
    rest_body TEXT NOT NULL,
    -- Its file below the ledger's directory, and the git id of what that says.
    path TEXT NOT NULL,
    blob TEXT NOT NULL,
    -- What is searched.
    text TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    marks TEXT NOT NULL
) STRICT;

INSERT INTO sqlite_sequence (name, seq) VALUES ('record', 144115188075855872);

CREATE INDEX record_by_created ON record (scope, created_at);
CREATE INDEX record_by_kind ON record (scope, kind, status, created_at);
CREATE INDEX record_by_status ON record (scope, status, created_at);
CREATE INDEX record_by_target ON record (scope, target, kind, status, created_at);
CREATE INDEX record_by_title ON record (scope, kind, title_key);
CREATE INDEX record_by_supersedes ON record (supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX record_by_path ON record (path);

CREATE TRIGGER vector_of_record AFTER DELETE ON record BEGIN
    DELETE FROM vector WHERE entry = old.seq;
END;

CREATE TABLE episode (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 8),
    scope INTEGER NOT NULL REFERENCES scope (id),
    kind TEXT NOT NULL,
    description TEXT NOT NULL,
    metadata TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX episode_by_scope ON episode (scope);
CREATE INDEX episode_by_kind ON episode (scope, kind);

CREATE TRIGGER episode_stays BEFORE UPDATE ON episode BEGIN
    SELECT RAISE (ABORT, 'what happened does not change');
END;

-- A record may go; that something had to do with it stays.
CREATE TABLE episode_link (
    episode INTEGER NOT NULL REFERENCES episode (seq) ON DELETE CASCADE,
    record BLOB NOT NULL CHECK (length(record) = 6),
    UNIQUE (episode, record)
) STRICT;

CREATE INDEX episode_link_by_record ON episode_link (record);

-- The episodes that may be dropped when they are old.
CREATE TABLE episode_unlinked (
    episode INTEGER PRIMARY KEY REFERENCES episode (seq) ON DELETE CASCADE
) STRICT;

-- Commits that were promised; they leave when git holds them safely.
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    episode BLOB NOT NULL UNIQUE CHECK (length(episode) = 8),
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    author TEXT NOT NULL,
    at INTEGER NOT NULL,
    files TEXT NOT NULL,
    -- The commit's id, once it is made.
    committed TEXT
) STRICT;

CREATE INDEX outbox_open ON outbox (id) WHERE committed IS NULL;

-- The newest commit that the records tell of, and the newest that lies safe on disk.
CREATE TABLE ledger_state (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    head TEXT,
    safe TEXT
) STRICT;

INSERT INTO ledger_state (only) VALUES (1);
