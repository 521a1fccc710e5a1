//! Secrets in texts: keys, tokens and passwords are taken out before anything is kept.
//!
//! A small set of rules, each for a form that is hardly ever anything else. What is only long and
//! random (a commit, a UUID, a hash) is none: too much of what people write is.

use super::{beginning, begins_at};

/// What kind of secret was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Secret {
    /// A private key.
    PrivateKey,
    /// A key or a token of a known service.
    Token,
    /// A signed token that says who somebody is.
    Jwt,
    /// A password or a key behind its name.
    Assigned,
    /// A password in an address.
    Address,
}

impl Secret {
    /// What stands in its place.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::PrivateKey => "[redacted private key]",
            Self::Token | Self::Jwt => "[redacted token]",
            Self::Assigned | Self::Address => "[redacted]",
        }
    }
}

/// What every mark begins with.
pub const MARK: &str = "[redacted";

/// Which characters a token is made of.
#[derive(Debug, Clone, Copy)]
enum Made {
    /// Capital letters and digits.
    Capitals,
    /// Letters and digits.
    Plain,
    /// Letters, digits, `_` and `-`.
    Words,
    /// Those, and `.`.
    Dotted,
}

impl Made {
    fn allows(self, b: u8) -> bool {
        match self {
            Self::Capitals => b.is_ascii_uppercase() || b.is_ascii_digit(),
            Self::Plain => b.is_ascii_alphanumeric(),
            Self::Words => is_word(b),
            Self::Dotted => is_word(b) || b == b'.',
        }
    }
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')
}

/// Tokens by how they begin: what follows, and how many characters at the least.
const TOKENS: [(&str, Made, usize); 36] = [
    ("AKIA", Made::Capitals, 16),
    ("ASIA", Made::Capitals, 16),
    ("ghp_", Made::Plain, 30),
    ("gho_", Made::Plain, 30),
    ("ghu_", Made::Plain, 30),
    ("ghs_", Made::Plain, 30),
    ("ghr_", Made::Plain, 30),
    ("github_pat_", Made::Words, 30),
    ("glpat-", Made::Dotted, 20),
    ("gldt-", Made::Words, 20),
    ("glrt-", Made::Words, 20),
    ("xoxa-", Made::Words, 10),
    ("xoxb-", Made::Words, 10),
    ("xoxe-", Made::Words, 10),
    ("xoxp-", Made::Words, 10),
    ("xoxr-", Made::Words, 10),
    ("xoxs-", Made::Words, 10),
    ("xapp-", Made::Words, 10),
    ("sk-ant-", Made::Words, 20),
    ("sk-proj-", Made::Words, 20),
    ("sk-svcacct-", Made::Words, 20),
    ("sk-", Made::Plain, 32),
    ("AIza", Made::Words, 35),
    ("ya29.", Made::Words, 20),
    ("GOCSPX-", Made::Words, 20),
    ("sk_live_", Made::Plain, 16),
    ("sk_test_", Made::Plain, 16),
    ("rk_live_", Made::Plain, 16),
    ("rk_test_", Made::Plain, 16),
    ("whsec_", Made::Plain, 24),
    ("npm_", Made::Plain, 36),
    ("pypi-AgE", Made::Words, 50),
    ("hf_", Made::Plain, 30),
    ("dop_v1_", Made::Plain, 40),
    ("shpat_", Made::Plain, 32),
    ("SG.", Made::Dotted, 60),
];

/// Words by which a name says that its value is a password, and any will do.
const PASSWORDS: [&str; 5] = ["password", "passwd", "passphrase", "pwd", "secret"];

/// Words by which a name says that its value is a key, if it looks like one.
const KEYS: [&str; 8] = [
    "token",
    "apikey",
    "api_key",
    "api-key",
    "access_key",
    "private_key",
    "auth_key",
    "credential",
];

/// How values begin that stand for one that is to be put there.
const PLACEHOLDERS: [&str; 9] =
    ["change", "example", "placeholder", "your", "redacted", "dummy", "xxxx", "****", "required"];

/// A run of characters is looked at no further than this, so that the whole stays linear.
const RUN_MAX: usize = 4_096;

/// The first line of a private key is no longer than this.
const FIRST_LINE_MAX: usize = 100;

