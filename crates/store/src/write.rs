//! Carrying out a [`Change`] inside a transaction.

use model::{
    Change, ContentHash, Guard, IndexedMemory, Kind, MemoryId, NewEdge, Op, Outcome, Quota, Scope,
};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use crate::error::{Result, StoreError};
use crate::filter::is_golden;
use crate::row::{self, memory_id};
use crate::{
    candidate, document, edge, episode, event, fact, knowledge, log, outbox, query, record, vector,
    verdict,
};

/// Looks at the guards, then does what the change says. Unless the outcome is that it is done,
/// nothing may be kept of it.
pub(crate) fn apply(connection: &Connection, change: &Change) -> Result<Outcome> {
    for guard in &change.guards {
        if let Some(refusal) = check(connection, guard)? {
            return Ok(refusal);
        }
    }
    let mut done = Outcome::Applied;
    for op in &change.ops {
        match carry_out(connection, op)? {
            Some(recorded @ Outcome::Recorded(_)) => done = recorded,
            Some(refusal) => return Ok(refusal),
            None => {}
        }
    }
    Ok(done)
}

fn check(connection: &Connection, guard: &Guard) -> Result<Option<Outcome>> {
    match guard {
        Guard::Unchanged { id, revision } => unchanged(connection, *id, *revision),
        Guard::Unknown { scope, hash, content } => {
            Ok(known(connection, scope, hash, content.as_deref())?.map(Outcome::Duplicate))
        }
        Guard::Room { quota, limit } => {
            let count = count(connection, quota)?;
            Ok((count >= *limit).then_some(Outcome::Full { count, limit: *limit }))
        }
        Guard::Unrelated { one, other, relation } => {
            let are_related = edge::are_related(connection, *one, *other, *relation)?;
            Ok(are_related.then_some(Outcome::Stale(*one)))
        }
        Guard::RecordUnchanged { id, revision } => record::unchanged(connection, *id, *revision),
        Guard::Untitled { namespace, kind, title } => {
            Ok(record::titled(connection, namespace, *kind, title)?.map(Outcome::Titled))
        }
        Guard::Syncs(syncs) => knowledge::synced_since(connection, *syncs),
        Guard::Entity { scope, name, revision } => {
            fact::entity_changed(connection, scope, name, *revision)
        }
        Guard::LinkIsOpen { scope, link, is_open } => {
            fact::link_changed(connection, scope, link, *is_open)
        }
    }
}

fn unchanged(connection: &Connection, id: MemoryId, revision: u64) -> Result<Option<Outcome>> {
    let found: Option<u64> = connection
        .prepare_cached("SELECT revision FROM memory WHERE id = ?1")?
        .query_row([id.as_bytes()], |row| row.get(0))
        .optional()?;
    Ok((found != Some(revision)).then_some(Outcome::Stale(id)))
}

/// The oldest memory with this text that is not archived. The hash does not count white space at the
/// ends of a text; its content does, where it is given.
pub(crate) fn known(
    connection: &Connection,
    scope: &Scope,
    hash: &ContentHash,
    content: Option<&str>,
) -> Result<Option<MemoryId>> {
    let found = connection
        .prepare_cached(
            "SELECT m.id FROM memory m JOIN scope s ON s.id = m.scope
             WHERE s.layer = ?1 AND s.owner = ?2 AND m.hash = ?3 AND m.archived = 0
                 AND (?4 IS NULL OR m.content = ?4)
             ORDER BY m.seq LIMIT 1",
        )?
        .query_row(params![scope.layer.name(), scope.owner, hash.0, content], |row| {
            memory_id(row, 0)
        })
        .optional()?;
    Ok(found)
}

