//! MCP over streamable HTTP, for who brings a token.
//!
//! A request passes, in this order: the connection ([`listener`]: how many, how slow, TLS;
//! [`descriptors`]: how many fit; [`guests`]: who makes way), the count ([`watch`], which tells
//! [`door`] of what is refused further in), from where it comes ([`sites`]: Host and Origin), who it is
//! ([`auth`], [`gates`]), how much they ask ([`limits`]), whose session it is ([`sessions`]), its span
//! ([`traces`](crate::traces)), its message ([`message`], [`bodies`]), its turn ([`turns`]), and the
//! SDK. An answer that goes on is watched ([`streams`]).

pub mod auth;
mod bodies;
mod descriptors;
mod door;
pub mod gates;
mod guests;
mod limits;
mod listener;
mod message;
pub mod oauth;
pub mod private;
mod sessions;
mod sites;
pub(crate) mod step_up;
mod streams;
mod tls;
pub mod tokens;
mod turns;
mod watch;

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use model::{Actor, Role};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use auth::{Gate, Gates};
use bodies::Bodies;
use door::{Door, Refused};
use limits::Bearers;
pub use limits::Limits;
use listener::Shared;
use sessions::Sessions;
use sites::Sites;
pub use tls::Tls;
use turns::Entrance;

use crate::metrics::{Metrics, Reason};
use crate::probe::Probe;
use crate::traces;

/// Where MCP is served.
pub const PATH: &str = "/mcp";

/// This machine, as callers on it call it.
const HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Pages on this machine may call; other sites may not.
const ORIGINS: [&str; 6] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
    "https://[::1]:*",
];

/// How long a session of an older client lives without a word.
const SESSION_IDLE_MAX: Duration = Duration::from_secs(30 * 60);

/// How a server is set up.
pub struct Options {
    /// Who is let in: each is asked in turn. Without one nobody is.
    pub gates: Vec<Arc<dyn Gate>>,
    /// The most that anybody may do, whatever their token says.
    pub role_max: Role,
    /// Names under which callers may reach the server, besides this machine's own.
    pub allowed_hosts: Vec<String>,
    /// Sites whose pages may call, besides those of this machine.
    pub allowed_origins: Vec<String>,
    /// How much is taken.
    pub limits: Limits,
    /// The certificate, if there is to be TLS.
    pub tls: Option<Tls>,
    /// A look at the server, for who watches it.
    pub probe: Option<Arc<Probe>>,
}

impl Options {
    /// Options with these gates, and the usual for the rest.
    pub fn new(gates: Vec<Arc<dyn Gate>>) -> Self {
        Self {
            gates,
            role_max: Role::Admin,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            limits: Limits::default(),
            tls: None,
            probe: None,
        }
    }
}

/// What is wrong with names and sites that are to be allowed, if anything.
pub fn check_sites(hosts: &[String], origins: &[String]) -> Result<(), String> {
    Sites::new(hosts, origins).map(|_| ())
}

/// Serves `handler` until `stop` is cancelled.
pub async fn serve<H>(
    listener: TcpListener,
    handler: H,
    mut options: Options,
    stop: CancellationToken,
) -> io::Result<()>
where
    H: ServerHandler + Clone,
{
    // Who listens at one address of its own may be called by it.
    let address = listener.local_addr()?.ip();
    if !address.is_unspecified() {
        options.allowed_hosts.push(match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        });
    }
    let metrics = options.probe.as_ref().map(|probe| Arc::clone(probe.metrics()));
    let metrics = metrics.unwrap_or_default();
    let (mut limits, tls) = (options.limits, options.tls.take());
    limits.connections_max = descriptors::for_connections(limits.connections_max);
    let broken_off = CancellationToken::new();
    let app = router(handler, options, Arc::clone(&metrics), &broken_off)?;
    // Streams do not end by themselves, and nobody waits for long.
    let (told, _ends) = (stop.clone(), broken_off.clone().drop_guard());
    tokio::spawn(async move {
        told.cancelled().await;
        tokio::time::sleep(limits.grace_time_max).await;
        broken_off.cancel();
    });
    listener::run(listener, Shared { app, limits, tls, metrics, stop }).await;
    Ok(())
}

