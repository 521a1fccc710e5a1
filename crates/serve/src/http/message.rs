//! The message in a request's body.

use std::borrow::Cow;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::{BODY_BYTES_MAX, error};
use crate::lines;

/// Reads the message. rmcp answers a body that is no JSON-RPC message with 415 and plain text.
pub(super) async fn read(request: Request, next: Next) -> Response {
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
