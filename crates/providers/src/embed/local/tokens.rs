//! Text into a model's tokens, as BERT does it: folded, split at spaces and punctuation, then each
//! word into the longest pieces that the vocabulary has.
//!
//! The vocabulary is the model's own; where a model comes without one, it is that of BERT for
//! English in small letters, which nearly all of its kind share. `[CLS]` in a text is text.

use std::collections::HashMap;

use serde_json::Value;
use unicode_general_category::{GeneralCategory as Category, get_general_category};
use unicode_normalization::UnicodeNormalization;

/// The vocabulary of BERT for English in small letters, one token a line.
pub(super) const BERT_UNCASED: &str = include_str!("../../../assets/bert-uncased-vocab.txt");

/// A longer word is unknown as a whole.
const WORD_CHARS_MAX: usize = 100;

/// What stands behind these characters of a text does not count.
const TEXT_CHARS_MAX: usize = 100_000;

/// What the pieces of a word have in front, the first aside.
const CONTINUATION: &str = "##";

/// How texts are folded before they are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Folding {
    /// Whether capitals become small.
    pub(super) lowers: bool,
    /// Whether accents are left out.
    pub(super) strips: bool,
}

/// The tokens of a model.
pub(super) struct Tokens {
    ids: HashMap<String, u32>,
    /// The longest token, in bytes.
    longest: usize,
    folding: Folding,
    start: u32,
    end: u32,
    unknown: u32,
}

impl Tokens {
    /// From `vocab.txt`: a token a line, in the order of their numbers.
    pub(super) fn from_lines(lines: &str, folding: Folding) -> Result<Self, String> {
        let lines = lines.lines().map(|line| line.trim_end().to_owned());
        Self::new(lines.zip(0..).collect(), folding)
    }

    /// From `tokenizer.json`; an error if it is no WordPiece tokenizer.
    pub(super) fn from_json(text: &str) -> Result<Self, String> {
        let json: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let model = &json["model"];
        let is_wordpiece = model["type"] == "WordPiece"
            || model["type"].is_null() && !model["max_input_chars_per_word"].is_null();
        let vocabulary = model["vocab"].as_object().filter(|_| is_wordpiece);
        let vocabulary = vocabulary.ok_or("it is no WordPiece tokenizer, as BERT models have")?;
        let normalizer = &json["normalizer"];
        let lowers = normalizer["lowercase"].as_bool().unwrap_or(true);
        let strips = normalizer["strip_accents"].as_bool().unwrap_or(lowers);
        let id = |value: &Value| value.as_u64().and_then(|id| u32::try_from(id).ok());
        let ids = vocabulary.iter().filter_map(|(token, value)| Some((token.clone(), id(value)?)));
        Self::new(ids.collect(), Folding { lowers, strips })
    }

    fn new(ids: HashMap<String, u32>, folding: Folding) -> Result<Self, String> {
        let special = |token: &str| {
            ids.get(token).copied().ok_or_else(|| format!("its vocabulary has no {token}"))
        };
        let (start, end, unknown) = (special("[CLS]")?, special("[SEP]")?, special("[UNK]")?);
        let longest = ids.keys().map(String::len).max().unwrap_or_default();
        Ok(Self { ids, longest, folding, start, end, unknown })
    }

    /// The highest number of a token.
    pub(super) fn highest(&self) -> u32 {
        self.ids.values().copied().max().unwrap_or_default()
    }

    /// The tokens of a text between those of its start and its end, `max` together; none if the
    /// model knows nothing of it.
    pub(super) fn of(&self, text: &str, max: usize) -> Option<Vec<u32>> {
        let mut pieces =
            Pieces { tokens: self, ids: vec![self.start], word: String::new(), word_chars: 0 };
        let max = max.saturating_sub(1).max(1);
        for c in self.folded(text) {
            if c.is_whitespace() {
                pieces.end_word();
            } else if is_punctuation(c) {
                pieces.end_word();
                pieces.push(c);
                pieces.end_word();
            } else {
                pieces.push(c);
            }
            if pieces.ids.len() >= max {
                break;
            }
        }
        pieces.end_word();
        let mut ids = pieces.ids;
        ids.truncate(max);
        let knows = ids.iter().skip(1).any(|id| *id != self.unknown);
        ids.push(self.end);
        knows.then_some(ids)
    }

    /// The characters of a text without control characters, with spaces around ideographs, and
    /// folded as the model wants it.
    fn folded(&self, text: &str) -> impl Iterator<Item = char> {
        let Folding { lowers, strips } = self.folding;
        let cleaned = text.trim_start().chars().take(TEXT_CHARS_MAX).flat_map(|c| match c {
            '\t' | '\n' | '\r' => [Some(' '), None, None],
            c if is_dropped(c) => [None, None, None],
            c if is_ideograph(c) => [Some(' '), Some(c), Some(' ')],
            c => [Some(c), None, None],
        });
        let cleaned: String = cleaned.flatten().collect();
        let stripped: String = if strips {
            cleaned.nfd().filter(|c| category(*c) != Category::NonspacingMark).collect()
        } else {
            cleaned
        };
        let chars: Vec<char> = if lowers {
            stripped.chars().flat_map(char::to_lowercase).collect()
        } else {
            stripped.chars().collect()
        };
        chars.into_iter()
    }
}

