//! MCP over standard input and output.

use std::io;
use std::time::Duration;

use rmcp::model::{ClientRequest, GetMeta, JsonRpcMessage, ProtocolVersion};
use rmcp::service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::{Transport, stdio_pipes};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use tokio_util::sync::CancellationToken;

/// A message longer than this is dropped.
const LINE_BYTES_MAX: usize = 16 << 20;

/// How long calls at work may take to end once the input has ended or the process was told to stop;
/// then they are left. All in all the process is gone within two seconds.
const GRACE: Duration = Duration::from_millis(1_500);

/// Serves `handler` until the input ends or `stop` is cancelled.
pub async fn serve<H: ServerHandler>(handler: H, stop: CancellationToken) -> io::Result<()> {
    let (reader, writer) = stdio_pipes();
    let ended = CancellationToken::new();
    let transport = Tolerant {
        inner: AsyncRwTransport::new_server(reader, writer).with_max_line_length(LINE_BYTES_MAX),
        opened: false,
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
/// the connection over them. Says when the input has ended.
struct Tolerant<T> {
    inner: T,
    opened: bool,
    ended: CancellationToken,
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

impl<T: Transport<RoleServer>> Transport<RoleServer> for Tolerant<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(message) = self.inner.receive().await else {
                self.ended.cancel();
                return None;
            };
            match &message {
                JsonRpcMessage::Request(request) => self.opened |= opens(&request.request),
                _ if !self.opened => continue,
                _ => {}
            }
            return Some(message);
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send {
        self.inner.close()
    }
}
