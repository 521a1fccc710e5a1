//! What an agent might remember, and what it might ask later: sentences by number.
//!
//! A number decides the topic, the facts and the form of its sentence, so that a store can be filled
//! anew with the same texts. Words are drawn as in real texts: few are common (in up to a tenth of the
//! sentences), most are rare, and names, files, tickets and versions come up a few times each. A
//! question is about the facts of one sentence, partly in other words.
//!
//! Invariant: no two of the first million sentences are the same.

use super::words::{DAYS, MONTHS, PEOPLE, PLACES, SYLLABLES, SYNONYMS, TOPICS, Topic};

/// Numbers that look random and are the same everywhere (SplitMix64).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1F83_D9AB_FB41_BD6B)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// One of `0..sides`, each as likely.
    pub(super) fn below(&mut self, sides: usize) -> usize {
        (self.roll() % sides as u64) as usize
    }

    /// One of `0..sides` by Zipf's law: the first is twice as likely as the second, and so on.
    fn skewed(&mut self, sides: usize) -> usize {
        let part = (self.roll() >> 11) as f64 / (1_u64 << 53) as f64;
        let at = (part * (sides as f64 + 1.0).ln()).exp() - 1.0;
        (at as usize).min(sides - 1)
    }
}

/// A list of words, taken apart.
struct Words(Vec<String>);

impl Words {
    fn of(list: &str) -> Self {
        Self(list.split_whitespace().map(|word| word.replace('|', " ")).collect())
    }

    fn even(&self, dice: &mut Dice) -> &str {
        &self.0[dice.below(self.0.len())]
    }

    fn skewed(&self, dice: &mut Dice) -> &str {
        &self.0[dice.skewed(self.0.len())]
    }
}

/// The words of a topic.
struct Lists {
    things: Words,
    deeds: Words,
    kinds: Words,
    reasons: Words,
    tags: Words,
}

impl Lists {
    fn of(topic: &Topic) -> Self {
        Self {
            things: Words::of(topic.things),
            deeds: Words::of(topic.deeds),
            kinds: Words::of(topic.kinds),
            reasons: Words::of(topic.reasons),
            tags: Words::of(topic.tags),
        }
    }
}

/// What a sentence tells.
struct Facts<'a> {
    topic: usize,
    who: String,
    deed: &'a str,
    kind: &'a str,
    what: &'a str,
    other: &'a str,
    place: &'a str,
    when: String,
    reason: &'a str,
    name: String,
    detail: String,
}

/// The word lists, ready for drawing from them.
pub(super) struct Sentences {
    topics: Vec<Lists>,
    people: Words,
    places: Words,
    months: Words,
    days: Words,
    syllables: [Words; 3],
}

impl Sentences {
    pub(super) fn new() -> Self {
        Self {
            topics: TOPICS.iter().map(Lists::of).collect(),
            people: Words::of(PEOPLE),
            places: Words::of(PLACES),
            months: Words::of(MONTHS),
            days: Words::of(DAYS),
            syllables: SYLLABLES.map(Words::of),
        }
    }

