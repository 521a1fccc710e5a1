//! Taking in what other systems kept.
//!
//! Who reads their files makes [`Incoming`] things of them; here it is decided what becomes of each: new,
//! changed, there already, or left out with a reason. One file is one change: all of it or nothing.
//! A memory that came from elsewhere has an id that follows from where it came, so that it is recognised
//! the next time. Not here: the formats.

mod decide;
mod own;
mod redact;
mod settle;

use model::{Kind, Layer, Metadata, Origin, Record, Scope, Timestamp};
pub use store::{Cell, Foreign, ForeignRow};

pub use decide::take_in;
pub use own::{take_back, take_knowledge, take_ledger};

/// A text of a memory has no more characters than this.
pub const CONTENT_CHARS_MAX: usize = 100_000;

/// The key of a memory's metadata that says which system it came from.
pub const IMPORTED_FROM: &str = "imported_from";

/// The key of a memory's metadata that says what it was called there.
pub const IMPORTED_ID: &str = "imported_id";

/// The key of a memory's metadata that recognises what was imported.
pub const IMPORTED_HASH: &str = "imported_hash";

/// What one file of another system holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The name of the system or format.
    pub format: &'static str,
    /// The file, as it is told of.
    pub file: String,
    /// What it says of where all of it is from, by the names that metadata have for that.
    pub told: Metadata,
    /// What it holds, in order.
    pub incoming: Vec<Incoming>,
    /// What could not be read of it.
    pub skipped: Vec<Skipped>,
}

impl Source {
    /// A file that holds nothing yet.
    pub fn new(format: &'static str, file: impl Into<String>) -> Self {
        let (told, incoming, skipped) = (Metadata::new(), Vec::new(), Vec::new());
        Self { format, file: file.into(), told, incoming, skipped }
    }

    /// Leaves something out.
    pub fn skip(&mut self, place: impl Into<String>, why: impl Into<String>) {
        self.skipped.push(Skipped { place: place.into(), why: why.into() });
    }
}

/// Something that comes from elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// A text to remember.
    Memory(Box<IncomingMemory>),
    /// Something that has a name.
    Thing {
        /// Where it stands.
        place: String,
        /// Its name.
        name: String,
        /// What it is.
        kind: Option<String>,
        /// What there is to say of it.
        summary: Option<String>,
    },
    /// What one thing has to do with another.
    Link {
        /// Where it stands.
        place: String,
        /// From, relation, to.
        link: [String; 3],
    },
    /// A long text that is searched and not remembered.
    Document {
        /// What it is known by, where a file has its path.
        path: String,
        /// Its text, in Markdown.
        text: String,
        /// When it was changed last.
        modified: Option<Timestamp>,
    },
    /// A decision for the ledger.
    Decision {
        /// Where it stands.
        place: String,
        /// The record.
        record: Box<Record>,
    },
}

/// A text to remember, as another system kept it.
#[derive(Debug, Clone, PartialEq)]
pub struct IncomingMemory {
    /// Where it stands: a line, a row, a heading.
    pub place: String,
    /// What it is called there, if its text may change under that name.
    pub key: Option<String>,
    /// Which door it would have come in by.
    pub origin: Origin,
    /// What it is about.
    pub kind: Kind,
    /// Its text.
    pub content: String,
    /// A category.
    pub category: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// How much it matters, 0..1.
    pub importance: f64,
    /// How sure they were of it, 0..1; none for what is new here.
    pub confidence: Option<f64>,
    /// Free data.
    pub metadata: Metadata,
    /// Whether it was put away there.
    pub archived: bool,
    /// When it was stored there.
    pub created_at: Option<Timestamp>,
    /// When it was changed last there.
    pub updated_at: Option<Timestamp>,
}

impl IncomingMemory {
    /// A plain text, with nothing known of it but where it stands.
    pub fn new(place: impl Into<String>, content: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            key: None,
            origin: Origin::Layers,
            kind: Kind::Fact,
            content: content.into(),
            category: None,
            tags: Vec::new(),
            importance: 0.5,
            confidence: None,
            metadata: Metadata::new(),
            archived: false,
            created_at: None,
            updated_at: None,
        }
    }
}

/// Where what comes is to lie, and whether it comes at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The layer of memories.
    pub layer: Layer,
    /// Where documents go.
    pub documents: Scope,
    /// Only decide, and write nothing.
    pub dry_run: bool,
}

/// What was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Where it stands: file and line, row or heading.
    pub place: String,
    /// Why.
    pub why: String,
}

/// What became of what came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// How many things were not known.
    pub new: usize,
    /// How many were known and are told differently now.
    pub updated: usize,
    /// How many were there already.
    pub unchanged: usize,
    /// What was left out.
    pub skipped: Vec<Skipped>,
    /// How many secrets were taken out of what came.
    pub secrets: usize,
}

impl Report {
    /// Adds what another file brought.
    pub fn add(&mut self, other: Self) {
        self.new += other.new;
        self.updated += other.updated;
        self.unchanged += other.unchanged;
        self.skipped.extend(other.skipped);
        self.secrets += other.secrets;
    }
}
