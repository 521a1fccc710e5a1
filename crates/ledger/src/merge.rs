//! One pack out of several of ours.
//!
//! Blobs and commits are taken as they are, or squeezed; trees are told by what differs from the
//! version before them. What occurs twice is written once.

use std::collections::HashMap;
use std::rc::Rc;

use flate2::{Compress, Compression, FlushCompress, Status};

use crate::oid::{Kind, Oid};
use crate::pack::{CHAIN_MAX, Finished, Pack};
use crate::tree::ends;
use crate::unpack::Unpacked;

/// Contents that are shorter are not squeezed.
const SQUEEZED_BYTES_MIN: usize = 512;

/// A tree that is shorter is told whole.
const DELTA_BYTES_MIN: usize = 256;

/// A pack that takes in others.
pub(crate) struct Merge {
    pack: Pack,
    /// The last version of each tree, by its first and its last entry: a commit seldom changes
    /// both.
    latest: HashMap<Vec<u8>, Rc<Version>>,
    squeezer: Compress,
}

/// A tree in the new pack.
struct Version {
    offset: u64,
    chain: usize,
    raw: Rc<[u8]>,
}

impl Merge {
    /// With room for so many bytes: a pack that outgrows its room is in memory twice meanwhile.
    pub(crate) fn new(bytes: u64) -> Self {
        let squeezer = Compress::new(Compression::fast(), true);
        let pack = Pack::with_capacity(usize::try_from(bytes).unwrap_or_default());
        Self { pack, latest: HashMap::new(), squeezer }
    }

    /// Takes in a pack; the older must come first. None if it is none of ours.
    pub(crate) fn add(&mut self, bytes: &[u8], index: &[u8]) -> Option<()> {
        let mut from = Unpacked::read(bytes, index)?;
        for item in std::mem::take(&mut from.items) {
            if item.kind == Kind::Tree {
                let raw = from.tree(&item)?;
                self.add_tree(item.id, &raw);
            } else if self.pack.has(item.id) {
                continue;
            } else if from.is_stored(&item) && item.length >= SQUEEZED_BYTES_MIN {
                let content = from.content(&item)?;
                self.add_squeezed(item.kind, item.id, &content);
            } else {
                self.pack.add_stream(item.kind, item.id, item.length, from.body(&item));
            }
        }
        Some(())
    }

    pub(crate) fn finish(self) -> Finished {
        self.pack.finish()
    }

    fn add_tree(&mut self, id: Oid, raw: &Rc<[u8]>) {
        if self.pack.has(id) {
            return;
        }
        let Some((first, last)) = ends(raw).filter(|_| raw.len() >= DELTA_BYTES_MIN) else {
            self.pack.add(Kind::Tree, id, raw);
            return;
        };
        let earlier = self.latest.get(first).or_else(|| self.latest.get(last)).cloned();
        if let Some(earlier) = &earlier {
            self.forget(earlier);
        }
        let (offset, chain) = match earlier.filter(|earlier| earlier.chain < CHAIN_MAX) {
            Some(base) => {
                let offset = self.pack.add_delta(id, &base.raw, base.offset, raw);
                (offset, base.chain + 1)
            }
            None => (self.add_squeezed(Kind::Tree, id, raw), 0),
        };
        let version = Rc::new(Version { offset, chain, raw: Rc::clone(raw) });
        self.latest.insert(first.to_vec(), Rc::clone(&version));
        self.latest.insert(last.to_vec(), version);
    }

    /// Forgets a version that has a later one.
    fn forget(&mut self, version: &Rc<Version>) {
        let Some((first, last)) = ends(&version.raw) else { return };
        for end in [first, last] {
            if self.latest.get(end).is_some_and(|known| Rc::ptr_eq(known, version)) {
                self.latest.remove(end);
            }
        }
    }

    fn add_squeezed(&mut self, kind: Kind, id: Oid, content: &[u8]) -> u64 {
        self.squeezer.reset();
        let mut stream = Vec::with_capacity(content.len());
        let done = self.squeezer.compress_vec(content, &mut stream, FlushCompress::Finish);
        // It ends early where there is no room: it would be longer than what it squeezes.
        match done {
            Ok(Status::StreamEnd) => self.pack.add_stream(kind, id, content.len(), &stream),
            _ => self.pack.add(kind, id, content),
        }
    }
}