    fn facts(&self, number: u64) -> Facts<'_> {
        let dice = &mut Dice::of(number);
        let topic = dice.skewed(self.topics.len());
        let lists = &self.topics[topic];
        Facts {
            topic,
            who: self.person(dice),
            deed: lists.deeds.skewed(dice),
            kind: lists.kinds.skewed(dice),
            what: lists.things.skewed(dice),
            other: lists.things.even(dice),
            place: self.places.skewed(dice),
            when: self.when(dice),
            reason: lists.reasons.skewed(dice),
            name: self.name(dice),
            detail: detail(lists, dice),
        }
    }

    /// A first name, and often a family name with it.
    fn person(&self, dice: &mut Dice) -> String {
        let first = self.people.skewed(dice);
        if dice.below(2) == 0 { first.to_owned() } else { format!("{first} {}", self.name(dice)) }
    }

    /// A name that few have.
    fn name(&self, dice: &mut Dice) -> String {
        let [start, middle, end] = &self.syllables;
        format!("{}{}{}", start.skewed(dice), middle.even(dice), end.skewed(dice))
    }

    fn when(&self, dice: &mut Dice) -> String {
        let (month, year) = (self.months.even(dice), 2026 - dice.skewed(12));
        match dice.below(5) {
            0 => format!("on {} {month} {year}", 1 + dice.below(28)),
            1 => format!("in {month} {year}"),
            2 => format!("on {}, {month} {}", self.days.even(dice), 1 + dice.below(28)),
            3 => format!("at {}:{:02} on {}", dice.below(24), dice.below(60), self.days.even(dice)),
            _ => format!("in week {} of {year}", 1 + dice.below(52)),
        }
    }

    /// The sentence of a number.
    pub(super) fn sentence(&self, number: u64) -> String {
        let facts = self.facts(number);
        let Facts { who, deed, kind, what, other, place, when, reason, name, detail, .. } = &facts;
        match Dice::of(!number).below(14) {
            0 => format!("{who} {deed} the {kind} {what} {when} because {reason} ({detail})."),
            1 => format!("The {name} team {deed} its {kind} {what} in {place}; {reason}. {detail}"),
            2 => format!("{who} from {place} {deed} a {kind} {what} and the {other} of {name}."),
            3 => format!(
                "Decision {when}: the {what} replaces the {other}, since {reason}. {detail}"
            ),
            4 => format!("{who} prefers a {kind} {what} over the {other} for {name}, {detail}."),
            5 => format!("When {reason}, {who} {deed} the {kind} {what} in {place}. See {detail}."),
            6 => format!("Note {when}: the {what} of {name} needs a {kind} {other}; ask {who}."),
            7 => format!(
                "Nobody {deed} the {what} {when}, so {who} used the {kind} {other} ({name})."
            ),
            8 => format!(
                "User {deed} the {kind} {what}. Reason: {reason}. Reference: {detail}, {when}."
            ),
            9 => format!("{name}: {what} and {other}, {kind}; {deed} {when} by {who}, {place}."),
            10 => format!(
                "{who} told us {when} that {reason}. The {kind} {what} was {deed} the same day, and the \
                 {other} for {name} has to wait until somebody in {place} has looked at {detail}."
            ),
            11 => format!(
                "Always check the {kind} {what} before the {other} is {deed}: {detail}, {name}."
            ),
            12 => {
                format!("{who} owns the {what} in {place} and the {other} for {name} ({detail}).")
            }
            _ => format!(
                "How to: the {what} is {deed} with {detail}; the {kind} {other} of {name} stays."
            ),
        }
    }

    /// A question that the sentence of a number answers, as a person or a model asks it.
    pub(super) fn question(&self, number: u64) -> String {
        let facts = self.facts(number);
        let Facts { who, deed, kind, what, other, place, when, reason, name, .. } = &facts;
        let dice = &mut Dice::of(number.rotate_left(32));
        let question = match dice.below(8) {
            0 => format!("Who {deed} the {kind} {what}?"),
            1 => format!("What did {who} do with the {what} in {place}?"),
            2 => format!("Why was the {kind} {what} {deed}?"),
            3 => format!("Do we know whether the {what} or the {other} is used for {name}?"),
            4 => format!("What happened to the {what} {when}?"),
            5 => format!("Which {what} does {who} prefer, and what about the {other}?"),
            6 => format!(
                "What do I need to know about the {kind} {what} before I change the {other}?"
            ),
            _ => format!("Is it true that {reason}, and was the {what} {deed}?"),
        };
        if dice.below(2) == 0 { reworded(question) } else { question }
    }

    /// The telling words of a sentence, as somebody types them into a search.
    pub(super) fn keywords(&self, number: u64) -> String {
        let facts = self.facts(number);
        let Facts { who, deed, kind, what, other, place, name, detail, .. } = &facts;
        match Dice::of(number.rotate_left(16)).below(6) {
            0 => format!("{kind} {what} {place}"),
            1 => format!("{what} {other} {deed}"),
            2 => format!("{name} {what}"),
            3 => format!("{who} {what} {other}"),
            4 => format!("{what} {detail}"),
            _ => format!("{kind} {what}"),
        }
    }

    /// The tags of a sentence: none to three.
    pub(super) fn tags(&self, number: u64) -> Vec<String> {
        let facts = self.facts(number);
        let dice = &mut Dice::of(number.rotate_left(48));
        let count = dice.below(4);
        let mut tags: Vec<String> =
            (0..count).map(|_| self.topics[facts.topic].tags.skewed(dice).to_owned()).collect();
        tags.sort_unstable();
        tags.dedup();
        tags
    }

    /// Some tag of the topic of a sentence.
    pub(super) fn tag(&self, number: u64) -> &str {
        let topic = &self.topics[self.facts(number).topic];
        topic.tags.even(&mut Dice::of(number.rotate_left(8)))
    }
}

