//! Imports of Python: `import`, `from … import`, and the calls that import by a text.

use super::scan::{
    Cursor, Found, Stops, Token, before, line_end, next_stop, stops, word_around, word_start,
};

const STOPS: Stops = stops(b"\"'#m");

/// The words an import begins with, and where the byte is in them that stops the scan.
const WORDS: [(&str, usize); 5] =
    [("import", 1), ("from", 3), ("importlib", 1), ("import_module", 1), ("__import__", 3)];

/// Reads all imports.
pub(super) fn read(found: &mut Found<'_>) {
    let bytes = found.bytes;
    let mut at = 0;
    loop {
        at = next_stop(bytes, at, &STOPS);
        let Some(byte) = bytes.get(at) else { return };
        at = match byte {
            b'"' | b'\'' => text_end(bytes, at),
            b'#' => line_end(bytes, at),
            _ => statement(found, at).unwrap_or(at + 1),
        };
    }
}

/// Reads the import whose first word is around `at`, if there is one; where it ends.
fn statement(found: &mut Found<'_>, at: usize) -> Option<usize> {
    let bytes = found.bytes;
    let start = word_around(bytes, at, &WORDS)?;
    if before(bytes, start) == Some(b'.') {
        return None;
    }
    let mut cursor = Cursor::new(found.text, start, line_gap);
    let reader: fn(&mut Found<'_>, &mut Cursor<'_>) -> Option<()> = match cursor.take() {
        Token::Word("from") => from,
        Token::Word("import") => import,
        Token::Word("importlib") => library_call,
        _ => call,
    };
    if reader(found, &mut cursor).is_none() {
        found.forget();
        return None;
    }
    found.add(start..cursor.at, cursor.statement);
    Some(cursor.at)
}

fn library_call(found: &mut Found<'_>, cursor: &mut Cursor<'_>) -> Option<()> {
    let is_it = cursor.take_if(Token::Mark(b'.')) && cursor.take_if(Token::Word("import_module"));
    is_it.then(|| call(found, cursor)).flatten()
}

fn call(found: &mut Found<'_>, cursor: &mut Cursor<'_>) -> Option<()> {
    if cursor.peek() != Token::Mark(b'(') {
        return None;
    }
    cursor.set_gap(bracket_gap);
    let module = cursor.call().filter(|module| !module.is_empty())?;
    found.name("", module);
    Some(())
}

/// `import a, b.c as d`
fn import(found: &mut Found<'_>, cursor: &mut Cursor<'_>) -> Option<()> {
    loop {
        let module = dotted(cursor, String::new())?;
        found.name("", &module);
        renamed(cursor)?;
        if !cursor.take_if(Token::Mark(b',')) {
            return closed(cursor);
        }
    }
}

/// `from .a import b, c as d`
fn from(found: &mut Found<'_>, cursor: &mut Cursor<'_>) -> Option<()> {
    let mut module = String::new();
    while cursor.take_if(Token::Mark(b'.')) {
        module.push('.');
    }
    if module.is_empty() || cursor.peek() != Token::Word("import") {
        module = dotted(cursor, module)?;
    }
    if !cursor.take_if(Token::Word("import")) {
        return None;
    }
    found.name("", &module);
    if cursor.take_if(Token::Mark(b'*')) {
        return closed(cursor);
    }
    let is_bracketed = cursor.take_if(Token::Mark(b'('));
    if is_bracketed {
        cursor.set_gap(bracket_gap);
    }
    if !module.ends_with('.') {
        module.push('.');
    }
    loop {
        if is_bracketed && matches!(cursor.peek(), Token::Mark(b')') | Token::End) {
            break;
        }
        let name = name(cursor)?;
        found.name(&module, name);
        renamed(cursor)?;
        if !cursor.take_if(Token::Mark(b',')) {
            break;
        }
    }
    if is_bracketed && !matches!(cursor.take(), Token::Mark(b')') | Token::End) {
        return None;
    }
    cursor.set_gap(line_gap);
    closed(cursor)
}

/// Takes a name that is no word of a statement.
fn name<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    match cursor.peek() {
        Token::Word("import" | "from" | "as") => None,
        Token::Word(name) => {
            cursor.take();
            Some(name)
        }
        _ => None,
    }
}

/// Takes names with dots between, behind what `module` has already.
fn dotted(cursor: &mut Cursor<'_>, mut module: String) -> Option<String> {
    loop {
        module.push_str(name(cursor)?);
        if !cursor.take_if(Token::Mark(b'.')) {
            return Some(module);
        }
        module.push('.');
    }
}

