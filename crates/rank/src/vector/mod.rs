//! The vectors of many texts in memory, and the nearest of them to a question.
//!
//! A slot has a vector as [`Quantised`] or none. Where few slots are allowed, the question is
//! compared with each of them. Where many are, in two stages: a scan over one bit a dimension
//! (`signs`) finds some hundreds that may be near, and only those are compared. What comes out has
//! the same cosine in either case; two stages may miss one that an exact scan would have found. The
//! filter works inside: what is not allowed costs nothing and takes nobody's place.
//!
//! The bits exist once there are enough vectors to need them, and are kept current when a slot
//! changes. They lie around the centre of the vectors; once those are eight times as many, the
//! centre is found again. That is one long call now and then, and amortised a short one.
//!
//! Seen on 2 cores of an AMD EPYC with AVX2 that had other work too (`examples/vector_speed`,
//! release, 256 dimensions, 10 nearest of generated sentences, CPU time a search, mean of 100):
//!
//! | slots | allowed | every one compared | `nearest` | recall | memory |
//! |---|---|---|---|---|---|
//! | 10,000 | all | 0.2 ms | 0.1 ms | 0.998 | 5 MB |
//! | 100,000 | all | 2.2 ms | 0.37 ms | 0.998 | 40 MB |
//! | 100,000 | 10 % | 0.33 ms | 0.16 ms | 1.000 | |
//! | 1,000,000 | all | 24 to 33 ms | 3.3 to 3.5 ms | 0.998 | 322 MB |
//! | 1,000,000 | 10 % | 7 to 8 ms | 1.2 to 1.8 ms | 0.995 | |
//! | 1,000,000 | 1 % | 0.5 ms | 0.4 ms | 0.998 | |
//!
//! Vectors without any structure are the worst case: of 100,000 random ones 0.59 of the nearest are
//! found. Another model's texts were not measured.
//!
//! Not here: which texts the slots belong to, and files.

mod best;
mod rotation;
mod signs;

#[cfg(test)]
mod sentences;
#[cfg(test)]
mod tests;

use pulp::{Simd, WithSimd};

use crate::bits::Bits;
use crate::embed::{Embedding, Quantised, dot_codes};
use best::Best;
use signs::{Masks, Signs, Slots};

/// Up to so many allowed slots, comparing all is as fast as two stages.
const EXACT_MAX: usize = 3_000;

/// So many vectors that come all at once are compared without signs until there are noticeably more:
/// whoever asks one question has its answer before the signs of all would be made.
const UNSIGNED_MAX: usize = 20_000;

/// How much more there must be: one for so many.
const UNSIGNED_GROWTH: usize = 8;

/// Shorter vectors are always compared: few signs say little, and comparing is fast.
const DIMENSIONS_MIN: usize = 64;

/// How many times as many vectors there must be for a new centre.
const CENTRE_GROWTH: usize = 8;

/// How many slots are compared in the second stage: for each of the first so many wanted, …
const CANDIDATES_EACH: usize = 64;
const CANDIDATES_FOR_MIN: usize = 10;
/// … for each one beyond that, …
const CANDIDATES_EACH_MORE: usize = 16;
/// … and one more for so many allowed.
const ALLOWED_PER_CANDIDATE: usize = 512;

/// How many slots are waited for at the same time, and the bytes that come from memory at once.
const GROUP: usize = 16;
const CACHE_LINE: usize = 64;

