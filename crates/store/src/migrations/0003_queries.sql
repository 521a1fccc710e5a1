-- What each person asked of late, so that a change of model can be tried on it.
CREATE TABLE asked_query (
    -- Whose it is: the user's own scope.
    scope INTEGER NOT NULL REFERENCES scope (id),
    text TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    times INTEGER NOT NULL CHECK (times > 0),
    PRIMARY KEY (scope, text)
) STRICT, WITHOUT ROWID;

CREATE INDEX asked_query_by_time ON asked_query (scope, asked_at);
