//! Values behind a name that says that they are secret: `password = "…"`, `API_KEY=…`, YAML, JSON,
//! pairs of a name and a value, connection strings, options of commands, elements of XML, netrc, and
//! what a sentence tells.

use super::super::{beginning, begins_at};
use super::{Found, chance, forms, is_word, run, tokens};

/// A name is no longer than this.
const NAME_MAX: usize = 80;

/// A value is looked at no further than this before it is known to be one.
const LOOK_MAX: usize = 300;

/// A value goes no further than this.
const VALUE_MAX: usize = 64 << 10;

/// So far from the name a sentence says what it is: `the password for grafana on staging is …`.
const TOLD_WITHIN: usize = 80;

/// So far before the name the words of a netrc are looked for.
const NETRC_WITHIN: usize = 240;

/// Ends of names whose value is a password that somebody chose.
const PASSWORDS: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "passwort",
    "pwd",
    "userpass",
    "_pass",
    "-pass",
    "kennwort",
    "contraseña",
    "senha",
    "passe",
];

/// Ends of names whose value is a key, if it looks like one.
const KEYS: [&str; 19] = [
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
    "auth-key",
    "master_key",
    "app_key",
    "encryption_key",
    "signing_key",
    "credential",
];

/// Names of tokens that nothing opens: where to go on in a list, and the like.
const HARMLESS: [&str; 9] =
    ["page", "next", "continuation", "cursor", "sync", "cancel", "resume", "public", "start"];

/// Names whose value is a user and a password in base64: of a registry's file.
const CREDENTIALS: [&str; 2] = ["auth", "_auth"];

/// What a name says of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    Password,
    Key,
    Credentials,
}

/// Which two last letters the names have that say something: by their lower five bits, as small and
/// capital letters share them. Nearly all words of a text have others.
const LAST_LETTERS: [bool; 1 << 10] = {
    let mut known = [false; 1 << 10];
    let lists: [&[&str]; 4] = [&PASSWORDS, &KEYS, &CREDENTIALS, &["key"]];
    let (mut list, mut at) = (0, 0);
    while list < lists.len() {
        known[last_letters(lists[list][at].as_bytes())] = true;
        at += 1;
        if at == lists[list].len() {
            (list, at) = (list + 1, 0);
        }
    }
    known
};

/// The place of a name in [`LAST_LETTERS`].
const fn last_letters(name: &[u8]) -> usize {
    match name {
        [.., before, last] => (*before as usize & 31) << 5 | *last as usize & 31,
        _ => 0,
    }
}

impl Says {
    fn of(name: &str) -> Option<Self> {
        let one = name.strip_suffix(['s', 'S']).unwrap_or(name);
        if ![name, one].iter().any(|name| LAST_LETTERS[last_letters(name.as_bytes())]) {
            return None;
        }
        match () {
            () if ends(name, &PASSWORDS) || ends(one, &PASSWORDS) => Some(Self::Password),
            () if is_key(name) || is_key(one) => Some(Self::Key),
            () if CREDENTIALS.iter().any(|known| known.eq_ignore_ascii_case(name)) => {
                Some(Self::Credentials)
            }
            () => None,
        }
    }

    const fn kind(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Key => "secret value",
            Self::Credentials => "basic credentials",
        }
    }

    /// Whether a value is what the name says.
    fn is_true(self, name: &str, value: &str, is_quoted: bool) -> bool {
        let is_real = !chance::is_placeholder(value) && !is_same(value, name);
        is_real
            && match self {
                Self::Password => chance::is_chosen(value, is_quoted),
                Self::Key => chance::is_random(value),
                Self::Credentials => value.len() >= 12 && forms::is_credentials(value),
            }
    }
}

/// The value of something whose name says that it is secret.
pub(super) fn find(text: &str, at: usize) -> Option<Found> {
    let end = name_end(text, at);
    let name = &text[at..end];
    let says = Says::of(name).or_else(|| is_spoken(text, at, name).then_some(Says::Key))?;
    let value = Value::at(text, at, end, says)?;
    let first = *text.as_bytes().get(value.start)?;
    // What it is by itself says more than that it is one.
    let known = tokens::find(text, value.start, first);
    if let Some(known) = known.or_else(|| forms::find(text, value.start, first)) {
        return Some(known);
    }
    let seen = value.seen(text);
    let is_secret = match value.sign {
        Sign::Is => !chance::is_placeholder(seen) && chance::is_told(seen),
        Sign::Far => !chance::is_placeholder(seen) && chance::is_told_far(seen),
        Sign::Netrc => !chance::is_placeholder(seen),
        _ => says.is_true(name, seen, value.quote.is_some()),
    };
    is_secret.then(|| Found { kind: says.kind(), range: value.start..value.end(text) })
}

