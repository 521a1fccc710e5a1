//! What single English words do in a sentence, as far as facts are concerned.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a word does, one bit each.
pub(super) mod role {
    /// `the`, `our`: points at one thing.
    pub(in crate::extract) const DEFINITE: u32 = 1;
    /// `a`, `an`.
    pub(in crate::extract) const INDEFINITE: u32 = 1 << 1;
    /// `many`, `three`: says how many.
    pub(in crate::extract) const QUANTITY: u32 = 1 << 2;
    /// `it`, `she`: stands for what was named before.
    pub(in crate::extract) const PRONOUN: u32 = 1 << 3;
    /// `we`, `everyone`: stands for nobody in particular.
    pub(in crate::extract) const ANYBODY: u32 = 1 << 4;
    /// `in`, `for`.
    pub(in crate::extract) const PREPOSITION: u32 = 1 << 5;
    /// `but`, `because`: joins two clauses.
    pub(in crate::extract) const JOINS: u32 = 1 << 6;
    /// `when`, `until`: what follows, up to a comma, is not said to be so.
    pub(in crate::extract) const WHEN: u32 = 1 << 7;
    /// `which`, `who`.
    pub(in crate::extract) const RELATIVE: u32 = 1 << 8;
    /// `not`, `never`.
    pub(in crate::extract) const NOT: u32 = 1 << 9;
    /// `should`, `will`: what follows is not yet so.
    pub(in crate::extract) const MODAL: u32 = 1 << 10;
    /// `is`, `were`.
    pub(in crate::extract) const BE: u32 = 1 << 11;
    /// `has`.
    pub(in crate::extract) const HAVE: u32 = 1 << 12;
    /// `does`.
    pub(in crate::extract) const DO: u32 = 1 << 13;
    /// `also`: may stand anywhere.
    pub(in crate::extract) const ADVERB: u32 = 1 << 14;
    /// A sentence with it states nothing: `if`, `perhaps`, `says`.
    pub(in crate::extract) const HEDGE: u32 = 1 << 15;
    /// A verb that gives no fact.
    pub(in crate::extract) const OTHER_VERB: u32 = 1 << 16;
    /// `and`.
    pub(in crate::extract) const AND: u32 = 1 << 17;
    /// `or`.
    pub(in crate::extract) const OR: u32 = 1 << 18;
    /// A noun that only says what the name beside it is: `the Tokio runtime`, `my sister Clara`.
    pub(in crate::extract) const SORT: u32 = 1 << 19;
    /// What somebody does in a body: `Tim is CEO of Apple`.
    pub(in crate::extract) const OFFICE: u32 = 1 << 20;
    /// Praise or blame, which is no fact.
    pub(in crate::extract) const OPINION: u32 = 1 << 21;
    /// Says too little to be a sort: `a part`, `an idea`.
    pub(in crate::extract) const EMPTY: u32 = 1 << 22;
    /// `a kind of`: the sort is behind it.
    pub(in crate::extract) const KIND_OF: u32 = 1 << 23;
    /// A month or a day.
    pub(in crate::extract) const TIME: u32 = 1 << 24;
    /// An adjective.
    pub(in crate::extract) const ADJECTIVE: u32 = 1 << 25;
    /// Begins a sentence and is no name: `Thanks`.
    pub(in crate::extract) const OPENER: u32 = 1 << 26;
    /// Stands in names: `van`.
    pub(in crate::extract) const PARTICLE: u32 = 1 << 27;
    /// Whatever cannot be part of a noun phrase.
    pub(in crate::extract) const OUTSIDE: u32 = PRONOUN
        | ANYBODY
        | PREPOSITION
        | JOINS
        | WHEN
        | RELATIVE
        | NOT
        | MODAL
        | BE
        | HAVE
        | DO
        | ADVERB
        | AND
        | OR
        | OPENER;
    /// What stands before a noun phrase.
    pub(in crate::extract) const BEFORE: u32 = DEFINITE | INDEFINITE | QUANTITY;
}