fn router<H>(
    handler: H,
    options: Options,
    metrics: Arc<Metrics>,
    broken_off: &CancellationToken,
) -> io::Result<Router>
where
    H: ServerHandler + Clone,
{
    let limits = options.limits;
    let own = |list: &[&str], more: Vec<String>| -> Vec<String> {
        list.iter().map(|one| (*one).to_owned()).chain(more).collect()
    };
    let hosts = own(&HOSTS, options.allowed_hosts);
    let origins = own(&ORIGINS, options.allowed_origins);
    let wrong = |why| io::Error::new(io::ErrorKind::InvalidInput, why);
    let sites = Arc::new(Sites::new(&hosts, &origins).map_err(wrong)?);
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_json_response(true)
        .with_max_request_body_bytes(limits.body_bytes_max)
        .with_cancellation_token(broken_off.child_token());
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = Some(SESSION_IDLE_MAX);
    let manager = Arc::new(manager);
    let sessions = Arc::new(Sessions::new(Arc::clone(&manager))?);
    let factory = move || Ok(handler.clone());
    let service = StreamableHttpService::new(factory, manager, config);
    let door = Door::new(options.probe.as_ref().map(|probe| probe.opening()));
    let entrance = Arc::new(Entrance::new(limits, Arc::clone(&metrics)));
    let bodies = Arc::new(Bodies::new(&limits));
    let gates = Arc::new(Gates::new(options.gates, options.role_max));
    let mut open = Router::new()
        .route("/healthz", get(watch::lives))
        .route("/readyz", get(watch::is_ready))
        .with_state(options.probe.clone());
    for (path, document) in gates.documents() {
        let json = [(header::CONTENT_TYPE, "application/json")];
        open = open.route(&path, get(async move || (json, document)));
    }
    let closed = Router::new()
        .route_service(PATH, service)
        .layer(from_fn_with_state((limits, entrance, bodies), message::read))
        .layer(from_fn(traces::request))
        .layer(from_fn_with_state(sessions, sessions::bind))
        .route("/metrics", get(watch::figures))
        .with_state(options.probe)
        .fallback(async || StatusCode::NOT_FOUND)
        .layer(from_fn_with_state(Arc::new(Bearers::new(limits)), limits::limit))
        .layer(from_fn_with_state(gates, auth::authenticate));
    let all = open.fallback_service(closed).layer(from_fn_with_state(sites, sites::check));
    let watched = Arc::new(watch::Watched { metrics, door });
    Ok(all.layer(from_fn_with_state(watched, watch::observe)))
}

/// Refuses a request that nobody reads any more; who it was and why is noted.
async fn refuse(
    request: Request,
    mut answer: Response,
    reason: Reason,
    (actor, why): (Option<Actor>, String),
) -> Response {
    let is_known = request.extensions().get::<Arc<auth::Grant>>().is_some();
    if !auth::drain(request.into_body(), is_known).await {
        answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    Refused::mark(&mut answer, actor, why);
    answer.extensions_mut().insert(reason);
    answer
}

/// An error that belongs to no request, hence without an id.
fn error(status: StatusCode, code: i32, message: &str) -> Response {
    error_with(status, code, message, None)
}

/// The same with data for programs.
fn error_with(status: StatusCode, code: i32, message: &str, data: Option<Value>) -> Response {
    error_of(None, status, code, message, data)
}

/// An error about the request of this id.
fn error_of(
    id: Option<Value>,
    status: StatusCode,
    code: i32,
    message: &str,
    data: Option<Value>,
) -> Response {
    // It may repeat what was asked for.
    let message = engine::trust::visible(message);
    let mut body = json!({"jsonrpc": "2.0", "error": {"code": code, "message": message}});
    if let Some(id) = id {
        body["id"] = id;
    }
    if let Some(data) = data {
        body["error"]["data"] = data;
    }
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
