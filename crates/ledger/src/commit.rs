//! Commits: the objects of a call as one pack, then the branch, the files, the index.
//!
//! In that order, so that whoever sees a commit sees all of it. What a kill leaves half done is told
//! by the note in the lock's file and mended by the next holder.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::sync::atomic::Ordering;
use std::time::Duration;

use model::Draft;

use crate::edits::Edit;
use crate::error::{LedgerError, Result};
use crate::held::Held;
use crate::index::{ENTRIES_AT_ONCE_MAX, Moved};
use crate::oid::{CommitId, Kind, Oid};
use crate::pack::{Finished, Pack};
use crate::refs::Head;
use crate::tree::{Node, SINGLE};
use crate::worktree::{Follow, check};
use crate::{history, message, packs, refs};

/// How often a commit is made anew because somebody else made one at the same moment.
const TRIES_MAX: usize = 20;

/// How many milliseconds we wait for somebody else's lock of the index.
const WAITS_MAX: usize = 20;

/// A commit to be made.
struct Step<'a> {
    draft: &'a Draft,
    files: Vec<Change<'a>>,
}

struct Change<'a> {
    path: &'a str,
    content: Option<&'a [u8]>,
    /// What the file may say before it follows.
    was: Option<Oid>,
}

/// What becomes of a file by all the steps together.
struct Touched<'a> {
    old: Option<Oid>,
    was: Vec<Option<Oid>>,
    new: Option<Oid>,
    content: Option<&'a [u8]>,
}

/// Commits that are ready to be written.
struct Made<'a> {
    commits: Vec<CommitId>,
    files: BTreeMap<&'a str, Touched<'a>>,
    pack: Finished,
    log: String,
    tip: Oid,
    trees: Node,
}

/// When the index follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Index {
    Now,
    CatchUp,
    Later,
    /// Somebody else has git's lock.
    Wait,
}

