//! Which slots a search may look at.

use std::collections::HashSet;

use model::Scope;
use pulp::{Simd, WithSimd};

use super::{ARCHIVED, Index, NONE};
use crate::bits::Bits;

/// Up to so many allowed slots are few.
pub(super) const FEW_MAX: usize = 1024;

/// What an entry must be like to be looked at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter<'a> {
    /// It lies in one of these.
    pub scopes: &'a [Scope],
    /// Archived entries count too.
    pub archived: bool,
    /// It has at least one of these; none means any entry.
    pub tags_any: &'a [String],
    /// It has one of these keys; `None` means any entry.
    pub keys: Option<&'a HashSet<i64>>,
}

/// The slots that a filter lets through.
#[derive(Debug)]
pub(super) struct Allowed {
    bits: Bits,
    count: usize,
    /// The slots one by one, if they are few.
    few: Option<Vec<u32>>,
}

impl Allowed {
    fn of(bits: Bits) -> Self {
        let count = bits.count();
        let few = (count <= FEW_MAX).then(|| bits.iter().map(|slot| slot as u32).collect());
        Self { bits, count, few }
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

    pub(super) fn contains(&self, slot: usize) -> bool {
        self.bits.contains(slot)
    }
}

impl Index {
    /// The slots that a filter lets through.
    pub(super) fn allowed(&self, filter: &Filter<'_>) -> Allowed {
        let mut open: Vec<u32> =
            filter.scopes.iter().filter_map(|scope| self.scope_ids.get(scope).copied()).collect();
        if filter.archived {
            open.extend(open.clone().iter().map(|id| id | ARCHIVED));
        }
        let mut bits = if filter.tags_any.is_empty() {
            let words = pulp::Arch::new().dispatch(Select { places: &self.places, open: &open });
            Bits::from_words(words, self.places.len())
        } else {
            let mut tagged = Bits::none(self.slots.len());
            for id in filter.tags_any.iter().filter_map(|tag| self.tag_ids.get(tag.as_str())) {
                let slots = self.tagged[*id as usize].iter().map(|slot| *slot as usize);
                slots
                    .filter(|slot| open.contains(&self.places[*slot]))
                    .for_each(|s| tagged.insert(s));
            }
            tagged
        };
        if let Some(keys) = filter.keys {
            bits = Bits::filled(self.slots.len(), |slot| {
                bits.contains(slot) && keys.contains(&self.slots[slot].key)
            });
        }
        Allowed::of(bits)
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
        // The product has the lowest bits of the eight bytes side by side in its highest byte.
        let bits = u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        word |= bits << (8 * at);
    }
    word
}
