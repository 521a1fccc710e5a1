//! Answers that go on: they end when their bearer's token is good no more.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use http_body::{Frame, SizeHint};
use rmcp::transport::streamable_http_server::session::SessionId;
use tokio::time::{Instant, Sleep, sleep};

use super::auth::Bearing;
use super::sessions::Sessions;

/// How often a token is looked at again while a stream is open.
const LOOK_EVERY: Duration = Duration::from_secs(3);

/// The session that ends with a stream whose bearer is let in no more, by this token or by a newer one.
pub(super) struct Ends {
    pub(super) sessions: Arc<Sessions>,
    pub(super) session: Option<SessionId>,
}

impl Ends {
    fn now(self) {
        let Some(session) = self.session else { return };
        tokio::spawn(async move { self.sessions.end(&session).await });
    }
}

/// The same answer, which ends when its bearer is let in no more.
pub(super) fn watched(response: Response, bearing: Arc<Bearing>, ends: Ends) -> Response {
    let look = Box::pin(sleep(LOOK_EVERY));
    response.map(|body| Body::new(Watched { body, bearing, look, ends: Some(ends) }))
}

struct Watched {
    body: Body,
    bearing: Arc<Bearing>,
    look: Pin<Box<Sleep>>,
    ends: Option<Ends>,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        while self.look.as_mut().poll(cx).is_ready() {
            if !self.bearing.is_good() {
                self.ends.take().into_iter().for_each(Ends::now);
                return Poll::Ready(None);
            }
            self.look.as_mut().reset(Instant::now() + LOOK_EVERY);
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
