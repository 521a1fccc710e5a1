//! The message in a request's body.

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use tokio::time::timeout;

use super::auth::Grant;
use super::door::Refused;
use super::error;
use super::limits::Limits;
use super::sessions::Full;
use super::turns::Entrance;
use crate::lines;
use crate::metrics::Reason;

/// Reads the message. rmcp answers a body that is no JSON-RPC message with 415 and plain text.
pub(super) async fn read(
    State((limits, entrance)): State<(Limits, Arc<Entrance>)>,
    request: Request,
    next: Next,
) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let is_json = parts
        .headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"application/json"));
    let max = limits.body_bytes_max;
    let body = match timeout(limits.body_time_max, to_bytes(body, max)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            let text = format!("the request is larger than {max} bytes");
            return given_up(StatusCode::PAYLOAD_TOO_LARGE, &text);
        }
        Err(_) => {
            let seconds = limits.body_time_max.as_secs_f64();
            let text = format!("the request took longer than {seconds} s to come");
            let mut late = given_up(StatusCode::REQUEST_TIMEOUT, &text);
            late.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            return late;
        }
    };
    let grant = parts.extensions.get::<Arc<Grant>>();
    let seat = match entrance.enter(grant.map_or("", |grant| &grant.name)).await {
        Ok(seat) => seat,
        Err((mut refused, why)) => {
            Refused::mark(&mut refused, grant.map(|grant| grant.caller.actor.clone()), why);
            return refused;
        }
    };
    parts.extensions.insert(seat.clone());
    entrance.during(seat, answer(parts, body, is_json, next)).await
}

/// The answer to a message that has come whole.
async fn answer(parts: Parts, body: Bytes, is_json: bool, next: Next) -> Response {
    let body = match lines::mend(&body) {
        Err(why) if is_json => {
            let text = format!("the body could not be read: {why}");
            return error(StatusCode::BAD_REQUEST, -32700, &text);
        }
        Ok(Cow::Owned(mended)) => mended.into(),
        Ok(Cow::Borrowed(_)) | Err(_) => body,
    };
    if let Some(full) = parts.extensions.get::<Full>()
        && let Some(refused) = full.refuses(&body)
    {
        return refused;
    }
    let response = next.run(Request::from_parts(parts, Body::from(body))).await;
    if is_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        let text = "the body is not a JSON-RPC request or notification (batches are not supported)";
        return error(StatusCode::BAD_REQUEST, -32600, text);
    }
    response
}

/// The answer to a body that is read no further.
fn given_up(status: StatusCode, text: &str) -> Response {
    let mut answer = error(status, -32600, text);
    answer.extensions_mut().insert(Reason::Body);
    answer
}
