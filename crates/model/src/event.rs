//! What became of a memory when it was put to use.

use crate::id::MemoryId;
use crate::time::Timestamp;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// It was used.
    Applied,
    /// It helped.
    Succeeded,
    /// It did not.
    Failed,
}

impl EventKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Applied, Self::Succeeded, Self::Failed];

    /// The kind's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
        }
    }

    /// The kind of that name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// An event to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// Of which memory.
    pub memory: MemoryId,
    /// What happened.
    pub kind: EventKind,
    /// In which circumstances.
    pub context: Option<String>,
    /// In which session.
    pub session: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// An event as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its number: later is greater.
    pub id: i64,
    /// What happened.
    pub kind: EventKind,
    /// In which circumstances.
    pub context: Option<String>,
    /// In which session.
    pub session: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// How many events of each kind a memory has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventCounts {
    /// How often it was used.
    pub applied: u64,
    /// How often it helped.
    pub succeeded: u64,
    /// How often it did not.
    pub failed: u64,
}

impl EventCounts {
    /// All of them.
    pub fn total(self) -> u64 {
        self.applied + self.succeeded + self.failed
    }

    /// The part of the outcomes that were good; none where there is no outcome.
    pub fn success_rate(self) -> Option<f64> {
        let outcomes = self.succeeded + self.failed;
        (outcomes > 0).then(|| self.succeeded as f64 / outcomes as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        assert!(EventKind::ALL.into_iter().all(|k| EventKind::named(k.name()) == Some(k)));
    }

    #[test]
    fn without_outcomes_there_is_no_rate() {
        let counts = EventCounts { applied: 5, ..EventCounts::default() };
        assert_eq!((counts.total(), counts.success_rate()), (5, None));
        let counts = EventCounts { applied: 5, succeeded: 3, failed: 1 };
        assert_eq!((counts.total(), counts.success_rate()), (9, Some(0.75)));
    }
}
