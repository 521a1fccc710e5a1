//! The rough picture of a vector: one bit a dimension, to find out which vectors are worth a look.
//!
//! A bit is the sign of a dimension after the centre of all vectors was taken away and the rest was
//! rotated ([`Rotation`]). The fewer signs of two vectors differ, the nearer they are, about. What is
//! near for sure the codes decide, not here.
//!
//! Invariant: there is a row of signs for every slot, and it is that of the slot's vector under the
//! centre kept here.

use super::rotation::Rotation;

/// No more vectors than this are read to find the centre.
const CENTRE_SAMPLE: usize = 1 << 16;

/// With so many slots of 64 wanted, all 64 are compared at once, and the others forgotten.
const BLOCK_WORTH: u32 = 16;

/// The signs of all slots.
#[derive(Debug, Clone)]
pub(super) struct Signs {
    centre: Box<[f32]>,
    rotation: Rotation,
    /// 64-bit words a slot.
    words: usize,
    rows: Vec<u64>,
    /// How many vectors there were when the centre was found.
    pub(super) centred_at: usize,
}

/// The codes and scales of all slots, as [`super::Vectors`] has them.
#[derive(Clone, Copy)]
pub(super) struct Slots<'a> {
    pub(super) dimensions: usize,
    pub(super) codes: &'a [i8],
    pub(super) scales: &'a [f32],
}

impl<'a> Slots<'a> {
    #[inline(always)]
    pub(super) fn codes(self, slot: usize) -> &'a [i8] {
        &self.codes[slot * self.dimensions..][..self.dimensions]
    }
}

impl Signs {
    /// The signs of all slots around their centre. Distances must fit 16 bits: no signs for vectors
    /// longer than that.
    pub(super) fn of(slots: Slots<'_>, present: usize) -> Option<Signs> {
        let words = slots.dimensions.div_ceil(64);
        if words * 64 > usize::from(u16::MAX) || words == 0 {
            return None;
        }
        let centre = centre(slots, present);
        let rotation = Rotation::new(words * 64);
        let rows = vec![0; slots.scales.len() * words];
        let mut signs = Signs { centre, rotation, words, rows, centred_at: present };
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                let mut row = vec![0; words];
                let mut space = vec![0.0; words * 64];
                for (slot, scale) in slots.scales.iter().enumerate() {
                    signs.read(slots.codes(slot), *scale, &mut space, &mut row);
                    signs.rows[slot * words..][..words].copy_from_slice(&row);
                }
            },
        );
        Some(signs)
    }

    /// Replaces the signs of a slot, or adds those of the next one.
    pub(super) fn put(&mut self, slot: usize, codes: &[i8], scale: f32) {
        let row = self.row_of(codes, scale);
        self.rows.resize(self.rows.len().max((slot + 1) * self.words), 0);
        self.rows[slot * self.words..][..self.words].copy_from_slice(&row);
    }

    /// The signs of a vector.
    pub(super) fn row_of(&self, codes: &[i8], scale: f32) -> Box<[u64]> {
        let mut row = vec![0; self.words].into_boxed_slice();
        let mut space = vec![0.0; self.words * 64];
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || self.read(codes, scale, &mut space, &mut row),
        );
        row
    }

    /// Writes the signs of a vector to `row`; `space` is as wide as the rotation.
    #[inline(always)]
    fn read(&self, codes: &[i8], scale: f32, space: &mut [f32], row: &mut [u64]) {
        space.fill(0.0);
        for ((value, code), centre) in space.iter_mut().zip(codes).zip(&self.centre) {
            *value = scale * f32::from(*code) - centre;
        }
        self.rotation.apply(space);
        for (word, values) in row.iter_mut().zip(space.as_chunks::<64>().0) {
            *word = (0..64).fold(0, |word, at| word | (u64::from(values[at] >= 0.0) << at));
        }
    }

    /// The slots whose signs differ least from those given, ascending: at least `wanted` of those
    /// whose bit is set in `masks`, and not more than twice as many.
    pub(super) fn nearest(
        &self,
        row: &[u64],
        masks: impl Iterator<Item = u64>,
        wanted: usize,
    ) -> Vec<u32> {
        let rows = &self.rows;
        pulp::Arch::new().dispatch(
            #[inline(always)]
            // Where the number of words is known while compiling, the loop over them vanishes.
            || match self.words {
                4 => scan(rows, row, 4, masks, wanted),
                6 => scan(rows, row, 6, masks, wanted),
                12 => scan(rows, row, 12, masks, wanted),
                words => scan(rows, row, words, masks, wanted),
            },
        )
    }

    /// The memory the signs take.
    pub(super) fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<u64>()
    }
}