/// Words that, before `key`, say that its value is secret: `the API key`.
const SPOKEN: [&str; 8] =
    ["api", "access", "secret", "private", "auth", "signing", "master", "encryption"];

/// Whether this is the second word of a name as people say it.
fn is_spoken(text: &str, at: usize, name: &str) -> bool {
    let is_key = ["key", "keys"].iter().any(|key| name.eq_ignore_ascii_case(key));
    let Some(before) = text[..at].strip_suffix(' ').filter(|_| is_key) else { return false };
    let start = before.bytes().rposition(|b| !is_word(b)).map_or(0, |at| at + 1);
    SPOKEN.iter().any(|word| before[start..].eq_ignore_ascii_case(word))
}

/// Where the name ends that begins here. The one with a letter beyond ASCII is Spanish.
fn name_end(text: &str, at: usize) -> usize {
    let end = run(text, at, NAME_MAX, is_word);
    let more = text[end..].strip_prefix("ñ").filter(|_| ends(&text[at..end], &["contrase"]));
    more.map_or(end, |more| run(text, text.len() - more.len(), NAME_MAX, is_word))
}

/// What a value is, if the name that it stands by says that it is secret.
pub(super) fn named(name: &str, value: &str) -> Option<&'static str> {
    let says = Says::of(name)?;
    says.is_true(name, value, true).then(|| says.kind())
}

/// Whether a name says that its value is secret.
pub(super) fn is_name(name: &str) -> bool {
    Says::of(name).is_some()
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
    /// A sentence with more in between: `the password for grafana is x`.
    Far,
    /// `machine example.org login ada password x`.
    Netrc,
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
    fn at(text: &str, at: usize, end: usize, says: Says) -> Option<Self> {
        let bytes = text.as_bytes();
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let closing = escaped(bytes, end);
        let next = if is_quote(bytes, closing) { closing + 1 } else { emphasis(text, end) };
        let next = spaces(text, next);
        let signs = run(text, next, 3, |b| matches!(b, b':' | b'=' | b'>'));
        let (sign, from) = match &text[next..signs] {
            ":" | "=" | ":=" | "=>" => {
                (Sign::Equals, listed(text, spaces(text, emphasis(text, signs))))
            }
            ">" if before == Some(b'<') && next == end => (Sign::Element, signs),
            "" if next > end && is_option(bytes, at) => (Sign::Space, next),
            "" => paired(text, end)
                .map(|from| (Sign::Equals, from))
                .or_else(|| told(text, at, end))
                .filter(|(sign, _)| *sign != Sign::Far || says == Says::Password)?,
            _ => return None,
        };
        let opening = escaped(bytes, from);
        let quote = bytes.get(opening).copied().filter(|_| is_quote(bytes, opening));
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

    /// Where it ends, now that it is known to be secret: nothing of it may be left.
    fn end(&self, text: &str) -> usize {
        let mut end = run(text, self.start, VALUE_MAX, |b| self.goes_on(b));
        while let Some(next) = self.resumes(text, end).filter(|next| next - self.start < VALUE_MAX)
        {
            end = run(text, next, VALUE_MAX, |b| self.goes_on(b));
        }
        let value = beginning(text, end).get(self.start..).unwrap_or_default();
        let is_bare = self.quote.is_none();
        let value = if is_bare { value.trim_end_matches(['.', ':']) } else { value };
        self.start + value.len()
    }

    /// Where a value goes on behind a sign that ends others: behind an escaped or a doubled quote, and
    /// where it stands bare, behind a sign that more of the word follows.
    fn resumes(&self, text: &str, end: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let (sign, next) = (*bytes.get(end)?, *bytes.get(end + 1)?);
        if let Some(quote) = self.quote {
            let is_escaped = !self.is_escaped && sign == quote && bytes[end - 1] == b'\\';
            let is_doubled = sign == quote && next == quote && quote != b'`';
            return match () {
                () if is_escaped => Some(end + 1),
                () if is_doubled => Some(end + 2),
                () => None,
            };
        }
        let is_word = next.is_ascii_alphanumeric() || b"!#$%^*?+~@".contains(&next);
        if self.sign == Sign::Element || self.is_query || sign <= b' ' || !is_word {
            return None;
        }
        let rest = &text[end + 1..run(text, end + 1, LOOK_MAX, |b| b > b' ' && b != sign)];
        let is_end = match sign {
            // What follows is another name and its value, or another of a list.
            b';' | b',' => rest.contains(['=', ':']) || is_plain(rest),
            b'<' => rest.contains('>'),
            b'\\' => matches!(next, b'n' | b'r' | b't' | b'u'),
            b'"' | b'\'' | b'`' | b')' | b'}' | b']' => is_plain(rest),
            _ => true,
        };
        (!is_end).then_some(end + 1)
    }
}

/// Whether this is a word as any other, and no part of a password.
fn is_plain(rest: &str) -> bool {
    let word = &rest[..run(rest, 0, LOOK_MAX, |b| b.is_ascii_alphanumeric())];
    !word.bytes().any(|b| b.is_ascii_digit()) && word.len() == rest.len()
}

fn spaces(text: &str, at: usize) -> usize {
    run(text, at, 40, |b| b == b' ' || b == b'\t')
}

/// Behind the stars by which Markdown makes words stand out.
fn emphasis(text: &str, at: usize) -> usize {
    run(text, at, 2, |b| b == b'*')
}

fn escaped(bytes: &[u8], at: usize) -> usize {
    at + usize::from(bytes.get(at) == Some(&b'\\'))
}

fn is_quote(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|b| matches!(b, b'"' | b'\'' | b'`'))
}

