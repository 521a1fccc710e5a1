//! Whether a value was drawn at random, was chosen by somebody, or only stands for one.

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
const REFERENCES: [&str; 27] = [
    "$",
    "<",
    "{",
    "%",
    "[",
    "(",
    "#{",
    "@",
    "&",
    "*",
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
    "http://",
    "https://",
];

/// Whole values that stand for one, beside those that begin so.
const WORDS: [&str; 20] = [
    "pass", "pw", "pwd", "root", "admin", "guest", "user", "username", "postgres", "mysql", "foo",
    "bar", "foobar", "hello", "abc", "abc123", "qwerty", "letmein", "true", "false",
];

/// Whether a value only stands for one.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    REFERENCES.iter().any(|start| lower.starts_with(start))
        || PLACEHOLDERS.iter().any(|word| lower.starts_with(word))
        || WORDS.contains(&lower.as_str())
        || is_example(value)
}

/// Whether a value says that it is an example, repeats itself, or counts up.
fn is_example(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    if lower.contains("example") || lower.contains("placeholder") || lower.contains("...") {
        return true;
    }
    let bytes = lower.as_bytes();
    let mut seen = [false; 256];
    bytes.iter().for_each(|b| seen[usize::from(*b)] = true);
    let kinds = seen.iter().filter(|seen| **seen).count();
    kinds <= 2 || counts(bytes) || has_run(bytes)
}

/// Whether most characters follow the one before: `1234567890abcdef`.
fn counts(bytes: &[u8]) -> bool {
    let follows = |pair: &&[u8]| match pair {
        [a, b] => *b == a.wrapping_add(1) || (*a, *b) == (b'9', b'0') || (*a, *b) == (b'9', b'a'),
        _ => false,
    };
    let steps = bytes.windows(2).filter(follows).count();
    steps * 10 >= bytes.len().saturating_sub(1) * 7
}

/// Whether one character stands there five times in a row, as in `sk-xxxxx…` or `00000`.
fn has_run(bytes: &[u8]) -> bool {
    bytes.windows(5).any(|five| five.iter().all(|b| *b == five[0]))
}

/// Whether the body of a token looks as if a machine had drawn it.
pub(super) fn is_drawn(body: &str) -> bool {
    let has_digit = body.bytes().any(|b| b.is_ascii_digit());
    has_digit && !is_example(body) && !is_wordy(body) && entropy(body.as_bytes()) >= 2.5
}

/// Whether a value looks as if nobody had chosen it: long, of letters and digits, of many kinds.
pub(super) fn is_random(value: &str) -> bool {
    let has = |passes: fn(&u8) -> bool| value.as_bytes().iter().any(passes);
    let is_plain = |b: &u8| b.is_ascii_alphanumeric() || b"_-./+=~:%!".contains(b);
    value.len() >= 12
        && value.as_bytes().iter().all(is_plain)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && !is_wordy(value)
        && entropy(value.as_bytes()) >= 3.0
}

/// Whether a value is made of words and numbers, as names, paths and versions are.
pub(super) fn is_wordy(value: &str) -> bool {
    let parts = value.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    let (mut all, mut wordy) = (0_usize, 0_usize);
    for part in parts {
        all += 1;
        wordy += usize::from(is_word_with_number(part));
    }
    all == wordy || is_mostly_words(value)
}

/// Whether most of a name's letters are runs that words have: `X509RequestOptions`, `WIN32_ERROR`.
/// What is drawn from small letters and digits alone has such runs by chance, and is not judged so.
fn is_mostly_words(value: &str) -> bool {
    let bytes = value.as_bytes();
    let has = |passes: fn(&u8) -> bool| bytes.iter().any(passes);
    let has_sign = has(|b| matches!(b, b'_' | b'-'));
    let is_name = match (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase)) {
        (true, true) => true,
        _ => has_sign,
    };
    let is_letter: fn(&u8) -> bool = match has(u8::is_ascii_lowercase) {
        true => u8::is_ascii_lowercase,
        false => u8::is_ascii_uppercase,
    };
    let runs = bytes.split(|b| !is_letter(b)).map(<[u8]>::len).filter(|run| *run >= 3);
    let all = bytes.iter().filter(|b| b.is_ascii_alphanumeric()).count();
    is_name && runs.sum::<usize>() * 20 >= all * 11
}

/// Words in which a number may stand, and which are shorter than words are.
const SHORT: [&str; 12] =
    ["sha", "md", "utf", "v", "rsa", "aes", "iso", "ed", "es", "hs", "rs", "id"];

/// Whether a part is one word or more, each with a short number behind it at most: `base64Url`.
fn is_word_with_number(part: &str) -> bool {
    let (mut at, bytes) = (0, part.as_bytes());
    let ends = |from: usize, passes: fn(&u8) -> bool| {
        from + bytes[from..].iter().take_while(|b| passes(b)).count()
    };
    let is_letter = |b: &u8| !b.is_ascii_digit();
    if bytes.iter().all(u8::is_ascii_digit) {
        return bytes.len() <= 8;
    }
    while at < bytes.len() {
        let letters = ends(at, is_letter);
        let digits = ends(letters, u8::is_ascii_digit);
        let word = &bytes[at..letters];
        let is_short = SHORT.iter().any(|short| word.eq_ignore_ascii_case(short.as_bytes()));
        let is_alone = at == 0 && digits == bytes.len();
        let is_long = word.len() >= 4 && !is_shuffled(word);
        if digits - letters > 4 || !(is_short || is_alone && !is_shuffled(word) || is_long) {
            return false;
        }
        at = digits;
    }
    true
}

/// Whether capitals stand in the middle as no name has them: `aBcDeFgH`.
fn is_shuffled(word: &[u8]) -> bool {
    let turns = word
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
    word.len() >= 8 && turns.count() * 4 > word.len()
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
        () if !has_digit && !value.chars().any(is_sign) => false,
        () if !is_quoted && (value.chars().any(is_code) || value.contains("::")) => false,
        () if !has_letter => has_digit && length >= 6 && is_quoted && !is_number(value),
        () if !has_digit => has_inner_sign(value),
        () if !is_quoted && value.contains('_') && is_wordy(value) => false,
        () if words == 2 => value.split_whitespace().any(is_mixed),
        () => is_quoted || is_mixed(value) || !is_wordy(value),
    }
}

/// Whether letters and digits stand in it together.
fn is_mixed(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_digit()) && word.chars().any(char::is_alphabetic)
}

/// Whether it is a number, a date or a version, and no more.
fn is_number(value: &str) -> bool {
    value.bytes().all(|b| b.is_ascii_digit() || b".,-:+/ ".contains(&b))
}

/// Whether a sign stands between letters as it hardly does in words or in code: `corr&ct!horse`.
fn has_inner_sign(value: &str) -> bool {
    let signs = value.bytes().filter(|b| b"!@#$%^&*?+~".contains(b)).count();
    let inner = value.trim_matches(|c: char| !c.is_alphanumeric());
    signs >= 2 && inner.bytes().any(|b| b"!@#$%^&*?+~".contains(&b))
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
