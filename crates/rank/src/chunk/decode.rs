//! Bytes of a file into text, or why they are none.

use std::borrow::Cow;
use std::fmt;

const UTF8_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];
const UTF16_LITTLE_MARK: &[u8] = &[0xFF, 0xFE];
const UTF16_BIG_MARK: &[u8] = &[0xFE, 0xFF];

/// Why bytes are no text, and at which of them that shows, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotText {
    /// A zero: the file is binary.
    Nul(usize),
    /// No UTF-8 from here on.
    Utf8(usize),
    /// The file says that it is UTF-16 and is not.
    Utf16(usize),
}

impl fmt::Display for NotText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotText::Nul(at) => write!(f, "binary: there is a zero byte at byte {at}"),
            NotText::Utf8(at) => write!(f, "not UTF-8: invalid at byte {at}"),
            NotText::Utf16(at) => write!(f, "not UTF-16, as its mark says: invalid at byte {at}"),
        }
    }
}

impl std::error::Error for NotText {}

/// The text that the bytes are: UTF-8, or UTF-16 if a mark in front says so. The mark is dropped.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, NotText> {
    if let Some(rest) = bytes.strip_prefix(UTF16_LITTLE_MARK) {
        return utf16(rest, u16::from_le_bytes).map(Cow::Owned);
    }
    if let Some(rest) = bytes.strip_prefix(UTF16_BIG_MARK) {
        return utf16(rest, u16::from_be_bytes).map(Cow::Owned);
    }
    let rest = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
    let dropped = bytes.len() - rest.len();
    let nul = rest.iter().position(|byte| *byte == 0).map(|at| NotText::Nul(dropped + at));
    match (std::str::from_utf8(rest), nul) {
        (_, Some(nul)) => Err(nul),
        (Ok(text), None) => Ok(Cow::Borrowed(text)),
        (Err(error), None) => Err(NotText::Utf8(dropped + error.valid_up_to())),
    }
}

/// The same of bytes that become the text, so that there are not two of a large file.
///
/// # Errors
///
/// As [`decode`].
pub fn decode_owned(mut bytes: Vec<u8>) -> Result<String, NotText> {
    if let Cow::Owned(text) = decode(&bytes)? {
        return Ok(text);
    }
    if bytes.starts_with(UTF8_MARK) {
        bytes.drain(..UTF8_MARK.len());
    }
    String::from_utf8(bytes).map_err(|why| NotText::Utf8(why.utf8_error().valid_up_to()))
}

/// The text of UTF-16 with a mark in front, where what is none shows as U+FFFD; none without a mark.
pub fn utf16_lossy(bytes: &[u8]) -> Option<String> {
    let (rest, number): (_, fn([u8; 2]) -> u16) = match bytes {
        [0xFF, 0xFE, rest @ ..] => (rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => (rest, u16::from_be_bytes),
        _ => return None,
    };
    let (pairs, half) = rest.as_chunks::<2>();
    let decoded = char::decode_utf16(pairs.iter().map(|pair| number(*pair)));
    let mut text: String = decoded.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    text.extend(half.iter().map(|_| char::REPLACEMENT_CHARACTER));
    Some(text)
}

/// The text of UTF-16 whose mark of two bytes is off already.
fn utf16(bytes: &[u8], number: fn([u8; 2]) -> u16) -> Result<String, NotText> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let (mut text, mut at) = (String::with_capacity(bytes.len()), 2);
    for c in char::decode_utf16(pairs.iter().map(|pair| number(*pair))) {
        match c {
            Ok('\0') => return Err(NotText::Nul(at)),
            Ok(c) => {
                text.push(c);
                at += 2 * c.len_utf16();
            }
            Err(_) => return Err(NotText::Utf16(at)),
        }
    }
    if rest.is_empty() { Ok(text) } else { Err(NotText::Utf16(at)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn marks_are_dropped() {
        for bytes in [
            &b"a\xC3\xA9"[..],
            b"\xEF\xBB\xBFa\xC3\xA9",
            b"\xFF\xFEa\0\xE9\0",
            b"\xFE\xFF\0a\0\xE9",
        ] {
            assert_eq!(decode(bytes).as_deref(), Ok("aé"));
        }
        assert_eq!(decode(b"").as_deref(), Ok(""));
    }

    #[test]
    fn utf16_is_decoded_and_what_is_none_shows() {
        for (bytes, text) in [
            (&b"\xff\xfeh\0i\0"[..], Some("hi")),
            (b"\xfe\xff\0h\xd8\x3d\xde\x00", Some("h😀")),
            (b"\xff\xfe\x00\xd8a\0b", Some("\u{fffd}a\u{fffd}")),
            (b"hi", None),
        ] {
            assert_eq!(utf16_lossy(bytes).as_deref(), text);
        }
    }

    #[test]
    fn what_is_no_text_says_where() {
        for (bytes, said) in [
            (&b"ab\0c"[..], "binary: there is a zero byte at byte 2"),
            (b"ab\xFFc", "not UTF-8: invalid at byte 2"),
            (b"\xEF\xBB\xBFab\xC3", "not UTF-8: invalid at byte 5"),
            (b"\xFF\xFEa\0\0\xD8b\0", "not UTF-16, as its mark says: invalid at byte 4"),
            (b"\xFF\xFEa\0b", "not UTF-16, as its mark says: invalid at byte 4"),
            (b"\xFE\xFF\0a\0\0", "binary: there is a zero byte at byte 4"),
        ] {
            assert_eq!(decode(bytes).unwrap_err().to_string(), said);
        }
    }

    proptest! {
        #[test]
        fn any_text_comes_back(text in "[^\0\u{feff}]*") {
            let back = |bytes: &[u8]| decode(bytes).map(Cow::into_owned);
            prop_assert_eq!(back(text.as_bytes()), Ok(text.clone()));
            prop_assert_eq!(decode_owned(text.clone().into_bytes()), Ok(text.clone()));
            let marked = [UTF8_MARK, text.as_bytes()].concat();
            prop_assert_eq!(decode_owned(marked), Ok(text.clone()));
            for number in [u16::to_le_bytes, u16::to_be_bytes] {
                let units = [0xFEFF].into_iter().chain(text.encode_utf16());
                prop_assert_eq!(back(&units.flat_map(number).collect::<Vec<_>>()), Ok(text.clone()));
            }
        }

        #[test]
        fn any_bytes_are_text_or_an_error(bytes in any::<Vec<u8>>()) {
            let _ = decode(&bytes);
        }
    }
}
