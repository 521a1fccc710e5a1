//! The audit log, read and checked. It is written by what everybody does, and by nothing here.

use model::audit::Entry;
pub use store::{AuditFilter, Verified};

use crate::{Engine, Result};

/// What was done, refused or read, the newest first.
pub fn entries(engine: &Engine, filter: &AuditFilter) -> Result<Vec<Entry>> {
    Ok(engine.store.audited(filter)?)
}

/// Whether the whole log hangs together. With `expected`, the number and the hash of an entry that were
/// written down before, also whether that entry is still what it was.
pub fn verify(engine: &Engine, expected: Option<(i64, [u8; 32])>) -> Result<Verified> {
    Ok(engine.store.verify_audit(expected)?)
}
