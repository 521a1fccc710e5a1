//! What must stand in a text for a pattern to match it.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// The characters besides the ASCII letters that fold to one: `ſ` to `s` and `K` (Kelvin) to `k`.
pub(crate) const FOLDING: [char; 2] = ['\u{17f}', '\u{212a}'];

/// A literal has no more bytes than this, so that few of them can end at one place.
const BYTES_MAX: usize = 24;

/// A literal has no fewer bytes than this; shorter ones are in nearly every text.
const BYTES_MIN: usize = 2;

/// A pattern has no more literals than this.
const LITERALS_MAX: usize = 100;

/// Words that stand in so many files that they rule out next to none.
const COMMON: [&str; 24] = [
    "import", "from", "return", "function", "const", "public", "private", "class", "self", "this",
    "require", "include", "use", "let", "var", "def", "new", "the", "static", "async", "await",
    "string", "http", "https",
];

/// The literals one of which is in every text that the pattern matches, in lower case. Texts with a
/// character of [`FOLDING`] are not meant.
pub(crate) fn required(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    let mut walk = Walk::default();
    walk.take(hir);
    walk.close();
    walk.best
}

/// Walks a pattern from left to right.
#[derive(Default)]
struct Walk {
    /// The bytes that follow each other right before here.
    run: Vec<u8>,
    best: Option<Vec<Vec<u8>>>,
}

impl Walk {
    fn take(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => self.run.extend(literal.0.to_ascii_lowercase()),
            HirKind::Class(class) => match letter(class) {
                Some(letter) => self.run.push(letter),
                None => self.close(),
            },
            HirKind::Capture(capture) => self.take(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.take(part)),
            HirKind::Repetition(repetition) => self.repeat(repetition),
            HirKind::Alternation(branches) => {
                self.close();
                self.offer(branches.iter().map(required).collect::<Option<Vec<_>>>());
            }
        }
    }

    fn repeat(&mut self, repetition: &Repetition) {
        let Some(word) = exact(&repetition.sub).filter(|_| repetition.min > 0) else {
            self.close();
            if repetition.min > 0 {
                self.offer(required(&repetition.sub).map(|literals| vec![literals]));
            }
            return;
        };
        for _ in 0..repetition.min {
            self.run.extend(&word);
            if self.run.len() > BYTES_MAX {
                break;
            }
        }
        self.close();
        // Whatever follows, follows the last round.
        self.run = word;
    }

    /// Ends the run.
    fn close(&mut self) {
        let mut run = std::mem::take(&mut self.run);
        run.truncate(BYTES_MAX);
        self.offer(Some(vec![vec![run]]));
    }

    /// Takes the literals of all branches if they are better than what there is.
    fn offer(&mut self, branches: Option<Vec<Vec<Vec<u8>>>>) {
        let Some(branches) = branches else { return };
        let mut literals: Vec<Vec<u8>> = branches.into_iter().flatten().collect();
        literals.sort_unstable();
        literals.dedup();
        let is_fit = literals.len() <= LITERALS_MAX
            && literals.iter().all(|literal| literal.len() >= BYTES_MIN);
        if is_fit && worth(&literals) > self.best.as_ref().map_or((0, 0), |best| worth(best)) {
            self.best = Some(literals);
        }
    }
}

/// How much is ruled out by literals: the length of the weakest, then how few there are.
fn worth(literals: &[Vec<u8>]) -> (usize, usize) {
    let weakest = literals.iter().map(|literal| weight(literal)).min().unwrap_or_default();
    (weakest, LITERALS_MAX + 1 - literals.len())
}

fn weight(literal: &[u8]) -> usize {
    let word = literal.trim_ascii();
    if COMMON.iter().any(|common| common.as_bytes() == word) { 1 } else { literal.len() }
}

/// The one text that this matches, in lower case.
fn exact(hir: &Hir) -> Option<Vec<u8>> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(literal.0.to_ascii_lowercase()),
        HirKind::Class(class) => letter(class).map(|letter| vec![letter]),
        HirKind::Capture(capture) => exact(&capture.sub),
        HirKind::Concat(parts) => {
            parts.iter().map(exact).collect::<Option<Vec<_>>>().map(|parts| parts.concat())
        }
        _ => None,
    }
}

/// The one letter that a class stands for, in lower case.
fn letter(class: &Class) -> Option<u8> {
    let chars: Vec<char> = match class {
        Class::Unicode(class) if class.ranges().len() <= 4 => {
            let chars = class.iter().flat_map(|range| range.start()..=range.end());
            chars.filter(|c| !FOLDING.contains(c)).take(3).collect()
        }
        Class::Bytes(class) if class.ranges().len() <= 2 => {
            let bytes = class.iter().flat_map(|range| range.start()..=range.end());
            bytes.take(3).map(char::from).collect()
        }
        _ => return None,
    };
    let first = chars.first().filter(|c| c.is_ascii())?.to_ascii_lowercase();
    let is_one = chars.iter().all(|c| c.to_ascii_lowercase() == first);
    u8::try_from(first).ok().filter(|_| is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pattern: &str) -> Option<Vec<String>> {
        let hir = regex_syntax::parse(pattern).unwrap();
        let text = |literal| String::from_utf8(literal).unwrap();
        required(&hir).map(|literals| literals.into_iter().map(text).collect())
    }

    #[test]
    fn what_every_match_has_is_found() {
        for (pattern, literals) in [
            (r"mysql_connect\(", vec!["mysql_connect("]),
            (r#"(?i)password\s*=\s*""#, vec!["password"]),
            (r"foo_bar_\d+", vec!["foo_bar_"]),
            (r"foo|bar", vec!["bar", "foo"]),
            (r"\b(?:foo|ba[rz]q)\b", vec!["ba", "foo"]),
            (r"fo+bar", vec!["obar"]),
            (r"(?:ab){3}c", vec!["ababab"]),
            (r"x\bfoo$", vec!["xfoo"]),
            (r"import\s+.*mysql", vec!["mysql"]),
            (r"(abc)?de", vec!["de"]),
            (r"(?:[0-9]abc)+", vec!["abc"]),
            (r"mysql|mysql2", vec!["mysql", "mysql2"]),
            (r"(?i)Kiss", vec!["kiss"]),
        ] {
            assert_eq!(
                of(pattern),
                Some(literals.iter().map(|l| (*l).to_owned()).collect()),
                "{pattern}"
            );
        }
    }

    #[test]
    fn nothing_is_required_where_a_branch_requires_nothing() {
        for pattern in
            [r"\d{16}", r"foo|\d", "(?:foo)?", "(?:foo)*", "", "a", "[ab]", r"(?i)ä", "^$"]
        {
            assert_eq!(of(pattern), None, "{pattern}");
        }
    }
}
