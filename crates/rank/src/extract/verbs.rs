//! The verbs of a sentence: which word is one, in which form, and whether it is said to be so.
//!
//! Which verbs make facts, and how they are written, is in `relations`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::relations::{ACTIVE, ADJECTIVES, IRREGULAR, PARTED, PASSIVE};
use super::tokens::{Kind, Token};
use super::words::{is_plural, role, roles};

/// A form of a verb, one bit each; the past and the participle are mostly the same word.
mod form {
    pub(super) const PLAIN: u8 = 1;
    pub(super) const THIRD: u8 = 2;
    pub(super) const PAST: u8 = 4;
    pub(super) const PARTICIPLE: u8 = 8;
    pub(super) const GERUND: u8 = 16;
}

/// The verb of a clause, with what helps it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Verb {
    /// The relation to what follows at once; none if it has none.
    pub(super) relation: Option<&'static str>,
    /// Words that may follow behind an object, and the relations to what follows them.
    pub(super) parted: Vec<(&'static str, &'static str)>,
    /// Whether what follows is who does it.
    pub(super) is_turned: bool,
    /// Whether it is a participle without a form of `be`.
    pub(super) is_reduced: bool,
    /// Whether it may be a participle, too: `compiled`.
    pub(super) is_past: bool,
    /// Whether it only says what something is.
    pub(super) is_be: bool,
    /// Whether it needs more than one subject: `use`, not `uses`.
    pub(super) is_plain: bool,
    /// Whether it is said to be so: not denied, planned or wished.
    pub(super) is_fact: bool,
}

static FORMS: LazyLock<HashMap<String, Vec<(&'static str, u8)>>> = LazyLock::new(|| {
    let mut forms: HashMap<String, Vec<(&'static str, u8)>> = HashMap::new();
    for (verb, ..) in ACTIVE {
        for (word, form) in inflected(verb) {
            let known = forms.entry(word).or_default();
            match known.iter_mut().find(|(other, _)| other == verb) {
                Some((_, forms)) => *forms |= form,
                None => known.push((verb, form)),
            }
        }
    }
    forms
});

fn inflected(verb: &str) -> [(String, u8); 5] {
    let stem = verb.strip_suffix('e').unwrap_or(verb);
    let short = verb.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    let hisses = ["s", "x", "ch", "sh"].iter().any(|end| verb.ends_with(end));
    let third = match short {
        Some(short) => format!("{short}ies"),
        None if hisses => format!("{verb}es"),
        None => format!("{verb}s"),
    };
    let regular = short.map_or_else(|| format!("{stem}ed"), |short| format!("{short}ied"));
    let doubled = matches!(verb, "run" | "wrap" | "prefer").then(|| verb.chars().next_back());
    let gerund = match doubled.flatten() {
        Some(last) => format!("{verb}{last}ing"),
        None => format!("{stem}ing"),
    };
    let irregular = IRREGULAR.iter().find(|(plain, ..)| *plain == verb);
    let (past, participle) = irregular
        .map_or((regular.clone(), regular), |(_, past, done)| ((*past).into(), (*done).into()));
    [
        (verb.to_owned(), form::PLAIN),
        (third, form::THIRD),
        (past, form::PAST),
        (participle, form::PARTICIPLE),
        (gerund, form::GERUND),
    ]
}

/// What helps a verb, as read so far.
#[derive(Default)]
struct Helpers {
    be: bool,
    have: bool,
    other: bool,
    past: bool,
    denied: bool,
}

