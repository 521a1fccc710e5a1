//! The verbs that make facts, in all their forms, and how they are written as relations.
//!
//! A relation is written as people write it: the third person of the present (`uses`), the past
//! where it tells of an event (`acquired`). What is done *by* somebody is turned round, so that who
//! does it comes first: `Git was created by Linus` is `Linus created Git`. Other passives stay as
//! they are: `is written in`, `is hosted on`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::tokens::{Kind, Token};
use super::words::{is_plural, role, roles};

/// Verb, the words behind it, the relation in the present and in the past.
const ACTIVE: &[(&str, &str, &str, &str)] = &[
    ("use", "", "uses", "uses"),
    ("utilise", "", "uses", "uses"),
    ("utilize", "", "uses", "uses"),
    ("depend", "on", "depends on", "depends on"),
    ("depend", "upon", "depends on", "depends on"),
    ("rely", "on", "relies on", "relies on"),
    ("require", "", "requires", "requires"),
    ("need", "", "needs", "needs"),
    ("work", "at", "works at", "worked at"),
    ("work", "for", "works for", "worked for"),
    ("work", "with", "works with", "worked with"),
    ("work", "on", "works on", "worked on"),
    ("work", "in", "works in", "worked in"),
    ("integrate", "with", "integrates with", "integrates with"),
    ("integrate", "", "integrates", "integrated"),
    ("extend", "", "extends", "extends"),
    ("implement", "", "implements", "implements"),
    ("inherit", "from", "inherits from", "inherits from"),
    ("derive", "from", "derives from", "derives from"),
    ("replace", "", "replaces", "replaces"),
    ("supersede", "", "supersedes", "supersedes"),
    ("contain", "", "contains", "contains"),
    ("include", "", "includes", "includes"),
    ("consist", "of", "consists of", "consists of"),
    ("comprise", "", "comprises", "comprises"),
    ("run", "on", "runs on", "runs on"),
    ("run", "in", "runs in", "runs in"),
    ("own", "", "owns", "owned"),
    ("manage", "", "manages", "managed"),
    ("lead", "", "leads", "led"),
    ("report", "to", "reports to", "reported to"),
    ("live", "in", "lives in", "lived in"),
    ("reside", "in", "lives in", "lived in"),
    ("belong", "to", "belongs to", "belonged to"),
    ("provide", "", "provides", "provides"),
    ("offer", "", "offers", "offered"),
    ("support", "", "supports", "supports"),
    ("call", "", "calls", "calls"),
    ("invoke", "", "invokes", "invokes"),
    ("read", "from", "reads from", "reads from"),
    ("load", "from", "loads from", "loads from"),
    ("fetch", "from", "fetches from", "fetches from"),
    ("write", "to", "writes to", "writes to"),
    ("write", "", "writes", "wrote"),
    ("send", "to", "sends to", "sends to"),
    ("publish", "to", "publishes to", "publishes to"),
    ("publish", "", "publishes", "published"),
    ("subscribe", "to", "subscribes to", "subscribes to"),
    ("listen", "to", "listens to", "listens to"),
    ("talk", "to", "talks to", "talks to"),
    ("communicate", "with", "communicates with", "communicates with"),
    ("store", "in", "stores in", "stores in"),
    ("store", "on", "stores on", "stores on"),
    ("save", "to", "saves to", "saves to"),
    ("keep", "in", "keeps in", "keeps in"),
    ("connect", "to", "connects to", "connects to"),
    ("deploy", "to", "deploys to", "deployed to"),
    ("deploy", "on", "deploys on", "deployed on"),
    ("compile", "to", "compiles to", "compiles to"),
    ("import", "", "imports", "imports"),
    ("wrap", "", "wraps", "wraps"),
    ("expose", "", "exposes", "exposes"),
    ("generate", "", "generates", "generated"),
    ("acquire", "", "acquires", "acquired"),
    ("buy", "", "buys", "bought"),
    ("purchase", "", "purchases", "purchased"),
    ("sell", "", "sells", "sold"),
    ("prefer", "", "prefers", "preferred"),
    ("know", "", "knows", "knew"),
    ("like", "", "likes", "liked"),
    ("love", "", "loves", "loved"),
    ("dislike", "", "dislikes", "disliked"),
    ("hate", "", "hates", "hated"),
    ("enjoy", "", "enjoys", "enjoyed"),
    ("speak", "", "speaks", "spoke"),
    ("create", "", "creates", "created"),
    ("found", "", "founds", "founded"),
    ("co-found", "", "co-founds", "co-founded"),
    ("cofound", "", "cofounds", "cofounded"),
    ("develop", "", "develops", "developed"),
    ("design", "", "designs", "designed"),
    ("invent", "", "invents", "invented"),
    ("build", "", "builds", "built"),
    ("maintain", "", "maintains", "maintains"),
    ("power", "", "powers", "powers"),
    ("host", "", "hosts", "hosts"),
    ("sponsor", "", "sponsors", "sponsored"),
    ("fund", "", "funds", "funded"),
    ("produce", "", "produces", "produced"),
    ("employ", "", "employs", "employed"),
    ("hire", "", "hires", "hired"),
    ("teach", "", "teaches", "taught"),
    ("teach", "at", "teaches at", "taught at"),
    ("study", "at", "studies at", "studied at"),
    ("study", "", "studies", "studied"),
    ("graduate", "from", "graduates from", "graduated from"),
    ("join", "", "joins", "joined"),
    ("marry", "", "marries", "married"),
    ("move", "to", "moves to", "moved to"),
    ("migrate", "to", "migrates to", "migrated to"),
    ("switch", "to", "switches to", "switched to"),
    ("invest", "in", "invests in", "invested in"),
    ("partner", "with", "partners with", "partnered with"),
    ("compete", "with", "competes with", "competed with"),
    ("monitor", "", "monitors", "monitors"),
    ("query", "", "queries", "queries"),
    ("handle", "", "handles", "handles"),
    ("govern", "", "governs", "governed"),
    ("direct", "", "directs", "directed"),
    ("release", "", "releases", "released"),
    ("launch", "", "launches", "launched"),
];

