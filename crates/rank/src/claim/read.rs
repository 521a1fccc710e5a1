//! A clause into claims: what it is about, what it says of it, and whether it denies it.
//!
//! A clause becomes one *statement*: all its words that carry meaning, its values, and a sign. Two
//! statements of the same words contradict each other by sign or by value. Where the clause names the
//! one value of an attribute (`the default branch is main`) it becomes an *attribution* too: the words
//! of the attribute, and the name.

use rust_stemmers::{Algorithm, Stemmer};

use super::attribute::{Split, place};
use super::clause::{Clause, condition_end, entry, word};
use super::key::{Word, key, mix, text_hash};
use super::lexicon::{Entry, Exclusion, look_up, role};
use super::parts::{Parts, is_need_not};
use super::scan::Token;
use super::value::{Bound, Kind, Value};
use super::{Claim, calendar, quantity};

/// Reads clauses of one text.
pub(super) struct Reader<'a> {
    text: &'a str,
    stemmer: Stemmer,
}

/// What was gathered from a clause.
#[derive(Default)]
struct Found {
    words: Vec<Word>,
    values: Vec<Value>,
    denied: bool,
    hedged: bool,
}

impl<'a> Reader<'a> {
    /// A reader of `text`.
    pub(super) fn of(text: &'a str) -> Reader<'a> {
        Reader { text, stemmer: Stemmer::create(Algorithm::English) }
    }

    /// Adds what `clause` claims.
    pub(super) fn read(&self, clause: &Clause<'_>, claims: &mut Vec<Claim>) {
        let tokens = &clause.tokens;
        let parts = Parts::of(tokens);
        let mut found = self.gather(tokens, &parts);
        if found.hedged || found.words.is_empty() {
            return;
        }
        found.denied ^= clause.turned;
        if !found.denied {
            claims.extend(self.attribution(tokens, &parts, &found));
        }
        claims.push(self.statement(tokens, &parts, found));
    }

    fn gather(&self, tokens: &[Token<'_>], parts: &Parts) -> Found {
        let mut found = Found::default();
        let fronted = condition_end(tokens);
        let mut condition = fronted > 0;
        let mut at = 0;
        while at < tokens.len() {
            let this = entry(tokens, at);
            if condition && at >= fronted.max(1) && at <= fronted {
                condition = false;
            }
            condition |=
                at > 0 && this.is(role::WHEN | role::RELATIVE) && begins_condition(tokens, at);
            if parts.gone.contains(&at) {
                at += 1;
            } else if condition {
                self.push(tokens, at, this, 1, &mut found);
                at += 1;
            } else {
                at += self.take(tokens, at, parts, &mut found);
            }
        }
        let light =
            |word: &Word| Some(word.at) == parts.main && entry(tokens, word.at).is(role::LIGHT);
        if !found.values.is_empty() {
            found.words.retain(|word| !light(word));
        }
        found
    }

    /// Reads what stands at `at`, and says how many tokens that was.
    fn take(&self, tokens: &[Token<'_>], at: usize, parts: &Parts, found: &mut Found) -> usize {
        if let Some(taken) = self.take_value(tokens, at, parts, found) {
            return taken;
        }
        let this = entry(tokens, at);
        if this.is(role::HEDGE) || (word(tokens, at) == "may" && at == parts.verb) {
            found.hedged = true;
        }
        if this.is(role::NOT) && !(word(tokens, at) == "no" && is_answer(tokens, at)) {
            return take_not(tokens, at, found);
        }
        if self.take_member(tokens, at, this, parts, found) {
            return 1;
        }
        if this.is(role::NOT_VERB) && (Some(at) == parts.main || at == parts.verb) {
            found.denied ^= true;
            let instead = match word(tokens, at) {
                "avoid" | "avoids" => "use",
                "lack" | "lacks" => "have",
                _ => return 1,
            };
            found.words.push(Word { hash: self.hash(instead, 0), general: 0, at });
            return 1;
        }
        self.push(tokens, at, this, 0, found);
        1
    }

    /// A quantity or a time at `at`; none if there is none, or if it is part of a name.
    fn take_value(
        &self,
        tokens: &[Token<'_>],
        at: usize,
        parts: &Parts,
        found: &mut Found,
    ) -> Option<usize> {
        if let Some((mut value, taken)) = calendar::read(tokens, at) {
            let before = at.checked_sub(1).map_or("", |before| word(tokens, before));
            value.bound = match before {
                "until" | "till" | "before" if value.kind == Kind::Day => Bound::Until,
                "since" | "after" | "from" | "starting" if value.kind == Kind::Day => Bound::Since,
                _ => Bound::None,
            };
            value.text = self.between(tokens, at, at + taken);
            found.values.push(value);
            return Some(taken);
        }
        let mut read = quantity::read(tokens, at).or_else(|| interval(tokens, at))?;
        if word(tokens, at) == "one" && !is_count(tokens, at + 1) {
            return None;
        }
        let mut end = at + read.tokens;
        if !is_count(tokens, end) {
            read_version(tokens, at, parts, &mut read.value);
            if read.bare && is_part_of_name(tokens, at, parts) {
                return None;
            }
        }
        let many = parts.main.is_some_and(|main| entry(tokens, main).is(role::MANY));
        if read.value.kind == Kind::Version && many {
            return None;
        }
        if read.value.kind == Kind::Number && is_count(tokens, end) {
            end += 1;
        }
        read.value.text = self.between(tokens, at, end);
        found.values.push(read.value);
        Some(read.tokens)
    }

    /// A word that excludes others. False if it does not do so here.
    fn take_member(
        &self,
        tokens: &[Token<'_>],
        at: usize,
        this: Entry,
        parts: &Parts,
        found: &mut Found,
    ) -> bool {
        let same = this.same.map(look_up);
        let Some(member) = this.member.or(same.and_then(|same| same.member)) else { return false };
        let main = parts.main.map(|main| entry(tokens, main)).unwrap_or_default();
        let prefers = main.is(role::PREFERS);
        let passive = parts.main.is_some_and(|main| main > parts.verb);
        if at < parts.verb && !(prefers && passive) {
            return false;
        }
        if this.is(role::VERB)
            && Some(at) != parts.main
            && member.exclusion == Exclusion::Opposite
            && at > 0
        {
            return false;
        }
        match (word(tokens, at), member.exclusion) {
            ("on" | "off" | "yes" | "no", _) if !is_answer(tokens, at) => return false,
            ("before" | "after", _) if is_value(tokens, at + 1) => return true,
            (_, Exclusion::Rival) if !prefers => return false,
            _ => {}
        }
        if member.exclusion == Exclusion::Opposite {
            found.denied ^= member.index == 1;
            let hash = mix(u64::from(member.group), 0x6f70_706f);
            found.words.push(Word { hash, general: 0, at });
        } else {
            let mut value = Value::among(Kind::Choice(member.group), 1 << member.index);
            value.text = self.between(tokens, at, at + 1);
            found.values.push(value);
        }
        true
    }

    /// A word that has nothing special about it.
    fn push(&self, tokens: &[Token<'_>], at: usize, this: Entry, salt: u64, found: &mut Found) {
        let token = &tokens[at];
        let small = this.is(role::SMALL) || (this.is(role::BE) && !this.is(role::VERB));
        if token.is_sign() && !token.word.is_empty() || (small && !(salt > 0 && this.is(role::NOT)))
        {
            return;
        }
        let may = matches!(token.word.as_str(), "permission" | "able" | "ability");
        if token.word.is_empty()
            || is_need_not(tokens, at)
            || (may && self::word(tokens, at + 1) == "to")
        {
            return;
        }
        let word = this.same.unwrap_or(&token.word);
        let general = this.same.map_or(this.general, |same| look_up(same).general);
        let may_lack = general > 0 && salt == 0 && !is_in_phrase(tokens, at);
        let general = if may_lack { 1 << (general - 1).min(63) } else { 0 };
        found.words.push(Word { hash: self.hash(word, salt), general, at });
    }

    fn hash(&self, word: &str, salt: u64) -> u64 {
        let plain = word.len() > 3 && word.bytes().all(|b| b.is_ascii_lowercase());
        if plain { text_hash(&self.stemmer.stem(word), salt) } else { text_hash(word, salt) }
    }

    /// The clause as a statement.
    fn statement(&self, tokens: &[Token<'_>], parts: &Parts, found: Found) -> Claim {
        let (key, general) = key(&found.words, 0x5747);
        let topic = self.between(tokens, condition_end(tokens), parts.verb);
        // A claim that is denied by its subject (`no tests run`) is shown whole.
        let denied_before = (0..parts.verb).any(|at| entry(tokens, at).is(role::NOT));
        let from = if denied_before { 0 } else { parts.verb };
        let text = self.between(tokens, from, tokens.len());
        Claim {
            key,
            general,
            denied: found.denied,
            tense: parts.tense,
            values: found.values,
            name: Vec::new(),
            topic,
            text,
        }
    }

    /// The clause as the one value of an attribute, if it is that.
    fn attribution(&self, tokens: &[Token<'_>], parts: &Parts, found: &Found) -> Option<Claim> {
        let split = Split::of(tokens, parts)?;
        let part = |range: &std::ops::Range<usize>| {
            let inside = |word: &&Word| range.contains(&word.at);
            found.words.iter().filter(inside).copied().collect::<Vec<Word>>()
        };
        let name = part(&split.name);
        let mut about: Vec<Word> = split.about.iter().flat_map(part).collect();
        about.extend(found.words.iter().filter(|word| Some(word.at) == split.verb));
        let place = split.verb.map(|verb| place(word(tokens, verb + 1)));
        about.extend(place.map(|hash| Word { hash, general: 0, at: 0 }));
        if name.is_empty() || about.is_empty() || name.len() > 4 {
            return None;
        }
        let (key, general) = key(&about, 0x4154);
        let mut name: Vec<u64> = name.iter().map(|word| word.hash).collect();
        name.sort_unstable();
        let topic = split.about.first().map(|range| self.between(tokens, range.start, range.end));
        Some(Claim {
            key,
            general,
            denied: false,
            tense: parts.tense,
            values: found.values.iter().filter(|value| value.kind.is_when()).cloned().collect(),
            name,
            topic: topic.unwrap_or_default(),
            text: self.between(tokens, split.name.start, split.name.end),
        })
    }

    /// The text from one token up to another, without articles in front.
    fn between(&self, tokens: &[Token<'_>], from: usize, to: usize) -> Box<str> {
        let Some(tokens) = tokens.get(from..to.min(tokens.len())) else { return "".into() };
        let skipped = tokens
            .iter()
            .take_while(|token| matches!(token.word.as_str(), "the" | "," | ":"))
            .count();
        let (Some(first), Some(last)) = (tokens.get(skipped), tokens.last()) else {
            return "".into();
        };
        self.text.get(first.at..last.end()).unwrap_or(last.text).trim().into()
    }
}

/// Whether the word stands in a phrase that narrows the claim: `for servers`.
fn is_in_phrase(tokens: &[Token<'_>], at: usize) -> bool {
    let narrows = |at: usize| {
        entry(tokens, at).is(role::PREPOSITION) && !matches!(word(tokens, at), "of" | "as")
    };
    (at.saturating_sub(3)..at).any(narrows)
}

/// `while`, `who`: from here on it is a condition, unless the word is part of something else.
fn begins_condition(tokens: &[Token<'_>], at: usize) -> bool {
    match word(tokens, at) {
        "until" | "during" | "once" | "except" => false,
        "that" => !entry(tokens, at - 1).is(role::BE | role::PREPOSITION | role::VERB),
        _ => true,
    }
}

/// `not only`, `no problem`: what negates nothing. Says how many tokens were read.
fn take_not(tokens: &[Token<'_>], at: usize, found: &mut Found) -> usize {
    let mut denies = true;
    let taken = match word(tokens, at + 1) {
        "only" | "just" | "merely" | "necessarily" | "simply" => {
            denies = false;
            2
        }
        "problem" | "problems" | "doubt" | "matter" | "wonder" | "idea" | "worries" | "issue"
        | "issues" => {
            denies = false;
            2
        }
        "always" | "all" | "every" | "everyone" => {
            found.hedged |= word(tokens, at + 1) == "always";
            1
        }
        _ => 1,
    };
    found.denied ^= denies;
    taken
}

/// `on`, `off`, `yes` and `no` as an answer: at the end, or before a preposition, behind a verb.
fn is_answer(tokens: &[Token<'_>], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    let next = entry(tokens, at + 1);
    let ends = at + 1 >= tokens.len()
        || next.is(role::PREPOSITION | role::WHEN)
        || word(tokens, at + 1) == ",";
    let turned = matches!(
        word(tokens, before),
        "turned" | "switched" | "kept" | "set" | "to" | "always" | "not" | "now" | "currently"
    );
    ends && (turned || entry(tokens, before).is(role::BE))
}

/// Whether a word that can be counted stands at `at`.
fn is_count(tokens: &[Token<'_>], at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    !token.is_sign()
        && !token.is_name()
        && !look_up(&token.word).is(role::SMALL
            | role::BE
            | role::HELPS
            | role::PREPOSITION
            | role::NOT
            | role::WHEN)
}

/// A number behind a name is its version.
fn read_version(tokens: &[Token<'_>], at: usize, parts: &Parts, value: &mut Value) {
    let Some(before) = at.checked_sub(1) else { return };
    let named = tokens[before].is_name() && (before > 0 || at < parts.verb)
        || matches!(word(tokens, before), "version" | "node" | "python" | "release");
    if let Some((low, high)) = value.version.filter(|_| named) {
        *value = Value::between(Kind::Version, low, high);
    }
}

/// Whether the number at `at` is the name of the noun before it.
fn is_part_of_name(tokens: &[Token<'_>], at: usize, parts: &Parts) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    let noun = entry(tokens, before);
    let is_word = !tokens[before].is_sign()
        && !noun.is(role::SMALL | role::BE | role::HELPS | role::PREPOSITION);
    let wanted = |token: &Token<'_>| {
        matches!(
            token.word.as_str(),
            "required" | "needed" | "used" | "recommended" | "installed" | "require" | "need"
        )
    };
    noun.is(role::NUMBERED) && tokens[before].word != "node"
        || (at < parts.verb && is_word && !tokens.iter().any(wanted))
}

/// Whether a value begins at `at`.
fn is_value(tokens: &[Token<'_>], at: usize) -> bool {
    calendar::read(tokens, at).is_some() || quantity::read(tokens, at).is_some()
}

/// Words that a length of time follows: `for a week`.
fn takes_time(word: &str) -> bool {
    matches!(word, "for" | "within" | "after" | "in" | "take" | "takes" | "last" | "lasts" | "is")
}

/// `every day`, `daily`, `twice a week`: how often, as the time in between.
fn interval(tokens: &[Token<'_>], at: usize) -> Option<quantity::Read> {
    let unit = |at: usize| match quantity::unit_of(word(tokens, at)) {
        Some((Kind::Time, seconds)) => Some(seconds),
        _ => None,
    };
    let (seconds, taken) = match word(tokens, at) {
        "every" | "each" => (unit(at + 1)?, 2),
        "a" | "an" if at > 0 && takes_time(word(tokens, at - 1)) => (unit(at + 1)?, 2),
        "once" if matches!(word(tokens, at + 1), "a" | "an" | "per" | "every") => {
            (unit(at + 2)?, 3)
        }
        "twice" if matches!(word(tokens, at + 1), "a" | "an" | "per" | "every") => {
            (unit(at + 2)? / 2.0, 3)
        }
        "hourly" => (3600.0, 1),
        "daily" | "nightly" => (86_400.0, 1),
        "weekly" => (7.0 * 86_400.0, 1),
        "monthly" => (365.25 / 12.0 * 86_400.0, 1),
        "yearly" | "annually" => (365.25 * 86_400.0, 1),
        _ => return None,
    };
    Some(quantity::Read { value: Value::exactly(Kind::Time, seconds), tokens: taken, bare: false })
}
