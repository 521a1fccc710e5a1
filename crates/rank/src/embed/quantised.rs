//! An embedding in a byte a dimension, for rows of the store and for scans over many.

use super::Embedding;

/// A vector of length 1 as `scale` times whole numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantised {
    /// What a code is multiplied with: 1 / the length of the codes.
    pub scale: f32,
    /// One number a dimension, -127 to 127.
    pub codes: Box<[i8]>,
}

impl Quantised {
    /// Rounds an embedding. The scale is such that the rounded vector has the length 1 again, so
    /// the product of two is their cosine.
    pub fn of(embedding: &Embedding) -> Quantised {
        let largest = embedding.as_slice().iter().fold(0_f32, |most, value| most.max(value.abs()));
        let code = |value: &f32| (value / largest * 127.0).round() as i8;
        let codes: Box<[i8]> = embedding.as_slice().iter().map(code).collect();
        Quantised { scale: 1.0 / (dot_codes(&codes, &codes) as f32).sqrt(), codes }
    }

    /// The cosine of two vectors of one model, -1 to 1.
    pub fn cosine(&self, other: &Quantised) -> f32 {
        let dot = dot_codes(&self.codes, &other.codes) as f32;
        (dot * self.scale * other.scale).clamp(-1.0, 1.0)
    }

    /// The scale, little-endian, then the codes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let codes = self.codes.iter().map(|code| code.to_le_bytes()[0]);
        self.scale.to_le_bytes().into_iter().chain(codes).collect()
    }

    /// What [`Quantised::to_bytes`] wrote for a vector of so many dimensions; none if it cannot
    /// have been that.
    pub fn from_bytes(bytes: &[u8], dimensions: usize) -> Option<Quantised> {
        let (scale, bytes) = bytes.split_first_chunk()?;
        let scale = f32::from_le_bytes(*scale);
        let codes = bytes.iter().map(|byte| i8::from_le_bytes([*byte])).collect();
        let is_whole = bytes.len() == dimensions && scale.is_finite() && scale > 0.0;
        is_whole.then_some(Quantised { scale, codes })
    }
}

/// The sum of the products of two lists of codes of one length; up to 100,000 of them, it cannot
/// overflow.
#[inline(always)]
pub fn dot_codes(a: &[i8], b: &[i8]) -> i32 {
    dot_by(a, b, i16::from, i16::from)
}

/// The same where the codes lie in other types.
///
/// A product fits 16 bits. Said in two steps and with 16 sums side by side, the compiler makes vector
/// instructions of it that take a third of the time of the plain sum. It is always inlined, so that
/// scans compiled for wider instructions get it in those.
#[inline(always)]
pub(super) fn dot_by<A: Copy, B: Copy>(
    a: &[A],
    b: &[B],
    of_a: impl Fn(A) -> i16,
    of_b: impl Fn(B) -> i16,
) -> i32 {
    let mut sums = [0_i32; 16];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    for (a, b) in a.iter().zip(b) {
        let products: [i16; 16] = std::array::from_fn(|at| of_a(a[at]) * of_b(b[at]));
        for (sum, product) in sums.iter_mut().zip(products) {
            *sum += i32::from(product);
        }
    }
    let rest = a_rest.iter().zip(b_rest).map(|(a, b)| i32::from(of_a(*a)) * i32::from(of_b(*b)));
    sums.iter().sum::<i32>() + rest.sum::<i32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::golden::golden;
    use crate::embed::{DIMENSIONS, StaticEmbedder};

    fn embeddings() -> Vec<Embedding> {
        let texts = golden().sentences.into_iter();
        texts.filter_map(|case| StaticEmbedder::built_in().embed(&case.text)).collect()
    }

    #[test]
    fn rounding_changes_a_cosine_by_less_than_a_hundredth() {
        let embeddings = embeddings();
        let mut worst = 0_f32;
        for a in &embeddings {
            for b in &embeddings {
                let rounded = Quantised::of(a).cosine(&Quantised::of(b));
                worst = worst.max((a.cosine(b) - rounded).abs());
            }
        }
        assert!(worst < 0.01, "{worst}");
        assert!(embeddings.len() > 25);
    }

    #[test]
    fn bytes_come_back() {
        for embedding in embeddings() {
            let quantised = Quantised::of(&embedding);
            assert_eq!(Quantised::from_bytes(&quantised.to_bytes(), DIMENSIONS), Some(quantised));
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        let good = Quantised::of(&embeddings()[0]).to_bytes();
        assert_eq!(Quantised::from_bytes(&good[1..], DIMENSIONS), None);
        assert_eq!(Quantised::from_bytes(&[], DIMENSIONS), None);
        for scale in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let mut bytes = good.clone();
            bytes[..4].copy_from_slice(&scale.to_le_bytes());
            assert_eq!(Quantised::from_bytes(&bytes, DIMENSIONS), None, "{scale}");
        }
    }

    #[test]
    fn the_largest_codes_do_not_overflow() {
        assert_eq!(dot_codes(&[-128; DIMENSIONS], &[-128; DIMENSIONS]), 128 * 128 * 256);
        assert_eq!(dot_codes(&[127; DIMENSIONS], &[-128; DIMENSIONS]), -127 * 128 * 256);
    }
}
