//! The rough picture of a vector: one bit a dimension, to find out which vectors are worth a look.
//!
//! A bit is the sign of a dimension after the centre of all vectors was taken away and the rest was
//! rotated ([`Rotation`]). The fewer signs of two vectors differ, the nearer they are, about. What is
//! near for sure the codes decide, not here.
//!
//! Invariant: there is a row of signs for every slot, and it is that of the slot's vector under the
//! centre kept here.

use pulp::{Simd, WithSimd};

use super::rotation::Rotation;
use crate::bits::bits_of;

/// No more vectors than this are read to find the centre.
const CENTRE_SAMPLE: usize = 1 << 16;

/// With so many slots of 64 wanted, going over all of them is faster than from one to the next.
const BLOCK_WORTH: u32 = 24;

/// How many slots that lie apart are compared together.
const GROUP: usize = 128;

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

/// The slots that are both present and allowed, 64 a word.
#[derive(Clone, Copy)]
pub(super) struct Masks<'a> {
    pub(super) present: &'a [u64],
    pub(super) allowed: &'a [u64],
}

impl Masks<'_> {
    /// How many words have slots.
    #[inline(always)]
    pub(super) fn len(self) -> usize {
        self.present.len().min(self.allowed.len())
    }

    #[inline(always)]
    pub(super) fn word(self, at: usize) -> u64 {
        self.present.get(at).unwrap_or(&0) & self.allowed.get(at).unwrap_or(&0)
    }

    /// How many slots there are.
    pub(super) fn count(self) -> usize {
        pulp::Arch::new().dispatch(Count(self))
    }
}

impl Signs {
    /// The signs of all slots around their centre.
    pub(super) fn of(slots: Slots<'_>, present: usize) -> Signs {
        let words = slots.dimensions.div_ceil(64);
        let centre = centre(slots, present);
        let rotation = Rotation::new(words * 64);
        let rows = vec![0; slots.scales.len() * words];
        let mut signs = Signs { centre, rotation, words, rows, centred_at: present };
        pulp::Arch::new().dispatch(Fill { signs: &mut signs, slots });
        signs
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
        pulp::Arch::new().dispatch(Read {
            signs: self,
            codes,
            scale,
            space: &mut space,
            row: &mut row,
        });
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
    /// in the masks, and not more than twice as many.
    pub(super) fn nearest(&self, row: &[u64], masks: Masks<'_>, wanted: usize) -> Vec<u32> {
        let Signs { rows, words, .. } = self;
        pulp::Arch::new().dispatch(Scan { rows, row, words: *words, masks, wanted })
    }

    /// Gives back memory that is not in use.
    pub(super) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
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

// What follows is compiled for the instructions of several machines; that only works for types with
// a function that is always inlined, not for closures.

struct Count<'a>(Masks<'a>);

impl WithSimd for Count<'_> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        let mut count = 0;
        for (present, allowed) in self.0.present.iter().zip(self.0.allowed) {
            count += (present & allowed).count_ones() as usize;
        }
        count
    }
}

struct Fill<'a> {
    signs: &'a mut Signs,
    slots: Slots<'a>,
}

impl WithSimd for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Fill { signs, slots } = self;
        let words = signs.words;
        let mut row = vec![0; words];
        let mut space = vec![0.0; words * 64];
        for (slot, scale) in slots.scales.iter().enumerate() {
            signs.read(slots.codes(slot), *scale, &mut space, &mut row);
            signs.rows[slot * words..][..words].copy_from_slice(&row);
        }
    }
}

struct Read<'a> {
    signs: &'a Signs,
    codes: &'a [i8],
    scale: f32,
    space: &'a mut [f32],
    row: &'a mut [u64],
}

impl WithSimd for Read<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.signs.read(self.codes, self.scale, self.space, self.row);
    }
}

struct Scan<'a> {
    rows: &'a [u64],
    row: &'a [u64],
    words: usize,
    masks: Masks<'a>,
    wanted: usize,
}

impl WithSimd for Scan<'_> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<u32> {
        // Where the number of words is known while compiling, the loop over them vanishes.
        match self.words {
            4 => self.run(4),
            6 => self.run(6),
            12 => self.run(12),
            words => self.run(words),
        }
    }
}

