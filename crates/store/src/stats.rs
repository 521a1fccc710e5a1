//! Counting memories: for the statistics tool, for completion, for the doctor.

use model::scope::OwnerId;
use model::{Importance, Kind, Memory, MemoryFilter, Scope, Timestamp};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};

use crate::Store;
use crate::error::Result;
use crate::filter::{Where, is_golden};
use crate::row::{MEMORY_COLUMNS, memory, named, scope, timestamp};

/// What there is, of the memories a filter lets through. But for `archived` and `bytes`, archived
/// memories do not count.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryStats {
    /// How many of each kind; kinds without any are left out.
    pub by_kind: Vec<(Kind, u64)>,
    /// How many on each step of importance, low to high.
    pub by_importance: [(Importance, u64); 3],
    /// How many are archived.
    pub archived: u64,
    /// The size of texts, categories, tags and metadata, archived ones included.
    pub bytes: u64,
    /// When the oldest was stored.
    pub oldest: Option<Timestamp>,
    /// When the newest was stored.
    pub newest: Option<Timestamp>,
    /// The one that was read most often; among equals, most recently.
    pub most_accessed: Option<Memory>,
    /// The most used tags; equals by name.
    pub top_tags: Vec<TagCount>,
}

/// A tag and how many memories have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagCount {
    /// The tag.
    pub tag: String,
    /// How many have it.
    pub count: u64,
}

/// How many memories there are, archived ones aside.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Census {
    /// All of them.
    pub memories: u64,
    /// Those that bind.
    pub golden: u64,
    /// Where there are any.
    pub scopes: Vec<Scope>,
}

impl Store {
    /// Counts the memories in these places.
    pub fn census(&self, scopes: &[Scope]) -> Result<Census> {
        let Where { sql, values } = Where::in_scopes("m.scope", scopes);
        let sql = format!(
            "SELECT s.layer, s.owner, count(*), sum({})
             FROM memory m JOIN scope s ON s.id = m.scope
             WHERE {sql} AND m.archived = 0 GROUP BY m.scope",
            is_golden()
        );
        self.read(|db| {
            let mut statement = db.prepare_cached(&sql)?;
            let mut rows = statement.query(params_from_iter(values))?;
            let mut census = Census::default();
            while let Some(row) = rows.next()? {
                census.scopes.push(scope(row, 0)?);
                census.memories += row.get::<_, u64>(2)?;
                census.golden += row.get::<_, u64>(3)?;
            }
            Ok(census)
        })
    }

