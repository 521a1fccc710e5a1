//! Finding whatever can be found: memories and documents in one list.

use std::borrow::Cow;

use model::{Caller, Memory, MemoryFilter, Noun, Scope, StoredChunk, Subject};
pub use rank::budget::Packed;
use rank::budget::pack_bounded;
use store::Candidate;

use crate::embedders::By;
use crate::memory::{Question, note};
use crate::trust::visible;
use crate::{Engine, Result};

/// What is less relevant than this is more likely in the way than of use.
const RELEVANCE_MIN: f64 = 0.1;

/// What can be found here.
pub const ANYTHING: [Noun; 2] = [Noun::Memory, Noun::Document];

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// In the caller's words.
    pub text: String,
    /// Where to look, as far as it is open to the caller.
    pub scopes: Vec<Scope>,
    /// What kinds of things.
    pub nouns: Vec<Noun>,
    /// Only parts of the document of this path, in any spelling.
    pub path: Option<String>,
    /// How many at the most.
    pub limit: usize,
}

impl Wanted {
    /// Anything that can be found in these places.
    pub fn anything(text: String, scopes: Vec<Scope>, limit: usize) -> Self {
        Self { text, scopes, nouns: ANYTHING.to_vec(), path: None, limit }
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
    /// A memory.
    Memory(Box<Memory>),
    /// A part of a document.
    Chunk(Box<StoredChunk>),
}

impl Thing {
    /// Its text as it is delivered: with everything in it to be seen.
    pub fn shown(&self) -> Cow<'_, str> {
        visible(self.text())
    }

    fn text(&self) -> &str {
        match self {
            Self::Memory(memory) => &memory.content,
            Self::Chunk(chunk) => &chunk.chunk.content,
        }
    }
}

/// The most relevant things, best first. The same text in several places is one of them.
pub fn find(engine: &Engine, caller: &Caller, wanted: &Wanted) -> Result<Vec<Found>> {
    let mut filter = MemoryFilter { scopes: wanted.scopes.clone(), ..MemoryFilter::default() };
    filter.scopes.retain(|scope| caller.identity.sees(scope));
    let path = wanted.path.as_deref().map(|path| known_name(engine, caller, &filter.scopes, path));
    let path = path.transpose()?;
    let mut question = Question::asking(engine, &wanted.text, filter, wanted.limit, By::Serving)?;
    question.nouns.clone_from(&wanted.nouns);
    question.path = path;
    let ranked = question.ranked(engine, RELEVANCE_MIN)?.best;
    note(engine, caller, &wanted.text);
    load(engine, &ranked)
}

/// As many of the most relevant things as fit into a number of tokens: one that does not fit is
/// skipped, later ones that fit are taken.
pub fn find_within(
    engine: &Engine,
    caller: &Caller,
    wanted: &Wanted,
    budget: usize,
) -> Result<Packed<Found>> {
    let found = find(engine, caller, wanted)?;
    // What is made visible only grows.
    let least = |found: &Found| rank::tokens::at_least(found.thing.text());
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
    let mut memories = engine.store.load_memories(&memories)?.into_iter().peekable();
    let mut chunks = engine.store.load_chunks(&chunks)?.into_iter().peekable();
    let found = ranked.iter().filter_map(|candidate| {
        let thing = match candidate.subject {
            Subject::Memory(id) => {
                Thing::Memory(Box::new(memories.next_if(|memory| memory.id == id)?))
            }
            Subject::Chunk(id) => Thing::Chunk(Box::new(chunks.next_if(|chunk| chunk.id == id)?)),
            Subject::Record(_) => return None,
        };
        Some(Found { thing, relevance: candidate.relevance })
    });
    Ok(found.collect())
}
