//! What of the files cannot be taken, and who is told: whoever may see the file, and nobody else.

use model::knowledge::{KNOWLEDGE_LAYERS, layer_folder};
use model::{Caller, ItemKind, Layer};

use super::Root;
use super::library::{Catalogue, Entry};

/// A file that is no item, or an item that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The number of its folder among the caller's.
    pub root: usize,
    /// Its file below the folder.
    pub path: String,
    /// Why, and where in the file.
    pub why: String,
    /// The item, if it can be read at all.
    pub item: Option<String>,
    /// The number of the item that the file is, if it is one: who may see that one is told. Its id
    /// does not say which, since every owner has ids of their own.
    pub(super) entry: Option<usize>,
    /// The number of the item that has its id already, if that is what is wrong: who does not see that
    /// one sees nothing wrong.
    pub(super) rival: Option<usize>,
}

impl Catalogue {
    /// What failed of what the caller may see: a file in somebody else's folder is none of its business.
    pub fn failed(&self, caller: &Caller) -> impl Iterator<Item = &Failure> {
        self.failures.iter().filter(|failure| self.is_for(caller, failure))
    }

    /// Whether something is wrong for the caller: not if it may not see the file, nor if that has the
    /// id of an item that the caller does not see.
    pub(super) fn is_for(&self, caller: &Caller, failure: &Failure) -> bool {
        let is_open = match self.failing(failure) {
            Some(entry) => entry.is_open(caller),
            None => is_open_path(caller, &self.roots[failure.root], &failure.path),
        };
        is_open && failure.rival.is_none_or(|at| self.entries[at].is_open(caller))
    }

    /// The item that something is wrong with, if the file is one.
    pub(super) fn failing(&self, failure: &Failure) -> Option<&Entry> {
        self.entries.get(failure.entry?)
    }

    /// Whether a file that failed at the last sync failed for the caller. What is wrong with it now
    /// says for whom; where nothing is any more, whoever sees the file is told.
    pub(super) fn failed_for(&self, caller: &Caller, root: usize, path: &str) -> bool {
        let is_there = |at: usize, its: &str| (at, its) == (root, path);
        let now = self.failures.iter().filter(|failure| is_there(failure.root, &failure.path));
        let mut now = now.peekable();
        if now.peek().is_some() {
            return now.any(|failure| self.is_for(caller, failure));
        }
        match self.entries.iter().find(|entry| is_there(entry.root, &entry.path)) {
            Some(entry) => entry.is_open(caller),
            None => is_open_path(caller, &self.roots[root], path),
        }
    }

    /// Whether something is wrong for everybody who sees the file.
    pub(super) fn is_for_all(&self, failure: &Failure) -> bool {
        let Some(rival) = failure.rival.map(|at| &self.entries[at]) else { return true };
        rival.item.owner.is_none()
            || self.failing(failure).is_some_and(|entry| entry.is_beside(rival))
    }
}

/// Whether the caller may see a file that is no item, as far as its folders tell.
fn is_open_path(caller: &Caller, root: &Root, path: &str) -> bool {
    let mut folders = path.split('/');
    let first = folders.next();
    let is_open = |layer| caller.identity.knows(layer, None);
    let layer = KNOWLEDGE_LAYERS.into_iter().find(|layer| layer_folder(*layer) == first);
    let Some(layer) = layer else {
        // It may be of any layer, unless its folder is a project's own.
        return root.layer.map_or_else(|| KNOWLEDGE_LAYERS.into_iter().all(is_open), is_open);
    };
    let is_kind = |folder: &&str| ItemKind::ALL.iter().any(|kind| kind.folder() == *folder);
    let owner = folders.next().filter(|_| layer != Layer::Company && folders.next().is_some());
    caller.identity.knows(layer, owner.filter(|folder| !is_kind(folder)))
}
