//! What single English words do in a claim: negate, hedge, choose, or say nothing.
//!
//! The lists are short on purpose. A word that is missing here is a word of the subject, and then two
//! texts have to share it before they are compared; so a gap costs a find and never makes a false one.

use std::collections::HashMap;
use std::sync::LazyLock;

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

const ROLES: &[(u32, &str)] = &[
    (
        role::SMALL,
        "a an any each every as also too just very really actually basically simply currently now \
         today so then than of or and that this these those there here such all both \
         always usually typically generally normally mostly exactly only please note remember \
         important strictly explicitly ever again already still yet even quite rather anyway \
         however therefore thus hence while value set configured scheduled happens happen occurs \
         occur held takes take taking place times time once per total been being be up out \
         about around approximately roughly do does did done doing made make makes sure ensure \
         in on at to for by with from into onto under over within per via through during between \
         against it its i me my mine we us our ours you your they them their he him his she her \
         am is are has have having had shall should must can will would get gets got \
         equal equals amount amounts same s called named known namely i.e e.g etc using \
         upon anymore longer ones located situated fact true \
         decided agreed chosen selected the",
    ),
    (role::NOT, "not never no without neither nor none nobody nothing"),
    (
        role::NOT_VERB,
        "stop stops stopped avoid avoids lack lacks dislikes dislike hates hate refuses refuse fails fail",
    ),
    (
        role::HEDGE,
        "maybe perhaps might could would possibly probably potentially considering consider \
         considers considered proposed proposes propose proposal planning plans plan planned \
         wondering unsure unclear whether hope hopes hoping wish wishes sometimes occasionally \
         often rarely some few seldom supposedly allegedly apparently seems seem seemed likely \
         unlikely tentatively assume assumes assuming expected hypothetically example imagine tried trying",
    ),
    (
        role::BE,
        "is are was were be been being am becomes became remains remain stays stay equals equal = :",
    ),
    (
        role::HELPS,
        "is are was were do does did has have had can will shall should must would could may am ought",
    ),
    (role::PAST, "was were did had previously formerly originally initially yesterday ago"),
    (role::FUTURE, "will shall soon tomorrow eventually"),
    (role::WHEN, "if unless when whenever while where wherever once until except during"),
    (
        role::ASIDE,
        "because although though despite whereas e.g i.e namely due thanks so hence therefore",
    ),
    (role::DEFINITE, "the our my his her their its your this that only"),
    (
        role::PREPOSITION,
        "in on at for with by from of during under over to via within across among inside behind per through as against after before",
    ),
    (
        role::SAYS,
        "said says say claims claimed claim argues argued thinks thought think believes believed \
         believe asked asks ask suggests suggested suggest wrote writes reported told tells mentions mentioned \
         according complains complained insists insisted quoted quote denies denied rumor rumour opinion",
    ),
    (role::PRONOUN, "he she it they i we you this that there"),
    (role::RELATIVE, "who which whose whom that"),
    (
        role::ONLY_ONE,
        "primary main default only current preferred favorite official sole canonical chief \
         principal exclusive single correct actual final chosen standard",
    ),
    (
        role::ATTRIBUTE,
        "name version port password language branch owner timezone zone region currency license \
         licence address url uri host hostname birthday birthplace email format color colour theme \
         lead leader manager ceo cto cfo boss president capital location deadline maintainer editor shell \
         framework engine provider vendor username nickname surname hometown employer job \
         role title status state mode strategy policy path directory filename extension encoding \
         codename author director founder supervisor mentor headquarters nationality religion \
         spouse wife husband mother father doctor dentist salary phone budget backend frontend \
         database compiler linter formatter bundler runtime orm protocol domain endpoint \
         locale font style convention architecture approach method schema algorithm method \
         starter codebase server client interpreter registry hosting package-manager pet dog cat",
    ),
    (
        role::ADJECTIVE,
        "fast slow good bad better best worse worst big small large great nice easy hard difficult \
         simple complex important critical ready available useful useless popular common rare \
         cheap expensive free full empty high low long short strong weak clean dirty wrong \
         right old young modern legacy stable reliable robust flaky broken healthy busy happy sad \
         responsible aware sensitive different similar unique special ok okay fine up down \
         scalable secure vulnerable slower faster large-scale under-documented well-tested \
         tricky painful brittle solid mature outdated obsolete redundant temporary permanent",
    ),
    (
        role::NUMBERED,
        "ticket issue bug pr page chapter step phase room worker node shard layer stage sprint \
         task commit line section item question rule level building floor gate track adr rfc \
         pull milestone epic story article figure table appendix invoice order case error code",
    ),
    (role::ONE_OBJECT, "written born led kept"),
    (
        role::VERB_PAST,
        "ran had took kept held wrote built went got made chose left sent became written born led \
         known meant spent grew paid met found",
    ),
];

