//! Objects of the history that no repair could bring back, noted in `.git/lorekeep.lost`.
//!
//! They are not to be mended any more, so they are told and not called damage; one that comes back from a clone
//! is not told, whatever is noted.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use crate::Ledger;
use crate::damage::NAMED_MAX;
use crate::error::{Result, at, if_there};
use crate::objects::Objects;
use crate::oid::{Kind, Oid};
use crate::private;

/// The file of `.git`: a line an object, its kind and its id.
const NOTE: &str = "lorekeep.lost";

impl Ledger {
    /// What is lost of the history for good, as far as nobody brought it back.
    pub fn lost(&self) -> Result<Vec<String>> {
        let objects = Objects::new(&self.git);
        let gone = noted(&self.git)?.into_iter().filter(|(_, id)| objects.salvage(*id).is_none());
        let told = gone.map(|(kind, id)| describe(&kind, id));
        Ok(told.take(NAMED_MAX).collect())
    }
}

/// How it is told that an object is lost.
pub(crate) fn describe(kind: &str, id: Oid) -> String {
    format!("{kind} {id} of the ledger's history is lost; a clone may have it: git fetch --refetch")
}

/// Notes that these are lost, and no others.
pub(crate) fn note(git: &Path, lost: &[(Kind, Oid)]) -> Result<()> {
    let path = git.join(NOTE);
    if lost.is_empty() {
        return if_there(fs::remove_file(&path), &path).map(drop);
    }
    let lines = lost.iter().map(|(kind, id)| format!("{} {id}\n", kind.name()));
    let text: String = lines.collect();
    private::write(&path, text.as_bytes())?.sync_all().map_err(at(&path))
}

/// The ids of those that are noted.
pub(crate) fn ids(git: &Path) -> Result<HashSet<Oid>> {
    Ok(noted(git)?.into_iter().map(|(_, id)| id).collect())
}

fn noted(git: &Path) -> Result<Vec<(String, Oid)>> {
    let path = git.join(NOTE);
    let text = if_there(fs::read(&path), &path)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    // A line that is damaged tells of nothing; the next repair notes the object again.
    let lines = text.lines().filter_map(|line| {
        let (kind, id) = line.split_once(' ')?;
        Some((kind.to_owned(), id.parse().ok()?))
    });
    Ok(lines.collect())
}
