//! A block into sentences of words and marks, each of which knows where it stands in the text.

use super::blocks::Block;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word, a number, a file name.
    Word,
    /// A name that is marked as one: inline code, or quoted.
    Marked,
    /// Something that is not read: an address, a line of code.
    Opaque,
    /// A punctuation mark.
    Mark(char),
}

/// A word or a mark.
#[derive(Debug, Clone)]
pub(super) struct Token<'a> {
    /// As it is written.
    pub(super) text: &'a str,
    /// In lower case, without the dot of an abbreviation.
    pub(super) word: String,
    /// Where it stands in the whole text, in bytes.
    pub(super) at: usize,
    pub(super) kind: Kind,
}

impl Token<'_> {
    /// Where it ends in the whole text.
    pub(super) fn end(&self) -> usize {
        self.at + self.text.len()
    }

    /// Whether it is a number, a version or a year.
    pub(super) fn is_number(&self) -> bool {
        self.kind == Kind::Word
            && self.text.starts_with(|c: char| c.is_ascii_digit())
            && !self.text.contains(|c: char| c.is_alphabetic())
    }
}

/// A sentence of a block.
#[derive(Debug, Default)]
pub(super) struct Sentence<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) is_question: bool,
}

/// Abbreviations that never end a sentence.
const TITLES: &[&str] = &[
    "dr", "mr", "mrs", "ms", "prof", "st", "e.g", "i.e", "vs", "cf", "fig", "no", "approx", "gen",
    "sen", "rev",
];

/// Abbreviations that end a sentence if the next word is written large.
const ENDINGS: &[&str] =
    &["inc", "ltd", "corp", "co", "jr", "sr", "u.s", "u.k", "dept", "llc", "plc", "ave", "bros"];

/// No quoted name is longer, in bytes.
const QUOTED_MAX: usize = 60;

/// The sentences of a block of `text`.
pub(super) fn sentences<'a>(text: &'a str, block: &Block) -> Vec<Sentence<'a>> {
    let mut done = vec![Sentence::default()];
    for line in &block.lines {
        let mut scanner = Scanner { text, at: line.start, end: line.end };
        while let Some(token) = scanner.next_token() {
            let Some(last) = done.last_mut() else { break };
            let kind = token.kind;
            last.tokens.extend(parts(token));
            if matches!(kind, Kind::Mark('.' | '!' | '?' | ';' | '…')) {
                last.is_question |= kind == Kind::Mark('?');
                done.push(Sentence::default());
            }
        }
    }
    done.retain(|sentence| {
        sentence.tokens.iter().any(|token| !matches!(token.kind, Kind::Mark(_)))
    });
    done
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    fn token(&mut self, length: usize, kind: Kind) -> Token<'a> {
        let text = &self.rest()[..length];
        let token = Token { text, word: folded(text), at: self.at, kind };
        self.at += length;
        token
    }

    fn next_token(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = self.rest();
            let first = rest.chars().next()?;
            match first {
                '`' => {
                    if let Some(token) = self.code() {
                        return Some(token);
                    }
                }
                '"' | '“' | '”' => {
                    let token = self.quoted(first);
                    return Some(
                        token.unwrap_or_else(|| self.token(first.len_utf8(), Kind::Mark('"'))),
                    );
                }
                ']' if rest[1..].starts_with('(') => {
                    let end = rest.find(|c: char| c == ')' || c.is_whitespace());
                    let is_closed = end.is_some_and(|end| rest[end..].starts_with(')'));
                    self.at += end.unwrap_or(rest.len()) + usize::from(is_closed);
                }
                '<' if rest[1..].starts_with(|c: char| c.is_alphabetic() || c == '/') => {
                    let end = rest.bytes().take(200).position(|byte| byte == b'>');
                    self.at += end.map_or(1, |end| end + 1);
                }
                '*' | '_' | '~' | '[' | ']' | '#' | '\\' => self.at += 1,
                '!' if rest[1..].starts_with('[') => {
                    let end = rest.bytes().take(200).position(|byte| byte == b']');
                    self.at += end.unwrap_or(1);
                }
                _ if first.is_alphanumeric() => return Some(self.word()),
                _ if first.is_whitespace() || first.is_control() => self.at += first.len_utf8(),
                _ => return Some(self.token(first.len_utf8(), Kind::Mark(first))),
            }
        }
    }

    /// Inline code; only the ticks are passed if they are not closed.
    fn code(&mut self) -> Option<Token<'a>> {
        let ticks = self.rest().len() - self.rest().trim_start_matches('`').len();
        self.at += ticks;
        let length = self.rest().find('`')?;
        let code = &self.rest()[..length];
        let is_name = (1..=QUOTED_MAX).contains(&length)
            && code.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '@')
            && !code.contains(|c: char| c.is_whitespace() || "=;{}\"'<>|,$".contains(c));
        let token = self.token(length, if is_name { Kind::Marked } else { Kind::Opaque });
        self.at += self.rest().len() - self.rest().trim_start_matches('`').len();
        Some(token)
    }

    /// A quoted name: a few words that begin with a large letter.
    fn quoted(&mut self, open: char) -> Option<Token<'a>> {
        let behind = &self.rest()[open.len_utf8()..];
        let mut ends = behind.char_indices().take(QUOTED_MAX);
        let (length, close) = ends.find(|(_, c)| matches!(c, '"' | '”'))?;
        let inside = &behind[..length];
        let is_name = inside.starts_with(|c: char| c.is_uppercase())
            && inside.split_whitespace().count() <= 5
            && !inside.contains(['.', ',', '!', '?', '`'])
            && !inside.ends_with(char::is_whitespace);
        if !is_name {
            return None;
        }
        self.at += open.len_utf8();
        let token = self.token(length, Kind::Marked);
        self.at += close.len_utf8();
        Some(token)
    }

    fn word(&mut self) -> Token<'a> {
        let rest = self.rest();
        let mut length = 0;
        let mut chars = rest.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            if c == ':' && rest[at..].starts_with("://") {
                let end = rest.find(|c: char| c.is_whitespace() || ")>]\"".contains(c));
                return self.token(end.unwrap_or(rest.len()), Kind::Opaque);
            }
            if !(c.is_alphanumeric() || joins(rest, at, c, next)) {
                break;
            }
            length = at + c.len_utf8();
        }
        length = rest[..length].trim_end_matches('_').len().max(1);
        let behind = &rest[length..];
        if behind.starts_with("++") && !behind[2..].starts_with(char::is_alphanumeric) {
            length += 2;
        } else if behind.starts_with('#') && length == 1
            || behind.starts_with('.') && is_abbreviation(&rest[..length], &behind[1..])
        {
            length += 1;
        }
        self.token(length, Kind::Word)
    }
}

