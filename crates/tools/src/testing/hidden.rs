//! Every character that nobody sees, and whether a text has one, for the tests of all ways out.
//!
//! By other tables of Unicode than the code goes by, so that a fault of one does not excuse the others:
//! what is tried is by `unicode-properties`, what is found by those of `regex`.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use unicode_properties::{GeneralCategory as Category, UnicodeGeneralCategory};

/// So many of them are in one text: every field that is tried takes as many.
const CHARS: usize = 9_200;

/// Whether nobody sees a character, standing alone or among others like it.
pub fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !matches!(c, '\n' | '\t');
    }
    // What Unicode calls ignorable by default, and is a letter or a mark all the same.
    let is_ignorable = matches!(
        c,
        '\u{34f}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{ffa0}'
            | '\u{e0000}'..='\u{e0fff}'
    );
    // Letters, marks and symbols whose form is empty.
    let is_empty = matches!(c, '\u{2800}' | '\u{fffc}' | '\u{13441}'..='\u{13442}')
        || matches!(c, '\u{16fe4}' | '\u{1d159}');
    let is_kind = matches!(
        c.general_category(),
        Category::Control
            | Category::Format
            | Category::LineSeparator
            | Category::ParagraphSeparator
            | Category::PrivateUse
            | Category::Unassigned
    );
    is_ignorable || is_empty || is_kind
}

/// All of them, one behind the other, in texts that are short enough to be kept.
pub fn texts() -> Vec<String> {
    let all: Vec<char> = ('\0'..=char::MAX).filter(|c| is_hidden(*c)).collect();
    all.chunks(CHARS).map(|chars| chars.iter().collect()).collect()
}

/// A text of them as tags that begin so: as many as a memory may have, each as long as one may be.
pub fn tags(text: &str, beginning: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let tag = |chars: &[char]| beginning.chars().chain(chars.iter().copied()).collect();
    chars.chunks(CHARS / 100).map(tag).collect()
}

/// The numbers of the texts that stand in an answer, each behind the word.
pub fn numbers(text: &str) -> impl Iterator<Item = usize> {
    text.split("number").skip(1).filter_map(|rest| rest.split(' ').next()?.parse().ok())
}

/// Fails where a text has one.
///
/// # Panics
/// With the character and what stands around it.
#[track_caller]
pub fn check_text(place: &str, text: &str) {
    static HIDDEN: LazyLock<Regex> = LazyLock::new(|| {
        let empty = r"\u{2800}\u{fffc}\u{13441}\u{13442}\u{16fe4}\u{1d159}";
        let hidden = format!(r"[\p{{C}}\p{{Zl}}\p{{Zp}}\p{{DI}}{empty}&&[^\n\t]]");
        Regex::new(&hidden).expect("a pattern")
    });
    if let Some(found) = HIDDEN.find(text) {
        let c = found.as_str().chars().next().unwrap_or_default();
        let before: String = text[..found.start()].chars().rev().take(40).collect();
        let before: String = before.chars().rev().collect();
        panic!("{place} shows U+{:04X} as it is, behind {before:?}", u32::from(c));
    }
}

/// The same for all texts and names in JSON.
///
/// # Panics
/// With the character and what stands around it.
#[track_caller]
pub fn check(place: &str, value: &Value) {
    match value {
        Value::String(text) => check_text(place, text),
        Value::Array(values) => {
            for value in values {
                check(place, value);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                check_text(place, name);
                check(place, value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
