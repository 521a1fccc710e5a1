//! What happened, in order.

use model::{Episode, EpisodeId, EpisodeKind, Namespace, Outcome, RecordId};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::Store;
use crate::error::Result;
use crate::record::record_id;
use crate::row::{damaged, json, named, scope, timestamp};
use crate::write::scope_id;

pub(crate) const COLUMNS: &str =
    "e.seq, e.id, s.layer, s.owner, e.kind, e.description, e.metadata, e.at";

/// The newest of a place, of one kind or of all. The index that is asked for ends with their numbers,
/// so that nothing is sorted.
pub(crate) const NEWEST: &str = "SELECT e.seq, e.id, s.layer, s.owner, e.kind, e.description, \
     e.metadata, e.at FROM episode e JOIN scope s ON s.id = e.scope \
     WHERE e.scope = (SELECT id FROM scope WHERE layer = ?1 AND owner = ?2)";

pub(crate) fn episode(row: &Row<'_>) -> rusqlite::Result<(i64, Episode)> {
    let place = scope(row, 2)?;
    let namespace = Namespace::of_scope(&place).ok_or_else(|| damaged(3, "no namespace"))?;
    let episode = Episode {
        id: EpisodeId(row.get(1)?),
        namespace,
        kind: named(row, 4, EpisodeKind::named)?,
        description: row.get(5)?,
        metadata: json(row, 6)?,
        at: timestamp(row, 7)?,
        linked: Vec::new(),
    };
    Ok((row.get(0)?, episode))
}

impl Store {
    /// The episode of this id, wherever it belongs, without its links.
    pub fn episode(&self, id: EpisodeId) -> Result<Option<Episode>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM episode e JOIN scope s ON s.id = e.scope WHERE e.id = ?1"
        );
        self.read(|db| {
            let found = db.prepare_cached(&sql)?.query_row([id.0], episode).optional()?;
            Ok(found.map(|(_, episode)| episode))
        })
    }

    /// The newest episodes of a namespace, of one kind or of all, and how many there are of them.
    pub fn episodes(
        &self,
        namespace: &Namespace,
        kind: Option<EpisodeKind>,
        max: u64,
    ) -> Result<(Vec<Episode>, u64)> {
        let place = namespace.scope();
        let kind = kind.map(EpisodeKind::name);
        let of_kind = if kind.is_some() { "AND e.kind = ?3" } else { "AND ?3 IS NULL" };
        self.read(|db| {
            let sql = format!("{NEWEST} {of_kind} ORDER BY e.seq DESC LIMIT {max}");
            let mut statement = db.prepare_cached(&sql)?;
            let values = params![place.layer.name(), place.owner, kind];
            let found = statement.query_map(values, episode)?;
            let found: Vec<_> = found.collect::<rusqlite::Result<_>>()?;
            let episodes: Result<Vec<_>> =
                found.into_iter().map(|found| with_links(db, found)).collect();
            let count = format!(
                "SELECT count(*) FROM episode e
                 WHERE e.scope = (SELECT id FROM scope WHERE layer = ?1 AND owner = ?2) {of_kind}"
            );
            let total = db.prepare_cached(&count)?.query_row(values, |row| row.get(0))?;
            Ok((episodes?, total))
        })
    }
}

pub(crate) fn with_links(db: &Connection, (seq, mut episode): (i64, Episode)) -> Result<Episode> {
    let mut statement =
        db.prepare_cached("SELECT record FROM episode_link WHERE episode = ?1 ORDER BY rowid")?;
    let linked = statement.query_map([seq], |row| record_id(row, 0))?;
    episode.linked = linked.collect::<rusqlite::Result<_>>()?;
    Ok(episode)
}

/// Keeps what happened, with its links. One that is there already stays as it is.
pub(crate) fn put(db: &Connection, new: &Episode) -> Result<()> {
    let scope = scope_id(db, &new.namespace.scope())?;
    let metadata = serde_json::Value::Object(new.metadata.clone()).to_string();
    let seq: Option<i64> = db
        .prepare_cached(
            "INSERT INTO episode (id, scope, kind, description, metadata, at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING RETURNING seq",
        )?
        .query_row(
            params![
                new.id.0,
                scope,
                new.kind.name(),
                new.description,
                metadata,
                new.at.as_microsecond()
            ],
            |row| row.get(0),
        )
        .optional()?;
    if let Some(seq) = seq.filter(|_| new.linked.is_empty()) {
        db.prepare_cached("INSERT INTO episode_unlinked (episode) VALUES (?1)")?.execute([seq])?;
    }
    link(db, new.id, &new.linked).map(drop)
}

/// Links what happened with records.
pub(crate) fn link(
    db: &Connection,
    id: EpisodeId,
    records: &[RecordId],
) -> Result<Option<Outcome>> {
    if records.is_empty() {
        return Ok(None);
    }
    let seq: Option<i64> = db
        .prepare_cached("SELECT seq FROM episode WHERE id = ?1")?
        .query_row([id.0], |row| row.get(0))
        .optional()?;
    let Some(seq) = seq else { return Ok(Some(Outcome::NoEpisode(id))) };
    let mut insert = db.prepare_cached(
        "INSERT INTO episode_link (episode, record) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
    )?;
    for record in records {
        insert.execute(params![seq, record.0])?;
    }
    db.prepare_cached("DELETE FROM episode_unlinked WHERE episode = ?1")?.execute([seq])?;
    Ok(None)
}

/// Drops the oldest episodes that no record is linked with.
pub(crate) fn expire(db: &Connection, before: i64, max: u64) -> Result<()> {
    // They came in the order of time, or nearly: the first that is young enough ends it.
    db.prepare_cached(
        "DELETE FROM episode WHERE at < ?1 AND seq IN
           (SELECT episode FROM episode_unlinked ORDER BY episode LIMIT ?2)",
    )?
    .execute(params![before, max])?;
    Ok(())
}