const ROLES: &[(u32, &str)] = &[
    (role::DEFINITE, "the our my his her its their your this that these those"),
    (role::INDEFINITE, "a an"),
    (
        role::QUANTITY,
        "many most some few several every each any all no another both various more less fewer \
         much either neither one two three four five six seven eight nine ten eleven twelve \
         twenty fifty hundred thousand million certain other numerous half",
    ),
    (role::PRONOUN, "it he she they"),
    (
        role::ANYBODY,
        "i we you us them him me there here everyone everybody nobody someone somebody anyone \
         anybody something anything nothing everything none what whoever whom people myself \
         themselves itself himself herself ourselves mine ours theirs",
    ),
    (
        role::PREPOSITION,
        "in on at of for with from to by over under about into onto through across between among \
         against during without within via per than toward towards behind beyond near as like \
         since around despite except inside outside upon instead rather using including versus vs \
         along alongside throughout plus",
    ),
    (
        role::JOINS,
        "but while whereas although though because so however therefore thus hence whereby yet",
    ),
    (role::WHEN, "when whenever before after until till once where wherever how why lest"),
    (role::RELATIVE, "which who that whose"),
    (role::NOT, "not never neither nor hardly rarely seldom barely cannot without"),
    (
        role::MODAL,
        "would could should might may must will shall can cannot can't won't ought i'll we'll \
         they'll it'll i'd we'd",
    ),
    (role::BE, "is are was were be been isn't aren't wasn't weren't"),
    (role::HAVE, "has have had hasn't haven't hadn't having"),
    (role::DO, "do does did don't doesn't didn't doing"),
    (
        role::ADVERB,
        "also still now always often just already then even only ever too again soon today \
         tomorrow yesterday nowadays meanwhile together almost quite very mainly mostly \
         instead well longer being below above following etc e.g i.e namely else perhaps maybe out up down away back yes",
    ),
    (
        role::HEDGE,
        "if unless whether suppose supposing imagine perhaps maybe probably possibly presumably \
         allegedly reportedly supposedly apparently hopefully seemingly seems seem seemed appears \
         rumour rumours rumor rumors think thinks thought believe believes believed guess guesses \
         claims claim claimed say says said heard hear wish wishes wished according assume assumes \
         assuming likely unlikely doubt doubts pretend pretends hope hopes suspect suspects \
         arguably i'd we'd suggests suggested",
    ),
    (
        role::OTHER_VERB,
        "lies lie goes go went makes make made takes take took gets get got gives give gave sits \
         comes come came stays seems needs wants want wanted plans planned tries try tried helps \
         helped keeps kept became becomes become means meant says thinks shows showed begins began \
         starts started ends stops stopped fails failed works worked runs ran happens happened let \
         lets allows allowed enables enabled looks looked feels felt finds found lost loses grows \
         grew opens opened closes closed breaks broke falls fell holds held stands stood brings \
         brought puts sets sees saw asks asked tells told turns turned changes changed adds added \
         removes removed moves plays eats drinks buys sells wins won hopes intends aims \
         expects decides decided agrees agreed refuses refused promises promised considers \
         considered",
    ),
    (role::AND, "and &"),
    (role::OR, "or nor and/or"),
    (
        role::SORT,
        "framework library language runtime database crate package project company struct trait \
         class enum interface function method module plugin programming tool product \
         engineer developer designer author founder manager director professor doctor writer artist \
         sister brother mother father wife husband son daughter friend colleague boss uncle aunt \
         api constant type macro feature header value directory object flag variable field \
         parameter option command file \
         cousin city town country river president minister architect scientist",
    ),
    (
        role::OFFICE,
        "ceo cto cfo coo vp president director head chair chairman founder co-founder cofounder \
         professor mayor owner author creator inventor maintainer member editor minister secretary \
         manager lead king queen captain coach",
    ),
    (
        role::OPINION,
        "best worst better worse great good bad terrible awful nice wonderful amazing horrible \
         perfect ideal beautiful ugly excellent poor lovely favourite favorite cool right wrong \
         bit little fantastic superior inferior decent",
    ),
    (
        role::EMPTY,
        "alternative part lot bit thing things way reason problem issue result matter idea choice \
         mess fan must joke pain pleasure success failure example case fact option question \
         point start beginning end step number shame disaster nightmare kind type sort same set \
         list variety collection series range bunch couple oodles wealth name priority place",
    ),
    (
        role::KIND_OF,
        "kind type sort form piece variety set lot number range series couple bunch list collection",
    ),
    (
        role::TIME,
        "january february march april may june july august september october november december \
         monday tuesday wednesday thursday friday saturday sunday year month week day",
    ),
    (
        role::ADJECTIVE,
        "fast small large big modern light lightweight open simple popular new old free robust \
         flexible quick young tall short high low safe secure stable powerful tiny huge strong easy \
         efficient friendly minimal clean general smart rich early late rare scalable portable optional additional",
    ),
    (
        role::OPENER,
        "thanks thank please sorry hello hi hey ok okay note see next last first second third \
         finally later today welcome todo fixme nb ps yes no todo: warning tip let's",
    ),
    (role::PARTICLE, "van von de der den da di du del la le bin al"),
];

