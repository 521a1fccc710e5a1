//! Every setting, once. Options, variables, the keys of `lorekeep.toml`, their help, the reference page,
//! `lorekeep config list` and what a project's file may say are all made from this table.
//!
//! A new setting is a row here and the field that its `apply` fills.

use engine::secrets::Policy;
use model::{Layer, Role, Trust, TrustLevel};

use super::Settings;
use super::checks;
use super::draft::Draft;
use super::kind::{Kind, Value};

impl std::fmt::Debug for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.key)
    }
}

/// One setting.
pub(crate) struct Setting {
    /// Its key in `lorekeep.toml`, and its name everywhere else.
    pub key: &'static str,
    pub flag: Flag,
    pub variable: Variable,
    pub kind: Kind,
    pub set_by: SetBy,
    /// The option that this one is for: it is refused without it.
    pub needs: Option<&'static str>,
    /// What holds when nobody says anything, in words.
    pub default: &'static str,
    pub help: &'static str,
    pub apply: fn(&mut Draft, &Value),
}

/// The option of the command line.
#[derive(Clone, Copy)]
pub(crate) enum Flag {
    None,
    /// `--NAME VALUE`: the group, the name, and how help names the value.
    Value(u8, &'static str, &'static str),
    /// `--NAME` sets this.
    Switch(u8, &'static str, bool),
    /// `--NAME KEY=VALUE`, shared by a family.
    Pair(&'static Family, &'static str),
}

/// The variable of the environment.
#[derive(Clone, Copy)]
pub(crate) enum Variable {
    None,
    /// The first of these that is set.
    Named(&'static [&'static str]),
    /// `VARIABLE=KEY=VALUE,…`, shared by a family.
    Pair(&'static Family, &'static str),
    /// Variables that this function reads.
    Read(&'static [&'static str], fn(&checks::Lookup<'_>) -> Result<Option<Value>, String>),
}

/// One option and one variable for several settings.
pub(crate) struct Family {
    pub group: u8,
    /// None for a family without an option.
    pub flag: Option<&'static str>,
    pub variable: &'static str,
    pub value: &'static str,
    pub help: &'static str,
}

/// Who may set it. A person may set everything: by option, variable and the user's own file. What differs
/// is what the `lorekeep.toml` of a project may say that nobody has trusted.
#[derive(Clone, Copy)]
pub(crate) enum SetBy {
    /// Nothing, for this reason.
    User(&'static str),
    /// Nothing, and no file says it: a secret.
    Environment,
    /// Anything.
    Project,
    /// Names on top of those that the person set.
    ProjectAdds,
    /// A folder below the project.
    ProjectBelow,
    /// What leaves the second settings within the first, in these words.
    ProjectRestricts(&'static str, fn(&Settings, &Settings) -> bool),
}

/// Groups of options that commands take together.
pub(crate) const STORE: u8 = 0;
pub(crate) const OFFER: u8 = 1;
pub(crate) const LIMITS: u8 = 2;
pub(crate) const OUTSIDE: u8 = 3;
pub(crate) const HTTP: u8 = 4;
pub(crate) const QUERIES: u8 = 5;

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

static HTTP_LIMITS: Family = Family {
    group: HTTP,
    flag: Some("http-limit"),
    variable: "LOREKEEP_HTTP_LIMITS",
    value: "NAME=MAX",
    help: "Limit over HTTP: rate (requests a second for each token; 0 for none), burst (requests at \
           once), in-flight (of one token), inside (of all tokens), waiting, body-bytes, connections",
};

static BACKUPS: Family = Family {
    group: STORE,
    flag: None,
    variable: "LOREKEEP_BACKUPS",
    value: "NAME=VALUE",
    help: "",
};

const IDENTITY_REASON: &str = "it decides whose memories are read and written";
const LIMIT_REASON: &str = "it decides what is archived or dropped";
const HTTP_REASON: &str = "it decides who may reach your memories";
const REACH_REASON: &str = "it decides what agents may reach";
const MODEL_REASON: &str = "it decides who receives your texts";
const BACKUP_REASON: &str = "it decides what is kept of your store";
const TRACE_REASON: &str = "it decides who learns what you do";

const ROW: Setting = Setting {
    key: "",
    flag: Flag::None,
    variable: Variable::None,
    kind: Kind::Text,
    set_by: SetBy::User(""),
    needs: None,
    default: "none",
    help: "",
    apply: |_, _| {},
};

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

const fn http_limit(
    key: &'static str,
    name: &'static str,
    (min, default): (u64, &'static str),
    help: &'static str,
    apply: fn(&mut Draft, &Value),
) -> Setting {
    Setting {
        key,
        flag: Flag::Pair(&HTTP_LIMITS, name),
        variable: Variable::Pair(&HTTP_LIMITS, name),
        kind: Kind::Int(min, u64::MAX),
        set_by: SetBy::User(HTTP_REASON),
        needs: Some("http.address"),
        default,
        help,
        apply,
    }
}

const fn oauth(
    key: &'static str,
    variable: &'static [&'static str],
    help: &'static str,
    default: &'static str,
    apply: fn(&mut Draft, &Value),
) -> Setting {
    Setting {
        key,
        variable: Variable::Named(variable),
        set_by: SetBy::User(HTTP_REASON),
        default,
        help,
        apply,
        ..ROW
    }
}

const fn secret(
    key: &'static str,
    variable: &'static [&'static str],
    help: &'static str,
) -> Setting {
    Setting {
        key,
        variable: Variable::Named(variable),
        kind: Kind::Secret,
        set_by: SetBy::Environment,
        help,
        ..ROW
    }
}

/// All of them, in the order of the reference.
pub(crate) static SETTINGS: &[Setting] = &[
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
        d.identify(Layer::Agent, v)
    }),
    identity("identity.user", "user", SetBy::User(IDENTITY_REASON), "the login name", |d, v| {
        d.identify(Layer::User, v)
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
        d.identify(Layer::Team, v)
    }),
    identity("identity.org", "org", SetBy::User(IDENTITY_REASON), "`default`", |d, v| {
        d.identify(Layer::Org, v)
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
    Setting {
        key: "outside.roots",
        flag: Flag::Value(OUTSIDE, "root", "DIR"),
        variable: Variable::Named(&["LOREKEEP_ROOTS"]),
        kind: Kind::Paths,
        set_by: SetBy::User(REACH_REASON),
        default: "where the client works, else the working directory",
        help: "Folder whose files agents may read and change",
        apply: |d, v| d.outside.roots = v.paths(),
        ..ROW
    },
    Setting {
        key: "outside.allow-commands",
        flag: Flag::Switch(OUTSIDE, "allow-commands", true),
        variable: Variable::Named(&["LOREKEEP_ALLOW_COMMANDS"]),
        kind: Kind::Bool,
        set_by: SetBy::User(REACH_REASON),
        default: "false",
        help: "Let admins run commands in these folders",
        apply: |d, v| d.outside.allow_commands = v.is_true(),
        ..ROW
    },
    Setting {
        key: "outside.allow-private-urls",
        flag: Flag::Switch(OUTSIDE, "allow-private-urls", true),
        variable: Variable::Named(&["LOREKEEP_ALLOW_PRIVATE_URLS"]),
        kind: Kind::Bool,
        set_by: SetBy::User(REACH_REASON),
        default: "false",
        help: "Let agents read pages of this machine and its network",
        apply: |d, v| d.outside.allow_private_urls = v.is_true(),
        ..ROW
    },
    Setting {
        key: "outside.extractor",
        flag: Flag::Value(OUTSIDE, "extractor", "MODEL"),
        variable: Variable::Named(&["LOREKEEP_EXTRACTOR"]),
        set_by: SetBy::User(MODEL_REASON),
        default: "the client's model, else rules",
        help: "Model that extracts facts from texts: openai:MODEL[@URL] (key: LOREKEEP_EXTRACTOR_KEY) or \
               ollama:MODEL[@URL]",
        apply: |d, v| d.extractor = Some(v.text()),
        ..ROW
    },
    Setting {
        key: "outside.brave-url",
        variable: Variable::Named(&["LOREKEEP_BRAVE_URL"]),
        set_by: SetBy::User(REACH_REASON),
        default: "the service's own",
        help: "Address of the Brave search service",
        apply: |d, v| d.outside.brave_url = Some(v.text()),
        ..ROW
    },
    Setting {
        key: "outside.jina-url",
        variable: Variable::Named(&["LOREKEEP_JINA_URL"]),
        set_by: SetBy::User(REACH_REASON),
        default: "the service's own",
        help: "Address of the Jina reader service",
        apply: |d, v| d.outside.jina_url = Some(v.text()),
        ..ROW
    },
    Setting {
        key: "http.address",
        flag: Flag::Value(HTTP, "http", "ADDR"),
        variable: Variable::Named(&["LOREKEEP_HTTP"]),
        set_by: SetBy::User(HTTP_REASON),
        default: "standard input and output",
        help: "Serve streamable HTTP at this address instead of standard input and output, e.g. \
               127.0.0.1:7420, to callers with a bearer token: one of `lorekeep token`, or \
               LOREKEEP_HTTP_TOKEN. An address beyond this machine needs --tls-cert and --tls-key",
        apply: |d, v| d.http.address = Some(v.text()),
        ..ROW
    },
    Setting {
        key: "http.tls-cert",
        flag: Flag::Value(HTTP, "tls-cert", "FILE"),
        variable: Variable::Named(&["LOREKEEP_TLS_CERT"]),
        kind: Kind::Path,
        set_by: SetBy::User(HTTP_REASON),
        needs: Some("http.address"),
        default: "no TLS, this machine alone",
        help: "TLS certificate chain (PEM)",
        apply: |d, v| d.tls_cert = Some(v.path()),
        ..ROW
    },
    Setting {
        key: "http.tls-key",
        flag: Flag::Value(HTTP, "tls-key", "FILE"),
        variable: Variable::Named(&["LOREKEEP_TLS_KEY"]),
        kind: Kind::Path,
        set_by: SetBy::User(HTTP_REASON),
        needs: Some("http.address"),
        help: "Key of the TLS certificate (PEM)",
        apply: |d, v| d.tls_key = Some(v.path()),
        ..ROW
    },
    Setting {
        key: "http.allowed-hosts",
        flag: Flag::Value(HTTP, "allow-host", "NAME"),
        variable: Variable::Named(&["LOREKEEP_ALLOWED_HOSTS"]),
        kind: Kind::List(checks::host),
        set_by: SetBy::User(HTTP_REASON),
        needs: Some("http.address"),
        default: "this machine's names, and the address that is listened at",
        help: "Name under which callers may reach the server, besides this machine's own",
        apply: |d, v| d.http.allowed_hosts = v.list(),
        ..ROW
    },
    Setting {
        key: "http.allowed-origins",
        flag: Flag::Value(HTTP, "allow-origin", "ORIGIN"),
        variable: Variable::Named(&["LOREKEEP_ALLOWED_ORIGINS"]),
        kind: Kind::List(checks::origin),
        set_by: SetBy::User(HTTP_REASON),
        needs: Some("http.address"),
        default: "pages of this machine",
        help: "Site whose pages may call, e.g. https://app.example, besides those of this machine",
        apply: |d, v| d.http.allowed_origins = v.list(),
        ..ROW
    },
    Setting {
        key: "http.behind-proxy",
        flag: Flag::Switch(HTTP, "behind-proxy", true),
        variable: Variable::Named(&["LOREKEEP_BEHIND_PROXY"]),
        kind: Kind::Bool,
        set_by: SetBy::User(HTTP_REASON),
        needs: Some("http.address"),
        default: "false",
        help: "Serve beyond this machine without TLS, because a proxy in front of the server ends it. \
               Whoever reaches the address without the proxy, or reads the network between the two, reads \
               every memory and token",
        apply: |d, v| d.http.behind_proxy = v.is_true(),
    },
    http_limit(
        "http.limits.rate",
        "rate",
        (0, "500"),
        "Requests a second for each token; 0 for no limit",
        |d, v| {
            d.http.limits.rate_max = checks::small(v);
        },
    ),
    http_limit(
        "http.limits.burst",
        "burst",
        (1, "1000"),
        "Requests at once for each token",
        |d, v| {
            d.http.limits.burst_max = checks::small(v);
        },
    ),
    http_limit(
        "http.limits.in-flight",
        "in-flight",
        (1, "128"),
        "Requests of one token being answered",
        |d, v| {
            d.http.limits.in_flight_max = checks::size(v);
        },
    ),
    http_limit(
        "http.limits.inside",
        "inside",
        (1, "8 for each processor"),
        "Requests of all tokens being answered",
        |d, v| {
            d.http.limits.inside_max = checks::size(v);
        },
    ),
    http_limit(
        "http.limits.waiting",
        "waiting",
        (1, "512"),
        "Requests that wait for their turn",
        |d, v| {
            (d.http.waiting_max, d.http.limits.waiting_max) = (checks::size(v), checks::size(v));
        },
    ),
    http_limit(
        "http.limits.body-bytes",
        "body-bytes",
        (1, "4 MB"),
        "Bytes of a request's body",
        |d, v| {
            d.http.limits.body_bytes_max = checks::size(v);
        },
    ),
    http_limit(
        "http.limits.connections",
        "connections",
        (1, "1024"),
        "Open connections",
        |d, v| {
            d.http.limits.connections_max = checks::size(v);
        },
    ),
    oauth(
        "http.oauth.issuer",
        &["LOREKEEP_OAUTH_ISSUER"],
        "Issuer whose tokens are accepted, e.g. https://login.example",
        "none",
        |d, v| {
            d.oauth.issuer = Some(v.text());
        },
    ),
    oauth(
        "http.oauth.audience",
        &["LOREKEEP_OAUTH_AUDIENCE"],
        "This server as tokens name it, e.g. https://lore.example/mcp",
        "none",
        |d, v| {
            d.oauth.audience = Some(v.text());
        },
    ),
    oauth(
        "http.oauth.resource",
        &["LOREKEEP_OAUTH_RESOURCE"],
        "This server's address in the OAuth metadata",
        "the audience",
        |d, v| {
            d.oauth.resource = Some(v.text());
        },
    ),
    oauth(
        "http.oauth.jwks",
        &["LOREKEEP_OAUTH_JWKS"],
        "Address of the issuer's keys",
        "as the issuer's metadata says",
        |d, v| {
            d.oauth.jwks = Some(v.text());
        },
    ),
    Setting {
        key: "http.oauth.scopes",
        variable: Variable::Named(&["LOREKEEP_OAUTH_SCOPES"]),
        kind: Kind::Map,
        set_by: SetBy::User(HTTP_REASON),
        default: "`lorekeep:read` = guest, `lorekeep:write` = user, `lorekeep:admin` = admin",
        help: "The role that a scope gives",
        apply: |d, v| d.oauth.scopes = Some(v.map()),
        ..ROW
    },
    oauth(
        "http.oauth.user-claim",
        &["LOREKEEP_OAUTH_USER_CLAIM"],
        "Claim that names the user",
        "`sub`",
        |d, v| {
            d.oauth.user_claim = Some(v.text());
        },
    ),
    oauth(
        "http.oauth.project-claim",
        &["LOREKEEP_OAUTH_PROJECT_CLAIM"],
        "Claim that names the project",
        "none",
        |d, v| {
            d.oauth.project_claim = Some(v.text());
        },
    ),
    oauth(
        "http.oauth.team-claim",
        &["LOREKEEP_OAUTH_TEAM_CLAIM"],
        "Claim that names the team",
        "none",
        |d, v| {
            d.oauth.team_claim = Some(v.text());
        },
    ),
    oauth(
        "http.oauth.org-claim",
        &["LOREKEEP_OAUTH_ORG_CLAIM"],
        "Claim that names the org",
        "none",
        |d, v| {
            d.oauth.org_claim = Some(v.text());
        },
    ),
    oauth(
        "http.oauth.namespaces-claim",
        &["LOREKEEP_OAUTH_NAMESPACES_CLAIM"],
        "Claim that lists namespaces of the ledger",
        "none",
        |d, v| {
            d.oauth.namespaces_claim = Some(v.text());
        },
    ),
    Setting {
        key: "backups.keep",
        variable: Variable::Pair(&BACKUPS, "keep"),
        kind: Kind::Int(0, u64::MAX),
        set_by: SetBy::User(BACKUP_REASON),
        default: "7",
        help: "How many rolling backups are kept; 0 for none",
        apply: |d, v| d.backups.keep = checks::size(v),
        ..ROW
    },
    Setting {
        key: "backups.every",
        variable: Variable::Pair(&BACKUPS, "every"),
        kind: Kind::Duration,
        set_by: SetBy::User(BACKUP_REASON),
        default: "24h",
        help: "How often a backup is made; 0 for never",
        apply: |d, v| d.backups.every = v.duration(),
        ..ROW
    },
    Setting {
        key: "backups.max-age",
        variable: Variable::Pair(&BACKUPS, "max-age"),
        kind: Kind::Duration,
        set_by: SetBy::User(BACKUP_REASON),
        default: "90d",
        help: "How old a backup gets, the newest apart; 0 for any age",
        apply: |d, v| d.backups.age_max = v.duration(),
        ..ROW
    },
    Setting {
        key: "traces.enabled",
        variable: Variable::Read(&["LOREKEEP_TRACES", "OTEL_SDK_DISABLED"], checks::traces_enabled),
        kind: Kind::Bool,
        set_by: SetBy::User(TRACE_REASON),
        default: "true where an endpoint is set",
        help: "Send OpenTelemetry traces",
        apply: |d, v| d.traces_enabled = Some(v.is_true()),
        ..ROW
    },
    Setting {
        key: "traces.endpoint",
        variable: Variable::Read(&["LOREKEEP_TRACES"], checks::traces_endpoint),
        kind: Kind::Checked(checks::address),
        set_by: SetBy::User(TRACE_REASON),
        default: "as the OTEL_* variables say",
        help: "Address of the collector, e.g. http://127.0.0.1:4318",
        apply: |d, v| d.traces_endpoint = Some(v.text()),
        ..ROW
    },
    Setting {
        key: "log",
        variable: Variable::Named(&["LOREKEEP_LOG"]),
        set_by: SetBy::Environment,
        default: "`warn,rmcp=error`, to standard error",
        help: "What is logged, in the form of tracing's EnvFilter",
        ..ROW
    },
    Setting {
        key: "hooks",
        variable: Variable::Named(&["LOREKEEP_HOOKS"]),
        set_by: SetBy::Environment,
        default: "on",
        help: "`off` makes the hooks of agents and of git do nothing",
        ..ROW
    },
    secret(
        "http-token",
        &["LOREKEEP_HTTP_TOKEN"],
        "A bearer token that is accepted over HTTP besides those of `lorekeep token`",
    ),
    secret(
        "embedder-key",
        &["LOREKEEP_EMBEDDER_KEY", "OPENAI_API_KEY"],
        "Key for the embedding model; OPENAI_API_KEY is sent to OpenAI alone",
    ),
    secret(
        "extractor-key",
        &["LOREKEEP_EXTRACTOR_KEY", "OPENAI_API_KEY"],
        "Key for the model that extracts facts; OPENAI_API_KEY is sent to OpenAI alone",
    ),
    secret("brave-key", &["BRAVE_API_KEY"], "Key for web search"),
    secret("jina-key", &["JINA_API_KEY"], "Key for the page reader"),
];
