//! The message in a request's body.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use model::Actor;
use tokio::time::timeout;

use super::auth::{Grant, drain};
use super::bodies::{Bodies, Stopped};
use super::door::Refused;
use super::limits::{Limits, RATE_LIMITED, too_many};
use super::sessions::Full;
use super::turns::Entrance;
use super::{error, error_of};
use crate::lines::{self, Unreadable};
use crate::metrics::Reason;

/// How long who finds no room for a large body waits before it tries again.
const NO_ROOM_WAIT: Duration = Duration::from_secs(1);

/// Reads the message. rmcp answers a body that is no JSON-RPC message with 415 and plain text.
pub(super) async fn read(
    State((limits, entrance, bodies)): State<(Limits, Arc<Entrance>, Arc<Bodies>)>,
    request: Request,
    next: Next,
) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (mut parts, mut body) = request.into_parts();
    let is_json = parts
        .headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"application/json"));
    let grant = parts.extensions.get::<Arc<Grant>>();
    let (actor, bearer) = (grant.map(|grant| &grant.caller.actor), grant.map(|grant| &*grant.name));
    let bearer = bearer.unwrap_or_default();
    let reading = bodies.read(&mut body, bearer);
    let (message, _room) = match timeout(limits.body_time_max, reading).await {
        Ok(Ok(read)) => read,
        Ok(Err(stopped)) => return given_up(stopped, body, &limits, actor).await,
        Err(_) => {
            let seconds = limits.body_time_max.as_secs_f64();
            let text = format!("the request took longer than {seconds} s to come");
            return last(refusal(StatusCode::REQUEST_TIMEOUT, &text));
        }
    };
    let seat = match entrance.enter(bearer).await {
        Ok(seat) => seat,
        Err((mut refused, why)) => {
            Refused::mark(&mut refused, actor.cloned(), why);
            return refused;
        }
    };
    parts.extensions.insert(seat.clone());
    entrance.during(seat, answer(parts, message, is_json, next)).await
}

/// The answer to a message that has come whole.
async fn answer(parts: Parts, body: Bytes, is_json: bool, next: Next) -> Response {
    if is_json && let Err(refused) = lines::check(&body) {
        return unreadable(refused);
    }
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

/// The answer to a message that is no JSON, or no request though it has an id.
fn unreadable(refused: Unreadable) -> Response {
    error_of(refused.id, StatusCode::BAD_REQUEST, refused.code, &refused.message, None)
}

/// The answer to a body that is read no further. What is left of it is let go by, if that is little.
async fn given_up(
    stopped: Stopped,
    body: Body,
    limits: &Limits,
    actor: Option<&Actor>,
) -> Response {
    let answer = match stopped {
        Stopped::TooLarge => {
            let text = format!("the request is larger than {} bytes", limits.body_bytes_max);
            refusal(StatusCode::PAYLOAD_TOO_LARGE, &text)
        }
        Stopped::Broken(why) => {
            let text = format!("the request did not come whole: {why}");
            return last(refusal(StatusCode::BAD_REQUEST, &text));
        }
        Stopped::NoRoom => {
            let why = "too much is being sent at once";
            let mut answer = too_many(NO_ROOM_WAIT, why);
            answer.extensions_mut().insert(Reason::Rate);
            Refused::mark(&mut answer, actor.cloned(), format!("{RATE_LIMITED}: {why}"));
            answer
        }
    };
    if drain(body, true).await { answer } else { last(answer) }
}

fn refusal(status: StatusCode, text: &str) -> Response {
    let mut answer = error(status, -32600, text);
    answer.extensions_mut().insert(Reason::Body);
    answer
}

/// The same answer, with which the connection ends.
fn last(mut answer: Response) -> Response {
    answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    answer
}
