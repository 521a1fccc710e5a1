//! What single English words do in a claim: negate, hedge, choose, or say nothing.
//!
//! The lists are short on purpose. A word that is missing here is a word of the subject, and then two
//! texts have to share it before they are compared; so a gap costs a find and never makes a false one.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::{GENERAL, GROUPS, ROLES, SYNONYMS, VERBS};

/// What a word does, one bit each.
pub(super) mod role {
    /// Says nothing of its own.
    pub(in crate::claim) const SMALL: u32 = 1;
    /// Turns the claim around.
    pub(in crate::claim) const NOT: u32 = 1 << 1;
    /// The text does not claim it as a fact.
    pub(in crate::claim) const HEDGE: u32 = 1 << 2;
    /// Joins a subject to what it is.
    pub(in crate::claim) const BE: u32 = 1 << 3;
    /// Helps another verb.
    pub(in crate::claim) const HELPS: u32 = 1 << 4;
    /// A verb in its plain form.
    pub(in crate::claim) const VERB: u32 = 1 << 5;
    /// A verb of the third person.
    pub(in crate::claim) const VERB_S: u32 = 1 << 6;
    /// A verb of the past, or its participle.
    pub(in crate::claim) const VERB_PAST: u32 = 1 << 7;
    /// Any form of a verb.
    pub(in crate::claim) const FORMS: u32 = VERB | VERB_S | VERB_PAST;
    /// The claim is of former times.
    pub(in crate::claim) const PAST: u32 = 1 << 8;
    /// The claim is of times to come.
    pub(in crate::claim) const FUTURE: u32 = 1 << 9;
    /// A verb that says little beside a number.
    pub(in crate::claim) const LIGHT: u32 = 1 << 10;
    /// A verb of change: what follows `to` is what holds now.
    pub(in crate::claim) const CHANGE: u32 = 1 << 11;
    /// A verb whose object is one thing only.
    pub(in crate::claim) const ONE_OBJECT: u32 = 1 << 12;
    /// A verb whose object is one of several rivals.
    pub(in crate::claim) const PREFERS: u32 = 1 << 13;
    /// An adjective that leaves one thing only.
    pub(in crate::claim) const ONLY_ONE: u32 = 1 << 14;
    /// A noun of which a thing has one.
    pub(in crate::claim) const ATTRIBUTE: u32 = 1 << 15;
    /// An adjective: many can be true of a thing.
    pub(in crate::claim) const ADJECTIVE: u32 = 1 << 16;
    /// Begins a condition.
    pub(in crate::claim) const WHEN: u32 = 1 << 17;
    /// Begins a reason, an example, or another aside.
    pub(in crate::claim) const ASIDE: u32 = 1 << 18;
    /// Points at one thing: `the`, `our`.
    pub(in crate::claim) const DEFINITE: u32 = 1 << 19;
    /// Stands before a noun phrase: `in`, `for`.
    pub(in crate::claim) const PREPOSITION: u32 = 1 << 20;
    /// Somebody else says it.
    pub(in crate::claim) const SAYS: u32 = 1 << 21;
    /// Stands for a person or thing that was named before.
    pub(in crate::claim) const PRONOUN: u32 = 1 << 22;
    /// A noun whose number is its name: `ticket 12`.
    pub(in crate::claim) const NUMBERED: u32 = 1 << 23;
    /// A verb that can have many versions as its object.
    pub(in crate::claim) const MANY: u32 = 1 << 24;
    /// Negative as a verb: `lacks`, `avoids`.
    pub(in crate::claim) const NOT_VERB: u32 = 1 << 25;
    /// Unites what it stands before with what stands behind.
    pub(in crate::claim) const RELATIVE: u32 = 1 << 26;
}

/// How the members of a group exclude each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exclusion {
    /// Of two members, what is not one is the other.
    Opposite,
    /// Only one of them holds, and maybe none.
    Choice,
    /// As a choice, but only for a verb or an attribute that takes one.
    Rival,
}

