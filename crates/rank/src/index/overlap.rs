//! Which texts of one place share most of their words with another text: what that may repeat or
//! contradict.
//!
//! Meant for every write, so its cost does not grow with the place: of each term the newest texts
//! are looked at and no others. Only texts of the place count, so that nobody's answer depends on
//! what others keep.

use model::{MemoryId, Noun, Scope};

use super::Index;
use crate::terms::QueryTerm;

/// So many of the newest texts that hold a term are looked at.
const NEWEST_MAX: usize = 32;

/// No more texts are named.
const FOUND_MAX: usize = 16;

/// A text must hold at least one in so many of the given terms, or consist of them to another share:
/// its own terms have the small words among them, which are not asked for.
const GIVEN_SHARE_MIN: usize = 2;
const OWN_SHARE_MIN: usize = 3;

impl Index {
    /// The memories of a place that share the most terms with `written`, whose terms these are: the
    /// same text once, and neither `written` itself nor archived ones.
    pub fn overlapping(
        &self,
        scope: &Scope,
        terms: &[QueryTerm],
        written: MemoryId,
    ) -> Vec<MemoryId> {
        let Some(home) = self.known_home(scope, Noun::Memory) else { return Vec::new() };
        let ids = terms.iter().filter_map(|term| self.postings.known_id(&term.term));
        let given: Vec<u32> = ids.collect();
        let mut slots: Vec<u32> = Vec::new();
        for id in &given {
            let holding = self.postings.lists[*id as usize].slots.iter().rev().copied();
            let here = holding.filter(|slot| self.places[*slot as usize] == home);
            slots.extend(here.take(NEWEST_MAX));
        }
        slots.sort_unstable();
        slots.dedup();
        let overlaps = slots.into_iter().filter_map(|slot| self.overlap(slot, &given, terms.len()));
        let mut found: Vec<(f32, u32)> = overlaps.collect();
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        let mut texts: Vec<[u8; 16]> = Vec::new();
        let mut memories: Vec<MemoryId> = Vec::new();
        for slot in found.into_iter().map(|(_, slot)| &self.slots[slot as usize]) {
            let other = slot.subject.memory().filter(|id| *id != written);
            if let Some(other) = other.filter(|_| !texts.contains(&slot.hash)) {
                texts.push(slot.hash);
                memories.push(other);
            }
            if memories.len() == FOUND_MAX {
                break;
            }
        }
        memories
    }

    /// How much a text overlaps with another that has so many terms, of which these are known here; none
    /// if that is too little.
    fn overlap(&self, slot: u32, given: &[u32], count: usize) -> Option<(f32, u32)> {
        let held = self.postings.distinct(slot as usize);
        let shared = given.iter().filter(|id| held.binary_search(id).is_ok()).count();
        let own = held.len();
        let is_enough = shared * GIVEN_SHARE_MIN >= count || shared * OWN_SHARE_MIN >= own;
        is_enough.then_some((shared as f32 / count.min(own).max(1) as f32, slot))
    }
}

#[cfg(test)]
mod tests {
    use model::{ContentHash, Layer, Scope, Subject};

    use super::*;
    use crate::index::Entry;
    use crate::terms::query_terms;

    fn id(number: usize) -> MemoryId {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        MemoryId::from_random(bytes)
    }

    fn scope(owner: &str) -> Scope {
        Scope { layer: Layer::User, owner: owner.to_owned() }
    }

    /// Puts in the text of this number.
    fn put(index: &mut Index, number: usize, owner: &str, text: &str, archived: bool) {
        let mut hash = [0; 32];
        let used = text.len().min(32);
        hash[..used].copy_from_slice(&text.as_bytes()[..used]);
        index.put(&Entry {
            key: number as i64,
            subject: Subject::Memory(id(number)),
            scope: &scope(owner),
            archived,
            tags: &[],
            text,
            hash: ContentHash(hash),
            created: number as i64,
            thread: None,
            vector: None,
        });
    }

    fn overlapping(index: &Index, written: usize, text: &str) -> Vec<MemoryId> {
        index.overlapping(&scope("ada"), &query_terms(text), id(written))
    }

    #[test]
    fn what_shares_half_of_the_words_is_named_and_the_most_alike_comes_first() {
        let mut index = Index::new(0);
        put(&mut index, 1, "ada", "the cache is disabled in production", false);
        put(&mut index, 2, "ada", "invoices are paid on Fridays", false);
        put(&mut index, 3, "ada", "a cache of the parser", false);
        put(&mut index, 4, "ada", "the cache is enabled", false);
        assert_eq!(overlapping(&index, 9, "cache enabled in production"), [id(4), id(1)]);
        assert_eq!(overlapping(&index, 4, "cache enabled in production"), [id(1)]);
    }

    #[test]
    fn other_places_and_archived_texts_do_not_count_and_a_text_counts_once() {
        let mut index = Index::new(0);
        put(&mut index, 1, "ada", "the cache is enabled", false);
        put(&mut index, 2, "ada", "the cache is enabled", false);
        put(&mut index, 3, "ada", "the cache is enabled here", true);
        for number in 4..400 {
            put(&mut index, number, "bob", &format!("the cache is enabled {number}"), false);
        }
        assert_eq!(overlapping(&index, 9, "the cache is enabled"), [id(2)]);
        assert_eq!(overlapping(&index, 2, "the cache is enabled"), [id(1)]);
    }

    #[test]
    fn of_a_common_word_only_the_newest_texts_are_looked_at() {
        let mut index = Index::new(0);
        for number in 1..=300 {
            put(&mut index, number, "ada", &format!("{number} cache"), false);
        }
        let found = overlapping(&index, 0, "cache");
        assert_eq!(found.len(), FOUND_MAX);
        assert_eq!(overlapping(&index, 0, "1 cache")[0], id(1), "by the rare word");
    }
}
