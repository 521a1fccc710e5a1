//! Everything in the store, one after the other, at one moment.

use std::time::Duration;

use model::knowledge::pointer_place;
use model::{
    Chunk, Document, Edge, Entity, Episode, Event, EventKind, Link, Memory, MemoryId, Relation,
    Scope, Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::error::Result;
use crate::row::{MEMORY_COLUMNS, memory, memory_id, named, scope, timestamp};
use crate::{Store, document, episode, fact};

/// An export that takes longer is given up.
const TIME_MAX: Duration = Duration::from_secs(3_600);

/// Something that the store holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Exported {
    /// A memory that follows nothing else, and when its confidence was last found out.
    Memory(Box<Memory>, Option<Timestamp>),
    /// A memory once more, now by the place it lies in.
    Placed(Box<Memory>),
    /// An edge between memories.
    Edge(Edge),
    /// What became of a memory.
    Event(MemoryId, Event),
    /// What happened.
    Episode(Box<Episode>),
    /// An entity, with the memory by which it is found.
    Entity(Box<Entity>, Box<Memory>),
    /// A link, whose it is, and the memory by which it is found.
    Link(Scope, Box<Link>, Box<Memory>),
    /// A document with its chunks.
    Document(Box<Document>, Vec<Chunk>),
}

impl Store {
    /// Hands everything to `visit`, kind by kind and in the order it came, at one moment. Memories that
    /// point to knowledge are left out: the files are the truth. It ends early where `visit` answers
    /// false.
    pub fn export(&self, visit: &mut dyn FnMut(Exported) -> bool) -> Result<()> {
        self.read_for(TIME_MAX, |db| {
            let _ = memories(db, "m.seq", visit, true)?
                && edges(db, visit)?
                && events(db, visit)?
                && episodes(db, visit)?
                && facts(db, visit)?
                && documents(db, visit)?
                && memories(db, "s.layer, s.owner, m.seq", visit, false)?;
            Ok(())
        })
    }
}

type Visit<'a> = &'a mut dyn FnMut(Exported) -> bool;

