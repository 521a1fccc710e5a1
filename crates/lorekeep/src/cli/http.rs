//! Options of serving over HTTP.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Where HTTP is served, to whom, and how much of it.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct HttpArgs {
    /// Serve streamable HTTP at this address instead, e.g. 127.0.0.1:7420, to who brings a bearer
    /// token: one of `lorekeep token`, or LOREKEEP_HTTP_TOKEN. Beyond this machine it needs
    /// --tls-cert and --tls-key [LOREKEEP_HTTP, http or http.address]
    #[arg(long, value_name = "ADDR")]
    pub http: Option<String>,
    /// Certificate for TLS, with those that vouch for it: PEM [LOREKEEP_TLS_CERT, http.tls-cert]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub tls_cert: Option<PathBuf>,
    /// The certificate's key: PEM [LOREKEEP_TLS_KEY, http.tls-key]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub tls_key: Option<PathBuf>,
    /// Name under which callers may reach the server, besides this machine's own
    /// [LOREKEEP_ALLOWED_HOSTS, http.allowed-hosts]
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Site whose pages may call, e.g. https://app.example, besides those of this machine
    /// [LOREKEEP_ALLOWED_ORIGINS, http.allowed-origins]
    #[arg(long, value_name = "ORIGIN")]
    pub allow_origin: Vec<String>,
    /// Serve beyond this machine without TLS, because a proxy in front ends it. Whoever can reach the
    /// address without the proxy, or read the network between the two, reads every memory and token
    /// [LOREKEEP_BEHIND_PROXY, http.behind-proxy]
    #[arg(long)]
    pub behind_proxy: bool,
    /// Limit over HTTP: rate (requests a second of one token; 0 for any), burst (how many at once),
    /// in-flight (of one token, being answered), inside (of all tokens, at once), waiting (for their
    /// turn), body-bytes, connections [LOREKEEP_HTTP_LIMITS, http.limits]
    #[arg(long, value_name = "NAME=MAX")]
    pub http_limit: Vec<String>,
}
