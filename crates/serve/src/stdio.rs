//! MCP over standard input and output.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientNotification, ClientRequest, ErrorCode, ErrorData, GetMeta, JsonRpcMessage,
    ProtocolVersion, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::{Transport, stdio_pipes};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::lines::{Lines, UNREADABLE, Unreadable};

/// A message longer than this is refused.
const LINE_BYTES_MAX: usize = 16 << 20;

/// How long calls at work may take to end once the input has ended or the process was told to stop;
/// then they are left. All in all the process is gone within two seconds.
const GRACE: Duration = Duration::from_millis(1_200);

/// While so many requests are under way no more are read: a client that sends faster than it is
/// answered waits at the pipe instead of filling our memory. The number is large because a simple
/// client writes all its requests before it reads the first answer, and would wait for ever.
const UNDER_WAY_MAX: usize = 65_536;

/// Serves `handler` until the input ends or `stop` is cancelled.
pub async fn serve<H: ServerHandler>(handler: H, stop: CancellationToken) -> io::Result<()> {
    let (reader, writer) = stdio_pipes();
    let ended = CancellationToken::new();
    let transport = Tolerant {
        // The lines' own limit comes first; the stand-in for a line that is too long is short.
        inner: AsyncRwTransport::new_server(Lines::new(reader, LINE_BYTES_MAX), writer)
            .with_max_line_length(2 * LINE_BYTES_MAX),
        opened: false,
        refused: 0,
        answers: JoinSet::new(),
        under_way: Arc::default(),
        ended: ended.clone(),
    };
    let over = async {
        tokio::select! {
            () = ended.cancelled() => {}
            () = stop.cancelled() => {}
        }
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        served = run(handler, transport, stop.clone()) => served,
        () = over => Ok(()),
    }
}

async fn run<H, T>(handler: H, transport: T, stop: CancellationToken) -> io::Result<()>
where
    H: ServerHandler,
    T: Transport<RoleServer> + 'static,
{
    match handler.serve_with_ct(transport, stop).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // The client went, or we were told to stop, before anything was asked: nothing is wrong.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            Ok(())
        }
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Drops notifications and responses until the request that opens the connection: rmcp would end
/// the connection over them. Answers what could not be read. Says when the input has ended.
struct Tolerant<T> {
    inner: T,
    opened: bool,
    /// How many lines could not be read.
    refused: u64,
    /// The answers to them that are being sent.
    answers: JoinSet<()>,
    ended: CancellationToken,
    under_way: Arc<UnderWay>,
}

/// The requests that have no answer yet. One that was cancelled gets none.
#[derive(Default)]
struct UnderWay {
    ids: Mutex<HashSet<RequestId>>,
    fewer: Notify,
}

impl UnderWay {
    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, id: RequestId) {
        self.ids().insert(id);
    }

    fn end(&self, id: &RequestId) {
        self.ids().remove(id);
        self.fewer.notify_one();
    }

    /// Waits until there is room for one more.
    async fn room(&self) {
        while self.ids().len() >= UNDER_WAY_MAX {
            self.fewer.notified().await;
        }
    }
}

/// Whether rmcp leaves its opening phase with this request.
fn opens(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        _ => {
            let meta = request.get_meta();
            let missing = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28);
            let version = meta.protocol_version();
            missing.is_empty()
                && version.is_some_and(|v| ProtocolVersion::KNOWN_VERSIONS.contains(&v))
        }
    }
}

/// What is answered to a line that could not be read, if this request stands for one.
fn refusal(request: &ClientRequest) -> Option<TxJsonRpcMessage<RoleServer>> {
    let ClientRequest::CustomRequest(custom) = request else { return None };
    if custom.method != UNREADABLE {
        return None;
    }
    let Unreadable { id, code, message, .. } = custom.params_as().ok()??;
    let id = id.and_then(|id| serde_json::from_value(id).ok());
    Some(JsonRpcMessage::error(ErrorData::new(ErrorCode(code), message, None), id))
}

impl<T: Transport<RoleServer>> Tolerant<T> {
    /// Sends an answer of our own. It counts as under way until it is sent.
    fn answer(&mut self, answer: TxJsonRpcMessage<RoleServer>) {
        self.refused += 1;
        let key = RequestId::String(format!("{UNREADABLE}/{}", self.refused).into());
        self.under_way.begin(key.clone());
        let (under_way, sent) = (Arc::clone(&self.under_way), self.inner.send(answer));
        while self.answers.try_join_next().is_some() {}
        self.answers.spawn(async move {
            // A client that is gone hears nothing.
            let _ = sent.await;
            under_way.end(&key);
        });
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Tolerant<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let answered = match &item {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let under_way = Arc::clone(&self.under_way);
        let sent = self.inner.send(item);
        async move {
            let outcome = sent.await;
            if let Some(id) = answered {
                under_way.end(&id);
            }
            outcome
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.under_way.room().await;
            let Some(message) = self.inner.receive().await else {
                self.ended.cancel();
                // With the end of the input rmcp closes the output.
                while self.answers.join_next().await.is_some() {}
                return None;
            };
            match &message {
                JsonRpcMessage::Request(request) => {
                    if let Some(answer) = refusal(&request.request) {
                        self.answer(answer);
                        continue;
                    }
                    self.opened |= opens(&request.request);
                    self.under_way.begin(request.id.clone());
                }
                _ if !self.opened => continue,
                JsonRpcMessage::Notification(told) => {
                    if let ClientNotification::CancelledNotification(cancelled) = &told.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        self.under_way.end(id);
                    }
                }
                _ => {}
            }
            return Some(message);
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send {
        self.inner.close()
    }
}
