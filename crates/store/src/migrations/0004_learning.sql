-- How memories stand to each other, what became of them in use, and what makes long lists quick.
CREATE TABLE memory_edge (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source INTEGER NOT NULL REFERENCES memory (seq) ON DELETE CASCADE,
    target INTEGER NOT NULL REFERENCES memory (seq) ON DELETE CASCADE,
    relation TEXT NOT NULL,
    weight REAL NOT NULL CHECK (weight BETWEEN 0 AND 1),
    UNIQUE (source, target, relation)
) STRICT;

CREATE INDEX memory_edge_by_target ON memory_edge (target);

CREATE TABLE memory_event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory INTEGER NOT NULL REFERENCES memory (seq) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    context TEXT,
    session TEXT,
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX memory_event_by_memory ON memory_event (memory);
CREATE INDEX memory_event_by_kind ON memory_event (memory, kind);

-- When its confidence was last found out.
ALTER TABLE memory ADD COLUMN validated_at INTEGER;

-- One list a place, kind and shelf, sorted; a page of many of them is a merge. Equals follow by number,
-- which every index ends with.
CREATE INDEX memory_by_created ON memory (scope, kind, archived, created_at);
CREATE INDEX memory_by_access ON memory (scope, kind, archived, accessed_at);
CREATE INDEX memory_by_importance ON memory (scope, kind, archived, importance);
CREATE INDEX memory_by_confidence ON memory (scope, kind, archived, confidence);

-- How long each of those lists is.
CREATE TABLE memory_tally (
    scope INTEGER NOT NULL REFERENCES scope (id),
    kind TEXT NOT NULL,
    archived INTEGER NOT NULL,
    count INTEGER NOT NULL CHECK (count >= 0),
    PRIMARY KEY (scope, kind, archived)
) STRICT, WITHOUT ROWID;

INSERT INTO memory_tally SELECT scope, kind, archived, count(*) FROM memory GROUP BY scope, kind, archived;

CREATE TRIGGER memory_tally_insert AFTER INSERT ON memory BEGIN
    INSERT INTO memory_tally VALUES (new.scope, new.kind, new.archived, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER memory_tally_delete AFTER DELETE ON memory BEGIN
    UPDATE memory_tally SET count = count - 1
    WHERE scope = old.scope AND kind = old.kind AND archived = old.archived;
END;

CREATE TRIGGER memory_tally_update AFTER UPDATE OF scope, kind, archived ON memory
WHEN (old.scope, old.kind, old.archived) IS NOT (new.scope, new.kind, new.archived) BEGIN
    UPDATE memory_tally SET count = count - 1
    WHERE scope = old.scope AND kind = old.kind AND archived = old.archived;
    INSERT INTO memory_tally VALUES (new.scope, new.kind, new.archived, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