/// The vectors of many texts, one slot each, for finding the nearest.
///
/// ```
/// use rank::{bits::Bits, embed::{Quantised, StaticEmbedder}, vector::Vectors};
///
/// let embed = |text| StaticEmbedder::built_in().embed(text).unwrap();
/// let mut vectors = Vectors::new(256);
/// for text in ["Ada drinks green tea", "the linker fails", "Bruno prefers coffee"] {
///     vectors.push(Some(&Quantised::of(&embed(text))));
/// }
/// let probe = vectors.probe(&embed("a cup of tea")).unwrap();
/// let nearest = vectors.nearest(&probe, &Bits::filled(3, |_| true), 2);
/// assert_eq!(nearest[0].0, 0);
/// assert_eq!(nearest[1].0, 2);
/// ```
#[derive(Debug, Clone)]
pub struct Vectors {
    dimensions: usize,
    codes: Vec<i8>,
    /// 0 where a slot has no vector.
    scales: Vec<f32>,
    /// A bit for each slot that has a vector.
    present: Vec<u64>,
    present_count: usize,
    /// Only once there are enough vectors.
    signs: Option<Signs>,
    /// More than so many are enough.
    unsigned_max: usize,
}

/// A question made ready for comparing it with many vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe(Quantised);

impl Vectors {
    /// No slots yet, for vectors of so many dimensions.
    pub fn new(dimensions: usize) -> Self {
        let (codes, scales, present) = (Vec::new(), Vec::new(), Vec::new());
        let (signs, unsigned_max) = (None, EXACT_MAX);
        Self { dimensions, codes, scales, present, present_count: 0, signs, unsigned_max }
    }

    /// How many numbers a vector has.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How many slots there are, with and without a vector.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Whether there is no slot.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Adds a slot and says which. A vector of other dimensions counts as none.
    pub fn push(&mut self, vector: Option<&Quantised>) -> usize {
        let slot = self.len();
        self.codes.resize(self.codes.len() + self.dimensions, 0);
        self.scales.push(0.0);
        if slot.is_multiple_of(64) {
            self.present.push(0);
        }
        self.set(slot, vector);
        slot
    }

    /// Replaces the vector of a slot, or takes it away. A slot that does not exist is not set, and a
    /// vector of other dimensions counts as none.
    pub fn set(&mut self, slot: usize, vector: Option<&Quantised>) {
        let Some(old_scale) = self.scales.get_mut(slot) else { return };
        let codes = &mut self.codes[slot * self.dimensions..][..self.dimensions];
        let fits =
            |vector: &&Quantised| vector.codes.len() == codes.len() && is_scale(vector.scale);
        let vector = vector.filter(fits);
        match vector {
            Some(vector) => codes.copy_from_slice(&vector.codes),
            None => codes.fill(0),
        }
        let scale = vector.map_or(0.0, |vector| vector.scale);
        self.present_count -= usize::from(is_scale(*old_scale));
        self.present_count += usize::from(is_scale(scale));
        *old_scale = scale;
        let bit = 1 << (slot % 64);
        let present = &mut self.present[slot / 64];
        *present = if is_scale(scale) { *present | bit } else { *present & !bit };
        self.sign(slot);
    }

    /// The question, ready to be compared; none if it has other dimensions than the vectors.
    pub fn probe(&self, query: &Embedding) -> Option<Probe> {
        (query.as_slice().len() == self.dimensions).then(|| Probe(Quantised::of(query)))
    }

    /// The cosine of a question and a slot's vector, -1 to 1; none if the slot has no vector.
    pub fn cosine(&self, probe: &Probe, slot: usize) -> Option<f32> {
        let is_present = self.scales.get(slot).is_some_and(|scale| is_scale(*scale));
        is_present.then(|| self.slots().cosine(probe, slot))
    }

    /// The same for many slots, in their order.
    pub fn cosines(&self, probe: &Probe, slots: &[u32]) -> Vec<Option<f32>> {
        pulp::Arch::new().dispatch(CompareEach { vectors: self, probe, list: slots })
    }

