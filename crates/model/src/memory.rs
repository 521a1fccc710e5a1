//! One memory: what is kept of it, and what may change.

use crate::id::MemoryId;
use crate::provenance::Provenance;
use crate::scope::Scope;
use crate::time::Timestamp;

/// What a memory is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Something somebody likes.
    Preference,
    /// Something that was decided.
    Decision,
    /// Something that is so.
    Fact,
    /// Something that proved itself so often that it binds.
    GoldenRule,
    /// Something that was learned.
    Pattern,
    /// Something that matters for the work at hand.
    Session,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Preference,
        Self::Decision,
        Self::Fact,
        Self::GoldenRule,
        Self::Pattern,
        Self::Session,
    ];

    /// The kind's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Preference => "preference",
            Self::Decision => "decision",
            Self::Fact => "fact",
            Self::GoldenRule => "golden_rule",
            Self::Pattern => "pattern",
            Self::Session => "session",
        }
    }

    /// The kind of that name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Which door a memory came in by. Limits hold per door, and provenance names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The layered contract.
    Layers,
    /// The notes contract.
    Notes,
    /// The learning contract.
    Learning,
}

impl Origin {
    /// All doors.
    pub const ALL: [Self; 3] = [Self::Layers, Self::Notes, Self::Learning];

    /// The door's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Layers => "layers",
            Self::Notes => "notes",
            Self::Learning => "learning",
        }
    }

    /// The door of that name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.name() == name)
    }
}

/// Importance in three steps; a memory keeps it as a number in 0..1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Importance {
    /// Below 0.4; written as 0.2.
    Low,
    /// From 0.4; written as 0.5.
    Medium,
    /// From 0.7; written as 0.8.
    High,
}

impl Importance {
    /// The step a number lies on.
    pub fn of(value: f64) -> Self {
        if value >= Self::High.floor() {
            Self::High
        } else if value >= Self::Medium.floor() {
            Self::Medium
        } else {
            Self::Low
        }
    }

    /// The number this step is written as.
    pub const fn value(self) -> f64 {
        match self {
            Self::Low => 0.2,
            Self::Medium => 0.5,
            Self::High => 0.8,
        }
    }

    /// The least number on this step.
    pub const fn floor(self) -> f64 {
        match self {
            Self::Low => 0.0,
            Self::Medium => 0.4,
            Self::High => 0.7,
        }
    }

    /// The least number above this step, if there is one.
    pub const fn ceiling(self) -> Option<f64> {
        match self {
            Self::Low => Some(Self::Medium.floor()),
            Self::Medium => Some(Self::High.floor()),
            Self::High => None,
        }
    }
}

/// Free data beside a memory.
pub type Metadata = serde_json::Map<String, serde_json::Value>;

/// A memory as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Its identity.
    pub id: MemoryId,
    /// Where it lies.
    pub scope: Scope,
    /// Which door it came in by.
    pub origin: Origin,
    /// What it is about.
    pub kind: Kind,
    /// Its text, as it was given.
    pub content: String,
    /// A category of the user's own.
    pub category: Option<String>,
    /// Tags, in the order they were given, none twice.
    pub tags: Vec<String>,
    /// How much it matters, 0..1.
    pub importance: f64,
    /// How sure we are of it, 0..1.
    pub confidence: f64,
    /// Free data.
    pub metadata: Metadata,
    /// The session, conversation or document that it was stored in, if that was named.
    pub thread: Option<String>,
    /// Out of every search unless asked for.
    pub archived: bool,
    /// How often it was read.
    pub access_count: u64,
    /// When it was stored.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was last read.
    pub accessed_at: Timestamp,
    /// Where it comes from.
    pub provenance: Provenance,
    /// Counts the changes; a write says which revision it was decided on.
    pub revision: u64,
}

