//! The phrases of a sentence into facts: who does what to whom.
//!
//! A fact is only read where its subject and its object are plain to see. What is denied, asked,
//! wished, planned or only heard gives none; a fact can be missed, but is not made up.

use std::ops::Range;

use super::phrases::{Item, Phrase, Phrases, Stands};
use super::tokens::{Kind, Token};
use super::verbs::{Verb, is_gerund, roles_at, verb_at};
use super::words::{is_adjective, is_doing, role, roles};

/// The relation of a thing to what it is.
pub(super) const IS_A: &str = "is a";

/// No more facts of a sentence than this are read.
const SENTENCE_FACTS_MAX: usize = 40;

/// Something that a fact is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Thing {
    pub(super) name: String,
    pub(super) is_named: bool,
    pub(super) is_plural: bool,
    /// Whether it is so general that a fact about it must be about a name as well.
    pub(super) is_weak: bool,
}

/// A fact as a sentence states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) from: String,
    pub(super) relation: String,
    pub(super) to: String,
}

/// What the sentences before it were about.
#[derive(Debug, Clone, Default)]
pub(super) struct Context {
    /// The subject of the last sentence.
    pub(super) subject: Vec<Thing>,
    /// The last word of what that subject is said to be.
    pub(super) sort: Option<String>,
}

/// The facts of a sentence, and the context for the next one.
pub(super) fn facts(
    phrases: &Phrases<'_>,
    items: &[Item],
    context: &Context,
) -> (Vec<Fact>, Context) {
    let mut reader = Reader {
        phrases,
        items,
        context,
        facts: Vec::new(),
        first: None,
        subject: Vec::new(),
        last: None,
        has_verb: false,
        has_phrase: false,
    };
    reader.read();
    let subject = reader.first.unwrap_or_default();
    let mut sorts = reader.facts.iter().filter(|fact| {
        fact.relation == IS_A && subject.first().is_some_and(|subject| subject.name == fact.from)
    });
    let sort = sorts.next().and_then(|fact| fact.to.split(' ').next_back()).map(str::to_lowercase);
    let same = subject == context.subject;
    let sort = sort.or_else(|| context.sort.clone().filter(|_| same));
    (reader.facts, Context { subject, sort })
}

/// Whether a sentence states nothing: a question, a condition, an opinion, hearsay, and what is
/// about doing something (`Adding X needs Y`).
pub(super) fn is_hedged(phrases: &Phrases<'_>) -> bool {
    let tokens = phrases.tokens.iter();
    let mut words = tokens.clone().filter(|token| token.kind == Kind::Word);
    if words.next().is_some_and(|first| is_doing(&first.word))
        && words.next().is_some_and(|next| roles(&next.word) & role::BE == 0)
        && verb_at(phrases.tokens, 1, true, false).is_none()
    {
        return true;
    }
    let hedges = |(at, token): (usize, &Token<'_>)| {
        let is_noun = at > 0
            && (roles_at(phrases.tokens, at - 1) & role::BEFORE != 0 || token.text != token.word);
        token.kind == Kind::Word && roles(&token.word) & role::HEDGE != 0 && !is_noun
    };
    tokens.clone().any(|token| token.kind == Kind::Mark('?')) || tokens.enumerate().any(hedges)
}

struct Reader<'a> {
    phrases: &'a Phrases<'a>,
    items: &'a [Item],
    context: &'a Context,
    facts: Vec<Fact>,
    /// The first subject of the sentence.
    first: Option<Vec<Thing>>,
    /// The subject of the clause; empty if nobody knows it.
    subject: Vec<Thing>,
    /// What a relative clause would be about.
    last: Option<Thing>,
    has_verb: bool,
    /// Whether a phrase was read that may have been a subject.
    has_phrase: bool,
}

