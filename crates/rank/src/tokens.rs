//! How many tokens a text costs a model: the o200k byte-pair encoding, tables in the binary.

/// The number of o200k tokens in `text`.
pub fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

/// No more tokens than this: each is at least a byte. Costs nothing.
pub fn at_most(text: &str) -> usize {
    text.len()
}

/// No fewer tokens than this, at least ten times as fast as [`count`] and without its tables: what
/// certainly does not fit need not be counted. For English it is about five sixths of the count.
///
/// No token reaches from one word into the next, if that begins with a letter or a digit; and none
/// is longer than [`TOKEN_BYTES_MAX`].
pub fn at_least(text: &str) -> usize {
    let begins = |word: &&str| word.starts_with(char::is_alphanumeric);
    let words = text.split_whitespace().filter(begins).count();
    words.max(text.len().div_ceil(TOKEN_BYTES_MAX))
}

/// About how many tokens, without the tables of [`count`], whose reading alone takes longer than a
/// prompt may wait: rather more than there are, in most languages.
///
/// A word is one token for every seven of its Latin letters, those of other alphabets and digits go
/// three by three, and every other sign that can be seen is one.
pub fn about(text: &str) -> usize {
    let (mut tokens, mut run) = (0, (Sign::Space, 0));
    for c in text.chars() {
        let sign = Sign::of(c);
        // A space goes with the word behind it, but not with a number.
        tokens += usize::from(run.0 == Sign::Space && run.1 > 0 && sign == Sign::Digit);
        run = if sign == run.0 { (sign, run.1 + 1) } else { (sign, 1) };
        tokens += usize::from(sign.per_token().is_some_and(|most| run.1 % most == 1 % most));
    }
    tokens
}

/// What a character is to [`about`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Letter,
    Foreign,
    Digit,
    Space,
    Line,
    Other,
}

impl Sign {
    fn of(c: char) -> Self {
        match c {
            c if c < '\u{250}' && c.is_alphabetic() => Self::Letter,
            c if c < '\u{2e80}' && c.is_alphabetic() => Self::Foreign,
            '0'..='9' => Self::Digit,
            '\n' => Self::Line,
            c if c.is_whitespace() => Self::Space,
            _ => Self::Other,
        }
    }

    /// How many of them are a token, if they cost anything.
    const fn per_token(self) -> Option<usize> {
        match self {
            Self::Letter => Some(7),
            Self::Foreign | Self::Digit => Some(3),
            Self::Line | Self::Other => Some(1),
            Self::Space => None,
        }
    }
}

/// The longest token of the table, which is a run of spaces.
pub const TOKEN_BYTES_MAX: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tokens_are_byte_pairs_and_not_characters_by_four() {
        assert_eq!(count(""), 0);
        assert_eq!(count("hello world"), 2);
        assert!(count("日本語のテキスト") > 1);
    }

    #[test]
    fn the_bounds_of_a_sentence_are_near() {
        let text = "We deploy on Fridays only after the smoke tests have passed.";
        assert_eq!((at_least(text), count(text)), (11, 12));
        assert_eq!((at_least(""), at_most("")), (0, 0));
    }

    #[test]
    fn a_run_of_one_sign_has_few_tokens_and_never_fewer_than_said() {
        for sign in [" ", "-", "=", "a", "0", "\n", "\t", "/", "*", "#", "_", ".", "日", "\u{a0}"]
        {
            for times in [1, 7, 127, 128, 129, 400, 1_000] {
                let text = sign.repeat(times);
                assert!(at_least(&text) <= count(&text), "{times} times {sign:?}");
            }
        }
    }

    #[test]
    fn an_estimate_is_rather_more_than_the_count_and_not_twice_as_much() {
        for text in [
            "We deploy on Fridays only after the smoke tests have passed.",
            "- Never call the payment provider from a test. [mem_0f3c9a7be2d14c55a1b2c3d4e5f60718, 2026-11-02]",
            "Die Rechnung wird am Monatsende verschickt, nicht vorher.",
            "fn main() { let x: Vec<u8> = std::env::args().map(|a| a.len() as u8).collect(); }",
            "日本語のテキストと、もう少し長い文章です。",
            "Нужно всегда запускать тесты перед коммитом.",
        ] {
            let (about, count) = (about(text), count(text));
            assert!(about * 10 >= count * 9 && about <= count * 3, "{about} {count} {text}");
        }
        assert_eq!((about(""), about("   ")), (0, 0));
    }

    proptest! {
        #[test]
        fn a_count_is_within_its_bounds(text in "\\PC*|[ -~\n\t]*|([a-zA-Z0-9'./ \n]{1,4}[ \r\n/]{0,3}){0,40}") {
            let tokens = count(&text);
            prop_assert!(at_least(&text) <= tokens, "{} of {tokens}", at_least(&text));
            prop_assert!(tokens <= at_most(&text));
        }
    }
}
