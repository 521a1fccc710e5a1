//! A text into sentences, and a sentence into words and signs.
//!
//! A number keeps its signs (`1,000`, `9:30`, `2026-01-05`, `v1.2.3`), a name its own (`HTTP/2`,
//! `UTF-8`). `don't` becomes `do` and `not`. Nothing is decided here about what a word means.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// No more of a text than this is read.
pub const TEXT_BYTES_MAX: usize = 16 * 1024;

/// No more sentences of a text than this are read.
pub const SENTENCES_MAX: usize = 32;

/// A longer sentence claims nothing: cut off, it could say the opposite.
pub const SENTENCE_WORDS_MAX: usize = 64;

/// A word or a sign of a sentence.
#[derive(Debug, Clone)]
pub(super) struct Token<'a> {
    /// As it is written.
    pub(super) text: &'a str,
    /// Lower case, without accents, apostrophes and endings of possession.
    pub(super) word: String,
    /// Where it begins in the text.
    pub(super) at: usize,
    /// Whether it ends with `'s`.
    pub(super) owns: bool,
}

impl Token<'_> {
    /// Where it ends in the text.
    pub(super) fn end(&self) -> usize {
        self.at + self.text.len()
    }

    /// Whether it is a sign rather than a word.
    pub(super) fn is_sign(&self) -> bool {
        !self.text.contains(char::is_alphanumeric)
    }

    /// Whether it is written as names are: with a capital, a digit or a sign inside.
    pub(super) fn is_name(&self) -> bool {
        self.text.chars().any(|c| c.is_uppercase() || c.is_ascii_digit() || "_./@".contains(c))
    }
}

/// The statements of `text`, each as its words and signs. Questions are none.
pub(super) fn sentences(text: &str) -> Vec<Vec<Token<'_>>> {
    let mut sentences = Vec::new();
    let mut sentence = Vec::new();
    let text = head(text);
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let next = at + c.len_utf8();
        if ends_sentence(text, at, c) {
            if c != '?' {
                keep(std::mem::take(&mut sentence), &mut sentences);
            }
            sentence.clear();
            at = next;
        } else if c.is_whitespace() {
            at = next;
        } else if c.is_alphanumeric() {
            at = push_word(text, at, &mut sentence);
        } else {
            at = push_sign(text, at, next, &mut sentence);
        }
        if sentences.len() == SENTENCES_MAX {
            return sentences;
        }
    }
    keep(sentence, &mut sentences);
    sentences
}

/// The part of `text` that is read.
fn head(text: &str) -> &str {
    let mut end = text.len().min(TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn keep<'a>(sentence: Vec<Token<'a>>, sentences: &mut Vec<Vec<Token<'a>>>) {
    if !sentence.is_empty() && sentence.len() <= SENTENCE_WORDS_MAX {
        sentences.push(sentence);
    }
}

/// A line ends a sentence, and so does a full stop that no small letter follows.
fn ends_sentence(text: &str, at: usize, c: char) -> bool {
    let rest = &text[at + c.len_utf8()..];
    match c {
        '\n' | ';' | '!' | '?' | '。' | '？' | '！' => !(c == '!' && rest.starts_with('=')),
        '.' => {
            let spaced =
                rest.chars().next().is_none_or(|c| c.is_whitespace() || "\"')”".contains(c));
            spaced && !rest.trim_start().starts_with(|c: char| c.is_lowercase())
        }
        _ => false,
    }
}

fn push_sign<'a>(text: &'a str, at: usize, next: usize, sentence: &mut Vec<Token<'a>>) -> usize {
    let end = if text[next..].starts_with('=') && "<>!=".contains(&text[at..next]) {
        next + 1
    } else {
        next
    };
    let sign = &text[at..end];
    sentence.push(Token { text: sign, word: sign.to_owned(), at, owns: false });
    end
}

