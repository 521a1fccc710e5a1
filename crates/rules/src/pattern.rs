//! Regular expressions: their limits, and what they are searched in.

use std::sync::OnceLock;

use regex_automata::Input;
use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

use crate::literal;

/// A pattern has no more characters than this.
const CHARS_MAX: usize = 10_000;

/// A pattern is no larger than this when it is compiled, in bytes.
const SIZE_MAX: usize = 1 << 20;

/// Groups in a pattern are nested no deeper than this.
const NEST_MAX: u32 = 100;

/// A pattern that can be searched.
#[derive(Debug)]
pub(crate) struct Pattern {
    hir: Hir,
    /// Made when it is searched first: most patterns never are.
    regex: OnceLock<Option<Regex>>,
    /// A text that has none of these has no match, in lower case; none if nothing of the kind is known.
    pub(crate) required: Option<Vec<Vec<u8>>>,
}

impl Pattern {
    /// Takes a pattern that is found anywhere, or must be the `whole` text; the error names the
    /// pattern and why not.
    pub(crate) fn new(pattern: &str, whole: bool) -> Result<Self, String> {
        if pattern.chars().count() > CHARS_MAX {
            return Err(refusal(pattern, &format!("it has more than {CHARS_MAX} characters")));
        }
        let mut parser =
            ParserBuilder::new().nest_limit(NEST_MAX).multi_line(true).crlf(true).build();
        let hir = parser.parse(pattern).map_err(|error| refusal(pattern, &why(&error)))?;
        let required = literal::required(&hir);
        let hir = match whole {
            true => Hir::concat(vec![Hir::look(Look::Start), hir, Hir::look(Look::End)]),
            false => shortest(hir),
        };
        measure(&hir).map_err(|error| refusal(pattern, &error))?;
        Ok(Self { hir, regex: OnceLock::new(), required })
    }

    /// What it says, if it requires nothing.
    pub(crate) fn bare(&self) -> Option<&Hir> {
        Some(&self.hir).filter(|_| self.required.is_none())
    }

    /// What was measured can be made.
    fn regex(&self) -> Option<&Regex> {
        let make = || {
            let config = Regex::config()
                .nfa_size_limit(None)
                .which_captures(WhichCaptures::Implicit)
                .onepass(false)
                .dfa(false);
            Regex::builder().configure(config).build_from_hir(&self.hir).ok()
        };
        self.regex.get_or_init(make).as_ref()
    }

    /// Whether it is found in a text that is one line.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    /// Start of its first match from `from` on that begins in a line, and a near end of one that begins
    /// there. Behind the last line break there is none.
    pub(crate) fn find(&self, text: &str, from: usize) -> Option<(usize, usize)> {
        let found = self.regex()?.find(Input::new(text).span(from..text.len()))?;
        let is_behind = found.start() == text.len() && text.ends_with('\n');
        (!is_behind).then(|| (found.start(), found.end()))
    }
}

/// The same pattern, which prefers to end early. It begins to match at the same places; but a search
/// that prefers a late end may look for it up to the end of a text, anew for each match.
fn shortest(hir: Hir) -> Hir {
    let all = |parts: Vec<Hir>| parts.into_iter().map(shortest).collect::<Vec<Hir>>();
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(class),
        HirKind::Capture(capture) => shortest(*capture.sub),
        HirKind::Repetition(repetition) => {
            let sub = Box::new(shortest(*repetition.sub));
            Hir::repetition(Repetition { greedy: false, sub, ..repetition })
        }
        HirKind::Concat(parts) => Hir::concat(all(parts)),
        HirKind::Alternation(parts) => {
            let mut parts = all(parts);
            parts.sort_by_key(|part| part.properties().minimum_len());
            Hir::alternation(parts)
        }
    }
}

/// What one range of characters takes at the most: ten sequences of four bytes, each a state.
const RANGE_SIZE_MAX: usize = 3_000;

/// What a pattern takes that says nothing, and more.
const BARE_SIZE: usize = 4_096;

/// What anything else takes at the most: a state, and where it leads.
const STATE_SIZE_MAX: usize = 100;

/// More than it takes when it is compiled, but for what every pattern takes; most patterns are told small by this alone.
fn bound(hir: &Hir) -> usize {
    let own = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(literal) => literal.0.len() * STATE_SIZE_MAX,
        HirKind::Class(Class::Unicode(class)) => class.ranges().len() * RANGE_SIZE_MAX,
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() * STATE_SIZE_MAX,
        HirKind::Capture(capture) => bound(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(bound).fold(0, usize::saturating_add)
        }
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(1);
            bound(&repetition.sub)
                .saturating_add(2 * STATE_SIZE_MAX)
                .saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
        }
    };
    own.saturating_add(2 * STATE_SIZE_MAX)
}

