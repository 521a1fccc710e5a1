//! What the languages have in common: words, comments, strings, and a place for what is found.

use std::ops::Range;

use super::Import;

/// How much longer the names of a file's modules may get than the file, and how long they may get
/// in any case: `a::{b, c}` names `a` twice.
const ROOM_TIMES: usize = 8;
const ROOM: usize = 64 * 1024;

/// How far the end of a call may be from its first argument.
const CALL_MAX: usize = 256;

/// What was found in a text so far.
#[derive(Debug)]
pub(super) struct Found<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) imports: Vec<Import>,
    /// The modules of the statement that is being read.
    modules: Vec<String>,
    room: usize,
    /// The line of the byte that was counted up to.
    line: usize,
    counted: usize,
}

impl<'a> Found<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let room = text.len().saturating_mul(ROOM_TIMES).saturating_add(ROOM);
        let (imports, modules) = (Vec::new(), Vec::new());
        Self { text, bytes: text.as_bytes(), imports, modules, room, line: 1, counted: 0 }
    }

    /// Notes a module of the statement that is being read: `name` behind `prefix`.
    pub(super) fn name(&mut self, prefix: &str, name: &str) {
        let length = prefix.len() + name.len();
        if let Some(room) = self.room.checked_sub(length) {
            self.room = room;
            self.modules.push(format!("{prefix}{name}"));
        }
    }

    /// The statement is none after all.
    pub(super) fn forget(&mut self) {
        self.modules.clear();
    }

    /// Adds the statement that was read here. Statements come in the order of the text.
    pub(super) fn add(&mut self, span: Range<usize>, statement: String) {
        let newlines = |span: Range<usize>| {
            let bytes = self.bytes.get(span).unwrap_or_default();
            bytes.iter().filter(|byte| **byte == b'\n').count()
        };
        self.line += newlines(self.counted..span.start);
        self.counted = self.counted.max(span.start);
        let (line, last_line) = (self.line, self.line + newlines(span));
        let modules = std::mem::take(&mut self.modules);
        self.imports.push(Import { line, last_line, statement, modules });
    }
}

/// Bytes to stop at.
pub(super) type Stops = [bool; 256];

/// The table of these bytes.
pub(super) const fn stops(bytes: &[u8]) -> Stops {
    let mut table = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
}

/// Where the next of the bytes is, from `at`; the end if there is none.
pub(super) fn next_stop(bytes: &[u8], at: usize, stops: &Stops) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(|byte| stops[usize::from(*byte)]).map_or(bytes.len(), |found| at + found)
}

/// Whether a byte can be part of a name.
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

/// The byte before `at`.
pub(super) fn before(bytes: &[u8], at: usize) -> Option<u8> {
    at.checked_sub(1).and_then(|at| bytes.get(at)).copied()
}

/// Whether `word` stands at `at`, as a whole word.
pub(super) fn is_at(bytes: &[u8], at: usize, word: &str) -> bool {
    let behind = at + word.len();
    bytes.get(at..behind) == Some(word.as_bytes())
        && !bytes.get(behind).is_some_and(|byte| is_word(*byte))
        && !before(bytes, at).is_some_and(is_word)
}

/// Where one of the words stands that a byte at `at` belongs to; each comes with how far into it
/// that byte is. Bytes that are rare in a language stand for its words, so that few stop a scan.
pub(super) fn word_around(bytes: &[u8], at: usize, words: &[(&str, usize)]) -> Option<usize> {
    let starts = words.iter().map(|(word, offset)| (word, at.checked_sub(*offset)));
    starts.filter_map(|(word, start)| start.filter(|start| is_at(bytes, *start, word))).next()
}

/// Where the word that ends at `end` begins.
pub(super) fn word_start(bytes: &[u8], end: usize) -> usize {
    let rest = bytes.get(..end).unwrap_or_default();
    rest.iter().rposition(|byte| !is_word(*byte)).map_or(0, |at| at + 1)
}

/// Where the word at `at` ends.
pub(super) fn word_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(|byte| !is_word(*byte)).map_or(bytes.len(), |found| at + found)
}

/// Where the line of `at` ends, before its newline.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |found| at + found)
}

/// Where the comment at `at` ends, if there is one: `//` or `/*`.
pub(super) fn comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at..at + 2)? {
        b"//" => Some(line_end(bytes, at)),
        b"/*" => {
            let inside = bytes.get(at + 2..).unwrap_or_default();
            let end = inside.windows(2).position(|pair| pair == b"*/");
            Some(end.map_or(bytes.len(), |found| at + found + 4))
        }
        _ => None,
    }
}

