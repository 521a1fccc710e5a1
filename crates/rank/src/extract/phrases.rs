//! A sentence into phrases: names and noun phrases, verbs, and the small words between them.

use std::collections::HashSet;
use std::ops::Range;

use super::tokens::{Kind, Sentence, Token};
use super::verbs::{Verb, is_after_plural, is_gerund, roles_at, verb_at, word};
use super::words::{is_like_adverb, is_plural, listed, role, roles};

/// No noun phrase has more words.
pub(super) const PHRASE_WORDS_MAX: usize = 6;

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    Phrase(Phrase),
    Verb(Verb),
    /// The word of a preposition.
    Preposition(String),
    Comma,
    And,
    Or,
    /// `but`, `because`.
    Joins,
    /// `when`, `until`.
    When,
    /// `which`, `who`.
    Relative,
    /// `not` without a verb.
    Not,
    /// A colon or a dash.
    Dash,
    /// Anything else.
    Other,
}

/// What a phrase stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    /// What it says.
    Itself,
    /// What was named before.
    Pronoun,
    /// Nobody in particular, or a time.
    Nobody,
}

/// A noun phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase {
    /// The tokens of its name, without determiners.
    pub(super) name: Range<usize>,
    /// All of its tokens.
    pub(super) all: Range<usize>,
    /// The roles of what stands before it: `the`, `a`, `many`.
    pub(super) before: u32,
    /// Whether it is a name and not a noun.
    pub(super) is_named: bool,
    pub(super) is_plural: bool,
    pub(super) stands: Stands,
}

/// The words of a text that tell names from nouns at the start of a sentence.
#[derive(Debug, Default)]
pub(super) struct Seen<'a> {
    /// Words that are written small somewhere.
    small: HashSet<&'a str>,
    /// Words that are written large within a sentence, in lower case.
    large: HashSet<String>,
}

impl<'a> Seen<'a> {
    /// Takes note of the words of a sentence.
    pub(super) fn add(&mut self, sentence: &Sentence<'a>) {
        let words = sentence.tokens.iter().filter(|token| token.kind == Kind::Word);
        for (at, token) in words.enumerate() {
            if token.text.starts_with(char::is_lowercase) {
                self.small.insert(token.text);
            } else if at > 0 && token.text.starts_with(char::is_uppercase) {
                self.large.insert(token.word.clone());
            }
        }
    }

    fn is_noun(&self, word: &str) -> bool {
        self.small.contains(word) && !self.large.contains(word)
    }
}

/// A sentence with all that is needed to read it.
pub(super) struct Phrases<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token<'a>],
    seen: &'a Seen<'a>,
    first: usize,
}

