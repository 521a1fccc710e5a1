//! Imports of JavaScript and TypeScript: `import`, `export … from`, `import()` and `require()`.

use super::scan::{
    CodeEnd, Cursor, Found, Stops, Token, before, comment_end, is_word, next_stop, slash_gap,
    stops, string_end, word_around, word_start,
};

const STOPS: Stops = stops(b"\"'`/{}mxq");

/// The words an import begins with, and where the byte is in them that stops the scan.
const WORDS: [(&str, usize); 3] = [("import", 1), ("export", 1), ("require", 2)];

const TEMPLATE_STOPS: Stops = stops(b"`\\$");

/// How long a regular expression may be.
const REGEX_MAX: usize = 2_000;

/// Words behind which a slash begins a regular expression.
const OPERATORS: [&str; 14] = [
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "delete",
    "void",
    "throw",
    "new",
    "else",
    "do",
    "instanceof",
    "yield",
    "await",
];

/// Reads all imports.
pub(super) fn read(found: &mut Found<'_>) {
    let end = found.bytes.len();
    read_part(found, 0, end);
}

/// Reads all imports of the scripts in a page.
pub(super) fn read_page(found: &mut Found<'_>) {
    let text = found.text;
    let mut at = 0;
    while let Some(opened) = text[at..].find('<').map(|opened| at + opened) {
        if text[opened..].starts_with("<!--") {
            at = text[opened..].find("-->").map_or(text.len(), |end| opened + end);
            continue;
        }
        at = opened + 1;
        if !starts_with_name(&text.as_bytes()[at..], b"script") {
            continue;
        }
        let Some(start) = text[at..].find('>').map(|end| at + end + 1) else { return };
        let end = script_end(text.as_bytes(), start);
        read_part(found, start, end);
        at = end;
    }
}

fn starts_with_name(bytes: &[u8], name: &[u8]) -> bool {
    let is_name = bytes.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    is_name && !bytes.get(name.len()).is_some_and(|byte| is_word(*byte) || *byte == b'-')
}

/// Where the script that begins at `start` ends.
fn script_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(found) = bytes[at..].iter().position(|byte| *byte == b'<') {
        at += found + 1;
        if bytes.get(at) == Some(&b'/') && starts_with_name(&bytes[at + 1..], b"script") {
            return at - 1;
        }
    }
    bytes.len()
}

/// What is open while a text is gone through.
#[derive(Debug, Default)]
struct Scanner {
    code_end: CodeEnd,
    /// The templates whose code is being read, and how many braces are open in it.
    templates: Vec<usize>,
    /// Up to where no regular expression begins.
    no_regex: usize,
}

fn read_part(found: &mut Found<'_>, start: usize, end: usize) {
    let bytes = &found.bytes[..end];
    let mut scanner = Scanner::default();
    let mut at = start;
    loop {
        at = next_stop(bytes, at, &STOPS);
        let Some(byte) = bytes.get(at) else { return };
        at = match byte {
            b'"' | b'\'' => string_end(bytes, at, false),
            b'`' => scanner.template(bytes, at + 1),
            b'{' | b'}' => scanner.brace(bytes, at),
            b'/' => scanner.slash(bytes, at),
            _ => statement(found, at, end).unwrap_or(at + 1),
        };
    }
}

impl Scanner {
    /// Passes the text of a template, up to its end or to code in it.
    fn template(&mut self, bytes: &[u8], at: usize) -> usize {
        let mut at = at;
        loop {
            at = next_stop(bytes, at, &TEMPLATE_STOPS);
            match (bytes.get(at), bytes.get(at + 1)) {
                (None, _) => return bytes.len(),
                (Some(b'`'), _) => return at + 1,
                (Some(b'\\'), _) => at += 2,
                (Some(_), Some(b'{')) => {
                    self.templates.push(0);
                    return at + 2;
                }
                _ => at += 1,
            }
        }
    }

    fn brace(&mut self, bytes: &[u8], at: usize) -> usize {
        let Some(open) = self.templates.last_mut() else { return at + 1 };
        match (bytes[at], *open) {
            (b'{', _) => *open += 1,
            (_, 0) => {
                self.templates.pop();
                return self.template(bytes, at + 1);
            }
            _ => *open -= 1,
        }
        at + 1
    }

    /// Passes a comment, a regular expression or a slash.
    fn slash(&mut self, bytes: &[u8], at: usize) -> usize {
        if let Some(end) = comment_end(bytes, at) {
            self.code_end.pass_comment(bytes, at, end);
            return end;
        }
        if at < self.no_regex || !begins_regex(bytes, self.code_end.before(bytes, at)) {
            return at + 1;
        }
        match regex_end(bytes, at) {
            Ok(end) => end,
            Err(looked_at) => {
                self.no_regex = looked_at;
                at + 1
            }
        }
    }
}

