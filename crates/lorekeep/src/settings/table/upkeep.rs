//! Backups, traces, the log, and what stands in variables alone.

use super::super::checks;
use super::super::kind::Kind;
use super::{Family, ROW, STORE, SetBy, Setting, Variable};

static BACKUPS: Family = Family {
    group: STORE,
    flag: None,
    variable: "LOREKEEP_BACKUPS",
    value: "NAME=VALUE",
    help: "",
};

const BACKUP_REASON: &str = "it decides what is kept of your store";
const TRACE_REASON: &str = "it decides who learns what you do";

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

pub(super) static ROWS: &[Setting] = &[
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
