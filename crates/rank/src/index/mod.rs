//! What a search looks at, in memory: the words, the vector and the place of every text.
//!
//! The rows of the store are the truth; an index is a view of them that can be thrown away. It
//! changes by one entry at a time, so that a process follows what others write before it answers.
//! Each entry has a slot; a changed text gets a new one, and slots are not used again.
//!
//! Filters work inside the search: words and vectors are only compared in slots that are allowed,
//! so that the one memory of a small project is found among 100,000 of others.
//!
//! Not here: reading rows, and which of the hits a caller gets.

mod close;
mod filter;
mod intake;
#[cfg(test)]
mod languages;
mod overlap;
mod postings;
mod search;
mod snapshot;
mod tally;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use model::{ContentHash, Noun, Scope, Subject};

pub use close::{Close, WordOf};
pub use filter::Filter;
pub use intake::Intake;
pub use search::{Ask, Candidate};
pub use snapshot::{Header, SNAPSHOT_VERSION};

use crate::embed::{Quantised, word_tokens};
use crate::vector::Vectors;
use filter::Recent;
use postings::Postings;
use tally::Tally;

/// No slot.
const NONE: u32 = u32::MAX;

/// The bit of a place that says that the memory there is archived.
const ARCHIVED: u32 = 1 << 31;

/// Entries of one thread are neighbours if they were stored within this time: who comes back to a
/// session after lunch talks of something else.
const NEIGHBOURS_MICROS_MAX: u64 = 30 * 60 * 1_000_000;

/// Where an entry lies, and what kind of thing it is.
type Home = (Scope, Noun);

/// A text, and what is needed to find it.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    /// Its number in the store: later is greater.
    pub key: i64,
    /// What it is.
    pub subject: Subject,
    /// Where it lies.
    pub scope: &'a Scope,
    /// Whether it is archived.
    pub archived: bool,
    /// Its tags.
    pub tags: &'a [String],
    /// The text.
    pub text: &'a str,
    /// The hash of the text.
    pub hash: ContentHash,
    /// When it was stored, in microseconds.
    pub created: i64,
    /// The session, conversation or document that it was stored in.
    pub thread: Option<&'a str>,
    /// Its vector, if it has one.
    pub vector: Option<&'a Quantised>,
}

/// What is kept of an entry beside its words and its vector.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Slot {
    key: i64,
    subject: Subject,
    hash: [u8; 16],
    created: i64,
    /// The hash of place and thread.
    thread: u64,
    /// The slots of the entries stored before and after it in the same thread.
    before: u32,
    after: u32,
}

/// A text taken apart: its terms by number, and the tokens of its telling words.
#[derive(Debug, Clone, PartialEq)]
struct Parts {
    terms: Vec<u32>,
    words: Vec<u16>,
}

/// The entries of one store, with the vectors of one model.
#[derive(Debug, Clone)]
pub struct Index {
    homes: Vec<Home>,
    /// How much lies in each home.
    tallies: Vec<Tally>,
    /// The number of each home, by scope and noun; [`NONE`] where there is none.
    home_ids: HashMap<Scope, [u32; Noun::ALL.len()]>,
    tag_ids: HashMap<Box<str>, u32>,
    /// The slots that have a tag, or had it when they went out of use, ascending.
    tagged: Vec<Vec<u32>>,
    slots: Vec<Slot>,
    /// The home of each slot, with [`ARCHIVED`]; [`NONE`] if it is not in use.
    places: Vec<u32>,
    tags: Vec<Box<[u32]>>,
    by_key: HashMap<i64, u32>,
    /// The last slot of each thread.
    lasts: HashMap<u64, u32>,
    postings: Postings,
    /// The tokens of each slot's words, one slot behind the other, and where they end.
    words: Vec<u16>,
    word_ends: Vec<u64>,
    vectors: Vectors,
    recent: Recent,
}

impl Index {
    /// An index of nothing yet, for vectors of so many dimensions.
    pub fn new(dimensions: usize) -> Self {
        Self {
            homes: Vec::new(),
            tallies: Vec::new(),
            home_ids: HashMap::new(),
            tag_ids: HashMap::new(),
            tagged: Vec::new(),
            slots: Vec::new(),
            places: Vec::new(),
            tags: Vec::new(),
            by_key: HashMap::new(),
            lasts: HashMap::new(),
            postings: Postings::default(),
            words: Vec::new(),
            word_ends: Vec::new(),
            vectors: Vectors::new(dimensions),
            recent: Recent::default(),
        }
    }

    /// Where something lies, or once lay.
    pub fn scopes(&self) -> impl Iterator<Item = &Scope> {
        self.home_ids.keys()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// Whether so many slots are out of use that a new index would be much smaller.
    pub fn is_wasteful(&self) -> bool {
        self.slots.len() > 2 * self.by_key.len() + 1024 || self.postings.is_wasteful()
    }

    /// How many dimensions the vectors have.
    pub fn dimensions(&self) -> usize {
        self.vectors.dimensions()
    }

    /// Puts an entry in, in place of the one with its key.
    pub fn put(&mut self, entry: &Entry<'_>) {
        self.put_by(entry, Self::parts);
    }

    /// For putting in many entries.
    pub fn intake(&mut self) -> Intake<'_> {
        Intake::into(self)
    }