/// Verbs with an object between them and the words behind: `stores jobs in Redis`.
const PARTED: &[&str] = &[
    "read",
    "load",
    "fetch",
    "write",
    "send",
    "publish",
    "store",
    "save",
    "keep",
    "deploy",
    "connect",
    "integrate",
    "import",
];

/// What is done to something, or what it is, behind a form of `be`: the words and the relation.
const PASSIVE: &[(&str, &str)] = &[
    ("written in", "is written in"),
    ("implemented in", "is implemented in"),
    ("built on", "is built on"),
    ("built upon", "is built on"),
    ("built with", "is built with"),
    ("built in", "is built in"),
    ("based on", "is based on"),
    ("based in", "is based in"),
    ("located in", "is located in"),
    ("situated in", "is located in"),
    ("headquartered in", "is headquartered in"),
    ("hosted on", "is hosted on"),
    ("hosted in", "is hosted in"),
    ("deployed to", "is deployed to"),
    ("deployed on", "is deployed on"),
    ("deployed in", "is deployed in"),
    ("stored in", "is stored in"),
    ("stored on", "is stored on"),
    ("saved in", "is saved in"),
    ("kept in", "is kept in"),
    ("married to", "is married to"),
    ("engaged to", "is engaged to"),
    ("born in", "was born in"),
    ("connected to", "is connected to"),
    ("linked to", "is linked to"),
    ("integrated with", "is integrated with"),
    ("integrated into", "is integrated into"),
    ("named after", "is named after"),
    ("made of", "is made of"),
    ("composed of", "is composed of"),
    ("derived from", "is derived from"),
    ("inspired by", "is inspired by"),
    ("included in", "is included in"),
    ("contained in", "is contained in"),
    ("part of", "is part of"),
    ("a part of", "is part of"),
    ("responsible for", "is responsible for"),
    ("compatible with", "is compatible with"),
    ("dependent on", "depends on"),
    ("available on", "is available on"),
    ("affiliated with", "is affiliated with"),
];

/// Plain form, past, participle.
const IRREGULAR: &[(&str, &str, &str)] = &[
    ("lead", "led", "led"),
    ("write", "wrote", "written"),
    ("run", "ran", "run"),
    ("build", "built", "built"),
    ("know", "knew", "known"),
    ("speak", "spoke", "spoken"),
    ("buy", "bought", "bought"),
    ("sell", "sold", "sold"),
    ("read", "read", "read"),
    ("teach", "taught", "taught"),
    ("send", "sent", "sent"),
    ("keep", "kept", "kept"),
    ("wrap", "wrapped", "wrapped"),
    ("prefer", "preferred", "preferred"),
];

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
    let is_be = helpers.be && !helpers.have && !helpers.other;
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

/// Pasts that are adjectives far more often, unless an article follows.
const ADJECTIVES: &[&str] =
    &["supported", "required", "provided", "included", "contained", "implemented", "generated"];

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
    token.text.starts_with(char::is_lowercase)
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
    let by = (at + 1..(at + 5).min(tokens.len())).find(|by| word(tokens, *by) == "by");
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