/// A file, a ticket, a version, a number: what comes up once or twice.
fn detail(lists: &Lists, dice: &mut Dice) -> String {
    let (one, two) = (lists.things.even(dice), lists.things.even(dice));
    let (one, two) = (one.replace(' ', "-"), two.replace(' ', "-"));
    match dice.below(8) {
        0 => format!("src/{one}/{two}_{}.rs", dice.below(200)),
        1 => format!("ticket {}-{}", one.to_uppercase(), dice.below(30_000)),
        2 => format!("version {}.{}.{}", dice.below(12), dice.below(40), dice.below(100)),
        3 => format!("{} euros for {} {one}s", dice.below(5_000), 2 + dice.below(60)),
        4 => format!("{}.{} % of the {one}", dice.below(100), dice.below(100)),
        5 => format!("{one}_{two}={}", dice.below(2_000)),
        6 => format!("room {} next to the {two}", dice.below(900)),
        _ => format!("page {} of the {one} {two} handbook", dice.below(1_200)),
    }
}

fn reworded(text: String) -> String {
    SYNONYMS.iter().fold(text, |text, (word, other)| {
        if text.contains(word) { text.replacen(word, other, 1) } else { text }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn sentences_are_the_same_each_time_and_no_two_are_equal() {
        let (one, two) = (Sentences::new(), Sentences::new());
        let mut seen = HashSet::new();
        for number in 0..100_000 {
            let sentence = one.sentence(number);
            if number % 1_000 == 0 {
                assert_eq!(sentence, two.sentence(number));
                assert_eq!(one.question(number), two.question(number));
                assert_eq!(one.tags(number), two.tags(number));
            }
            assert!(seen.insert(sentence), "{}", one.sentence(number));
        }
    }

    #[test]
    fn few_words_are_common_and_most_are_rare() {
        let sentences = Sentences::new();
        let count = 20_000;
        let mut held: HashMap<String, usize> = HashMap::new();
        for number in 0..count {
            let sentence = sentences.sentence(number).to_lowercase();
            let words = sentence.split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 3);
            for word in words.collect::<HashSet<_>>() {
                *held.entry(word.to_owned()).or_default() += 1;
            }
        }
        let share =
            |least: f64| held.values().filter(|held| **held as f64 >= least * count as f64).count();
        let (very_common, common) = (share(0.1), share(0.01));
        assert!(very_common <= 5, "{very_common}");
        assert!((50..400).contains(&common), "{common}");
        let rare = held.values().filter(|held| **held <= 5).count();
        assert!(rare * 2 > held.len(), "{rare} of {}", held.len());
    }

    #[test]
    fn a_question_is_about_the_words_of_its_sentence() {
        let sentences = Sentences::new();
        for number in 0..1_000 {
            let facts = sentences.facts(number);
            let is_told = sentences.sentence(number).contains(facts.what);
            assert!(is_told, "{}", sentences.sentence(number));
            assert!(sentences.keywords(number).contains(facts.what));
        }
    }
}
