//! Which slots a search may look at.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use model::{Noun, Scope};
use pulp::{Simd, WithSimd};

use super::tally::Tally;
use super::{ARCHIVED, Index, NONE};
use crate::bits::{Bits, bits_of};

/// Up to so many allowed slots are few.
const FEW_MAX: usize = 1024;

/// The slots of so many filters are kept.
const RECENT_MAX: usize = 8;

/// What an entry must be like to be looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter<'a> {
    /// It lies in one of these.
    pub scopes: &'a [Scope],
    /// It is one of these.
    pub nouns: &'a [Noun],
    /// Archived entries count too.
    pub archived: bool,
    /// It has at least one of these; none means any entry.
    pub tags_any: &'a [String],
    /// It has one of these keys; `None` means any entry.
    pub keys: Option<&'a HashSet<i64>>,
}

/// Memories, and nowhere yet.
impl Default for Filter<'_> {
    fn default() -> Self {
        let nouns = &[Noun::Memory];
        Self { scopes: &[], nouns, archived: false, tags_any: &[], keys: None }
    }
}

/// The slots that a filter lets through.
#[derive(Debug)]
pub(super) struct Allowed {
    bits: Bits,
    count: usize,
    /// The slots one by one, if they are few.
    few: Option<Vec<u32>>,
    /// How many terms a text has there on average, archived ones included.
    mean: f32,
}

impl Allowed {
    fn of(bits: Bits, mean: f32) -> Self {
        let count = bits.count();
        let few = (count <= FEW_MAX).then(|| bits.iter().map(|slot| slot as u32).collect());
        Self { bits, count, few, mean }
    }

    pub(super) fn bits(&self) -> &Bits {
        &self.bits
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// All of them, ascending, if they are no more than [`FEW_MAX`].
    pub(super) fn few(&self) -> Option<&[u32]> {
        self.few.as_deref()
    }

    /// How many terms a text has there on average.
    pub(super) fn mean(&self) -> f32 {
        self.mean
    }

    pub(super) fn contains(&self, slot: usize) -> bool {
        self.bits.contains(slot)
    }
}

/// The slots of the places that were asked for last, until something changes: most searches are
/// made by one caller.
#[derive(Debug, Default)]
pub(super) struct Recent(Mutex<Vec<(Vec<u32>, Arc<Allowed>)>>);

impl Recent {
    /// The slots of these places, found before or now.
    fn of(&self, open: &[u32], find: impl FnOnce() -> Allowed) -> Arc<Allowed> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, allowed)) = kept.iter().find(|(places, _)| places == open) {
            return Arc::clone(allowed);
        }
        let allowed = Arc::new(find());
        if kept.len() == RECENT_MAX {
            kept.remove(0);
        }
        kept.push((open.to_vec(), Arc::clone(&allowed)));
        allowed
    }

    /// Something changed.
    pub(super) fn forget(&mut self) {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// A copy of an index changes by itself.
impl Clone for Recent {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Index {
    /// The slots that a filter lets through.
    pub(super) fn allowed(&self, filter: &Filter<'_>) -> Arc<Allowed> {
        let homes = filter
            .scopes
            .iter()
            .flat_map(|scope| filter.nouns.iter().filter_map(|noun| self.known_home(scope, *noun)));
        let mut open: Vec<u32> = homes.collect();
        let mean = self.mean(&open);
        if filter.archived {
            open.extend(open.clone().iter().map(|id| id | ARCHIVED));
        }
        if filter.tags_any.is_empty() && filter.keys.is_none() {
            return self.recent.of(&open, || Allowed::of(self.in_places(&open), mean));
        }
        let mut bits = if filter.tags_any.is_empty() {
            self.in_places(&open)
        } else {
            self.tagged(filter.tags_any, &open)
        };
        let Some(keys) = filter.keys else { return Arc::new(Allowed::of(bits, mean)) };
        bits = Bits::filled(self.slots.len(), |slot| {
            bits.contains(slot) && keys.contains(&self.slots[slot].key)
        });
        let length = bits.iter().map(|slot| self.postings.length(slot)).sum();
        let mean = Tally { texts: bits.count() as u64, length }.mean();
        Arc::new(Allowed::of(bits, mean))
    }

    /// How many terms a text has on average in these homes.
    fn mean(&self, homes: &[u32]) -> f32 {
        let of = |home: &u32| self.tallies[*home as usize];
        homes.iter().map(of).fold(Tally::default(), Tally::and).mean()
    }

    /// The slots in these places.
    fn in_places(&self, open: &[u32]) -> Bits {
        let words = pulp::Arch::new().dispatch(Select { places: &self.places, open });
        Bits::from_words(words, self.places.len())
    }

    /// The slots in these places that have one of the tags.
    fn tagged(&self, tags: &[String], open: &[u32]) -> Bits {
        let mut tagged = Bits::none(self.slots.len());
        for id in tags.iter().filter_map(|tag| self.tag_ids.get(tag.as_str())) {
            let slots = self.tagged[*id as usize].iter().map(|slot| *slot as usize);
            let inside = slots.filter(|slot| open.contains(&self.places[*slot]));
            inside.for_each(|slot| tagged.insert(slot));
        }
        tagged
    }
}

/// Which places are open. A type, so that it is compiled for the machine at hand.
struct Select<'a> {
    places: &'a [u32],
    open: &'a [u32],
}

impl WithSimd for Select<'_> {
    type Output = Vec<u64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<u64> {
        let (whole, rest) = self.places.as_chunks::<64>();
        let mut words = Vec::with_capacity(whole.len() + 1);
        for places in whole {
            words.push(select(places, self.open));
        }
        if !rest.is_empty() {
            let mut places = [NONE; 64];
            places[..rest.len()].copy_from_slice(rest);
            words.push(select(&places, self.open));
        }
        words
    }
}

/// A bit for each place that is open.
#[inline(always)]
fn select(places: &[u32; 64], open: &[u32]) -> u64 {
    let mut hits = [0_u32; 64];
    for id in open {
        for (hit, place) in hits.iter_mut().zip(places) {
            *hit |= u32::from(place == id);
        }
    }
    let mut word = 0;
    for (at, hits) in hits.as_chunks::<8>().0.iter().enumerate() {
        let mut bytes = [0; 8];
        for (byte, hit) in bytes.iter_mut().zip(hits) {
            *byte = *hit as u8;
        }
        word |= bits_of(bytes) << (8 * at);
    }
    word
}