fn carry_out(connection: &Connection, op: &Op) -> Result<Option<Outcome>> {
    match op {
        Op::Insert(new) => insert(connection, new).map(|()| None),
        Op::Replace(new) => replace(connection, new),
        Op::Delete(id) => delete(connection, *id),
        Op::Rate { id, kind, confidence, at } => {
            rate(connection, *id, *kind, *confidence, at.as_microsecond())
        }
        Op::MarkValidated { id, at } => mark_validated(connection, *id, at.as_microsecond()),
        Op::Weigh { id, importance } => weigh(connection, *id, *importance),
        Op::Record(new) => match seq(connection, new.memory)? {
            Some(seq) => event::put(connection, seq, new).map(Some),
            None => Ok(Some(Outcome::Stale(new.memory))),
        },
        Op::Relate(new) => relate(connection, new).map(Some),
        Op::Unrelate(numbers) => edge::remove(connection, numbers).map(|()| None),
        Op::Touch { ids, at } => touch(connection, ids, at.as_microsecond()).map(|()| None),
        Op::SettleTouches => settle_touches(connection).map(|()| None),
        Op::NoteQueries(noted) => query::note(connection, noted).map(|()| None),
        Op::PutDocument(new) => document::put(connection, new).map(|()| None),
        Op::DeleteDocuments { scope, paths } => {
            document::delete(connection, scope, paths).map(|()| None)
        }
        Op::DeleteChunks(ids) => document::delete_chunks(connection, ids).map(|()| None),
        Op::PutVectors { model, codes } => put_vectors(connection, model, codes).map(|()| None),
        Op::Complete { model, calibration } => vector::complete(connection, model, calibration),
        Op::ArchiveBeyond { quota, keep, at } => {
            archive_beyond(connection, quota, *keep, at.as_microsecond()).map(|()| None)
        }
        Op::PutRecord(new) => record::put(connection, new).map(|()| None),
        Op::DeleteRecord(id) => record::delete(connection, *id).map(|()| None),
        Op::Happen(new) => episode::put(connection, new).map(|()| None),
        Op::Link { episode, records } => episode::link(connection, *episode, records),
        Op::Expire { before, max } => {
            episode::expire(connection, before.as_microsecond(), *max).map(|()| None)
        }
        Op::Enqueue(draft) => outbox::put(connection, draft).map(Some),
        Op::MarkCommitted { commits, head } => {
            outbox::mark(connection, commits, head).map(|()| None)
        }
        Op::Settle { up_to, head } => outbox::settle(connection, *up_to, head).map(|()| None),
        Op::PutItem(item) => knowledge::put(connection, item).map(|()| None),
        Op::DropItem { root, id } => knowledge::remove(connection, root, id).map(|()| None),
        Op::PutFailures { root, failures } => {
            knowledge::put_failures(connection, root, failures).map(|()| None)
        }
        Op::CountSync { at, items, succeeded } => {
            knowledge::count(connection, *at, *items, *succeeded).map(|()| None)
        }
        Op::TimeSync { micros } => knowledge::time(connection, *micros).map(|()| None),
        Op::PutEntity(new) => fact::put(connection, new),
        Op::DeleteEntity { scope, name, .. } => fact::delete(connection, scope, name),
        Op::PutLink(new) => fact::put_link(connection, new),
        Op::CloseLink { scope, link, at } => fact::close_link(connection, scope, link, *at),
        Op::Judge(verdict) => verdict::put(connection, verdict).map(|()| None),
        Op::Suggest(new) => candidate::put(connection, new).map(|()| None),
        Op::Decide { candidate, state, at } => {
            candidate::decide(connection, *candidate, *state, *at)
        }
    }
}

pub(crate) fn insert(connection: &Connection, new: &IndexedMemory) -> Result<()> {
    let memory = &new.memory;
    let own = [
        Value::Blob(memory.id.as_bytes().to_vec()),
        Value::Integer(scope_id(connection, &memory.scope)?),
        Value::Text(memory.origin.name().to_owned()),
        Value::Integer(memory.created_at.as_microsecond()),
        memory.thread.clone().map_or(Value::Null, Value::Text),
        Value::Integer(i64::try_from(memory.revision).unwrap_or(i64::MAX)),
    ];
    connection
        .prepare_cached(
            "INSERT INTO memory (id, scope, origin, created_at, thread, revision, kind, content, hash,
               category, tags, importance, confidence, metadata, archived, access_count,
               updated_at, accessed_at, trust, provenance)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params_from_iter(own.into_iter().chain(changing(new)?)))?;
    index(connection, connection.last_insert_rowid(), new)
}

pub(crate) fn replace(connection: &Connection, new: &IndexedMemory) -> Result<Option<Outcome>> {
    let Some(seq) = seq(connection, new.memory.id)? else {
        return Ok(Some(Outcome::Stale(new.memory.id)));
    };
    // Vectors are of a text: they go with it and stay with it.
    connection
        .prepare_cached(
            "DELETE FROM vector WHERE entry = ?1
             AND NOT EXISTS (SELECT 1 FROM memory WHERE seq = ?1 AND hash = ?2)",
        )?
        .execute(params![seq, new.hash.0])?;
    connection
        .prepare_cached(
            "UPDATE memory SET kind = ?, content = ?, hash = ?, category = ?, tags = ?,
               importance = ?, confidence = ?, metadata = ?, archived = ?, access_count = ?,
               updated_at = ?, accessed_at = ?, trust = ?, provenance = ?,
               revision = revision + 1
             WHERE seq = ?",
        )?
        .execute(params_from_iter(changing(new)?.into_iter().chain([Value::Integer(seq)])))?;
    connection.prepare_cached("DELETE FROM memory_tag WHERE memory = ?1")?.execute([seq])?;
    index(connection, seq, new)?;
    Ok(None)
}

