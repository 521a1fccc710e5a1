//! Taking in what people wrote by hand.

use ledger::{ChangedFile, Edit, Held};
use model::{Caller, Change, Draft, EpisodeKind, Ledgers, Namespace, Op};

use super::delivery::failed;
use super::project::{self, By, Problem};
use super::{StoredRecord, Writing, author, episode, shortened};
use crate::{Engine, Error, ErrorKind, Result};

/// No more titles stand in the message of a commit.
const TITLES_MAX: usize = 20;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Synced {
    /// The newest commit, of all or of the namespace if others are closed to who asked; none if there
    /// is none.
    pub head: Option<String>,
    /// How many files were committed.
    pub files: usize,
    /// What happened, in a sentence.
    pub message: String,
    /// What could not be taken in, and why; it stays in the work tree.
    pub problems: Vec<Problem>,
}

/// Commits what people changed in the files of a namespace, and takes it in, with whatever others
/// committed. What cannot be read is told and left; the rest goes on.
pub fn sync(engine: &Engine, caller: &Caller, namespace: &Writing) -> Result<Synced> {
    let namespace = namespace.namespace();
    let ledger = engine.delivery.ledger();
    if !ledger.exists() {
        let message = "There is no ledger yet".to_owned();
        return Ok(Synced { head: None, files: 0, message, problems: Vec::new() });
    }
    let below = format!("{}/", namespace.as_str());
    engine.delivery.locked(engine, |held, problems| {
        problems.retain(|problem| problem.path.starts_with(&below));
        let (mut files, mut message) = (0, "Nothing to commit".to_owned());
        if let Some(unfinished) = held.unfinished().map_err(failed)? {
            message = format!("{} is under way; finish it with git first", unfinished.what);
            problems.extend(open_conflicts(engine, &unfinished.paths, &below)?);
        } else {
            let edits = held.edits().map_err(failed)?;
            let edits = edits.into_iter().filter(|edit| edit.path.starts_with(&below)).collect();
            if let Some(taken) = commit(engine, &author(caller), namespace, held, edits, problems)?
            {
                (files, message) = taken;
            }
        }
        // When others wrote is none of the business of who may not see what they wrote.
        let head = match caller.ledgers {
            Ledgers::All => held.head(),
            Ledgers::Only(_) => ledger.newest_below(&below),
        };
        let head = head.map_err(failed)?.map(|head| head.to_string());
        let problems = std::mem::take(problems);
        if !problems.is_empty() {
            message = format!("{message}; {} could not be taken in", problems.len());
        }
        Ok(Synced { head, files, message, problems })
    })
}

/// The conflicts of a merge, each with the line where it starts.
fn open_conflicts(engine: &Engine, paths: &[String], below: &str) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    for path in paths.iter().filter(|path| path.starts_with(below)) {
        let file = engine.delivery.ledger().file(path).map_err(failed)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&file);
        let line = text.lines().position(|line| line.starts_with("<<<<<<<")).map(|at| at + 1);
        let why = "both sides of a merge changed it; settle it and commit with git".to_owned();
        problems.push(Problem { path: path.clone(), line, why });
    }
    Ok(problems)
}

/// Commits those edits that can be read, as one commit, and takes them in. How many files, and what
/// the commit says.
fn commit(
    engine: &Engine,
    author: &str,
    namespace: &Namespace,
    held: &mut Held<'_>,
    edits: Vec<Edit>,
    problems: &mut Vec<Problem>,
) -> Result<Option<(usize, String)>> {
    let mut open = Vec::new();
    for edit in edits {
        let content = edit.content.as_deref().unwrap_or_default();
        match project::secrets_in(engine, &edit.path, content) {
            secrets if secrets.is_empty() => open.push(edit),
            secrets => problems.extend(secrets),
        }
    }
    let edits = open;
    let files = edits.iter().map(|edit| ChangedFile {
        path: edit.path.clone(),
        content: edit.content.clone(),
        blob: edit.content.as_deref().map(ledger::blob_id),
    });
    let projection = project::of(engine, &files.collect::<Vec<_>>(), By::Hand)?;
    let is_broken = |edit: &Edit| projection.problems.iter().any(|p| p.path == edit.path);
    let good: Vec<Edit> = edits.into_iter().filter(|edit| !is_broken(edit)).collect();
    problems.extend(projection.problems.iter().cloned());
    if good.is_empty() {
        return Ok(None);
    }
    let count = good.len();
    let noun = if count == 1 { "decision" } else { "decisions" };
    let subject = format!("Sync semantic memory: {count} {noun}");
    let titles = projection.records.iter().take(TITLES_MAX);
    let titles: Vec<String> =
        titles.map(|record| format!("- {}", shortened(&record.title, 100))).collect();
    let linked = projection.records.iter().map(|record| record.id).collect();
    let told = format!("Took in {count} edited by hand");
    let happened = episode(engine, namespace, EpisodeKind::UserAction, told, linked);
    let draft = Draft {
        episode: happened.id,
        files: Vec::new(),
        subject: subject.clone(),
        body: format!("Edited by hand:\n{}", titles.join("\n")),
        author: author.to_owned(),
        at: happened.at,
    };
    // Committed first: should this be the end, the next who comes by takes it in from there.
    let head = held.commit_edits(&good, &draft).map_err(failed)?.to_string();
    // Nobody promised this commit, so that nobody would make it again after a power cut.
    held.settle().map_err(failed)?;
    let mut ops = projection.ops;
    ops.push(Op::Happen(Box::new(happened)));
    ops.push(Op::MarkCommitted { commits: Vec::new(), head });
    engine.apply_texts(Change { guards: Vec::new(), ops })?;
    Ok(Some((count, subject)))
}

/// Takes in what a person made of one record's file.
pub(super) fn take_in(engine: &Engine, stored: &StoredRecord) -> Result<()> {
    let namespace = &stored.record.namespace;
    engine.delivery.locked(engine, |held, _| {
        let edits = held.edits().map_err(failed)?;
        let mine = |edit: &Edit| {
            let told = edit.content.as_deref().map(|text| project::readable(&edit.path, text));
            edit.path == stored.path || matches!(told, Some(Ok(r)) if r.id == stored.record.id)
        };
        let edits: Vec<Edit> = edits.into_iter().filter(mine).collect();
        if let [Edit { path, content: None, .. }] = edits.as_slice() {
            // Perhaps the disk lost it: only who asks for it deletes by that.
            let why = format!(
                "{path} is not there any more; if it was meant to go, sync_git takes that in, else \
                 `lorekeep doctor --repair` puts it back"
            );
            return Err(Error::new(ErrorKind::Conflict, why));
        }
        let mut problems = Vec::new();
        commit(engine, "lorekeep", namespace, held, edits, &mut problems)?;
        match problems.into_iter().next() {
            None => Ok(()),
            Some(Problem { path, line, why }) => {
                let line = line.map(|line| format!(" line {line}")).unwrap_or_default();
                let why = format!("{path}{line} was edited by hand and cannot be read: {why}");
                Err(Error::new(ErrorKind::Conflict, why))
            }
        }
    })
}