/// A secret: where it is.
struct Found {
    start: usize,
    end: usize,
    secret: Secret,
}

/// The text with a mark in the place of each secret, and what they were.
///
/// ```
/// let (text, found) = rank::keep::redact("db_password = \"hunter2!\" for staging");
/// assert_eq!(text, "db_password = \"[redacted]\" for staging");
/// assert_eq!(found.len(), 1);
/// ```
pub fn redact(text: &str) -> (String, Vec<Secret>) {
    let bytes = text.as_bytes();
    let (mut kept, mut secrets) = (String::with_capacity(text.len()), Vec::new());
    let (mut copied, mut at) = (0, 0);
    while at < bytes.len() {
        let found = starts(bytes, at).then(|| find(text, at)).flatten();
        let Some(Found { start, end, secret }) = found else {
            at += 1;
            continue;
        };
        kept.push_str(&text[copied..start]);
        kept.push_str(secret.mark());
        secrets.push(secret);
        (copied, at) = (end, end);
    }
    kept.push_str(&text[copied..]);
    (kept, secrets)
}

/// Whether something may begin here: a word, or the dashes of a key's first line, or `://`.
fn starts(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| bytes[before]);
    match bytes[at] {
        b'-' => before != Some(b'-'),
        b':' => bytes[at..].starts_with(b"://"),
        b if b.is_ascii_alphanumeric() || b == b'_' => {
            !before.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_')
        }
        _ => false,
    }
}

fn find(text: &str, at: usize) -> Option<Found> {
    match text.as_bytes()[at] {
        b'-' => private_key(text, at),
        b':' => address(text, at),
        _ => token(text, at)
            .or_else(|| jwt(text, at))
            .or_else(|| bearer(text, at))
            .or_else(|| assigned(text, at)),
    }
}

/// The end of the run of bytes that pass, from `at` on.
fn run(text: &str, at: usize, passes: impl Fn(u8) -> bool) -> usize {
    let run = text.as_bytes()[at..].iter().take(RUN_MAX).take_while(|b| passes(**b)).count();
    at + run
}

/// From the first line of a private key to its last, or to the end of the text.
fn private_key(text: &str, at: usize) -> Option<Found> {
    let rest = &text[at..];
    let first = beginning(rest, FIRST_LINE_MAX).lines().next()?;
    if !first.starts_with("-----BEGIN ") || !first.contains("PRIVATE KEY") {
        return None;
    }
    let ends = rest[first.len()..].find("-----END ").map(|found| first.len() + found);
    let end = ends.map_or(rest.len(), |ends| {
        let last = rest[ends..].find(['\n', '"']);
        last.map_or(rest.len(), |last| ends + last)
    });
    Some(Found { start: at, end: at + end, secret: Secret::PrivateKey })
}

fn token(text: &str, at: usize) -> Option<Found> {
    TOKENS.iter().find_map(|(prefix, made, least)| {
        let body = at + prefix.len();
        let is_here = text.as_bytes()[at..].starts_with(prefix.as_bytes());
        let end = is_here.then(|| run(text, body, |b| made.allows(b)))?;
        let is_mixed = text[body..end].bytes().any(|b| b.is_ascii_digit());
        (end - body >= *least && is_mixed).then_some(Found {
            start: at,
            end,
            secret: Secret::Token,
        })
    })
}

/// Three parts of base64 between dots, the first of them a JSON object.
fn jwt(text: &str, at: usize) -> Option<Found> {
    let is_here = text.as_bytes()[at..].starts_with(b"eyJ");
    let end = is_here.then(|| run(text, at, |b| is_word(b) || b == b'.'))?;
    let parts: Vec<&str> = text[at..end].trim_end_matches('.').split('.').collect();
    let is_long = |part: &&str| part.len() >= 10;
    (parts.len() == 3 && parts.iter().all(is_long)).then_some(Found {
        start: at,
        end,
        secret: Secret::Jwt,
    })
}

/// What stands behind `Bearer` or `Basic`.
fn bearer(text: &str, at: usize) -> Option<Found> {
    let name = ["bearer ", "basic "].into_iter().find(|name| begins_at(text, at, name))?;
    let start = at + name.len();
    let end = run(text, start, |b| is_word(b) || matches!(b, b'.' | b'+' | b'/' | b'=' | b'~'));
    let value = &text[start..end];
    (value.len() >= 16 && is_random(value)).then_some(Found { start, end, secret: Secret::Token })
}

