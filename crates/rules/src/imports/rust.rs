//! Imports of Rust: `use` and `extern crate`.

use super::scan::{
    Cursor, Found, Stops, Token, before, nested_comment_end, nested_gap, next_stop, stops,
    string_end, word_around, word_start,
};

const STOPS: Stops = stops(b"\"'/ux");

/// The words a statement begins with, and where the byte is in them that stops the scan.
const WORDS: [(&str, usize); 3] = [("use", 0), ("pub", 1), ("extern", 1)];

/// How deep braces may nest.
const DEPTH_MAX: usize = 64;

/// Reads all imports.
pub(super) fn read(found: &mut Found<'_>) {
    let bytes = found.bytes;
    let mut at = 0;
    loop {
        at = next_stop(bytes, at, &STOPS);
        let Some(byte) = bytes.get(at) else { return };
        at = match byte {
            b'"' => text_end(bytes, at),
            b'\'' => char_end(found.text, at),
            b'/' => nested_comment_end(bytes, at).unwrap_or(at + 1),
            _ => statement(found, at).unwrap_or(at + 1),
        };
    }
}

/// Where the string that opens at `at` ends; it may be a raw one.
fn text_end(bytes: &[u8], at: usize) -> usize {
    let hashes = bytes[..at].iter().rev().take_while(|byte| **byte == b'#').count();
    let prefix = &bytes[word_start(bytes, at - hashes)..at - hashes];
    if !matches!(prefix, b"r" | b"br" | b"cr") {
        return string_end(bytes, at, true);
    }
    let mut at = at + 1;
    while let Some(found) = bytes[at..].iter().position(|byte| *byte == b'"') {
        at += found + 1;
        let closing = bytes[at..].iter().take(hashes).take_while(|byte| **byte == b'#').count();
        if closing == hashes {
            return at + hashes;
        }
    }
    bytes.len()
}

/// Where the character at `at` ends, or the mark of the lifetime.
fn char_end(text: &str, at: usize) -> usize {
    let mut inside = text[at + 1..].chars();
    match inside.next() {
        Some('\\') => {
            // `'\''` and `'\u{1f600}'`; the escaped character itself does not close.
            let behind = at + 2 + inside.next().map_or(0, char::len_utf8);
            let end = text.as_bytes()[behind..].iter().take(12).position(|byte| *byte == b'\'');
            end.map_or(behind, |end| behind + end + 1)
        }
        Some(c) if inside.next() == Some('\'') => at + 2 + c.len_utf8(),
        _ => at + 1,
    }
}

/// Reads the import whose first word is around `at`, if there is one; where it ends.
fn statement(found: &mut Found<'_>, at: usize) -> Option<usize> {
    let bytes = found.bytes;
    let start = word_around(bytes, at, &WORDS)?;
    if matches!(before(bytes, start), Some(b'#' | b'.')) {
        return None;
    }
    let mut cursor = Cursor::new(found.text, start, nested_gap);
    if cursor.take_if(Token::Word("pub")) {
        visibility(&mut cursor)?;
    }
    let is_read = match cursor.take() {
        Token::Word("use") => uses(found, &mut cursor).is_some(),
        Token::Word("extern") => external(found, &mut cursor).is_some(),
        _ => false,
    };
    if !is_read {
        found.forget();
        return None;
    }
    found.add(start..cursor.at, cursor.statement);
    Some(cursor.at)
}

/// What stands behind `pub`: nothing, or who may see it.
fn visibility(cursor: &mut Cursor<'_>) -> Option<()> {
    if !cursor.take_if(Token::Mark(b'(')) {
        return Some(());
    }
    loop {
        match cursor.take() {
            Token::Mark(b')') => return Some(()),
            Token::Word("use" | "pub" | "extern") => return None,
            Token::Word(_) | Token::Mark(b':') => {}
            _ => return None,
        }
    }
}

fn external(found: &mut Found<'_>, cursor: &mut Cursor<'_>) -> Option<()> {
    if !cursor.take_if(Token::Word("crate")) {
        return None;
    }
    let name = name(cursor)?;
    found.name("", name);
    renamed(cursor)?;
    closed(cursor)
}

fn uses(found: &mut Found<'_>, cursor: &mut Cursor<'_>) -> Option<()> {
    tree(found, cursor, &mut String::new(), 0)?;
    closed(cursor)
}

/// A statement ends with a semicolon, or with the file.
fn closed(cursor: &mut Cursor<'_>) -> Option<()> {
    matches!(cursor.take(), Token::Mark(b';') | Token::End).then_some(())
}

/// Takes a name; a raw one without its mark.
fn name<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let Token::Word(word) = cursor.peek() else { return None };
    if matches!(word, "use" | "pub" | "extern" | "as") {
        return None;
    }
    cursor.take();
    if word == "r" && cursor.take_if(Token::Mark(b'#')) {
        let Token::Word(word) = cursor.take() else { return None };
        return Some(word);
    }
    Some(word)
}

/// Takes `as name`, if it is there.
fn renamed(cursor: &mut Cursor<'_>) -> Option<()> {
    if cursor.take_if(Token::Word("as")) && cursor.peek() != Token::End {
        name(cursor)?;
    }
    Some(())
}

/// Takes `::`, if it is there.
fn separator(cursor: &mut Cursor<'_>) -> Option<bool> {
    if !cursor.take_if(Token::Mark(b':')) {
        return Some(false);
    }
    let is_whole = matches!(cursor.take(), Token::Mark(b':') | Token::End);
    is_whole.then_some(true)
}

/// Takes a path and what it ends in: a name, a star, or a list of paths in braces. It stands below
/// `path`, which is the same again afterwards.
fn tree(
    found: &mut Found<'_>,
    cursor: &mut Cursor<'_>,
    path: &mut String,
    depth: usize,
) -> Option<()> {
    separator(cursor)?;
    let above = path.len();
    loop {
        match cursor.peek() {
            Token::Mark(b'*') => {
                cursor.take();
                found.name(path, "*");
                break;
            }
            Token::Mark(b'{') if depth < DEPTH_MAX => {
                cursor.take();
                list(found, cursor, path, depth + 1)?;
                break;
            }
            Token::End => {
                if path.len() > above {
                    found.name("", path.trim_end_matches("::"));
                }
                break;
            }
            _ => {}
        }
        let name = name(cursor)?;
        if separator(cursor)? {
            path.push_str(name);
            path.push_str("::");
            continue;
        }
        // `a::{self}` is `a`; what `self` alone would be, nobody can use.
        match name {
            "self" if !path.is_empty() => found.name("", path.trim_end_matches("::")),
            _ => found.name(path, name),
        }
        renamed(cursor)?;
        break;
    }
    path.truncate(above);
    Some(())
}

/// Takes the paths in braces, all below `path`.
fn list(
    found: &mut Found<'_>,
    cursor: &mut Cursor<'_>,
    path: &mut String,
    depth: usize,
) -> Option<()> {
    loop {
        if matches!(cursor.peek(), Token::Mark(b'}') | Token::End) {
            cursor.take();
            return Some(());
        }
        tree(found, cursor, path, depth)?;
        if !cursor.take_if(Token::Mark(b',')) && cursor.peek() != Token::Mark(b'}') {
            return (cursor.peek() == Token::End).then_some(());
        }
    }
}
