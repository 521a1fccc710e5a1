//! Text into index terms: folded, split, stemmed.
//!
//! The index stores these terms and nothing else, and a query is made of them, so no character of a
//! user's text ever reaches the syntax of the search engine. A term consists of letters and digits
//! (with `+` or `#` behind a short one, for C++ and C#).

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::stopwords::is_stopword;

/// No term is longer than this; what is longer is cut.
pub const TERM_CHARS_MAX: usize = 64;

/// No query has more distinct terms than this; later ones are left out.
pub const QUERY_TERMS_MAX: usize = 32;

/// The terms of `text` in reading order, repetitions kept, for the index.
pub fn index_terms(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    words(text).iter().map(|word| stem(&stemmer, word)).collect()
}

/// A term of a query, and the word it is the stem of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    /// The term, as the index has it.
    pub term: String,
    /// The word, folded.
    pub word: String,
}

/// The distinct terms of a query, words without meaning of their own left out unless there are no
/// others.
pub fn query_terms(query: &str) -> Vec<QueryTerm> {
    let stemmer = Stemmer::create(Algorithm::English);
    let words = words(query);
    let telling: Vec<_> = words.iter().filter(|word| !is_stopword(word)).collect();
    let used = if telling.is_empty() { words.iter().collect() } else { telling };
    let mut terms: Vec<QueryTerm> = Vec::new();
    for word in used {
        if terms.len() == QUERY_TERMS_MAX {
            break;
        }
        let term = stem(&stemmer, word);
        if terms.iter().all(|known| known.term != term) {
            terms.push(QueryTerm { term, word: word.clone() });
        }
    }
    terms
}

fn stem(stemmer: &Stemmer, word: &str) -> String {
    if word.bytes().all(|b| b.is_ascii_lowercase()) {
        stemmer.stem(word).into_owned()
    } else {
        word.to_owned()
    }
}

/// The words of `text`: folded to lower case without accents; names in camelCase whole and in their
/// parts; scripts without spaces in overlapping pairs.
fn words(text: &str) -> Vec<String> {
    let folded: String = text.nfkd().filter(|c| !is_combining_mark(*c)).collect();
    let mut words = Vec::new();
    let mut run = String::new();
    let mut rest = folded.chars().peekable();
    while let Some(c) = rest.next() {
        if run.ends_with(['+', '#']) && c.is_alphanumeric() {
            split_run(&std::mem::take(&mut run), &mut words);
        }
        if c.is_alphanumeric() || (matches!(c, '+' | '#') && is_short_name(&run)) {
            run.push(c);
        } else {
            split_run(&std::mem::take(&mut run), &mut words);
        }
        if rest.peek().is_none() {
            split_run(&std::mem::take(&mut run), &mut words);
        }
    }
    words
}

/// `c`, `c+`, `f`: what a `+` or `#` may follow as part of the name.
fn is_short_name(run: &str) -> bool {
    let mut chars = run.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.all(|c| c == '+')
        && run.len() <= 2
}

fn split_run(run: &str, words: &mut Vec<String>) {
    let mut latin = String::new();
    let mut dense: Vec<char> = Vec::new();
    for c in run.chars() {
        if is_dense(c) {
            push_latin(&std::mem::take(&mut latin), words);
            dense.push(c);
        } else {
            push_dense(&std::mem::take(&mut dense), words);
            latin.push(c);
        }
    }
    push_latin(&latin, words);
    push_dense(&dense, words);
}

/// Characters of scripts that write without spaces.
fn is_dense(c: char) -> bool {
    matches!(c as u32,
        0x0E00..=0x0EFF | 0x1100..=0x11FF | 0x3040..=0x30FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

fn push_dense(run: &[char], words: &mut Vec<String>) {
    match run {
        [] => {}
        [one] => words.push(one.to_string()),
        many => words.extend(many.windows(2).map(|pair| pair.iter().collect::<String>())),
    }
}

fn push_latin(run: &str, words: &mut Vec<String>) {
    if run.is_empty() {
        return;
    }
    words.push(cut(run));
    let parts = camel_parts(run);
    if parts.len() > 1 {
        words.extend(parts.into_iter().map(|part| cut(&part)));
    }
}

fn cut(run: &str) -> String {
    run.chars().flat_map(char::to_lowercase).take(TERM_CHARS_MAX).collect()
}

/// `getUserName` into `get`, `User`, `Name`; a word of one case is one part.
fn camel_parts(run: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut after_lower = false;
    for c in run.chars() {
        match parts.last_mut() {
            Some(part) if !(c.is_uppercase() && after_lower) => part.push(c),
            _ => parts.push(c.to_string()),
        }
        after_lower = c.is_lowercase();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(text: &str) -> String {
        index_terms(text).join(" ")
    }

    fn query(text: &str) -> Vec<String> {
        query_terms(text).into_iter().map(|term| term.term).collect()
    }

    #[test]
    fn words_are_folded_and_stemmed() {
        assert_eq!(index("User prefers Café testing"), "user prefer cafe test");
        assert_eq!(query("preferences preferring"), ["prefer"]);
        assert_eq!(query_terms("preferences")[0].word, "preferences");
    }

    #[test]
    fn names_are_found_whole_and_in_parts() {
        assert_eq!(index("getUserName"), "getusernam get user name");
        assert_eq!(index("snake_case-kebab.dot"), "snake case kebab dot");
        assert_eq!(index("C++ and C# and a+b"), "c++ and c# and a+ b");
    }

    #[test]
    fn scripts_without_spaces_come_in_pairs() {
        assert_eq!(index("日本語"), "日本 本語");
        assert_eq!(index("語"), "語");
        assert_eq!(index("Rust言語"), "rust 言語");
    }

    #[test]
    fn a_query_of_only_small_words_still_asks_for_them() {
        assert_eq!(query("What are the databases?"), ["databas"]);
        assert_eq!(query("to be or"), ["to", "be", "or"]);
        assert!(query("?!… \0").is_empty());
    }

    #[test]
    fn everything_has_a_limit() {
        assert_eq!(index(&"x1".repeat(500)).len(), TERM_CHARS_MAX);
        let many: String = (0..500).map(|n| format!("w{n} ")).collect();
        assert_eq!(query(&many).len(), QUERY_TERMS_MAX);
    }

    proptest::proptest! {
        #[test]
        fn any_text_becomes_terms_of_letters_digits_and_signs(text in "\\PC*|[\\x00-\\x7f]*") {
            for term in index_terms(&text) {
                proptest::prop_assert!(!term.is_empty());
                let plain = |c: char| c.is_alphanumeric() || c == '+' || c == '#' || is_combining_mark(c);
                proptest::prop_assert!(term.chars().all(plain), "{term:?}");
            }
        }
    }
}
