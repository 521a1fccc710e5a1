//! What changed: between commits, and by people in the work tree.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use gix::index::entry::{Stage, Stat};

use crate::diff;
use crate::error::{Result, at, if_there};
use crate::held::Held;
use crate::history;
use crate::oid::{CommitId, Kind, Oid, empty_tree};
use crate::refs;
use crate::tree::Node;
use crate::worktree::stat;

/// A file that differs between two commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Below the ledger's directory.
    pub path: String,
    /// What it says in the later commit; none if it is not there.
    pub content: Option<Vec<u8>>,
    /// Git's id of that.
    pub blob: Option<String>,
}

/// What a person did to a file of the work tree and did not commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Below the ledger's directory.
    pub path: String,
    /// What it says now; none if it is gone.
    pub content: Option<Vec<u8>>,
    /// The git id of what it says in the newest commit; none if it is new.
    pub was: Option<String>,
}

/// What a person began in git and did not end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// What it is: `merge`, `rebase` and so on.
    pub what: &'static str,
    /// The files in conflict.
    pub paths: Vec<String>,
}

/// The files of `.git` that tell what is under way.
const UNDER_WAY: [(&str, &str); 5] = [
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
];

impl Held<'_> {
    /// The Markdown files that differ between two commits; none is the one before the first. A
    /// `from` that is not there any more (after a rewrite of history) counts as none: every file of
    /// `to` is told, and no file that is gone.
    pub fn changed(
        &self,
        from: Option<CommitId>,
        to: Option<CommitId>,
    ) -> Result<Vec<ChangedFile>> {
        let objects = &self.state.objects;
        let old = history::tree(objects, from.map(|id| id.0))?;
        let old = if self.has_trees(old) { old } else { empty_tree() };
        let new = match to {
            Some(id) => history::get(objects, id.0)?.tree,
            None => empty_tree(),
        };
        let changed = diff::files(objects, old, new, &diff::is_markdown)?.into_iter().map(|file| {
            let content = file.new.map(|id| objects.get(Kind::Blob, id)).transpose()?;
            Ok(ChangedFile { path: file.path, content, blob: file.new.map(|id| id.to_string()) })
        });
        changed.collect()
    }

    /// What people changed in the work tree and did not commit: Markdown files at any depth that
    /// are not hidden. A file is only read if git's index does not vouch for it.
    pub fn edits(&self) -> Result<Vec<Edit>> {
        let mut committed = self.committed_files()?;
        let vouched = self.vouched()?;
        let mut files = Vec::new();
        walk(&self.ledger.dir, "", &mut files)?;
        let mut edits = Vec::new();
        for path in files {
            let was = committed.remove(&path);
            let place = self.ledger.dir.join(&path);
            let index = vouched.get(path.as_bytes());
            if was.is_some_and(|was| {
                index.is_some_and(|(id, seen)| *id == was && stat(&place) == Some(*seen))
            }) {
                continue;
            }
            let Some(content) = if_there(fs::read(&place), &place)? else { continue };
            if was != Some(Oid::of(Kind::Blob, &content)) {
                let was = was.map(|id| id.to_string());
                edits.push(Edit { path, content: Some(content), was });
            }
        }
        let gone = committed.into_iter().filter(|(path, _)| !self.ledger.dir.join(path).exists());
        edits.extend(gone.map(|(path, id)| Edit {
            path,
            content: None,
            was: Some(id.to_string()),
        }));
        edits.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(edits)
    }

    /// The Markdown files of the newest commit, from memory where they are.
    fn committed_files(&self) -> Result<HashMap<String, Oid>> {
        let objects = &self.state.objects;
        let head = refs::head(&self.ledger.git)?.id;
        let mut files = HashMap::new();
        let read;
        let trees = match &self.state.trees {
            Some((of, trees)) if *of == head => trees,
            _ => {
                read = Node::read(objects, Some(history::newest_tree(objects, head)?))?;
                &read
            }
        };
        trees.list(objects, "", &diff::is_markdown, &mut files)?;
        Ok(files)
    }

    /// What the index knows of files that cannot have changed without a trace.
    fn vouched(&self) -> Result<HashMap<Vec<u8>, (Oid, Stat)>> {
        let index = self.state.paths.read(None)?;
        let state = &index.state;
        let sure = state
            .entries()
            .iter()
            .filter(|entry| entry.stage() == Stage::Unconflicted && !index.is_racy(&entry.stat));
        let known = sure.filter_map(|entry| {
            let id = Oid::from_slice(entry.id.as_bytes())?;
            Some((entry.path(state).to_vec(), (id, entry.stat)))
        });
        Ok(known.collect())
    }

    /// Whether a person is in the middle of a merge, a rebase or the like.
    pub fn unfinished(&self) -> Result<Option<Unfinished>> {
        let is_there = |(name, _): &&(&str, &str)| self.ledger.git.join(name).exists();
        let what = UNDER_WAY.iter().find(is_there).map(|(_, what)| *what);
        let paths = self.state.paths.read(None)?.unmerged();
        let what = what.or((!paths.is_empty()).then_some("merge"));
        Ok(what.map(|what| Unfinished { what, paths }))
    }
}

/// The Markdown files below a folder, by their paths; links are not followed.
pub(crate) fn walk(dir: &Path, prefix: &str, files: &mut Vec<String>) -> Result<()> {
    let folder = dir.join(prefix);
    for entry in fs::read_dir(&folder).map_err(at(&folder))? {
        let entry = entry.map_err(at(&folder))?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('.') {
            continue;
        }
        let kind = entry.file_type().map_err(at(&folder))?;
        let path = format!("{prefix}{name}");
        if kind.is_dir() {
            walk(dir, &format!("{path}/"), files)?;
        } else if kind.is_file() && diff::is_markdown(&path) {
            files.push(path);
        }
    }
    Ok(())
}
