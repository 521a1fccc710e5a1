//! The lists of words behind [`super::lexicon`].

use super::lexicon::{Exclusion, role};

/// What words do, whatever their form.
pub(super) const ROLES: &[(u32, &str)] = &[
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
        "about around in on at for with by from of during under over to via within across among inside behind per through as against after before",
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

/// Verbs in their plain form, and what they do.
pub(super) const VERBS: &[(u32, &str)] = &[
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
         exit fit match equal exceed reach wait sleep ban affect contact ping poll monitor hash squash rebase",
    ),
];

/// Words that say the same; the first is read for the others.
pub(super) const SYNONYMS: &[&str] = &[
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
pub(super) const GENERAL: &str = "api apis server servers service services application app project projects \
    system systems user users team teams repository repo codebase code request requests call calls \
    backend back-end product platform program software instance instances setting option number count \
    company organization mode theme";

/// Words that exclude each other: members are parted by `|`, words for the same member by spaces.
pub(super) const GROUPS: &[(Exclusion, &str)] = &[
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
    (Exclusion::Choice, "open opened | closed"),
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
