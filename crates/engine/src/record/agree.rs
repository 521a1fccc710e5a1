//! Git and the rows brought together.

use std::collections::HashSet;

use ledger::{ChangedFile, CommitId, Held};
use model::{Change, Draft, DraftFile, EpisodeId, EpisodeKind, Namespace, Op, RecordId};
use store::{Promised, Queue, Store};

use super::delivery::failed;
use super::project::{self, By};
use super::{episode, indexed};
use crate::{Engine, Error, ErrorKind, Result};

/// Commits what is promised and takes in what others committed. The number up to which all is done.
pub(super) fn agree(
    engine: &Engine,
    held: &mut Held<'_>,
    recovered: bool,
    problems: &mut Vec<project::Problem>,
) -> Result<i64> {
    let mut queue = engine.store.queue(!recovered)?;
    let head = held.head().map_err(failed)?;
    if let (None, Some(seen)) = (head, queue.head.as_ref().and_then(|seen| seen.parse().ok()))
        && queue.safe.is_some()
        && held.knows(seen).map_err(failed)?
    {
        // All records would seem to be deleted. Before the first settling it is what a power cut leaves: all that was
        // committed is still promised, and is made again.
        let git = engine.delivery.ledger().dir().join(".git");
        let why = format!(
            "the ledger: damaged repository {}: HEAD names no branch, and commit {seen} is there; \
             mend: lorekeep doctor --repair",
            git.display()
        );
        return Err(Error::new(ErrorKind::Damaged, why));
    }
    let was_made = queue.drafts.iter().any(|promised| promised.committed.is_some());
    let is_moved = is_behind(&queue, head);
    if is_moved {
        // Nobody promised what others committed, so that nobody would make it again after a power cut.
        held.settle().map_err(failed)?;
    }
    if is_moved || was_made {
        look_again(engine, held, &mut queue, head, problems)?;
    }
    make(&engine.store, held, &queue)
}

/// Whether git is where the rows do not think it is.
pub(super) fn is_behind(queue: &Queue, head: Option<CommitId>) -> bool {
    head.map(|head| head.to_string()) != queue.head
}

/// Makes the promised commits of the queue. The number of the last.
pub(super) fn make(store: &Store, held: &mut Held<'_>, queue: &Queue) -> Result<i64> {
    let open: Vec<&Promised> =
        queue.drafts.iter().filter(|promised| promised.committed.is_none()).collect();
    if !open.is_empty() {
        let drafts: Vec<_> = open.iter().map(|promised| promised.draft.clone()).collect();
        let commits = held.commit(&drafts).map_err(failed)?;
        let head = commits.last().map(CommitId::to_string).unwrap_or_default();
        let made = drafts.iter().zip(&commits);
        let commits = made.map(|(draft, commit)| (draft.episode, Some(commit.to_string())));
        store.apply(Change::of(Op::MarkCommitted { commits: commits.collect(), head }))?;
    }
    Ok(queue.drafts.last().map_or(0, |last| last.number))
}

