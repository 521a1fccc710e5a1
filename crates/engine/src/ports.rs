//! What the engine asks of the world. Handed in, so that a test decides what time it is.

use model::{MemoryId, Timestamp};
pub use rank::calibrate::Calibration;
pub use rank::embed::Embedding;

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

/// What a text is embedded for; some models treat the two differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be found.
    Passage,
    /// To find.
    Query,
}

/// Turns texts into vectors. Two vectors can be compared if the same model made them.
pub trait Embedder: Send + Sync {
    /// The model's id: the same for the same vectors, on every machine and after every restart.
    /// It is kept beside each vector.
    fn model(&self) -> &str;

    /// One vector a text, in their order; none for a text of which the model knows nothing. An
    /// error says in one sentence what failed, where, and what would help; no vector is half there.
    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Option<Embedding>>, String>;

    /// What its cosines weigh, if that is known; else it is found out on pairs of texts of ours.
    fn calibration(&self) -> Option<Calibration> {
        None
    }
}