fn memories(db: &Connection, order: &str, visit: Visit<'_>, is_first: bool) -> Result<bool> {
    let sql = format!(
        "SELECT {MEMORY_COLUMNS}, m.validated_at AS validated FROM memory m
         JOIN scope s ON s.id = m.scope ORDER BY {order}"
    );
    let mut statement = db.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let found = memory(row)?;
        if found.scope.is_facts() || pointer_place(&found.scope).is_some() {
            continue;
        }
        let validated: Option<i64> = row.get("validated")?;
        let validated = validated.and_then(model::time::from_micros);
        let exported = match is_first {
            true => Exported::Memory(Box::new(found), validated),
            false => Exported::Placed(Box::new(found)),
        };
        if !visit(exported) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads the rows of a statement one after the other.
fn each<T>(
    db: &Connection,
    sql: &str,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    mut take: impl FnMut(T) -> Result<bool>,
) -> Result<bool> {
    let mut statement = db.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if !take(read(row)?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn edges(db: &Connection, visit: Visit<'_>) -> Result<bool> {
    let sql = "SELECT e.id, a.id, b.id, e.relation, e.weight FROM memory_edge e
               JOIN memory a ON a.seq = e.source JOIN memory b ON b.seq = e.target ORDER BY e.id";
    let read = |row: &Row<'_>| {
        Ok(Edge {
            id: row.get(0)?,
            source: memory_id(row, 1)?,
            target: memory_id(row, 2)?,
            relation: named(row, 3, Relation::named)?,
            weight: row.get(4)?,
        })
    };
    each(db, sql, read, |edge| Ok(visit(Exported::Edge(edge))))
}

fn events(db: &Connection, visit: Visit<'_>) -> Result<bool> {
    let sql = "SELECT m.id, e.id, e.kind, e.context, e.session, e.at FROM memory_event e
               JOIN memory m ON m.seq = e.memory ORDER BY e.id";
    let read = |row: &Row<'_>| {
        let event = Event {
            id: row.get(1)?,
            kind: named(row, 2, EventKind::named)?,
            context: row.get(3)?,
            session: row.get(4)?,
            at: timestamp(row, 5)?,
        };
        Ok((memory_id(row, 0)?, event))
    };
    each(db, sql, read, |(id, event)| Ok(visit(Exported::Event(id, event))))
}

fn episodes(db: &Connection, visit: Visit<'_>) -> Result<bool> {
    let columns = episode::COLUMNS;
    let sql =
        format!("SELECT {columns} FROM episode e JOIN scope s ON s.id = e.scope ORDER BY e.seq");
    each(db, &sql, episode::episode, |found| {
        Ok(visit(Exported::Episode(Box::new(episode::with_links(db, found)?))))
    })
}

/// The memory that goes with a fact.
fn mirror(db: &Connection, id: MemoryId) -> Result<Option<Box<Memory>>> {
    let sql = format!(
        "SELECT {MEMORY_COLUMNS} FROM memory m JOIN scope s ON s.id = m.scope WHERE m.id = ?1"
    );
    let found = db.prepare_cached(&sql)?.query_row([id.as_bytes()], memory).optional()?;
    Ok(found.map(Box::new))
}

/// Entities and links, in the order that their memories came.
fn facts(db: &Connection, visit: Visit<'_>) -> Result<bool> {
    let sql = "SELECT m.seq, 0, e.id FROM entity e JOIN memory m ON m.id = e.mirror
               UNION ALL SELECT m.seq, 1, l.id FROM link l JOIN memory m ON m.id = l.mirror
               ORDER BY 1";
    let read = |row: &Row<'_>| Ok((row.get::<_, bool>(1)?, row.get::<_, i64>(2)?));
    each(db, sql, read, |(is_link, id)| {
        let found = if is_link { link(db, id)? } else { entity(db, id)? };
        Ok(found.is_none_or(&mut *visit))
    })
}

fn entity(db: &Connection, id: i64) -> Result<Option<Exported>> {
    let sql = format!("{} WHERE e.id = ?1", fact::ENTITY);
    let found = db.prepare_cached(&sql)?.query_row([id], fact::entity).optional()?;
    let Some((_, entity)) = found else { return Ok(None) };
    let mirror = mirror(db, entity.mirror)?;
    Ok(mirror.map(|mirror| Exported::Entity(Box::new(entity), mirror)))
}

fn link(db: &Connection, id: i64) -> Result<Option<Exported>> {
    let sql = "SELECT a.name, l.relation, b.name, l.created_at, l.valid_at, l.invalid_at, s.layer,
                 s.owner, l.mirror
               FROM link l JOIN entity a ON a.id = l.source JOIN entity b ON b.id = l.target
               JOIN scope s ON s.id = a.scope WHERE l.id = ?1";
    let read = |row: &Row<'_>| Ok((fact::link(row)?, scope(row, 6)?, memory_id(row, 8)?));
    let found = db.prepare_cached(sql)?.query_row([id], read).optional()?;
    let Some((link, place, id)) = found else { return Ok(None) };
    Ok(mirror(db, id)?.map(|mirror| Exported::Link(place, Box::new(link), mirror)))
}

fn documents(db: &Connection, visit: Visit<'_>) -> Result<bool> {
    let columns = document::DOCUMENT_COLUMNS;
    let sql = format!(
        "SELECT {columns}, d.id AS number FROM document d JOIN scope s ON s.id = d.scope
         ORDER BY d.id"
    );
    let read = |row: &Row<'_>| Ok((document::document(row)?, row.get::<_, i64>("number")?));
    each(db, &sql, read, |(document, number)| {
        Ok(visit(Exported::Document(Box::new(document), chunks(db, number)?)))
    })
}

fn chunks(db: &Connection, document: i64) -> Result<Vec<Chunk>> {
    let mut statement = db.prepare_cached(
        "SELECT content, start_line, end_line, page, header_path FROM chunk
         WHERE document = ?1 ORDER BY ordinal",
    )?;
    let chunks = statement.query_map([document], |row| {
        Ok(Chunk {
            content: row.get(0)?,
            start_line: row.get(1)?,
            end_line: row.get(2)?,
            page: row.get(3)?,
            header_path: row.get(4)?,
        })
    })?;
    Ok(chunks.collect::<rusqlite::Result<_>>()?)
}