/// Refuses what is too large when it is compiled.
fn measure(hir: &Hir) -> Result<(), String> {
    if bound(hir).saturating_add(BARE_SIZE) <= SIZE_MAX {
        return Ok(());
    }
    let config =
        thompson::Config::new().nfa_size_limit(Some(SIZE_MAX)).which_captures(WhichCaptures::None);
    match thompson::Compiler::new().configure(config).build_from_hir(hir) {
        Ok(_) => Ok(()),
        Err(error) if error.size_limit().is_some() => {
            Err("it takes more than 1 MB when it is compiled; repeat less, or match fewer \
             characters, e.g. `(?-u:\\w)` in place of `\\w`"
                .to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

fn refusal(pattern: &str, why: &str) -> String {
    let pattern: String = pattern.chars().take(100).collect();
    format!("`{pattern}` is no pattern we can follow: {why}")
}

/// What is wrong, in one line.
fn why(error: &regex_syntax::Error) -> String {
    let (kind, span) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.span()),
        regex_syntax::Error::Translate(error) => (error.kind().to_string(), error.span()),
        other => return other.to_string(),
    };
    format!("{kind} (character {})", span.start.column)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(pattern: &str, text: &str) -> Vec<usize> {
        let pattern = Pattern::new(pattern, false).unwrap();
        let mut starts = Vec::new();
        let mut from = 0;
        while let Some((start, end)) = pattern.find(text, from) {
            starts.push(start);
            from = end.max(start + 1);
            if from > text.len() {
                break;
            }
        }
        starts
    }

    #[test]
    fn the_bound_of_a_pattern_is_not_below_its_size() {
        for pattern in [
            "",
            "a",
            "(?i)password\\s*=",
            "[^a]",
            "(a|b|cde)*x{3,9}",
            "\\pL{2,5}",
            "(?-u:\\w){50}",
            "[\\u{80}-\\u{10FFFF}]",
            "((a{9}){9}){9}",
            "^.*$",
        ] {
            let mut parser = ParserBuilder::new().multi_line(true).crlf(true).build();
            let hir = parser.parse(pattern).unwrap();
            let config = thompson::Config::new().which_captures(WhichCaptures::None);
            let nfa = thompson::Compiler::new().configure(config).build_from_hir(&hir).unwrap();
            assert!(
                bound(&hir) + BARE_SIZE >= nfa.memory_usage(),
                "{pattern}: {}",
                nfa.memory_usage()
            );
        }
    }

    #[test]
    fn a_match_ends_as_soon_as_it_can() {
        for (pattern, text, expected) in [
            (r"eval\([^)]*\)|eval", "x eval(\n\n)", (2, 6)),
            (r"(?s)a.*z|a", "a\nz z", (0, 1)),
            (r"(?s)a.*z", "a\nz z", (0, 3)),
            (r"a(bc|b|())d*", "abcdd", (0, 1)),
            (r"(?:a{2,3}|b+)$", "xaaab", (4, 5)),
            (r"a[^z]*z|b", "a\nb\nz", (0, 5)),
        ] {
            assert_eq!(
                Pattern::new(pattern, false).unwrap().find(text, 0),
                Some(expected),
                "{pattern}"
            );
        }
    }

    #[test]
    fn lines_end_before_both_kinds_of_line_breaks() {
        for (pattern, text, expected) in [
            ("a$", "a\r\nb\r\n", vec![0]),
            ("a$", "a\nb\n", vec![0]),
            ("^b$", "a\r\nb\r\n", vec![3]),
            ("^b$", "a\nb\nb", vec![2, 4]),
            ("^$", "a\r\n\r\nb", vec![3]),
            ("^$", "a\n\nb\n", vec![2]),
            ("^", "a\nb\n", vec![0, 2]),
            (r"\Ab", "a\nb", vec![]),
            (r"a\z", "a\nb", vec![]),
            (r"b\z", "a\nb", vec![2]),
            ("a.b", "a\nb a\rb axb", vec![8]),
            ("^$", "", vec![0]),
        ] {
            assert_eq!(finds(pattern, text), expected, "{pattern} {text:?}");
        }
    }

    #[test]
    fn a_whole_text_is_matched_from_end_to_end() {
        let matches = |pattern: &str, text: &str| Pattern::new(pattern, true).unwrap().is_in(text);
        assert!(matches("a|ab", "ab") && matches("a|ab", "a"));
        assert!(!matches("a|ab", "abc") && !matches("a|ab", "xa"));
        assert!(matches("(?x) a b # both", "ab") && !matches("(?x) a b # both", "abc"));
        assert!(Pattern::new("a)|(b", true).is_err());
    }

    #[test]
    fn what_cannot_be_followed_is_refused_with_the_reason() {
        for (pattern, why) in [
            ("(a", "unclosed group"),
            ("a{2,1}", "repetition"),
            ("(?=a)", "look-around"),
            (r"(a)\1", "backreferences"),
            (r"\w{1000}{1000}", "1 MB"),
            (&"a".repeat(10_001), "10000 characters"),
            (&format!("{}a{}", "(".repeat(101), ")".repeat(101)), "nest"),
        ] {
            let error = Pattern::new(pattern, false).unwrap_err();
            assert!(error.contains(why), "{pattern}: {error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }
}