/// Where the first of a list of texts begins, or where it is.
fn listed(text: &str, at: usize) -> usize {
    if text.as_bytes().get(at) != Some(&b'[') {
        return at;
    }
    let first = run(text, at + 1, 40, |b| b.is_ascii_whitespace());
    if is_quote(text.as_bytes(), escaped(text.as_bytes(), first)) { first } else { at }
}

/// Where the value of a pair begins whose name ends here: `"name": "X", "value": "…"`, the same in
/// YAML on two lines, `key="X" value="…"`.
fn paired(text: &str, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let next = run(text, end, 60, |b| b.is_ascii_whitespace() || b"\"'`,\\".contains(&b));
    let is_parted = text[end..next].bytes().any(|b| !matches!(b, b' ' | b'\t'));
    if !is_parted || !begins_at(text, next, "value") {
        return None;
    }
    let closing = escaped(bytes, next + "value".len());
    let sign = spaces(text, closing + usize::from(is_quote(bytes, closing)));
    let is_sign = matches!(bytes.get(sign), Some(b':' | b'='));
    is_sign.then(|| spaces(text, sign + 1))
}

/// Where a word begins that a sentence or a netrc says to be what the name says.
fn told(text: &str, at: usize, end: usize) -> Option<(Sign, usize)> {
    const VERBS: [&str; 7] = [" is ", " was ", " ist ", " lautet ", " est ", " es ", " è "];
    const OF: [&str; 4] = [" for ", " of ", " on ", " ("];
    let bytes = text.as_bytes();
    if !matches!(bytes.get(end), Some(b' ' | b'\t')) {
        return None;
    }
    if begins_at(text, at, "password") && is_netrc(text, at) {
        return Some((Sign::Netrc, spaces(text, end)));
    }
    let is_told = |b: u8| b.is_ascii_alphanumeric() || !b.is_ascii() || b" -_'/.@(),".contains(&b);
    let until = run(text, end, TOLD_WITHIN, is_told);
    let within = beginning(text, until).get(end..)?;
    if bytes.get(until) == Some(&b':') && OF.iter().any(|word| within.starts_with(word)) {
        return Some((Sign::Far, spaces(text, until + 1)));
    }
    let within = within.split(". ").next().unwrap_or_default();
    let verb = VERBS.iter().filter_map(|verb| Some((within.find(verb)?, verb.len())));
    let (verb, length) = verb.min()?;
    let sign = if within[..verb].trim().is_empty() { Sign::Is } else { Sign::Far };
    Some((sign, spaces(text, end + verb + length)))
}

/// Whether what stands before is the line of a machine and its login.
fn is_netrc(text: &str, at: usize) -> bool {
    let mut from = at.saturating_sub(NETRC_WITHIN);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut words = text[from..at].split_whitespace().rev();
    let mut words = [(); 4].map(|()| words.next().unwrap_or_default());
    words.reverse();
    words[0] = words[0].trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    matches!(words, ["machine", host, "login", _] if host.contains('.') || host == "localhost")
}

/// Whether the name is an option of a command.
fn is_option(bytes: &[u8], at: usize) -> bool {
    at >= 2 && &bytes[at - 2..at] == b"--"
}
