//! A sentence into clauses that each say one thing, with their subjects.
//!
//! Asides are left out: what stands in brackets, reasons, what others say. A clause without a verb
//! belongs to its neighbour; one without a subject has that of the clause before it.

use super::lexicon::{Entry, look_up, role};
use super::scan::Token;

/// A clause, and whether it was turned around when it was made (`spaces`, of `tabs over spaces`).
#[derive(Debug, Clone)]
pub(super) struct Clause<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) turned: bool,
}

/// What is known of the token at `at`; nothing if there is none.
pub(super) fn entry(tokens: &[Token<'_>], at: usize) -> Entry {
    tokens.get(at).map(|token| look_up(&token.word)).unwrap_or_default()
}

/// The word at `at`, empty if there is none.
pub(super) fn word<'a>(tokens: &'a [Token<'_>], at: usize) -> &'a str {
    tokens.get(at).map_or("", |token| token.word.as_str())
}

/// The clauses of a sentence; none if it is not the text itself that says it.
pub(super) fn clauses<'a>(sentence: Vec<Token<'a>>) -> Vec<Clause<'a>> {
    let Some(tokens) = without_asides(sentence) else { return Vec::new() };
    let mut clauses: Vec<Vec<Token<'a>>> = Vec::new();
    for piece in pieces(tokens) {
        let first = entry(&piece, 0);
        let opens = piece
            .first()
            .is_some_and(|token| first.is(role::ASIDE | role::RELATIVE) && token.word != "that");
        let has_verb = predicate(&piece).is_some();
        match clauses.last_mut() {
            _ if opens => {}
            Some(last) if !has_verb || first.is(role::WHEN) || is_condition(last) => {
                let at = last.last().map_or(0, Token::end);
                last.push(Token { text: "", word: ",".to_owned(), at, owns: false });
                last.extend(piece);
            }
            Some(last) if predicate(&piece) == Some(0) => {
                let subject = &last[..predicate(last).unwrap_or(0)];
                let with_subject = subject.iter().cloned().chain(piece).collect();
                clauses.push(with_subject);
            }
            _ => clauses.push(piece),
        }
    }
    clauses.into_iter().flat_map(compared).collect()
}

