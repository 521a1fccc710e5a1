//! Many entries at once, as when a whole store is read.
//!
//! Most of the time of taking in a text goes into its words: folding, stemming, finding them among
//! all others. Texts share most of their words, so what was found out about one is kept until all
//! are in. The index comes out as if each entry had been put in by itself.

use std::collections::HashMap;

use super::{Entry, Index, Parts};
use crate::embed::{Tokens, tokens};

/// What was found out about so many parts of texts is kept at the most.
const KNOWN_MAX: usize = 1 << 16;

/// A longer part of a text is not likely to come again.
const PART_BYTES_MAX: usize = 24;

/// Takes entries into an index; [`Intake::finish`] gives back what it no longer needs.
#[derive(Debug)]
pub struct Intake<'a> {
    index: &'a mut Index,
    known: HashMap<Box<str>, Part>,
}

/// The terms and the tokens of what stands between two spaces.
#[derive(Debug)]
struct Part {
    terms: Vec<u32>,
    tokens: Vec<u16>,
}

impl<'a> Intake<'a> {
    pub(super) fn into(index: &'a mut Index) -> Self {
        Self { index, known: HashMap::new() }
    }

    /// Puts an entry in, in place of the one with its key.
    pub fn put(&mut self, entry: &Entry<'_>) {
        let Self { index, known } = self;
        index.put_by(entry, |index, text| parts(index, known, text));
    }

    /// Takes the entry with this key out, if it is in.
    pub fn remove(&mut self, key: i64) {
        self.index.remove(key);
    }

    /// Nothing comes any more.
    pub fn finish(self) {
        self.index.shrink();
    }
}

fn parts(index: &mut Index, known: &mut HashMap<Box<str>, Part>, text: &str) -> Parts {
    // What stands between spaces is independent of the rest only where no character changes with
    // its neighbours.
    if !text.is_ascii() {
        return index.parts(text);
    }
    let (mut terms, mut all) = (Vec::new(), Tokens::default());
    for text in text.split([' ', '\n']).filter(|text| !text.is_empty()) {
        if let Some(part) = known.get(text) {
            part.add_to(&mut terms, &mut all);
            continue;
        }
        let part = Part { terms: index.postings.ids_of(text), tokens: tokens(text) };
        part.add_to(&mut terms, &mut all);
        if text.len() <= PART_BYTES_MAX && known.len() < KNOWN_MAX {
            known.insert(text.into(), part);
        }
    }
    Parts { terms, words: all.telling() }
}

impl Part {
    fn add_to(&self, terms: &mut Vec<u32>, tokens: &mut Tokens) {
        terms.extend_from_slice(&self.terms);
        tokens.extend(&self.tokens);
    }
}

#[cfg(test)]
mod tests {
    use model::{ContentHash, Layer, MemoryId, Scope, Subject};
    use proptest::prelude::*;

    use super::*;
    use crate::embed::word_tokens;
    use crate::index::Header;

    fn put_all(texts: &[String], mut put: impl FnMut(&Entry<'_>)) {
        let scope = Scope { layer: Layer::User, owner: "ada".to_owned() };
        for (text, key) in texts.iter().zip(1..) {
            put(&Entry {
                key,
                subject: Subject::Memory(MemoryId::from_random([key as u8; 16])),
                scope: &scope,
                archived: false,
                tags: &[],
                text,
                hash: ContentHash([key as u8; 32]),
                created: key,
                thread: None,
                vector: None,
            });
        }
    }

    fn bytes(index: &Index) -> Vec<u8> {
        index.to_bytes(&Header { model: String::new(), at: 1, mark: 1 })
    }

    proptest! {
        #[test]
        fn an_index_is_the_same_however_entries_come_in(
            texts in proptest::collection::vec("[ -~\\n\\t\\x0b\\x0c\\x1fäß日]{0,60}", 0..12),
        ) {
            let (mut one, mut other) = (Index::new(0), Index::new(0));
            put_all(&texts, |entry| one.put(entry));
            let mut intake = other.intake();
            put_all(&texts, |entry| intake.put(entry));
            intake.finish();
            prop_assert_eq!(bytes(&one), bytes(&other));
        }
    }

    #[test]
    fn what_stands_behind_the_last_token_does_not_count() {
        let text = format!("{}tail", "ab, cd ".repeat(300));
        let mut index = Index::new(0);
        let parts = parts(&mut index, &mut HashMap::new(), &text);
        assert_eq!(parts.words, word_tokens(&text));
    }
}