/// The columns of a memory that may change, in the order both statements name them.
fn changing(new: &IndexedMemory) -> Result<[Value; 14]> {
    let memory = &new.memory;
    let reads = i64::try_from(memory.access_count).unwrap_or(i64::MAX);
    Ok([
        Value::Text(memory.kind.name().to_owned()),
        Value::Text(memory.content.clone()),
        Value::Blob(new.hash.0.to_vec()),
        memory.category.clone().map_or(Value::Null, Value::Text),
        Value::Text(json(&memory.tags)?),
        Value::Real(memory.importance),
        Value::Real(memory.confidence),
        Value::Text(json(&memory.metadata)?),
        Value::Integer(memory.archived.into()),
        Value::Integer(reads),
        Value::Integer(memory.updated_at.as_microsecond()),
        Value::Integer(memory.accessed_at.as_microsecond()),
        Value::Text(memory.provenance.level.name().to_owned()),
        row::provenance_column(&memory.provenance)?,
    ])
}

pub(crate) fn delete(connection: &Connection, id: MemoryId) -> Result<Option<Outcome>> {
    let Some(seq) = seq(connection, id)? else {
        return Ok(Some(Outcome::Stale(id)));
    };
    connection.prepare_cached("DELETE FROM memory WHERE seq = ?1")?.execute([seq])?;
    log::note(connection, seq)?;
    Ok(None)
}

/// Archives a memory; one that is not there is gone already.
pub(crate) fn archive(connection: &Connection, id: MemoryId, at: i64) -> Result<()> {
    let Some(seq) = seq(connection, id)? else { return Ok(()) };
    connection
        .prepare_cached(
            "UPDATE memory SET archived = 1, updated_at = max(created_at, ?2), revision = revision + 1
             WHERE seq = ?1",
        )?
        .execute(params![seq, at])?;
    log::note(connection, seq)
}

/// Noted in the log, because a kind is something that an index may hold.
fn rate(
    connection: &Connection,
    id: MemoryId,
    kind: Kind,
    confidence: f64,
    at: i64,
) -> Result<Option<Outcome>> {
    let Some(seq) = seq(connection, id)? else {
        return Ok(Some(Outcome::Stale(id)));
    };
    connection
        .prepare_cached(
            "UPDATE memory SET kind = ?2, confidence = ?3, validated_at = ?4,
               revision = revision + 1 WHERE seq = ?1",
        )?
        .execute(params![seq, kind.name(), confidence, at])?;
    log::note(connection, seq)?;
    Ok(None)
}

fn mark_validated(connection: &Connection, id: MemoryId, at: i64) -> Result<Option<Outcome>> {
    let changed = connection
        .prepare_cached("UPDATE memory SET validated_at = ?2 WHERE id = ?1")?
        .execute(params![id.as_bytes(), at])?;
    Ok((changed == 0).then_some(Outcome::Stale(id)))
}

fn weigh(connection: &Connection, id: MemoryId, importance: f64) -> Result<Option<Outcome>> {
    let changed = connection
        .prepare_cached("UPDATE memory SET importance = ?2, revision = revision + 1 WHERE id = ?1")?
        .execute(params![id.as_bytes(), importance])?;
    Ok((changed == 0).then_some(Outcome::Stale(id)))
}

fn relate(connection: &Connection, new: &NewEdge) -> Result<Outcome> {
    let Some(source) = seq(connection, new.source)? else {
        return Ok(Outcome::Stale(new.source));
    };
    match seq(connection, new.target)? {
        Some(target) => edge::put(connection, source, target, new),
        None => Ok(Outcome::Stale(new.target)),
    }
}

fn index(connection: &Connection, seq: i64, new: &IndexedMemory) -> Result<()> {
    let mut add_tag =
        connection.prepare_cached("INSERT INTO memory_tag (memory, tag) VALUES (?1, ?2)")?;
    for tag in &new.memory.tags {
        add_tag.execute(params![seq, tag])?;
    }
    vector::put(connection, seq, &new.vectors)?;
    log::note(connection, seq)
}