/// Whether a clause is only a condition, or a phrase before the subject.
fn is_condition(tokens: &[Token<'_>]) -> bool {
    let all_condition =
        entry(tokens, 0).is(role::WHEN) && !tokens.iter().any(|token| token.word == ",");
    all_condition || predicate(tokens).is_none()
}

/// Without brackets, marks of lists and words that only introduce. None for a quotation or a hearsay.
fn without_asides(sentence: Vec<Token<'_>>) -> Option<Vec<Token<'_>>> {
    let mut tokens: Vec<Token<'_>> = Vec::with_capacity(sentence.len() + 4);
    let (mut depth, mut quoted) = (0_i32, None);
    for token in sentence {
        match token.word.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            "`" | "*" | "#" | "•" => {}
            "-" if tokens.is_empty() => {}
            "\"" | "“" | "”" => match quoted {
                None => quoted = Some(tokens.len()),
                Some(from) if tokens.len() - from > 2 => return None,
                Some(_) => quoted = None,
            },
            _ if depth <= 0 => tokens.push(token),
            _ => {}
        }
    }
    let hearsay = |at: usize| {
        entry(&tokens, at).is(role::SAYS)
            && !at.checked_sub(1).is_some_and(|before| entry(&tokens, before).is(role::DEFINITE))
    };
    if (0..tokens.len()).any(hearsay) {
        return None;
    }
    let introduced = match (word(&tokens, 0), word(&tokens, 1)) {
        ("note" | "remember", "that") => 2,
        ("remember" | "important", ":") | ("note", ":" | ",") => 2,
        _ => 0,
    };
    tokens.drain(..introduced);
    Some(tokens)
}

/// The sentence cut at commas, dashes, `but`, and at an `and` before a verb.
fn pieces(tokens: Vec<Token<'_>>) -> Vec<Vec<Token<'_>>> {
    let cuts: Vec<bool> = (0..tokens.len()).map(|at| is_cut(&tokens, at)).collect();
    let mut pieces = vec![Vec::new()];
    let mut dropping = false;
    for (at, token) in tokens.into_iter().enumerate() {
        let entry = look_up(&token.word);
        if cuts[at] {
            dropping = false;
            if pieces.last().is_some_and(|piece| !piece.is_empty()) {
                pieces.push(Vec::new());
            }
            continue;
        }
        let Some(piece) = pieces.last_mut() else { continue };
        if piece.is_empty() && matches!(token.word.as_str(), "and" | "but" | "or") {
            continue;
        }
        let begins_aside =
            entry.is(role::ASIDE) && !matches!(token.word.as_str(), "due" | "thanks");
        dropping |= begins_aside && !piece.is_empty();
        if !dropping {
            piece.push(token);
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

fn is_cut(tokens: &[Token<'_>], at: usize) -> bool {
    match word(tokens, at) {
        "," => !is_date_comma(tokens, at),
        "—" | "but" | "-" | "–" => at > 0,
        "and" => {
            let next = entry(tokens, at + 1);
            at > 0
                && (next.is(role::VERB_S | role::HELPS)
                    || matches!(word(tokens, at + 1), "not" | "never"))
        }
        _ => false,
    }
}

/// `January 5, 2026`, `Monday, Tuesday`: a comma within a time.
fn is_date_comma(tokens: &[Token<'_>], at: usize) -> bool {
    let digit = |at: usize| word(tokens, at).starts_with(|c: char| c.is_ascii_digit());
    let day = |at: usize| super::calendar::read(tokens, at).is_some();
    at > 0
        && ((digit(at - 1) && digit(at + 1) && word(tokens, at + 1).len() == 4)
            || (day(at - 1) && day(at + 1)))
}

/// Where the predicate begins: the first verb, or the sign that stands for one.
pub(super) fn predicate(tokens: &[Token<'_>]) -> Option<usize> {
    let mut at = condition_end(tokens);
    let mut relative = false;
    while at < tokens.len() {
        if is_verb(tokens, at) {
            if !relative {
                return Some(at);
            }
            relative = false;
            at += 1;
            while entry(tokens, at).is(role::HELPS | role::NOT) {
                at += 1;
            }
        } else if at > 0 && entry(tokens, at).is(role::RELATIVE) {
            relative = true;
        }
        at += 1;
    }
    None
}

/// Where the clause goes on behind a condition that it begins with.
pub(super) fn condition_end(tokens: &[Token<'_>]) -> usize {
    if !entry(tokens, 0).is(role::WHEN) {
        return 0;
    }
    let end = tokens.iter().position(|token| matches!(token.word.as_str(), "," | "then"));
    end.map_or(0, |end| end + 1)
}

fn is_verb(tokens: &[Token<'_>], at: usize) -> bool {
    let this = entry(tokens, at);
    let before = at.checked_sub(1).map(|before| entry(tokens, before));
    let after_noun = before.is_some_and(|before| !before.is(role::DEFINITE | role::PREPOSITION))
        && !at
            .checked_sub(1)
            .is_some_and(|before| matches!(word(tokens, before), "a" | "an" | "no" | "," | "and"));
    if tokens[at].is_sign() {
        return at > 0 && this.is(role::BE);
    }
    let denied = matches!(word(tokens, at), "not" | "never") && {
        let next = word(tokens, at + 1);
        entry(tokens, at + 1).is(role::FORMS) || (next.len() > 4 && next.ends_with("ed"))
    };
    if this.is(role::BE | role::HELPS) || denied {
        return true;
    }
    if this.is(role::VERB_S) && after_noun {
        return !entry(tokens, at + 1).is(role::BE);
    }
    if this.is(role::VERB) {
        let first = at == 0 && !entry(tokens, 1).is(role::BE | role::VERB_S);
        return first
            || before.is_some_and(|before| before.is(role::PRONOUN | role::NOT))
            || after_plural(tokens, at);
    }
    this.is(role::VERB_PAST) && after_noun && !entry(tokens, at + 1).is(role::BE | role::HELPS)
}

/// Whether the word before is one that a plain verb follows: a plural, or `always`.
fn after_plural(tokens: &[Token<'_>], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    let word = word(tokens, before);
    let plural =
        word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !tokens[before].owns;
    matches!(word, "always" | "please" | "also" | "people" | "team")
        || (plural && !entry(tokens, before).is(role::SMALL | role::BE))
}

/// `X over Y` and `X instead of Y` as two clauses, the second turned around.
fn compared(tokens: Vec<Token<'_>>) -> Vec<Clause<'_>> {
    let whole = |tokens| vec![Clause { tokens, turned: false }];
    let Some(verb) = predicate(&tokens) else { return whole(tokens) };
    let prefers = entry(&tokens, verb).is(role::PREFERS);
    let Some((at, behind)) =
        (verb + 2..tokens.len()).find_map(|at| match (word(&tokens, at), word(&tokens, at + 1)) {
            ("over" | "to", _) if prefers => Some((at, at + 1)),
            ("instead", "of") | ("rather", "than") => Some((at, at + 2)),
            ("not", next)
                if at > verb + 1 && !next.is_empty() && !look_up(next).is(role::SMALL) =>
            {
                (word(&tokens, at - 1) == ",").then_some((at - 1, at + 1))
            }
            _ => None,
        })
    else {
        return whole(tokens);
    };
    let end = (behind + 1..tokens.len())
        .find(|at| entry(&tokens, *at).is(role::PREPOSITION | role::WHEN))
        .unwrap_or(tokens.len());
    if behind >= end {
        return whole(tokens);
    }
    let tail = tokens[end..].iter();
    let rejected = tokens[..=verb].iter().chain(&tokens[behind..end]).chain(tail.clone());
    let rejected = Clause { tokens: rejected.cloned().collect(), turned: true };
    let kept = tokens[..at].iter().chain(tail).cloned().collect();
    vec![Clause { tokens: kept, turned: false }, rejected]
}
