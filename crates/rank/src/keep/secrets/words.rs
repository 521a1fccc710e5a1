//! Whether a value is made of words, as names, paths and versions are, or its letters are drawn.
//!
//! Two questions, and a name passes both: is it built like one (runs of letters of one case, numbers
//! behind them), and are its letters those that follow each other in words? What is drawn is built so
//! by chance every now and then, and hardly ever reads so as well.

/// Which letters often follow each in words: the 180 pairs that make up five sixths of those in the
/// names and texts of a few thousand source files. Of what is drawn they make up a quarter.
const FOLLOWING: [&str; 26] = [
    "bcdgilmnprst",
    "aeilsu",
    "aehiklorstu",
    "adeiors",
    "acdefglmnprstvx",
    "aefilos",
    "eir",
    "aeio",
    "abcdefglmnoprstvz",
    "",
    "e",
    "adeilosty",
    "aeiopsu",
    "acdefgiost",
    "cdlmnoprstuvw",
    "aeiloprst",
    "u",
    "acdeimorstuy",
    "acehiopstu",
    "acehilorstuy",
    "belmnprst",
    "aei",
    "a",
    "",
    "",
    "e",
];

/// Fewer pairs than this tell nothing.
const PAIRS_MIN: usize = 4;

/// How many pairs of letters a value has, and how many of them are common in words. Where a word of a
/// name begins (`tokenValue`) is no pair.
fn pairs(value: &str) -> (usize, usize) {
    let (mut all, mut common) = (0, 0);
    for pair in value.as_bytes().windows(2) {
        let [a, b] = pair else { continue };
        let is_pair = a.is_ascii_alphabetic() && b.is_ascii_alphabetic();
        if is_pair && !(a.is_ascii_lowercase() && b.is_ascii_uppercase()) {
            let following = FOLLOWING[usize::from(a.to_ascii_lowercase() - b'a')];
            all += 1;
            common += usize::from(following.as_bytes().contains(&b.to_ascii_lowercase()));
        }
    }
    (all, common)
}

/// Whether its letters follow each other as in words; what has few of them is not judged.
fn reads(value: &str) -> bool {
    let (all, common) = pairs(value);
    all < PAIRS_MIN || common * 10 >= all * 6
}

/// Whether a value is made of words and numbers, as names, paths and versions are.
pub(super) fn is_wordy(value: &str) -> bool {
    let mut parts = value.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    (parts.all(is_word_with_number) || is_mostly_words(value)) && reads(value)
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

/// Whether a value is spelled out from beginning to end: words of one case or with a capital first,
/// a short number behind them at most. Of what is drawn this is hardly ever true, however short.
pub(super) fn is_spelled(value: &str) -> bool {
    let mut letters = 0_usize;
    for part in value.split(|c: char| !c.is_ascii_alphanumeric()) {
        let name = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = &part.as_bytes()[name.len()..];
        let is_number = number.len() <= 4 || super::chance::counts(number);
        if !is_number || !is_name(name.as_bytes()) {
            return false;
        }
        letters += name.len();
    }
    letters * 3 > value.len() && reads(value)
}

/// Whether these letters are of one case, or words with a capital first: `myOldToken`, `asJSONText`.
fn is_name(name: &[u8]) -> bool {
    let is_small = |b: &u8| b.is_ascii_lowercase();
    let is_mixed = name.iter().any(is_small) && !name.iter().all(is_small);
    let short = name.split(|b| !is_small(b)).filter(|run| run.len() == 1).count();
    let mut large = name.split(is_small).map(<[u8]>::len).filter(|run| *run > 0);
    let words = words(name);
    let is_words = short * 5 <= words && words * 4 <= name.len();
    name.iter().all(u8::is_ascii_alphabetic)
        && (!is_mixed || is_words && large.all(|run| run == 1 || run >= 4))
}

/// How many words a name has by its capitals, at least.
fn words(name: &[u8]) -> usize {
    let begins =
        |pair: &&[u8]| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase());
    1 + name.windows(2).filter(begins).count()
}

/// Whether letters without a digit among them are drawn all the same: their case changes as in no
/// name, or they are many; and they do not read as words.
pub(super) fn is_jumbled(value: &str) -> bool {
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let (all, common) = pairs(value);
    let change = |pair: &&[u8]| {
        let is = |passes: fn(&u8) -> bool| pair.iter().any(passes);
        is(u8::is_ascii_lowercase) && is(u8::is_ascii_uppercase)
    };
    let changes = value.as_bytes().windows(2).filter(change).count();
    let is_mixed = letters >= 10 && changes * 10 >= letters * 3 && common * 10 < all * 6;
    is_mixed || letters >= 20 && common * 10 < all * 4
}
