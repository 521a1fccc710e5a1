//! Entities and the links between them.

use model::{Entity, IndexedEntity, IndexedLink, Link, MemoryId, Outcome, Scope, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::Store;
use crate::error::Result;
use crate::row::{memory_id, scope as read_scope, timestamp};
use crate::write::{self, scope_id};

/// The links of an entity, both ways.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LinksOf {
    /// Those that start at it, newest first.
    pub outgoing: Vec<Link>,
    /// Those that end at it, newest first.
    pub incoming: Vec<Link>,
    /// How many there are in all.
    pub total: u64,
}

/// Which links are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// Those that are true at this time.
    At(Timestamp),
    /// All that ever were.
    Ever,
}

pub(crate) const ENTITY: &str =
    "SELECT e.id, s.layer, s.owner, e.name, e.kind, e.summary, e.created_at,
       e.updated_at, e.revision, e.mirror
     FROM entity e JOIN scope s ON s.id = e.scope";

pub(crate) fn entity(row: &Row<'_>) -> rusqlite::Result<(i64, Entity)> {
    let entity = Entity {
        scope: read_scope(row, 1)?,
        name: row.get(3)?,
        kind: row.get(4)?,
        summary: row.get(5)?,
        created_at: timestamp(row, 6)?,
        updated_at: timestamp(row, 7)?,
        revision: row.get(8)?,
        mirror: memory_id(row, 9)?,
    };
    Ok((row.get(0)?, entity))
}

fn find(db: &Connection, scope: &Scope, name: &str) -> Result<Option<(i64, Entity)>> {
    let sql = format!("{ENTITY} WHERE s.layer = ?1 AND s.owner = ?2 AND e.name = ?3");
    let names = params![scope.layer.name(), scope.owner, name];
    Ok(db.prepare_cached(&sql)?.query_row(names, entity).optional()?)
}

pub(crate) fn link(row: &Row<'_>) -> rusqlite::Result<Link> {
    let end: Option<i64> = row.get(5)?;
    Ok(Link {
        from: row.get(0)?,
        relation: row.get(1)?,
        to: row.get(2)?,
        created_at: timestamp(row, 3)?,
        valid_at: timestamp(row, 4)?,
        invalid_at: end.map(|_| timestamp(row, 5)).transpose()?,
    })
}

impl Store {
    /// The entity of this name.
    pub fn entity(&self, scope: &Scope, name: &str) -> Result<Option<Entity>> {
        self.read(|db| Ok(find(db, scope, name)?.map(|(_, entity)| entity)))
    }

