//! Imports of Go. They stand before everything else, so no more is read.

use super::scan::{Cursor, Found, Token, slash_gap};

/// Reads all imports.
pub(super) fn read(found: &mut Found<'_>) {
    let mut cursor = Cursor::new(found.text, 0, slash_gap);
    loop {
        match cursor.peek() {
            Token::Word("package") => {
                cursor.take();
                cursor.take();
            }
            Token::Mark(b';') => {
                cursor.take();
            }
            Token::Word("import") => {
                let start = cursor.start();
                cursor.take();
                declaration(found, &mut cursor, start);
            }
            _ => return,
        }
    }
}

/// Reads what stands behind the word `import`: one import, or several in brackets.
fn declaration(found: &mut Found<'_>, cursor: &mut Cursor<'_>, start: usize) {
    if !cursor.take_if(Token::Mark(b'(')) {
        import(found, cursor, start);
        return;
    }
    loop {
        match cursor.peek() {
            Token::Mark(b')') => {
                cursor.take();
                return;
            }
            Token::End => return,
            Token::Mark(b';') => {
                cursor.take();
            }
            _ => {
                let start = cursor.start();
                import(found, cursor, start);
            }
        }
    }
}

/// Reads one import: a path, and maybe a name before it. What is neither is passed over.
fn import(found: &mut Found<'_>, cursor: &mut Cursor<'_>, start: usize) {
    cursor.statement.clear();
    cursor.statement.push_str("import ");
    let name = cursor.statement.len();
    let first = cursor.take();
    let is_named = matches!(first, Token::Word(_) | Token::Mark(b'.'));
    let path = match cursor.peek() {
        second @ Token::Quoted(_) if is_named => {
            cursor.take();
            second
        }
        _ => first,
    };
    let Token::Quoted(path) = path else { return };
    if path.is_empty() {
        return;
    }
    found.name("", path);
    // The word and what it imports may have been in different lines.
    if cursor.statement[name..].starts_with(' ') {
        cursor.statement.remove(name);
    }
    found.add(start..cursor.at, cursor.statement.clone());
}
