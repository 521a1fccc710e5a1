//! Documents and their chunks.

use model::{
    Chunk, ChunkId, ContentHash, Document, IndexedDocument, Scope, StoredChunk, Timestamp, time,
};
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use crate::Store;
use crate::error::Result;
use crate::filter::Where;
use crate::row::{scope, timestamp};
use crate::write::scope_id;
use crate::{log, text, vector};

/// The numbers of chunks count from here on; those of memories lie below.
pub(crate) const CHUNK_KEYS: i64 = 1 << 56;

/// The number of a chunk among all that can be searched.
pub(crate) fn key(id: ChunkId) -> Option<i64> {
    i64::try_from(id.0).ok()?.checked_add(CHUNK_KEYS)
}

/// The chunk of that number.
pub(crate) fn chunk_id(key: i64) -> ChunkId {
    ChunkId(key.saturating_sub(CHUNK_KEYS).unsigned_abs())
}

/// How many documents and chunks there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DocumentStats {
    /// How many chunks.
    pub chunks: u64,
    /// The documents' paths, in order, none twice.
    pub paths: Vec<String>,
    /// Where documents lie.
    pub scopes: Vec<Scope>,
    /// When one was last read into the store.
    pub newest: Option<Timestamp>,
}

pub(crate) const DOCUMENT_COLUMNS: &str =
    "s.layer, s.owner, d.path, d.hash, d.size, d.modified, d.indexed_at";

pub(crate) fn document(row: &Row<'_>) -> rusqlite::Result<Document> {
    Ok(Document {
        scope: scope(row, 0)?,
        path: row.get(2)?,
        hash: ContentHash(row.get(3)?),
        size: row.get(4)?,
        modified: row.get(5)?,
        indexed_at: timestamp(row, 6)?,
    })
}

/// The chunk in a row, if its text is the one that was stored.
fn chunk(row: &Row<'_>) -> rusqlite::Result<StoredChunk> {
    let seq: i64 = row.get(0)?;
    let name = || format!("chunk number {seq}");
    let stored = chunk_as_it_is(row).map_err(|why| text::garbled(why, name))?;
    text::compare(row, 10, &stored.chunk.content, name)?;
    Ok(stored)
}

fn chunk_as_it_is(row: &Row<'_>) -> rusqlite::Result<StoredChunk> {
    Ok(StoredChunk {
        id: chunk_id(row.get(0)?),
        scope: scope(row, 1)?,
        path: row.get(3)?,
        ordinal: row.get(4)?,
        chunk: Chunk {
            content: row.get(5)?,
            start_line: row.get(6)?,
            end_line: row.get(7)?,
            page: row.get(8)?,
            header_path: row.get(9)?,
        },
    })
}

impl Store {
    /// The document of this path.
    pub fn document(&self, scope: &Scope, path: &str) -> Result<Option<Document>> {
        let sql = format!(
            "SELECT {DOCUMENT_COLUMNS} FROM document d JOIN scope s ON s.id = d.scope
             WHERE s.layer = ?1 AND s.owner = ?2 AND d.path = ?3"
        );
        self.read(|db| {
            let mut statement = db.prepare_cached(&sql)?;
            let names = params![scope.layer.name(), scope.owner, path];
            Ok(statement.query_row(names, document).optional()?)
        })
    }

