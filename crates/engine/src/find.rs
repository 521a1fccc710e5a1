//! Finding whatever can be found: memories, facts, documents, decisions and knowledge in one list.
//!
//! Each kind of thing is searched among its own: how much there is of one says nothing of how likely
//! another is what was asked for, so a large index of documents hides no memory.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use model::knowledge::pointer_place;
use model::{
    Caller, Item, Layer, Memory, MemoryFilter, Namespace, Noun, Scope, StoredChunk, Subject,
};
pub use rank::budget::Packed;
use rank::budget::pack_bounded;
use store::{Candidate, StoredRecord};

use crate::embedders::By;
use crate::memory::{Question, note};
use crate::trust::visible;
use crate::{Engine, Result, brief, knowledge, record, scope};

/// Least relevance of a result that takes up part of a token budget.
pub const WORTH_ITS_ROOM: f64 = 0.1;

/// A chunk of a document that tests read or a program wrote, or that is nothing but a heading, is this
/// much less likely what was asked for than one of prose or code that says the same.
const SECONDARY_SHARE: f64 = 0.5;

/// So many more chunks are weighed than are wanted: the best may be of secondary documents.
const WEIGHED_MORE: usize = 16;

/// A kind of thing that can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoundKind {
    /// A memory.
    Memory,
    /// A part of a document.
    Document,
    /// A record of the ledger.
    Decision,
    /// An item of knowledge.
    Knowledge,
    /// A thing of the graph, or a link of it.
    Fact,
}

impl FoundKind {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Memory, Self::Document, Self::Decision, Self::Knowledge, Self::Fact];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Document => "document",
            Self::Decision => "decision",
            Self::Knowledge => "knowledge",
            Self::Fact => "fact",
        }
    }

    /// The kind of thing that a memory is: the graph and knowledge have memories that follow them.
    pub fn of_memory(scope: &Scope) -> Self {
        match pointer_place(scope) {
            Some(_) => Self::Knowledge,
            None if scope.is_facts() => Self::Fact,
            None => Self::Memory,
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// In the caller's words.
    pub text: String,
    /// Only in this namespace; none means everywhere that is open to the caller.
    pub namespace: Option<String>,
    /// Only in these layers; none means any. The ledger has no layers.
    pub layers: Vec<Layer>,
    /// Only with at least one of these tags; none means anything.
    pub tags_any: Vec<String>,
    /// Only of these kinds.
    pub kinds: Vec<FoundKind>,
    /// Only parts of the document of this path, in any spelling.
    pub path: Option<String>,
    /// The least relevance, 0..1.
    pub floor: f64,
    /// How many at the most.
    pub limit: usize,
}

impl Wanted {
    /// Anything that has to do with the text at all.
    pub fn anything(text: String, limit: usize) -> Self {
        Self {
            text,
            namespace: None,
            layers: Vec::new(),
            tags_any: Vec::new(),
            kinds: FoundKind::ALL.to_vec(),
            path: None,
            floor: 0.0,
            limit,
        }
    }

    fn wants(&self, kind: FoundKind) -> bool {
        self.kinds.contains(&kind)
    }
}

/// Something that was found, and how relevant it is, 0..1.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What it is.
    pub thing: Thing,
    /// Its calibrated relevance, 0..1.
    pub relevance: f64,
}

/// What can be found.
#[derive(Debug, Clone, PartialEq)]
pub enum Thing {
    /// A memory, or a fact.
    Memory(Box<Memory>),
    /// A part of a document.
    Chunk(Box<StoredChunk>),
    /// A record of the ledger.
    Record(Box<StoredRecord>),
    /// An item of knowledge, and where it lies.
    Item(Arc<Item>, Scope),
}

impl Thing {
    /// Its kind.
    pub fn kind(&self) -> FoundKind {
        match self {
            Self::Memory(memory) => FoundKind::of_memory(&memory.scope),
            Self::Chunk(_) => FoundKind::Document,
            Self::Record(_) => FoundKind::Decision,
            Self::Item(..) => FoundKind::Knowledge,
        }
    }

    /// Its text as it is delivered: with everything in it visible.
    pub fn shown(&self) -> String {
        visible(&self.text()).into_owned()
    }

    /// Its text.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Memory(memory) => memory.content.as_str().into(),
            Self::Chunk(chunk) => chunk.chunk.content.as_str().into(),
            Self::Record(stored) => {
                let record = &stored.record;
                format!("{}: {}", record.title, record.rationale).into()
            }
            Self::Item(item, _) if item.summary.trim().is_empty() => item.title.as_str().into(),
            Self::Item(item, _) => format!("{}: {}", item.title, item.summary).into(),
        }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Findings {
    /// The most relevant things, best first.
    pub found: Vec<Found>,
    /// Number of results that reach the floor.
    pub total: usize,
}

