//! The one bit that turned, found by trying. Whether it was that one is proved by a checksum, so nothing is
//! guessed.

/// So many bytes are looked at in all tries together: a few seconds.
const BYTES_TRIED_MAX: usize = 2 << 30;

/// The bytes with one bit of these places turned back, if they are right then.
pub(crate) fn turn_back(
    bytes: &[u8],
    places: impl IntoIterator<Item = usize>,
    is_right: impl Fn(&[u8]) -> bool,
) -> Option<Vec<u8>> {
    let mut tried = bytes.to_vec();
    let mut left = BYTES_TRIED_MAX / bytes.len().max(1);
    for at in places {
        for bit in 0..8 {
            left = left.checked_sub(1)?;
            *tried.get_mut(at)? ^= 1 << bit;
            if is_right(&tried) {
                return Some(tried);
            }
            tried[at] ^= 1 << bit;
        }
    }
    None
}
