//! Globs with `?` and `[…]` as regular expressions: they ask for characters, and never for a `/`.

use std::iter::Peekable;
use std::str::Chars;

use regex_automata::meta::Regex;

/// The names of classes that may stand in `[[:…:]]`.
const CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

/// So many characters behind a `[` hold `:`, any of these names, and `:]`.
const NAME_AHEAD: usize = 12;

/// The expression of a glob for whole paths that is known to be one.
pub(super) fn regex(glob: &str) -> Result<Regex, String> {
    let mut written =
        Writer { rest: glob.chars().peekable(), regex: String::from("(?s)^"), braces: 0 };
    written.all()?;
    written.regex.push('$');
    Regex::new(&written.regex).map_err(|error| error.to_string())
}

struct Writer<'a> {
    rest: Peekable<Chars<'a>>,
    regex: String,
    /// How many `{` are open.
    braces: usize,
}

impl Writer<'_> {
    fn all(&mut self) -> Result<(), String> {
        let mut before = '/';
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => {
                    let c = self.rest.next().unwrap_or('\\');
                    self.literal(c);
                }
                '*' => self.stars(before),
                '?' => self.regex.push_str("[^/]"),
                '[' => self.class()?,
                '{' => {
                    self.braces += 1;
                    self.regex.push_str("(?:");
                }
                '}' if self.braces > 0 => {
                    self.braces -= 1;
                    self.regex.push(')');
                }
                ',' if self.braces > 0 => self.regex.push('|'),
                c => self.literal(c),
            }
            before = c;
        }
        Ok(())
    }

    fn literal(&mut self, c: char) {
        self.regex.push_str(&regex_syntax::escape(c.encode_utf8(&mut [0; 4])));
    }

    /// One star stays in its folder; two that are all between slashes do not.
    fn stars(&mut self, before: char) {
        let mut stars = 1;
        while self.rest.next_if_eq(&'*').is_some() {
            stars += 1;
        }
        let is_alone = stars == 2 && matches!(before, '/' | '{' | ',');
        match self.rest.peek() {
            Some('/') if is_alone => {
                self.rest.next();
                self.regex.push_str("(?:.*/)?");
            }
            None | Some(',' | '}') if is_alone => self.regex.push_str(".+"),
            _ => self.regex.push_str("[^/]*"),
        }
    }

    /// Reads a class behind its `[`.
    fn class(&mut self) -> Result<(), String> {
        let is_negated = self.rest.next_if(|c| matches!(c, '!' | '^')).is_some();
        self.regex.push_str(if is_negated { "[^/" } else { "[" });
        let mut is_first = true;
        loop {
            match self.rest.next() {
                None => return Err("`[` is not closed".to_owned()),
                Some(']') if !is_first => break,
                Some('[') if self.rest.peek() == Some(&':') => self.named()?,
                Some('-') if !is_first && self.rest.peek() != Some(&']') => self.regex.push('-'),
                Some('\\') => {
                    let c = self.rest.next().unwrap_or('\\');
                    self.member(c);
                }
                Some(c) => self.member(c),
            }
            is_first = false;
        }
        self.regex.push_str(if is_negated { "]" } else { "&&[^/]]" });
        Ok(())
    }

    fn member(&mut self, c: char) {
        self.regex.push_str(&format!("\\x{{{:x}}}", u32::from(c)));
    }

    /// Reads `[:alpha:]` behind its `[`, or the bracket itself where no name follows.
    fn named(&mut self) -> Result<(), String> {
        let ahead: String = self.rest.clone().take(NAME_AHEAD).collect();
        let Some((name, _)) = ahead[1..].split_once(":]") else {
            self.member('[');
            return Ok(());
        };
        if !CLASSES.contains(&name) {
            return Err(format!(
                "[:{name}:] is none of the classes [:{}:]",
                CLASSES.join(":], [:")
            ));
        }
        self.regex.push_str(&format!("[:{name}:]"));
        for _ in 0..name.len() + 3 {
            self.rest.next();
        }
        Ok(())
    }
}