/// The most relevant things, best first. The same text in several places is one of them.
pub fn find(engine: &Engine, caller: &Caller, wanted: &Wanted) -> Result<Findings> {
    let findings = find_unnoted(engine, caller, wanted)?;
    note(engine, caller, &wanted.text);
    Ok(findings)
}

/// The same where the query was noted already.
pub fn find_unnoted(engine: &Engine, caller: &Caller, wanted: &Wanted) -> Result<Findings> {
    let mut scopes = scope::within(engine, caller, wanted.namespace.as_deref())?;
    scopes.retain(|scope| caller.identity.sees(scope));
    scopes.retain(|scope| wanted.layers.is_empty() || wanted.layers.contains(&scope.layer));
    let path = wanted.path.as_deref().map(|path| known_name(engine, caller, &scopes, path));
    let (path, tags_any) = (path.transpose()?, wanted.tags_any.clone());
    let filter = MemoryFilter { tags_any, ..MemoryFilter::default() };
    let mut question = Question::asking(engine, &wanted.text, filter, wanted.limit, By::Serving)?;
    let mut findings = Findings::default();
    for (noun, scopes) in places(caller, wanted, scopes) {
        question.filter.scopes = scopes;
        question.nouns = vec![noun];
        question.path = path.clone().filter(|_| noun == Noun::Document);
        findings.add(among(engine, &mut question, wanted)?);
    }
    if path.is_none() && wanted.wants(FoundKind::Knowledge) {
        findings.add(knowledge::find(engine, caller, wanted));
    }
    let Findings { found, .. } = &mut findings;
    found.sort_by(|one, other| other.relevance.total_cmp(&one.relevance));
    let mut texts = HashSet::new();
    found.retain(|found| texts.insert(found.thing.text().into_owned()));
    found.truncate(wanted.limit);
    Ok(findings)
}

impl Findings {
    fn add(&mut self, other: Self) {
        self.found.extend(other.found);
        self.total += other.total;
    }
}

/// The places to search for each wanted kind.
fn places(caller: &Caller, wanted: &Wanted, scopes: Vec<Scope>) -> Vec<(Noun, Vec<Scope>)> {
    let of_memories = scopes.iter().filter(|scope| wanted.wants(FoundKind::of_memory(scope)));
    let of_memories: Vec<Scope> = of_memories.cloned().collect();
    let documents = if wanted.wants(FoundKind::Document) { scopes } else { Vec::new() };
    if wanted.path.is_some() {
        return vec![(Noun::Document, documents)];
    }
    let records = if wanted.wants(FoundKind::Decision) && wanted.layers.is_empty() {
        ledgers(caller, wanted.namespace.as_deref())
    } else {
        Vec::new()
    };
    [(Noun::Memory, of_memories), (Noun::Document, documents), (Noun::Record, records)].into()
}

/// Where decisions lie: those for all and of the project, or those of the namespace that is named.
fn ledgers(caller: &Caller, namespace: Option<&str>) -> Vec<Scope> {
    let named = |name: &str| name.strip_prefix(scope::PROJECT).unwrap_or(name).parse().ok();
    let open = match namespace {
        None => brief::namespaces(caller),
        Some(name) => {
            let namespace: Option<Namespace> = named(name);
            namespace
                .map(|namespace| record::read_in(caller, Some(namespace)))
                .into_iter()
                .collect()
        }
    };
    open.iter().filter_map(record::Reading::open).map(Namespace::scope).collect()
}

/// The best things of one kind.
fn among(engine: &Engine, question: &mut Question<'_>, wanted: &Wanted) -> Result<Findings> {
    if question.filter.scopes.is_empty() {
        return Ok(Findings::default());
    }
    let weighs = question.nouns == [Noun::Document];
    question.limit = if weighs { wanted.limit + WEIGHED_MORE } else { wanted.limit };
    let ranked = question.ranked(engine, wanted.floor)?;
    let mut total = ranked.total;
    let mut found = load(engine, &ranked.best)?;
    if weighs {
        for hit in &mut found {
            if let Thing::Chunk(chunk) = &hit.thing
                && (is_secondary(&chunk.path) || is_bare_heading(&chunk.chunk.content))
            {
                hit.relevance *= SECONDARY_SHARE;
            }
        }
        let before = found.len();
        found.retain(|hit| hit.relevance >= wanted.floor);
        total -= before - found.len();
    }
    Ok(Findings { found, total })
}

