//! Clauses that name the one value of an attribute: `the default branch is main`, `Ada lives in Rome`.
//!
//! Most that can be said of a thing leaves room for more, so an attribute is one only by an adjective
//! (`primary`), a noun (`port`), a verb (`lives in`), or by a name that follows `the … is`.

use std::ops::Range;

use super::calendar;
use super::clause::{entry, word};
use super::lexicon::{look_up, role};
use super::parts::Parts;
use super::scan::Token;

/// An attribute and its value.
pub(super) struct Split {
    pub(super) about: Vec<Range<usize>>,
    pub(super) verb: Option<usize>,
    pub(super) name: Range<usize>,
}

impl Split {
    pub(super) fn of(tokens: &[Token<'_>], parts: &Parts) -> Option<Split> {
        let end = phrase_end(tokens, parts.object);
        let (subject, object) = (0..parts.verb, parts.object..end);
        let rest = end..tokens.len();
        let main = parts.main.map(|main| entry(tokens, main)).unwrap_or_default();
        let as_at = (parts.object..tokens.len()).find(|at| word(tokens, *at) == "as");
        if let Some(as_at) =
            as_at.filter(|at| *at > parts.object && main.is(role::LIGHT | role::PREFERS))
        {
            let attribute = as_at + 1..tokens.len();
            let name = parts.object..as_at;
            let one = is_definite(tokens, &attribute) && is_name(tokens, &name);
            return one.then(|| Split { about: vec![attribute, subject], verb: None, name });
        }
        if parts.main.is_some() {
            let begins = usize::from(entry(tokens, parts.object).is(role::PREPOSITION));
            let end = phrase_end(tokens, parts.object + begins);
            let one = main.is(role::ONE_OBJECT) && begins == 1
                || main.is(role::ONE_OBJECT) && passive(tokens, parts);
            let name = parts.object + begins..end;
            let about = vec![subject, end..tokens.len()];
            return (one && is_name(tokens, &name)).then_some(Split {
                about,
                verb: parts.main,
                name,
            });
        }
        let noun = is_attribute(tokens, &object)
            || is_name(tokens, &object) && is_written_as_name(tokens, &subject);
        let pointed = entry(tokens, object.start).is(role::DEFINITE)
            || tokens.get(object.start).is_some_and(|token| token.owns);
        if pointed && noun && !is_definite(tokens, &subject) {
            let one = is_name(tokens, &subject) && subject.len() <= 3;
            return one.then(|| Split { about: vec![object, rest], verb: None, name: subject });
        }
        let signed = tokens.get(parts.verb).is_some_and(Token::is_sign);
        let plural = matches!(word(tokens, parts.verb), "are" | "were");
        let key = signed && (subject.len() > 1 || is_attribute(tokens, &subject));
        // A date before a colon is that of a line somebody said.
        let spoken = signed && subject.clone().any(|at| calendar::read(tokens, at).is_some());
        let definite = key || is_definite(tokens, &subject) || is_only(tokens, &subject);
        let named = is_attribute(tokens, &subject) || is_written_as_name(tokens, &object);
        let one = definite && named && !plural && !spoken && is_name(tokens, &object);
        one.then(|| Split { about: vec![subject, rest], verb: None, name: object })
    }
}

fn passive(tokens: &[Token<'_>], parts: &Parts) -> bool {
    parts.main.is_some_and(|main| main > parts.verb && entry(tokens, main).is(role::VERB_PAST))
}

fn any_is(tokens: &[Token<'_>], range: &Range<usize>, roles: u32) -> bool {
    range.clone().any(|at| entry(tokens, at).is(roles))
}

fn is_definite(tokens: &[Token<'_>], range: &Range<usize>) -> bool {
    any_is(tokens, range, role::DEFINITE) || range.clone().any(|at| tokens[at].owns)
}

fn is_only(tokens: &[Token<'_>], range: &Range<usize>) -> bool {
    any_is(tokens, range, role::ONLY_ONE)
}

/// Whether what is named there is one of a kind: its last word before a preposition, or an adjective.
fn is_attribute(tokens: &[Token<'_>], range: &Range<usize>) -> bool {
    let end = range
        .clone()
        .skip(1)
        .find(|at| entry(tokens, *at).is(role::PREPOSITION))
        .unwrap_or(range.end);
    let head = end.checked_sub(1).map(|at| entry(tokens, at)).unwrap_or_default();
    let same = head.same.map(look_up).unwrap_or_default();
    is_only(tokens, range) || head.is(role::ATTRIBUTE) || same.is(role::ATTRIBUTE)
}

/// Whether it can be the value of an attribute: few words, one thing, and no adjective.
fn is_name(tokens: &[Token<'_>], range: &Range<usize>) -> bool {
    let adjective = |at: usize| {
        let word = word(tokens, at);
        let ending = ["ed", "ing", "able", "ful", "less", "ous", "ible"]
            .iter()
            .any(|end| word.ends_with(end));
        entry(tokens, at).is(role::ADJECTIVE) || (ending && word.len() > 4 && !tokens[at].is_name())
    };
    let joint = |at: usize| {
        matches!(word(tokens, at), "and" | "or" | "," | "/" | "&" | "a" | "an" | "that" | "how")
    };
    !range.is_empty() && range.len() <= 5 && !range.clone().any(|at| joint(at) || adjective(at))
}

/// Whether all of it is written as names are.
fn is_written_as_name(tokens: &[Token<'_>], range: &Range<usize>) -> bool {
    let national = |word: &str| ["ish", "ian", "ese"].iter().any(|end| word.ends_with(end));
    let named = |at: usize| {
        let token = &tokens[at];
        token.is_name() && !token.word.contains('-') && !national(&token.word)
    };
    !range.is_empty() && range.clone().all(named)
}

/// Where the noun phrase that begins at `from` ends.
fn phrase_end(tokens: &[Token<'_>], from: usize) -> usize {
    let ends = |at: &usize| {
        let this = entry(tokens, *at);
        this.is(role::PREPOSITION | role::WHEN | role::RELATIVE) || matches!(word(tokens, *at), ",")
    };
    (from + 1..tokens.len()).find(ends).unwrap_or(tokens.len())
}

/// Who works at a firm and who works in a town can be one; `hosted in` and `hosted on` are the same.
pub(super) fn place(preposition: &str) -> u64 {
    match preposition {
        "at" | "for" | "by" => 1,
        "in" | "on" | "inside" | "within" => 2,
        "to" => 3,
        _ => 4,
    }
}
