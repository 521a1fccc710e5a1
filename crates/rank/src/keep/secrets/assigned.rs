//! Values behind a name that says that they are secret: `password = "…"`, `API_KEY=…`, YAML, JSON,
//! connection strings, options of commands, elements of XML.

use super::super::beginning;
use super::{Found, chance, forms, is_word, run, tokens};

/// A name is no longer than this.
const NAME_MAX: usize = 80;

/// A value is looked at no further than this before it is known to be one.
const LOOK_MAX: usize = 300;

/// A value goes no further than this.
const VALUE_MAX: usize = 64 << 10;

/// Ends of names whose value is a password that somebody chose.
const PASSWORDS: [&str; 6] = ["password", "passwd", "passphrase", "passwort", "pwd", "userpass"];

/// Ends of names whose value is a key, if it looks like one.
const KEYS: [&str; 16] = [
    "token",
    "secret",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "accountkey",
    "privatekey",
    "private_key",
    "private-key",
    "auth_key",
    "encryption_key",
    "signing_key",
    "credential",
];

/// Names of tokens that nothing opens: where to go on in a list, and the like.
const HARMLESS: [&str; 9] =
    ["page", "next", "continuation", "cursor", "sync", "cancel", "resume", "public", "start"];

/// The value of something whose name says that it is secret.
pub(super) fn find(text: &str, at: usize) -> Option<Found> {
    let end = run(text, at, NAME_MAX, is_word);
    let name = &text[at..end];
    let is_password = ends(name, &PASSWORDS);
    if !is_password && !is_key(name) {
        return None;
    }
    let value = Value::at(text, at, end)?;
    let first = *text.as_bytes().get(value.start)?;
    // What it is by itself says more than that it is one.
    let known = tokens::find(text, value.start, first);
    if let Some(known) = known.or_else(|| forms::find(text, value.start, first)) {
        return Some(known);
    }
    let seen = value.seen(text);
    let is_secret = match value.sign {
        Sign::Is => is_password && !chance::is_placeholder(seen) && is_told(seen),
        _ => is_value(name, seen, is_password, value.quote.is_some()),
    };
    is_secret.then(|| Found { kind: kind(is_password), range: value.start..value.end(text) })
}

/// What a value is, if the name that it stands by says that it is secret.
pub(super) fn named(name: &str, value: &str) -> Option<&'static str> {
    let is_password = ends(name, &PASSWORDS);
    let is_named = is_password || is_key(name);
    (is_named && is_value(name, value, is_password, true)).then(|| kind(is_password))
}

fn is_value(name: &str, value: &str, is_password: bool, is_quoted: bool) -> bool {
    !chance::is_placeholder(value)
        && !is_same(value, name)
        && if is_password { chance::is_chosen(value, is_quoted) } else { chance::is_random(value) }
}

const fn kind(is_password: bool) -> &'static str {
    if is_password { "password" } else { "secret value" }
}

fn ends(name: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        let cut = name.len().checked_sub(word.len());
        cut.and_then(|cut| name.get(cut..)).is_some_and(|end| end.eq_ignore_ascii_case(word))
    })
}

fn is_key(name: &str) -> bool {
    if !ends(name, &KEYS) && !ends(name, &["key"]) {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    let is_named = ends(name, &KEYS) || lower.contains("secret") || lower.contains("sharedaccess");
    is_named && !HARMLESS.iter().any(|word| lower.contains(word))
}

/// Whether the value only says the name again.
fn is_same(value: &str, name: &str) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    plain(value) == plain(name)
}

/// Whether a word behind "the password is" can hardly be anything but one.
fn is_told(value: &str) -> bool {
    let inner = value.trim_matches(|c: char| !c.is_alphanumeric());
    let has = |passes: fn(char) -> bool| inner.chars().any(passes);
    let has_sign = has(|c| "!@#$%^&*?+~".contains(c));
    value.len() >= 6 && has_sign && has(|c| c.is_ascii_digit()) && has(char::is_alphabetic)
}

/// What stands between a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// `=`, `:` and their like.
    Equals,
    /// The value of an option of a command: `--password x`.
    Space,
    /// The text of an element: `<password>x</password>`.
    Element,
    /// A sentence: `the password is x`.
    Is,
}

/// Where a value stands.
struct Value {
    start: usize,
    quote: Option<u8>,
    sign: Sign,
    /// Whether it is one of several in the query of an address.
    is_query: bool,
    /// Whether its quotes are escaped, as within the text of another program.
    is_escaped: bool,
}

impl Value {
    /// The value behind the name that goes from `at` to `end`.
    fn at(text: &str, at: usize, end: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let spaces = |at: usize| run(text, at, 40, |b| b == b' ' || b == b'\t');
        let escaped = |at: usize| at + usize::from(bytes.get(at) == Some(&b'\\'));
        let closing = escaped(end);
        let is_closed = bytes.get(closing).is_some_and(|b| matches!(b, b'"' | b'\'' | b'`'));
        let next = spaces(if is_closed { closing + 1 } else { end });
        let signs = run(text, next, 3, |b| matches!(b, b':' | b'=' | b'>'));
        let (sign, from) = match &text[next..signs] {
            ":" | "=" | ":=" | "=>" => (Sign::Equals, spaces(signs)),
            ">" if before == Some(b'<') && next == end => (Sign::Element, signs),
            "" if next > end && is_option(bytes, at) => (Sign::Space, next),
            "" if next > end && text[next..].starts_with("is ") => (Sign::Is, spaces(next + 3)),
            _ => return None,
        };
        let opening = escaped(from);
        let quote = bytes.get(opening).copied().filter(|b| matches!(b, b'"' | b'\'' | b'`'));
        let start = if quote.is_some() { opening + 1 } else { from };
        let is_query = matches!(before, Some(b'?' | b'&'));
        let is_escaped = opening > from;
        (start < bytes.len()).then_some(Self { start, quote, sign, is_query, is_escaped })
    }

    fn goes_on(&self, b: u8) -> bool {
        match self.quote {
            Some(quote) => b != quote && b != b'\n' && !(self.is_escaped && b == b'\\'),
            None => b > b' ' && !b"\"'`,;)}]<\\".contains(&b) && !(self.is_query && b == b'&'),
        }
    }

    /// As much of it as is looked at.
    fn seen<'a>(&self, text: &'a str) -> &'a str {
        let end = run(text, self.start, LOOK_MAX, |b| self.goes_on(b));
        let value = beginning(text, end).get(self.start..).unwrap_or_default();
        if self.quote.is_some() { value } else { value.trim_end_matches(['.', ':']) }
    }

    /// Where it ends.
    fn end(&self, text: &str) -> usize {
        let seen = self.seen(text).len();
        if seen + 4 < LOOK_MAX {
            return self.start + seen;
        }
        let end = run(text, self.start, VALUE_MAX, |b| self.goes_on(b));
        beginning(text, end).len()
    }
}

/// Whether the name is an option of a command.
fn is_option(bytes: &[u8], at: usize) -> bool {
    at >= 2 && &bytes[at - 2..at] == b"--"
}
