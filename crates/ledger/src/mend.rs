//! What a process that was killed, or a power cut, left half done.

use std::fs;

use crate::diff;
use crate::error::{LedgerError, Result, if_there};
use crate::held::Held;
use crate::history;
use crate::oid::{Kind, Oid, empty_tree};
use crate::packs;
use crate::refs::{self, Head};
use crate::settle::SETTLED;
use crate::worktree::Follow;

/// Since which commit files may not be whole.
#[derive(Debug, Clone, Copy)]
enum Since {
    Known(Option<Oid>),
    /// Nobody ever noted one, or it is gone.
    Unknown,
}

impl Held<'_> {
    /// Brings everything to where the newest commit is.
    pub(crate) fn mend(&mut self) -> Result<()> {
        if !self.state.is_mended {
            if let Some(since) = self.mend_objects()? {
                self.mend_files(since)?;
            }
            self.mend_index_file()?;
            self.drop_spares()?;
            self.state.is_mended = true;
        }
        self.mend_index()?;
        let under_way = match &mut self.state.lock {
            Some(lock) => lock.under_way()?,
            None => None,
        };
        if let Some(base) = under_way {
            self.mend_files(Since::Known(base))?;
            if let Some(lock) = &mut self.state.lock {
                lock.end()?;
            }
        }
        Ok(())
    }

    /// After a power cut, packs that were not synced may be broken, and the branch may name what is
    /// not there. Then the ledger goes back to where it was settled; the caller commits again what
    /// came after. Nothing that tells of the packs need be on disk, either: all are looked at.
    /// Since when files may not be whole, if they may not.
    fn mend_objects(&self) -> Result<Option<Since>> {
        let git = &self.ledger.git;
        let settled = git.join(SETTLED);
        let text = if_there(fs::read(&settled), &settled)?.unwrap_or_default();
        let settled: Option<Oid> = String::from_utf8_lossy(&text).trim().parse().ok();
        let listed = packs::unsynced(git)?;
        let head = refs::head(git);
        let is_noted = packs::is_all_synced(git)?;
        let is_settled = is_noted && head.as_ref().is_ok_and(|head| head.id == settled);
        let is_broken = packs::drop_torn(git, !is_settled)?;
        if is_settled && !is_broken {
            return Ok(None);
        }
        let is_known = |id: Oid| history::find(&self.state.objects, id).is_ok_and(|c| c.is_some());
        if let (Ok(Head { id: None, .. }), Some(settled)) =
            (&head, settled.filter(|id| is_known(*id)))
        {
            let why = format!("it names no branch that is there, and commit {settled} is");
            return Err(LedgerError::Damaged { path: git.join("HEAD"), why });
        }
        let is_there = match &head {
            Ok(head) => self.is_readable(head.id),
            Err(_) => false,
        };
        let branch = refs::leads_to(git);
        // A power cut takes nothing that was settled; what is lacking then was damaged, and going back would hide it.
        let is_cut = settled.is_none_or(is_known);
        if !is_cut && !is_there {
            let why = "the newest commit and the last one that is on disk for sure cannot be read";
            let path = git.join("objects");
            return Err(LedgerError::Damaged { path, why: why.to_owned() });
        }
        if is_cut && (is_broken || !is_there) {
            refs::force(git, &branch, settled)?;
            // It may stand at a commit that is gone, and nobody could tell what in it is a person's.
            self.state.paths.put_away()?;
        }
        refs::trim_logs(git, &branch, settled, &is_known)?;
        let is_sure = settled.map_or(!listed.is_empty(), is_known);
        Ok(Some(if is_sure { Since::Known(settled) } else { Since::Unknown }))
    }

    /// After a power cut git's index may not be whole. Then it is made anew; git itself could not
    /// read it either.
    fn mend_index_file(&mut self) -> Result<()> {
        let head = refs::head(&self.ledger.git)?.id;
        let paths = &self.state.paths;
        if !paths.is_whole()? {
            paths.put_away()?;
        }
        if paths.is_away() && paths.take(&[head])? {
            self.catch_up()?;
        }
        Ok(())
    }

    /// Earlier versions kept files here, to write them over.
    fn drop_spares(&self) -> Result<()> {
        let spares = self.ledger.git.join("lorekeep.spare");
        if_there(fs::remove_dir_all(&spares), &spares).map(drop)
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

    /// Lets the files follow that a commit did not get to.
    fn mend_files(&mut self, since: Since) -> Result<()> {
        let old = match since {
            Since::Known(base) => history::tree(&self.state.objects, base)?,
            Since::Unknown => empty_tree(),
        };
        // What a commit that lost its folders said nobody knows; files stay as they are then.
        let old = if self.has_trees(old) { old } else { empty_tree() };
        let objects = &self.state.objects;
        let head = refs::head(&self.ledger.git)?.id;
        let new = history::newest_tree(objects, head)?;
        for file in diff::files(objects, old, new, &diff::is_markdown)? {
            let content = file.new.map(|id| objects.get(Kind::Blob, id)).transpose()?;
            // What is not there somebody may have removed, unless we know that it never came.
            let was = matches!(since, Since::Known(_)).then_some(file.old);
            let content = content.as_deref();
            let follow = Follow { path: &file.path, was: was.as_slice(), content, id: file.new };
            self.ledger.worktree().follow(&follow)?;
        }
        Ok(())
    }
}
