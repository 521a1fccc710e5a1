//! Bytes as lowercase hexadecimal digits, and back.

use std::fmt::Write as _;

/// The digits of these bytes.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut digits, byte| {
        // Writing to a text does not fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// The bytes that so many digits stand for.
pub fn of_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let is_plain = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    if text.len() != 2 * N || !text.bytes().all(is_plain) {
        return None;
    }
    let mut bytes = [0; N];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_for_the_bytes_they_were_made_of() {
        assert_eq!(hex(&[0x00, 0x0f, 0xa9]), "000fa9");
        assert_eq!(of_hex("000fa9"), Some([0x00, 0x0f, 0xa9]));
        for text in ["000FA9", "000fa", "000fa9a", "000fag", "000fä"] {
            assert_eq!(of_hex::<3>(text), None, "{text}");
        }
    }
}
