//! Trees: what lies in a folder at a commit.
//!
//! The trees of the newest commit stay in memory as git has them, so that a commit changes a few
//! bytes of three of them and reads nothing. They are true as long as their commit is the newest.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::error::{LedgerError, Result};
use crate::objects::Objects;
use crate::oid::{Kind, Oid, empty_tree};
use crate::pack::{CHAIN_MAX, Pack};

const MODE_FILE: &[u8] = b"100644";
const MODE_DIR: &[u8] = b"40000";

/// An entry of a tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'a> {
    pub(crate) mode: &'a [u8],
    pub(crate) name: &'a [u8],
    pub(crate) id: Oid,
    start: usize,
    end: usize,
}

impl Entry<'_> {
    pub(crate) fn is_dir(&self) -> bool {
        self.mode == MODE_DIR
    }

    /// Whether it is a file with a content, executable or not.
    pub(crate) fn is_file(&self) -> bool {
        self.mode.starts_with(b"100")
    }
}

/// The entries of a tree as git has it.
pub(crate) fn entries(raw: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = raw.get(start..)?;
        let space = rest.iter().position(|b| *b == b' ')?;
        let nul = space + rest[space..].iter().position(|b| *b == 0)?;
        let id = Oid::from_slice(rest.get(nul + 1..)?)?;
        let end = start + nul + 21;
        let entry = Entry { mode: &rest[..space], name: &rest[space + 1..nul], id, start, end };
        start = end;
        Some(entry)
    })
}

/// The first and the last entry of a tree, each with its id.
pub(crate) fn ends(raw: &[u8]) -> Option<(&[u8], &[u8])> {
    let first = entries(raw).next()?;
    let last = entries(raw).last()?;
    Some((&raw[first.start..first.end], &raw[last.start..last.end]))
}

/// Git's order: a folder sorts as if its name ended in a slash.
pub(crate) fn order(a: (&[u8], bool), b: (&[u8], bool)) -> Ordering {
    let shared = a.0.len().min(b.0.len());
    let next = |(name, is_dir): (&[u8], bool)| match name.get(shared) {
        Some(byte) => *byte,
        None if is_dir => b'/',
        None => 0,
    };
    a.0[..shared].cmp(&b.0[..shared]).then_with(|| next(a).cmp(&next(b)))
}

/// A tree in memory.
pub(crate) struct Node {
    raw: Vec<u8>,
    id: Oid,
    is_dirty: bool,
    children: HashMap<Vec<u8>, Node>,
    base: Option<Base>,
}

/// The tree as it was last written into the pack that is being made.
struct Base {
    batch: u64,
    offset: u64,
    chain: usize,
    raw: Vec<u8>,
}

impl Node {
    fn empty() -> Self {
        let (raw, children) = (Vec::new(), HashMap::new());
        Self { raw, id: empty_tree(), is_dirty: false, children, base: None }
    }

    /// Reads the tree of that id; none is the empty one.
    pub(crate) fn read(objects: &Objects, id: Option<Oid>) -> Result<Self> {
        match id {
            Some(id) if id != empty_tree() => {
                Ok(Self { raw: objects.get(Kind::Tree, id)?, id, ..Self::empty() })
            }
            _ => Ok(Self::empty()),
        }
    }

    /// The id of the file at `path`.
    pub(crate) fn file(&mut self, objects: &Objects, path: &str) -> Result<Option<Oid>> {
        match path.split_once('/') {
            Some((folder, rest)) => match self.folder(objects, folder.as_bytes(), false)? {
                Some(folder) => folder.file(objects, rest),
                None => Ok(None),
            },
            None => Ok(self.entry(path.as_bytes()).filter(Entry::is_file).map(|entry| entry.id)),
        }
    }

    /// Gives the file at `path` another content, or takes it out.
    pub(crate) fn set(&mut self, objects: &Objects, path: &str, blob: Option<Oid>) -> Result<()> {
        let Some((name, rest)) = path.split_once('/') else {
            return self.put(path, blob, MODE_FILE);
        };
        if let Some(folder) = self.folder(objects, name.as_bytes(), blob.is_some())? {
            folder.set(objects, rest, blob)?;
            self.is_dirty = true;
        }
        Ok(())
    }

    /// All files below it whose path is `wanted`; `prefix` stands before their names.
    pub(crate) fn list(
        &self,
        objects: &Objects,
        prefix: &str,
        wanted: &dyn Fn(&str) -> bool,
        files: &mut HashMap<String, Oid>,
    ) -> Result<()> {
        for entry in entries(&self.raw) {
            let Ok(name) = std::str::from_utf8(entry.name) else { continue };
            let path = format!("{prefix}{name}");
            if entry.is_dir() {
                let path = format!("{path}/");
                let read;
                let folder = match self.children.get(entry.name) {
                    Some(known) => known,
                    None => {
                        read = Self::read(objects, Some(entry.id))?;
                        &read
                    }
                };
                folder.list(objects, &path, wanted, files)?;
            } else if entry.is_file() && wanted(&path) {
                files.insert(path, entry.id);
            }
        }
        Ok(())
    }