/// A change to a memory: what is `None` stays as it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryPatch {
    /// A new text.
    pub content: Option<String>,
    /// A new kind.
    pub kind: Option<Kind>,
    /// A new category.
    pub category: Option<String>,
    /// New tags in place of the old.
    pub tags: Option<Vec<String>>,
    /// A new importance.
    pub importance: Option<f64>,
    /// Archived, or taken back.
    pub archived: Option<bool>,
}

/// A part of a memory that a patch changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// The text.
    Content,
    /// The kind.
    Kind,
    /// The category.
    Category,
    /// The tags.
    Tags,
    /// The importance.
    Importance,
    /// Whether it is archived.
    Archived,
}

impl Memory {
    /// Applies `patch` and names what it changed; what already is as the patch says is not named.
    pub fn patch(&mut self, patch: MemoryPatch) -> Vec<Field> {
        let changes = [
            (Field::Content, set(&mut self.content, patch.content)),
            (Field::Kind, set(&mut self.kind, patch.kind)),
            (Field::Category, set(&mut self.category, patch.category.map(Some))),
            (Field::Tags, set(&mut self.tags, patch.tags.map(distinct))),
            (Field::Importance, set(&mut self.importance, patch.importance)),
            (Field::Archived, set(&mut self.archived, patch.archived)),
        ];
        changes.into_iter().filter_map(|(field, changed)| changed.then_some(field)).collect()
    }

    /// Counts one reading at `now`.
    pub fn accessed(&mut self, now: Timestamp) {
        self.access_count += 1;
        self.accessed_at = now;
    }
}

fn set<T: PartialEq>(place: &mut T, value: Option<T>) -> bool {
    match value {
        Some(value) if *place != value => {
            *place = value;
            true
        }
        _ => false,
    }
}

/// The names under which metadata tell what session, conversation or document a text is from.
const THREAD_NAMES: [&str; 11] = [
    "session",
    "session_id",
    "sessionId",
    "conversation",
    "conversation_id",
    "conversationId",
    "thread",
    "thread_id",
    "threadId",
    "document",
    "source",
];

/// The session, conversation or document that metadata name.
pub fn named_thread(metadata: &Metadata) -> Option<String> {
    let named = THREAD_NAMES.iter().find_map(|name| Some((name, metadata.get(*name)?)))?;
    match named {
        (_, serde_json::Value::String(text)) if !text.is_empty() => Some(text.clone()),
        (_, serde_json::Value::Number(number)) => Some(number.to_string()),
        _ => None,
    }
}

/// `tags` without repetitions, in their first order.
pub fn distinct(mut tags: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    tags.retain(|tag| seen.insert(tag.clone()));
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_of_importance_is_written_on_its_own_step() {
        for step in [Importance::Low, Importance::Medium, Importance::High] {
            assert_eq!(Importance::of(step.value()), step);
            assert_eq!(Importance::of(step.floor()), step);
        }
        assert_eq!(Importance::of(0.699_999), Importance::Medium);
        assert_eq!(Importance::of(0.399_999), Importance::Low);
        assert_eq!(Importance::of(1.0), Importance::High);
    }

    #[test]
    fn tags_keep_their_first_order_and_none_twice() {
        let tags = ["b", "a", "b"].map(String::from).to_vec();
        assert_eq!(distinct(tags), ["b", "a"]);
    }

    #[test]
    fn metadata_name_the_thread() {
        let thread = |json: &str| named_thread(&serde_json::from_str(json).unwrap());
        assert_eq!(thread(r#"{"session_id": "s1", "source": "x"}"#), Some("s1".into()));
        assert_eq!(thread(r#"{"conversation": 7}"#), Some("7".into()));
        assert_eq!(thread(r#"{"session": ""}"#), None);
        assert_eq!(thread(r#"{"session": ["a"], "other": 1}"#), None);
    }

    #[test]
    fn names_are_read_back() {
        assert!(Kind::ALL.into_iter().all(|k| Kind::named(k.name()) == Some(k)));
        assert!(Origin::ALL.into_iter().all(|o| Origin::named(o.name()) == Some(o)));
        assert_eq!(Kind::named("core"), None);
    }
}
