//! A fixed rotation that spreads what a vector says over all its dimensions.
//!
//! A sign keeps one bit of a dimension however much that dimension says, so signs are only a good
//! picture of a vector whose dimensions say equally much. Random signs and a Walsh–Hadamard
//! transform, twice, see to that; the rotation is the same in every process. It works on whole words
//! of 64, the first and then the last power of two of them: that leaves no dimension out, and a
//! length that is no power of two need not be padded to one.

/// A rotation of vectors of one width.
#[derive(Debug, Clone)]
pub(super) struct Rotation {
    /// Plus or minus one for each dimension, for both rounds.
    flips: [Box<[f32]>; 2],
}

impl Rotation {
    /// A rotation for vectors of `width` numbers, which is a multiple of 64.
    pub(super) fn new(width: usize) -> Rotation {
        let mut state = 0x4C6F_7265_6B65_6570_u64;
        let mut flip = |_| if next_random(&mut state) >> 63 == 0 { 1.0 } else { -1.0 };
        Rotation { flips: [(); 2].map(|()| (0..width).map(&mut flip).collect()) }
    }

    /// Rotates in place.
    #[inline(always)]
    pub(super) fn apply(&self, vector: &mut [f32]) {
        let part = if vector.is_empty() { 0 } else { 1 << vector.len().ilog2() };
        let behind = vector.len() - part;
        for (flips, start) in self.flips.iter().zip([0, behind]) {
            for (value, flip) in vector.iter_mut().zip(flips) {
                *value *= flip;
            }
            transform(&mut vector[start..start + part]);
        }
    }
}

/// SplitMix64.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// The Walsh–Hadamard transform of a power of two of numbers; lengths stay what they are.
#[inline(always)]
fn transform(vector: &mut [f32]) {
    let mut half = 1;
    while half < vector.len() {
        for pair in vector.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            for (left, right) in left.iter_mut().zip(right) {
                (*left, *right) = (*left + *right, *left - *right);
            }
        }
        half *= 2;
    }
    let shrink = 1.0 / (vector.len() as f32).sqrt();
    vector.iter_mut().for_each(|value| *value *= shrink);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_keeps_lengths_and_angles_and_spreads_one_dimension() {
        for width in [64, 128, 256, 320, 384, 1536] {
            let rotation = Rotation::new(width);
            let rotated = |at: usize| {
                let mut vector = vec![0.0; width];
                vector[at] = 1.0;
                rotation.apply(&mut vector);
                vector
            };
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            for (a, b) in [(0, 1), (0, width - 1), (width / 2, width / 3)] {
                let (a, b) = (rotated(a), rotated(b));
                assert!((dot(&a, &a) - 1.0).abs() < 1e-4 && dot(&a, &b).abs() < 1e-4, "{width}");
                assert!(a.iter().all(|value| value.abs() < 0.6), "{width}");
            }
        }
        Rotation::new(0).apply(&mut []);
    }
}
