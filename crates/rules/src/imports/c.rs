//! Imports of C and C++: `#include` and its kin, and the modules of C++.

use std::borrow::Cow;

use super::scan::{
    CodeEnd, Cursor, Found, Stops, Token, before, comment_end, is_word, line_end, next_stop,
    slash_gap, stops, string_end, word_around, word_end, word_start,
};

const STOPS: Stops = stops(b"\"'/#");
const MODULE_STOPS: Stops = stops(b"\"'/#mx");

/// The words the import of a module begins with, and where the byte is in them that stops the scan.
const WORDS: [(&str, usize); 2] = [("import", 1), ("export", 1)];

/// How long the delimiter of a raw string may be.
const DELIMITER_MAX: usize = 16;

/// Reads all imports of C.
pub(super) fn read(found: &mut Found<'_>) {
    scan(found, &STOPS);
}

/// Reads all imports of C++.
pub(super) fn read_with_modules(found: &mut Found<'_>) {
    scan(found, &MODULE_STOPS);
}

fn scan(found: &mut Found<'_>, stops: &Stops) {
    let bytes = found.bytes;
    let mut code_end = CodeEnd::default();
    let mut at = 0;
    loop {
        at = next_stop(bytes, at, stops);
        let Some(byte) = bytes.get(at) else { return };
        at = match byte {
            b'"' => text_end(found.text, at),
            b'\'' => char_end(bytes, at),
            b'/' => match comment_end_with_continuations(bytes, at) {
                Some(end) => {
                    code_end.pass_comment(bytes, at, end);
                    end
                }
                None => at + 1,
            },
            b'#' if opens_line(bytes, code_end.before(bytes, at), at) => {
                directive(found, at).unwrap_or(at + 1)
            }
            b'#' => at + 1,
            _ => {
                let start = word_around(bytes, at, &WORDS);
                let start = start.filter(|start| may_import(bytes, &code_end, *start));
                start.and_then(|start| module(found, start)).unwrap_or(at + 1)
            }
        };
    }
}

/// Whether what stands at `at` is the first of its line, when the code before it ends at `code`.
fn opens_line(bytes: &[u8], code: usize, at: usize) -> bool {
    let between = &bytes[code..at];
    let is_continued = before(bytes, code) == Some(b'\\') && is_newline(between);
    code == 0 || between.contains(&b'\n') && !is_continued
}

/// Whether a statement may begin at `at`.
fn may_import(bytes: &[u8], code_end: &CodeEnd, at: usize) -> bool {
    let code = code_end.before(bytes, at);
    matches!(before(bytes, code), Some(b';' | b'}')) || opens_line(bytes, code, at)
}

fn is_newline(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\n") || bytes.starts_with(b"\r\n")
}

/// Where the comment at `at` ends; a backslash takes a `//` on to the next line.
fn comment_end_with_continuations(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = comment_end(bytes, at)?;
    if bytes.get(at + 1) == Some(&b'/') {
        while end < bytes.len() && is_continued(&bytes[..end]) {
            end = line_end(bytes, end + 1);
        }
    }
    Some(end)
}

/// Whether a line goes on in the next one.
fn is_continued(line: &[u8]) -> bool {
    line.ends_with(b"\\") || line.ends_with(b"\\\r")
}

/// Where the string that opens at `at` ends; it may be a raw one.
fn text_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let prefix = &bytes[word_start(bytes, at)..at];
    if matches!(prefix, b"R" | b"LR" | b"uR" | b"UR" | b"u8R") {
        let inside = &bytes[at + 1..];
        let length = inside.iter().take(DELIMITER_MAX + 1).position(|byte| *byte == b'(');
        let delimiter = length.and_then(|length| text.get(at + 1..at + 1 + length));
        let is_one = |text: &&str| !text.contains([' ', '\\', ')', '"', '\n', '\r', '\t']);
        if let Some(delimiter) = delimiter.filter(is_one) {
            let closing = format!("){delimiter}\"");
            let found = text[at + 1..].find(&closing);
            return found.map_or(bytes.len(), |found| at + 1 + found + closing.len());
        }
    }
    string_end(bytes, at, false)
}

/// Where the character at `at` ends, or the number it separates the digits of.
fn char_end(bytes: &[u8], at: usize) -> usize {
    let is_in_number = bytes.get(word_start(bytes, at)).is_some_and(u8::is_ascii_digit);
    if !is_in_number {
        return string_end(bytes, at, false);
    }
    let mut at = at;
    while bytes.get(at) == Some(&b'\'') && bytes.get(at + 1).is_some_and(|byte| is_word(*byte)) {
        at = word_end(bytes, at + 1);
    }
    at.max(1) + usize::from(bytes.get(at) == Some(&b'\''))
}

