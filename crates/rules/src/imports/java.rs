//! Imports of Java. They stand before everything else, so no more is read.

use super::scan::{Cursor, Found, Token, slash_gap};

/// Reads all imports.
pub(super) fn read(found: &mut Found<'_>) {
    let mut at = 0;
    loop {
        let mut cursor = Cursor::new(found.text, at, slash_gap);
        let start = cursor.start();
        match cursor.take() {
            Token::Word("import") if import(found, &mut cursor).is_some() => {
                found.add(start..cursor.at, cursor.statement);
            }
            Token::Word("import") => found.forget(),
            Token::Word("package") => pass_name(&mut cursor),
            Token::Mark(b'@') => pass_annotation(&mut cursor),
            Token::Mark(b';') => {}
            _ => return,
        }
        at = cursor.at;
    }
}

/// Reads what stands behind the word `import`, up to the semicolon.
fn import(found: &mut Found<'_>, cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.take_if(Token::Word("static"));
    let mut path = String::new();
    loop {
        match cursor.peek() {
            // `import module java.base;`
            Token::Word(_) if path == "module" => path.clear(),
            Token::Word("import") => return None,
            Token::Word(name) if path.is_empty() || path.ends_with('.') => {
                path.push_str(name);
                cursor.take();
            }
            Token::Mark(mark @ (b'.' | b'*')) => {
                path.push(char::from(mark));
                cursor.take();
            }
            Token::Mark(b';') | Token::End if !path.is_empty() => {
                cursor.take();
                found.name("", path.trim_end_matches('.'));
                return Some(());
            }
            _ => return None,
        }
    }
}

/// Passes over a name with dots.
fn pass_name(cursor: &mut Cursor<'_>) {
    while matches!(cursor.peek(), Token::Word(word) if word != "import")
        || cursor.peek() == Token::Mark(b'.')
    {
        cursor.take();
    }
}

/// Passes over the annotation of a package.
fn pass_annotation(cursor: &mut Cursor<'_>) {
    cursor.take();
    while cursor.take_if(Token::Mark(b'.')) {
        cursor.take();
    }
    let mut depth = 0_usize;
    loop {
        match cursor.peek() {
            Token::Mark(b'(') => depth += 1,
            Token::Mark(b')') if depth > 0 => depth -= 1,
            Token::End => return,
            _ if depth == 0 => return,
            _ => {}
        }
        cursor.take();
        if depth == 0 {
            return;
        }
    }
}
