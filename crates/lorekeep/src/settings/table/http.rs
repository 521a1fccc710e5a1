//! How HTTP is served, and to whom.

use super::super::checks;
use super::super::draft::Draft;
use super::super::kind::{Kind, Value};
use super::{Family, Flag, HTTP, ROW, SetBy, Setting, Variable};

static HTTP_LIMITS: Family = Family {
    group: HTTP,
    flag: Some("http-limit"),
    variable: "LOREKEEP_HTTP_LIMITS",
    value: "NAME=MAX",
    help: "Limit over HTTP: rate (requests a second for each token; 0 for none), burst (requests at \
           once), in-flight (of one token), inside (of all tokens), waiting, body-bytes, connections",
};

const HTTP_REASON: &str = "it decides who may reach your memories";

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

pub(super) static ROWS: &[Setting] = &[
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
];
