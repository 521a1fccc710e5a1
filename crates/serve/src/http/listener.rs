//! Connections: taken, bounded, cut off when they dawdle, and ended with the process.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::descriptors;
use super::door::Peer;
use super::guests::{Arrival, Guest, Guests};
use super::limits::{Held, Limits};
use super::tls::Tls;
use crate::metrics::{Metrics, Reason};

/// How long connections may take to end when nothing is answered any more.
const FAREWELL: Duration = Duration::from_millis(500);

/// How long the listener rests when the system gives it no connection.
const REST: Duration = Duration::from_millis(100);

/// The same while one makes way that has the descriptor.
const SHORT_REST: Duration = Duration::from_millis(1);

/// The most bytes that are read ahead of a connection: a head must fit in.
const BUFFER_BYTES_MAX: usize = 64 << 10;

/// What a client gets for which there is no connection left.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n\
                      content-length: 0\r\nconnection: close\r\n\r\n";

/// What all connections share.
pub(super) struct Shared {
    pub(super) app: Router,
    pub(super) limits: Limits,
    pub(super) tls: Option<Tls>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) stop: CancellationToken,
}

/// Takes connections until the process is told to stop.
pub(super) async fn run(listener: TcpListener, shared: Shared) {
    let shared = Arc::new(shared);
    let places_max = shared.limits.connections_max.clamp(1, Semaphore::MAX_PERMITS);
    let places = Arc::new(Semaphore::new(places_max));
    let guests = Arc::new(Guests::default());
    loop {
        let taken = tokio::select! {
            () = shared.stop.cancelled() => break,
            taken = accept(&listener) => taken,
        };
        match taken {
            Ok((stream, peer)) => {
                let arrival = guests.arrive(Some(Peer(peer.ip())));
                match Arc::clone(&places).try_acquire_owned() {
                    Ok(place) => {
                        tokio::spawn(connection(stream, Arc::clone(&shared), arrival, place));
                    }
                    Err(_) => crowd(stream, &shared, arrival, &guests, &places),
                }
            }
            Err(why) if descriptors::are_used_up(&why) && guests.make_room() => {
                tracing::debug!("a connection makes way for another: {why}");
                sleep(SHORT_REST).await;
            }
            Err(why) => {
                tracing::warn!("a connection could not be taken: {why}");
                sleep(REST).await;
            }
        }
    }
    drop(listener);
    let all = u32::try_from(places_max).unwrap_or(u32::MAX);
    // Who has not ended by then is cut off with the process.
    let _ = timeout(shared.limits.grace_time_max + FAREWELL, places.acquire_many(all)).await;
}

/// The next connection. It sends at once: else every answer on a stream waits for a delayed acknowledgement.
async fn accept(listener: &TcpListener) -> io::Result<(TcpStream, SocketAddr)> {
    let (stream, peer) = listener.accept().await?;
    if let Err(error) = stream.set_nodelay(true) {
        tracing::warn!("TCP_NODELAY: {error}");
    }
    Ok((stream, peer))
}

/// A connection for which there is no place: another may make way for it.
fn crowd(
    stream: TcpStream,
    shared: &Arc<Shared>,
    arrival: Arrival,
    guests: &Guests,
    places: &Arc<Semaphore>,
) {
    if !guests.make_room() || arrival.guest.is_out() {
        return turn_away(stream, shared);
    }
    let (shared, places) = (Arc::clone(shared), Arc::clone(places));
    tokio::spawn(async move {
        match timeout(REST, places.acquire_owned()).await {
            Ok(Ok(place)) => connection(stream, shared, arrival, place).await,
            _ => turn_away(stream, &shared),
        }
    });
}

/// Says that there is no room, as far as that goes without waiting.
fn turn_away(mut stream: TcpStream, shared: &Shared) {
    shared.metrics.refused(Reason::Connections);
    if shared.tls.is_none() {
        tokio::spawn(async move {
            let _ = timeout(REST, stream.write_all(FULL)).await;
        });
    }
}

async fn connection(
    stream: TcpStream,
    shared: Arc<Shared>,
    arrival: Arrival,
    place: OwnedSemaphorePermit,
) {
    let _place = place;
    let _open = shared.metrics.connection();
    tokio::select! {
        () = arrival.guest.must_go() => shared.metrics.refused(Reason::Connections),
        () = greet(stream, &shared, &arrival.guest) => {}
    }
}

