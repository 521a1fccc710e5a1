//! What differs between two trees.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::objects::Objects;
use crate::oid::{Kind, Oid, empty_tree};
use crate::tree::{Entry, entries};

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Differing {
    pub(crate) path: String,
    pub(crate) old: Option<Oid>,
    pub(crate) new: Option<Oid>,
}

/// The files in which two trees differ and whose path is `wanted`; folders that are the same are not
/// read. Paths that are not UTF-8 are nobody's records and left out.
pub(crate) fn files(
    objects: &Objects,
    old: Oid,
    new: Oid,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<Differing>> {
    let mut walk = Walk { objects, wanted, found: Vec::new() };
    walk.folder("", Some(old), Some(new))?;
    Ok(walk.found)
}

/// Whether a path is that of a record, or might be.
pub(crate) fn is_markdown(path: &str) -> bool {
    path.ends_with(".md") && !path.split('/').any(|part| part.starts_with('.'))
}

struct Walk<'a> {
    objects: &'a Objects,
    wanted: &'a dyn Fn(&str) -> bool,
    found: Vec<Differing>,
}

type Sides = (Option<(bool, Oid)>, Option<(bool, Oid)>);

impl Walk<'_> {
    fn folder(&mut self, prefix: &str, old: Option<Oid>, new: Option<Oid>) -> Result<()> {
        if old == new {
            return Ok(());
        }
        let (old, new) = (self.read(old)?, self.read(new)?);
        let mut sides: BTreeMap<&[u8], Sides> = BTreeMap::new();
        let told = |entry: &Entry| entry.is_dir() || entry.is_file();
        for entry in entries(&old).filter(told) {
            sides.entry(entry.name).or_default().0 = Some((entry.is_dir(), entry.id));
        }
        for entry in entries(&new).filter(told) {
            sides.entry(entry.name).or_default().1 = Some((entry.is_dir(), entry.id));
        }
        for (name, (old, new)) in sides.into_iter().filter(|(_, (old, new))| old != new) {
            let Ok(name) = std::str::from_utf8(name) else { continue };
            let path = format!("{prefix}{name}");
            let pick = |side: Option<(bool, Oid)>, dir| {
                side.filter(|(is_dir, _)| *is_dir == dir).map(|(_, id)| id)
            };
            let (old_dir, new_dir) = (pick(old, true), pick(new, true));
            if old_dir.is_some() || new_dir.is_some() {
                self.folder(&format!("{path}/"), old_dir, new_dir)?;
            }
            let (old, new) = (pick(old, false), pick(new, false));
            if old != new && (self.wanted)(&path) {
                self.found.push(Differing { path, old, new });
            }
        }
        Ok(())
    }

    fn read(&self, id: Option<Oid>) -> Result<Vec<u8>> {
        match id {
            Some(id) if id != empty_tree() => self.objects.get(Kind::Tree, id),
            _ => Ok(Vec::new()),
        }
    }
}