impl<'a> Phrases<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token<'a>], seen: &'a Seen<'a>) -> Self {
        let first = tokens.iter().position(|token| !matches!(token.kind, Kind::Mark(_)));
        Phrases { text, tokens, seen, first: first.unwrap_or(0) }
    }

    /// The parts of the sentence, in order.
    pub(super) fn items(&self) -> Vec<Item> {
        let mut items = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let (item, next) = self.item(at, &items);
            items.extend(item);
            at = next.max(at + 1);
        }
        items
    }

    fn item(&self, at: usize, before: &[Item]) -> (Option<Item>, usize) {
        match self.tokens[at].kind {
            Kind::Mark(',') => return (Some(Item::Comma), at + 1),
            Kind::Mark('(' | '{') => return (None, self.aside_end(at)),
            Kind::Mark('"') => return (Some(Item::Other), self.quote_end(at)),
            Kind::Mark(':' | '-' | '–' | '—') => return (Some(Item::Dash), at + 1),
            Kind::Mark('&') => return (Some(Item::And), at + 1),
            Kind::Mark('\'' | '’' | '.' | '!' | ';') => return (None, at + 1),
            Kind::Mark(_) | Kind::Opaque => return (Some(Item::Other), at + 1),
            Kind::Marked => return self.phrase(at, before),
            Kind::Word => {}
        }
        if self.is_name(at) {
            return self.phrase(at, before);
        }
        let last = before.last();
        let after_noun = !matches!(
            last,
            None | Some(
                Item::Preposition(_) | Item::Verb(_) | Item::When | Item::Not | Item::Other
            )
        );
        let after_plural = match last {
            Some(Item::Phrase(phrase)) => {
                (phrase.is_plural && word(self.tokens, at) != "like")
                    || phrase.stands != Stands::Itself
                    || is_in_list(before)
            }
            last => matches!(last, Some(Item::And | Item::Relative)),
        };
        if let Some((verb, end)) = verb_at(self.tokens, at, after_noun, after_plural) {
            return (Some(Item::Verb(verb)), end);
        }
        let is_listed = roles_at(self.tokens, at) & role::OTHER_VERB != 0;
        let is_other = match last {
            Some(Item::Phrase(_)) => is_listed || self.is_other_verb(at),
            last => is_listed && matches!(last, Some(Item::And | Item::Relative | Item::Comma)),
        };
        if is_other {
            return (Some(Item::Verb(Verb::default())), at + 1);
        }
        self.small_word(at, before)
    }

    fn small_word(&self, at: usize, before: &[Item]) -> (Option<Item>, usize) {
        let (word, roles) = (word(self.tokens, at), roles_at(self.tokens, at));
        let has = |role: u32| roles & role != 0;
        let opens = matches!(before.last(), None | Some(Item::Preposition(_) | Item::Joins));
        let item = if word == "whose" || has(role::WHEN) {
            Item::When
        } else if has(role::RELATIVE) && !(word == "that" && opens) {
            Item::Relative
        } else if has(role::AND) {
            Item::And
        } else if has(role::OR) {
            Item::Or
        } else if has(role::NOT) && !has(role::QUANTITY) {
            Item::Not
        } else if has(role::JOINS) {
            Item::Joins
        } else if has(role::PREPOSITION) {
            Item::Preposition(word.to_owned())
        } else if has(role::PRONOUN | role::ANYBODY) {
            let stands = if has(role::PRONOUN) { Stands::Pronoun } else { Stands::Nobody };
            Item::Phrase(Phrase { stands, is_plural: true, ..self.bare(at..at + 1, at) })
        } else if has(role::ADVERB) {
            return (None, at + 1);
        } else if has(role::OPENER) {
            Item::Other
        } else {
            return self.phrase(at, before);
        };
        (Some(item), at + 1)
    }

    /// Where the aside that opens at `at` is over.
    fn aside_end(&self, at: usize) -> usize {
        let mut depth = 0_i32;
        for (offset, token) in self.tokens[at..].iter().enumerate() {
            match token.kind {
                Kind::Mark('(' | '{') => depth += 1,
                Kind::Mark(')' | '}') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at + offset + 1;
            }
        }
        self.tokens.len()
    }

    /// Where the quotation that opens at `at` is over; only its mark is passed if it is not closed.
    fn quote_end(&self, at: usize) -> usize {
        let mut behind = self.tokens[at + 1..].iter();
        let length = behind.position(|token| token.kind == Kind::Mark('"'));
        length.map_or(at + 1, |length| at + length + 2)
    }

    fn bare(&self, name: Range<usize>, from: usize) -> Phrase {
        let all = from..name.end;
        Phrase { name, all, before: 0, is_named: false, is_plural: false, stands: Stands::Itself }
    }

    /// The noun phrase at `at`, and where it ends.
    fn phrase(&self, at: usize, before: &[Item]) -> (Option<Item>, usize) {
        let (mut start, mut determiners) = (at, 0);
        while roles_at(self.tokens, start) & role::BEFORE != 0 && !self.is_name(start) {
            determiners |= roles_at(self.tokens, start) & role::BEFORE;
            start += 1;
        }
        while self.tokens.get(start).is_some_and(Token::is_number) {
            if self.is_name(start + 1) || self.is_time(start) {
                let time = Phrase { stands: Stands::Nobody, ..self.bare(start..start + 1, at) };
                return (Some(Item::Phrase(time)), start + 1);
            }
            determiners |= role::QUANTITY;
            start += 1;
        }
        let end = self.phrase_end(start, before);
        if end == start {
            let nobody = Phrase { stands: Stands::Nobody, ..self.bare(at..start, at) };
            let item = if start == at { Item::Other } else { Item::Phrase(nobody) };
            return (Some(item), start.max(at + 1));
        }
        let (name, is_named) = self.name(start, end, determiners);
        let last = &self.tokens[end - 1];
        let is_time = !is_named && roles(&last.word) & role::TIME != 0;
        // `the X support` is not X.
        let mut tail = self.tokens[name.end..end].iter();
        let is_part =
            tail.any(|token| determiners & role::INDEFINITE != 0 || !is_sort(&token.word));
        let phrase = Phrase {
            name,
            all: at..end,
            before: determiners,
            is_named,
            is_plural: is_plural(&last.word),
            stands: if is_time || is_part { Stands::Nobody } else { Stands::Itself },
        };
        (Some(Item::Phrase(phrase)), end)
    }

    /// Whether a number at `at` is a year, and no count of something.
    fn is_time(&self, at: usize) -> bool {
        let year = self.tokens[at].text;
        let next = self.tokens.get(at + 1);
        year.len() == 4
            && year.bytes().all(|byte| byte.is_ascii_digit())
            && next.is_none_or(|next| matches!(next.kind, Kind::Mark(_)) || roles(&next.word) != 0)
    }

    fn phrase_end(&self, start: usize, before: &[Item]) -> usize {
        let mut at = start;
        while let Some(token) = self.tokens.get(at) {
            if at > start
                && self.is_name(at - 1)
                && let Some(next) = self.behind_particle(at)
            {
                at = next;
                continue;
            }
            let is_word = matches!(token.kind, Kind::Word | Kind::Marked);
            if !is_word || (!self.is_name(at) && self.ends_phrase(at, start, before)) {
                break;
            }
            at += 1;
        }
        at
    }

    /// Where a name goes on behind `of`, `of the` or `&` at `at`.
    fn behind_particle(&self, at: usize) -> Option<usize> {
        if roles_at(self.tokens, at - 1) & role::OFFICE != 0 {
            return None;
        }
        let is_and = self.tokens[at].kind == Kind::Mark('&');
        let mut next = at + 1;
        if !is_and && word(self.tokens, at) != "of" {
            return None;
        }
        if word(self.tokens, next) == "the" {
            next += 1;
        }
        (self.is_name(next) && (at..=next).all(|at| self.is_glued(at))).then_some(next)
    }

    /// Whether a word that is no name ends the phrase that begins at `start`.
    fn ends_phrase(&self, at: usize, start: usize, before: &[Item]) -> bool {
        let roles = roles_at(self.tokens, at);
        let in_name = roles & role::PARTICLE != 0 && self.is_name(at + 1);
        if roles & (role::OUTSIDE | role::BEFORE) != 0 && !in_name {
            return true;
        }
        if at == start {
            return false;
        }
        let (here, next) = (word(self.tokens, at), roles_at(self.tokens, at + 1));
        let cuts = matches!(here, "available" | "capable" | "like" | "describing" | "allowing")
            || here.ends_with("ing") && (next & role::BEFORE != 0 || is_gerund(here))
            || here.ends_with("ed") && next & role::PREPOSITION != 0;
        if cuts {
            return true;
        }
        if word(self.tokens, at - 1).ends_with("'s") {
            return false;
        }
        let after_plural = is_after_plural(self.tokens, at) || ends_list(before);
        roles & role::OTHER_VERB != 0
            || verb_at(self.tokens, at, true, after_plural).is_some()
            || self.is_other_verb(at)
    }

    /// Whether a word behind a name is a verb that nobody listed.
    fn is_other_verb(&self, at: usize) -> bool {
        let word = word(self.tokens, at);
        let next = roles_at(self.tokens, at + 1);
        let is_third = is_plural(word) && (next & role::BEFORE != 0 || self.is_name(at + 1));
        at > 0 && self.is_name(at - 1) && (is_third || (word.len() > 3 && word.ends_with("ed")))
    }

    /// The tokens in `start..end` that name the thing, and whether they are a name.
    fn name(&self, start: usize, end: usize, determiners: u32) -> (Range<usize>, bool) {
        let all_named = |range: &Range<usize>| {
            range.clone().all(|at| {
                let small = roles_at(self.tokens, at)
                    & (role::PARTICLE | role::PREPOSITION | role::DEFINITE);
                self.is_name(at) || self.tokens[at].is_number() || small != 0
            }) && self.is_name(range.start)
        };
        let mut parts: Vec<Range<usize>> = Vec::new();
        for at in start..end {
            match parts.last_mut() {
                Some(part) if self.is_glued(at) => part.end = at + 1,
                _ => parts.push(at..at + 1),
            }
        }
        let is_marked = |part: &&Range<usize>| self.tokens[part.start].kind == Kind::Marked;
        let named = parts.iter().find(is_marked).or(parts.iter().find(|part| all_named(part)));
        let named = named.filter(|_| parts.len() > 1);
        let Some(part) = named.or(parts.last()) else { return (start..end, false) };
        let mut part = part.clone();
        let is_sort = |at: usize| !self.is_name(at) && is_sort(word(self.tokens, at));
        let sorts = part.clone().rev().take_while(|at| is_sort(*at)).count();
        let short = part.start..part.end - sorts;
        if determiners & role::INDEFINITE == 0
            && sorts > 0
            && !short.is_empty()
            && all_named(&short)
        {
            part = short;
        }
        if let Some(from) = part.clone().find(|at| self.is_name(*at))
            && from > part.start
            && is_sort(from - 1)
            && all_named(&(from..part.end))
        {
            part.start = from;
        }
        part.start = part.start.max(part.end.saturating_sub(PHRASE_WORDS_MAX));
        let is_named = all_named(&part);
        (part, is_named)
    }

    /// Whether only white space stands between a token and the one before it.
    fn is_glued(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).and_then(|before| self.tokens.get(before)) else {
            return false;
        };
        let here = self.tokens.get(at);
        here.is_some_and(|here| {
            before.end() <= here.at && self.text[before.end()..here.at].trim().is_empty()
        })
    }

    /// The names in a phrase, even if no fact is about them: not the first word of a sentence only
    /// because that is written large.
    pub(super) fn sure_names(&self, phrase: &Phrase) -> Vec<String> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for at in phrase.all.clone().filter(|at| self.is_name(*at)) {
            match runs.last_mut() {
                Some(run) if run.end > at => {}
                _ if phrase.is_named && phrase.name.contains(&at) => runs.push(phrase.name.clone()),
                Some(run) if run.end == at && self.is_glued(at) => run.end = at + 1,
                _ => runs.push(at..at + 1),
            }
        }
        let sure = runs.into_iter().filter(|run| self.is_sure(run));
        sure.filter_map(|run| self.written(run)).collect()
    }

    fn is_sure(&self, name: &Range<usize>) -> bool {
        let last = &self.tokens[name.end - 1];
        let is_plain = last.kind == Kind::Word && !is_identifier(last.text);
        let is_first = *name == (self.first..self.first + 1);
        let is_unsure = is_first && is_plain && !self.seen.large.contains(&last.word);
        !is_unsure && !last.word.ends_with("'s")
    }

    /// Some tokens as they are written, in one line; none if more than white space is between them.
    pub(super) fn written(&self, range: Range<usize>) -> Option<String> {
        let tokens = self.tokens.get(range.clone())?;
        let (first, last) = (tokens.first()?, tokens.last()?);
        let is_whole = range.skip(1).all(|at| self.is_glued(at));
        let written = self.text.get(first.at..last.end()).filter(|_| is_whole)?;
        Some(written.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Whether a token is a name, or belongs to one.
    pub(super) fn is_name(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        match token.kind {
            Kind::Marked => return true,
            Kind::Word => {}
            _ => return false,
        }
        let text = token.text;
        if token.is_number() {
            return at > self.first && self.is_glued(at) && self.is_name(at - 1);
        }
        let roles = listed(&token.word);
        let hedges = roles & role::HEDGE != 0 && (at == self.first || text == token.word);
        if hedges || roles & (role::OUTSIDE | role::BEFORE | role::TIME) != 0 {
            return matches!(text, "VS" | "US" | "IT");
        }
        if is_identifier(text) {
            return true;
        }
        if !text.starts_with(char::is_uppercase) || at != self.first {
            return text.starts_with(char::is_uppercase);
        }
        !is_like_adverb(&token.word)
            && roles & role::OTHER_VERB == 0
            && !self.seen.is_noun(&token.word)
    }
}

/// Whether a word only says what the name beside it is.
fn is_sort(word: &str) -> bool {
    let singular = if is_plural(word) { &word[..word.len() - 1] } else { word };
    listed(word) & role::SORT != 0 || listed(singular) & role::SORT != 0
}

/// Whether the last phrase of `items` is one of several.
fn is_in_list(items: &[Item]) -> bool {
    matches!(items, [.., Item::Phrase(_), Item::And, Item::Phrase(_)])
        || matches!(items, [.., Item::Phrase(_), Item::Comma, Item::And, Item::Phrase(_)])
}

/// Whether a phrase behind `items` is one of several.
fn ends_list(items: &[Item]) -> bool {
    matches!(
        items,
        [.., Item::Phrase(_), Item::And] | [.., Item::Phrase(_), Item::Comma, Item::And]
    )
}

/// Whether a word can only be a name: `macOS`, `HTTP/2`, `serde_json`, `main.rs`, `std::fs`.
fn is_identifier(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next();
    let is_mixed = letters.any(char::is_uppercase);
    let has_digit =
        text.starts_with(char::is_uppercase) && text.contains(|c: char| c.is_ascii_digit());
    let is_file = text.split('.').count() > 1
        && text.split('.').all(|part| part.chars().any(char::is_alphabetic))
        && !text.ends_with('.');
    is_mixed || has_digit || is_file || text.contains('_') || text.contains("::")
}
