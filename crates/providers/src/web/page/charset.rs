//! Bytes into text: by the mark they begin with, by what the server says, by what the page says of
//! itself, or else as UTF-8 if they are that and as Windows-1252 if not.

use std::convert::Infallible;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

/// What a page says of itself stands in its first bytes.
const PRESCAN_BYTES: usize = 4096;

/// The kind of a body and its charset, from a header or a `meta`.
pub(super) fn content_type(value: &str) -> (String, Option<String>) {
    let mut parts = value.split(';');
    let essence = parts.next().unwrap_or_default().trim().to_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        name.trim().eq_ignore_ascii_case("charset").then(|| value.to_owned())
    });
    (essence, charset)
}

/// The text of a body.
pub(super) fn decode(body: &[u8], label: Option<&str>, is_html: bool) -> String {
    let said = || label.and_then(|label| Encoding::for_label(label.as_bytes()));
    let says = || is_html.then(|| prescan(body)).flatten();
    let guess = || if std::str::from_utf8(body).is_ok() { UTF_8 } else { WINDOWS_1252 };
    let encoding = said().or_else(says).unwrap_or_else(guess);
    // A mark at the beginning goes before all that.
    encoding.decode(body).0.into_owned()
}

/// What a page says of itself.
fn prescan(body: &[u8]) -> Option<&'static Encoding> {
    let start: String = body.iter().take(PRESCAN_BYTES).map(|byte| char::from(*byte)).collect();
    if start.starts_with("<?xml") {
        let declaration = start.split("?>").next().unwrap_or_default();
        let label = declaration.split_once("encoding=").map(|(_, rest)| rest);
        let label = label.and_then(|rest| rest.get(1..)?.split(['"', '\'']).next());
        if let Some(found) = label.and_then(|label| Encoding::for_label(label.as_bytes())) {
            return Some(readable(found));
        }
    }
    let (mut is_meta, mut name, mut found) = (false, Vec::new(), None);
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent, _: Span<()>| {
        match event {
            CallbackEvent::OpenStartTag { name } => is_meta = name == b"meta",
            CallbackEvent::AttributeName { name: of } if is_meta => name = of.to_vec(),
            CallbackEvent::AttributeValue { value } if is_meta && found.is_none() => {
                let value = String::from_utf8_lossy(value);
                let label = match name.as_slice() {
                    b"charset" => Some(value.trim().to_owned()),
                    b"content" => content_type(&value).1,
                    _ => None,
                };
                found = label.and_then(|label| Encoding::for_label(label.as_bytes()));
            }
            _ => {}
        }
        None::<Infallible>
    });
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(start.as_str(), emitter).for_each(drop);
    found.map(readable)
}

/// Who could read this much of it cannot mean UTF-16.
fn readable(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_charset_is_found_where_it_is_told() {
        let cases: &[(&[u8], Option<&str>, &str)] = &[
            (b"caf\xe9", Some("iso-8859-1"), "café"),
            (b"caf\xe9", None, "café"),
            ("café".as_bytes(), None, "café"),
            ("café".as_bytes(), Some("nonsense"), "café"),
            ("\u{feff}café".as_bytes(), Some("iso-8859-1"), "café"),
            (b"\xff\xfec\0a\0f\0\xe9\0", None, "café"),
            (b"<meta charset=koi8-r>\xc4\xc1", None, "<meta charset=koi8-r>да"),
            (b"<meta charset='utf-16'>\xc3\xa9", None, "<meta charset='utf-16'>é"),
            (b"<meta charset=koi8-r>\xc3\xa9", Some("utf-8"), "<meta charset=koi8-r>é"),
            (b"\x83\x65\x83\x58\x83\x67", Some("Shift_JIS"), "テスト"),
        ];
        for (body, label, expected) in cases {
            assert_eq!(decode(body, *label, true), *expected, "{label:?}");
        }
        let equiv = b"<!doctype html><head><title>\xd2</title>\
            <META http-equiv=Content-Type content=\"text/html; charset=windows-1251\">";
        assert!(decode(equiv, None, true).contains("<title>Т</title>"));
        let xml = b"<?xml version=\"1.0\" encoding=\"iso-8859-5\"?><p>\xd4\xd0</p>";
        assert!(decode(xml, None, true).contains("<p>да</p>"));
        // A script that writes a meta says nothing of the page.
        let script = "<script>'<meta charset=koi8-r>'</script>é".as_bytes();
        assert!(decode(script, None, true).ends_with('é'));
    }

    #[test]
    fn a_content_type_has_a_kind_and_perhaps_a_charset() {
        let read = |value| content_type(value);
        assert_eq!(
            read("Text/HTML; Charset=\"UTF-8\""),
            ("text/html".into(), Some("UTF-8".into()))
        );
        assert_eq!(read("application/pdf"), ("application/pdf".into(), None));
        assert_eq!(read(""), (String::new(), None));
    }
}
