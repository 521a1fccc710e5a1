//! A damaged ledger mended: the repository by what the store and the work tree hold, files by git.

use std::collections::HashMap;
use std::path::PathBuf;

use ledger::Edit;

use super::delivery::failed;
use super::project::{self, Problem};
use crate::{Engine, Result};

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
        repaired.restored.extend(mended.restored);
        repaired.lost.extend(mended.lost);
        repaired.kept.extend(mended.kept);
        if dry_run {
            return Ok(repaired);
        }
    }
    if dry_run {
        return Ok(repaired);
    }
    let differing = engine.delivery.locked(engine, |held, _| {
        for (edit, problem) in broken(&held.edits().map_err(failed)?) {
            let was = edit.was.clone().unwrap_or_default();
            repaired.kept.extend(ledger.put_back(&edit.path, &was).map_err(failed)?);
            repaired.restored.push(format!("{}, from git ({})", edit.path, problem.why));
        }
        held.settle().map_err(failed)?;
        let head = held.head().map_err(failed)?;
        project::differing(engine, &held.changed(None, head).map_err(failed)?)
    })?;
    if anew || !differing.is_empty() {
        repaired.problems.extend(differing.iter().map(project::not_as_git));
        let (records, problems) = project::rebuild(engine)?;
        repaired.restored.push(format!("{records} records, taken in from git"));
        repaired.lost.extend(problems.iter().map(ToString::to_string));
    }
    Ok(repaired)
}

/// Files of the work tree that are no text any more, where git has them: damage. What can be read as text
/// and not as a record is an edit that a person has not finished.
pub(super) fn broken(edits: &[Edit]) -> impl Iterator<Item = (Edit, Problem)> + '_ {
    edits.iter().filter(|edit| edit.was.is_some() && edit.path.contains('/')).filter_map(|edit| {
        let content = edit.content.as_deref()?;
        let is_odd = |c: char| c.is_control() && !c.is_whitespace();
        if std::str::from_utf8(content).is_ok_and(|text| !text.contains(is_odd)) {
            return None;
        }
        let problem = project::readable(&edit.path, content).err()?.into_iter().next()?;
        Some((edit.clone(), problem))
    })
}

/// What the files of all records say, by git's ids of them.
fn contents(engine: &Engine) -> Result<HashMap<String, Vec<u8>>> {
    let ids: Vec<_> = engine.store.record_paths()?.into_iter().map(|(id, _)| id).collect();
    let records = engine.store.load_records(&ids)?;
    let written = records.into_iter().map(|stored| {
        let content = ledger::file::write(&stored.record).into_bytes();
        (ledger::blob_id(&content), content)
    });
    Ok(written.collect())
}
