//! Making commits durable, and the index true.

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;

use crate::diff;
#[cfg(not(target_os = "linux"))]
use crate::error::if_there;
use crate::error::{Result, at};
use crate::held::Held;
use crate::history;
use crate::index::{Index, Moved};
use crate::oid::{Oid, empty_tree};
use crate::packs;
use crate::private;
use crate::refs;
use crate::tidy;
use crate::worktree::Follow;

/// The commit that is on disk for sure.
pub(crate) const SETTLED: &str = "lorekeep.settled";

impl Held<'_> {
    /// Makes all that was committed durable, and git's index true. While somebody else has git's
    /// lock of the index, the index is left for the next time. Many small packs become one, unless
    /// git is tidying.
    pub fn settle(&mut self) -> Result<()> {
        let git = &self.ledger.git;
        let head = refs::head(git)?.id;
        if self.state.paths.is_behind() && self.state.paths.take(&[head])? {
            self.catch_up()?;
        }
        let git = &self.ledger.git;
        let tidying = tidy::try_lock(git)?;
        // Before all is written to the disk: what is removed need not be. What cannot be made fewer
        // now stays listed.
        let ours = tidying.as_ref().and_then(|_| packs::gather(git).ok());
        sync(git)?;
        let settled = git.join(SETTLED);
        let text = head.map_or(String::new(), |id| id.to_string());
        // Never half, and on disk before anybody forgets what was promised: a power cut takes all behind it.
        let temporary = git.join("lorekeep.settling");
        private::write(&temporary, text.as_bytes())?.sync_all().map_err(at(&temporary))?;
        fs::rename(&temporary, &settled).map_err(at(&settled))?;
        packs::sync_folder(git)?;
        self.ledger.unsettled.store(0, Ordering::Relaxed);
        ours.map_or(Ok(()), |ours| packs::synced(git, &ours))
    }

    /// Lets an index that is behind follow. Git's lock of it must be ours.
    pub(crate) fn catch_up(&mut self) -> Result<()> {
        let head = refs::head(&self.ledger.git)?.id;
        let stands = self.state.paths.behind()?.unwrap_or_else(|| vec![None]);
        let mut index = self.state.paths.read(self.state.index.take())?;
        let mut is_changed = false;
        for base in stands {
            let moved = self.moved(&index, base, head)?;
            is_changed |= index.follow(&moved, Some(&self.ledger.dir));
        }
        if is_changed {
            self.state.paths.write_caught_up(&mut index, head)?;
        } else {
            self.state.paths.give_back()?;
        }
        self.state.paths.catch_up()
    }

    /// What became of files between the commit that the index stands at and the newest.
    fn moved(&self, index: &Index, base: Option<Oid>, head: Option<Oid>) -> Result<Vec<Moved>> {
        let objects = &self.state.objects;
        let known = match base {
            Some(id) => history::find(objects, id)?.map(|commit| commit.tree),
            None => None,
        };
        let (old, new) = (known.unwrap_or_else(empty_tree), history::newest_tree(objects, head)?);
        let worktree = self.ledger.worktree();
        let moved = diff::files(objects, old, new, &diff::is_markdown)?.into_iter().map(|file| {
            let diff::Differing { path, old, new } = file;
            let follow = Follow { path: &path, was: &[], content: None, id: new };
            let stat = new.and_then(|_| worktree.stat_if(&follow));
            // Nobody knows where the index stood: what was staged where the file says what the
            // newest commit says is old, not somebody's own.
            let staged = || index.staged(path.as_str().into());
            let old = match known {
                None if stat.is_some() => {
                    staged().and_then(|entry| Oid::from_slice(entry.id.as_bytes()))
                }
                _ => old,
            };
            Moved { path, old, new, stat }
        });
        Ok(moved.collect())
    }
}

/// Waits until all that was written is on disk.
#[cfg(target_os = "linux")]
fn sync(git: &Path) -> Result<()> {
    let folder = fs::File::open(git).map_err(at(git))?;
    nix::unistd::syncfs(&folder).map_err(|error| at(git)(error.into()))
}

/// Waits until all that was written into the repository is on disk.
#[cfg(not(target_os = "linux"))]
fn sync(git: &Path) -> Result<()> {
    let list = git.join(packs::UNSYNCED);
    let names = if_there(fs::read_to_string(&list), &list)?.unwrap_or_default();
    let packs = git.join("objects/pack");
    let files = names
        .lines()
        .flat_map(|name| ["pack", "idx"].map(|end| packs.join(format!("pack-{name}.{end}"))));
    let head = refs::head(git)?.branch.map(|branch| git.join(branch));
    let others = [git.join("index"), packs.clone(), git.to_owned()];
    for path in files.chain(head).chain(others) {
        if let Some(file) = if_there(fs::File::open(&path), &path)? {
            file.sync_all().map_err(at(&path))?;
        }
    }
    Ok(())
}
