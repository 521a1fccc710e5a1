//! How many tokens a text costs a model: the o200k byte-pair encoding, tables in the binary.

/// The number of o200k tokens in `text`.
pub fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_byte_pairs_and_not_characters_by_four() {
        assert_eq!(count(""), 0);
        assert_eq!(count("hello world"), 2);
        assert!(count("日本語のテキスト") > 1);
    }
}
