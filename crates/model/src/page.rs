//! Which memories, in which order, and how many of them.

use crate::memory::{Importance, Kind};
use crate::scope::Scope;

/// Which memories are meant. An empty list of kinds or tags asks nothing; an empty list of scopes
/// matches nothing, because a caller without scopes may see nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryFilter {
    /// Only in these scopes.
    pub scopes: Vec<Scope>,
    /// Only of these kinds.
    pub kinds: Vec<Kind>,
    /// Only with every one of these tags.
    pub tags_all: Vec<String>,
    /// Only with at least one of these tags.
    pub tags_any: Vec<String>,
    /// Only on this step of importance.
    pub importance: Option<Importance>,
    /// Only of this importance or more.
    pub importance_min: Option<f64>,
    /// Only of this confidence or more.
    pub confidence_min: Option<f64>,
    /// Only in this category.
    pub category: Option<String>,
    /// Only with each of these in the text.
    pub containing: Vec<TextPart>,
    /// The archived beside the others.
    pub archived: bool,
}

/// A part that a text must contain, letter case aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextPart {
    /// Anywhere, within words, too.
    Anywhere(String),
    /// As a word of its own.
    Word(String),
}

/// A shorter word stands within too many others.
const ANYWHERE_CHARS_MIN: usize = 3;

impl TextPart {
    /// The parts that a search asks for: its words, the short ones as words of their own, and what
    /// stands between quotes as it is.
    pub fn all_of(search: &str) -> Vec<Self> {
        let (mut parts, mut rest) = (Vec::new(), search);
        let quoted = |text: &'_ str| -> Option<(usize, usize)> {
            let start = text.find('"')?;
            Some((start, start + 1 + text[start + 1..].find('"')?))
        };
        while let Some((start, end)) = quoted(rest) {
            parts.extend(rest[..start].split_whitespace().map(Self::of_word));
            let phrase = &rest[start + 1..end];
            parts.extend((!phrase.is_empty()).then(|| Self::Anywhere(phrase.to_owned())));
            rest = &rest[end + 1..];
        }
        parts.extend(rest.split_whitespace().map(Self::of_word));
        parts
    }

    fn of_word(word: &str) -> Self {
        match word.chars().count() < ANYWHERE_CHARS_MIN {
            true => Self::Word(word.to_owned()),
            false => Self::Anywhere(word.to_owned()),
        }
    }

    /// The text of it.
    pub fn text(&self) -> &str {
        match self {
            Self::Anywhere(text) | Self::Word(text) => text,
        }
    }
}

/// What a list is sorted by. Equals follow in the order they were stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortKey {
    /// When it was stored.
    CreatedAt,
    /// When it was last changed.
    UpdatedAt,
    /// When it was last read.
    AccessedAt,
    /// How much it matters.
    Importance,
    /// How sure we are of it.
    Confidence,
    /// How often it was read.
    AccessCount,
}

/// Which way a list runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Least first.
    Ascending,
    /// Greatest first.
    Descending,
}

/// Which part of a sorted list is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paging {
    /// What the list is sorted by.
    pub key: SortKey,
    /// Which way it runs.
    pub order: Order,
    /// How many to leave out at its start.
    pub offset: u64,
    /// How many to take at the most.
    pub limit: u64,
}

/// A part of a list, and how long the whole is.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// The part.
    pub items: Vec<T>,
    /// The length of the whole.
    pub total: u64,
}
