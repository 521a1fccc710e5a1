//! How one memory stands to another.

use crate::id::MemoryId;

/// What an edge says of its two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// They have to do with each other.
    RelatesTo,
    /// The source takes the place of the target.
    Supersedes,
    /// The target is why the source is so.
    CausedBy,
    /// Not both can hold.
    Contradicts,
}

impl Relation {
    /// All relations.
    pub const ALL: [Self; 4] =
        [Self::RelatesTo, Self::Supersedes, Self::CausedBy, Self::Contradicts];

    /// The relation's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RelatesTo => "relates_to",
            Self::Supersedes => "supersedes",
            Self::CausedBy => "caused_by",
            Self::Contradicts => "contradicts",
        }
    }

    /// The relation of that name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|relation| relation.name() == name)
    }
}

/// Which edges of a memory are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// Those that start at it.
    Outgoing,
    /// Those that end at it.
    Incoming,
    /// Both.
    #[default]
    Both,
}

/// An edge to be drawn. The same triple again is the same edge, with a new weight.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEdge {
    /// Where it starts.
    pub source: MemoryId,
    /// Where it ends.
    pub target: MemoryId,
    /// What it says.
    pub relation: Relation,
    /// How strongly, 0..1.
    pub weight: f64,
}

/// An edge as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// Its number.
    pub id: i64,
    /// Where it starts.
    pub source: MemoryId,
    /// Where it ends.
    pub target: MemoryId,
    /// What it says.
    pub relation: Relation,
    /// How strongly, 0..1.
    pub weight: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        assert!(Relation::ALL.into_iter().all(|r| Relation::named(r.name()) == Some(r)));
        assert_eq!(Relation::named("causes"), None);
    }
}
