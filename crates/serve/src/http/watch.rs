//! What who watches the server asks: does it live, is it ready, how is it.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::{Extension, body::Body};
use model::Role;

use super::auth::Grant;
use super::door::{Door, Peer, Refused};
use super::error;
use super::limits::Held;
use crate::metrics::{Metrics, Reason};
use crate::probe::Probe;

/// What Prometheus reads.
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The process lives.
pub(super) async fn lives() -> Response {
    (StatusCode::OK, "ok\n").into_response()
}

/// Whether the store can be read.
pub(super) async fn is_ready(State(probe): State<Option<Arc<Probe>>>) -> Response {
    let ready = match &probe {
        Some(probe) => probe.ready().await,
        None => Ok(()),
    };
    match ready {
        Ok(()) => (StatusCode::OK, "ok\n").into_response(),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")).into_response(),
    }
}

/// The figures. They are of all bearers together, so they are for who may do everything.
pub(super) async fn figures(
    State(probe): State<Option<Arc<Probe>>>,
    grant: Option<Extension<Arc<Grant>>>,
) -> Response {
    let caller = grant.map(|Extension(grant)| grant.caller.clone());
    let is_admin = caller.as_ref().is_some_and(|caller| caller.role == Role::Admin);
    let actor = caller.map(|caller| caller.actor);
    match probe {
        Some(probe) if is_admin => {
            let figures = tokio::task::spawn_blocking(move || probe.figures()).await;
            ([(header::CONTENT_TYPE, TEXT_FORMAT)], figures.unwrap_or_default()).into_response()
        }
        Some(_) => {
            let why = "metrics are for the role admin";
            let mut answer = error(StatusCode::FORBIDDEN, -32600, why);
            Refused::mark(&mut answer, actor, why);
            answer
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Where it is told what becomes of requests.
pub(super) struct Watched {
    pub(super) metrics: Arc<Metrics>,
    pub(super) door: Door,
}

/// Counts every request and how it was answered, and has noted what was refused.
pub(super) async fn observe(
    State(watched): State<Arc<Watched>>,
    request: Request,
    next: Next,
) -> Response {
    let Watched { metrics, door } = &*watched;
    let (begun, in_flight) = (Instant::now(), metrics.request());
    let peer = request.extensions().get::<Peer>().copied();
    let method = name(request.method());
    let mut response = next.run(request).await;
    let status = response.status();
    metrics.answered(method, status.as_u16(), begun.elapsed());
    if let Some(reason) = response.extensions().get::<Reason>() {
        metrics.refused(*reason);
    }
    if let Some(refused) = response.extensions_mut().remove::<Refused>() {
        door.note(peer, refused);
    }
    response.map(|body| Body::new(Held { body, _held: in_flight }))
}

/// A method by a name of ours: a client may send any word.
fn name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