async fn greet(stream: TcpStream, shared: &Arc<Shared>, guest: &Arc<Guest>) {
    let Some(tls) = &shared.tls else { return answer(stream, shared, guest).await };
    match timeout(shared.limits.head_time_max, tls.accept(stream)).await {
        Ok(Ok(stream)) => answer(stream, shared, guest).await,
        Ok(Err(why)) => tracing::debug!("a TLS handshake failed: {why}"),
        Err(_) => tracing::debug!("a TLS handshake took too long"),
    }
}

/// Answers the requests of one connection.
async fn answer<S>(stream: S, shared: &Arc<Shared>, guest: &Arc<Guest>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let limits = &shared.limits;
    let app = TowerToHyperService::new(shared.app.clone());
    let service = service_fn(|mut request: Request<Incoming>| {
        let mark = guest.at_work();
        request.extensions_mut().insert(Arc::clone(guest));
        if let Some(peer) = guest.peer {
            request.extensions_mut().insert(peer);
        }
        let answered = app.call(request);
        async move {
            let held = |body| Body::new(Held { body, _held: mark });
            Ok::<Response, Infallible>(answered.await?.map(held))
        }
    });
    let io = TokioIo::new(Paced::new(stream, Arc::clone(guest), limits));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.idle_time_max + limits.head_time_max)
        .max_buf_size(BUFFER_BYTES_MAX)
        .serve_connection(io, service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shared.stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(why) = ended {
        tracing::debug!("a connection ended: {why}");
    }
}

/// A connection whose client must send the head of a request in time, and read what it is sent.
struct Paced<S> {
    inner: S,
    guest: Arc<Guest>,
    limits: Limits,
    /// Until when a head must begin.
    idle: Option<Pin<Box<Sleep>>>,
    /// Until when the head must be there that has begun.
    head: Option<Pin<Box<Sleep>>>,
    /// Until when something must be read of what is being sent.
    write: Option<Pin<Box<Sleep>>>,
}

impl<S> Paced<S> {
    fn new(inner: S, guest: Arc<Guest>, limits: &Limits) -> Self {
        Self { inner, guest, limits: *limits, idle: None, head: None, write: None }
    }

    /// Whether the head of a request takes too long, to begin or to come whole.
    fn is_late(&mut self, cx: &mut Context<'_>, has_begun: bool) -> bool {
        if has_begun {
            self.idle = None;
            let end = Instant::now() + self.limits.head_time_max;
            self.head.get_or_insert_with(|| Box::pin(sleep_until(end)));
        } else if self.head.is_none() {
            let Limits { idle_time_max, stranger_time_max, .. } = self.limits;
            let time_max = if self.guest.is_known() { idle_time_max } else { stranger_time_max };
            let end = Instant::now() + time_max;
            self.idle.get_or_insert_with(|| Box::pin(sleep_until(end)));
        }
        let mut ends = self.idle.iter_mut().chain(&mut self.head);
        ends.any(|end| end.as_mut().poll(cx).is_ready())
    }

    /// The outcome of a write; an error if nothing could be written for too long.
    fn paced<T>(
        &mut self,
        cx: &mut Context<'_>,
        wrote: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if wrote.is_ready() {
            self.write = None;
            return wrote;
        }
        let after = self.limits.write_time_max;
        let end = self.write.get_or_insert_with(|| Box::pin(sleep(after)));
        ready!(end.as_mut().poll(cx));
        Poll::Ready(Err(late("the client does not read")))
    }
}

fn late(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, why)
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.inner).poll_read(cx, buffer);
        if self.guest.is_busy() {
            (self.idle, self.head) = (None, None);
            return read;
        }
        let has_begun = read.is_ready();
        if self.is_late(cx, has_begun) {
            return Poll::Ready(Err(late("the head of a request took too long")));
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.paced(cx, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write_vectored(cx, slices);
        self.paced(cx, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(cx);
        self.paced(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.paced(cx, ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_connection_sends_at_once() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (client, accepted) = tokio::join!(TcpStream::connect(address), accept(&listener));
        assert!(accepted.unwrap().0.nodelay().unwrap());
        assert!(client.is_ok());
    }
}