const VERBS: &[(u32, &str)] = &[
    (role::LIGHT, "use run have listen bind serve allow contain hold take last expose get operate"),
    (role::PREFERS, "prefer favor want"),
    (
        role::CHANGE,
        "switch move migrate change upgrade raise lower increase decrease reduce rename bump downgrade extend shorten shift update",
    ),
    (
        role::ONE_OBJECT,
        "live reside work report belong store keep host deploy locate own maintain lead manage name call \
         license base default point resolve marry root write",
    ),
    (
        role::MANY,
        "support test include accept cover recognize offer provide fix ship release add drop",
    ),
    (
        0,
        "need require like love hate return send receive start end open close create delete remove enable \
         disable validate check read cache log retry expire commit merge push build compile \
         install configure handle process depend rely connect communicate speak eat drink enjoy \
         own follow apply render sort format encrypt compress sign authenticate authorize rotate \
         backup scale restart crash pass fail happen occur meet ship review approve reject block \
         ignore limit throw raise call implement extend inherit override share sync replicate \
         publish subscribe emit consume produce generate parse save load write track trigger invoke \
         prohibit forbid permit exist appear matter mean cost weigh measure avoid lack stop refuse dislike \
         leave arrive depart attend teach study play drive own target point persist survive block \
         fit match equal exceed reach wait sleep ban affect contact ping poll monitor hash squash rebase",
    ),
];

/// Words that say the same; the first is read for the others.
const SYNONYMS: &[&str] = &[
    "use uses utilize utilizes employ employs adopt adopts leverage leverages utilise utilises used",
    "prefer favour favours favors favor wants want prefers",
    "live resides reside lives",
    "start begin begins commence commences starts started",
    "end finish finishes conclude concludes ends",
    "need needs require requires required needed",
    "postgresql postgres psql",
    "javascript js",
    "typescript ts",
    "kubernetes k8s",
    "go golang",
    "vscode vs-code",
    "mongodb mongo",
    "macos osx",
    "database db dbs databases",
    "repository repo repos",
    "production prod",
    "development dev",
    "environment env",
    "configuration config",
    "authentication auth",
    "maximum max maximal",
    "minimum minimal",
    "favorite favourite",
    "color colour colors colours",
    "license licence",
    "application app apps applications",
    "administrator admin admins",
    "documentation docs",
    "directory folder dir",
    "deadline due-date",
    "lead leader",
    "primary main principal",
    "message messages msg",
    "parameter param params",
    "argument arg args",
    "answer reply replies response responses answers",
    "user users",
    "allergic allergy allergies",
];

/// Words, two by two the same, that one of two texts may leave out if enough is left.
const GENERAL: &str = "api apis server servers service services application app project projects \
    system systems user users team teams repository repo codebase code request requests call calls \
    backend back-end product platform program software instance instances setting option number count \
    company organization mode theme";