    /// The `k` nearest of the allowed slots and their cosines, the best first, of equals the lower
    /// slot first. Where many are allowed, one in a hundred or so may be missed.
    pub fn nearest(&self, probe: &Probe, allowed: &Bits, k: usize) -> Vec<(u32, f32)> {
        let masks = self.masks(allowed);
        let count = masks.count();
        let more = k.saturating_sub(CANDIDATES_FOR_MIN).saturating_mul(CANDIDATES_EACH_MORE);
        let candidates = (CANDIDATES_FOR_MIN * CANDIDATES_EACH)
            .saturating_add(more)
            .saturating_add(count / ALLOWED_PER_CANDIDATE);
        match &self.signs {
            Some(signs) if count > EXACT_MAX.max(candidates.saturating_mul(2)) => {
                let row = signs.row_of(&probe.0.codes, probe.0.scale);
                let list = &signs.nearest(&row, masks, candidates);
                let comparison = Comparison::new(self.slots(), probe, k);
                pulp::Arch::new().dispatch(CompareList { comparison, list })
            }
            _ => self.nearest_exact(probe, allowed, k),
        }
    }

    /// What [`Vectors::nearest`] should find, by comparing with every allowed slot.
    pub fn nearest_exact(&self, probe: &Probe, allowed: &Bits, k: usize) -> Vec<(u32, f32)> {
        let comparison = Comparison::new(self.slots(), probe, k);
        pulp::Arch::new().dispatch(CompareMasks { comparison, masks: self.masks(allowed) })
    }

    /// The codes of all slots one behind the other, and a scale each: 0 where there is no vector.
    pub fn as_parts(&self) -> (&[i8], &[f32]) {
        (&self.codes, &self.scales)
    }

    /// What [`Vectors::as_parts`] gave; none if it cannot have been that.
    pub fn from_parts(dimensions: usize, codes: Vec<i8>, scales: Vec<f32>) -> Option<Self> {
        let are_scales = scales.iter().all(|scale| *scale == 0.0 || is_scale(*scale));
        if !are_scales || scales.len().checked_mul(dimensions)? != codes.len() {
            return None;
        }
        let word = |scales: &[f32]| {
            scales
                .iter()
                .zip(0..)
                .fold(0, |word, (scale, at)| word | (u64::from(is_scale(*scale)) << at))
        };
        let present: Vec<u64> = scales.chunks(64).map(word).collect();
        let present_count: usize = present.iter().map(|word| word.count_ones() as usize).sum();
        let unsigned_max = if present_count <= UNSIGNED_MAX {
            EXACT_MAX.max(present_count + present_count / UNSIGNED_GROWTH)
        } else {
            EXACT_MAX
        };
        let signs = None;
        let mut vectors =
            Self { dimensions, codes, scales, present, present_count, signs, unsigned_max };
        vectors.centre();
        Some(vectors)
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        self.codes.shrink_to_fit();
        self.scales.shrink_to_fit();
        self.present.shrink_to_fit();
        if let Some(signs) = &mut self.signs {
            signs.shrink();
        }
    }

    /// The memory taken.
    pub fn bytes(&self) -> usize {
        self.codes.capacity()
            + self.scales.capacity() * size_of::<f32>()
            + self.present.capacity() * size_of::<u64>()
            + self.signs.as_ref().map_or(0, Signs::bytes)
    }

    fn slots(&self) -> Slots<'_> {
        Slots { dimensions: self.dimensions, codes: &self.codes, scales: &self.scales }
    }

    fn masks<'a>(&'a self, allowed: &'a Bits) -> Masks<'a> {
        Masks { present: &self.present, allowed: allowed.words() }
    }

    /// Keeps the signs of a slot current; makes those of all when it is time to.
    fn sign(&mut self, slot: usize) {
        let Some(signs) = &mut self.signs else { return self.centre() };
        if self.present_count >= signs.centred_at.saturating_mul(CENTRE_GROWTH) {
            return self.centre();
        }
        let codes = &self.codes[slot * self.dimensions..][..self.dimensions];
        signs.put(slot, codes, self.scales[slot]);
    }

    /// Finds the centre and makes the signs of all slots, if there are enough vectors to need them.
    fn centre(&mut self) {
        if self.present_count > self.unsigned_max && self.dimensions >= DIMENSIONS_MIN {
            self.signs = Some(Signs::of(self.slots(), self.present_count));
        }
    }
}

