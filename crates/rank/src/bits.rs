//! A set of slots: one bit each, in words of 64.

/// Which of `0..len` are in the set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// None of `0..len`.
    pub fn none(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    /// Those of `0..len` for which `holds` is true.
    pub fn filled(len: usize, mut holds: impl FnMut(usize) -> bool) -> Self {
        let word = |first: usize| {
            (first..len.min(first + 64))
                .fold(0, |word, at| word | (u64::from(holds(at)) << (at - first)))
        };
        Self { words: (0..len).step_by(64).map(word).collect(), len }
    }

    /// Those of `0..len` whose bit is set in these words, the lowest first.
    pub fn from_words(mut words: Vec<u64>, len: usize) -> Self {
        words.resize(len.div_ceil(64), 0);
        if let Some(last) = words.last_mut().filter(|_| !len.is_multiple_of(64)) {
            *last &= (1 << (len % 64)) - 1;
        }
        Self { words, len }
    }

    /// Up to where slots can be in the set.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no slot is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Puts a slot into the set. A slot from `len` on is not put there.
    pub fn insert(&mut self, at: usize) {
        if at < self.len {
            self.words[at / 64] |= 1 << (at % 64);
        }
    }

    /// Whether a slot is in the set.
    pub fn contains(&self, at: usize) -> bool {
        self.words.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// How many slots are in the set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Keeps what is in the other set too.
    pub fn retain(&mut self, other: &Self) {
        for (at, word) in self.words.iter_mut().enumerate() {
            *word &= other.words.get(at).copied().unwrap_or(0);
        }
    }

    /// The slots, 64 a word, the lowest first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The slots in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            std::iter::successors(Some(*word), |left| Some(left & left.wrapping_sub(1)))
                .take_while(|left| *left != 0)
                .map(move |left| at * 64 + left.trailing_zeros() as usize)
        })
    }
}

/// The lowest bits of eight bytes side by side, the first byte's lowest.
#[inline(always)]
pub(crate) fn bits_of(bytes: [u8; 8]) -> u64 {
    // The factor moves each to its place in the highest byte of the product, and no two meet.
    (u64::from_le_bytes(bytes) & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_in_and_nothing_else() {
        let mut bits = Bits::none(130);
        for at in [0, 63, 64, 129, 130, 9999] {
            bits.insert(at);
        }
        assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert_eq!(bits.count(), 4);
        assert!(bits.contains(64) && !bits.contains(65) && !bits.contains(130));
        assert_eq!(bits, Bits::filled(130, |at| [0, 63, 64, 129].contains(&at)));
        assert_eq!(bits, Bits::from_words(bits.words().to_vec(), 130));
        assert_eq!(Bits::from_words(vec![!0, !0], 65).iter().count(), 65);
        bits.retain(&Bits::filled(65, |at| at > 0));
        assert_eq!(bits.iter().collect::<Vec<_>>(), [63, 64]);
        assert!(Bits::none(0).is_empty() && !bits.is_empty());
    }

    #[test]
    fn eight_bytes_become_eight_bits() {
        for bits in 0..=255_u64 {
            let bytes = std::array::from_fn(|at| (bits >> at & 1) as u8);
            assert_eq!(bits_of(bytes), bits);
        }
    }
}