    /// How many entities lie there, and how many links between them hold.
    pub fn count_facts(&self, scope: &Scope) -> Result<(u64, u64)> {
        self.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT count(DISTINCT e.id), count(l.source) FROM scope s
                 JOIN entity e ON e.scope = s.id
                 LEFT JOIN link l ON l.source = e.id AND l.invalid_at IS NULL
                 WHERE s.layer = ?1 AND s.owner = ?2",
            )?;
            let names = params![scope.layer.name(), scope.owner];
            Ok(statement.query_row(names, |row| Ok((row.get(0)?, row.get(1)?)))?)
        })
    }

    /// The entity of this name with its links, at most `max` each way, at one moment.
    pub fn entity_with_links(
        &self,
        scope: &Scope,
        name: &str,
        held: Held,
        max: u64,
    ) -> Result<Option<(Entity, LinksOf)>> {
        self.read(|db| {
            let Some((id, entity)) = find(db, scope, name)? else { return Ok(None) };
            let (outgoing, starting) = links(db, &SOURCE, (id, &entity.name), held, max)?;
            let (incoming, ending) = links(db, &TARGET, (id, &entity.name), held, max)?;
            Ok(Some((entity, LinksOf { outgoing, incoming, total: starting + ending })))
        })
    }

    /// Whether such a link is open.
    pub fn has_link(&self, scope: &Scope, link: &[String; 3]) -> Result<bool> {
        self.read(|db| Ok(open_link(db, scope, link)?.is_some()))
    }

    /// Whether such a link ever was.
    pub fn had_link(&self, scope: &Scope, link: &[String; 3]) -> Result<bool> {
        Ok(!self.link_mirrors(scope, link)?.is_empty())
    }

    /// The memories of all such links, those that ended among them.
    pub fn link_mirrors(
        &self,
        scope: &Scope,
        [from, relation, to]: &[String; 3],
    ) -> Result<Vec<MemoryId>> {
        self.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT l.mirror FROM link l JOIN entity a ON a.id = l.source JOIN entity b ON b.id = l.target
                 JOIN scope s ON s.id = a.scope
                 WHERE s.layer = ?1 AND s.owner = ?2 AND a.name = ?3 AND l.relation = ?4 AND b.name = ?5",
            )?;
            let values = params![scope.layer.name(), scope.owner, from, relation, to];
            let mirrors = statement.query_map(values, |row| memory_id(row, 0))?;
            Ok(mirrors.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// The condition on a link, and the time it is about.
fn held_sql(held: Held) -> (&'static str, i64) {
    match held {
        Held::Ever => ("?2 = ?2", 0),
        Held::At(at) => (
            "l.valid_at <= ?2 AND (l.invalid_at IS NULL OR l.invalid_at > ?2)",
            at.as_microsecond(),
        ),
    }
}

/// An end of links: its column, and the columns of a link whose other end is `o` and whose this end is
/// named by a parameter.
struct End {
    column: &'static str,
    other: &'static str,
    names: [&'static str; 2],
}

const SOURCE: End = End { column: "source", other: "target", names: ["?4", "o.name"] };
const TARGET: End = End { column: "target", other: "source", names: ["o.name", "?4"] };

/// The newest links that have this entity at this end, and how many there are in all.
fn links(
    db: &Connection,
    end: &End,
    (id, name): (i64, &str),
    held: Held,
    max: u64,
) -> Result<(Vec<Link>, u64)> {
    let (condition, at) = held_sql(held);
    let End { column, other, names: [from, to] } = end;
    let sql = format!(
        "SELECT {from}, l.relation, {to}, l.created_at, l.valid_at, l.invalid_at FROM link l
         JOIN entity o ON o.id = l.{other}
         WHERE l.{column} = ?1 AND {condition} ORDER BY l.id DESC LIMIT ?3"
    );
    let mut statement = db.prepare_cached(&sql)?;
    // One more tells whether there are more.
    let most = i64::try_from(max).unwrap_or(i64::MAX).saturating_add(1);
    let found = statement.query_map(params![id, at, most, name], link)?;
    let mut found: Vec<Link> = found.collect::<rusqlite::Result<_>>()?;
    if found.len() as u64 <= max {
        let total = found.len() as u64;
        return Ok((found, total));
    }
    found.truncate(max as usize);
    let total = count(db, column, id, held)?;
    Ok((found, total))
}

fn count(db: &Connection, end: &str, id: i64, held: Held) -> Result<u64> {
    let (condition, at) = held_sql(held);
    let sql = format!("SELECT count(*) FROM link l WHERE l.{end} = ?1 AND {condition}");
    Ok(db.prepare_cached(&sql)?.query_row(params![id, at], |row| row.get(0))?)
}

/// An open link, by its number and its memory.
fn open_link(
    db: &Connection,
    scope: &Scope,
    [from, relation, to]: &[String; 3],
) -> Result<Option<(i64, MemoryId)>> {
    let (Some((source, _)), Some((target, _))) = (find(db, scope, from)?, find(db, scope, to)?)
    else {
        return Ok(None);
    };
    let sql = "SELECT id, mirror FROM link
               WHERE source = ?1 AND relation = ?2 AND target = ?3 AND invalid_at IS NULL";
    let read = |row: &Row<'_>| Ok((row.get(0)?, memory_id(row, 1)?));
    Ok(db.prepare_cached(sql)?.query_row(params![source, relation, target], read).optional()?)
}

/// Whether the entity is another than the one that was read.
pub(crate) fn entity_changed(
    db: &Connection,
    scope: &Scope,
    name: &str,
    revision: Option<u64>,
) -> Result<Option<Outcome>> {
    let now = find(db, scope, name)?.map(|(_, entity)| entity.revision);
    Ok((now != revision).then_some(Outcome::Overtaken))
}

/// Whether a link was opened or closed since it was read.
pub(crate) fn link_changed(
    db: &Connection,
    scope: &Scope,
    link: &[String; 3],
    was_open: bool,
) -> Result<Option<Outcome>> {
    let is_open = open_link(db, scope, link)?.is_some();
    Ok((is_open != was_open).then_some(Outcome::Overtaken))
}

pub(crate) fn put(db: &Connection, new: &IndexedEntity) -> Result<Option<Outcome>> {
    let entity = &new.entity;
    let Some((id, _)) = find(db, &entity.scope, &entity.name)? else {
        write::insert(db, &new.mirror)?;
        db.prepare_cached(
            "INSERT INTO entity (scope, name, kind, summary, created_at, updated_at, revision, mirror)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            scope_id(db, &entity.scope)?,
            entity.name,
            entity.kind,
            entity.summary,
            entity.created_at.as_microsecond(),
            entity.updated_at.as_microsecond(),
            entity.revision,
            entity.mirror.as_bytes()
        ])?;
        return Ok(None);
    };
    db.prepare_cached(
        "UPDATE entity SET kind = ?2, summary = ?3, updated_at = ?4, revision = revision + 1
         WHERE id = ?1",
    )?
    .execute(params![id, entity.kind, entity.summary, entity.updated_at.as_microsecond()])?;
    write::replace(db, &new.mirror)
}

pub(crate) fn put_link(db: &Connection, new: &IndexedLink) -> Result<Option<Outcome>> {
    let link = &new.link;
    let ends = (find(db, &new.scope, &link.from)?, find(db, &new.scope, &link.to)?);
    let (Some((source, _)), Some((target, _))) = ends else { return Ok(Some(Outcome::Overtaken)) };
    write::insert(db, &new.mirror)?;
    db.prepare_cached(
        "INSERT INTO link (source, relation, target, created_at, valid_at, invalid_at, mirror)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        source,
        link.relation,
        target,
        link.created_at.as_microsecond(),
        link.valid_at.as_microsecond(),
        link.invalid_at.map(Timestamp::as_microsecond),
        new.mirror.memory.id.as_bytes()
    ])?;
    Ok(None)
}

