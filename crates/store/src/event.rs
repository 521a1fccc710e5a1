//! What became of memories in use.

use model::{Event, EventCounts, EventKind, MemoryId, NewEvent, Outcome};
use rusqlite::{Connection, params};

use crate::Store;
use crate::error::Result;
use crate::row::{named, timestamp};

/// The events of a memory, latest first. The index that is asked for ends with their numbers, so that
/// nothing is sorted.
pub(crate) const LATEST: &str = "SELECT id, kind, context, session, at FROM memory_event
     INDEXED BY memory_event_by_memory
     WHERE memory = (SELECT seq FROM memory WHERE id = ?1)
       AND kind = coalesce(?2, kind) ORDER BY id DESC LIMIT ?3";

impl Store {
    /// The latest events of a memory, of one kind or of all, newest first.
    pub fn events(&self, id: MemoryId, kind: Option<EventKind>, max: u64) -> Result<Vec<Event>> {
        self.read(|db| {
            let mut statement = db.prepare_cached(LATEST)?;
            let values = params![id.as_bytes(), kind.map(EventKind::name), max];
            let events = statement.query_map(values, |row| {
                Ok(Event {
                    id: row.get(0)?,
                    kind: named(row, 1, EventKind::named)?,
                    context: row.get(2)?,
                    session: row.get(3)?,
                    at: timestamp(row, 4)?,
                })
            })?;
            Ok(events.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// How many events of each kind a memory has.
    pub fn event_counts(&self, id: MemoryId) -> Result<EventCounts> {
        let sql = "SELECT kind, count(*) FROM memory_event
                   WHERE memory = (SELECT seq FROM memory WHERE id = ?1) GROUP BY kind";
        self.read(|db| {
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query([id.as_bytes()])?;
            let mut counts = EventCounts::default();
            while let Some(row) = rows.next()? {
                let count = row.get(1)?;
                match named(row, 0, EventKind::named)? {
                    EventKind::Applied => counts.applied = count,
                    EventKind::Succeeded => counts.succeeded = count,
                    EventKind::Failed => counts.failed = count,
                }
            }
            Ok(counts)
        })
    }
}

/// Keeps an event of the memory with this number.
pub(crate) fn put(db: &Connection, seq: i64, event: &NewEvent) -> Result<Outcome> {
    db.prepare_cached(
        "INSERT INTO memory_event (memory, kind, context, session, at) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        seq,
        event.kind.name(),
        event.context,
        event.session,
        event.at.as_microsecond()
    ])?;
    Ok(Outcome::Recorded(db.last_insert_rowid()))
}