    fn entry(&self, name: &[u8]) -> Option<Entry<'_>> {
        entries(&self.raw).find(|entry| entry.name == name)
    }

    /// The folder of that name, read if need be, made if it `may_be_made`.
    fn folder(&mut self, objects: &Objects, name: &[u8], make: bool) -> Result<Option<&mut Node>> {
        if !self.children.contains_key(name) {
            let known = self.entry(name).map(|entry| (entry.is_dir(), entry.id));
            let node = match known {
                Some((true, id)) => Node::read(objects, Some(id))?,
                Some((false, _)) if make => {
                    return Err(LedgerError::Path(String::from_utf8_lossy(name).into_owned()));
                }
                None if make => Node::empty(),
                _ => return Ok(None),
            };
            self.children.insert(name.to_owned(), node);
        }
        Ok(self.children.get_mut(name))
    }

    /// Puts an entry of this name, or takes it out.
    fn put(&mut self, name: &str, id: Option<Oid>, mode: &[u8]) -> Result<()> {
        let (name, is_dir) = (name.as_bytes(), mode == MODE_DIR);
        let (mut place, mut old) = (None, None);
        for entry in entries(&self.raw) {
            let is_behind = || order((entry.name, entry.is_dir()), (name, is_dir)).is_gt();
            if entry.name == name {
                old = Some((entry.start, entry.end, entry.is_dir()));
            } else if place.is_none() && is_behind() {
                place = Some(entry.start);
            }
        }
        let place = place.unwrap_or(self.raw.len());
        if old.is_some_and(|(.., was_dir)| was_dir != is_dir) {
            return Err(LedgerError::Path(String::from_utf8_lossy(name).into_owned()));
        }
        match (old, id) {
            (Some((_, end, _)), Some(id)) => self.raw[end - 20..end].copy_from_slice(&id.0),
            (Some((start, end, _)), None) => drop(self.raw.drain(start..end)),
            (None, Some(id)) => {
                let entry = [mode, b" ", name, b"\0", &id.0].concat();
                self.raw.splice(place..place, entry);
            }
            (None, None) => return Ok(()),
        }
        self.is_dirty = true;
        Ok(())
    }

    /// Writes what changed into the pack, from the leaves up. `batch` is the pack's own number.
    pub(crate) fn write(&mut self, pack: &mut Pack, batch: u64) -> Result<Oid> {
        if self.is_dirty {
            self.settle(pack, batch)?;
            self.is_dirty = false;
            self.id = Oid::of(Kind::Tree, &self.raw);
            self.pack(pack, batch);
        }
        Ok(self.id)
    }

    /// Writes the folders in it that changed; one that became empty is none any more.
    fn settle(&mut self, pack: &mut Pack, batch: u64) -> Result<()> {
        let dirty: Vec<Vec<u8>> = self
            .children
            .iter()
            .filter(|(_, child)| child.is_dirty)
            .map(|(name, _)| name.clone())
            .collect();
        for name in dirty {
            let Some(child) = self.children.get_mut(&name) else { continue };
            child.settle(pack, batch)?;
            let id = (!child.raw.is_empty()).then(|| child.write(pack, batch)).transpose()?;
            if id.is_none() {
                self.children.remove(&name);
            }
            let text = String::from_utf8_lossy(&name).into_owned();
            self.put(&text, id, MODE_DIR)?;
        }
        Ok(())
    }

    fn pack(&mut self, pack: &mut Pack, batch: u64) {
        let earlier = self.base.take().filter(|base| base.batch == batch);
        let earlier = earlier.filter(|base| base.chain < CHAIN_MAX && base.raw.len() > 256);
        let (offset, chain) = match &earlier {
            Some(base) => {
                (pack.add_delta(self.id, &base.raw, base.offset, &self.raw), base.chain + 1)
            }
            None => (pack.add(Kind::Tree, self.id, &self.raw), 0),
        };
        // A single commit never looks back, so the copy is only made where there is a second.
        let raw = if batch == SINGLE { Vec::new() } else { self.raw.clone() };
        self.base = (batch != SINGLE).then_some(Base { batch, offset, chain, raw });
    }
}

/// The number of a pack that holds one commit.
pub(crate) const SINGLE: u64 = 0;
