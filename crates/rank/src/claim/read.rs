//! A clause into claims: what it is about, what it says of it, and whether it denies it.
//!
//! A clause becomes one *statement*: all its words that carry meaning, its values, and a sign. Two
//! statements of the same words contradict each other by sign or by value. Where the clause names the
//! one value of an attribute (`the default branch is main`) it becomes an *attribution* too: the words
//! of the attribute, and the name.

use rust_stemmers::{Algorithm, Stemmer};

use super::clause::{Clause, condition_end, entry, predicate, word};
use super::lexicon::{Entry, Exclusion, look_up, role};
use super::scan::Token;
use super::value::{Bound, Kind, Value};
use super::{Claim, Tense, calendar, quantity};

/// Reads clauses of one text.
pub(super) struct Reader<'a> {
    text: &'a str,
    stemmer: Stemmer,
}

/// A word of a clause that carries meaning.
#[derive(Clone, Copy)]
struct Word {
    hash: u64,
    /// Its bit, if it is a general word.
    general: u64,
    at: usize,
}

/// The parts of a clause.
struct Parts {
    /// Where the predicate begins.
    verb: usize,
    /// The verb that carries the meaning; none if something just is something.
    main: Option<usize>,
    /// Where the object begins.
    object: usize,
    /// Where what no longer holds stands (`from MySQL`).
    gone: std::ops::Range<usize>,
    tense: Tense,
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
            read_version(tokens, at, &mut read.value);
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
        if token.word.is_empty() || is_need_not(tokens, at) {
            return;
        }
        let word = this.same.unwrap_or(&token.word);
        let general = this.same.map_or(this.general, |same| look_up(same).general);
        let general = if general > 0 && salt == 0 { 1 << (general - 1).min(63) } else { 0 };
        found.words.push(Word { hash: self.hash(word, salt), general, at });
    }

    fn hash(&self, word: &str, salt: u64) -> u64 {
        let plain = word.len() > 3 && word.bytes().all(|b| b.is_ascii_lowercase());
        if plain { text_hash(&self.stemmer.stem(word), salt) } else { text_hash(word, salt) }
    }

    /// The clause as a statement.
    fn statement(&self, tokens: &[Token<'_>], parts: &Parts, found: Found) -> Claim {
        let (key, general) = key(&found.words, 0x5747);
        let mut topic = self.between(tokens, subject_start(tokens), parts.verb);
        if topic.is_empty() {
            topic = self.between(tokens, 0, tokens.len());
        }
        let text = self.between(tokens, parts.verb, tokens.len());
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

/// An attribute and its value.
struct Split {
    about: Vec<std::ops::Range<usize>>,
    verb: Option<usize>,
    name: std::ops::Range<usize>,
}

impl Split {
    fn of(tokens: &[Token<'_>], parts: &Parts) -> Option<Split> {
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
        let definite = signed || is_definite(tokens, &subject) || is_only(tokens, &subject);
        let named = is_attribute(tokens, &subject) || is_written_as_name(tokens, &object);
        let one = definite && named && !plural && is_name(tokens, &object);
        one.then(|| Split { about: vec![subject, rest], verb: None, name: object })
    }
}

fn passive(tokens: &[Token<'_>], parts: &Parts) -> bool {
    parts.main.is_some_and(|main| main > parts.verb && entry(tokens, main).is(role::VERB_PAST))
}

fn any_is(tokens: &[Token<'_>], range: &std::ops::Range<usize>, roles: u32) -> bool {
    range.clone().any(|at| entry(tokens, at).is(roles))
}

fn is_definite(tokens: &[Token<'_>], range: &std::ops::Range<usize>) -> bool {
    any_is(tokens, range, role::DEFINITE) || range.clone().any(|at| tokens[at].owns)
}

fn is_only(tokens: &[Token<'_>], range: &std::ops::Range<usize>) -> bool {
    any_is(tokens, range, role::ONLY_ONE)
}

/// Whether what is named there is one of a kind: its last word before a preposition, or an adjective.
fn is_attribute(tokens: &[Token<'_>], range: &std::ops::Range<usize>) -> bool {
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
fn is_name(tokens: &[Token<'_>], range: &std::ops::Range<usize>) -> bool {
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
fn is_written_as_name(tokens: &[Token<'_>], range: &std::ops::Range<usize>) -> bool {
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

impl Parts {
    fn of(tokens: &[Token<'_>]) -> Parts {
        let verb = predicate(tokens).unwrap_or(0);
        let found = predicate(tokens).is_some();
        let mut main = None;
        let mut object = verb;
        let mut was = false;
        while found && object < tokens.len() {
            let this = entry(tokens, object);
            let form = this.is(role::FORMS);
            was |= matches!(word(tokens, object), "was" | "were" | "did" | "had");
            let helps = is_need_not(tokens, object)
                || this.is(role::BE | role::HELPS) && !(form && is_last_verb(tokens, object));
            if form && !helps && !matches!(word(tokens, object), "called" | "named") {
                main = Some(object);
                object += 1;
                break;
            }
            if !(helps || this.is(role::NOT) || is_filler(tokens, object)) {
                break;
            }
            object += 1;
        }
        let past_word = (0..tokens.len())
            .any(|at| entry(tokens, at).is(role::PAST) && !entry(tokens, at).is(role::HELPS));
        let alone = main == Some(verb)
            && entry(tokens, verb).is(role::VERB_PAST)
            && !entry(tokens, verb).is(role::VERB);
        let future = (0..tokens.len()).any(|at| entry(tokens, at).is(role::FUTURE));
        let tense = match () {
            () if was || past_word || alone => Tense::Past,
            () if future => Tense::Future,
            () => Tense::Present,
        };
        Parts { verb, main, object, gone: 0..0, tense }.with_change(tokens)
    }

    /// What is changed to something is that from now on, and what is built as something is that.
    fn with_change(mut self, tokens: &[Token<'_>]) -> Parts {
        if let Some(main) =
            self.main.filter(|main| *main > self.verb && word(tokens, main + 1) == "as")
        {
            self.gone = main..main + 1;
            self.main = None;
            self.object = main + 2;
            return self;
        }
        let Some(main) = self.main.filter(|main| entry(tokens, *main).is(role::CHANGE)) else {
            return self;
        };
        let Some(to) = (main + 1..tokens.len()).find(|at| word(tokens, *at) == "to") else {
            return self;
        };
        let from = (main + 1..to).find(|at| word(tokens, *at) == "from").unwrap_or(to);
        if self.tense == Tense::Past {
            self.tense = Tense::Present;
        }
        self.gone = if from < to { from..to } else { main..main + 1 };
        if from == main + 1 {
            self.gone = main..to;
        }
        self.main = None;
        self.object = to + 1;
        if from > main + 1 {
            self.verb = from;
        }
        self
    }
}

/// `need` in `need not`, which only helps.
fn is_need_not(tokens: &[Token<'_>], at: usize) -> bool {
    word(tokens, at) == "need" && word(tokens, at + 1) == "not"
}

/// Whether no other verb follows that this one could be helping.
fn is_last_verb(tokens: &[Token<'_>], at: usize) -> bool {
    !(at + 1..tokens.len().min(at + 4)).any(|next| entry(tokens, next).is(role::FORMS | role::BE))
}

/// A word between the helping verb and what it helps.
fn is_filler(tokens: &[Token<'_>], at: usize) -> bool {
    let this = entry(tokens, at);
    this.is(role::SMALL)
        && !this.is(role::PREPOSITION | role::DEFINITE | role::PRONOUN)
        && !matches!(word(tokens, at), "a" | "an")
        || matches!(word(tokens, at), "called" | "named")
        || (word(tokens, at) == "to" && at > 0 && leads_to(word(tokens, at - 1)))
}

/// Words that `to` and another verb follow.
fn leads_to(word: &str) -> bool {
    matches!(
        word,
        "set" | "equal" | "decided" | "agreed" | "have" | "has" | "had" | "need" | "used"
    )
}

/// Where the subject begins: behind a condition.
fn subject_start(tokens: &[Token<'_>]) -> usize {
    condition_end(tokens)
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
fn read_version(tokens: &[Token<'_>], at: usize, value: &mut Value) {
    let Some(before) = at.checked_sub(1) else { return };
    let named = tokens[before].is_name() && before > 0
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

/// `every day`, `daily`, `twice a week`: how often, as the time in between.
fn interval(tokens: &[Token<'_>], at: usize) -> Option<quantity::Read> {
    let unit = |at: usize| match quantity::unit_of(word(tokens, at)) {
        Some((Kind::Time, seconds)) => Some(seconds),
        _ => None,
    };
    let (seconds, taken) = match word(tokens, at) {
        "every" | "each" => (unit(at + 1)?, 2),
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

/// One number for all the words, whatever their order; and the general words among them, apart.
fn key(words: &[Word], salt: u64) -> (u64, u64) {
    let mut hashes: Vec<u64> =
        words.iter().filter(|word| word.general == 0).map(|word| word.hash).collect();
    let mut general = words.iter().fold(0, |bits, word| bits | word.general);
    if hashes.is_empty() {
        hashes = words.iter().map(|word| word.hash).collect();
        general = 0;
    }
    hashes.sort_unstable();
    hashes.dedup();
    (hashes.iter().fold(salt, |all, one| mix(all, *one)), general)
}

/// A number for a word.
fn text_hash(word: &str, salt: u64) -> u64 {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    mix(word.bytes().fold(0xcbf2_9ce4_8422_2325, fold), salt)
}

/// Two numbers into one, in which every bit depends on all of theirs.
fn mix(a: u64, b: u64) -> u64 {
    let mut x = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b;
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
