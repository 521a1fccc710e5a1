//! The verbs: what Lorekeep does, in plain functions.
//!
//! A verb takes the [`Engine`], who calls, and what is asked; it reads, decides, and hands one
//! [`Change`](model::Change) to the store. It knows nothing of tools, of JSON or of the wire, asks
//! the time and new ids through the [`ports`], and prints nothing.

mod error;
pub mod limits;
pub mod memory;
pub mod ports;
#[cfg(feature = "testing")]
pub mod testing;

use std::path::Path;

use store::Store;

pub use error::{Error, Kind as ErrorKind, Result};
pub use limits::Limits;
pub use ports::{Clock, Embedder, Embedding, Ids, Purpose};

/// What a text costs a model: its number of o200k tokens.
pub fn tokens(text: &str) -> usize {
    rank::tokens::count(text)
}

/// What the verbs work on: a store, and the ports to the world.
pub struct Engine {
    store: Store,
    clock: Box<dyn Clock>,
    ids: Box<dyn Ids>,
    limits: Limits,
    read_only: bool,
}

/// How an engine is set up.
pub struct Setup {
    /// Where the time comes from.
    pub clock: Box<dyn Clock>,
    /// Where new ids come from.
    pub ids: Box<dyn Ids>,
    /// How much of what there may be.
    pub limits: Limits,
    /// Whether even readings leave no trace.
    pub read_only: bool,
}

impl Engine {
    /// Opens the store in `dir` and puts the verbs on top of it.
    pub fn open(dir: &Path, setup: Setup) -> Result<Self> {
        let Setup { clock, ids, limits, read_only } = setup;
        let store = if read_only { Store::open_read_only(dir)? } else { Store::open(dir)? };
        Ok(Self { store, clock, ids, limits, read_only })
    }

    /// The store, for those who look after it (backup, doctor).
    pub fn store(&self) -> &Store {
        &self.store
    }
}
