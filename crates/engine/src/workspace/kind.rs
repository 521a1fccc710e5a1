//! What the bytes of a file are.

/// What is looked at of a file to tell what it is.
pub(super) const HEAD_BYTES: usize = 8 << 10;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text, of which so many bytes at its beginning are no text (a byte order mark).
    Text(usize),
    /// UTF-16 with a byte order mark.
    Utf16,
    /// An image or a PDF, by its MIME type.
    Media(&'static str),
    /// Anything else.
    Binary,
}

/// The byte order mark of UTF-8.
pub(super) const MARK: &[u8] = "\u{feff}".as_bytes();

/// What a file is, by its first bytes.
pub(super) fn of(head: &[u8]) -> Kind {
    if let Some(mime_type) = media(head) {
        return Kind::Media(mime_type);
    }
    match head {
        [0xff, 0xfe, 0, 0, ..] => Kind::Binary,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Kind::Utf16,
        _ if head.contains(&0) => Kind::Binary,
        _ if head.starts_with(MARK) => Kind::Text(MARK.len()),
        _ => Kind::Text(0),
    }
}

fn media(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some("application/pdf"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_their_first_bytes() {
        let table: [(&[u8], Kind); 13] = [
            (b"", Kind::Text(0)),
            (b"text", Kind::Text(0)),
            (b"\xef\xbb\xbftext", Kind::Text(3)),
            (b"caf\xe9", Kind::Text(0)),
            (b"\xff\xfea\0", Kind::Utf16),
            (b"\xfe\xff\0a", Kind::Utf16),
            (b"\xff\xfe\0\0a\0\0\0", Kind::Binary),
            (b"\x7fELF\0", Kind::Binary),
            (b"\x89PNG\r\n\x1a\n\0", Kind::Media("image/png")),
            (b"\xff\xd8\xff\xe0\0", Kind::Media("image/jpeg")),
            (b"GIF89a\0", Kind::Media("image/gif")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Kind::Media("image/webp")),
            (b"%PDF-1.7\n", Kind::Media("application/pdf")),
        ];
        for (head, kind) in table {
            assert_eq!(of(head), kind, "{head:?}");
        }
    }
}