/// As many of the most relevant things as fit into a number of tokens: one that does not fit is
/// skipped, later ones that fit are taken.
pub fn find_within(
    engine: &Engine,
    caller: &Caller,
    wanted: &Wanted,
    budget: usize,
) -> Result<Packed<Found>> {
    let found = find(engine, caller, wanted)?.found;
    // Making characters visible only lengthens a text.
    let least = |found: &Found| rank::tokens::at_least(&found.thing.text());
    Ok(pack_bounded(found, least, |found| engine.tokens(&found.thing.shown()), budget))
}

/// The name under which a document of this path is in the store.
fn known_name(engine: &Engine, caller: &Caller, scopes: &[Scope], path: &str) -> Result<String> {
    let names = crate::document::names(engine, caller, path);
    for name in &names {
        for scope in scopes {
            if engine.store.document(scope, name)?.is_some() {
                return Ok(name.clone());
            }
        }
    }
    Ok(names.into_iter().next().unwrap_or_default())
}

/// The things that these candidates are; what was deleted since the search is left out.
fn load(engine: &Engine, ranked: &[Candidate]) -> Result<Vec<Found>> {
    let memories: Vec<_> = ranked.iter().filter_map(|c| c.subject.memory()).collect();
    let chunks: Vec<_> = ranked.iter().filter_map(|c| c.subject.chunk()).collect();
    let records: Vec<_> = ranked.iter().filter_map(|c| c.subject.record()).collect();
    let mut memories = engine.store.load_memories(&memories)?.into_iter().peekable();
    let mut chunks = engine.store.load_chunks(&chunks)?.into_iter().peekable();
    let mut records = engine.store.load_records(&records)?.into_iter().peekable();
    let found = ranked.iter().filter_map(|candidate| {
        let thing = match candidate.subject {
            Subject::Memory(id) => {
                Thing::Memory(Box::new(memories.next_if(|memory| memory.id == id)?))
            }
            Subject::Chunk(id) => Thing::Chunk(Box::new(chunks.next_if(|chunk| chunk.id == id)?)),
            Subject::Record(id) => {
                Thing::Record(Box::new(records.next_if(|stored| stored.record.id == id)?))
            }
        };
        Some(Found { thing, relevance: candidate.relevance })
    });
    Ok(found.collect())
}

/// Folders of what tests read or programs write.
const SECONDARY_FOLDERS: [&str; 13] = [
    "test",
    "tests",
    "testdata",
    "__tests__",
    "fixtures",
    "__fixtures__",
    "corpus",
    "golden",
    "snapshots",
    "__snapshots__",
    "generated",
    "vendor",
    "node_modules",
];

/// Folders of code. Data that lies there is what the code reads.
const CODE_FOLDERS: [&str; 3] = ["src", "lib", "crates"];

/// The ends of the names of files of data.
const DATA_ENDS: [&str; 6] = ["txt", "json", "toml", "yaml", "yml", "lock"];

/// Whether a document is rather read by tests and programs than by people.
fn is_secondary(path: &str) -> bool {
    let path = Path::new(path);
    let has = |names: &[&str]| {
        let mut folders = path.parent().into_iter().flat_map(Path::iter);
        folders.any(|folder| names.iter().any(|name| folder == *name))
    };
    let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    has(&SECONDARY_FOLDERS)
        || DATA_ENDS.contains(&end) && has(&CODE_FOLDERS)
        || stem == "tests" && end == "rs"
        || ["_test", ".test", ".min", "_pb2"].iter().any(|mark| stem.ends_with(mark))
}

/// Whether a chunk is nothing but Markdown headings.
fn is_bare_heading(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    lines.peek().is_some() && lines.all(|line| line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tests_read_and_programs_write_is_secondary() {
        for path in ["/w/tests/it/a.rs", "/w/crates/rank/src/claim/pairs.txt", "/w/a/x.test.ts"] {
            assert!(is_secondary(path), "{path}");
        }
        for path in ["/w/docs/tests.md", "/w/src/main.rs", "/w/notes.txt", "/w/Cargo.toml"] {
            assert!(!is_secondary(path), "{path}");
        }
    }

    #[test]
    fn a_heading_alone_is_bare() {
        assert!(is_bare_heading("# Configuration\n\n## Authentication\n"));
        assert!(!is_bare_heading("## Authentication\n\nTokens are checked."));
        assert!(!is_bare_heading(""));
    }
}
