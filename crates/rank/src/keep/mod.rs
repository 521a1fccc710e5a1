//! What people write to an agent: what of it may be kept, what must not be, and which sentences say
//! something worth keeping. By rules, in linear time, without a model.
//!
//! Nothing here decides that something *is* kept: a candidate waits for a person.

mod candidates;
mod clean;
mod harmless;
mod orders;
pub mod secrets;
mod seen;

pub use candidates::{Candidate, candidates};
pub use clean::{CHARS_MAX, clean, is_trivial};
pub use harmless::{NOTES_CLOSE, NOTES_OPEN, escaped, harmless, visible};
pub use orders::{Order, order};
pub use secrets::redact;

/// As much of a text as has so many bytes or fewer, whole characters only.
pub fn beginning(text: &str, bytes_max: usize) -> &str {
    let mut end = bytes_max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// `<` and `>`, and what clients write instead of them when they put notes of ours into a prompt.
const BRACKETS: [(&str, &str); 6] = [
    ("<", ">"),
    ("&lt;", "&gt;"),
    ("&#60;", "&#62;"),
    ("&#x3c;", "&#x3e;"),
    ("&amp;lt;", "&amp;gt;"),
    ("\\u003c", "\\u003e"),
];

/// The opening bracket at this byte and its closing one, in whichever form.
fn brackets_at(text: &str, at: usize) -> Option<(&'static str, &'static str)> {
    BRACKETS.into_iter().find(|(open, _)| begins_at(text, at, open))
}

/// Whether `text` begins so at this byte, whatever the case of its ASCII letters.
fn begins_at(text: &str, at: usize, what: &str) -> bool {
    let found = text.as_bytes().get(at..at + what.len());
    found.is_some_and(|found| found.eq_ignore_ascii_case(what.as_bytes()))
}
