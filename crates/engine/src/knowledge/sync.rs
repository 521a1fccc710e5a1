//! Memories that point to items: made, changed and deleted as the items are.
//!
//! A sync compares what the files say now with what they said when they were synced last, and is one
//! change: should anything fail, the former state stands.

use std::collections::HashSet;

use model::{Caller, Change, Guard, ItemKind, Layer, Op, SyncedItem, Timestamp, TrustLevel};
use store::{KnownItem, SyncStats};

use super::library::{Catalogue, Entry};
use super::rows::{Place, Rows};
use super::{Failure, Library, Root, pointer, trusted};
use crate::memory::DECISIONS_MAX;
use crate::{Engine, Error, ErrorKind, Result, parallel, secrets};

/// What a sync is limited to; what it leaves out stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Narrow {
    /// Only of these kinds; none means any.
    pub kinds: Vec<ItemKind>,
    /// Only of these layers; none means any.
    pub layers: Vec<Layer>,
    /// Whether what did not change is synced as well.
    pub force: bool,
}

impl Narrow {
    fn takes(&self, kind: ItemKind, layer: Layer) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&kind))
            && (self.layers.is_empty() || self.layers.contains(&layer))
    }
}

/// How many items of each sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// New ones.
    pub added: u64,
    /// Changed ones.
    pub updated: u64,
    /// Ones that are gone.
    pub deleted: u64,
    /// Ones that are as they were.
    pub unchanged: u64,
    /// Files that could not be taken.
    pub failures: u64,
}

/// What a sync did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Synced {
    /// How many of each sort.
    pub counts: Counts,
    /// What could not be taken: files, and why.
    pub failures: Vec<(String, String)>,
    /// Accepted decisions whose text was changed since, by id.
    pub altered: Vec<String>,
    /// How many secrets were taken out of what was written.
    pub secrets: usize,
    /// How long it took, in microseconds.
    pub micros: u64,
}

/// How syncing stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Whether nothing failed, neither an item nor the last sync.
    pub healthy: bool,
    /// What the last sync could not take: files, and why.
    pub failures: Vec<(String, String)>,
    /// What syncs there were.
    pub stats: SyncStats,
    /// The time now.
    pub now: Timestamp,
}

/// Makes the memories that point to items follow them.
pub fn sync(engine: &Engine, caller: &Caller, narrow: &Narrow) -> Result<Synced> {
    let began = engine.clock.now();
    let synced = match attempt(engine, caller, narrow, began) {
        Ok(synced) => synced,
        Err(error) => {
            // It may not be written down either; then the next one tells.
            let count = Op::CountSync { at: began, items: 0, succeeded: false };
            let _ = engine.store.apply(Change::of(count));
            return Err(error);
        }
    };
    let took = engine.clock.now().duration_since(began).as_micros();
    let micros = u64::try_from(took).unwrap_or(0);
    engine.store.hand_in(Change::of(Op::TimeSync { micros }))?;
    Ok(Synced { micros, ..synced })
}

fn attempt(engine: &Engine, caller: &Caller, narrow: &Narrow, at: Timestamp) -> Result<Synced> {
    for _ in 0..DECISIONS_MAX {
        let catalogue = Library::look(engine, caller);
        let (change, synced) = decide(engine, caller, narrow, &catalogue, at)?;
        if engine.apply_texts(change)?.is_done() {
            return Ok(synced);
        }
    }
    let message = format!("others synced {DECISIONS_MAX} times meanwhile; try again");
    Err(Error::new(ErrorKind::Conflict, message))
}

/// How syncing stands, for what the caller may see.
pub fn status(engine: &Engine, caller: &Caller) -> Result<Status> {
    let stats = engine.store.sync_stats()?;
    let (catalogue, mut failures) = (Library::look(engine, caller), Vec::new());
    for (number, root) in catalogue.roots.iter().enumerate() {
        let failed = engine.store.sync_failures(&root.name)?.into_iter();
        failures.extend(failed.filter(|(path, _)| catalogue.failed_for(caller, number, path)));
        // What is wrong only for who sees two files is not kept, since it names both.
        let of_some = catalogue.failures.iter().filter(|failure| {
            failure.root == number
                && !catalogue.is_for_all(failure)
                && catalogue.is_for(caller, failure)
        });
        for failure in of_some.filter(|_| stats.syncs > 0) {
            if !failures.iter().any(|(path, _)| *path == failure.path) {
                failures.push((failure.path.clone(), failure.why.clone()));
            }
        }
    }
    for (path, why) in &mut failures {
        secrets::take(engine.secrets, path);
        secrets::take(engine.secrets, why);
    }
    let healthy = failures.is_empty() && (stats.succeeded || stats.syncs == 0);
    Ok(Status { healthy, failures, stats, now: engine.clock.now() })
}

