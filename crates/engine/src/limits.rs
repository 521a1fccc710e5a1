//! How much of what there may be. Zero lifts a limit.

/// A memory has no more tags than this.
pub const TAGS_MAX: usize = 100;

/// A memory has no more characters of metadata, as JSON, than this.
pub const METADATA_CHARS_MAX: usize = 100_000;

/// Limits on what is kept: of the notes contract, per user, where the least recently read give way if
/// the limit is soft; of events, by their age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Core memories: one more is refused.
    pub notes_core_max: u64,
    /// Learnings: the least recently read are archived.
    pub notes_learning_max: u64,
    /// Tasks: the least recently read are archived.
    pub notes_task_max: u64,
    /// Days after which an event that no decision is linked with is dropped.
    pub event_days: u64,
}

impl Limits {
    /// The limits of the original notes server, which its drop-in profile sets.
    pub const AGENT_MEMORY: Self =
        Self { notes_core_max: 1_000, notes_learning_max: 500, notes_task_max: 200, event_days: 0 };
}
