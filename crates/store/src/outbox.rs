//! Commits that were promised: they stay here until git holds them safely.

use model::{Draft, DraftFile, EpisodeId, Outcome};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Value, json};

use crate::Store;
use crate::error::Result;
use crate::row::{damaged, json as read_json, timestamp};

/// What git has yet to hear of, and what the view knows of git.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Queue {
    /// The newest commit that the records tell of.
    pub head: Option<String>,
    /// The newest commit that lies safe on disk.
    pub safe: Option<String>,
    /// The promised commits, in order.
    pub drafts: Vec<Promised>,
}

/// A commit that was promised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promised {
    /// Its number in the queue: later is greater.
    pub number: i64,
    /// The commit.
    pub draft: Draft,
    /// Its id, once it was made.
    pub committed: Option<String>,
}

impl Store {
    /// The promised commits that are not made yet; with `made`, those too that may not lie safe.
    pub fn queue(&self, made: bool) -> Result<Queue> {
        self.read(|db| {
            let (head, safe) = db
                .prepare_cached("SELECT head, safe FROM ledger_state WHERE only = 1")?
                .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?
                .unwrap_or_default();
            let condition = if made { "TRUE" } else { "committed IS NULL" };
            let sql = format!(
                "SELECT id, episode, subject, body, author, at, files, committed FROM outbox
                 WHERE {condition} ORDER BY id"
            );
            let mut statement = db.prepare_cached(&sql)?;
            let drafts = statement.query_map([], promised)?;
            Ok(Queue { head, safe, drafts: drafts.collect::<rusqlite::Result<_>>()? })
        })
    }

    /// The number up to which all promises were kept, by whomever.
    pub fn delivered(&self) -> Result<i64> {
        self.read(|db| {
            let sql = "SELECT coalesce((SELECT min(id) FROM outbox WHERE committed IS NULL) - 1,
                         (SELECT seq FROM sqlite_sequence WHERE name = 'outbox'), 0)";
            Ok(db.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
        })
    }
}

fn promised(row: &Row<'_>) -> rusqlite::Result<Promised> {
    let files: Vec<Value> = read_json(row, 6)?;
    let file = |file: &Value| {
        let text = |key: &str| file.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(DraftFile { path: text("path")?, content: text("content"), was: text("was") })
    };
    let files: Option<Vec<DraftFile>> = files.iter().map(file).collect();
    Ok(Promised {
        number: row.get(0)?,
        draft: Draft {
            episode: EpisodeId(row.get(1)?),
            files: files.ok_or_else(|| damaged(6, "no files"))?,
            subject: row.get(2)?,
            body: row.get(3)?,
            author: row.get(4)?,
            at: timestamp(row, 5)?,
        },
        committed: row.get(7)?,
    })
}

/// Keeps a commit that is to be made.
pub(crate) fn put(db: &Connection, draft: &Draft) -> Result<Outcome> {
    let files = draft
        .files
        .iter()
        .map(|file| json!({"path": file.path, "content": file.content, "was": file.was}));
    let files = Value::Array(files.collect()).to_string();
    db.prepare_cached(
        "INSERT INTO outbox (episode, subject, body, author, at, files)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        draft.episode.0,
        draft.subject,
        draft.body,
        draft.author,
        draft.at.as_microsecond(),
        files
    ])?;
    Ok(Outcome::Recorded(db.last_insert_rowid()))
}

/// Notes which commits were made, and the newest one.
pub(crate) fn mark(
    db: &Connection,
    commits: &[(EpisodeId, Option<String>)],
    head: &str,
) -> Result<()> {
    let mut mark = db.prepare_cached("UPDATE outbox SET committed = ?2 WHERE episode = ?1")?;
    for (episode, commit) in commits {
        mark.execute(params![episode.0, commit])?;
    }
    db.prepare_cached("UPDATE ledger_state SET head = nullif(?1, '') WHERE only = 1")?
        .execute([head])?;
    Ok(())
}

/// Lets go of what lies safe in git.
pub(crate) fn settle(db: &Connection, up_to: i64, head: &str) -> Result<()> {
    db.prepare_cached("DELETE FROM outbox WHERE id <= ?1 AND committed IS NOT NULL")?
        .execute([up_to])?;
    db.prepare_cached("UPDATE ledger_state SET safe = ?1 WHERE only = 1")?.execute([head])?;
    Ok(())
}
