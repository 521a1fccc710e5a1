//! How much a server takes: of a request, of a connection, and of one token's bearer.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use http_body::{Frame, SizeHint};

use super::auth::Grant;
use super::{error_with, refuse};
use crate::metrics::Reason;

/// Beyond so many bearers, those that are quiet are forgotten.
const BEARERS_MAX: usize = 1_024;

/// How many requests are inside at once for each processor.
const INSIDE_PER_PROCESSOR: usize = 8;

/// The code that every dialect has for too much at once.
pub(super) const RATE_LIMITED: &str = "RATE_LIMITED";

/// How much a server takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a request's body.
    pub body_bytes_max: usize,
    /// The most bytes of all bodies together, of those that are not small.
    pub bodies_bytes_max: usize,
    /// How many connections are open at once.
    pub connections_max: usize,
    /// How many requests of one token are answered at once.
    pub in_flight_max: usize,
    /// How many streams one token's bearers may have open.
    pub streams_max: usize,
    /// How many requests are inside at once, of all tokens together. Who comes to a full house waits
    /// for a turn, and turns go round by token.
    pub inside_max: usize,
    /// How many requests may wait for their turn.
    pub waiting_max: usize,
    /// How long one waits for it; then it is refused, and nothing was done.
    pub wait_time_max: Duration,
    /// How long a request counts as inside: one that takes longer waits for something else than us.
    pub inside_time_max: Duration,
    /// How many requests of one token are taken in a second; 0 for any number.
    pub rate_max: u32,
    /// How many may come at once after a while without any.
    pub burst_max: u32,
    /// How long the head of a request may take, and the TLS handshake.
    pub head_time_max: Duration,
    /// How long the body of a request may take.
    pub body_time_max: Duration,
    /// How long a connection may be open without a request.
    pub idle_time_max: Duration,
    /// The same as long as nobody has brought a good token on it.
    pub stranger_time_max: Duration,
    /// How long a client may read nothing of an answer.
    pub write_time_max: Duration,
    /// How long what is being answered may take to end once the process was told to stop.
    pub grace_time_max: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes_max: 4 << 20,
            bodies_bytes_max: 256 << 20,
            connections_max: 1_024,
            in_flight_max: 128,
            streams_max: 128,
            inside_max: inside_max(),
            waiting_max: 512,
            wait_time_max: Duration::from_secs(5),
            inside_time_max: Duration::from_millis(500),
            rate_max: 500,
            burst_max: 1_000,
            head_time_max: Duration::from_secs(10),
            body_time_max: Duration::from_secs(30),
            idle_time_max: Duration::from_secs(120),
            stranger_time_max: Duration::from_secs(5),
            write_time_max: Duration::from_secs(30),
            grace_time_max: Duration::from_millis(700),
        }
    }
}

/// Enough to keep every processor and the disk busy, and few enough that whoever is next waits for
/// few: within, nobody is told from anybody else.
fn inside_max() -> usize {
    INSIDE_PER_PROCESSOR * std::thread::available_parallelism().map_or(1, usize::from)
}

/// What one token's bearer has used up.
struct Bearer {
    bucket: Mutex<Bucket>,
    in_flight: AtomicUsize,
    /// Streams that are open; one that a client listens on for long is no request that is being
    /// answered.
    streams: AtomicUsize,
}

/// Requests that may still come: as many as the burst, and so many more each second.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    /// Takes one out, or says how long it takes until there is one.
    fn take(&mut self, limits: &Limits, now: Instant) -> Result<(), Duration> {
        if limits.rate_max == 0 {
            return Ok(());
        }
        let rate = f64::from(limits.rate_max);
        let burst = f64::from(limits.burst_max.max(1));
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        *self = Self { left: passed.mul_add(rate, self.left).min(burst), at: now };
        if self.left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - self.left) / rate));
        }
        self.left -= 1.0;
        Ok(())
    }
}

/// The bearers of late, and their limits.
pub(super) struct Bearers {
    limits: Limits,
    known: Mutex<HashMap<String, Arc<Bearer>>>,
}

impl Bearers {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, known: Mutex::default() }
    }

    fn bearer(&self, name: &str) -> Arc<Bearer> {
        let mut known = self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(bearer) = known.get(name) {
            return Arc::clone(bearer);
        }
        if known.len() >= BEARERS_MAX {
            let idle = self.limits.idle_time_max;
            known.retain(|_, bearer| Arc::strong_count(bearer) > 1 || !bearer.is_quiet(idle));
        }
        let left = f64::from(self.limits.burst_max.max(1));
        let bucket = Mutex::new(Bucket { left, at: Instant::now() });
        let (in_flight, streams) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let bearer = Arc::new(Bearer { bucket, in_flight, streams });
        known.insert(name.to_owned(), Arc::clone(&bearer));
        bearer
    }

    /// A place for one more request of this bearer, or how long to wait and why.
    fn admit(&self, name: &str, is_stream: bool) -> Result<Place, (Duration, String)> {
        let bearer = self.bearer(name);
        let Limits { in_flight_max, streams_max, rate_max, .. } = self.limits;
        let place = Place { bearer: Arc::clone(&bearer), is_stream };
        let (max, text) = match is_stream {
            false => (in_flight_max, "requests of this token are being answered already"),
            true => (streams_max, "streams of this token are open already"),
        };
        if place.count().fetch_add(1, Ordering::Relaxed) >= max {
            return Err((Duration::from_secs(1), format!("{max} {text}")));
        }
        let mut bucket = bearer.bucket.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        bucket.take(&self.limits, Instant::now()).map_err(|wait| {
            (wait, format!("this token has more than {rate_max} requests a second"))
        })?;
        Ok(place)
    }
}