/// The tokens so far, and the word that is being read.
struct Pieces<'a> {
    tokens: &'a Tokens,
    ids: Vec<u32>,
    word: String,
    word_chars: usize,
}

impl Pieces<'_> {
    /// A word that is too long is counted on, but not kept.
    fn push(&mut self, c: char) {
        self.word_chars += 1;
        if self.word_chars <= WORD_CHARS_MAX {
            self.word.push(c);
        }
    }

    fn end_word(&mut self) {
        if self.word_chars > 0 {
            let start = self.ids.len();
            let word = std::mem::take(&mut self.word);
            if self.word_chars > WORD_CHARS_MAX || !self.split(&word) {
                self.ids.truncate(start);
                self.ids.push(self.tokens.unknown);
            }
        }
        self.word.clear();
        self.word_chars = 0;
    }

    /// Whether a word consists of pieces of the vocabulary; its first ones are noted either way.
    fn split(&mut self, word: &str) -> bool {
        let mut rest = word;
        let mut piece = String::new();
        while !rest.is_empty() {
            let prefix = if rest.len() == word.len() { "" } else { CONTINUATION };
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
            let ends: Vec<usize> =
                ends.take_while(|end| prefix.len() + end <= self.tokens.longest).collect();
            let found = ends.into_iter().rev().find_map(|end| {
                piece.clear();
                piece.push_str(prefix);
                piece.push_str(&rest[..end]);
                Some((*self.tokens.ids.get(&piece)?, end))
            });
            let Some((id, end)) = found else { return false };
            self.ids.push(id);
            rest = &rest[end..];
        }
        true
    }
}

fn category(c: char) -> Category {
    get_general_category(c)
}

/// Characters that a text loses: those of control, formats, private use and none at all.
fn is_dropped(c: char) -> bool {
    use Category::{Control, Format, PrivateUse, Unassigned};
    c == '\u{fffd}' || matches!(category(c), Control | Format | PrivateUse | Unassigned)
}

fn is_punctuation(c: char) -> bool {
    use Category::{
        ClosePunctuation, ConnectorPunctuation, DashPunctuation, FinalPunctuation,
        InitialPunctuation, OpenPunctuation, OtherPunctuation,
    };
    c.is_ascii_punctuation()
        || matches!(
            category(c),
            ClosePunctuation
                | ConnectorPunctuation
                | DashPunctuation
                | FinalPunctuation
                | InitialPunctuation
                | OpenPunctuation
                | OtherPunctuation
        )
}

/// Each of these is a word.
fn is_ideograph(c: char) -> bool {
    matches!(
        u32::from(c),
        0x4e00..=0x9fff
            | 0x3400..=0x4dbf
            | 0x20000..=0x2a6df
            | 0x2a700..=0x2b73f
            | 0x2b740..=0x2b81f
            | 0x2b920..=0x2ceaf
            | 0xf900..=0xfaff
            | 0x2f800..=0x2fa1f
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOLDEN: &str = include_str!("../../../assets/embed-golden.json");

    fn bert() -> Tokens {
        Tokens::from_lines(BERT_UNCASED, Folding { lowers: true, strips: true }).unwrap()
    }

    #[test]
    fn tokens_are_those_of_the_reference() {
        let golden: Value = serde_json::from_str(GOLDEN).unwrap();
        let texts = golden["texts"].as_array().unwrap();
        let expected = golden["tokens"].as_array().unwrap();
        assert_eq!(texts.len(), expected.len());
        // The last one stands for a text that only the models are asked for.
        for (text, expected) in texts.iter().zip(expected).take(texts.len() - 1) {
            let text = text.as_str().unwrap();
            let expected: Vec<u32> = serde_json::from_value(expected.clone()).unwrap();
            assert_eq!(bert().of(text, 64), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_too_long_is_bounded() {
        let tokens = bert();
        assert_eq!(tokens.highest(), 30_521);
        assert_eq!(tokens.of(&"x".repeat(1_000_000), 16), None, "one word that nobody knows");
        let many = tokens.of(&"!".repeat(1_000_000), 16).unwrap();
        assert_eq!((many.len(), many[0], many[15]), (16, 101, 102));
        assert_eq!(tokens.of("[CLS]", 16).unwrap().len(), 6, "it is text");
    }

    #[test]
    fn a_tokenizer_says_how_it_folds() {
        let json = |folding: &str| {
            format!(
                r#"{{"normalizer": {{"type": "BertNormalizer", {folding}}}, "model": {{"type": "WordPiece",
                "vocab": {{"[CLS]": 0, "[SEP]": 1, "[UNK]": 2, "Tea": 3, "tea": 4, "thé": 5, "the": 6}}}}}}"#
            )
        };
        let of = |folding: &str, text: &str| {
            Tokens::from_json(&json(folding)).unwrap().of(text, 9).unwrap()[1]
        };
        assert_eq!(of(r#""lowercase": true, "strip_accents": null"#, "Tea"), 4);
        assert_eq!(of(r#""lowercase": true, "strip_accents": null"#, "Thé"), 6);
        assert_eq!(of(r#""lowercase": true, "strip_accents": false"#, "Thé"), 5);
        assert_eq!(of(r#""lowercase": false, "strip_accents": null"#, "Tea"), 3);
        assert!(Tokens::from_json("{").is_err());
        assert!(Tokens::from_lines("a\nb", Folding { lowers: true, strips: true }).is_err());
    }
}