/// The line of `at` with those it goes on in, as one; and where it ends.
fn whole_line(text: &str, at: usize) -> (Cow<'_, str>, usize) {
    const STOPS: Stops = stops(b"\n/");
    let bytes = text.as_bytes();
    let mut end = at;
    loop {
        end = next_stop(bytes, end, &STOPS);
        end = match bytes.get(end) {
            Some(b'\n') if is_continued(&bytes[at..end]) => end + 1,
            Some(b'/') if bytes.get(end + 1) == Some(&b'*') => {
                comment_end(bytes, end).unwrap_or(end + 1)
            }
            Some(b'/') => end + 1,
            _ => break,
        };
    }
    let line = text.get(at..end).unwrap_or_default();
    let is_one = !line.contains("\\\n") && !line.contains("\\\r\n");
    let line = match is_one {
        true => Cow::Borrowed(line),
        false => Cow::Owned(line.replace("\\\r\n", "").replace("\\\n", "")),
    };
    (line, end)
}

/// Reads the directive at `start`, if it includes something; where its line ends.
fn directive(found: &mut Found<'_>, start: usize) -> Option<usize> {
    // Most directives are of other kinds, and have long lines.
    let opening = found.bytes[start + 1..].iter().find(|byte| !matches!(byte, b' ' | b'\t'))?;
    if !matches!(opening, b'i' | b'\\' | b'/') {
        return None;
    }
    let (line, end) = whole_line(found.text, start);
    let mut cursor = Cursor::new(&line, 0, slash_gap);
    cursor.take();
    if !matches!(cursor.take(), Token::Word("include" | "include_next" | "import")) {
        return None;
    }
    let header = header(&line, &mut cursor)?;
    found.name("", &header);
    let statement = cursor.statement;
    found.add(start..end, statement);
    Some(end)
}

/// Takes what is included: `<x>`, `"x"`, or a macro that says it.
fn header(line: &str, cursor: &mut Cursor<'_>) -> Option<String> {
    let start = cursor.start();
    let close = match cursor.peek() {
        Token::Mark(b'<') => b'>',
        Token::Quoted(_) | Token::Mark(b'"') => b'"',
        Token::Word(name) => {
            cursor.take();
            return Some(name.to_owned());
        }
        _ => return None,
    };
    // There are no escapes in it, and `//` begins no comment.
    let inside = line.get(start + 1..)?;
    let is_end = |byte| byte == close || matches!(byte, b'\n' | b';' | b'}');
    let length = inside.bytes().position(is_end)?;
    if inside.as_bytes()[length] != close {
        return None;
    }
    let name = inside[..length].trim();
    if name.is_empty() {
        return None;
    }
    if start > cursor.at {
        cursor.statement.push(' ');
    }
    cursor.at = start + 1 + length + 1;
    cursor.statement.push_str(&line[start..cursor.at]);
    Some(name.to_owned())
}

/// Reads the import of a C++ module at `start`, if there is one; where it ends.
fn module(found: &mut Found<'_>, start: usize) -> Option<usize> {
    let mut cursor = Cursor::new(found.text, start, slash_gap);
    if cursor.take() == Token::Word("export") && cursor.take() != Token::Word("import") {
        return None;
    }
    let name = match cursor.peek() {
        Token::Mark(b'<') | Token::Quoted(_) => header(found.text, &mut cursor)?,
        _ => module_name(&mut cursor)?,
    };
    if !matches!(cursor.take(), Token::Mark(b';') | Token::End) {
        return None;
    }
    found.name("", &name);
    found.add(start..cursor.at, cursor.statement);
    Some(cursor.at)
}

/// Takes `a.b:part`.
fn module_name(cursor: &mut Cursor<'_>) -> Option<String> {
    let mut name = String::new();
    loop {
        match cursor.peek() {
            Token::Word("import" | "export") => return None,
            Token::Word(word) if name.is_empty() || name.ends_with(['.', ':']) => {
                name.push_str(word);
            }
            // `import ::x` and `import x::y` are no modules.
            Token::Mark(b':') if name.contains(':') => return None,
            Token::Mark(b':') => name.push(':'),
            Token::Mark(b'.') if !name.is_empty() => name.push('.'),
            _ => break,
        }
        cursor.take();
    }
    (!name.is_empty() && !name.ends_with(['.', ':'])).then_some(name)
}