impl Scan<'_> {
    /// Every distance is written down and counted first; the counts then say up to which distance
    /// slots are near enough. Nothing is decided on the way, so the processor never guesses wrong.
    #[inline(always)]
    fn run(self, words: usize) -> Vec<u32> {
        let row = &self.row[..words];
        let mut distances = Distances::new(words * 64, self.masks.len());
        let mut group = [0; GROUP];
        let mut grouped = 0;
        for (word, rows) in self.rows.chunks(words * 64).enumerate() {
            let (mut mask, first) = (self.masks.word(word), (word * 64) as u32);
            if mask.count_ones() >= BLOCK_WORTH {
                distances.put_block(row, rows, word, mask);
                continue;
            }
            if grouped + 64 > GROUP {
                self.put_group(&mut distances, &group[..grouped], words);
                grouped = 0;
            }
            while mask != 0 {
                group[grouped] = first + mask.trailing_zeros();
                grouped += 1;
                mask &= mask - 1;
            }
        }
        self.put_group(&mut distances, &group[..grouped], words);
        distances.nearest(self.masks, self.wanted)
    }

    /// Takes a group of slots that lie apart. All are touched before the first is compared, so that
    /// they are waited for at the same time.
    #[inline(always)]
    fn put_group(&self, distances: &mut Distances, group: &[u32], words: usize) {
        let row = &self.row[..words];
        let mut touched = 0;
        for slot in group {
            touched ^= self.rows[*slot as usize * words];
        }
        std::hint::black_box(touched);
        for slot in group {
            let other = &self.rows[*slot as usize * words..][..words];
            distances.put(*slot as usize, differing(row, other));
        }
    }
}

/// How many signs differ.
#[inline(always)]
fn differing(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// How many signs of each slot differ, and how many slots there are at each distance.
struct Distances {
    of_slots: Vec<u16>,
    /// Twice, for slots of even and of odd numbers: of two equal distances in a row, the second
    /// need not wait for the first to be counted.
    counts: [Vec<u32>; 2],
}

impl Distances {
    fn new(farthest: usize, blocks: usize) -> Self {
        let counts = || vec![0; farthest + 1];
        Self { of_slots: vec![0; blocks * 64], counts: [counts(), counts()] }
    }

    #[inline(always)]
    fn put(&mut self, slot: usize, distance: u32) {
        self.of_slots[slot] = distance as u16;
        self.counts[slot % 2][distance as usize] += 1;
    }

    /// The distances of 64 slots, of which those in the mask count.
    #[inline(always)]
    fn put_block(&mut self, row: &[u64], rows: &[u64], word: usize, mask: u64) {
        let [even, odd] = &mut self.counts;
        let Some(of_slots) = self.of_slots.get_mut(word * 64..(word + 1) * 64) else { return };
        for (at, other) in rows.chunks_exact(row.len()).enumerate() {
            let distance = differing(row, other);
            of_slots[at] = distance as u16;
            let counts = if at % 2 == 0 { &mut *even } else { &mut *odd };
            counts[distance as usize] += (mask >> at) as u32 & 1;
        }
    }

    /// The `wanted` nearest of the masks and those as near as the last of them, ascending, but no
    /// more than twice as many: of those at the same distance the last are left out.
    #[inline(always)]
    fn nearest(self, masks: Masks<'_>, wanted: usize) -> Vec<u32> {
        let [even, odd] = &self.counts;
        let (mut limit, mut nearer, mut within) = (0, 0, 0);
        for (distance, (even, odd)) in even.iter().zip(odd).enumerate() {
            (limit, nearer) = (distance as u16, within);
            within += (even + odd) as usize;
            if within >= wanted.max(1) {
                break;
            }
        }
        let mut room = wanted.max(1).saturating_mul(2) - nearer;
        let mut slots = Vec::with_capacity(within.min(wanted.max(1).saturating_mul(2)));
        for (word, of_slots) in self.of_slots.as_chunks::<64>().0.iter().enumerate() {
            let mut near = masks.word(word) & no_farther(of_slots, limit);
            while near != 0 {
                let at = near.trailing_zeros();
                let is_last = of_slots[at as usize] == limit;
                if !is_last || room > 0 {
                    slots.push((word * 64) as u32 + at);
                    room -= usize::from(is_last);
                }
                near &= near - 1;
            }
        }
        slots
    }
}

/// A bit for each of the distances that is not beyond the limit.
#[inline(always)]
fn no_farther(distances: &[u16; 64], limit: u16) -> u64 {
    let mut word = 0;
    for (part, distances) in distances.as_chunks::<8>().0.iter().enumerate() {
        let mut bytes = [0; 8];
        for (byte, distance) in bytes.iter_mut().zip(distances) {
            *byte = u8::from(*distance <= limit);
        }
        word |= bits_of(bytes) << (8 * part);
    }
    word
}