/// Git is not where the rows think it is: which promises were kept, and what did others commit?
fn look_again(
    engine: &Engine,
    held: &mut Held<'_>,
    queue: &mut Queue,
    head: Option<CommitId>,
    problems: &mut Vec<project::Problem>,
) -> Result<()> {
    let commit = |id: &Option<String>| id.as_ref().and_then(|id| id.parse::<CommitId>().ok());
    let (seen, safe) = (commit(&queue.head), commit(&queue.safe));
    let episodes: HashSet<EpisodeId> =
        queue.drafts.iter().map(|promised| promised.draft.episode).collect();
    let found = held.committed(safe, &episodes).map_err(failed)?;
    for promised in &mut queue.drafts {
        promised.committed = found.get(&promised.draft.episode).map(CommitId::to_string);
    }
    let commits = queue.drafts.iter().map(|p| (p.draft.episode, p.committed.clone())).collect();
    let is_lost = match seen {
        Some(seen) => !held.knows(seen).map_err(failed)?,
        None => false,
    };
    let changed = held.changed(seen, head).map_err(failed)?;
    let promised: HashSet<&str> = queue
        .drafts
        .iter()
        .filter(|promised| promised.committed.is_none())
        .flat_map(|promised| promised.draft.files.iter().map(|file| file.path.as_str()))
        .collect();
    let younger = if is_lost { younger(engine, &changed)? } else { HashSet::new() };
    // What is promised will be there. What is younger in the rows was written after git's newest commit.
    let there: HashSet<String> = changed
        .iter()
        .map(|file| file.path.as_str())
        .chain(promised.iter().copied())
        .filter(|path| !younger.contains(*path))
        .map(str::to_owned)
        .collect();
    let is_taken = |path: &str| !promised.contains(path) && !younger.contains(path);
    let changed: Vec<_> = changed.into_iter().filter(|file| is_taken(&file.path)).collect();
    let by = if is_lost || seen.is_none() { By::Nobody } else { By::Hand };
    let projection = project::of(engine, &changed, by)?;
    problems.extend(projection.problems);
    let mut ops = projection.ops;
    let mut head = head.map(|head| head.to_string()).unwrap_or_default();
    if is_lost && let Some(commit) = restore(engine, held, &there, &mut ops)? {
        head = commit.to_string();
    }
    ops.push(Op::MarkCommitted { commits, head });
    engine.apply(Change { guards: Vec::new(), ops })?;
    Ok(())
}

/// The files whose records were changed later in the rows than in git.
fn younger(engine: &Engine, files: &[ChangedFile]) -> Result<HashSet<String>> {
    let mut younger = HashSet::new();
    for file in files {
        let Some(stored) = engine.store.record_at(&file.path)? else { continue };
        let content = file.content.as_deref().unwrap_or_default();
        let Ok(told) = project::readable(&file.path, content) else { continue };
        if told.id == stored.record.id && told.updated_at < stored.record.updated_at {
            younger.insert(file.path.clone());
        }
    }
    Ok(younger)
}

/// The repository is not the one that the rows tell of: it was lost, or a backup of the rows came to
/// another one. What it does not hold is written into it again, so that nothing is lost.
fn restore(
    engine: &Engine,
    held: &mut Held<'_>,
    there: &HashSet<String>,
    ops: &mut Vec<Op>,
) -> Result<Option<CommitId>> {
    let put: HashSet<RecordId> = ops
        .iter()
        .filter_map(|op| match op {
            Op::PutRecord(new) => Some(new.record.id),
            _ => None,
        })
        .collect();
    let known = engine.store.record_paths()?.into_iter();
    let lost: Vec<RecordId> = known
        .filter(|(id, path)| !there.contains(path) && !put.contains(id))
        .map(|(id, _)| id)
        .collect();
    if lost.is_empty() {
        return Ok(None);
    }
    let told = format!("Restored {} records that git had lost", lost.len());
    let (namespace, kind) = (Namespace::default(), EpisodeKind::SystemEvent);
    let happened = episode(engine, &namespace, kind, told, Vec::new());
    let mut files = Vec::with_capacity(lost.len());
    for stored in engine.store.load_records(&lost)? {
        let (indexed, content) = indexed(engine, stored.record, stored.provenance, true);
        let (path, was) = (indexed.path.clone(), None);
        files.push(DraftFile { path, content: Some(content), was });
        ops.push(Op::PutRecord(Box::new(indexed)));
    }
    let draft = Draft {
        episode: happened.id,
        subject: format!("Restore {} records", files.len()),
        body: "They were in the store, and not in this repository.".to_owned(),
        files,
        author: "lorekeep".to_owned(),
        at: happened.at,
    };
    let made = held.commit(&[draft]).map_err(failed)?;
    ops.push(Op::Happen(Box::new(happened)));
    Ok(made.last().copied())
}
