-- Memories, where they lie, their tags, the notes of their readings, and their lexical index.
CREATE TABLE scope (
    id INTEGER PRIMARY KEY,
    layer TEXT NOT NULL,
    owner TEXT NOT NULL,
    UNIQUE (layer, owner)
) STRICT;

CREATE TABLE memory (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    scope INTEGER NOT NULL REFERENCES scope (id),
    origin TEXT NOT NULL,
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    category TEXT,
    tags TEXT NOT NULL,
    importance REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    metadata TEXT NOT NULL,
    archived INTEGER NOT NULL CHECK (archived IN (0, 1)),
    access_count INTEGER NOT NULL CHECK (access_count >= 0),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    accessed_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;

CREATE INDEX memory_by_text ON memory (scope, hash);
CREATE INDEX memory_by_quota ON memory (scope, origin, kind, archived);

-- The tags once more, one a row, for filters and counts; `memory.tags` keeps their order.
CREATE TABLE memory_tag (
    memory INTEGER NOT NULL REFERENCES memory (seq) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (memory, tag)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_tag_by_tag ON memory_tag (tag, memory);

-- Readings that are noted but not yet added to the memories' counts.
CREATE TABLE memory_access (
    memory INTEGER NOT NULL REFERENCES memory (seq) ON DELETE CASCADE,
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX memory_access_by_memory ON memory_access (memory);

-- Terms arrive folded, split and stemmed; the tokenizer only takes them apart at the spaces.
CREATE VIRTUAL TABLE memory_terms USING fts5 (
    terms,
    content = '',
    contentless_delete = 1,
    tokenize = "ascii tokenchars '+#'"
);

CREATE VIRTUAL TABLE memory_vocabulary USING fts5vocab (memory_terms, row);
