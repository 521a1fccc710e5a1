//! A damaged ledger mended: the repository by what the store and the work tree hold, files by git.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use ledger::{ChangedFile, Edit};
use model::{Change, Op, RecordId};

use super::delivery::failed;
use super::project::{self, Problem};
use crate::{Engine, Result};

/// The id of no commit.
const GONE: &str = "0000000000000000000000000000000000000000";

/// What a repair did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Repaired {
    /// What was wrong with rows.
    pub problems: Vec<String>,
    /// What there is again, and where it came from.
    pub restored: Vec<String>,
    /// What there is not.
    pub lost: Vec<String>,
    /// Where what was broken lies now.
    pub kept: Vec<PathBuf>,
}

/// Mends the ledger. With `anew`, every record is taken in again from git, for a store that lost some.
/// With `dry_run` it says what it would do.
pub fn repair(engine: &Engine, anew: bool, dry_run: bool) -> Result<Repaired> {
    let mut repaired = Repaired::default();
    let ledger = engine.delivery.ledger();
    if !ledger.dir().join(".git").is_dir() {
        return Ok(repaired);
    }
    let queue = engine.store.queue(true)?;
    let has_head = ledger.head().is_ok_and(|head| head.is_some()) || queue.head.is_none();
    if !ledger.exists() || !has_head || !ledger.examine().map_err(failed)?.is_empty() {
        let heads: Vec<String> = queue.head.into_iter().chain(queue.safe).collect();
        let mended = ledger.repair(&contents(engine)?, &heads, dry_run).map_err(failed)?;
        if mended.is_set_back {
            // The rows are of commits that are gone, whatever of these can still be read: what is younger in the
            // rows is committed again.
            let (commits, head) = (Vec::new(), GONE.to_owned());
            engine.store.apply(Change::of(Op::MarkCommitted { commits, head }))?;
        }
        repaired.restored.extend(mended.restored);
        repaired.lost.extend(mended.lost);
        repaired.kept.extend(mended.kept);
    }
    if dry_run {
        return Ok(repaired);
    }
    let differing = engine.delivery.locked(engine, |held, _| {
        let head = held.head().map_err(failed)?;
        let files = held.changed(None, head).map_err(failed)?;
        let edits = held.edits().map_err(failed)?;
        let broken = broken(&edits, &files).map(|(edit, problem)| (edit, problem.why));
        let missing = missing(engine, &edits)?.map(|edit| (edit, "it was not there".to_owned()));
        for (edit, why) in broken.chain(missing) {
            let was = edit.was.clone().unwrap_or_default();
            repaired.kept.extend(ledger.put_back(&edit.path, &was).map_err(failed)?);
            repaired.restored.push(format!("{}, from git ({why})", edit.path));
        }
        held.settle().map_err(failed)?;
        project::differing(engine, &files)
    })?;
    if anew || !differing.is_empty() {
        repaired.problems.extend(differing.iter().map(project::not_as_git));
        let (records, problems) = project::rebuild(engine)?;
        repaired.restored.push(format!("{records} records, taken in from git"));
        repaired.lost.extend(problems.iter().map(ToString::to_string));
    }
    Ok(repaired)
}

/// Files of the work tree that nobody wrote so, where git has them: no text any more, or cut off. What can be
/// read as text and not as a record is else an edit that a person has not finished.
pub(super) fn broken<'a>(
    edits: &'a [Edit],
    files: &'a [ChangedFile],
) -> impl Iterator<Item = (&'a Edit, Problem)> {
    edits.iter().filter(|edit| edit.was.is_some() && edit.path.contains('/')).filter_map(|edit| {
        let content = edit.content.as_deref()?;
        let is_odd = |c: char| c.is_control() && !c.is_whitespace();
        let is_text = std::str::from_utf8(content).is_ok_and(|text| !text.contains(is_odd));
        let was = project::content_of(files, &edit.path);
        let is_cut = was.is_some_and(|was| was.starts_with(content));
        if is_text && !is_cut {
            return None;
        }
        let problem = project::readable(&edit.path, content).err()?.into_iter().next()?;
        Some((edit, problem))
    })
}

/// Files of records that are gone from the work tree, and did not get another name.
fn missing<'a>(engine: &Engine, edits: &'a [Edit]) -> Result<impl Iterator<Item = &'a Edit>> {
    let told = edits.iter().filter_map(|edit| {
        let content = edit.content.as_deref()?;
        project::readable(&edit.path, content).ok().map(|record| record.id)
    });
    let renamed: HashSet<RecordId> = told.collect();
    let mut missing = Vec::new();
    for edit in edits.iter().filter(|edit| edit.content.is_none()) {
        let stored = engine.store.record_at(&edit.path)?;
        if stored.is_some_and(|stored| !renamed.contains(&stored.record.id)) {
            missing.push(edit);
        }
    }
    Ok(missing.into_iter())
}

/// What the files of all records say, by git's ids of them.
fn contents(engine: &Engine) -> Result<HashMap<String, Vec<u8>>> {
    let ids: Vec<_> = engine.store.record_paths()?.into_iter().map(|(id, _)| id).collect();
    let records = engine.store.load_records(&ids)?;
    let texts = records.iter().flat_map(|stored| ledger::file::write_in_each_form(&stored.record));
    let written = texts.map(|text| {
        let content = text.into_bytes();
        (ledger::blob_id(&content), content)
    });
    Ok(written.collect())
}
