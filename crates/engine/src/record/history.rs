//! How a record came to be what it is.

use std::collections::HashSet;

use model::RecordId;
use store::StoredRecord;

use super::{Reading, stored};
use crate::{Engine, Result};

/// No chain is followed further.
const CHAIN_MAX: usize = 1_000;

/// A chain of records, each in the place of the one before.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The newest of the chain.
    pub current: StoredRecord,
    /// The ones before it, oldest first.
    pub past: Vec<StoredRecord>,
}

/// The chain that a record belongs to, from any of its links.
pub fn history(engine: &Engine, namespace: &Reading, id: RecordId) -> Result<History> {
    let asked = stored(engine, namespace, id)?;
    let mut seen = HashSet::from([id]);
    let mut newest = asked;
    while let Some(next) = successor(engine, &newest, &mut seen)? {
        newest = next;
    }
    let mut past = Vec::new();
    let mut seen = HashSet::from([newest.record.id]);
    let mut at = newest.clone();
    while let Some(before) = predecessor(engine, &at, &mut seen)? {
        past.push(before.clone());
        at = before;
    }
    past.reverse();
    Ok(History { current: newest, past })
}

/// The one that took its place. A person may have written only one side of it.
fn successor(
    engine: &Engine,
    at: &StoredRecord,
    seen: &mut HashSet<RecordId>,
) -> Result<Option<StoredRecord>> {
    let named = named(engine, at, at.record.superseded_by)?;
    let mut others = engine.store.successors(at.record.id)?;
    // Of several, the one that still holds.
    others.sort_by_key(|other| other.record.status.is_past());
    Ok(named.into_iter().chain(others).find(|next| is_next(at, next, seen)))
}

fn predecessor(
    engine: &Engine,
    at: &StoredRecord,
    seen: &mut HashSet<RecordId>,
) -> Result<Option<StoredRecord>> {
    let named = named(engine, at, at.record.supersedes)?;
    Ok(named.filter(|next| is_next(at, next, seen)))
}

/// The record that a link names. A person may have written the id of another namespace's.
fn named(engine: &Engine, at: &StoredRecord, id: Option<RecordId>) -> Result<Option<StoredRecord>> {
    let find = |id| engine.store.record_in(&at.record.namespace, id);
    Ok(id.map(find).transpose()?.flatten())
}

/// A link leads out of no namespace, and nowhere twice.
fn is_next(at: &StoredRecord, next: &StoredRecord, seen: &mut HashSet<RecordId>) -> bool {
    next.record.namespace == at.record.namespace
        && seen.len() < CHAIN_MAX
        && seen.insert(next.record.id)
}