/// Takes `as name`, if it is there.
fn renamed(cursor: &mut Cursor<'_>) -> Option<()> {
    if cursor.take_if(Token::Word("as")) {
        name(cursor)?;
    }
    Some(())
}

/// A statement ends with its line, with a semicolon, or before a comment.
fn closed(cursor: &Cursor<'_>) -> Option<()> {
    let ends = matches!(cursor.peek(), Token::Mark(b'\n' | b'\r' | b';' | b'#') | Token::End);
    ends.then_some(())
}

/// What separates tokens in a line.
fn line_gap(bytes: &[u8], at: usize) -> usize {
    let mut at = at;
    loop {
        at = match bytes.get(at) {
            Some(b' ' | b'\t' | 0x0c) => at + 1,
            Some(b'\\') if bytes.get(at + 1) == Some(&b'\n') => at + 2,
            Some(b'\\') if bytes.get(at + 1..at + 3) == Some(b"\r\n") => at + 3,
            _ => return at,
        };
    }
}

/// What separates tokens in brackets.
fn bracket_gap(bytes: &[u8], at: usize) -> usize {
    let mut at = at;
    loop {
        at = match bytes.get(at) {
            Some(b'\r' | b'\n') => at + 1,
            Some(b'#') => line_end(bytes, at),
            _ => match line_gap(bytes, at) {
                end if end == at => return at,
                end => end,
            },
        };
    }
}

/// A string, or code in a string, that was not closed yet.
#[derive(Debug, Clone, Copy)]
enum Open {
    Text {
        quote: u8,
        is_triple: bool,
        has_code: bool,
    },
    /// `{…}` in a string; how many brackets are open in it.
    Code {
        brackets: usize,
    },
    /// How to show what the code gives, behind its colon.
    Format,
}

/// Opens the string at `at`; where its text begins.
fn open(bytes: &[u8], at: usize) -> (Open, usize) {
    let quote = bytes[at];
    let is_triple = bytes.get(at..at + 3).is_some_and(|three| three.iter().all(|b| *b == quote));
    let prefix = &bytes[word_start(bytes, at)..at];
    let is_prefix = prefix.len() <= 2 && prefix.iter().all(|b| b"fFtTrRbBuU".contains(b));
    let has_code = is_prefix && prefix.iter().any(|b| b"fFtT".contains(b));
    (Open::Text { quote, is_triple, has_code }, at + if is_triple { 3 } else { 1 })
}

/// Where the string that opens at `at` ends, with all that is in it.
fn text_end(bytes: &[u8], at: usize) -> usize {
    let (first, mut at) = open(bytes, at);
    let mut stack = vec![first];
    // A newline closes all of it, if nothing that is open may span lines.
    let mut triples = usize::from(matches!(first, Open::Text { is_triple: true, .. }));
    while let Some(top) = stack.last_mut() {
        let Some(byte) = bytes.get(at).copied() else { return bytes.len() };
        if byte == b'\n' && triples == 0 {
            return at;
        }
        match top {
            Open::Text { quote, is_triple, has_code } => match byte {
                b'\\' => at += if bytes.get(at + 1..at + 3) == Some(b"\r\n") { 2 } else { 1 },
                b'{' if *has_code && bytes.get(at + 1) == Some(&b'{') => at += 1,
                b'{' if *has_code => stack.push(Open::Code { brackets: 0 }),
                _ if byte != *quote => {}
                _ if !*is_triple => drop(stack.pop()),
                _ if bytes.get(at..at + 3) == Some(&[byte; 3]) => {
                    at += 2;
                    triples -= 1;
                    stack.pop();
                }
                _ => {}
            },
            Open::Code { brackets } => match byte {
                b'(' | b'[' | b'{' => *brackets += 1,
                b')' | b']' | b'}' if *brackets > 0 => *brackets -= 1,
                b'}' => drop(stack.pop()),
                b':' if *brackets == 0 => *top = Open::Format,
                b'"' | b'\'' => {
                    let (inner, inside) = open(bytes, at);
                    triples += usize::from(matches!(inner, Open::Text { is_triple: true, .. }));
                    stack.push(inner);
                    at = inside;
                    continue;
                }
                _ => {}
            },
            Open::Format => match byte {
                b'{' => stack.push(Open::Code { brackets: 0 }),
                b'}' => drop(stack.pop()),
                _ => {}
            },
        }
        at += 1;
    }
    at
}