/// Whether a slash behind code that ends at `end` begins a regular expression.
fn begins_regex(bytes: &[u8], end: usize) -> bool {
    match before(bytes, end) {
        None => true,
        Some(byte) if is_word(byte) => {
            let word = &bytes[word_start(bytes, end)..end];
            OPERATORS.iter().any(|operator| operator.as_bytes() == word)
        }
        // A `}` before a slash is the end of an attribute in markup more often than of a block.
        Some(byte) => !matches!(byte, b')' | b']' | b'}' | b'<' | b'"' | b'\'' | b'`'),
    }
}

/// Where the regular expression at `at` ends; or up to where it was looked for in vain.
fn regex_end(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let max = bytes.len().min(at + REGEX_MAX);
    let (mut at, mut is_in_class) = (at + 1, false);
    while at < max {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' => return Err(at),
            b'[' => is_in_class = true,
            b']' => is_in_class = false,
            b'/' if !is_in_class => return Ok(at + 1),
            _ => {}
        }
        at += 1;
    }
    Err(max)
}

/// Reads the import whose first word is around `at`, if there is one; where it ends.
fn statement(found: &mut Found<'_>, at: usize, end: usize) -> Option<usize> {
    let bytes = found.bytes;
    let start = word_around(bytes, at, &WORDS)?;
    let is_member = matches!(before(bytes, start), Some(b'.' | b'#' | b'@'));
    if is_member && !bytes[..start].ends_with(b"...") {
        return None;
    }
    let mut cursor = Cursor::new(&found.text[..end], start, slash_gap);
    let reader: fn(&mut Cursor<'_>) -> Option<String> = match cursor.take() {
        Token::Word("import") => import,
        Token::Word("export") => clause,
        _ => call,
    };
    let module = reader(&mut cursor).filter(|module| !module.is_empty())?;
    found.name("", &module);
    found.add(start..cursor.at, cursor.statement);
    Some(cursor.at)
}

fn import(cursor: &mut Cursor<'_>) -> Option<String> {
    match cursor.peek() {
        Token::Mark(b'(') => call(cursor),
        Token::Quoted(_) => {
            let module = module(cursor)?;
            take_end(cursor);
            Some(module)
        }
        _ => clause(cursor),
    }
}

/// Takes the brackets of `import("m")` or `require("m")`.
fn call(cursor: &mut Cursor<'_>) -> Option<String> {
    cursor.call().filter(|module| !module.contains("${")).map(str::to_owned)
}

fn module(cursor: &mut Cursor<'_>) -> Option<String> {
    match cursor.take() {
        Token::Quoted(module) if !module.contains("${") => Some(module.to_owned()),
        _ => None,
    }
}

/// Takes what stands between `import` or `export` and the module, and the module.
fn clause(cursor: &mut Cursor<'_>) -> Option<String> {
    let mut is_in_braces = false;
    loop {
        match cursor.take() {
            Token::Word("import" | "export" | "require") => return None,
            Token::Word("from") if !is_in_braces => {
                if matches!(cursor.peek(), Token::Quoted(_)) {
                    let module = module(cursor)?;
                    take_end(cursor);
                    return Some(module);
                }
            }
            Token::Mark(b'{') if !is_in_braces => is_in_braces = true,
            Token::Mark(b'}') if is_in_braces => is_in_braces = false,
            Token::Quoted(_) if is_in_braces => {}
            Token::Word(_) | Token::Mark(b'*' | b',') => {}
            Token::Mark(b'=') if !is_in_braces => {
                let is_call = cursor.take_if(Token::Word("require"));
                let module = is_call.then(|| call(cursor)).flatten()?;
                cursor.take_if(Token::Mark(b';'));
                return Some(module);
            }
            _ => return None,
        }
    }
}

/// Takes what may stand behind the module: attributes and a semicolon.
fn take_end(cursor: &mut Cursor<'_>) {
    if matches!(cursor.peek(), Token::Word("with" | "assert")) {
        take_attributes(cursor);
    }
    cursor.take_if(Token::Mark(b';'));
}

/// Takes `with { type: "json" }`; nothing if it is something else.
fn take_attributes(cursor: &mut Cursor<'_>) {
    let (at, length) = (cursor.at, cursor.statement.len());
    cursor.take();
    if cursor.take_if(Token::Mark(b'{')) {
        loop {
            match cursor.take() {
                Token::Mark(b'}') => return,
                Token::Word("import" | "export" | "require") => break,
                Token::Word(_) | Token::Quoted(_) | Token::Mark(b':' | b',') => {}
                _ => break,
            }
        }
    }
    cursor.at = at;
    cursor.statement.truncate(length);
}
