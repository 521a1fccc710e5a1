//! Plain text into things and how they are related, by rules and without a model.
//!
//! A text is cut into blocks, sentences and phrases; a phrase that is plainly the subject of a verb
//! of the table, with a phrase that is plainly its object, is a fact. What is denied, asked, wished,
//! planned or only heard is none, and what is not understood is left out. English only; Markdown is
//! read as text and its code is skipped. The time it takes grows with the text and no faster.
//!
//! Names are as they are first written. `LLM` and `LLMs` are one thing, as are `redis` and `Redis`.
//! Relations are written as people write them; the tables of `relations` say how.
//!
//! Not here: where the text is from, and where the facts are kept.

mod blocks;
mod clauses;
mod gather;
mod phrases;
mod relations;
#[cfg(test)]
mod tests;
mod tokens;
mod verbs;
mod words;

use clauses::Context;
use gather::Gatherer;
use phrases::{Item, Phrase, Phrases, Seen};
use tokens::{Sentence, Token};

/// No more characters of a text than this are read.
pub const TEXT_CHARS_MAX: usize = 1_000_000;
/// No more entities than this are kept, the first of the text.
pub const ENTITIES_MAX: usize = 1_000;
/// No more relationships than this are kept, the first of the text.
pub const RELATIONSHIPS_MAX: usize = 2_000;

/// A longer sentence states nothing that could be read safely.
const SENTENCE_TOKENS_MAX: usize = 200;

/// What a text speaks of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extracted {
    /// The things, in the order in which they are first named.
    pub entities: Vec<Entity>,
    /// How they are related, in the order of the text. Both ends are among the entities.
    pub relationships: Vec<Relationship>,
}

/// A thing that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// Its name as it is first written.
    pub name: String,
    /// What the text says it is: `framework`.
    pub kind: Option<String>,
    /// The sentence that says what it is, else the first that speaks of it.
    pub summary: Option<String>,
}

/// A fact that a text states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relationship {
    /// The name of the entity that it is a fact about.
    pub from: String,
    /// How the two are related, as people write it: `uses`, `depends on`.
    pub relation: String,
    /// The name of the other entity.
    pub to: String,
    /// The sentence that states it.
    pub sentence: String,
}

/// What `text` speaks of.
///
/// ```
/// let found = rank::extract::extract("Spring AI is a framework. It uses Micrometer.");
/// assert_eq!(found.entities[0].name, "Spring AI");
/// assert_eq!(found.entities[0].kind.as_deref(), Some("framework"));
/// let facts: Vec<_> = found.relationships.iter().map(|r| (&*r.from, &*r.relation, &*r.to)).collect();
/// assert_eq!(facts, [("Spring AI", "is a", "framework"), ("Spring AI", "uses", "Micrometer")]);
/// ```
pub fn extract(text: &str) -> Extracted {
    let end = text.char_indices().nth(TEXT_CHARS_MAX).map_or(text.len(), |(at, _)| at);
    let text = &text[..end];
    let blocks: Vec<(Vec<Sentence<'_>>, bool)> = blocks::blocks(text)
        .iter()
        .map(|block| (tokens::sentences(text, block), block.is_title))
        .collect();
    let mut seen = Seen::default();
    blocks.iter().flat_map(|(sentences, _)| sentences).for_each(|sentence| seen.add(sentence));
    let mut gatherer = Gatherer::default();
    for (sentences, is_title) in &blocks {
        let mut context = Context::default();
        for sentence in sentences {
            context = read(text, sentence, *is_title, &seen, &context, &mut gatherer);
        }
        if gatherer.is_full() {
            break;
        }
    }
    gatherer.done()
}

/// Gathers what a sentence names and states; the context for the next one.
fn read(
    text: &str,
    sentence: &Sentence<'_>,
    is_title: bool,
    seen: &Seen<'_>,
    context: &Context,
    gatherer: &mut Gatherer,
) -> Context {
    let is_long = sentence.tokens.len() > SENTENCE_TOKENS_MAX;
    let mut next = Context::default();
    for tokens in sentence.tokens.chunks(SENTENCE_TOKENS_MAX) {
        let phrases = Phrases::new(text, tokens, seen);
        let items = phrases.items();
        let is_statement =
            !is_title && !is_long && !sentence.is_question && !clauses::is_hedged(&phrases);
        let mut facts = Vec::new();
        if is_statement {
            (facts, next) = clauses::facts(&phrases, &items, context);
        }
        let is_end = |phrase: &Phrase| {
            let name = phrases.written(phrase.name.clone());
            facts.iter().any(|fact| {
                name.as_ref().is_some_and(|name| [&fact.from, &fact.to].contains(&name))
            })
        };
        let names = items.iter().flat_map(|item| match item {
            Item::Phrase(phrase) if !is_end(phrase) => phrases.sure_names(phrase),
            _ => Vec::new(),
        });
        let written = is_statement.then(|| sentence_text(text, tokens));
        let names: Vec<String> = names.collect();
        gatherer.add(names, facts, written.as_deref());
    }
    next
}

/// A sentence as it is written, in one line.
fn sentence_text(text: &str, tokens: &[Token<'_>]) -> String {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return String::new() };
    let is_mark = |c: char| "`*_[]\"“”".contains(c);
    let start = text[..first.at].trim_end_matches(is_mark).len();
    let rest = &text[last.end()..];
    let end = text.len() - rest.trim_start_matches(is_mark).len();
    let written = text.get(start..end).unwrap_or_default();
    written.split_whitespace().collect::<Vec<_>>().join(" ")
}