pub(super) fn is_altered(entry: &Entry, known: &SyncedItem) -> bool {
    entry.is_sealed() && known.seal.is_some_and(|seal| seal != entry.seal)
}

/// Decides on what a sync does.
fn decide(
    engine: &Engine,
    caller: &Caller,
    narrow: &Narrow,
    catalogue: &Catalogue,
    at: Timestamp,
) -> Result<(Change, Synced)> {
    let mut synced = Synced::default();
    let (mut ops, mut guards) = (Vec::new(), Vec::new());
    for (number, root) in catalogue.roots.iter().enumerate() {
        let (known, stats) = engine.store.synced_items(&root.name)?;
        if guards.is_empty() {
            guards.push(Guard::Syncs(stats.syncs));
        }
        let sight = Sight { engine, caller, narrow, root, number, at };
        sight.compare(catalogue, &known, &mut ops, &mut synced);
        ops.push(sight.failures(catalogue, &mut synced));
    }
    synced.counts.failures = synced.failures.len() as u64;
    let Counts { added, updated, deleted, unchanged, .. } = synced.counts;
    let again = if narrow.force { unchanged } else { 0 };
    let items = added + updated + deleted + again;
    ops.push(Op::CountSync { at, items, succeeded: true });
    Ok((Change { guards, ops }, synced))
}

/// An item that is to be written: what it was, and the key of its row.
struct Work<'a> {
    entry: &'a Entry,
    was: Option<&'a KnownItem>,
    key: String,
}

/// What a sync looks at.
struct Sight<'a> {
    engine: &'a Engine,
    caller: &'a Caller,
    narrow: &'a Narrow,
    root: &'a Root,
    number: usize,
    at: Timestamp,
}

