//! What the engine asks of the world. Handed in, so that a test decides what time it is.

use model::{MemoryId, Timestamp};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The time now, to the microsecond.
    fn now(&self) -> Timestamp;
}

/// Makes new identities.
pub trait Ids: Send + Sync {
    /// A memory id that no memory has.
    fn memory_id(&self) -> MemoryId;
}