    /// The projects that something was stored for.
    pub fn projects(&self) -> Result<Vec<Scope>> {
        self.read(|db| {
            let sql = "SELECT layer, owner FROM scope WHERE layer = 'project'
                       AND owner NOT LIKE 'knowledge/%/%' ORDER BY owner";
            let mut statement = db.prepare_cached(sql)?;
            let projects = statement.query_map([], |row| scope(row, 0))?;
            Ok(projects.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The namespaces of this user that something was stored in.
    pub fn user_places(&self, user: &OwnerId) -> Result<Vec<Scope>> {
        self.read(|db| {
            // '0' follows '/', so that these are the owners that begin with the user and a slash.
            let sql = "SELECT layer, owner FROM scope WHERE layer = 'user'
                       AND owner > ?1 || '/' AND owner < ?1 || '0' ORDER BY owner";
            let mut statement = db.prepare_cached(sql)?;
            let places = statement.query_map([user.as_str()], |row| scope(row, 0))?;
            Ok(places.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Counts the memories in the filter's scopes; at most `tags_max` tags are named.
    pub fn memory_stats(&self, filter: &MemoryFilter, tags_max: u64) -> Result<MemoryStats> {
        let live = Where::of(&MemoryFilter { archived: false, ..filter.clone() });
        let all = Where::of(&MemoryFilter { archived: true, ..filter.clone() });
        self.read(|db| {
            let rows = by_kind(db, &live)?;
            let sum = |count: fn(&KindRow) -> u64| rows.iter().map(count).sum::<u64>();
            let (all_live, medium, high) =
                (sum(|row| row.count), sum(|row| row.from_medium), sum(|row| row.from_high));
            let (archived, bytes) = weigh(db, &all)?;
            Ok(MemoryStats {
                by_importance: [
                    (Importance::Low, all_live - medium),
                    (Importance::Medium, medium - high),
                    (Importance::High, high),
                ],
                archived,
                bytes,
                oldest: rows.iter().map(|row| row.oldest).min(),
                newest: rows.iter().map(|row| row.newest).max(),
                by_kind: rows.into_iter().map(|row| (row.kind, row.count)).collect(),
                most_accessed: most_accessed(db, &live)?,
                top_tags: top_tags(db, &live, "", tags_max)?,
            })
        })
    }

    /// The most used tags that begin with `prefix`.
    pub fn tags_beginning(
        &self,
        filter: &MemoryFilter,
        prefix: &str,
        max: u64,
    ) -> Result<Vec<TagCount>> {
        self.read(|db| top_tags(db, &Where::of(filter), prefix, max))
    }
}

/// The memories of one kind.
struct KindRow {
    kind: Kind,
    count: u64,
    from_medium: u64,
    from_high: u64,
    oldest: Timestamp,
    newest: Timestamp,
}

fn by_kind(db: &Connection, Where { sql, values }: &Where) -> Result<Vec<KindRow>> {
    let (medium, high) = (Importance::Medium.floor(), Importance::High.floor());
    let sql = format!(
        "SELECT m.kind, count(*), sum(m.importance >= {medium:?}), sum(m.importance >= {high:?}),
           min(m.created_at), max(m.created_at)
         FROM memory m WHERE {sql} GROUP BY m.kind"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok(KindRow {
            kind: named(row, 0, Kind::named)?,
            count: row.get(1)?,
            from_medium: row.get(2)?,
            from_high: row.get(3)?,
            oldest: timestamp(row, 4)?,
            newest: timestamp(row, 5)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// How many are archived, and how much room all of them take.
fn weigh(db: &Connection, Where { sql, values }: &Where) -> Result<(u64, u64)> {
    let sql = format!(
        "SELECT coalesce(sum(m.archived), 0), coalesce(sum(octet_length(m.content)
           + octet_length(coalesce(m.category, '')) + octet_length(m.tags)
           + octet_length(m.metadata)), 0)
         FROM memory m WHERE {sql}"
    );
    let mut statement = db.prepare_cached(&sql)?;
    Ok(statement.query_row(params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))?)
}

fn most_accessed(db: &Connection, Where { sql, values }: &Where) -> Result<Option<Memory>> {
    let sql = format!(
        "SELECT {MEMORY_COLUMNS} FROM memory m JOIN scope s ON s.id = m.scope WHERE {sql}
         ORDER BY m.access_count DESC, m.accessed_at DESC, m.seq DESC LIMIT 1"
    );
    Ok(db.prepare_cached(&sql)?.query_row(params_from_iter(values), memory).optional()?)
}

fn top_tags(
    db: &Connection,
    Where { sql, values }: &Where,
    prefix: &str,
    max: u64,
) -> Result<Vec<TagCount>> {
    let sql = format!(
        "SELECT g.tag, count(*) AS uses FROM memory m JOIN memory_tag g ON g.memory = m.seq
         WHERE {sql} AND substr(g.tag, 1, length(?)) = ?
         GROUP BY g.tag ORDER BY uses DESC, g.tag LIMIT {max}"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let prefix = [Value::Text(prefix.to_owned()), Value::Text(prefix.to_owned())];
    let counts = statement.query_map(params_from_iter(values.iter().chain(&prefix)), |row| {
        Ok(TagCount { tag: row.get(0)?, count: row.get(1)? })
    })?;
    Ok(counts.collect::<rusqlite::Result<_>>()?)
}
