//! What a process that was killed, or a power cut, left half done.

use std::fs;
use std::path::Path;

use crate::diff;
use crate::error::{Result, if_there};
use crate::held::{Held, State};
use crate::history;
use crate::oid::{Kind, Oid};
use crate::packs::UNSYNCED;
use crate::refs::{self, BRANCH};
use crate::settle::SETTLED;
use crate::unpack::is_whole;
use crate::worktree::Follow;

impl Held<'_> {
    /// Brings everything to where the newest commit is.
    pub(crate) fn mend(&mut self) -> Result<()> {
        if !self.state.is_mended {
            self.mend_objects()?;
            self.state.is_mended = true;
        }
        self.mend_index()?;
        let under_way = match &mut self.state.lock {
            Some(lock) => lock.under_way()?,
            None => None,
        };
        if let Some(base) = under_way {
            self.mend_files(base)?;
            if let Some(lock) = &mut self.state.lock {
                lock.end()?;
            }
        }
        Ok(())
    }

    /// After a power cut, packs that were not synced may be broken, and the branch may name what is
    /// not there. Then the ledger goes back to where it was settled; the caller commits again what
    /// came after.
    fn mend_objects(&self) -> Result<()> {
        let git = &self.ledger.git;
        let list = git.join(UNSYNCED);
        let names = if_there(fs::read(&list), &list)?.unwrap_or_default();
        if names.is_empty() {
            return Ok(());
        }
        let mut is_broken = false;
        for name in String::from_utf8_lossy(&names).lines() {
            is_broken |= drop_if_broken(&git.join("objects/pack"), name)?;
        }
        let head = refs::head(git);
        let is_there = match &head {
            Ok(head) => self.is_readable(head.id),
            Err(_) => false,
        };
        if is_broken || !is_there {
            let branch = head.ok().and_then(|head| head.branch);
            let settled = git.join(SETTLED);
            let text = if_there(fs::read_to_string(&settled), &settled)?.unwrap_or_default();
            refs::force(git, branch.as_deref().unwrap_or(BRANCH), text.trim().parse().ok())?;
        }
        Ok(())
    }

    fn is_readable(&self, head: Option<Oid>) -> bool {
        let objects = &self.state.objects;
        let commit = head.map(|id| history::find(objects, id));
        match commit {
            None => true,
            Some(Ok(Some(commit))) => objects.get(Kind::Tree, commit.tree).is_ok(),
            Some(_) => false,
        }
    }

    /// A lock of the index that was left over tells where the index stands.
    fn mend_index(&self) -> Result<()> {
        let paths = &self.state.paths;
        if !paths.is_behind()
            && let Some(stands) = paths.ours()?
        {
            paths.fall_behind(&stands)?;
        }
        Ok(())
    }

    /// Lets the files follow that a commit on top of `base` did not get to.
    fn mend_files(&mut self, base: Option<Oid>) -> Result<()> {
        let State { objects, spares, .. } = &mut self.state;
        let objects = &*objects;
        let head = refs::head(&self.ledger.git)?.id;
        let (old, new) = (history::tree(objects, base)?, history::tree(objects, head)?);
        // A power cut leaves files without content; nobody wrote that.
        let empty = Oid::of(Kind::Blob, b"");
        for file in diff::files(objects, old, new, &diff::is_markdown)? {
            let content = file.new.map(|id| objects.get(Kind::Blob, id)).transpose()?;
            let was = [file.old, Some(empty)];
            let content = content.as_deref();
            let follow = Follow { path: &file.path, was: &was, content, id: file.new };
            self.ledger.worktree().follow(&follow, spares)?;
        }
        Ok(())
    }
}

/// Removes a pack that is not whole. One that is gone was tidied away.
fn drop_if_broken(folder: &Path, name: &str) -> Result<bool> {
    let [pack, index] = ["pack", "idx"].map(|end| folder.join(format!("pack-{name}.{end}")));
    let read = |path| if_there(fs::read(path), path);
    let is_broken = match (read(&pack)?, read(&index)?) {
        (None, None) => false,
        (pack, index) => {
            !pack.is_some_and(|b| is_whole(&b)) || !index.is_some_and(|b| is_whole(&b))
        }
    };
    if is_broken {
        if_there(fs::remove_file(&index), &index)?;
        if_there(fs::remove_file(&pack), &pack)?;
    }
    Ok(is_broken)
}
