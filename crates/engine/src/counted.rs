//! What texts cost a model, counted once: the same texts are found time and again, and counting
//! takes longer than finding them.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

/// The counts of so many texts are kept.
const TEXTS_MAX: usize = 1 << 16;

/// Counts of texts by their hashes.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    hasher: RandomState,
    counts: Mutex<HashMap<u64, u32>>,
}

impl Counted {
    /// The number of o200k tokens in `text`.
    pub(crate) fn tokens(&self, text: &str) -> usize {
        let key = self.hasher.hash_one(text);
        let known = self.lock().get(&key).copied();
        if let Some(count) = known {
            return count as usize;
        }
        let count = rank::tokens::count(text);
        let mut counts = self.lock();
        if counts.len() >= TEXTS_MAX {
            counts.clear();
        }
        counts.insert(key, u32::try_from(count).unwrap_or(u32::MAX));
        count
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, u32>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_costs_the_same_the_second_time() {
        let counted = Counted::default();
        for text in ["", "hello world", "日本語", "hello world"] {
            assert_eq!(counted.tokens(text), rank::tokens::count(text));
        }
        assert_eq!(counted.lock().len(), 3);
    }
}
