//! Items of knowledge folders as they were synced, what failed, and what syncs there were.

use model::{ContentHash, ItemKind, Layer, MemoryId, Outcome, Scope, SyncedItem, Timestamp};
use rusqlite::{Connection, Row, params};

use crate::Store;
use crate::error::Result;
use crate::row::{damaged, memory_id, scope, timestamp};
use crate::write;

/// An item as it was synced, and whether the memory that points to it is still there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownItem {
    /// The item.
    pub item: SyncedItem,
    /// Whether the memory is there.
    pub has_pointer: bool,
}

/// What syncs there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SyncStats {
    /// How many.
    pub syncs: u64,
    /// How many items they took in all.
    pub items: u64,
    /// How long they took in all, in microseconds.
    pub micros: u64,
    /// When the last one was.
    pub last_at: Option<Timestamp>,
    /// Whether it succeeded.
    pub succeeded: bool,
}

impl Store {
    /// The items of a folder as they were synced, and how many syncs there were, at one moment.
    pub fn synced_items(&self, root: &str) -> Result<(Vec<KnownItem>, SyncStats)> {
        self.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT i.path, i.id, i.kind, i.layer, i.owner, i.hash, i.seal, i.pointer, m.seq IS NOT NULL
                 FROM item i LEFT JOIN memory m ON m.id = i.pointer WHERE i.root = ?1",
            )?;
            let items = statement.query_map([root], |row| known(root, row))?;
            Ok((items.collect::<rusqlite::Result<_>>()?, stats(db)?))
        })
    }

    /// What syncs there were.
    pub fn sync_stats(&self) -> Result<SyncStats> {
        self.read(stats)
    }

    /// What the last sync of a folder could not take: paths below it, and why.
    pub fn sync_failures(&self, root: &str) -> Result<Vec<(String, String)>> {
        self.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT path, why FROM item_failure WHERE root = ?1 ORDER BY path, rowid",
            )?;
            let failures = statement.query_map([root], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(failures.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The places where memories lie that point to knowledge.
    pub fn pointer_places(&self) -> Result<Vec<Scope>> {
        self.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT layer, owner FROM scope WHERE layer IN ('project', 'team', 'org', 'company')
                 AND owner >= 'knowledge/' AND owner < 'knowledge0'",
            )?;
            let places = statement.query_map([], |row| scope(row, 0))?;
            Ok(places.collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn known(root: &str, row: &Row<'_>) -> rusqlite::Result<KnownItem> {
    let (kind, layer): (String, String) = (row.get(2)?, row.get(3)?);
    let seal: Option<[u8; 32]> = row.get(6)?;
    let item = SyncedItem {
        root: root.to_owned(),
        path: row.get(0)?,
        id: row.get(1)?,
        kind: ItemKind::named(&kind).ok_or_else(|| damaged(2, "no kind of item"))?,
        layer: Layer::named(&layer).ok_or_else(|| damaged(3, "no layer"))?,
        owner: row.get(4)?,
        hash: ContentHash(row.get(5)?),
        seal: seal.map(ContentHash),
        pointer: memory_id(row, 7)?,
    };
    Ok(KnownItem { item, has_pointer: row.get(8)? })
}

fn stats(db: &Connection) -> Result<SyncStats> {
    let sql = "SELECT syncs, items, micros, at, succeeded FROM sync_state WHERE only = 1";
    let stats = db.prepare_cached(sql)?.query_row([], |row| {
        let at: Option<i64> = row.get(3)?;
        Ok(SyncStats {
            syncs: row.get(0)?,
            items: row.get(1)?,
            micros: row.get(2)?,
            last_at: at.map(|_| timestamp(row, 3)).transpose()?,
            succeeded: row.get(4)?,
        })
    })?;
    Ok(stats)
}

/// Whether there were more syncs than these.
pub(crate) fn synced_since(db: &Connection, syncs: u64) -> Result<Option<Outcome>> {
    Ok((stats(db)?.syncs != syncs).then_some(Outcome::Overtaken))
}

pub(crate) fn put(db: &Connection, item: &SyncedItem) -> Result<()> {
    db.prepare_cached(
        "INSERT INTO item (root, id, path, kind, layer, owner, hash, seal, pointer)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (root, id) DO UPDATE SET path = excluded.path, kind = excluded.kind,
           layer = excluded.layer, owner = excluded.owner, hash = excluded.hash,
           seal = excluded.seal, pointer = excluded.pointer",
    )?
    .execute(params![
        item.root,
        item.id,
        item.path,
        item.kind.name(),
        item.layer.name(),
        item.owner,
        item.hash.0,
        item.seal.map(|seal| seal.0),
        item.pointer.as_bytes()
    ])?;
    Ok(())
}

pub(crate) fn remove(db: &Connection, root: &str, id: &str) -> Result<()> {
    let mut remove =
        db.prepare_cached("DELETE FROM item WHERE root = ?1 AND id = ?2 RETURNING pointer")?;
    let pointers: Vec<MemoryId> =
        remove.query_map([root, id], |row| memory_id(row, 0))?.collect::<rusqlite::Result<_>>()?;
    // One that somebody deleted is gone already.
    pointers.into_iter().try_for_each(|pointer| write::delete(db, pointer).map(drop))
}

pub(crate) fn put_failures(db: &Connection, root: &str, all: &[(String, String)]) -> Result<()> {
    db.prepare_cached("DELETE FROM item_failure WHERE root = ?1")?.execute([root])?;
    let mut put =
        db.prepare_cached("INSERT INTO item_failure (root, path, why) VALUES (?1, ?2, ?3)")?;
    for (path, why) in all {
        put.execute([root, path, why])?;
    }
    Ok(())
}

pub(crate) fn count(db: &Connection, at: Timestamp, items: u64, succeeded: bool) -> Result<()> {
    db.prepare_cached(
        "UPDATE sync_state SET syncs = syncs + 1, items = items + ?1, at = ?2, succeeded = ?3
         WHERE only = 1",
    )?
    .execute(params![items, at.as_microsecond(), succeeded])?;
    Ok(())
}

pub(crate) fn time(db: &Connection, micros: u64) -> Result<()> {
    let sql = "UPDATE sync_state SET micros = micros + ?1 WHERE only = 1";
    db.prepare_cached(sql)?.execute([micros])?;
    Ok(())
}