impl Bearer {
    fn is_quiet(&self, time: Duration) -> bool {
        let bucket = self.bucket.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        bucket.at.elapsed() > time
    }
}

/// A request that is being answered, or a stream that is open.
struct Place {
    bearer: Arc<Bearer>,
    is_stream: bool,
}

impl Place {
    fn count(&self) -> &AtomicUsize {
        if self.is_stream { &self.bearer.streams } else { &self.bearer.in_flight }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.count().fetch_sub(1, Ordering::Relaxed);
    }
}

/// Takes no more of one bearer than the limits say.
pub(super) async fn limit(
    State(bearers): State<Arc<Bearers>>,
    request: Request,
    next: Next,
) -> Response {
    let grant = request.extensions().get::<Arc<Grant>>();
    let is_stream = request.method() == Method::GET;
    let admitted = grant.map(|grant| bearers.admit(&grant.name, is_stream)).transpose();
    let actor = grant.map(|grant| grant.caller.actor.clone());
    let place = match admitted {
        Ok(place) => place,
        Err((wait, why)) => {
            let answer = too_many(wait, &why);
            let why = (actor, format!("{RATE_LIMITED}: {why}"));
            return refuse(request, answer, Reason::Rate, why).await;
        }
    };
    let response = next.run(request).await;
    response.map(|body| Body::new(Held { body, _held: place }))
}

/// The answer to who asks too much.
pub(super) fn too_many(wait: Duration, why: &str) -> Response {
    let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
    // Rounded up: who comes back a moment too early is refused again.
    let millis = u64::try_from(wait.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX).max(1);
    let data = serde_json::json!({"code": RATE_LIMITED, "retryAfterMs": millis});
    let text = format!("{RATE_LIMITED}: {why}; try again in {seconds} s");
    let mut answer = error_with(StatusCode::TOO_MANY_REQUESTS, -32000, &text, Some(data));
    answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    answer
}

/// A body that holds something until it has been sent.
pub(super) struct Held<T> {
    pub(super) body: Body,
    pub(super) _held: T,
}

impl<T: Unpin> HttpBody for Held<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bearers(rate_max: u32, burst_max: u32, in_flight_max: usize) -> Bearers {
        Bearers::new(Limits { rate_max, burst_max, in_flight_max, ..Limits::default() })
    }

    #[test]
    fn a_bucket_fills_with_time_and_no_further_than_the_burst() {
        let limits = Limits { rate_max: 10, burst_max: 2, ..Limits::default() };
        let begun = Instant::now();
        let mut bucket = Bucket { left: 2.0, at: begun };
        let mut take = |millis| bucket.take(&limits, begun + Duration::from_millis(millis));
        assert!(take(0).is_ok() && take(0).is_ok());
        let wait = take(0).unwrap_err();
        assert!((wait.as_secs_f64() - 0.1).abs() < 1e-9, "{wait:?}");
        assert!(take(100).is_ok() && take(100).is_err());
        assert!(take(9_000).is_ok() && take(9_000).is_ok() && take(9_000).is_err());
    }

    #[test]
    fn each_bearer_has_a_rate_of_its_own() {
        let bearers = bearers(1, 1, 9);
        assert!(bearers.admit("ada", false).is_ok());
        let (_, why) = bearers.admit("ada", false).err().unwrap();
        assert!(why.contains("more than 1 requests a second"), "{why}");
        assert!(bearers.admit("bob", false).is_ok());
    }

    #[test]
    fn no_rate_is_no_limit_and_what_is_under_way_still_has_one() {
        let bearers = bearers(0, 0, 2);
        let held: Vec<Place> = (0..2).map(|_| bearers.admit("ada", false).ok().unwrap()).collect();
        assert!(bearers.admit("ada", false).is_err());
        assert!(bearers.admit("bob", false).is_ok());
        assert!(bearers.admit("ada", true).is_ok(), "a stream is no request");
        drop(held);
        assert!((0..99).all(|_| bearers.admit("ada", false).is_ok()));
    }

    #[test]
    fn only_so_many_streams_of_a_bearer_are_open() {
        let bearers = Bearers::new(Limits { streams_max: 1, ..Limits::default() });
        let open = bearers.admit("ada", true).ok().unwrap();
        let (_, why) = bearers.admit("ada", true).err().unwrap();
        assert!(why.contains("1 streams of this token"), "{why}");
        assert!(bearers.admit("ada", false).is_ok() && bearers.admit("bob", true).is_ok());
        drop(open);
        assert!(bearers.admit("ada", true).is_ok());
    }

    #[test]
    fn quiet_bearers_are_forgotten() {
        let limits = Limits { idle_time_max: Duration::ZERO, ..Limits::default() };
        let bearers = Bearers::new(limits);
        let held = bearers.admit("stays", false).ok();
        for n in 0..2 * BEARERS_MAX {
            drop(bearers.admit(&n.to_string(), false));
        }
        let known = bearers.known.lock().unwrap();
        assert!(known.len() <= BEARERS_MAX + 1 && known.contains_key("stays"));
        drop(held);
    }

    #[test]
    fn who_asks_too_much_is_told_when_to_come_again() {
        let answer = too_many(Duration::from_millis(1_200), "much");
        assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(answer.headers()[header::RETRY_AFTER], "2");
    }
}