    /// The documents in these places, by path.
    pub fn documents(&self, scopes: &[Scope]) -> Result<Vec<Document>> {
        let Where { sql, values } = Where::in_scopes("d.scope", scopes);
        let sql = format!(
            "SELECT {DOCUMENT_COLUMNS} FROM document d JOIN scope s ON s.id = d.scope
             WHERE {sql} ORDER BY d.path, d.id"
        );
        self.read(|db| {
            let mut statement = db.prepare_cached(&sql)?;
            let documents = statement.query_map(params_from_iter(values), document)?;
            Ok(documents.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The ids of a document's chunks, in order.
    pub fn chunk_ids(&self, scope: &Scope, path: &str) -> Result<Vec<ChunkId>> {
        self.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT c.seq FROM scope s JOIN document d ON d.scope = s.id
                 JOIN chunk c ON c.document = d.id
                 WHERE s.layer = ?1 AND s.owner = ?2 AND d.path = ?3 ORDER BY c.ordinal",
            )?;
            let names = params![scope.layer.name(), scope.owner, path];
            let ids = statement.query_map(names, |row| row.get(0).map(chunk_id))?;
            Ok(ids.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The chunks of these ids, in their order; those that are not there or not whole are left out.
    pub fn load_chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>> {
        self.read(|db| {
            let mut load = db.prepare_cached(
                "SELECT c.seq, s.layer, s.owner, d.path, c.ordinal, c.content, c.start_line,
                   c.end_line, c.page, c.header_path, c.hash
                 FROM chunk c JOIN document d ON d.id = c.document JOIN scope s ON s.id = d.scope
                 WHERE c.seq = ?1",
            )?;
            let keys = ids.iter().filter_map(|id| key(*id));
            let found = keys.map(|key| load.query_row([key], chunk).optional());
            self.readable(found.filter_map(rusqlite::Result::transpose))
        })
    }

    /// Counts the documents in these places.
    pub fn document_stats(&self, scopes: &[Scope]) -> Result<DocumentStats> {
        let Where { sql, values } = Where::in_scopes("d.scope", scopes);
        self.read(|db| {
            let count = format!(
                "SELECT count(*) FROM chunk c JOIN document d ON d.id = c.document WHERE {sql}"
            );
            let paths =
                format!("SELECT DISTINCT d.path FROM document d WHERE {sql} ORDER BY d.path");
            let places = format!(
                "SELECT s.layer, s.owner FROM scope s
                 WHERE EXISTS (SELECT 1 FROM document d WHERE d.scope = s.id AND {sql})"
            );
            let newest = format!("SELECT max(d.indexed_at) FROM document d WHERE {sql}");
            Ok(DocumentStats {
                chunks: db
                    .prepare_cached(&count)?
                    .query_row(params_from_iter(&values), |row| row.get(0))?,
                paths: db
                    .prepare_cached(&paths)?
                    .query_map(params_from_iter(&values), |row| row.get(0))?
                    .collect::<rusqlite::Result<_>>()?,
                scopes: db
                    .prepare_cached(&places)?
                    .query_map(params_from_iter(&values), |row| scope(row, 0))?
                    .collect::<rusqlite::Result<_>>()?,
                newest: db
                    .prepare_cached(&newest)?
                    .query_row(params_from_iter(&values), |row| row.get::<_, Option<i64>>(0))?
                    .and_then(time::from_micros),
            })
        })
    }
}

/// Puts a document in the place of the one with its path. One that is there as it is keeps its chunks
/// and their ids: the file was only touched, or another process was first.
pub(crate) fn put(db: &Connection, new: &IndexedDocument) -> Result<()> {
    let document = &new.document;
    let scope = scope_id(db, &document.scope)?;
    if see_again(db, scope, document)? {
        return Ok(());
    }
    delete_one(db, scope, &document.path)?;
    db.prepare_cached(
        "INSERT INTO document (scope, path, hash, size, modified, indexed_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        scope,
        document.path,
        document.hash.0,
        document.size,
        document.modified,
        document.indexed_at.as_microsecond()
    ])?;
    let id = db.last_insert_rowid();
    let mut insert = db.prepare_cached(
        "INSERT INTO chunk (document, ordinal, start_line, end_line, page, header_path, content, hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for (indexed, ordinal) in new.chunks.iter().zip(0_i64..) {
        let Chunk { content, start_line, end_line, page, header_path } = &indexed.chunk;
        insert.execute(params![
            id,
            ordinal,
            start_line,
            end_line,
            page,
            header_path,
            content,
            indexed.hash.0
        ])?;
        let key = db.last_insert_rowid();
        vector::put(db, key, &indexed.vectors)?;
        log::note(db, key)?;
    }
    Ok(())
}

/// Notes how the file looks now, if the document is there as it is.
fn see_again(db: &Connection, scope: i64, document: &Document) -> Result<bool> {
    let Document { path, hash, size, modified, indexed_at, .. } = document;
    let seen = db
        .prepare_cached(
            "UPDATE document SET size = ?4, modified = ?5, indexed_at = ?6
             WHERE scope = ?1 AND path = ?2 AND hash = ?3",
        )?
        .execute(params![scope, path, hash.0, size, modified, indexed_at.as_microsecond()])?;
    Ok(seen > 0)
}

/// Deletes documents with all their chunks.
pub(crate) fn delete(db: &Connection, scope: &Scope, paths: &[String]) -> Result<()> {
    let scope = scope_id(db, scope)?;
    paths.iter().try_for_each(|path| delete_one(db, scope, path))
}

fn delete_one(db: &Connection, scope: i64, path: &str) -> Result<()> {
    let document: Option<i64> = db
        .prepare_cached("SELECT id FROM document WHERE scope = ?1 AND path = ?2")?
        .query_row(params![scope, path], |row| row.get(0))
        .optional()?;
    let Some(document) = document else { return Ok(()) };
    let mut statement = db.prepare_cached("SELECT seq FROM chunk WHERE document = ?1")?;
    let keys = statement.query_map([document], |row| row.get(0))?;
    let keys: Vec<i64> = keys.collect::<rusqlite::Result<_>>()?;
    db.prepare_cached("DELETE FROM document WHERE id = ?1")?.execute([document])?;
    keys.into_iter().try_for_each(|key| log::note(db, key))
}

/// Deletes chunks. A document that loses a chunk is not what its hash says any more, so that it is
/// read again when it is indexed the next time; one without chunks goes.
pub(crate) fn delete_chunks(db: &Connection, ids: &[ChunkId]) -> Result<()> {
    for key in ids.iter().filter_map(|id| key(*id)) {
        let document: Option<i64> = db
            .prepare_cached("DELETE FROM chunk WHERE seq = ?1 RETURNING document")?
            .query_row([key], |row| row.get(0))
            .optional()?;
        let Some(document) = document else { continue };
        log::note(db, key)?;
        db.prepare_cached("UPDATE document SET hash = zeroblob(32), size = 0 WHERE id = ?1")?
            .execute([document])?;
        db.prepare_cached(
            "DELETE FROM document WHERE id = ?1
             AND NOT EXISTS (SELECT 1 FROM chunk WHERE document = ?1)",
        )?
        .execute([document])?;
    }
    Ok(())
}
