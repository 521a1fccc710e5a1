//! Facts: things by their names, and how they hang together, each with the time it holds.
//!
//! A link is bi-temporal: when it was learned, and from when to when it is true. What ends is closed
//! and kept.

use crate::change::IndexedMemory;
use crate::id::MemoryId;
use crate::scope::Scope;
use crate::time::Timestamp;

/// The name of a thing has no more characters than this.
pub const NAME_CHARS_MAX: usize = 500;

/// What a link says has no more characters than this.
pub const RELATION_CHARS_MAX: usize = 200;

/// Something that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// Whose it is.
    pub scope: Scope,
    /// Its name, in exactly these letters.
    pub name: String,
    /// What it is, if that is known.
    pub kind: Option<String>,
    /// What there is to say of it.
    pub summary: Option<String>,
    /// When it was first heard of.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// Counts its changes.
    pub revision: u64,
    /// The memory by which searches find it.
    pub mirror: MemoryId,
}

impl Entity {
    /// What searches find.
    pub fn told(&self) -> String {
        let kind = self.kind.as_ref().map_or(String::new(), |kind| format!(" ({kind})"));
        let summary = self.summary.as_ref().map_or(String::new(), |text| format!(": {text}"));
        format!("{}{kind}{summary}", self.name)
    }
}

/// What one thing has to do with another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The one.
    pub from: String,
    /// What it has to do with the other.
    pub relation: String,
    /// The other.
    pub to: String,
    /// When it was learned.
    pub created_at: Timestamp,
    /// From when on it is true.
    pub valid_at: Timestamp,
    /// Until when it was true; none if it still is.
    pub invalid_at: Option<Timestamp>,
}

impl Link {
    /// What searches find.
    pub fn told(&self) -> String {
        format!("{} {} {}", self.from, self.relation, self.to)
    }

    /// Whether it is true at that time.
    pub fn holds_at(&self, time: Timestamp) -> bool {
        self.valid_at <= time && self.invalid_at.is_none_or(|end| time < end)
    }
}

/// An entity with the memory by which it is found, worked out before the transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedEntity {
    /// The entity.
    pub entity: Entity,
    /// The memory.
    pub mirror: IndexedMemory,
}

/// A link with the memory by which it is found, worked out before the transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedLink {
    /// Whose it is.
    pub scope: Scope,
    /// The link.
    pub link: Link,
    /// The memory.
    pub mirror: IndexedMemory,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::from_micros;

    #[test]
    fn a_link_holds_from_its_beginning_to_before_its_end() {
        let at = |micros| from_micros(micros).unwrap_or_default();
        let link = Link {
            from: "Ada".into(),
            relation: "works at".into(),
            to: "Acme".into(),
            created_at: at(9),
            valid_at: at(3),
            invalid_at: Some(at(5)),
        };
        let holds: Vec<bool> = (2..=5).map(|micros| link.holds_at(at(micros))).collect();
        assert_eq!(holds, [false, true, true, false]);
        assert!(Link { invalid_at: None, ..link }.holds_at(at(1_000)));
    }
}