/// The mean of the vectors, or of a part of them that stands for all.
fn centre(slots: Slots<'_>, present: usize) -> Box<[f32]> {
    let mut sum = vec![0.0; slots.dimensions].into_boxed_slice();
    let mut count = 0.0;
    let step = (present / CENTRE_SAMPLE).max(1);
    let with_vector = slots.scales.iter().enumerate().filter(|(_, scale)| **scale > 0.0);
    for (slot, scale) in with_vector.step_by(step) {
        for (sum, code) in sum.iter_mut().zip(slots.codes(slot)) {
            *sum += scale * f32::from(*code);
        }
        count += 1.0;
    }
    sum.iter_mut().for_each(|sum| *sum /= f32::max(count, 1.0));
    sum
}

#[inline(always)]
fn scan(
    rows: &[u64],
    row: &[u64],
    words: usize,
    masks: impl Iterator<Item = u64>,
    wanted: usize,
) -> Vec<u32> {
    let row = &row[..words];
    let mut sieve = Sieve::new(words * 64, wanted);
    for (block, (mask, rows)) in masks.zip(rows.chunks(words * 64)).enumerate() {
        let first = (block * 64) as u32;
        if mask.count_ones() >= BLOCK_WORTH && rows.len() == words * 64 {
            let mut distances = [0; 64];
            for (distance, other) in distances.iter_mut().zip(rows.chunks_exact(words)) {
                *distance = differing(row, other);
            }
            if distances.iter().fold(u16::MAX, |least, one| least.min(*one)) <= sieve.limit {
                sieve.take(first, mask, |at| distances[at]);
            }
        } else {
            sieve.take(first, mask, |at| differing(row, &rows[at * words..][..words]));
        }
    }
    sieve.into_slots()
}

/// How many signs differ.
#[inline(always)]
fn differing(a: &[u64], b: &[u64]) -> u16 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones() as u16).sum()
}

/// What comes by is kept as long as it can be among the nearest: counts by distance say up to which
/// distance that is, as in a counting sort, without a second look at what is farther.
struct Sieve {
    wanted: usize,
    counts: Vec<usize>,
    /// How many are kept that are not beyond the limit.
    within: usize,
    limit: u16,
    kept: Vec<(u32, u16)>,
}

impl Sieve {
    fn new(farthest: usize, wanted: usize) -> Sieve {
        let (counts, limit) = (vec![0; farthest + 1], farthest as u16);
        Sieve { wanted: wanted.max(1), counts, within: 0, limit, kept: Vec::new() }
    }

    #[inline(always)]
    fn take(&mut self, first: u32, mask: u64, distance: impl Fn(usize) -> u16) {
        let mut left = mask;
        while left != 0 {
            let at = left.trailing_zeros();
            left &= left - 1;
            let distance = distance(at as usize);
            if distance <= self.limit {
                self.keep(first + at, distance);
            }
        }
    }

    #[inline(never)]
    fn keep(&mut self, slot: u32, distance: u16) {
        // Many at one distance could be kept only together; those that come late are left out.
        if distance == self.limit && self.within >= self.wanted * 2 {
            return;
        }
        self.kept.push((slot, distance));
        self.counts[usize::from(distance)] += 1;
        self.within += 1;
        while self.within - self.counts[usize::from(self.limit)] >= self.wanted {
            self.within -= self.counts[usize::from(self.limit)];
            self.limit -= 1;
        }
        if self.kept.len() > self.wanted * 16 {
            self.kept.retain(|(_, distance)| *distance <= self.limit);
        }
    }

    fn into_slots(self) -> Vec<u32> {
        let near = self.kept.into_iter().filter(|(_, distance)| *distance <= self.limit);
        near.map(|(slot, _)| slot).collect()
    }
}
