-- Where each memory comes from: how far that is trusted, and who, by which client and tool, from what
-- source. Of what is there already only the level is known.
ALTER TABLE memory ADD COLUMN trust TEXT NOT NULL DEFAULT 'agent';
ALTER TABLE memory ADD COLUMN provenance TEXT;

UPDATE memory SET trust = 'repository'
WHERE scope IN (SELECT id FROM scope WHERE owner LIKE 'knowledge/%');

-- The same for records of the ledger. (Their column `trust` is who may change them.)
ALTER TABLE record ADD COLUMN level TEXT NOT NULL DEFAULT 'agent';
ALTER TABLE record ADD COLUMN provenance TEXT;

-- What people said of texts that read like instructions to an agent.
CREATE TABLE verdict (
    scope INTEGER NOT NULL REFERENCES scope (id),
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    approved INTEGER NOT NULL CHECK (approved IN (0, 1)),
    who TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (scope, hash)
) STRICT, WITHOUT ROWID;

-- What was done, by whom, and what was refused. Each row's hash is made of the hash before it and of
-- all that stands in the row, so that nothing can be changed, put in or taken out unseen.
CREATE TABLE audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    who TEXT NOT NULL,
    client TEXT,
    tool TEXT,
    trust TEXT NOT NULL,
    deed TEXT NOT NULL,
    what TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN
    SELECT raise(ABORT, 'the audit log is never changed');
END;

-- How far the log was moved to files: the last entry of each file, with its hash, from which the rest
-- goes on. An entry of the log says so, too.
CREATE TABLE audit_archive (
    number INTEGER PRIMARY KEY,
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
WHEN old.number > (SELECT coalesce(max(number), 0) FROM audit_archive)
BEGIN
    SELECT raise(ABORT, 'nothing is taken out of the audit log');
END;

CREATE TRIGGER audit_archive_is_never_changed BEFORE UPDATE ON audit_archive
BEGIN
    SELECT raise(ABORT, 'what was archived is never changed');
END;

CREATE TRIGGER audit_archive_is_never_deleted BEFORE DELETE ON audit_archive
BEGIN
    SELECT raise(ABORT, 'nothing is taken out of what was archived');
END;

-- Which line of time the store is on. A restore ends it there and begins another, so that nothing is
-- ever compared with, or mended by, a backup of what was left.
CREATE TABLE store_line (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    ended INTEGER
) STRICT;

INSERT INTO store_line (id) VALUES (lower(hex(randomblob(16))));