impl Held<'_> {
    /// Makes one commit for each draft, each on top of the other; the work tree follows. Plain git
    /// sees them when this returns.
    pub fn commit(&mut self, drafts: &[Draft]) -> Result<Vec<CommitId>> {
        let steps: Result<Vec<Step>> = drafts.iter().map(step).collect();
        self.make(&steps?, true)
    }

    /// Commits what people changed, as one commit. The work tree stays as it is, and the files of
    /// `draft` do not count.
    pub fn commit_edits(&mut self, edits: &[Edit], draft: &Draft) -> Result<CommitId> {
        let change = |edit| {
            let Edit { path, content, .. }: &Edit = edit;
            check(path)?;
            Ok(Change { path, content: content.as_deref(), was: None })
        };
        let files: Result<Vec<Change>> = edits.iter().map(change).collect();
        let made = self.make(&[Step { draft, files: files? }], false)?;
        made.last().copied().ok_or_else(|| LedgerError::Git("no commit was made".to_owned()))
    }

    fn make(&mut self, steps: &[Step], follows: bool) -> Result<Vec<CommitId>> {
        if steps.is_empty() {
            return Ok(Vec::new());
        }
        for _ in 0..TRIES_MAX {
            let head = refs::head(&self.ledger.git)?;
            let made = self.prepare(&head, steps)?;
            if let Some(commits) = self.write(&head, made, follows)? {
                return Ok(commits);
            }
        }
        let path = self.ledger.git.join("HEAD");
        Err(LedgerError::Busy { path, seconds: 0 })
    }

    /// Makes the objects, in memory.
    fn prepare<'a>(&mut self, head: &Head, steps: &[Step<'a>]) -> Result<Made<'a>> {
        self.state.batches += 1;
        let batch = if steps.len() == 1 { SINGLE } else { self.state.batches };
        let mut trees = self.trees(head.id)?;
        let objects = &self.state.objects;
        let mut pack = Pack::new();
        let mut files = BTreeMap::new();
        let mut commits = Vec::with_capacity(steps.len());
        let mut log = String::new();
        let mut tip = head.id;
        for step in steps {
            for change in &step.files {
                let new = change.content.map(|content| Oid::of(Kind::Blob, content));
                let old = trees.file(objects, change.path)?;
                if let (Some(id), Some(content)) = (new, change.content) {
                    pack.add(Kind::Blob, id, content);
                }
                trees.set(objects, change.path, new)?;
                touch(&mut files, change, old, new);
            }
            let tree = trees.write(&mut pack, batch)?;
            let who = message::who(step.draft);
            let content = message::commit(step.draft, &who, tree, tip);
            let id = Oid::of(Kind::Commit, content.as_bytes());
            pack.add(Kind::Commit, id, content.as_bytes());
            let before = tip.unwrap_or(Oid([0; 20]));
            let what = message::subject(&step.draft.subject);
            log.push_str(&format!("{before} {id} {who}\tcommit: {what}\n"));
            commits.push(CommitId(id));
            tip = Some(id);
        }
        let tip = tip.unwrap_or(Oid([0; 20]));
        Ok(Made { commits, files, pack: pack.finish(), log, tip, trees })
    }

    /// The trees of the newest commit, from memory or read.
    fn trees(&mut self, head: Option<Oid>) -> Result<Node> {
        // Taken out: if anything fails from here on they are read again.
        match self.state.trees.take() {
            Some((of, trees)) if of == head => Ok(trees),
            _ => {
                let objects = &self.state.objects;
                let tree = history::newest_tree(objects, head)?;
                Node::read(objects, Some(tree))
            }
        }
    }

    /// Writes commits to the disk. None if somebody else moved the branch meanwhile.
    fn write(&mut self, head: &Head, made: Made, follows: bool) -> Result<Option<Vec<CommitId>>> {
        let git = &self.ledger.git;
        packs::write(git, &made.pack)?;
        self.ledger.unsettled.fetch_add(1, Ordering::Relaxed);
        if let Some(lock) = &mut self.state.lock {
            lock.begin(head.id)?;
        }
        let index = self.reserve_index(head.id, made.tip)?;
        if !refs::advance(git, head, made.tip)? {
            if index == Index::Now {
                self.state.paths.give_back()?;
            }
            return Ok(None);
        }
        refs::log(git, head, &made.log)?;
        let mut moved = Vec::with_capacity(made.files.len());
        for (path, file) in made.files {
            let follow = Follow { path, was: &file.was, content: file.content, id: file.new };
            let ledger: &crate::Ledger = self.ledger;
            let worktree = ledger.worktree();
            let stat = if follows {
                worktree.follow(&follow)?
            } else if index == Index::Now {
                worktree.stat_if(&follow)
            } else {
                None
            };
            moved.push(Moved { path: path.to_owned(), old: file.old, new: file.new, stat });
        }
        match index {
            Index::Now => self.write_index(&moved)?,
            Index::CatchUp => self.catch_up()?,
            Index::Later => {}
            Index::Wait => self.catch_up_soon(made.tip)?,
        }
        if let Some(lock) = &mut self.state.lock {
            lock.end()?;
        }
        self.state.trees = Some((Some(made.tip), made.trees));
        Ok(Some(made.commits))
    }

    /// Takes git's lock of the index and decides when it follows.
    fn reserve_index(&mut self, base: Option<Oid>, tip: Oid) -> Result<Index> {
        let paths = &self.state.paths;
        let is_small = paths.count()? <= ENTRIES_AT_ONCE_MAX;
        let is_behind = paths.is_behind();
        if !is_behind && !is_small {
            paths.fall_behind(&[base])?;
        }
        match (paths.take(&[base, Some(tip)])?, is_small, is_behind) {
            (true, true, false) => Ok(Index::Now),
            (true, true, true) => Ok(Index::CatchUp),
            (false, true, false) => {
                paths.fall_behind(&[base])?;
                Ok(Index::Wait)
            }
            (false, true, true) => Ok(Index::Wait),
            (_, false, _) => Ok(Index::Later),
        }
    }

    /// Lets an index follow that somebody else had locked, if that is over in a moment. Until it
    /// has followed, who commits by hand commits what is old.
    fn catch_up_soon(&mut self, tip: Oid) -> Result<()> {
        for _ in 0..WAITS_MAX {
            std::thread::sleep(Duration::from_millis(1));
            if self.state.paths.take(&[Some(tip)])? {
                return self.catch_up();
            }
        }
        Ok(())
    }

    fn write_index(&mut self, moved: &[Moved]) -> Result<()> {
        let mut index = self.state.paths.read(self.state.index.take())?;
        if index.follow(moved, None) {
            self.state.paths.write(&mut index)?;
        }
        self.state.index = Some(index);
        self.state.paths.give_back()
    }
}

fn step(draft: &Draft) -> Result<Step<'_>> {
    let change = |file| {
        let model::DraftFile { path, content, was }: &model::DraftFile = file;
        check(path)?;
        let was = was.as_deref().and_then(|hex| hex.parse().ok());
        Ok(Change { path, content: content.as_deref().map(str::as_bytes), was })
    };
    let files: Result<Vec<Change>> = draft.files.iter().map(change).collect();
    Ok(Step { draft, files: files? })
}

/// Adds one step's change of a file to those before it.
fn touch<'a>(
    files: &mut BTreeMap<&'a str, Touched<'a>>,
    change: &Change<'a>,
    old: Option<Oid>,
    new: Option<Oid>,
) {
    let was = [change.was, old];
    match files.entry(change.path) {
        Slot::Vacant(slot) => {
            slot.insert(Touched { old, was: was.to_vec(), new, content: change.content });
        }
        Slot::Occupied(mut slot) => {
            let file = slot.get_mut();
            file.was.extend(was);
            (file.new, file.content) = (new, change.content);
        }
    }
}