impl Sight<'_> {
    /// Compares the items of a folder with what they were.
    fn compare(
        &self,
        catalogue: &Catalogue,
        known: &[KnownItem],
        ops: &mut Vec<Op>,
        synced: &mut Synced,
    ) {
        let open = catalogue.open(self.caller).map(|(_, entry)| entry);
        let open = open.filter(|entry| entry.root == self.number);
        let there = catalogue.entries.iter().filter(|entry| entry.root == self.number);
        let there: HashSet<Place<'_>> = there.map(|entry| Place::of(&entry.item)).collect();
        let mut rows = Rows::of(known);
        // A file that cannot be read now was an item before, and may be one again.
        let broken: HashSet<&str> = catalogue
            .failures
            .iter()
            .filter(|failure| failure.root == self.number)
            .map(|failure| failure.path.as_str())
            .collect();
        let mut work: Vec<Work<'_>> = Vec::new();
        for entry in open {
            let (was, key) = rows.take(entry, &there);
            if !self.narrow.takes(entry.item.kind, entry.item.layer) || !entry.flaws.is_empty() {
                continue;
            }
            if was.is_some_and(|was| is_altered(entry, &was.item)) {
                synced.altered.push(entry.item.id.clone());
            }
            let is_same = was.is_some_and(|was| was.has_pointer && self.is_same(entry, &was.item));
            let count = match was {
                None => &mut synced.counts.added,
                Some(_) if is_same => &mut synced.counts.unchanged,
                Some(_) => &mut synced.counts.updated,
            };
            *count += 1;
            if !is_same || self.narrow.force {
                work.push(Work { entry, was, key });
            }
        }
        synced.secrets += work.iter().map(|work| work.entry.secrets).sum::<usize>();
        ops.extend(self.written(&work));
        for known in rows.left().map(|known| &known.item) {
            let is_ours = self.caller.identity.knows(known.layer, known.owner.as_deref())
                && self.narrow.takes(known.kind, known.layer);
            let is_gone =
                !there.contains(&Place::of_row(known)) && !broken.contains(known.path.as_str());
            if is_ours && is_gone {
                synced.counts.deleted += 1;
                let (root, id) = (known.root.clone(), known.id.clone());
                ops.push(Op::DropItem { root, id });
            }
        }
    }

    fn is_same(&self, entry: &Entry, was: &SyncedItem) -> bool {
        was.hash == entry.hash && was.path == entry.path && was.owner == entry.item.owner
    }

    /// The items to be written, with their pointers, on every core where they are many.
    fn written(&self, work: &[Work<'_>]) -> Vec<Op> {
        let entries: Vec<&Entry> = work.iter().map(|work| work.entry).collect();
        let levels = trusted::levels(self.engine, self.root, &entries);
        let ids = work.iter().map(|_| self.engine.ids.memory_id());
        let work: Vec<_> = work.iter().zip(ids.zip(levels)).collect();
        let made = parallel::map(&work, |(work, new)| self.put(work, *new));
        made.into_iter().flatten().collect()
    }

    fn put(&self, work: &Work<'_>, (new, level): (model::MemoryId, TrustLevel)) -> Vec<Op> {
        let Work { entry, was, key } = work;
        let item = &entry.item;
        let scope = |owner: Option<&str>, layer| {
            model::knowledge::pointer_scope(layer, self.root.project.as_deref(), owner)
        };
        let place = scope(item.owner.as_deref(), item.layer);
        // A pointer stays the same memory unless it has to lie elsewhere.
        let stays = was.filter(|was| {
            was.has_pointer && scope(was.item.owner.as_deref(), was.item.layer) == place
        });
        let id = stays.map_or(new, |was| was.item.pointer);
        let memory = pointer::of(self.engine, self.root, item, (id, level), self.at);
        let mut ops = Vec::with_capacity(3);
        if let (Some(was), None) = (was, stays) {
            ops.push(Op::DropItem { root: was.item.root.clone(), id: was.item.id.clone() });
        }
        ops.push(if stays.is_some() { Op::Replace(memory) } else { Op::Insert(memory) });
        // What was accepted stays what was accepted, until the item is something else.
        let accepted = was.and_then(|was| was.item.seal).filter(|_| entry.is_sealed());
        let seal = entry.is_sealed().then(|| accepted.unwrap_or(entry.seal));
        ops.push(Op::PutItem(Box::new(SyncedItem {
            root: self.root.name.clone(),
            path: entry.path.clone(),
            id: key.clone(),
            kind: item.kind,
            layer: item.layer,
            owner: item.owner.clone(),
            hash: entry.hash,
            seal,
            pointer: id,
        })));
        ops
    }

    /// What of a folder could not be taken. The store keeps all; the answer tells what was asked for.
    fn failures(&self, catalogue: &Catalogue, synced: &mut Synced) -> Op {
        let here = catalogue.failures.iter().filter(|failure| failure.root == self.number);
        let mut all: Vec<(String, String)> = Vec::new();
        for failure in here {
            let failing = catalogue.failing(failure);
            let is_asked =
                failing.is_none_or(|entry| self.narrow.takes(entry.item.kind, entry.item.layer));
            if is_asked && catalogue.is_for(self.caller, failure) {
                gather(&mut synced.failures, failure);
            }
            if catalogue.is_for_all(failure) {
                gather(&mut all, failure);
            }
        }
        // What is wrong with a value may be told with the value, and a name may be what is wrong.
        for (path, why) in all.iter_mut().chain(&mut synced.failures) {
            secrets::take(self.engine.secrets, path);
            secrets::take(self.engine.secrets, why);
        }
        Op::PutFailures { root: self.root.name.clone(), failures: all }
    }
}

/// One file is one failure, however much is wrong with it.
fn gather(failures: &mut Vec<(String, String)>, failure: &Failure) {
    match failures.last_mut() {
        Some((path, why)) if *path == failure.path => {
            why.push_str("; ");
            why.push_str(&failure.why);
        }
        _ => failures.push((failure.path.clone(), failure.why.clone())),
    }
}