/// Reads the word that begins at `at`, and says where it ends.
fn push_word<'a>(text: &'a str, at: usize, sentence: &mut Vec<Token<'a>>) -> usize {
    let end = word_end(text, at);
    let written = &text[at..end];
    let mut word = fold(written);
    let owns = word.ends_with("'s");
    if owns {
        word.truncate(word.len() - 2);
        if matches!(word.as_str(), "it" | "that" | "there" | "he" | "she" | "what" | "who") {
            sentence.push(Token { text: written, word, at, owns: false });
            sentence.push(Token { text: "", word: "is".to_owned(), at: end, owns: false });
            return end;
        }
    }
    if let Some(verb) = without_not(&word) {
        sentence.push(Token { text: written, word: verb, at, owns: false });
        sentence.push(Token { text: "", word: "not".to_owned(), at: end, owns: false });
        return end;
    }
    for ending in ["'re", "'ve", "'ll", "'d", "'m"] {
        if word.ends_with(ending) {
            word.truncate(word.len() - ending.len());
        }
    }
    sentence.push(Token { text: written, word, at, owns });
    end
}

/// `don't` without its `not`; none for any other word.
fn without_not(word: &str) -> Option<String> {
    match word {
        "cannot" | "can't" | "cant" => Some("can".to_owned()),
        "won't" => Some("will".to_owned()),
        "shan't" => Some("shall".to_owned()),
        "dont" => Some("do".to_owned()),
        "doesnt" => Some("does".to_owned()),
        "isnt" => Some("is".to_owned()),
        _ => word.strip_suffix("n't").map(str::to_owned),
    }
}

/// Where the word ends: signs belong to it only between two of its letters or digits.
fn word_end(text: &str, at: usize) -> usize {
    let mut end = at;
    let mut rest = text[at..].char_indices().peekable();
    while let Some((offset, c)) = rest.next() {
        let next = rest.peek().map(|(_, next)| *next);
        let before = text[at..at + offset].chars().next_back();
        if c.is_alphanumeric() || c == '_' || is_combining_mark(c) || joins(before, c, next) {
            end = at + offset + c.len_utf8();
        } else {
            break;
        }
    }
    // A plus or a number sign behind a word belongs to it (C++, C#, 18+), a percent sign to a number.
    let tail = text[end..].bytes().take_while(|b| matches!(b, b'+' | b'#' | b'%')).count();
    end + tail.min(2)
}

/// Whether `c` between `before` and `next` is part of one word.
fn joins(before: Option<char>, c: char, next: Option<char>) -> bool {
    let (Some(before), Some(next)) = (before, next) else { return false };
    let digits = before.is_ascii_digit() && next.is_ascii_digit();
    match c {
        '\'' | '’' => before.is_alphabetic() && next.is_alphabetic(),
        '.' | '-' | '/' | '@' | '–' => before.is_alphanumeric() && next.is_alphanumeric(),
        ',' | ':' => digits,
        _ => false,
    }
}

/// Lower case, without accents.
fn fold(written: &str) -> String {
    if written.is_ascii() {
        return written.to_ascii_lowercase();
    }
    let plain = written.nfkd().filter(|c| !is_combining_mark(*c));
    plain.flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let join = |sentence: &Vec<Token<'_>>| {
            sentence.iter().map(|token| token.word.as_str()).collect::<Vec<_>>().join(" ")
        };
        sentences(text).iter().map(join).collect()
    }

    #[test]
    fn numbers_and_names_keep_their_signs() {
        assert_eq!(words("v1.2.3 and HTTP/2 at 9:30."), ["v1.2.3 and http/2 at 9:30"]);
        assert_eq!(words("1,000 of C++, 5% >= 3"), ["1,000 of c++ , 5% >= 3"]);
    }

    #[test]
    fn not_is_a_word_of_its_own() {
        assert_eq!(words("Don't, can’t, isn't"), ["do not , can not , is not"]);
        assert_eq!(words("Ada's cat"), ["ada cat"]);
    }

    #[test]
    fn sentences_end_at_stops_and_lines_and_questions_are_none() {
        assert_eq!(
            words("One two. Three e.g. four\nFive? Six!"),
            ["one two", "three e.g . four", "six"]
        );
    }

    #[test]
    fn everything_has_a_limit() {
        assert_eq!(sentences(&"Yes it is. ".repeat(500)).len(), SENTENCES_MAX);
        assert!(sentences(&"word ".repeat(100_000)).is_empty());
    }
}
