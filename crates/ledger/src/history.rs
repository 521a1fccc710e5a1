//! Walking commits, newest first.

use std::collections::{BinaryHeap, HashMap, HashSet};

use model::{EpisodeId, RecordId};

use crate::diff;
use crate::error::{LedgerError, Result};
use crate::message::{Commit, Entry};
use crate::objects::Objects;
use crate::oid::{CommitId, Kind, Oid, empty_tree};

/// A walk ends after so many commits.
pub const COMMITS_WALKED_MAX: usize = 100_000;

/// So many of the newest commits are looked at for one of a folder.
pub const COMMITS_LOOKED_MAX: usize = 5_000;

/// The commit of that id; none if there is none.
pub(crate) fn find(objects: &Objects, id: Oid) -> Result<Option<Commit>> {
    let Some(raw) = objects.find(Kind::Commit, id)? else { return Ok(None) };
    let damaged = || LedgerError::Damaged { path: id.to_string().into(), why: "no commit".into() };
    Commit::read(&raw).map(Some).ok_or_else(damaged)
}

/// The commit of that id, which must be there.
pub(crate) fn get(objects: &Objects, id: Oid) -> Result<Commit> {
    let path = || id.to_string().into();
    let missing = || LedgerError::Damaged { path: path(), why: "there is no such commit".into() };
    find(objects, id)?.ok_or_else(missing)
}

/// The tree of a commit; the empty one for none, and for one that is not there any more.
pub(crate) fn tree(objects: &Objects, id: Option<Oid>) -> Result<Oid> {
    let commit = id.map(|id| find(objects, id)).transpose()?.flatten();
    Ok(commit.map_or_else(empty_tree, |commit| commit.tree))
}

/// The tree of the newest commit, which must be there if HEAD names it; the empty one before the first.
pub(crate) fn newest_tree(objects: &Objects, head: Option<Oid>) -> Result<Oid> {
    head.map_or_else(|| Ok(empty_tree()), |id| get(objects, id).map(|commit| commit.tree))
}

/// A walk from a commit to what was before it.
struct Walk<'a> {
    objects: &'a Objects,
    seen: HashSet<Oid>,
    /// By time, then by who was seen first.
    next: BinaryHeap<(i64, i64, Oid)>,
    read: HashMap<Oid, Commit>,
}

impl<'a> Walk<'a> {
    /// From a commit that must be there.
    fn new(objects: &'a Objects, from: Option<Oid>) -> Result<Self> {
        let (next, read) = (BinaryHeap::new(), HashMap::new());
        let mut walk = Self { objects, seen: HashSet::new(), next, read };
        if let Some(id) = from {
            walk.seen.insert(id);
            walk.add(id, get(objects, id)?);
        }
        Ok(walk)
    }

    fn reach(&mut self, id: Oid) -> Result<()> {
        if !self.seen.insert(id) {
            return Ok(());
        }
        // What a shallow clone left out is where history begins.
        if let Some(commit) = find(self.objects, id)? {
            self.add(id, commit);
        }
        Ok(())
    }

    fn add(&mut self, id: Oid, commit: Commit) {
        let order = -(self.seen.len() as i64);
        self.next.push((commit.seconds, order, id));
        self.read.insert(id, commit);
    }

    /// The next commit; what is before it is reached only by [`Self::reach`].
    fn next(&mut self) -> Option<(Oid, Commit)> {
        let (.., id) = self.next.pop()?;
        self.read.remove(&id).map(|commit| (id, commit))
    }
}

/// Which of these episodes have a commit between `since` and `head`.
pub(crate) fn committed(
    objects: &Objects,
    head: Option<Oid>,
    since: Option<Oid>,
    episodes: &HashSet<EpisodeId>,
) -> Result<HashMap<EpisodeId, CommitId>> {
    let mut found = HashMap::new();
    let mut walk = Walk::new(objects, head.filter(|id| Some(*id) != since))?;
    for _ in 0..COMMITS_WALKED_MAX {
        if found.len() == episodes.len() {
            break;
        }
        let Some((id, commit)) = walk.next() else { break };
        if let Some(episode) = commit.episode().filter(|one| episodes.contains(one)) {
            found.insert(episode, CommitId(id));
        }
        for parent in commit.parents.into_iter().filter(|id| Some(*id) != since) {
            walk.reach(parent)?;
        }
    }
    Ok(found)
}

/// Commits newest first, of one record or all.
pub(crate) fn log(
    objects: &Objects,
    head: Option<Oid>,
    record: Option<RecordId>,
    max: usize,
) -> Result<Vec<Entry>> {
    let name = record.map(|id| id.to_string());
    let mut entries = Vec::new();
    let mut walk = Walk::new(objects, head)?;
    for _ in 0..COMMITS_WALKED_MAX {
        if entries.len() >= max {
            break;
        }
        let Some((id, commit)) = walk.next() else { break };
        for parent in &commit.parents {
            walk.reach(*parent)?;
        }
        let touches = match &name {
            Some(name) => {
                let is_named =
                    |path: &str| path.rsplit('/').next().is_some_and(|file| file.contains(name));
                touches(&walk, &commit, &is_named)?
            }
            None => true,
        };
        if touches {
            entries.push(commit.entry(id));
        }
    }
    Ok(entries)
}

/// The newest commit that changed a file below a folder.
pub(crate) fn newest_below(
    objects: &Objects,
    head: Option<Oid>,
    folder: &str,
) -> Result<Option<CommitId>> {
    let mut walk = Walk::new(objects, head)?;
    for _ in 0..COMMITS_LOOKED_MAX {
        let Some((id, commit)) = walk.next() else { break };
        for parent in &commit.parents {
            walk.reach(*parent)?;
        }
        if touches(&walk, &commit, &|path: &str| path.starts_with(folder))? {
            return Ok(Some(CommitId(id)));
        }
    }
    Ok(None)
}

/// Whether a commit changed a file that is meant, as against all that it came from.
fn touches(walk: &Walk, commit: &Commit, is_meant: &dyn Fn(&str) -> bool) -> Result<bool> {
    let differs = |parent: Oid| -> Result<bool> {
        Ok(!diff::files(walk.objects, parent, commit.tree, is_meant)?.is_empty())
    };
    if commit.parents.is_empty() {
        return differs(empty_tree());
    }
    for parent in &commit.parents {
        let known = walk.read.get(parent).map(|parent| parent.tree);
        let parent = known.map_or_else(|| tree(walk.objects, Some(*parent)), Ok)?;
        if !differs(parent)? {
            return Ok(false);
        }
    }
    Ok(true)
}