/// A word as a member of a group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) group: u16,
    /// Which member; two words for the same have the same.
    pub(super) index: u8,
    pub(super) exclusion: Exclusion,
}

/// All that is known of a word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    pub(super) roles: u32,
    pub(super) member: Option<Member>,
    /// The word to read instead.
    pub(super) same: Option<&'static str>,
    /// One more than the number of a word so general that one text may leave it out.
    pub(super) general: u8,
}

impl Entry {
    /// Whether it has one of `roles`.
    pub(super) fn is(&self, roles: u32) -> bool {
        self.roles & roles != 0
    }
}

/// What is known of `word`, which is folded.
pub(super) fn look_up(word: &str) -> Entry {
    LEXICON.get(word).copied().unwrap_or_default()
}

static LEXICON: LazyLock<HashMap<String, Entry>> = LazyLock::new(build);

fn build() -> HashMap<String, Entry> {
    let mut lexicon: HashMap<String, Entry> = HashMap::new();
    for (roles, words) in ROLES {
        for word in words.split_whitespace() {
            lexicon.entry(word.to_owned()).or_default().roles |= roles;
        }
    }
    for (roles, verbs) in VERBS {
        for verb in verbs.split_whitespace() {
            for (form, role) in forms(verb) {
                lexicon.entry(form).or_default().roles |= roles | role;
            }
        }
    }
    for line in SYNONYMS {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        let roles = lexicon.get(first).map_or(0, |entry| entry.roles);
        for word in words {
            let entry = lexicon.entry(word.to_owned()).or_default();
            entry.same = Some(first);
            entry.roles |= roles & !role::FORMS;
            if roles & role::VERB != 0 && entry.roles & role::FORMS == 0 {
                entry.roles |= if word.ends_with('s') { role::VERB_S } else { role::VERB };
            }
        }
    }
    for (group, (exclusion, line)) in GROUPS.iter().enumerate() {
        for (index, words) in line.split('|').enumerate() {
            let member = Member { group: group as u16, index: index as u8, exclusion: *exclusion };
            for word in words.split_whitespace() {
                lexicon.entry(word.to_owned()).or_default().member.get_or_insert(member);
            }
        }
    }
    for (number, word) in GENERAL.split_whitespace().enumerate() {
        lexicon.entry(word.to_owned()).or_default().general = number as u8 / 2 + 1;
    }
    lexicon
}

/// The forms of a regular verb.
fn forms(verb: &str) -> [(String, u32); 4] {
    let stem = verb.strip_suffix('e').unwrap_or(verb);
    let ies = verb.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    let third = match ies {
        Some(stem) => format!("{stem}ies"),
        None if verb.ends_with(['s', 'x']) || verb.ends_with("ch") || verb.ends_with("sh") => {
            format!("{verb}es")
        }
        None => format!("{verb}s"),
    };
    let past = ies.map_or_else(|| format!("{stem}ed"), |stem| format!("{stem}ied"));
    [
        (verb.to_owned(), role::VERB),
        (third, role::VERB_S),
        (past, role::VERB_PAST),
        (format!("{stem}ing"), 0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_known_in_their_forms() {
        assert!(look_up("uses").is(role::VERB_S));
        assert!(look_up("replies").same.is_some());
        assert!(look_up("migrated").is(role::CHANGE));
        assert!(look_up("pushes").is(role::VERB_S));
    }

    #[test]
    fn groups_fit_into_a_set() {
        assert!(GROUPS.iter().all(|(_, line)| line.split('|').count() <= 64));
        let odd = |(exclusion, line): &(Exclusion, &str)| {
            *exclusion == Exclusion::Opposite && line.split('|').count() != 2
        };
        assert!(!GROUPS.iter().any(odd));
        assert!(GENERAL.split_whitespace().count() <= 128);
    }
}
