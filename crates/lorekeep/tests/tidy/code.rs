//! Rust without what is written in it: enough to count braces and find words.

/// The code with strings, characters and comments blanked; every line keeps its number.
pub(crate) fn blanked(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while at < chars.len() {
        let end = match chars[at] {
            '/' if chars.get(at + 1) == Some(&'/') => line_end(&chars, at),
            '/' if chars.get(at + 1) == Some(&'*') => comment_end(&chars, at),
            '"' => string_end(&chars, at),
            'r' if !continues_word(&chars, at) => raw_end(&chars, at).unwrap_or(at),
            '\'' => char_end(&chars, at).unwrap_or(at),
            _ => at,
        };
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(chars[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// Whether the character at `at` belongs to the word before it; `br"…"` starts a string.
fn continues_word(chars: &[char], at: usize) -> bool {
    let word = |c: &char| c.is_alphanumeric() || *c == '_';
    match at.checked_sub(1).and_then(|before| chars.get(before)) {
        Some('b' | 'c') => at >= 2 && word(&chars[at - 2]),
        before => before.is_some_and(word),
    }
}

fn line_end(chars: &[char], at: usize) -> usize {
    chars[at..].iter().position(|c| *c == '\n').map_or(chars.len(), |length| at + length)
}

fn comment_end(chars: &[char], at: usize) -> usize {
    let (mut depth, mut at) = (0, at);
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at.min(chars.len())
}

fn string_end(chars: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

/// The end of `r#"…"#`, if one starts here.
fn raw_end(chars: &[char], start: usize) -> Option<usize> {
    let hashes = chars[start + 1..].iter().take_while(|c| **c == '#').count();
    let open = start + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let closes = |at: &usize| {
        chars[*at] == '"'
            && chars[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes
    };
    Some((open + 1..chars.len()).find(closes).map_or(chars.len(), |at| at + 1 + hashes))
}

/// The end of `'x'`, if it is a character and not a lifetime.
fn char_end(chars: &[char], start: usize) -> Option<usize> {
    if chars.get(start + 1) == Some(&'\\') {
        let rest = chars.get(start + 3..)?;
        return rest.iter().position(|c| *c == '\'').map(|length| start + 4 + length);
    }
    (chars.get(start + 2) == Some(&'\'')).then_some(start + 3)
}

/// Whether `word` stands in `text` as a word of its own.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part))
}

/// How many lines stand before the file's own tests.
pub(crate) fn lines_without_tests(source: &str) -> usize {
    let lines: Vec<&str> = source.lines().collect();
    let tests = lines.windows(2).position(|pair| {
        pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
    });
    tests.unwrap_or(lines.len())
}

/// A function as it stands in a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// The line of its `fn`, from 1.
    pub(crate) line: usize,
    /// How many lines it takes, signature included.
    pub(crate) lines: usize,
    /// How many parameters it takes, `self` aside.
    pub(crate) parameters: usize,
}

/// The functions of a file that have a body.
pub(crate) fn functions(source: &str) -> Vec<Function> {
    let code = blanked(source);
    let starts = code.match_indices("fn ").map(|(at, _)| at);
    starts.filter_map(|at| function(&code, at)).collect()
}

fn function(code: &str, at: usize) -> Option<Function> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let rest = &code[at + 3..];
    let name: String = rest.chars().take_while(|c| is_word(*c)).collect();
    if name.is_empty() || code[..at].ends_with(is_word) {
        return None;
    }
    let mut brackets = Brackets::default();
    let mut body = None;
    let mut parameters = Parameters::default();
    for (offset, c) in rest.char_indices() {
        let depth = brackets.after(c);
        if body.is_none() {
            parameters.read(c, brackets.round, brackets.inside());
            match c {
                ';' if depth == 0 => return None,
                '{' if depth == 1 && brackets.curly == 1 => body = Some(offset),
                _ => {}
            }
        } else if depth == 0 {
            let line = code[..at].matches('\n').count() + 1;
            let lines = rest[..offset].matches('\n').count() + 1;
            return Some(Function { name, line, lines, parameters: parameters.count() });
        }
    }
    None
}

/// How deep in brackets a place is.
#[derive(Default)]
struct Brackets {
    round: i32,
    square: i32,
    curly: i32,
    angle: i32,
    last: char,
}

impl Brackets {
    /// The depth after a character, angles aside: in a body they are mostly comparisons.
    fn after(&mut self, c: char) -> i32 {
        match c {
            '(' => self.round += 1,
            ')' => self.round -= 1,
            '[' => self.square += 1,
            ']' => self.square -= 1,
            '{' => self.curly += 1,
            '}' => self.curly -= 1,
            '<' => self.angle += 1,
            '>' if !['-', '='].contains(&self.last) => self.angle -= 1,
            _ => {}
        }
        self.last = c;
        self.round + self.square + self.curly
    }

    /// Whether a comma here is not between parameters.
    fn inside(&self) -> bool {
        self.square + self.curly + self.angle > 0
    }
}

/// The list between the first round brackets outside of all others.
#[derive(Default)]
struct Parameters {
    is_open: bool,
    is_over: bool,
    list: Vec<String>,
}

impl Parameters {
    fn read(&mut self, c: char, round: i32, is_inside: bool) {
        match c {
            _ if self.is_over => {}
            '(' if !self.is_open && !is_inside => {
                self.is_open = true;
                self.list.push(String::new());
            }
            ')' if self.is_open && round == 0 => self.is_over = true,
            ',' if self.is_open && round == 1 && !is_inside => self.list.push(String::new()),
            _ => {
                if let Some(last) = self.list.last_mut() {
                    last.push(c);
                }
            }
        }
    }

    fn count(&self) -> usize {
        let is_receiver = |one: &&str| has_word(one.split(':').next().unwrap_or(one), "self");
        let given = self.list.iter().map(|one| one.trim()).filter(|one| !one.is_empty());
        given.filter(|one| !is_receiver(one)).count()
    }
}

#[test]
fn what_is_written_is_blanked_and_code_stays() {
    let source =
        "a \"{ \\\" }\" b // {\nr#\"\"{\"# '{' '\\'' /* { /* */ { */ fn x<'a>(y: &'a str) {}";
    let code = blanked(source);
    assert_eq!(code.matches('{').count(), 1, "{code}");
    assert_eq!(code.lines().count(), 2);
    assert!(code.contains("fn x<'a>(y: &'a str) {}"), "{code}");
}

#[test]
fn functions_are_measured() {
    let source = "trait T {\n    fn none(&self);\n}\nfn one<F: Fn(u8) -> u8>(self, f: F, m: Map<A, B>) -> [u8; 2]\n\
                  where\n{\n    let x = |a, b| {\n    };\n}\nfn two() {}\n";
    let all: Vec<_> =
        functions(source).into_iter().map(|f| (f.name, f.line, f.lines, f.parameters)).collect();
    assert_eq!(all, [("one".into(), 4, 6, 2), ("two".into(), 10, 1, 0)]);
}

#[test]
fn words_are_whole() {
    assert!(has_word("a todo: b", "todo") && has_word("todo", "todo"));
    assert!(!has_word("mastodon todos _todo", "todo"));
}
