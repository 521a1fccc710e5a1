//! MCP over streamable HTTP, for who brings a token.

pub mod auth;
mod message;
pub mod oauth;
mod sessions;
pub mod tokens;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use model::Role;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use auth::{Gate, Gates};
use sessions::Sessions;

use crate::traces::{self, Traced};

/// Where MCP is served.
pub const PATH: &str = "/mcp";

/// A request larger than this is refused.
const BODY_BYTES_MAX: usize = 4 << 20;

/// Pages on this machine may call; other sites may not.
const ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

/// How long a session of an older client lives without a word.
const SESSION_IDLE_MAX: Duration = Duration::from_secs(30 * 60);

/// How long open connections may take to end once the process was told to stop.
const GRACE: Duration = Duration::from_millis(1_200);

/// How a server is set up.
pub struct Options {
    /// Who is let in: each is asked in turn. Without one nobody is.
    pub gates: Vec<Arc<dyn Gate>>,
    /// The most that anybody may do, whatever their token says.
    pub role_max: Role,
}

/// Serves `handler` until `stop` is cancelled.
pub async fn serve<H>(
    listener: TcpListener,
    handler: H,
    options: Options,
    stop: CancellationToken,
) -> io::Result<()>
where
    H: ServerHandler + Clone,
{
    let app = router(handler, options, &stop)?;
    // Without this every answer on a stream waits for a delayed acknowledgement.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::warn!("TCP_NODELAY: {error}");
        }
    });
    let told = stop.clone();
    let served =
        axum::serve(listener, app).with_graceful_shutdown(async move { told.cancelled().await });
    let over = async {
        stop.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        ended = served => ended,
        () = over => Ok(()),
    }
}

fn router<H>(handler: H, options: Options, stop: &CancellationToken) -> io::Result<Router>
where
    H: ServerHandler + Clone,
{
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(ORIGINS)
        .enforce_origin_validation()
        .with_json_response(true)
        .with_max_request_body_bytes(BODY_BYTES_MAX)
        .with_cancellation_token(stop.child_token());
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_IDLE_MAX);
    let factory = move || Ok(Traced(handler.clone()));
    let service = StreamableHttpService::new(factory, Arc::new(sessions), config);
    let gates = Arc::new(Gates::new(options.gates, options.role_max));
    let mut open = Router::new();
    for (path, document) in gates.documents() {
        let json = [(header::CONTENT_TYPE, "application/json")];
        open = open.route(&path, get(async move || (json, document)));
    }
    let closed = Router::new()
        .route_service(PATH, service)
        .fallback(async || StatusCode::NOT_FOUND)
        .layer(from_fn(message::read))
        .layer(from_fn(traces::request))
        .layer(from_fn_with_state(Arc::new(Sessions::new()?), sessions::bind))
        .layer(from_fn_with_state(gates, auth::authenticate));
    Ok(open.fallback_service(closed))
}

/// Refuses a request that nobody reads any more.
async fn refuse(request: Request, answer: Response) -> Response {
    auth::drain(request).await;
    answer
}

/// An error that belongs to no request, hence without an id.
fn error(status: StatusCode, code: i32, message: &str) -> Response {
    let body = json!({"jsonrpc": "2.0", "error": {"code": code, "message": message}});
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
