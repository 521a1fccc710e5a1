//! Values as YAML, so that they are read back as they were.

use model::Timestamp;
use serde_json::Value;

use super::rules::date;

/// Words that YAML reads as something else, in small letters.
pub(super) const WORDS: [&str; 12] =
    ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", "infinity"];

/// A text as one value in one line.
pub(crate) fn text(text: &str) -> String {
    if is_bare(text) { text.to_owned() } else { quoted(text) }
}

/// Texts as a list in one line.
pub(super) fn list<T: AsRef<str>>(texts: &[T]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| inner(text.as_ref())).collect();
    format!("[{}]", texts.join(", "))
}

/// Any value in one line.
pub(super) fn json(value: &Value) -> String {
    match value {
        Value::String(text) => self::text(text),
        Value::Array(_) | Value::Object(_) => inner_json(value),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// A text within brackets, where some signs mean more.
fn inner(text: &str) -> String {
    if is_bare_within(text) { text.to_owned() } else { quoted(text) }
}

/// Whether these signs are read as the text they are within brackets too.
pub(super) fn is_bare_within(text: &str) -> bool {
    let is_sign = |c: char| c.is_alphanumeric() || " -_./*+@".contains(c);
    is_bare(text) && text.chars().all(is_sign) && !text.contains(" -")
}

fn inner_json(value: &Value) -> String {
    match value {
        Value::String(text) => inner(text),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(inner_json).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| {
                let value = inner_json(value);
                format!("{}: {value}", inner(key))
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Whether YAML reads these signs as the text they are.
pub(super) fn is_bare(text: &str) -> bool {
    let is_first = |c: char| c.is_alphabetic() || "/^$(\\_".contains(c);
    let is_sign =
        |c: char| c.is_alphanumeric() || " -_./,;()+=@%~^$*?!<>&|\\'\"`:#[]{}".contains(c);
    text.starts_with(is_first)
        && text.chars().all(is_sign)
        && !text.ends_with([' ', ':'])
        && ![": ", " #"].iter().any(|sign| text.contains(sign))
        && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// Whether it is a day or a time, which people write without quotes. To many readers that is no text,
/// so that it is not written so where a text is meant.
pub(super) fn is_time(text: &str) -> bool {
    let is_sign = |b: u8| b.is_ascii_digit() || b"-:.TZ".contains(&b);
    let is_like = text.len() >= 10 && text.bytes().all(is_sign);
    is_like && (date(text).is_some() || text.parse::<Timestamp>().is_ok())
}

/// A text in quotes; in single ones if that spares backslashes.
fn quoted(text: &str) -> String {
    let is_printed = |c: char| matches!(c, ' '..='~') || c.is_alphanumeric();
    if text.contains(['\\', '"']) && text.chars().all(is_printed) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            _ if is_readable(c) => quoted.push(c),
            _ if c <= '\u{ffff}' => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => quoted.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a character can stand in quotes as it is.
fn is_readable(c: char) -> bool {
    match c {
        '\u{2028}' | '\u{2029}' | '\u{feff}' => false,
        '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{fff0}'..='\u{ffff}' => false,
        _ => !c.is_control() && u32::from(c) & 0xfffe != 0xfffe,
    }
}
