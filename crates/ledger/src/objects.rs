//! Reading objects, by gix. Other processes write packs and throw some away while we read: what
//! is not found is looked for again in a database that is opened anew.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use gix::objs::Find;
use gix::odb::store::init::{Options, Slots};

use crate::error::{LedgerError, Result, at};
use crate::oid::{Kind, Oid};

/// Room for so many packs beyond those that are there, before the database is opened anew.
const PACKS_MIN: usize = 256;

/// How often the database is opened anew for an object.
const TRIES: usize = 3;

/// No object is longer. The header of a damaged one tells any length, and whoever reads it asks for as much
/// memory; records are small, and even what people commit beside them seldom has a tenth of this.
const BYTES_MAX: usize = 256 << 20;

/// The objects of a repository.
pub(crate) struct Objects {
    dir: PathBuf,
    handle: RefCell<Option<gix::odb::Handle>>,
}

impl Objects {
    /// Those of the repository whose `.git` this is.
    pub(crate) fn new(git: &Path) -> Self {
        Self { dir: git.join("objects"), handle: RefCell::new(None) }
    }

    /// The content of an object of this kind; none if there is none of that id.
    pub(crate) fn find(&self, kind: Kind, id: Oid) -> Result<Option<Vec<u8>>> {
        let mut found = self.look(kind, id);
        for _ in 0..TRIES {
            if matches!(found, Ok(Some(_))) {
                break;
            }
            let is_absent = found.is_ok();
            self.handle.replace(None);
            found = self.look(kind, id);
            // Not there, in two databases: that is that. A pack that vanishes is an error.
            if is_absent && found.is_ok() {
                break;
            }
        }
        found
    }

    /// The content of an object that must be there.
    pub(crate) fn get(&self, kind: Kind, id: Oid) -> Result<Vec<u8>> {
        let missing = || self.damaged(format!("there is no {kind:?} {id}"));
        self.find(kind, id)?.ok_or_else(missing)
    }

    /// An object of whatever kind that can be read and is what its id says.
    pub(crate) fn salvage(&self, id: Oid) -> Option<(Kind, Vec<u8>)> {
        let kinds = [Kind::Blob, Kind::Tree, Kind::Commit].into_iter();
        kinds.filter_map(|kind| Some((kind, self.look(kind, id).ok()??))).next()
    }

    fn look(&self, kind: Kind, id: Oid) -> Result<Option<Vec<u8>>> {
        let mut slot = self.handle.borrow_mut();
        let handle = match &mut *slot {
            Some(handle) => handle,
            none => none.insert(self.open()?),
        };
        let mut content = Vec::new();
        let found = match handle.try_find(&id.to_gix(), &mut content) {
            Ok(found) => found.map(|data| data.kind),
            Err(error) => return Err(self.damaged(error.to_string())),
        };
        let wanted = match kind {
            Kind::Commit => gix::objs::Kind::Commit,
            Kind::Tree => gix::objs::Kind::Tree,
            Kind::Blob => gix::objs::Kind::Blob,
        };
        match found {
            // Not all that is damaged fails to unpack; its id always tells.
            Some(found) if found == wanted && Oid::of(kind, &content) == id => Ok(Some(content)),
            Some(found) if found == wanted => {
                Err(self.damaged(format!("{kind:?} {id} is not what its id says")))
            }
            Some(found) => Err(self.damaged(format!("{id} is a {found}, not a {kind:?}"))),
            None => Ok(None),
        }
    }

    fn open(&self) -> Result<gix::odb::Handle> {
        let slots = Slots::AsNeededByDiskState { multiplier: 1.5, minimum: PACKS_MIN };
        let options = Options { slots, alloc_limit_bytes: Some(BYTES_MAX), ..Options::default() };
        gix::odb::at_opts(&self.dir, gix::hash::Kind::Sha1, None, options).map_err(at(&self.dir))
    }

    fn damaged(&self, why: String) -> LedgerError {
        LedgerError::Damaged { path: self.dir.clone(), why }
    }
}
