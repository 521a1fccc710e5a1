//! What is stored where, what agents may do with it, and in whose name.

use engine::secrets::Policy;
use model::{Layer, Role, Trust, TrustLevel};

use super::super::checks;
use super::super::draft::Draft;
use super::super::kind::{Kind, Value};
use super::{
    Family, Flag, LIMITS, MODEL_REASON, OFFER, QUERIES, ROW, STORE, SetBy, Setting, Variable,
};

static IDENTITY: Family = Family {
    group: STORE,
    flag: Some("identity"),
    variable: "LOREKEEP_IDENTITY",
    value: "LAYER=ID",
    help: "Id of the caller in a layer, e.g. user=ada or project=web",
};

static STORE_LIMITS: Family = Family {
    group: LIMITS,
    flag: Some("limit"),
    variable: "LOREKEEP_LIMITS",
    value: "NAME=MAX",
    help: "Limit on notes (notes-core, notes-learning, notes-task), or on the days that events without a \
           decision are kept (event-days); 0 lifts it",
};

const IDENTITY_REASON: &str = "it decides whose memories are read and written";
const LIMIT_REASON: &str = "it decides what is archived or dropped";

const fn identity(
    key: &'static str,
    layer: &'static str,
    set_by: SetBy,
    default: &'static str,
    apply: fn(&mut Draft, &Value),
) -> Setting {
    Setting {
        key,
        flag: Flag::Pair(&IDENTITY, layer),
        variable: Variable::Pair(&IDENTITY, layer),
        kind: Kind::Checked(checks::owner),
        set_by,
        default,
        help: "Id of the caller in this layer",
        apply,
        ..ROW
    }
}

const fn limit(
    key: &'static str,
    name: &'static str,
    help: &'static str,
    apply: fn(&mut Draft, &Value),
) -> Setting {
    Setting {
        key,
        flag: Flag::Pair(&STORE_LIMITS, name),
        variable: Variable::Pair(&STORE_LIMITS, name),
        kind: Kind::Int(0, u64::MAX),
        set_by: SetBy::User(LIMIT_REASON),
        default: "none; those of agent-memory with its toolsets",
        help,
        apply,
        ..ROW
    }
}