    /// Puts an entry in; `parts` takes its text apart.
    fn put_by(&mut self, entry: &Entry<'_>, parts: impl FnOnce(&mut Self, &str) -> Parts) {
        self.recent.forget();
        let home = self.home_id(entry.scope, entry.subject.noun());
        let place = home | if entry.archived { ARCHIVED } else { 0 };
        let known = self.by_key.get(&entry.key).map(|slot| *slot as usize);
        match known {
            Some(slot) if self.slots[slot].hash == short(entry.hash) => {
                self.settle(slot, place);
                self.vectors.set(slot, entry.vector);
                self.tag(slot, entry.tags);
            }
            _ => {
                let parts = parts(self, entry.text);
                self.append(entry, place, known, parts);
            }
        }
    }

    /// Takes the entry with this key out, if it is in.
    pub fn remove(&mut self, key: i64) {
        let Some(slot) = self.by_key.remove(&key) else { return };
        self.recent.forget();
        let Slot { before, after, thread, .. } = self.slots[slot as usize];
        if let Some(before) = self.slots.get_mut(before as usize) {
            before.after = after;
        }
        if let Some(after) = self.slots.get_mut(after as usize) {
            after.before = before;
        } else if before == NONE {
            self.lasts.remove(&thread);
        } else {
            self.lasts.insert(thread, before);
        }
        self.retire(slot as usize);
    }

    fn parts(&mut self, text: &str) -> Parts {
        Parts { terms: self.postings.ids_of(text), words: word_tokens(text) }
    }

    fn append(&mut self, entry: &Entry<'_>, place: u32, known: Option<usize>, parts: Parts) {
        let slot = self.slots.len() as u32;
        let thread = thread(place & !ARCHIVED, entry.thread);
        let (before, after) = match known.map(|slot| self.slots[slot]) {
            Some(old) => (old.before, old.after),
            None => (self.lasts.get(&thread).copied().unwrap_or(NONE), NONE),
        };
        if let Some(before) = self.slots.get_mut(before as usize) {
            before.after = slot;
        }
        match self.slots.get_mut(after as usize) {
            Some(after) => after.before = slot,
            None => _ = self.lasts.insert(thread, slot),
        }
        if let Some(old) = known {
            self.retire(old);
        }
        self.slots.push(Slot {
            key: entry.key,
            subject: entry.subject,
            hash: short(entry.hash),
            created: entry.created,
            thread,
            before,
            after,
        });
        self.places.push(NONE);
        self.tags.push(Box::default());
        self.tag(slot as usize, entry.tags);
        self.postings.push(parts.terms);
        self.settle(slot as usize, place);
        self.words.extend(parts.words);
        self.word_ends.push(self.words.len() as u64);
        self.vectors.push(entry.vector);
        self.by_key.insert(entry.key, slot);
    }

    /// Gives back memory that is not in use.
    fn shrink(&mut self) {
        self.slots.shrink_to_fit();
        self.places.shrink_to_fit();
        self.tags.shrink_to_fit();
        self.tagged.iter_mut().for_each(Vec::shrink_to_fit);
        self.postings.shrink();
        self.words.shrink_to_fit();
        self.word_ends.shrink_to_fit();
        self.vectors.shrink();
    }

    fn retire(&mut self, slot: usize) {
        self.settle(slot, NONE);
        self.tags[slot] = Box::default();
        self.postings.retire(slot);
        self.vectors.set(slot, None);
    }

    fn tag(&mut self, slot: usize, tags: &[String]) {
        let ids: Box<[u32]> = tags.iter().map(|tag| self.tag_id(tag)).collect();
        for id in self.tags[slot].iter().filter(|id| !ids.contains(id)) {
            let tagged = &mut self.tagged[*id as usize];
            if let Ok(at) = tagged.binary_search(&(slot as u32)) {
                tagged.remove(at);
            }
        }
        for id in &ids {
            let tagged = &mut self.tagged[*id as usize];
            if let Err(at) = tagged.binary_search(&(slot as u32)) {
                tagged.insert(at, slot as u32);
            }
        }
        self.tags[slot] = ids;
    }

    fn tag_id(&mut self, tag: &str) -> u32 {
        if let Some(id) = self.tag_ids.get(tag) {
            return *id;
        }
        let id = self.tagged.len() as u32;
        self.tag_ids.insert(tag.into(), id);
        self.tagged.push(Vec::new());
        id
    }

    fn home_id(&mut self, scope: &Scope, noun: Noun) -> u32 {
        if let Some(id) = self.known_home(scope, noun) {
            return id;
        }
        let id = self.homes.len() as u32;
        let none = [NONE; Noun::ALL.len()];
        self.home_ids.entry(scope.clone()).or_insert(none)[noun as usize] = id;
        self.homes.push((scope.clone(), noun));
        self.tallies.push(Tally::default());
        id
    }

    fn known_home(&self, scope: &Scope, noun: Noun) -> Option<u32> {
        let id = self.home_ids.get(scope)?[noun as usize];
        (id != NONE).then_some(id)
    }

    /// The slots stored next to this one in the same session, conversation or document.
    fn neighbours(&self, slot: u32) -> impl Iterator<Item = u32> + '_ {
        let here = self.slots[slot as usize];
        let is_near = move |there: u32| {
            let there = self.slots[there as usize];
            here.created.abs_diff(there.created) <= NEIGHBOURS_MICROS_MAX
        };
        [here.before, here.after].into_iter().filter(move |slot| *slot != NONE && is_near(*slot))
    }
}

/// Enough of a hash to tell texts apart.
fn short(hash: ContentHash) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&hash.0[..16]);
    short
}

fn thread(home: u32, name: Option<&str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (home, name).hash(&mut hasher);
    hasher.finish()
}
