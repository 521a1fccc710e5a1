//! Words into the number that stands for what a claim is about.

/// A word of a clause that carries meaning.
#[derive(Clone, Copy)]
pub(super) struct Word {
    pub(super) hash: u64,
    /// Its bit, if it is a general word.
    pub(super) general: u64,
    pub(super) at: usize,
}

/// One number for all the words, whatever their order; and the general words among them, apart.
pub(super) fn key(words: &[Word], salt: u64) -> (u64, u64) {
    let mut hashes: Vec<u64> =
        words.iter().filter(|word| word.general == 0).map(|word| word.hash).collect();
    let mut general = words.iter().fold(0, |bits, word| bits | word.general);
    if hashes.is_empty() {
        hashes = words.iter().map(|word| word.hash).collect();
        general = 0;
    }
    hashes.sort_unstable();
    hashes.dedup();
    (hashes.iter().fold(salt, |all, one| mix(all, *one)), general)
}

/// A number for a word.
pub(super) fn text_hash(word: &str, salt: u64) -> u64 {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    mix(word.bytes().fold(0xcbf2_9ce4_8422_2325, fold), salt)
}

/// Two numbers into one, in which every bit depends on all of theirs.
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let mut x = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b;
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
