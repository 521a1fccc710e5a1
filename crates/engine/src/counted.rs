//! What is worked out of a text, once: the same texts are found time and again, and working it out
//! takes longer than finding them.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

/// What was worked out of so many texts is kept.
const TEXTS_MAX: usize = 1 << 14;

/// What was worked out of texts, by their hashes.
#[derive(Debug)]
pub(crate) struct Counted<T> {
    hasher: RandomState,
    known: Mutex<HashMap<u64, T>>,
}

impl<T> Default for Counted<T> {
    fn default() -> Self {
        Self { hasher: RandomState::default(), known: Mutex::default() }
    }
}

impl<T: Copy> Counted<T> {
    /// What `work` makes of `text`, now or some time ago.
    pub(crate) fn of(&self, text: &str, work: impl FnOnce(&str) -> T) -> T {
        let key = self.hasher.hash_one(text);
        let found = self.lock().get(&key).copied();
        if let Some(found) = found {
            return found;
        }
        let found = work(text);
        let mut known = self.lock();
        if known.len() >= TEXTS_MAX {
            known.clear();
        }
        known.insert(key, found);
        found
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, T>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_costs_the_same_the_second_time() {
        let counted = Counted::default();
        for text in ["", "hello world", "日本語", "hello world"] {
            assert_eq!(counted.of(text, rank::tokens::count), rank::tokens::count(text));
        }
        assert_eq!(counted.lock().len(), 3);
    }
}
