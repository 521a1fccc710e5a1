//! The ports that leave the process: the system's clock and its randomness, models that turn texts
//! into vectors or answer questions about them, the file system with the files people work on,
//! commands, the web, the clients it is put into, files of other systems, and the processes
//! that parse them.

pub mod chat;
pub mod clients;
pub mod embed;
mod files;
mod http;
pub mod import;
pub mod issuer;
pub mod reader_process;
mod shell;
#[cfg(test)]
mod testing;
pub mod traces;
pub mod web;
mod workspace;

use engine::{Clock, Ids};
use model::{MemoryId, Timestamp, time};

pub use files::LocalFiles;
pub use shell::LocalShell;
pub use workspace::LocalWorkspace;

/// The system's clock, to the microsecond.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        time::from_micros(now.as_microsecond()).unwrap_or(now)
    }
}

/// Ids from the system's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl Ids for RandomIds {
    fn memory_id(&self) -> MemoryId {
        MemoryId::from_random(uuid::Uuid::new_v4().into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_has_no_more_than_microseconds() {
        assert_eq!(SystemClock.now().as_nanosecond() % 1000, 0);
    }

    #[test]
    fn ids_differ() {
        assert_ne!(RandomIds.memory_id(), RandomIds.memory_id());
    }
}
