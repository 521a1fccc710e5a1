//! Turns between bearers: few requests are inside at once, and the next one in is of the next token.
//!
//! The turn is taken when a request has come whole, so that nobody holds a place by sending slowly, and
//! before the SDK sees it, because from there on nobody is told from anybody else.

use std::future::Future;
use std::sync::Arc;

use axum::body::Body;
use axum::http::header;
use axum::response::Response;
use tokio::time::{sleep, timeout};

use super::limits::{Held, Limits, RATE_LIMITED, too_many};
use crate::metrics::{Metrics, Reason};
use crate::places::{Asked, Place, Places, Seat, Seated, Tenant};

/// The entrance that all requests with a message come in by.
pub(super) struct Entrance {
    places: Arc<Places>,
    limits: Limits,
    metrics: Arc<Metrics>,
}

impl Entrance {
    pub(super) fn new(limits: Limits, metrics: Arc<Metrics>) -> Self {
        let places = Places::new(limits.inside_max.max(1), limits.waiting_max);
        Self { places, limits, metrics }
    }

    /// A seat inside, when it is this bearer's turn; else the refusal and its reason.
    pub(super) async fn enter(&self, bearer: &str) -> Result<Seat, (Response, String)> {
        let turn = match self.places.ask(&Tenant::from(bearer)) {
            Some(Asked::Place(place)) => return Ok(Seat::new(place)),
            Some(Asked::Turn(turn)) => turn,
            None => return Err(self.refusal("too many requests are waiting already")),
        };
        let _waiting = self.metrics.waiting();
        let given = timeout(self.limits.wait_time_max, turn.place()).await;
        let place: Option<Place> = given.ok().flatten();
        place.map(Seat::new).ok_or_else(|| {
            let seconds = self.limits.wait_time_max.as_secs_f64();
            self.refusal(&format!("the request waited {seconds} s for its turn; nothing was done"))
        })
    }

    fn refusal(&self, why: &str) -> (Response, String) {
        let mut answer = too_many(self.limits.wait_time_max, why);
        answer.extensions_mut().insert(Reason::Rate);
        (answer, format!("{RATE_LIMITED}: {why}"))
    }

    /// The answer of `work`, which has this seat. It is given back with the answer, with the end of
    /// one that is a stream, or when the time is over.
    pub(super) async fn during(
        &self,
        seat: Seat,
        work: impl Future<Output = Response>,
    ) -> Response {
        let time_max = self.limits.inside_time_max;
        let seated = Seated(seat.clone());
        let mut work = std::pin::pin!(work);
        let response = match timeout(time_max, work.as_mut()).await {
            Ok(response) => response,
            Err(_) => {
                seat.leave();
                work.await
            }
        };
        if !is_stream(&response) {
            return response;
        }
        tokio::spawn(async move {
            sleep(time_max).await;
            seat.leave();
        });
        response.map(|body| Body::new(Held { body, _held: seated }))
    }
}

/// Whether an answer goes on after it began.
pub(super) fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}
