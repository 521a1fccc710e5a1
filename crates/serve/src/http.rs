//! MCP over streamable HTTP, on this machine only.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::lines;

/// How a bearer token is announced, in any case.
const SCHEME: &[u8] = b"Bearer ";

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

/// Serves `handler` until `stop` is cancelled. With a `token`, only to who brings it.
pub async fn serve<H>(
    listener: TcpListener,
    handler: H,
    token: Option<Arc<str>>,
    stop: CancellationToken,
) -> io::Result<()>
where
    H: ServerHandler + Clone,
{
    let app = router(handler, token, &stop);
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

fn router<H>(handler: H, token: Option<Arc<str>>, stop: &CancellationToken) -> Router
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
    let factory = move || Ok(handler.clone());
    let service = StreamableHttpService::new(factory, Arc::new(sessions), config);
    Router::new()
        .route_service(PATH, service)
        .layer(from_fn(json_errors))
        .layer(from_fn_with_state(token, authenticate))
}

/// Lets through who brings the token, or everybody if there is none.
async fn authenticate(
    State(token): State<Option<Arc<str>>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(token) = token else { return next.run(request).await };
    let brought = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.as_bytes().split_at_checked(SCHEME.len()))
        .and_then(|(scheme, token)| scheme.eq_ignore_ascii_case(SCHEME).then_some(token));
    if brought.is_some_and(|brought| bool::from(brought.ct_eq(token.as_bytes()))) {
        return next.run(request).await;
    }
    // A body left unread would cost the client its connection, and with it the next request on it.
    let _ = to_bytes(request.into_body(), BODY_BYTES_MAX).await;
    let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
    let body = error(StatusCode::UNAUTHORIZED, -32600, "a bearer token is needed");
    (challenge, body).into_response()
}

/// rmcp answers a body that is no JSON-RPC message with 415 and plain text.
async fn json_errors(request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let is_json = parts
        .headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"application/json"));
    let Ok(body) = to_bytes(body, BODY_BYTES_MAX).await else {
        let text = format!("the request is larger than {BODY_BYTES_MAX} bytes");
        return error(StatusCode::PAYLOAD_TOO_LARGE, -32600, &text);
    };
    let body = match lines::mend(&body) {
        Err(why) if is_json => {
            let text = format!("the body could not be read: {why}");
            return error(StatusCode::BAD_REQUEST, -32700, &text);
        }
        Ok(Cow::Owned(mended)) => mended.into(),
        Ok(Cow::Borrowed(_)) | Err(_) => body,
    };
    let response = next.run(Request::from_parts(parts, Body::from(body))).await;
    if is_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        let text = "the body is not a JSON-RPC request or notification (batches are not supported)";
        return error(StatusCode::BAD_REQUEST, -32600, text);
    }
    response
}

/// An error that belongs to no request, hence without an id.
fn error(status: StatusCode, code: i32, message: &str) -> Response {
    let body = json!({"jsonrpc": "2.0", "error": {"code": code, "message": message}});
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