impl Reader<'_> {
    fn item(&self, at: usize) -> Option<&Item> {
        self.items.get(at)
    }

    fn phrase(&self, at: usize) -> Option<&Phrase> {
        match self.item(at) {
            Some(Item::Phrase(phrase)) => Some(phrase),
            _ => None,
        }
    }

    fn is_verb(&self, at: usize) -> bool {
        matches!(self.item(at), Some(Item::Verb(_)))
    }

    fn preposition(&self, at: usize) -> Option<&str> {
        match self.item(at) {
            Some(Item::Preposition(word)) => Some(word),
            _ => None,
        }
    }

    fn read(&mut self) {
        let mut at = 0;
        while at < self.items.len() {
            at = match &self.items[at] {
                Item::Phrase(_) => self.read_subject(at),
                Item::Verb(verb) => {
                    let subject = self.subject_of(verb, at);
                    self.has_verb |= !verb.is_reduced;
                    self.read_verb(at, &subject)
                }
                Item::Relative if self.is_verb(at + 1) => {
                    let subject: Vec<Thing> = self.last.clone().into_iter().collect();
                    self.read_verb(at + 1, &subject)
                }
                Item::Preposition(_) | Item::Not => {
                    self.last = None;
                    at + 1 + usize::from(self.phrase(at + 1).is_some())
                }
                Item::When => {
                    let behind = self.items[at..].iter();
                    let length = behind.take_while(|item| **item != Item::Comma).count();
                    at + length
                }
                Item::Other | Item::Dash => {
                    self.last = None;
                    at + 1
                }
                _ => at + 1,
            };
        }
    }

    /// Who the verb at `at` is about; empty if nobody knows.
    fn subject_of(&self, verb: &Verb, at: usize) -> Vec<Thing> {
        let before = at.checked_sub(1).and_then(|before| self.item(before));
        match before {
            Some(Item::Comma) if self.has_verb && (verb.is_reduced || verb.is_past) => Vec::new(),
            Some(Item::And) => self.subject.clone(),
            _ if verb.is_reduced => self.last.clone().into_iter().collect(),
            Some(Item::Phrase(_) | Item::Verb(_) | Item::Other) if self.has_verb => Vec::new(),
            Some(Item::Preposition(_)) => Vec::new(),
            _ => self.subject.clone(),
        }
    }

    /// Reads phrases that are the subject if a verb follows; returns where to go on.
    fn read_subject(&mut self, at: usize) -> usize {
        let (list, mut next, is_choice) = self.list(at, false);
        let mut things: Vec<Thing> = Vec::new();
        let is_pronoun =
            |at: &usize| self.phrase(*at).is_some_and(|phrase| phrase.stands == Stands::Pronoun);
        let is_unclear = is_choice || list.len() > 1 && list.iter().any(is_pronoun);
        if !is_unclear {
            let found: Option<Vec<Thing>> = list
                .iter()
                .map(|at| self.phrase(*at).and_then(|phrase| self.subject(phrase)))
                .collect();
            things = found.unwrap_or_default();
        }
        self.has_phrase = true;
        let is_whole = self.preposition(next) != Some("of");
        let list_end = next;
        next = self.behind_prepositions(next);
        if !is_whole {
            things = self.whole(at, next).into_iter().collect();
        }
        let single = things.first().filter(|thing| thing.is_named && things.len() == 1).cloned();
        let mut is_apposed = false;
        if let Some(thing) = &single
            && let Some(end) = self.apposition(thing, next, true)
        {
            (next, is_apposed) = (end, true);
        } else if let Some(thing) = &single
            && at == 0
            && self.item(next) == Some(&Item::Dash)
            && self.phrase(next + 1).is_some_and(|phrase| phrase.before & role::INDEFINITE != 0)
        {
            self.is_a(thing, self.behind_adjectives(next + 1));
        }
        let is_subject = match (self.item(next), self.item(next + 1)) {
            (Some(Item::Comma), Some(Item::Verb(verb))) => is_apposed || verb.is_reduced,
            (Some(Item::Comma), Some(Item::Relative)) => true,
            (behind, _) => matches!(behind, Some(Item::Verb(_) | Item::Relative)),
        };
        if is_subject {
            let is_near = list_end == next || is_apposed;
            self.last = things.last().filter(|_| things.len() == 1 && is_near).cloned();
            self.first.get_or_insert_with(|| things.clone());
            self.subject = things;
            self.has_verb = false;
        }
        next
    }

    /// Where it goes on behind phrases like `in the house` at `at`.
    fn behind_prepositions(&self, at: usize) -> usize {
        let mut next = at;
        while self.preposition(next).is_some() && self.phrase(next + 1).is_some() {
            next += 2;
        }
        next
    }

    /// `version 2 of the parser` as one thing.
    fn whole(&self, at: usize, next: usize) -> Option<Thing> {
        let (first, last) = (self.phrase(at)?, self.phrase(at + 2)?);
        let range = first.name.start..last.name.end;
        let is_short = range.len() <= super::phrases::PHRASE_WORDS_MAX && at + 3 == next;
        let usable = first.before & (role::QUANTITY | role::INDEFINITE) == 0
            && (first.is_named || last.is_named);
        (is_short && usable && first.stands == Stands::Itself && last.stands == Stands::Itself)
            .then(|| self.slice(range, false, first.is_plural))?
    }

    fn slice(&self, range: Range<usize>, is_named: bool, is_plural: bool) -> Option<Thing> {
        let name = self.phrases.written(range)?;
        Some(Thing { name, is_named, is_plural, is_weak: false })
    }

    fn thing(&self, phrase: &Phrase) -> Option<Thing> {
        let thing = self.slice(phrase.name.clone(), phrase.is_named, phrase.is_plural)?;
        (!thing.name.ends_with("'s") && !thing.name.ends_with("’s")).then_some(thing)
    }

    /// What a phrase stands for as a subject; none if that is not plain.
    fn subject(&self, phrase: &Phrase) -> Option<Thing> {
        let first = &self.phrases.tokens.get(phrase.all.start)?.word;
        match phrase.stands {
            Stands::Nobody => return None,
            Stands::Pronoun => return self.stands_for(first),
            Stands::Itself => {}
        }
        let thing = self.thing(phrase)?;
        let points = matches!(first.as_str(), "this" | "these" | "that" | "those")
            || !phrase.is_named
                && matches!(first.as_str(), "its" | "his" | "her" | "their" | "your");
        let known = self.context.sort.as_deref().filter(|_| !phrase.is_named);
        if phrase.before & role::DEFINITE != 0
            && known.is_some_and(|sort| thing.name.to_lowercase() == sort)
        {
            return self.context.subject.first().cloned();
        }
        let is_vague = phrase.before & (role::QUANTITY | role::INDEFINITE) != 0 && first != "both";
        let is_weak = !phrase.is_named && phrase.before == 0;
        (!points && !is_vague).then_some(Thing { is_weak, ..thing })
    }

    /// What a pronoun stands for, where that is safe.
    fn stands_for(&self, pronoun: &str) -> Option<Thing> {
        let subject = match &self.first {
            None if self.has_phrase => return None,
            None => self.context.subject.as_slice(),
            Some(_) if self.last.as_ref().is_none_or(|last| last.is_plural) => &self.subject,
            Some(_) => return None,
        };
        let [only] = subject else { return None };
        let is_person = only.is_named
            && only.name.split(' ').all(|word| {
                word.starts_with(char::is_uppercase)
                    && !word.chars().skip(1).any(char::is_uppercase)
            });
        match pronoun {
            "he" | "she" => is_person.then(|| only.clone()),
            "they" => Some(Thing { is_plural: true, ..only.clone() }),
            _ => Some(only.clone()),
        }
    }

    /// The phrases from `at` on that are joined by commas and `and`, where the list ends, and
    /// whether it is a choice. Behind a verb, a phrase with a verb of its own is none of them.
    fn list(&self, at: usize, is_object: bool) -> (Vec<usize>, usize, bool) {
        let (mut list, mut next, mut is_choice, mut is_joined) = (vec![at], at + 1, false, false);
        loop {
            let (phrase, joint) = match (self.item(next), self.item(next + 1)) {
                (Some(Item::Comma), Some(joint @ (Item::And | Item::Or))) => (next + 2, joint),
                (Some(joint @ (Item::And | Item::Or | Item::Comma)), _) => (next + 1, joint),
                _ => break,
            };
            if self.phrase(phrase).is_none() || is_joined && *joint == Item::Comma {
                break;
            }
            let opens_clause = match self.item(self.behind_prepositions(phrase + 1)) {
                Some(Item::Verb(verb)) => !verb.is_reduced,
                _ => false,
            };
            // Two things are rarely parted by `, and`; two clauses are.
            let is_parted = list.len() == 1 && phrase == next + 2;
            if is_object && (opens_clause || is_parted) {
                break;
            }
            is_choice |= *joint == Item::Or;
            is_joined |= *joint != Item::Comma;
            list.push(phrase);
            next = phrase + 1;
        }
        if !is_joined {
            return (vec![at], at + 1, false);
        }
        (list, next, is_choice)
    }

    /// Reads the verb at `at` and its objects; returns where to go on.
    fn read_verb(&mut self, at: usize, subject: &[Thing]) -> usize {
        let Some(Item::Verb(verb)) = self.items.get(at) else { return at + 1 };
        let agrees = !verb.is_plain
            || subject.len() > 1
            || subject.first().is_some_and(|subject| subject.is_plural);
        let subject = if verb.is_fact && agrees { subject } else { &[] };
        if verb.is_be {
            return self.read_sort(at + 1, subject);
        }
        self.last = None;
        if self.phrase(at + 1).is_none() || (verb.relation.is_none() && verb.parted.is_empty()) {
            return at + 1;
        }
        let (mut list, mut next, mut is_choice) = self.list(at + 1, true);
        let parted = verb.parted.iter().find(|(word, _)| self.preposition(next) == Some(word));
        let mut relation = verb.relation;
        if let Some((_, parted)) = parted.filter(|_| self.phrase(next + 1).is_some()) {
            relation = Some(parted);
            (list, next, is_choice) = self.list(next + 1, true);
        }
        let objects: Vec<Thing> = list.iter().filter_map(|at| self.object(*at)).collect();
        self.last = objects.last().cloned().filter(|_| list.len() == 1 && verb.is_fact);
        let Some(relation) = relation.filter(|_| !is_choice) else { return next };
        for (from, to) in subject.iter().flat_map(|from| objects.iter().map(move |to| (from, to))) {
            let (from, to) = if verb.is_turned { (to, from) } else { (from, to) };
            self.state(from, relation.to_owned(), to);
        }
        let last = self.last.clone().filter(|last| last.is_named && !subject.is_empty());
        last.and_then(|last| self.apposition(&last, next, false)).unwrap_or(next)
    }

    /// What a phrase stands for as an object.
    fn object(&self, at: usize) -> Option<Thing> {
        let phrase = self.phrase(at).filter(|phrase| phrase.stands == Stands::Itself)?;
        let mut before = self.phrases.tokens[phrase.all.start..phrase.name.start].iter();
        let vague = ["no", "any", "neither", "either", "this", "these", "that", "those"];
        if before.any(|token| vague.contains(&token.word.as_str())) {
            return None;
        }
        let thing = self.thing(phrase)?;
        let last = roles(&self.phrases.tokens[phrase.name.end - 1].word);
        if last & role::KIND_OF != 0 && self.preposition(at + 1) == Some("of") {
            return self.object(at + 2);
        }
        let word = &self.phrases.tokens[phrase.name.start].word;
        let is_unfinished = is_gerund(word)
            || word.contains('-') && self.item(at + 1) == Some(&Item::Comma) && !thing.is_plural;
        let is_empty = phrase.name.len() == 1 && (last & role::EMPTY != 0 || is_unfinished);
        (thing.is_named || !(is_empty || self.is_adjective(at))).then_some(thing)
    }

    fn state(&mut self, from: &Thing, relation: String, to: &Thing) {
        let fact = Fact { from: from.name.clone(), relation, to: to.name.clone() };
        let is_of_itself = fact.from.to_lowercase() == fact.to.to_lowercase();
        let is_general = from.is_weak && !to.is_named || to.is_weak && !from.is_named;
        let has_room = self.facts.len() < SENTENCE_FACTS_MAX;
        if has_room && !is_of_itself && !is_general && !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
    }

    /// Reads what something is said to be; returns where to go on.
    fn read_sort(&mut self, at: usize, subject: &[Thing]) -> usize {
        self.last = subject.first().filter(|_| subject.len() == 1).cloned();
        let Some(mut before) = self.phrase(at).map(|phrase| phrase.before) else { return at };
        let at = self.behind_adjectives(at);
        before |= self.phrase(at).map_or(0, |phrase| phrase.before);
        let is_office = |phrase: &Phrase| {
            let last = &self.phrases.tokens[phrase.name.end - 1].word;
            roles(last) & role::OFFICE != 0
        };
        let is_sort = before & (role::DEFINITE | role::INDEFINITE) != 0
            || self.phrase(at).is_some_and(is_office);
        let (list, next, is_choice) = self.list(at, true);
        if !is_sort || is_choice || before & role::QUANTITY != 0 {
            return next;
        }
        for (thing, sort) in
            subject.iter().flat_map(|thing| list.iter().map(move |sort| (thing, sort)))
        {
            self.is_a(thing, *sort);
        }
        next
    }

    fn is_adjective(&self, at: usize) -> bool {
        self.phrase(at).is_some_and(|phrase| {
            phrase.name.len() == 1 && is_adjective(&self.phrases.tokens[phrase.name.start].word)
        })
    }

    /// The phrase that the adjectives from `at` on belong to: `a fast, event-driven platform`.
    fn behind_adjectives(&self, at: usize) -> usize {
        let is_joined = |at: usize| {
            self.phrase(at).is_some_and(|phrase| {
                let token = &self.phrases.tokens[phrase.name.start];
                phrase.name.len() == 1 && token.text == token.word && token.text.contains('-')
            })
        };
        let mut at = at;
        while (self.is_adjective(at) || is_joined(at))
            && matches!(self.item(at + 1), Some(Item::Comma | Item::And))
            && self
                .phrase(at + 2)
                .is_some_and(|next| !self.phrases.tokens[next.name.start].word.ends_with("ing"))
        {
            at += 2;
        }
        at
    }

    /// States that `thing` is what the phrase at `at` says, and of what.
    fn is_a(&mut self, thing: &Thing, at: usize) {
        let Some(phrase) = self.phrase(at) else { return };
        let words = &self.phrases.tokens[phrase.name.clone()];
        let has = |wanted: u32| words.iter().any(|token| roles(&token.word) & wanted != 0);
        let Some(last) = words.last() else { return };
        let of = self.preposition(at + 1).filter(|word| matches!(*word, "of" | "at"));
        if roles(&last.word) & role::KIND_OF != 0 && of == Some("of") && !has(role::OPINION) {
            self.is_a(thing, at + 2);
            return;
        }
        let is_best = words.iter().any(|token| token.word.len() > 4 && token.word.ends_with("est"));
        let is_empty = roles(&last.word) & role::EMPTY != 0 || self.is_adjective(at);
        if has(role::OPINION) || is_best || is_empty || phrase.stands != Stands::Itself {
            return;
        }
        let Some(sort) = self.thing(phrase) else { return };
        let body = self.phrase(at + 2).filter(|body| body.is_named && words.len() <= 3);
        let body = body.and_then(|body| self.thing(body)).zip(of.map(str::to_owned));
        self.state(thing, IS_A.to_owned(), &sort);
        if let Some((body, of)) = body {
            self.state(thing, format!("is {} {of}", sort.name.to_lowercase()), &body);
        }
    }

    /// Reads `, a tool for X,` behind `thing`; returns where it ends, if it is one.
    fn apposition(&mut self, thing: &Thing, at: usize, is_subject: bool) -> Option<usize> {
        let phrase = self.phrase(at + 1).filter(|_| self.item(at) == Some(&Item::Comma))?;
        let has_article = phrase.before & (role::DEFINITE | role::INDEFINITE) != 0;
        let last = &self.phrases.tokens[phrase.name.end.checked_sub(1)?].word;
        if !has_article || (phrase.is_named && roles(last) & role::OFFICE == 0) {
            return None;
        }
        let next = self.behind_prepositions(at + 2);
        let is_over = match (self.item(next), self.item(next + 1), self.item(next + 2)) {
            (None, ..) => !is_subject,
            (Some(Item::Comma), Some(Item::Verb(_) | Item::Relative), _) => true,
            (Some(Item::Comma), Some(Item::And | Item::Joins), Some(Item::Verb(_))) => !is_subject,
            _ => false,
        };
        if !is_over {
            return None;
        }
        self.is_a(thing, at + 1);
        Some(next)
    }
}
