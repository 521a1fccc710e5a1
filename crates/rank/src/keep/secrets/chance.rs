//! Whether a value was drawn at random, was chosen by somebody, or only stands for one.

use super::words::{is_jumbled, is_spelled, is_wordy};

/// How values begin that stand for one that is to be put there, or that tests and manuals use.
const PLACEHOLDERS: [&str; 40] = [
    "change",
    "example",
    "placeholder",
    "your",
    "redacted",
    "dummy",
    "xxxx",
    "****",
    "required",
    "replace",
    "insert",
    "enter-",
    "enter_",
    "todo",
    "fixme",
    "test",
    "fake",
    "mock",
    "sample",
    "demo",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "my-",
    "my_",
    "mysecret",
    "mypass",
    "mytoken",
    "none",
    "null",
    "undefined",
    "invalid",
    "wrong",
    "some-",
    "some_",
];

/// How values begin that are looked up elsewhere, or are no plain text.
const REFERENCES: [&str; 32] = [
    "${",
    "$(",
    "<",
    "{",
    "%{",
    "%(",
    "[",
    "(",
    "#{",
    "\\",
    "process.env",
    "import.meta",
    "os.",
    "env.",
    "env!",
    "env(",
    "env[",
    "vault:",
    "ssm:",
    "op://",
    "!secret",
    "!vault",
    "!ref",
    "!env_var",
    "~/",
    "arn:",
    "alias/",
    "sha1:",
    "sha256:",
    "sha384:",
    "sha512:",
    "file:",
];

/// How paths of a machine begin; what is drawn from base64 may begin with a slash, too.
const FOLDERS: [&str; 20] = [
    "/home/",
    "/users/",
    "/root/",
    "/etc/",
    "/var/",
    "/usr/",
    "/opt/",
    "/srv/",
    "/tmp/",
    "/mnt/",
    "/run/",
    "/app/",
    "/data/",
    "/dev/",
    "/media/",
    "/private/",
    "/workspace",
    "/work/",
    "./",
    "../",
];

/// Whole values that stand for one, beside those that begin so.
const WORDS: [&str; 20] = [
    "pass", "pw", "pwd", "root", "admin", "guest", "user", "username", "postgres", "mysql", "foo",
    "bar", "foobar", "hello", "abc", "abc123", "qwerty", "letmein", "true", "false",
];

/// What an example says of itself, wherever in it.
const EXAMPLES: [&str; 9] = [
    "example",
    "placeholder",
    "...",
    "yourkey",
    "yourtoken",
    "yoursecret",
    "youraccess",
    "yourapi",
    "accesskey",
];

/// Whether a value only stands for one.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    is_reference(value, &lower)
        || PLACEHOLDERS.iter().any(|word| lower.starts_with(word) && !is_real(word, value))
        || WORDS.contains(&lower.as_str())
        || is_example(value)
}

/// Whether what follows such a word is a password all the same: `testK9x2Lm4q`.
fn is_real(word: &str, value: &str) -> bool {
    let rest = value.get(word.len()..).unwrap_or_default();
    let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    let has = |passes: fn(&u8) -> bool| rest.as_bytes().iter().any(passes);
    matches!(word, "test" | "secret")
        && rest.len() >= 6
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && !is_wordy(rest)
}

/// Whether a value is looked up elsewhere: a variable, a call, an address, a hash in its own form.
fn is_reference(value: &str, lower: &str) -> bool {
    let is_address = lower.starts_with("http://") || lower.starts_with("https://");
    let is_path = FOLDERS.iter().any(|start| lower.starts_with(start));
    if is_address || is_path || REFERENCES.iter().any(|start| lower.starts_with(start)) {
        return true;
    }
    // Passwords begin with these signs as well; then no name follows.
    let Some(name) = value.strip_prefix(['$', '%', '@', '&', '*']) else { return false };
    let bytes = name.as_bytes();
    let is_hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    let is_escape = value.starts_with('%') && is_hex(0) && is_hex(1);
    let is_hash = value.starts_with('$') && name.find('$').is_some_and(|at| (1..12).contains(&at));
    let is_code = |b: &u8| b.is_ascii_alphanumeric() || b"_-.:>[]()'\"/$%{} ".contains(b);
    is_escape || is_hash || bytes.iter().all(is_code) && is_wordy(name)
}

/// Whether a value says that it is an example, repeats itself, or counts up.
fn is_example(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    if EXAMPLES.iter().any(|word| lower.contains(word)) {
        return true;
    }
    let bytes = lower.as_bytes();
    let mut seen = [false; 256];
    bytes.iter().for_each(|b| seen[usize::from(*b)] = true);
    let kinds = seen.iter().filter(|seen| **seen).count();
    kinds <= 2 || counts(bytes) || has_run(value.as_bytes())
}

