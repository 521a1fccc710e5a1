//! The audit log: noted by what everybody does, read and checked here.
//!
//! What changes the store is noted by the store, in the transaction of the change. Here is the rest:
//! what was refused, what is done beyond the store, and what was read.

use std::path::Path;
use std::sync::Arc;

use model::Actor;
use model::audit::{Deed, Entry, NewEntry};
use store::Attribution;
pub use store::{Archived, AuditFilter, Beside, Fault, Staying, Verified};

use crate::denials::Denials;
use crate::secrets::{self, Policy};
use crate::{Engine, Error, Result};

/// The log keeps no more characters of why something was refused, or of what was done.
const NOTED_CHARS_MAX: usize = 300;

/// What was done, refused or read, the newest first.
pub fn entries(engine: &Engine, filter: &AuditFilter) -> Result<Vec<Entry>> {
    Ok(engine.store.audited(filter)?)
}

/// Whether the whole log hangs together, also with what lies beside it.
pub fn verify(engine: &Engine, beside: &Beside) -> Result<Verified> {
    Ok(engine.store.verify_audit(beside)?)
}

/// Moves the oldest entries to a file; none if all stay.
pub fn archive(engine: &Engine, file: &Path, staying: Staying) -> Result<Option<Archived>> {
    let by = Attribution { actor: Arc::clone(&engine.actor), at: engine.clock.glance() };
    Ok(engine.store.archive_audit(file, staying, &by)?)
}

impl Engine {
    /// Notes that something was refused to who was let in, and returns when that is on disk; its like
    /// within a minute is only counted. What cannot be noted must not keep the answer back.
    pub fn note_denial(&self, why: &Error) {
        if let Some(entry) = self.denied(&self.denials[0], &why.message) {
            self.warn(self.store.note(entry));
        }
    }

    /// Notes that something was refused to who was not let in, or asks too much: never waits, and may
    /// be lost.
    pub fn note_refusal(&self, why: &str) {
        if let Some(entry) = self.denied(&self.denials[1], why) {
            self.warn(self.store.note_later(entry));
        }
    }

    /// Notes that a call read something, if that is wanted. It does not wait, and may be lost.
    pub fn note_reading(&self) {
        if self.audits_reads && !self.read_only {
            self.warn(self.store.note_later(self.entry(Deed::Read, "")));
        }
    }

    /// Notes what is about to be done beyond the store, and returns when that is on disk: a deed that
    /// ends this process must not end the note of it.
    ///
    /// # Errors
    ///
    /// That it cannot be noted: then it is not to be done.
    pub fn note_deed(&self, what: &str) -> Result<()> {
        Ok(self.store.note(self.entry(Deed::Written, what))?)
    }

    /// Does what was noted before, and notes if it did not come to be.
    pub fn noted<T>(&self, what: &str, deed: impl FnOnce() -> Result<T>) -> Result<T> {
        self.note_deed(what)?;
        deed().inspect_err(|_| {
            let entry = self.entry(Deed::Written, &format!("nothing, for it failed: {what}"));
            self.warn(self.store.note_later(entry));
        })
    }

    /// The entry of a denial, if it is not only counted. What was counted before goes with it.
    fn denied(&self, denials: &Denials, why: &str) -> Option<NewEntry> {
        if self.read_only {
            return None;
        }
        let now = self.clock.glance();
        denials.due(now).into_iter().for_each(|entry| self.warn(self.store.note_later(entry)));
        denials.entry(&self.actor, &bounded(why), now)
    }

    fn entry(&self, deed: Deed, what: &str) -> NewEntry {
        let actor = Actor::clone(&self.actor);
        NewEntry { actor, at: self.clock.glance(), deed, what: bounded(what) }
    }

    fn warn(&self, noted: store::Result<()>) {
        if let Err(error) = noted {
            tracing::warn!(%error, "the audit log could not be written");
        }
    }
}

/// A text without secrets, as long as it may be: half a secret would not be known for one.
fn bounded(text: &str) -> String {
    let mut text = text.to_owned();
    secrets::take(Policy::Redact, &mut text);
    text.chars().take(NOTED_CHARS_MAX).collect()
}
