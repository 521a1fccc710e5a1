//! The ledger in one hand.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Instant;

use model::EpisodeId;

use crate::error::Result;
use crate::index::{Index, Paths};
use crate::lock::LockFile;
use crate::objects::Objects;
use crate::oid::{CommitId, Oid, empty_tree};
use crate::tree::Node;
use crate::{Ledger, diff, history, private, refs, repository};

/// The exclusive right to change the ledger, until it is dropped.
pub struct Held<'a> {
    pub(crate) ledger: &'a Ledger,
    pub(crate) state: State,
}

/// What stays in memory from one holder to the next.
pub(crate) struct State {
    pub(crate) lock: Option<LockFile>,
    pub(crate) objects: Objects,
    /// The trees of a commit; of use while it is the newest.
    pub(crate) trees: Option<(Option<Oid>, Node)>,
    /// A small index, as we wrote it.
    pub(crate) index: Option<Index>,
    pub(crate) paths: Paths,
    /// Packs that were written.
    pub(crate) batches: u64,
    /// Whether this process has looked for what a power cut left.
    pub(crate) is_mended: bool,
}

impl State {
    pub(crate) fn new(git: &Path) -> Self {
        Self {
            lock: None,
            objects: Objects::new(git),
            trees: None,
            index: None,
            paths: Paths::new(git),
            batches: 0,
            is_mended: false,
        }
    }
}

impl<'a> Held<'a> {
    /// Takes the lock among processes, and makes or mends the repository.
    pub(crate) fn take(ledger: &'a Ledger, state: State, deadline: Instant) -> Result<Self> {
        // From here on `drop` gives the state back, whatever happens.
        let mut held = Self { ledger, state };
        let path = ledger.git.join("lorekeep.lock");
        loop {
            if !held.state.lock.as_ref().is_some_and(LockFile::is_current) {
                private::create_dir(&ledger.git)?;
                // Another directory, perhaps: what is known of the old one is of no use.
                held.state = State::new(&ledger.git);
            }
            let lock = match held.state.lock.take() {
                Some(lock) => lock,
                None => LockFile::open(&path)?,
            };
            let lock = held.state.lock.insert(lock);
            lock.take(deadline)?;
            if lock.is_current() {
                break;
            }
        }
        if !repository::exists(&ledger.git) {
            repository::create(&ledger.git)?;
        }
        held.mend()?;
        Ok(held)
    }

    /// The newest commit; none if there is none yet.
    pub fn head(&self) -> Result<Option<CommitId>> {
        self.ledger.head()
    }

    /// Whether a commit is there: history may have been rewritten, or the repository be another.
    pub fn knows(&self, id: CommitId) -> Result<bool> {
        let commit = history::find(&self.state.objects, id.0)?;
        Ok(commit.is_some_and(|commit| self.has_trees(commit.tree)))
    }

    /// Whether the folders of a commit can be read; one that lost some is as good as not there.
    pub(crate) fn has_trees(&self, tree: Oid) -> bool {
        diff::files(&self.state.objects, empty_tree(), tree, &diff::is_markdown).is_ok()
    }

    /// Which of these episodes have a commit after `since` (none: from the beginning) up to the
    /// newest, and which commit that is. At most
    /// [`COMMITS_WALKED_MAX`](crate::COMMITS_WALKED_MAX) commits are looked at.
    pub fn committed(
        &self,
        since: Option<CommitId>,
        episodes: &HashSet<EpisodeId>,
    ) -> Result<HashMap<EpisodeId, CommitId>> {
        let head = refs::head(&self.ledger.git)?.id;
        history::committed(&self.state.objects, head, since.map(|id| id.0), episodes)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if let Some(lock) = &self.state.lock {
            lock.release();
        }
        let empty = State::new(&self.ledger.git);
        let state = std::mem::replace(&mut self.state, empty);
        *self.ledger.idle.lock().unwrap_or_else(|e| e.into_inner()) = Some(state);
        self.ledger.freed.notify_one();
    }
}

impl std::fmt::Debug for Held<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Held").field("dir", &self.ledger.dir).finish_non_exhaustive()
    }
}