pub(super) static ROWS: &[Setting] = &[
    Setting {
        key: "data-dir",
        flag: Flag::Value(STORE, "data-dir", "DIR"),
        variable: Variable::Named(&["LOREKEEP_DATA_DIR"]),
        kind: Kind::Path,
        set_by: SetBy::User(
            "it decides whose text your agents read and where your memories are written",
        ),
        default: "`lorekeep` in the user's data directory",
        help: "Directory of the store",
        apply: |d, v| d.data_dir = Some(v.path()),
        ..ROW
    },
    Setting {
        key: "knowledge-dir",
        flag: Flag::Value(STORE, "knowledge-dir", "DIR"),
        variable: Variable::Named(&["LOREKEEP_KNOWLEDGE_DIR"]),
        kind: Kind::Path,
        set_by: SetBy::ProjectBelow,
        default: "`knowledge` in the data directory",
        help: "Directory of the knowledge items",
        apply: |d, v| d.knowledge_dir = Some(v.path()),
        ..ROW
    },
    Setting {
        key: "toolsets",
        flag: Flag::Value(OFFER, "toolsets", "NAMES"),
        variable: Variable::Named(&["LOREKEEP_TOOLSETS"]),
        kind: Kind::List(checks::toolset),
        set_by: SetBy::ProjectRestricts("fewer tools", checks::offers_no_more),
        default: "`layers`, `knowledge`",
        help: "Toolsets to offer, `all`, or a system to stand in for",
        apply: |d, v| d.toolsets = Some(v.list()),
        ..ROW
    },
    Setting {
        key: "tools",
        flag: Flag::Value(OFFER, "tools", "NAMES"),
        variable: Variable::Named(&["LOREKEEP_TOOLS"]),
        kind: Kind::List(checks::tool),
        set_by: SetBy::ProjectRestricts("fewer tools", checks::offers_no_more),
        help: "Single tools to offer besides the toolsets",
        apply: |d, v| d.selection.tools = v.list(),
        ..ROW
    },
    Setting {
        key: "exclude-tools",
        flag: Flag::Value(OFFER, "exclude-tools", "NAMES"),
        variable: Variable::Named(&["LOREKEEP_EXCLUDE_TOOLS"]),
        kind: Kind::List(checks::tool),
        set_by: SetBy::ProjectAdds,
        help: "Tools not to offer, whatever the toolsets say",
        apply: |d, v| d.selection.exclude = v.list(),
        ..ROW
    },
    Setting {
        key: "read-only",
        flag: Flag::Switch(STORE, "read-only", true),
        variable: Variable::Named(&["LOREKEEP_READ_ONLY"]),
        kind: Kind::Bool,
        set_by: SetBy::ProjectRestricts("true", |person, project| {
            project.selection.read_only || !person.selection.read_only
        }),
        default: "false",
        help: "Offer no tool that writes, and change nothing",
        apply: |d, v| d.selection.read_only = v.is_true(),
        ..ROW
    },
    Setting {
        key: "role",
        flag: Flag::Value(STORE, "role", "ROLE"),
        variable: Variable::Named(&["LOREKEEP_ROLE", "LEDGERMIND_DEFAULT_ROLE"]),
        kind: Kind::OneOf(|| Role::ALL.map(Role::name).to_vec()),
        set_by: SetBy::ProjectRestricts("a lower role", |person, project| {
            project.role <= person.role
        }),
        default: "`admin`",
        help: "Role of the caller",
        apply: |d, v| d.role = v.text().parse().unwrap_or(d.role),
        ..ROW
    },
    identity("identity.agent", "agent", SetBy::User(IDENTITY_REASON), "`default`", |d, v| {
        d.identify(Layer::Agent, v);
    }),
    identity("identity.user", "user", SetBy::User(IDENTITY_REASON), "the login name", |d, v| {
        d.identify(Layer::User, v);
    }),
    identity(
        "identity.session",
        "session",
        SetBy::User(IDENTITY_REASON),
        "one for each process",
        |d, v| {
            d.identify(Layer::Session, v);
        },
    ),
    identity(
        "identity.project",
        "project",
        SetBy::Project,
        "the name of the git root or folder",
        |d, v| {
            d.identify(Layer::Project, v);
        },
    ),
    identity("identity.team", "team", SetBy::User(IDENTITY_REASON), "`default`", |d, v| {
        d.identify(Layer::Team, v);
    }),
    identity("identity.org", "org", SetBy::User(IDENTITY_REASON), "`default`", |d, v| {
        d.identify(Layer::Org, v);
    }),
    identity("identity.company", "company", SetBy::User(IDENTITY_REASON), "`default`", |d, v| {
        d.identify(Layer::Company, v);
    }),
    Setting {
        key: "trust",
        flag: Flag::Value(STORE, "trust", "WHO"),
        variable: Variable::Named(&["LOREKEEP_TRUST"]),
        kind: Kind::OneOf(|| Trust::ALL.iter().map(|trust| trust.name()).collect()),
        set_by: SetBy::ProjectRestricts("human_only", |person, project| {
            project.trust == person.trust || project.trust == Trust::HumanOnly
        }),
        default: "`open`",
        help: "Who may change records of the ledger: tools and people (open), or people alone, in the files \
               (human_only)",
        apply: |d, v| d.trust = Trust::named(&v.text()).unwrap_or(d.trust),
        ..ROW
    },
    Setting {
        key: "inject",
        variable: Variable::Named(&["LOREKEEP_INJECT"]),
        kind: Kind::OneOf(|| TrustLevel::ALL.iter().map(|level| level.name()).collect()),
        set_by: SetBy::ProjectRestricts("a higher level", |person, project| {
            project.inject >= person.inject
        }),
        default: "`agent`",
        help: "Lowest level of trust that a text needs to be given to agents without being asked for",
        apply: |d, v| d.inject = TrustLevel::named(&v.text()).unwrap_or(d.inject),
        ..ROW
    },
    Setting {
        key: "secrets.policy",
        flag: Flag::Value(STORE, "secrets", "POLICY"),
        variable: Variable::Named(&["LOREKEEP_SECRETS"]),
        kind: Kind::OneOf(|| Policy::ALL.map(Policy::name).to_vec()),
        set_by: SetBy::ProjectRestricts("a stricter policy", |person, project| {
            checks::strictness(project.secrets) >= checks::strictness(person.secrets)
        }),
        default: "`refuse`",
        help: "What happens to keys, tokens and passwords in a text to store: refuse the text (in files \
               and imports only the secret is left out), redact, or keep",
        apply: |d, v| d.secrets = Policy::named(&v.text()).unwrap_or(d.secrets),
        ..ROW
    },
    Setting {
        key: "keep-queries",
        flag: Flag::Switch(QUERIES, "no-keep-queries", false),
        variable: Variable::Named(&["LOREKEEP_KEEP_QUERIES"]),
        kind: Kind::Bool,
        set_by: SetBy::ProjectRestricts("false", |person, project| {
            !project.keep_queries || person.keep_queries
        }),
        default: "true: the last 500 of each user",
        help: "Keep what was searched for, for `reindex --check`",
        apply: |d, v| d.keep_queries = v.is_true(),
        ..ROW
    },
    Setting {
        key: "audit-reads",
        variable: Variable::Named(&["LOREKEEP_AUDIT_READS"]),
        kind: Kind::Bool,
        set_by: SetBy::User("it decides what is recorded about you"),
        default: "false: writes and refusals alone",
        help: "Record calls that only read in the audit log, too",
        apply: |d, v| d.audit_reads = v.is_true(),
        ..ROW
    },
    Setting {
        key: "embedder",
        flag: Flag::Value(STORE, "embedder", "MODEL"),
        variable: Variable::Named(&["LOREKEEP_EMBEDDER"]),
        set_by: SetBy::User(MODEL_REASON),
        default: "`builtin`",
        help: "Embedding model: builtin, none (words alone), folder:PATH or package:NAME (a BERT model \
               that runs here), openai:MODEL[@URL] (key: LOREKEEP_EMBEDDER_KEY) or ollama:MODEL[@URL]",
        apply: |d, v| d.embedder = Some(v.text()),
        ..ROW
    },
    Setting {
        key: "embedder-dimensions",
        flag: Flag::Value(STORE, "embedder-dimensions", "NUMBER"),
        variable: Variable::Named(&["LOREKEEP_EMBEDDER_DIMENSIONS"]),
        kind: Kind::Int(1, u64::MAX),
        set_by: SetBy::User(MODEL_REASON),
        default: "the model's",
        help: "Dimensions of the vectors, where an OpenAI-compatible model leaves a choice",
        apply: |d, v| d.embedder_dimensions = usize::try_from(v.number()).ok(),
        ..ROW
    },
    limit(
        "limits.notes-core",
        "notes-core",
        "Core notes: one more is refused; 0 for no limit",
        |d, v| {
            d.notes_core_max = Some(v.number());
        },
    ),
    limit(
        "limits.notes-learning",
        "notes-learning",
        "Learnings: the least recently read are archived; 0 for no limit",
        |d, v| {
            d.notes_learning_max = Some(v.number());
        },
    ),
    limit(
        "limits.notes-task",
        "notes-task",
        "Tasks: the least recently read are archived; 0 for no limit",
        |d, v| {
            d.notes_task_max = Some(v.number());
        },
    ),
    limit(
        "limits.event-days",
        "event-days",
        "Days that events without a decision are kept; 0 for no limit",
        |d, v| {
            d.event_days = Some(v.number());
        },
    ),
];