fn put_vectors(
    connection: &Connection,
    model: &str,
    codes: &[(i64, ContentHash, Vec<u8>)],
) -> Result<()> {
    for seq in vector::put_many(connection, model, codes)? {
        log::note(connection, seq)?;
    }
    Ok(())
}

fn touch(connection: &Connection, ids: &[MemoryId], at: i64) -> Result<()> {
    let mut note = connection.prepare_cached(
        "INSERT INTO memory_access (memory, at) SELECT seq, ?2 FROM memory WHERE id = ?1",
    )?;
    for id in ids {
        note.execute(params![id.as_bytes(), at])?;
    }
    Ok(())
}

fn settle_touches(connection: &Connection) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE memory SET access_count = access_count + noted.times,
               accessed_at = max(accessed_at, noted.latest)
             FROM (SELECT memory, count(*) AS times, max(at) AS latest
                   FROM memory_access GROUP BY memory) AS noted
             WHERE memory.seq = noted.memory",
        )?
        .execute([])?;
    connection.prepare_cached("DELETE FROM memory_access")?.execute([])?;
    Ok(())
}

fn archive_beyond(connection: &Connection, quota: &Quota, keep: u64, at: i64) -> Result<()> {
    let (filter, values) = quota_filter(quota);
    // Golden rules keep their places and are never archived; nor is the newest of the others, which
    // has just come.
    let golden = is_golden();
    let rules = format!(
        "SELECT count(*) FROM memory m JOIN scope s ON s.id = m.scope WHERE {filter} AND {golden}"
    );
    let rules: u64 = connection
        .prepare_cached(&rules)?
        .query_row(params_from_iter(&values), |row: &Row<'_>| row.get(0))?;
    let keep = keep.saturating_sub(rules).max(1);
    let sql = format!(
        "UPDATE memory SET archived = 1, updated_at = max(created_at, {at}), revision = revision + 1
         WHERE seq IN (SELECT m.seq FROM memory m JOIN scope s ON s.id = m.scope
                       LEFT JOIN memory_access a ON a.memory = m.seq
                       WHERE {filter} AND NOT {golden} GROUP BY m.seq
                       ORDER BY max(m.accessed_at, coalesce(max(a.at), 0)) DESC, m.seq DESC
                       LIMIT -1 OFFSET {keep})
         RETURNING seq"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let archived = statement.query_map(params_from_iter(values), |row| row.get(0))?;
    let archived: Vec<i64> = archived.collect::<rusqlite::Result<_>>()?;
    archived.into_iter().try_for_each(|seq| log::note(connection, seq))
}

fn count(connection: &Connection, quota: &Quota) -> Result<u64> {
    let (filter, values) = quota_filter(quota);
    let sql =
        format!("SELECT count(*) FROM memory m JOIN scope s ON s.id = m.scope WHERE {filter}");
    let count = connection
        .prepare_cached(&sql)?
        .query_row(params_from_iter(values), |row: &Row<'_>| row.get(0))?;
    Ok(count)
}

fn quota_filter(quota: &Quota) -> (String, Vec<String>) {
    let kinds = vec!["?"; quota.kinds.len()].join(", ");
    let filter = format!(
        "s.layer = ? AND s.owner = ? AND m.origin = ? AND m.kind IN ({kinds}) AND m.archived = 0"
    );
    let mut values = vec![
        quota.scope.layer.name().to_owned(),
        quota.scope.owner.clone(),
        quota.origin.name().to_owned(),
    ];
    values.extend(quota.kinds.iter().map(|kind| kind.name().to_owned()));
    (filter, values)
}

fn seq(connection: &Connection, id: MemoryId) -> Result<Option<i64>> {
    Ok(connection
        .prepare_cached("SELECT seq FROM memory WHERE id = ?1")?
        .query_row([id.as_bytes()], |row| row.get(0))
        .optional()?)
}

pub(crate) fn scope_id(connection: &Connection, scope: &Scope) -> Result<i64> {
    let names = params![scope.layer.name(), scope.owner];
    let found = connection
        .prepare_cached("SELECT id FROM scope WHERE layer = ?1 AND owner = ?2")?
        .query_row(names, |row| row.get(0))
        .optional()?;
    if let Some(id) = found {
        return Ok(id);
    }
    connection
        .prepare_cached("INSERT INTO scope (layer, owner) VALUES (?1, ?2)")?
        .execute(names)?;
    Ok(connection.last_insert_rowid())
}

pub(crate) fn json<T: serde::Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Damaged(error.to_string()))
}
