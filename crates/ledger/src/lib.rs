//! One door to git.
//!
//! The ledger is a git repository with one Markdown file for each record; whoever has git can read,
//! clone and edit it. [`Ledger`] reads; [`Ledger::lock`] gives the exclusive right to write, and
//! [`Held::commit`] makes one commit for each [`Draft`](model::Draft). [`file`](mod@file) turns
//! records into files and back.
//!
//! A commit is in git when it is acknowledged, but perhaps not on disk: the caller has written it
//! down elsewhere before, and may forget that when [`Held::settle`] has returned.
//!
//! Invariants: nothing that a person wrote or staged is overwritten; plain git may be used at any
//! time beside us; a process that is killed leaves nothing that the next one does not mend.
//!
//! [`item`] does the same for knowledge items, and [`plain`] is git in the repositories of people,
//! which are not ours.
//!
//! Not here: decisions, the database, the clock.

mod aside;
mod bit;
mod bundle;
mod commit;
mod damage;
mod diff;
mod edits;
mod error;
pub mod file;
mod held;
mod history;
mod index;
pub mod item;
mod lock;
mod lost;
mod mend;
mod merge;
mod message;
mod objects;
mod oid;
mod pack;
mod packs;
pub mod plain;
mod private;
mod program;
mod refs;
mod repair;
mod repository;
mod settle;
mod tidy;
mod tree;
mod unpack;
mod worktree;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Instant;

use model::RecordId;

pub use bundle::check_out;
pub use edits::{ChangedFile, Edit, Unfinished};
pub use error::{LedgerError, Result};
pub use held::Held;
pub use history::{COMMITS_LOOKED_MAX, COMMITS_WALKED_MAX};
pub use lock::LOCK_PATIENCE;
pub use message::Entry;
pub use oid::{CommitId, NotACommitId, blob_id};
pub use repair::Mended;

/// An open ledger.
pub struct Ledger {
    dir: PathBuf,
    git: PathBuf,
    /// What who holds the ledger works with; none while somebody does.
    idle: Mutex<Option<held::State>>,
    freed: Condvar,
    unsettled: AtomicUsize,
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ledger").field("dir", &self.dir).finish_non_exhaustive()
    }
}

impl Ledger {
    /// Opens the repository in `dir`. If there is none nothing is made; [`Self::lock`] does.
    pub fn open(dir: &Path) -> Result<Self> {
        let dir = std::path::absolute(dir).map_err(error::at(dir))?;
        let git = dir.join(".git");
        repository::refuse_foreign(&git)?;
        let idle = Mutex::new(Some(held::State::new(&git)));
        Ok(Self { dir, git, idle, freed: Condvar::new(), unsettled: AtomicUsize::new(0) })
    }

    /// Where it lies.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether there is a repository yet.
    pub fn exists(&self) -> bool {
        repository::exists(&self.git)
    }

    /// The newest commit; none if there is none yet.
    pub fn head(&self) -> Result<Option<CommitId>> {
        Ok(refs::head(&self.git)?.id.map(CommitId))
    }

    /// Waits for the exclusive right to change the ledger, among all threads and processes, for
    /// [`LOCK_PATIENCE`] at most. Makes the repository if it is not there, and mends what a process
    /// that was killed left.
    pub fn lock(&self) -> Result<Held<'_>> {
        let deadline = Instant::now() + LOCK_PATIENCE;
        let mut idle = self.idle.lock().unwrap_or_else(|e| e.into_inner());
        let state = loop {
            if let Some(state) = idle.take() {
                break state;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(lock::busy(&self.git));
            }
            let woken = self.freed.wait_timeout(idle, left).unwrap_or_else(|e| e.into_inner());
            idle = woken.0;
        };
        drop(idle);
        Held::take(self, state, deadline)
    }

    /// What the file of the work tree says now; none if it is not there.
    pub fn file(&self, path: &str) -> Result<Option<Vec<u8>>> {
        worktree::check(path)?;
        self.worktree().read(path)
    }

    /// Where the file lies on this machine.
    pub fn absolute(&self, path: &str) -> PathBuf {
        self.dir.join(path)
    }

    /// Commits, newest first, at most `max`: those of one record (by its id in the names of files,
    /// so that a file that was renamed is followed), or all.
    pub fn log(&self, record: Option<RecordId>, max: usize) -> Result<Vec<Entry>> {
        let objects = objects::Objects::new(&self.git);
        history::log(&objects, refs::head(&self.git)?.id, record, max)
    }

    /// The newest commit that changed a file below a folder, whose name ends in `/`; none if it is not
    /// among the newest [`COMMITS_LOOKED_MAX`].
    pub fn newest_below(&self, folder: &str) -> Result<Option<CommitId>> {
        let objects = objects::Objects::new(&self.git);
        history::newest_below(&objects, refs::head(&self.git)?.id, folder)
    }

    /// How many calls of `commit` of this `Ledger` came after its last [`Held::settle`]. Each leaves
    /// two files until then, so who commits much settles when they are some hundred.
    pub fn unsettled(&self) -> usize {
        self.unsettled.load(Ordering::Relaxed)
    }

    /// Whether there are so many packs that reading gets slow.
    pub fn needs_tidying(&self) -> bool {
        tidy::is_needed(&self.git)
    }

    /// Makes few packs out of many, by the program `git`; without it, or while another
    /// process does so, nothing is done. Others may read and commit meanwhile.
    pub fn tidy(&self) -> Result<()> {
        tidy::run(&self.dir, &self.git)
    }

    pub(crate) fn worktree(&self) -> worktree::Worktree<'_> {
        worktree::Worktree { dir: &self.dir }
    }
}