/// Where the comment at `at` ends, if there is one, in a language where comments nest.
pub(super) fn nested_comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    const STOPS: Stops = stops(b"/*");
    if bytes.get(at..at + 2)? != b"/*" {
        return comment_end(bytes, at);
    }
    let (mut depth, mut at) = (1_usize, at + 2);
    while depth > 0 {
        at = next_stop(bytes, at, &STOPS);
        let Some(pair) = bytes.get(at..at + 2) else { return Some(bytes.len()) };
        match pair {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    Some(at)
}

/// Where the string that opens at `at` ends, behind its quote. A backslash takes the quote's
/// meaning away; a string that may not span lines ends at its line's end.
pub(super) fn string_end(bytes: &[u8], at: usize, spans_lines: bool) -> usize {
    let Some(quote) = bytes.get(at).copied() else { return bytes.len() };
    let mut at = at + 1;
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            b'\\' => at += if bytes.get(at + 1..at + 3) == Some(b"\r\n") { 3 } else { 2 },
            b'\n' if !spans_lines => return at,
            _ if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Where code ends before a place, when only spaces and comments stand between.
#[derive(Debug, Default)]
pub(super) struct CodeEnd {
    /// Where the last comment ended, and the code before it.
    comment: Option<(usize, usize)>,
}

impl CodeEnd {
    /// Takes note of a comment. Comments come in the order of the text.
    pub(super) fn pass_comment(&mut self, bytes: &[u8], start: usize, end: usize) {
        self.comment = Some((end, self.before(bytes, start)));
    }

    /// Where the code before `at` ends.
    pub(super) fn before(&self, bytes: &[u8], at: usize) -> usize {
        let rest = bytes.get(..at).unwrap_or_default();
        let from = self.comment.map_or(0, |(end, _)| end.min(at));
        let found = rest[from..].iter().rposition(|byte| !byte.is_ascii_whitespace());
        match (found, self.comment) {
            (Some(found), _) => from + found + 1,
            (None, Some((_, code))) => code,
            (None, None) => 0,
        }
    }
}

/// A piece of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name, a number or a word of the language.
    Word(&'a str),
    /// What stands in quotes.
    Quoted(&'a str),
    /// Any other character.
    Mark(u8),
    /// Nothing is left.
    End,
}

/// Where what separates tokens ends, from a place on.
pub(super) type Gap = fn(&[u8], usize) -> usize;

/// Reads a statement, token by token.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    gap: Gap,
    /// Where the last token that was taken ends.
    pub(super) at: usize,
    /// The tokens that were taken, with single spaces where there were any.
    pub(super) statement: String,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str, at: usize, gap: Gap) -> Self {
        Self { text, gap, at, statement: String::new() }
    }

    /// From here on, something else separates tokens.
    pub(super) fn set_gap(&mut self, gap: Gap) {
        self.gap = gap;
    }

    /// Where the next token begins.
    pub(super) fn start(&self) -> usize {
        (self.gap)(self.text.as_bytes(), self.at)
    }

    /// The next token.
    pub(super) fn peek(&self) -> Token<'a> {
        self.token(self.start()).0
    }

    /// Takes the next token.
    pub(super) fn take(&mut self) -> Token<'a> {
        let start = self.start();
        let (token, end) = self.token(start);
        if start > self.at && !self.statement.is_empty() && start < end {
            self.statement.push(' ');
        }
        let piece = self.text.get(start..end).unwrap_or_default();
        let whole = piece.split(['\r', '\n']).filter(|line| !line.is_empty());
        whole.enumerate().for_each(|(at, line)| {
            let space = if at > 0 { " " } else { "" };
            self.statement.push_str(space);
            self.statement.push_str(line);
        });
        self.at = end;
        token
    }

    /// Takes the next token if it is this one.
    pub(super) fn take_if(&mut self, token: Token<'_>) -> bool {
        let is_it = self.peek() == token;
        if is_it {
            self.take();
        }
        is_it
    }

    /// Takes what is in the brackets of a call: a text, and nothing that would change it.
    pub(super) fn call(&mut self) -> Option<&'a str> {
        if !self.take_if(Token::Mark(b'(')) {
            return None;
        }
        let Token::Quoted(argument) = self.take() else { return None };
        match self.peek() {
            Token::Mark(b')') => {
                self.take();
                Some(argument)
            }
            Token::Mark(b',') => {
                self.take_call_end();
                Some(argument)
            }
            _ => None,
        }
    }

    /// The other arguments of a call, if they are few and call nothing themselves.
    fn take_call_end(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let end = rest.iter().take(CALL_MAX).position(|byte| matches!(byte, b'(' | b')'));
        let Some(end) = end.filter(|end| rest[*end] == b')').map(|end| self.at + end + 1) else {
            return;
        };
        while self.at < end && self.start() < end {
            self.take();
        }
    }

    fn token(&self, start: usize) -> (Token<'a>, usize) {
        let bytes = self.text.as_bytes();
        let Some(byte) = bytes.get(start).copied() else { return (Token::End, bytes.len()) };
        if is_word(byte) {
            let end = word_end(bytes, start);
            return (Token::Word(self.text.get(start..end).unwrap_or_default()), end);
        }
        if matches!(byte, b'"' | b'\'' | b'`') {
            let end = string_end(bytes, start, byte == b'`');
            let is_closed = end > start + 1 && before(bytes, end) == Some(byte);
            if let Some(text) = self.text.get(start + 1..end - 1).filter(|_| is_closed) {
                return (Token::Quoted(text), end);
            }
        }
        (Token::Mark(byte), start + 1)
    }
}

/// The gap of languages with `//` and `/* */`.
pub(super) fn slash_gap(bytes: &[u8], at: usize) -> usize {
    gap_of(bytes, at, comment_end)
}

/// The gap of languages with `//` and `/* */` that nests.
pub(super) fn nested_gap(bytes: &[u8], at: usize) -> usize {
    gap_of(bytes, at, nested_comment_end)
}

fn gap_of(bytes: &[u8], at: usize, comment: fn(&[u8], usize) -> Option<usize>) -> usize {
    let mut at = at;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'/' => match comment(bytes, at) {
                Some(end) => at = end,
                None => return at,
            },
            b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c => at += 1,
            _ => return at,
        }
    }
    at
}