/// Whether most characters follow the one before: `1234567890abcdef`.
pub(super) fn counts(bytes: &[u8]) -> bool {
    let follows = |pair: &&[u8]| match pair {
        [a, b] => *b == a.wrapping_add(1) || (*a, *b) == (b'9', b'0') || (*a, *b) == (b'9', b'a'),
        _ => false,
    };
    let steps = bytes.windows(2).filter(follows).count();
    steps * 10 >= bytes.len().saturating_sub(1) * 7
}

/// Whether one character stands there five times in a row and for a fourth of it all, as in
/// `sk-xxxxx…` or `00000`. Five alike are drawn, too, where many are.
fn has_run(bytes: &[u8]) -> bool {
    let length = (bytes.len() / 4).max(5);
    bytes.windows(length).any(|run| run.iter().all(|b| *b == run[0]))
}

/// Whether what follows an unmistakable beginning is drawn: whatever is no example and is not spelled
/// out. More must not be asked: of what is drawn, some has no digit, and some looks like words.
pub(super) fn is_drawn(body: &str) -> bool {
    is_unlike_examples(body) && !is_spelled(body)
}

/// The same for what is of digits and a few letters, or of capitals: no name is made of those, and
/// some of what is drawn has no digit.
pub(super) fn is_unlike_examples(body: &str) -> bool {
    !is_example(body) && entropy(body.as_bytes()) >= 2.0
}

/// Whether a value looks as if nobody had chosen it: long, of letters and digits, of many kinds.
pub(super) fn is_random(value: &str) -> bool {
    let has = |passes: fn(&u8) -> bool| value.as_bytes().iter().any(passes);
    let is_plain = |b: &u8| b.is_ascii_alphanumeric() || b"_-./+=~:%!".contains(b);
    value.len() >= 12
        && value.as_bytes().iter().all(is_plain)
        && has(u8::is_ascii_alphabetic)
        && if has(u8::is_ascii_digit) { !is_wordy(value) } else { is_jumbled(value) }
        && entropy(value.as_bytes()) >= 2.5
}

/// Whether somebody may have chosen this as a password. In quotes spaces may stand in it; where it
/// stands bare, it may as well be a name of the program.
pub(super) fn is_chosen(value: &str, is_quoted: bool) -> bool {
    let length = value.chars().count();
    let has_digit = value.bytes().any(|b| b.is_ascii_digit());
    let has_letter = value.chars().any(char::is_alphabetic);
    let is_sign = |c: char| !c.is_alphanumeric() && !"._/- ".contains(c);
    let is_code = |c: char| "()[]{}<>;,|".contains(c);
    let words = value.split_whitespace().count();
    match () {
        () if !(6..=256).contains(&length) || words > 2 => false,
        () if !has_digit && !value.chars().any(is_sign) => is_jumbled(value),
        () if !is_quoted && (value.chars().any(is_code) || value.contains("::")) => false,
        () if !has_letter => has_digit && length >= 6 && is_quoted && !is_number(value),
        () if !has_digit => has_inner_sign(value) || is_jumbled(value),
        () if !is_quoted && value.contains('_') && is_wordy(value) => false,
        () if words == 2 => value.split_whitespace().any(is_mixed),
        () => is_quoted || is_mixed(value) || !is_wordy(value),
    }
}

/// Whether letters and digits stand in it together. Letters beyond ASCII alone are a sentence of a
/// language that has no spaces.
fn is_mixed(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_digit()) && word.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Whether it is a date, a version or another number with signs in it, and no more.
fn is_number(value: &str) -> bool {
    let is_sign = |b: u8| b".,-:+/ ".contains(&b);
    value.bytes().all(|b| b.is_ascii_digit() || is_sign(b)) && value.bytes().any(is_sign)
}

/// Whether a sign stands between letters as it hardly does in words or in code: `corr&ct!horse`.
fn has_inner_sign(value: &str) -> bool {
    let signs = value.bytes().filter(|b| b"!@#$%^&*?+~".contains(b)).count();
    let inner = value.trim_matches(|c: char| !c.is_alphanumeric());
    signs >= 2 && inner.bytes().any(|b| b"!@#$%^&*?+~".contains(&b))
}

/// Whether a word behind "the password is" can hardly be anything but one.
pub(super) fn is_told(value: &str) -> bool {
    let inner = value.trim_matches(|c: char| !c.is_alphanumeric());
    let has = |passes: fn(char) -> bool| inner.chars().any(passes);
    let has_sign = has(|c| "!@#$%^&*?+~".contains(c));
    let is_known = value.len() >= 6 && has_sign && is_mixed(inner);
    is_known || is_drawn_word(value)
}

/// The same where more words stand in between, so that the sentence may be about something else.
pub(super) fn is_told_far(value: &str) -> bool {
    is_told(value) && !is_wordy(value)
}

/// Whether capitals, small letters and digits stand in it as in nothing that is spoken of.
fn is_drawn_word(value: &str) -> bool {
    let has = |passes: fn(&u8) -> bool| value.as_bytes().iter().any(passes);
    is_random(value) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase)
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