const GROUPS: &[(Exclusion, &str)] = &[
    (
        Exclusion::Opposite,
        "enabled enable enables on true yes active activated enabling activate \
         | no disabled disable disables off false inactive deactivated disabling deactivate",
    ),
    (
        Exclusion::Opposite,
        "allowed allow allows permitted permit permits permissible legal acceptable okay \
         | forbidden forbid forbids prohibited prohibits disallowed disallow disallows banned illegal unacceptable",
    ),
    (Exclusion::Opposite, "required mandatory compulsory obligatory | optional voluntary"),
    (Exclusion::Opposite, "synchronous sync synchronously | asynchronous async asynchronously"),
    (Exclusion::Opposite, "public publicly | private privately"),
    (Exclusion::Opposite, "valid | invalid"),
    (Exclusion::Opposite, "online | offline"),
    (Exclusion::Opposite, "mutable | immutable"),
    (Exclusion::Opposite, "safe | unsafe"),
    (Exclusion::Opposite, "stable | unstable"),
    (Exclusion::Opposite, "stateful | stateless"),
    (Exclusion::Opposite, "blocking | non-blocking nonblocking"),
    (Exclusion::Opposite, "signed | unsigned"),
    (Exclusion::Opposite, "encrypted | unencrypted plaintext"),
    (Exclusion::Opposite, "available | unavailable"),
    (Exclusion::Opposite, "possible | impossible"),
    (Exclusion::Opposite, "visible | hidden invisible"),
    (Exclusion::Opposite, "deterministic | nondeterministic non-deterministic"),
    (Exclusion::Opposite, "case-sensitive | case-insensitive"),
    (Exclusion::Opposite, "open-source | closed-source proprietary"),
    (Exclusion::Opposite, "nullable | non-nullable"),
    (Exclusion::Opposite, "complete finished | incomplete unfinished"),
    (Exclusion::Opposite, "correct | incorrect"),
    (Exclusion::Opposite, "supported | unsupported"),
    (Exclusion::Opposite, "alive | dead"),
    (Exclusion::Opposite, "married | unmarried"),
    (Exclusion::Opposite, "secure | insecure"),
    (Exclusion::Opposite, "like likes enjoys enjoy loves love | dislike dislikes hates hate"),
    (Exclusion::Opposite, "passes pass passing succeeds succeed | fails fail failing"),
    (Exclusion::Choice, "tabs tab | spaces space"),
    (Exclusion::Choice, "light bright | dark"),
    (Exclusion::Choice, "monolith monolithic | microservices microservice"),
    (Exclusion::Choice, "ascending asc | descending desc"),
    (Exclusion::Choice, "before | after"),
    (Exclusion::Choice, "open opened opens | closed closes"),
    (Exclusion::Choice, "fast quick quickly | slow slowly"),
    (Exclusion::Choice, "short brief concise terse | long detailed verbose lengthy"),
    (Exclusion::Choice, "high | low"),
    (Exclusion::Choice, "large big | small tiny"),
    (Exclusion::Choice, "hot | cold | warm"),
    (Exclusion::Choice, "manual manually | automatic automatically automated"),
    (Exclusion::Choice, "static statically | dynamic dynamically"),
    (Exclusion::Choice, "left | right"),
    (Exclusion::Choice, "top | bottom"),
    (Exclusion::Choice, "horizontal horizontally | vertical vertically"),
    (Exclusion::Choice, "single-threaded | multi-threaded multithreaded"),
    (Exclusion::Choice, "strict | lenient"),
    (Exclusion::Choice, "eager eagerly | lazy lazily"),
    (Exclusion::Choice, "read-only readonly | read-write writable"),
    (Exclusion::Choice, "local locally | remote remotely"),
    (Exclusion::Choice, "internal | external"),
    (Exclusion::Choice, "cheap | expensive"),
    (Exclusion::Choice, "easy | difficult hard"),
    (Exclusion::Choice, "increase increases | decrease decreases"),
    (Exclusion::Choice, "camelcase camel-case | snake_case snake-case | kebab-case | pascalcase"),
    (Exclusion::Choice, "singular | plural"),
    (Exclusion::Choice, "formal formally | informal informally casual"),
    (Exclusion::Choice, "metric | imperial"),
    (Exclusion::Choice, "celsius | fahrenheit"),
    (Exclusion::Choice, "vegan | vegetarian | carnivore"),
    (Exclusion::Choice, "single | double"),
    (
        Exclusion::Choice,
        "morning mornings | afternoon afternoons | evening evenings | night nights",
    ),
    (Exclusion::Choice, "free | paid"),
    (Exclusion::Choice, "little-endian | big-endian"),
    (Exclusion::Choice, "relational | non-relational"),
    (Exclusion::Choice, "present | absent"),
    (Exclusion::Choice, "alphabetically | chronologically"),
    (Exclusion::Choice, "uppercase upper-case | lowercase lower-case"),
    (
        Exclusion::Rival,
        "vim | neovim | emacs | vscode | intellij | nano | sublime | helix | zed | pycharm",
    ),
    (Exclusion::Rival, "npm | yarn | pnpm | bun"),
    (
        Exclusion::Rival,
        "postgresql | mysql | mariadb | sqlite | mongodb | oracle | cassandra | dynamodb",
    ),
    (
        Exclusion::Rival,
        "python | rust | go | java | javascript | typescript | ruby | kotlin | swift | c++ | c# | php | scala",
    ),
    (Exclusion::Rival, "react | vue | angular | svelte | solid"),
    (Exclusion::Rival, "aws | gcp | azure"),
    (Exclusion::Rival, "tea | coffee | water | juice | beer | wine"),
    (Exclusion::Rival, "rest | graphql | grpc | soap"),
    (Exclusion::Rival, "json | yaml | toml | xml | csv"),
    (Exclusion::Rival, "jest | vitest | mocha | jasmine"),
    (Exclusion::Rival, "pytest | unittest"),
    (Exclusion::Rival, "windows | macos | linux"),
    (Exclusion::Rival, "github | gitlab | bitbucket"),
    (Exclusion::Rival, "merge merging | rebase rebasing | squash squashing"),
    (Exclusion::Rival, "cats cat | dogs dog"),
    (Exclusion::Rival, "bash | zsh | fish | powershell"),
    (Exclusion::Rival, "email emails | phone | slack | chat | sms"),
    (
        Exclusion::Rival,
        "english | german | french | spanish | italian | portuguese | japanese | chinese",
    ),
    (Exclusion::Rival, "red | blue | green | yellow | purple | orange | pink | black | white"),
    (Exclusion::Rival, "chrome | firefox | safari | edge"),
    (Exclusion::Rival, "aisle | window"),
    (Exclusion::Rival, "sms | call"),
    (Exclusion::Rival, "functional | object-oriented"),
];

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
