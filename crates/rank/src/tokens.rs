//! How many tokens a text costs a model: the o200k byte-pair encoding, tables in the binary.

/// The number of o200k tokens in `text`.
pub fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

/// No more tokens than this: each is at least a byte. Costs nothing.
pub fn at_most(text: &str) -> usize {
    text.len()
}

/// No fewer tokens than this, some hundred times as fast as [`count`] and without its tables: what
/// certainly does not fit need not be counted. For English it is about five sixths of the count.
///
/// No token reaches from one word into the next, if that begins with a letter or a digit; and none is
/// longer than [`TOKEN_BYTES_MAX`].
pub fn at_least(text: &str) -> usize {
    let begins = |word: &&str| word.starts_with(char::is_alphanumeric);
    let words = text.split_whitespace().filter(begins).count();
    words.max(text.len().div_ceil(TOKEN_BYTES_MAX))
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

    proptest! {
        #[test]
        fn a_count_is_within_its_bounds(text in "\\PC*|[ -~\n\t]*|([a-zA-Z0-9'./ \n]{1,4}[ \r\n/]{0,3}){0,40}") {
            let tokens = count(&text);
            prop_assert!(at_least(&text) <= tokens, "{} of {tokens}", at_least(&text));
            prop_assert!(tokens <= at_most(&text));
        }
    }
}