/// The password between the user and the host of an address.
fn address(text: &str, at: usize) -> Option<Found> {
    let start = at + "://".len();
    let is_part = |b: u8| b > b' ' && !matches!(b, b'/' | b'"' | b'\'' | b'<' | b'>' | b'`');
    let authority = &text[start..run(text, start, is_part)];
    let (user, _) = authority.rsplit_once('@')?;
    let (name, password) = user.split_once(':')?;
    let start = start + name.len() + 1;
    let is_there = !password.is_empty() && !is_placeholder(password);
    is_there.then_some(Found { start, end: start + password.len(), secret: Secret::Address })
}

/// The value of something whose name says that it is secret.
fn assigned(text: &str, at: usize) -> Option<Found> {
    let end = run(text, at, is_word);
    let name = text[at..end].to_ascii_lowercase();
    let is_password = PASSWORDS.iter().any(|word| name.ends_with(word));
    let is_key = KEYS.iter().any(|word| name.ends_with(word))
        || name.ends_with("key") && name.contains("secret");
    if !is_password && !is_key {
        return None;
    }
    let (start, is_written) = value_at(text, end)?;
    let quote = text.as_bytes()[start - 1];
    let end = match quote {
        b'"' | b'\'' | b'`' => run(text, start, |b| b != quote && b != b'\n'),
        _ => run(text, start, |b| {
            b > b' ' && !matches!(b, b'"' | b'\'' | b'`' | b',' | b';' | b')' | b'}' | b']')
        }),
    };
    let value = beginning(text, end)[start..].trim_end_matches('.');
    let is_secret = !is_placeholder(value)
        && if is_password { is_chosen(value, is_written) } else { is_random(value) };
    is_secret.then_some(Found { start, end: start + value.len(), secret: Secret::Assigned })
}

/// Where the value behind a name begins, and whether it is written as code does (`=`, or quotes).
fn value_at(text: &str, end: usize) -> Option<(usize, bool)> {
    let bytes = text.as_bytes();
    let spaces = |at: usize| run(text, at, |b| b == b' ' || b == b'\t');
    let at = spaces(end + usize::from(bytes.get(end).is_some_and(|b| matches!(b, b'"' | b'\''))));
    let signs = run(text, at, |b| matches!(b, b':' | b'=' | b'>'));
    let sign = &text[at..signs];
    if !matches!(sign, ":" | "=" | ":=" | "=>") {
        return None;
    }
    let at = spaces(signs);
    let quote = bytes.get(at).filter(|b| matches!(b, b'"' | b'\'' | b'`'));
    let start = at + usize::from(quote.is_some());
    (start < bytes.len()).then_some((start, sign != ":" || quote.is_some()))
}

/// Whether a value only stands for one.
fn is_placeholder(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    let refers = ["$", "<", "{", "%", "[", "(", "process.env", "os.", "env.", "env!", "vault:"];
    refers.iter().any(|start| value.starts_with(start))
        || PLACEHOLDERS.iter().any(|word| value.starts_with(word))
        || matches!(value.as_str(), "secret" | "password")
}

/// Whether somebody may have chosen this as a password: no plain word, unless it is a long one that
/// is written as a value.
fn is_chosen(value: &str, is_written: bool) -> bool {
    let length = value.chars().count();
    let is_word = value.chars().all(char::is_alphabetic);
    let is_plain = value.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-'));
    match () {
        () if length < 6 => false,
        () if is_word => is_written && length >= 16,
        () if !is_written && is_plain => value.bytes().any(|b| b.is_ascii_digit()),
        () => true,
    }
}

/// Whether a value looks as if nobody had chosen it: long, of letters and digits, of many kinds.
fn is_random(value: &str) -> bool {
    let has = |passes: fn(&u8) -> bool| value.as_bytes().iter().any(passes);
    value.len() >= 12
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && entropy(value.as_bytes()) >= 3.0
}

/// How many bits a byte of these tells.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    bytes.iter().for_each(|b| counts[usize::from(*b)] += 1);
    let all = bytes.len() as f64;
    let bits = |count: &u32| {
        let share = f64::from(*count) / all;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(bits).sum()
}

#[cfg(test)]
mod tests;
