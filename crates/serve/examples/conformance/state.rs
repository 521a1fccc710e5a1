//! What the fixtures remember: some of it for the whole process, some of it per session.

#![expect(deprecated, reason = "log levels are deprecated but the 2025-11-25 suite asks for them")]

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::{LoggingLevel, RequestStateCodec};
use rmcp::task_manager::TaskManager;
use tokio::sync::broadcast;

/// A list that a fixture tool pretends to have changed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Tools,
    Prompts,
}

/// Shared by every session and every stateless request of the process.
pub(crate) struct Shared {
    pub(crate) tasks: TaskManager,
    pub(crate) codec: RequestStateCodec,
    pub(crate) changes: broadcast::Sender<Change>,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            tasks: TaskManager::new(),
            // A constant key is enough to show that a tampered state is refused.
            codec: RequestStateCodec::new_unchecked(*b"conformance fixtures, not secret"),
            changes: broadcast::channel(16).0,
        }
    }
}

/// Belongs to one legacy session (a stateless request has one of its own, unused).
#[derive(Default)]
pub(crate) struct Session {
    level: Mutex<Option<LoggingLevel>>,
    subscribed: Mutex<BTreeSet<String>>,
}

impl Session {
    pub(crate) fn set_level(&self, level: LoggingLevel) {
        *lock(&self.level) = Some(level);
    }

    /// The least severe level the client wants; everything until it says so.
    pub(crate) fn level(&self) -> LoggingLevel {
        lock(&self.level).unwrap_or(LoggingLevel::Debug)
    }

    pub(crate) fn subscribe(&self, uri: String) {
        lock(&self.subscribed).insert(uri);
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        lock(&self.subscribed).remove(uri);
    }
}

/// A panicking fixture must not take the others down with a poisoned lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