/// Whether it is the scale of a vector.
#[inline(always)]
fn is_scale(scale: f32) -> bool {
    scale > 0.0 && scale.is_finite()
}

impl Slots<'_> {
    #[inline(always)]
    fn cosine(self, probe: &Probe, slot: usize) -> f32 {
        let dot = dot_codes(&probe.0.codes, self.codes(slot)) as f32;
        (dot * probe.0.scale * self.scales[slot]).clamp(-1.0, 1.0)
    }

    /// Has the codes of a group come from memory, if they lie apart.
    #[inline(always)]
    fn touch(self, group: &[u32]) {
        if group.last() > group.first().map(|first| first + 2 * GROUP as u32).as_ref() {
            let mut touched = 0;
            for slot in group {
                for line in self.codes(*slot as usize).chunks(CACHE_LINE) {
                    touched ^= line[0];
                }
            }
            std::hint::black_box(touched);
        }
    }
}

/// Compares slots with a question, a group of them at a time.
///
/// Where the slots of a group lie apart, each must be waited for. Touching all of them before the
/// first is read lets that happen at the same time; it takes half of the time or less.
struct Comparison<'a> {
    slots: Slots<'a>,
    probe: &'a Probe,
    best: Best,
    group: [u32; GROUP],
    grouped: usize,
}

impl<'a> Comparison<'a> {
    fn new(slots: Slots<'a>, probe: &'a Probe, k: usize) -> Self {
        Self { slots, probe, best: Best::new(k), group: [0; GROUP], grouped: 0 }
    }

    /// Takes the next slot; they come in ascending order.
    #[inline(always)]
    fn take(&mut self, slot: u32) {
        self.group[self.grouped] = slot;
        self.grouped += 1;
        if self.grouped == GROUP {
            self.compare();
        }
    }

    #[inline(always)]
    fn compare(&mut self) {
        let group = &self.group[..self.grouped];
        self.slots.touch(group);
        for slot in group {
            self.best.offer(*slot, self.slots.cosine(self.probe, *slot as usize));
        }
        self.grouped = 0;
    }

    #[inline(always)]
    fn into_sorted(mut self) -> Vec<(u32, f32)> {
        self.compare();
        self.best.into_sorted()
    }
}

// Types and not closures: only what is always inlined is compiled for the machine at hand.

struct CompareMasks<'a> {
    comparison: Comparison<'a>,
    masks: Masks<'a>,
}

impl WithSimd for CompareMasks<'_> {
    type Output = Vec<(u32, f32)>;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> Self::Output {
        for word in 0..self.masks.len() {
            let mut left = self.masks.word(word);
            while left != 0 {
                self.comparison.take((word * 64) as u32 + left.trailing_zeros());
                left &= left - 1;
            }
        }
        self.comparison.into_sorted()
    }
}

struct CompareList<'a> {
    comparison: Comparison<'a>,
    /// Ascending.
    list: &'a [u32],
}

impl WithSimd for CompareList<'_> {
    type Output = Vec<(u32, f32)>;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> Self::Output {
        for slot in self.list {
            self.comparison.take(*slot);
        }
        self.comparison.into_sorted()
    }
}

struct CompareEach<'a> {
    vectors: &'a Vectors,
    probe: &'a Probe,
    /// Ascending.
    list: &'a [u32],
}

impl WithSimd for CompareEach<'_> {
    type Output = Vec<Option<f32>>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let (all, mut cosines) = (self.vectors.slots(), Vec::with_capacity(self.list.len()));
        for group in self.list.chunks(GROUP) {
            all.touch(group);
            for slot in group {
                let slot = *slot as usize;
                let is_present = is_scale(all.scales[slot]);
                cosines.push(if is_present { Some(all.cosine(self.probe, slot)) } else { None });
            }
        }
        cosines
    }
}