static WORDS: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let mut words = HashMap::new();
    for (role, list) in ROLES {
        for word in list.split_whitespace() {
            *words.entry(word).or_default() |= role;
        }
    }
    words
});

/// What `word`, in lower case, is listed to do.
pub(super) fn listed(word: &str) -> u32 {
    WORDS.get(word).copied().unwrap_or_default()
}

/// What `word`, in lower case, does, by the lists or by what it ends with.
pub(super) fn roles(word: &str) -> u32 {
    let known = listed(word);
    let is_adverb = known == 0 && is_like_adverb(word);
    if is_adverb {
        return role::ADVERB;
    }
    known
}

/// Whether a word ends as adverbs do.
pub(super) fn is_like_adverb(word: &str) -> bool {
    let is_other = matches!(
        word,
        "family"
            | "assembly"
            | "supply"
            | "reply"
            | "anomaly"
            | "italy"
            | "sicily"
            | "emily"
            | "kelly"
            | "sally"
            | "billy"
            | "molly"
            | "polly"
            | "holly"
            | "shelly"
            | "beverly"
    );
    word.len() > 4 && word.ends_with("ly") && !is_other
}

/// Whether a word that stands alone is an adjective, by what it ends with.
pub(super) fn is_adjective(word: &str) -> bool {
    let ending = ["able", "ible", "ful", "less", "ous", "ive", "ic", "ed", "ish", "ern", "est"];
    let is_noun = matches!(
        word,
        "music"
            | "logic"
            | "traffic"
            | "topic"
            | "metric"
            | "fabric"
            | "public"
            | "clinic"
            | "magic"
            | "drive"
            | "table"
            | "cable"
            | "feed"
            | "seed"
            | "speed"
            | "test"
            | "forest"
            | "rest"
            | "request"
            | "manifest"
            | "digest"
            | "archive"
            | "native"
            | "vegetable"
    );
    roles(word) & role::ADJECTIVE != 0
        || !is_noun && (word.len() > 4 && ending.iter().any(|ending| word.ends_with(ending)))
}

/// Whether a word looks like the plural of a noun.
pub(super) fn is_plural(word: &str) -> bool {
    word.len() > 3
        && word.ends_with('s')
        && !["ss", "us", "is", ".js", "'s", "’s"].iter().any(|ending| word.ends_with(ending))
}

/// Whether a word begins a phrase about doing something, and is not a name: `Defining`.
pub(super) fn is_doing(word: &str) -> bool {
    let is_noun = matches!(
        word,
        "spring"
            | "string"
            | "boeing"
            | "beijing"
            | "sterling"
            | "stirling"
            | "everything"
            | "nothing"
            | "something"
            | "anything"
            | "thing"
            | "bring"
            | "during"
    );
    word.len() > 5 && word.ends_with("ing") && !is_noun
}