pub(crate) fn close_link(
    db: &Connection,
    scope: &Scope,
    link: &[String; 3],
    at: Timestamp,
) -> Result<Option<Outcome>> {
    let Some((id, mirror)) = open_link(db, scope, link)? else {
        return Ok(Some(Outcome::Overtaken));
    };
    db.prepare_cached("UPDATE link SET invalid_at = max(?2, valid_at) WHERE id = ?1")?
        .execute(params![id, at.as_microsecond()])?;
    write::archive(db, mirror, at.as_microsecond()).map(|()| None)
}

pub(crate) fn delete(db: &Connection, scope: &Scope, name: &str) -> Result<Option<Outcome>> {
    let Some((id, entity)) = find(db, scope, name)? else { return Ok(Some(Outcome::Overtaken)) };
    let mut statement =
        db.prepare_cached("SELECT mirror FROM link WHERE source = ?1 OR target = ?1")?;
    let mirrors = statement.query_map([id], |row| memory_id(row, 0))?;
    let mirrors: Vec<MemoryId> = mirrors.collect::<rusqlite::Result<_>>()?;
    for mirror in mirrors.into_iter().chain([entity.mirror]) {
        write::delete(db, mirror)?;
    }
    db.prepare_cached("DELETE FROM entity WHERE id = ?1")?.execute([id])?;
    Ok(None)
}