/// The word at `at`, empty if there is none.
pub(super) fn word<'a>(tokens: &'a [Token<'_>], at: usize) -> &'a str {
    match tokens.get(at) {
        Some(token) if token.kind == Kind::Word => &token.word,
        _ => "",
    }
}

/// The roles of the word at `at`; none for a mark.
pub(super) fn roles_at(tokens: &[Token<'_>], at: usize) -> u32 {
    match word(tokens, at) {
        "" => 0,
        word => roles(word),
    }
}

/// The verb that begins at `at` and where it ends, if one does. Forms that may be nouns are verbs
/// if `after_noun`, plain forms if `after_plural`.
pub(super) fn verb_at(
    tokens: &[Token<'_>],
    at: usize,
    after_noun: bool,
    after_plural: bool,
) -> Option<(Verb, usize)> {
    let (helpers, main) = helpers(tokens, at);
    let is_fact = !helpers.denied && !helpers.other_wish(tokens, at, main);
    let is_bare = !helpers.be && !helpers.have && !helpers.other;
    if (helpers.be || is_bare && after_noun && is_participle(word(tokens, main)))
        && let Some((relation, end)) = passive(tokens, main)
    {
        let relation = Some(relation);
        return Some((Verb { relation, is_fact, is_reduced: is_bare, ..Verb::default() }, end));
    }
    let forms = FORMS.get(word(tokens, main)).map_or(&[][..], Vec::as_slice);
    let wanted = match &helpers {
        Helpers { be: true, .. } => form::PARTICIPLE | form::GERUND,
        Helpers { have: true, .. } => form::PARTICIPLE,
        Helpers { other: true, .. } => form::PLAIN,
        _ if after_noun && after_plural => form::PLAIN | form::THIRD | form::PAST,
        _ if after_noun => form::THIRD | form::PAST,
        _ => form::PARTICIPLE,
    };
    let found = forms.iter().find(|(_, forms)| forms & wanted != 0);
    if let Some((verb, forms)) = found
        && !is_noun(tokens, main, &helpers)
    {
        let forms = forms & wanted;
        let is_plain = forms == form::PLAIN && !helpers.other;
        if let Some((verb, end)) = main_verb(tokens, main, verb, forms, &helpers) {
            let is_past = is_bare && forms & form::PAST != 0 && !verb.is_turned;
            let is_fact = verb.is_fact && is_fact && !(is_past && is_before_noun(tokens, end));
            return Some((Verb { is_fact, is_plain, is_past, ..verb }, end));
        }
    }
    let is_done = helpers.be && word(tokens, main).ends_with("ed") && word(tokens, main).len() > 3;
    let is_be = helpers.be && !helpers.have && !helpers.other && !is_done;
    let main = main + usize::from(is_done);
    (!is_bare).then(|| (Verb { is_be, is_fact, ..Verb::default() }, main))
}

impl Helpers {
    /// Whether a verb is only wished for or planned.
    fn other_wish(&self, tokens: &[Token<'_>], from: usize, to: usize) -> bool {
        (from..to).any(|at| roles_at(tokens, at) & role::MODAL != 0)
    }
}

/// What helps the verb from `at` on, and where the verb itself is.
fn helpers(tokens: &[Token<'_>], at: usize) -> (Helpers, usize) {
    let mut helpers = Helpers::default();
    let mut main = at;
    loop {
        let (word, roles) = (word(tokens, main), roles_at(tokens, main));
        let no_longer = word == "no" && self::word(tokens, main + 1) == "longer";
        helpers.denied |= no_longer || word.ends_with("n't") || roles & role::NOT != 0;
        if roles & role::BE != 0 {
            helpers.be = true;
            helpers.past |= matches!(word, "was" | "were" | "been" | "wasn't" | "weren't");
        } else if roles & role::HAVE != 0 {
            helpers.have = true;
        } else if roles & (role::DO | role::MODAL) != 0 {
            helpers.other = true;
            helpers.past |= word == "did";
        } else if roles & (role::ADVERB | role::NOT) == 0 && !no_longer {
            return (helpers, main);
        }
        main += 1;
    }
}

/// The relation of the passive at `at`, and where it ends.
fn passive(tokens: &[Token<'_>], at: usize) -> Option<(&'static str, usize)> {
    PASSIVE.iter().find_map(|(words, relation)| {
        let mut end = at;
        let all = words.split(' ').all(|wanted| {
            end += 1;
            word(tokens, end - 1) == wanted
        });
        all.then_some((*relation, end))
    })
}

/// Whether the first word of a passive can stand without a form of `be`.
fn is_participle(word: &str) -> bool {
    word.ends_with("ed") || matches!(word, "written" | "built" | "born" | "made" | "kept")
}

/// Whether the word is a noun here: `the API calls are slow`.
fn is_noun(tokens: &[Token<'_>], at: usize, helpers: &Helpers) -> bool {
    let next = roles_at(tokens, at + 1);
    !helpers.be
        && !helpers.have
        && !helpers.other
        && next & (role::BE | role::HAVE | role::MODAL | role::DO) != 0
}

/// Whether a noun without an article follows, so that a past may be its adjective: `used books`.
fn is_before_noun(tokens: &[Token<'_>], at: usize) -> bool {
    let (past, before) = (word(tokens, at - 1), at.checked_sub(2).map(|at| word(tokens, at)));
    if ADJECTIVES.contains(&past) && roles_at(tokens, at) & role::BEFORE == 0
        || matches!(before, Some("widely" | "commonly" | "most" | "often" | "frequently"))
    {
        return true;
    }
    let Some(token) = tokens.get(at).filter(|token| token.kind == Kind::Word) else { return false };
    let is_behind_tail = roles_at(tokens, at - 1) & role::PREPOSITION != 0;
    let is_verb = matches!(
        past,
        "studied"
            | "liked"
            | "loved"
            | "enjoyed"
            | "hated"
            | "disliked"
            | "joined"
            | "taught"
            | "sold"
            | "bought"
            | "wrote"
            | "spoke"
            | "knew"
    );
    token.text.starts_with(char::is_lowercase)
        && !is_verb
        && roles(&token.word) & (role::BEFORE | role::OUTSIDE) == 0
        && !is_behind_tail
}

/// The verb at `at` in the `forms` it may have there, and where it ends.
fn main_verb(
    tokens: &[Token<'_>],
    at: usize,
    verb: &'static str,
    forms: u8,
    helpers: &Helpers,
) -> Option<(Verb, usize)> {
    let is_participle =
        forms == form::PARTICIPLE && !helpers.have || forms & form::GERUND == 0 && helpers.be;
    let is_past = helpers.past || helpers.have || forms & (form::PAST | form::PARTICIPLE) != 0;
    let clause = (at + 1..tokens.len()).take(4).take_while(|at| {
        tokens[*at].kind == Kind::Word
            && roles_at(tokens, *at) & (role::AND | role::BE | role::MODAL) == 0
    });
    let by = clause.into_iter().find(|by| word(tokens, *by) == "by");
    let is_bare = !helpers.be && !helpers.have && !helpers.other;
    let by = by.filter(|by| is_participle || is_bare && *by == at + 1 && forms & form::PAST != 0);
    if let Some(by) = by {
        let past = helpers.past || is_bare && verb != "maintain";
        let (_, _, present, event) =
            ACTIVE.iter().find(|(name, tail, ..)| (*name, *tail) == (verb, ""))?;
        let relation = Some(if past { *event } else { *present });
        let verb = Verb {
            relation,
            is_turned: true,
            is_reduced: is_bare,
            is_fact: true,
            ..Verb::default()
        };
        return Some((verb, by + 1));
    }
    if is_participle {
        return None;
    }
    let mut patterns = ACTIVE.iter().filter(|(name, ..)| *name == verb);
    let written = |present: &'static str, past: &'static str| if is_past { past } else { present };
    let behind = word(tokens, at + 1);
    if let Some((_, _, present, past)) =
        patterns.clone().find(|(_, tail, ..)| !tail.is_empty() && *tail == behind)
    {
        let relation = Some(written(present, past));
        return Some((Verb { relation, is_fact: true, ..Verb::default() }, at + 2));
    }
    let parted =
        patterns.clone().filter(|(name, tail, ..)| !tail.is_empty() && PARTED.contains(name));
    let parted = parted.map(|(_, tail, present, past)| (*tail, written(present, past))).collect();
    let direct = patterns.find(|(_, tail, ..)| tail.is_empty());
    let relation = direct.map(|(_, _, present, past)| written(present, past));
    let is_fact = behind != "to";
    Some((Verb { relation, parted, is_fact, ..Verb::default() }, at + 1))
}

/// Whether a word is the `-ing` form of a verb that makes facts.
pub(super) fn is_gerund(word: &str) -> bool {
    FORMS.get(word).is_some_and(|forms| forms.iter().any(|(_, form)| form & form::GERUND != 0))
}

/// Whether what ends before `at` is a plural.
pub(super) fn is_after_plural(tokens: &[Token<'_>], at: usize) -> bool {
    at > 0 && is_plural(word(tokens, at - 1))
}