/// Whether the dot behind `word` belongs to it.
fn is_abbreviation(word: &str, behind: &str) -> bool {
    let lower = word.to_lowercase();
    let is_initial = word.len() == 1 && word.starts_with(|c: char| c.is_ascii_uppercase());
    let next = behind.trim_start().chars().next();
    let goes_on = next.is_some_and(|next| !next.is_uppercase());
    let is_title = TITLES.contains(&lower.as_str()) && (lower != "no" || word != "no");
    (is_title && next.is_some())
        || (is_initial && next.is_some_and(char::is_uppercase) && !matches!(word, "I" | "C"))
        || (ENDINGS.contains(&lower.as_str()) && goes_on)
        || (lower == "etc" && goes_on)
}

/// Whether a mark at `at` holds a word together: `main.rs`, `don't`, `serde_json`, `1,000`.
fn joins(rest: &str, at: usize, c: char, next: Option<char>) -> bool {
    let before = rest[..at].chars().next_back();
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    match c {
        '_' | '-' | '.' | '/' | '\'' | '’' | '&' | '@' | '+' => {
            before.is_some_and(char::is_alphanumeric)
                && next.is_some_and(|next| next.is_alphanumeric() || (c == '_' && next == '_'))
                || (c == '_' && before == Some('_') && next.is_some_and(char::is_alphanumeric))
        }
        ':' => next == Some(':') || before == Some(':') && next.is_some_and(char::is_alphanumeric),
        ',' => digit(before) && digit(next),
        _ => false,
    }
}

/// A word in lower case, without the dot of an abbreviation, with a straight apostrophe.
fn folded(text: &str) -> String {
    let text = text.strip_suffix('.').unwrap_or(text);
    text.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }).collect()
}

/// A token, and the verb in `it's` and `who's` as one of its own.
fn parts(token: Token<'_>) -> impl Iterator<Item = Token<'_>> {
    let pronoun = token.word.strip_suffix("'s").or(token.word.strip_suffix("'re"));
    let is_pronoun =
        |word: &str| matches!(word, "it" | "he" | "she" | "they" | "that" | "who" | "there");
    let cut = pronoun.filter(|word| is_pronoun(word)).and(token.text.find(['\'', '’']));
    let Some(cut) = cut else { return [Some(token), None].into_iter().flatten() };
    let (text, verb) = token.text.split_at(cut);
    let verb = Token { text: verb, word: "is".to_owned(), at: token.at + cut, kind: Kind::Word };
    let pronoun = Token { text, word: folded(text), ..token };
    [Some(pronoun), Some(verb)].into_iter().flatten()
}
