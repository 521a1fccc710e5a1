//! Secrets in texts: keys, tokens and passwords are recognised before anything is kept.
//!
//! A kept set of rules, each for a form that is hardly ever anything else: tokens by how they begin
//! (`tokens`), whole forms such as private keys and addresses with a password (`forms`), and values
//! behind a name that says what they are (`assigned`). What is only long and random (a commit, a
//! UUID, a hash) is none: too much of what people write is. What only stands for a secret
//! (`<your key>`, `${VAR}`, the examples of manuals) is none either (`chance`).
//!
//! What cannot be seen is no disguise: a text with such characters is looked at once more without
//! them (`view`).
//!
//! One pass: something can begin only where a word begins, at dashes or at `://`, and no rule looks
//! further than a fixed number of bytes before it knows.

mod assigned;
mod chance;
mod forms;
mod tokens;
mod view;
mod words;

use std::borrow::Cow;
use std::ops::Range;

/// What every mark begins with.
pub const MARK: &str = "[redacted";

/// A text is looked at so often again with marks in the place of what was found.
const ROUNDS_MAX: usize = 4;

/// A secret: what it is, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What it is, in words: `github token`.
    pub kind: &'static str,
    /// Its bytes.
    pub range: Range<usize>,
}

impl Found {
    /// What stands in its place.
    pub fn mark(&self) -> String {
        format!("{MARK} {}]", self.kind)
    }
}

/// The secrets of a text, in order.
///
/// ```
/// let found = rank::keep::secrets::find("db_password = \"hunter2!\" for staging");
/// assert_eq!((found[0].kind, found[0].range.clone()), ("password", 15..23));
/// ```
pub fn find(text: &str) -> Vec<Found> {
    let mut all = find_once(text);
    // Behind a mark something else may stand than behind the secret.
    for _ in 0..ROUNDS_MAX {
        if all.is_empty() {
            break;
        }
        let marked = view::View::marked(text, &all);
        let more = find_once(&marked.text);
        if more.is_empty() {
            break;
        }
        all = marked.joined(all, more);
    }
    all
}

/// Those of a text as it stands there, and as it is seen.
fn find_once(text: &str) -> Vec<Found> {
    let all = find_in(text);
    match view::View::seen(text) {
        Some(seen) => seen.joined(all, find_in(&seen.text)),
        None => all,
    }
}

/// Those of a text as it stands there.
fn find_in(text: &str) -> Vec<Found> {
    let bytes = text.as_bytes();
    let (mut all, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let found = starts(bytes, at).then(|| look(text, at)).flatten();
        at = match found {
            Some(found) => {
                let end = found.range.end.max(at + 1);
                all.push(found);
                end
            }
            None => at + 1,
        };
    }
    all
}

/// The text with a mark in the place of each secret, and what they were.
///
/// ```
/// let (text, found) = rank::keep::redact("db_password = \"hunter2!\" for staging");
/// assert_eq!(text, "db_password = \"[redacted password]\" for staging");
/// assert_eq!(found.len(), 1);
/// ```
pub fn redact(text: &str) -> (Cow<'_, str>, Vec<Found>) {
    let found = find(text);
    if found.is_empty() {
        return (Cow::Borrowed(text), found);
    }
    (Cow::Owned(view::View::marked(text, &found).text), found)
}

/// What a value is, if the name that it stands by says that it is secret: that of a field, say.
///
/// ```
/// assert_eq!(rank::keep::secrets::named("db_password", "hunter2!"), Some("password"));
/// assert_eq!(rank::keep::secrets::named("title", "hunter2!"), None);
/// ```
pub fn named(name: &str, value: &str) -> Option<&'static str> {
    assigned::named(name, value)
}

/// Whether a name says that what stands by it is secret: `DB_PASSWORD`, `clientSecret`.
///
/// ```
/// assert!(rank::keep::secrets::is_name("DB_PASSWORD") && !rank::keep::secrets::is_name("title"));
/// ```
pub fn is_name(name: &str) -> bool {
    assigned::is_name(name)
}

/// Whether something may begin here: a word, or the dashes of a key's first line, or `://`.
fn starts(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| bytes[before]);
    match bytes[at] {
        b'-' => before != Some(b'-'),
        b':' => bytes[at..].starts_with(b"://"),
        b if b.is_ascii_alphanumeric() || b == b'_' => !is_within_word(bytes, at, before),
        _ => false,
    }
}

/// Whether a letter goes on with a word. An escape sign (`\n`) and the digits of `%3D` are no part of
/// what follows them.
fn is_within_word(bytes: &[u8], at: usize, before: Option<u8>) -> bool {
    let back = |by: usize| at.checked_sub(by).map(|at| bytes[at]);
    let is_escape = matches!(before, Some(b'n' | b't' | b'r')) && back(2) == Some(b'\\');
    let is_percent = back(3) == Some(b'%');
    before.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') && !is_escape && !is_percent
}

fn look(text: &str, at: usize) -> Option<Found> {
    match text.as_bytes()[at] {
        b'-' => forms::private_key(text, at).or_else(|| forms::option(text, at)),
        b':' => forms::address(text, at),
        first => tokens::find(text, at, first)
            .or_else(|| forms::find(text, at, first))
            .or_else(|| assigned::find(text, at)),
    }
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')
}

/// The end of the run of bytes that pass, from `at` on, which is looked at no further than `max`.
fn run(text: &str, at: usize, max: usize, passes: impl Fn(u8) -> bool) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at + rest.iter().take(max).take_while(|b| passes(**b)).count()
}

#[cfg(test)]
mod tests;
