//! The listener and its limits, on real sockets: slow clients, many clients, greedy clients, TLS.
//!
//! Nothing here waits for a time to pass unnoticed: what must be cut off is waited for until it is.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod strangers;
mod tls;
mod turns;

use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::{Engine, ErrorKind, Limits as Quotas};
use model::{Caller, Identity, Layer, Role};
use providers::{LocalFiles, RandomIds, SystemClock};
use serde_json::{Value, json};
use serve::http::auth::{Gate, Grant, Refusal};
use serve::http::{Limits, Options, Tls};
use serve::{CallLimits, Server, Setup};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tools::{Catalogue, Selection};

/// Long enough for any machine; nothing here takes it.
const PATIENCE: Duration = Duration::from_secs(20);

/// Lets in who is called `admin` and whoever else has a name.
struct Names;

impl Gate for Names {
    fn admit(&self, token: &[u8]) -> Result<Grant, Refusal> {
        let name = String::from_utf8_lossy(token).into_owned();
        let user = name.parse().map_err(|_| Refusal::Unknown)?;
        let role = if name == "admin" { Role::Admin } else { Role::User };
        let caller = Caller::new(Identity::default().with(Layer::User, user), role);
        Ok(Grant { caller, toolsets: None, read_only: false, name })
    }
}

/// A running server.
struct Running {
    address: SocketAddr,
    stop: CancellationToken,
    served: JoinHandle<std::io::Result<()>>,
}

/// What the store does before it opens.
enum Mood {
    Opens,
    Waits(Receiver<()>),
    Fails,
}

fn server(calls: CallLimits, mood: Mood) -> Server {
    let dir = tempfile::tempdir().unwrap();
    let mood = Mutex::new(mood);
    let open = move || {
        match &*mood.lock().unwrap() {
            Mood::Opens => {}
            Mood::Waits(end) => end.recv().unwrap_or_default(),
            Mood::Fails => {
                return Err(engine::Error::new(ErrorKind::Internal, "/secret/path is broken"));
            }
        }
        let setup = engine::Setup {
            clock: Box::new(SystemClock),
            ids: Box::new(RandomIds),
            files: Box::<LocalFiles>::default(),
            limits: Quotas::default(),
            read_only: false,
            meaning: engine::Meaning::BuiltIn,
            keeps_index: false,
            keeps_queries: false,
            audits_reads: false,
            injects_from: model::TrustLevel::Agent,
            store_trust_max: model::TrustLevel::Person,
            trust: model::Trust::Open,
            knowledge_dir: None,
            outside: engine::Outside::default(),
            secrets: engine::secrets::Policy::default(),
            backups: engine::Rhythm::NEVER,
        };
        Engine::open(dir.path(), setup)
    };
    Server::new(Setup {
        catalogue: Catalogue::new(Selection::all()),
        open: Box::new(open),
        caller: Caller::new(Identity::default(), Role::Admin),
        limits: calls,
        project_of: None,
        version: "0",
    })
}

async fn start(limits: Limits) -> Running {
    start_with(server(CallLimits::default(), Mood::Opens), limits, None).await
}

async fn start_with(server: Server, limits: Limits, tls: Option<Tls>) -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let options = Options {
        limits,
        tls,
        allowed_hosts: vec!["lore.example".into()],
        allowed_origins: vec!["https://app.example".into()],
        probe: Some(server.probe(Vec::new())),
        ..Options::new(vec![Arc::new(Names)])
    };
    let served = tokio::spawn(serve::http::serve(listener, server, options, stop.clone()));
    Running { address, stop, served }
}

/// What came back.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect(&self.body)
    }
}

impl Running {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    async fn get(&self, token: &str, path: &str) -> Answer {
        let head = format!("GET {path} HTTP/1.1\r\n{}\r\n", headers(token));
        ask(&mut self.connect().await, head.as_bytes()).await
    }

    async fn post(&self, token: &str, message: &Value) -> Answer {
        ask(&mut self.connect().await, &posted(token, "", message)).await
    }

    async fn figure(&self, line: &str) -> bool {
        let answer = self.get("admin", "/metrics").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body.lines().any(|found| found == line)
    }

    /// Waits until the figures have this line.
    async fn until(&self, line: &str) {
        let wait = async {
            while !self.figure(line).await {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, wait).await.expect(line);
    }
}

fn headers(token: &str) -> String {
    format!("host: localhost\r\nauthorization: Bearer {token}\r\n")
}

/// A request with a message of the newest revision.
fn posted(token: &str, more: &str, message: &Value) -> Vec<u8> {
    let mut message = message.clone();
    message["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let method = message["method"].as_str().unwrap().to_owned();
    let name = message["params"]["name"].as_str();
    let name = name.map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
    let body = message.to_string();
    let host = if more.contains("host:") { "" } else { "host: localhost\r\n" };
    format!(
        "POST /mcp HTTP/1.1\r\n{host}authorization: Bearer {token}\r\n\
         content-type: application/json\r\naccept: application/json, text/event-stream\r\n\
         mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n{name}{more}\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn list() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
}

fn add(content: &str) -> Value {
    let params = json!({"name": "memory_add", "arguments": {"content": content}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
}

/// Sends a request and reads its answer.
async fn ask(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), request: &[u8]) -> Answer {
    stream.write_all(request).await.unwrap();
    let read = tokio::time::timeout(PATIENCE, answer(stream)).await;
    read.expect("an answer in time")
}

async fn answer(stream: &mut (impl AsyncRead + Unpin)) -> Answer {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|end| end == b"\r\n\r\n") {
            break at + 4;
        }
        assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "it ended in the head");
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap().to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
    while bytes.len() < head_end + length {
        assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "it ended in the body");
    }
    let body = String::from_utf8(bytes[head_end..].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head, body }
}

/// Waits until the other side has closed.
async fn closed(stream: &mut (impl AsyncRead + Unpin)) {
    let mut rest = Vec::new();
    // Cut off may be an end or an error.
    let ended = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
    drop(ended.expect("it is cut off"));
}

fn short() -> Limits {
    // Long enough for a request of a slow machine.
    let short = Duration::from_secs(1);
    Limits {
        head_time_max: short,
        body_time_max: short,
        idle_time_max: short,
        stranger_time_max: short,
        write_time_max: short,
        ..Limits::default()
    }
}

#[tokio::test]
async fn who_sends_a_head_byte_by_byte_is_cut_off() {
    let running = start(short()).await;
    let mut slow = running.connect().await;
    let (mut read, mut write) = slow.split();
    let dribble = async {
        for byte in posted("ada", "", &list()).into_iter().cycle() {
            if write.write_all(&[byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::select! {
        () = closed(&mut read) => {}
        () = dribble => {}
    }
    assert_eq!(running.post("ada", &list()).await.status, 200, "others are served");
}

#[tokio::test]
async fn who_sends_a_body_byte_by_byte_hears_that_it_took_too_long() {
    let running = start(short()).await;
    let mut slow = running.connect().await;
    let request = posted("ada", "", &list());
    let body = request.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
    let late = ask(&mut slow, &request[..body + 1]).await;
    assert_eq!(late.status, 408, "{late:?}");
    assert!(late.head.contains("connection: close"));
    closed(&mut slow).await;
    assert!(running.figure("lorekeep_refused_total{reason=\"body\"} 1").await);
}

#[tokio::test]
async fn who_never_reads_is_cut_off() {
    let running = start(short()).await;
    let mut deaf = running.connect().await;
    let request = posted("ada", "", &list());
    let feed = async {
        // Each answer is a hundred kilobytes; soon no buffer has room for more.
        while deaf.write_all(&request).await.is_ok() {}
    };
    tokio::time::timeout(PATIENCE, feed).await.expect("it is cut off");
    running.until("lorekeep_http_connections 1").await;
}

#[tokio::test]
async fn a_connection_without_a_request_ends() {
    let running = start(short()).await;
    let mut idle = running.connect().await;
    assert_eq!(ask(&mut idle, &posted("ada", "", &list())).await.status, 200);
    assert_eq!(ask(&mut idle, &posted("ada", "", &list())).await.status, 200, "it is kept");
    closed(&mut idle).await;
    closed(&mut running.connect().await).await;
}

#[tokio::test]
async fn there_are_only_so_many_connections() {
    let running = start(Limits { connections_max: 1, ..Limits::default() }).await;
    let mut first = running.connect().await;
    assert_eq!(ask(&mut first, &posted("ada", "", &list())).await.status, 200);
    let turned_away = answer(&mut running.connect().await).await;
    assert_eq!(turned_away.status, 503);
    assert_eq!(ask(&mut first, &posted("ada", "", &list())).await.status, 200);
    drop(first);
    let wait = async {
        while ask_once(&running).await != Some(200) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.expect("the place is free again");
}

/// The status of one request, if the connection stands.
async fn ask_once(running: &Running) -> Option<u16> {
    let mut stream = running.connect().await;
    stream.write_all(&posted("ada", "", &list())).await.ok()?;
    let mut start = [0; 12];
    stream.read_exact(&mut start).await.ok()?;
    std::str::from_utf8(&start[9..]).ok()?.parse().ok()
}

#[tokio::test]
async fn each_token_has_a_rate_of_its_own() {
    let limits = Limits { rate_max: 1, burst_max: 2, ..Limits::default() };
    let running = start(limits).await;
    let mut statuses = Vec::new();
    let refused = loop {
        let answer = running.post("ada", &list()).await;
        statuses.push(answer.status);
        if answer.status == 429 {
            break answer;
        }
        assert!(statuses.len() < 200, "{statuses:?}");
    };
    assert!(refused.head.contains("retry-after: 1"), "{}", refused.head);
    let error = &refused.json()["error"];
    assert_eq!(error["data"]["code"], "RATE_LIMITED");
    assert!(error["message"].as_str().unwrap().starts_with("RATE_LIMITED: "), "{error}");
    assert_eq!(running.post("bob", &list()).await.status, 200);
    assert!(running.figure("lorekeep_refused_total{reason=\"rate\"} 1").await);
}

#[tokio::test]
async fn only_so_many_requests_of_a_token_are_answered_at_once() {
    let (end, waits) = channel();
    let server = server(CallLimits::default(), Mood::Waits(waits));
    let limits = Limits { in_flight_max: 1, ..Limits::default() };
    let running = Arc::new(start_with(server, limits, None).await);
    let first = {
        let running = Arc::clone(&running);
        tokio::spawn(async move { running.post("ada", &add("x")).await })
    };
    running.until("lorekeep_calls_running 1").await;
    assert_eq!(running.post("ada", &list()).await.status, 429);
    assert_eq!(running.post("bob", &list()).await.status, 200);
    end.send(()).unwrap();
    assert_eq!(first.await.unwrap().status, 200);
}

#[tokio::test]
async fn who_watches_asks_without_a_token_and_sees_no_more_than_that() {
    let running = start(Limits::default()).await;
    let open = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: anything\r\n\r\n").into_bytes();
    for path in ["/healthz", "/readyz"] {
        let answer = ask(&mut running.connect().await, &open(path)).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, "ok\n"), "{path}");
    }
    let closed = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let closed = ask(&mut running.connect().await, closed).await;
    assert_eq!(closed.status, 401);
    assert_eq!(running.get("ada", "/metrics").await.status, 403, "she is no admin");
    assert_eq!(running.post("ada", &add("x")).await.status, 200);
    for line in [
        "lorekeep_http_requests_total{method=\"GET\",status=\"401\"} 1",
        "lorekeep_http_requests_total{method=\"POST\",status=\"200\"} 1",
        "lorekeep_calls_total{tool=\"memory_add\",outcome=\"ok\"} 1",
        "lorekeep_call_seconds_count{tool=\"memory_add\"} 1",
        "lorekeep_refused_total{reason=\"auth\"} 1",
    ] {
        assert!(running.figure(line).await, "{line}");
    }
}

#[tokio::test]
async fn a_store_that_does_not_open_is_not_ready_and_keeps_its_path() {
    let server = server(CallLimits::default(), Mood::Fails);
    let running = start_with(server, Limits::default(), None).await;
    let answer = running.get("", "/readyz").await;
    assert_eq!((answer.status, answer.body.as_str()), (503, "the store cannot be opened\n"));
    assert_eq!(running.get("", "/healthz").await.status, 200, "the process lives");
}

#[tokio::test]
async fn names_and_sites_that_are_set_up_may_call() {
    let running = start(Limits::default()).await;
    let status = async |header: &str| {
        let request = posted("ada", &format!("{header}\r\n"), &list());
        ask(&mut running.connect().await, &request).await.status
    };
    assert_eq!(status("host: lore.example").await, 200);
    assert_eq!(status("host: evil.example").await, 403);
    assert_eq!(status("origin: https://app.example").await, 200);
    assert_eq!(status("origin: https://evil.example").await, 403);
    assert!(running.figure("lorekeep_refused_total{reason=\"host\"} 2").await);
}

#[tokio::test]
async fn a_body_may_be_as_large_as_is_set_up() {
    let running = start(Limits { body_bytes_max: 1_000, ..Limits::default() }).await;
    assert_eq!(running.post("ada", &add("short")).await.status, 200);
    assert_eq!(running.post("ada", &add(&"x".repeat(1_000))).await.status, 413);
}

#[tokio::test]
async fn a_body_that_is_broken_is_not_called_too_large() {
    let running = start(Limits::default()).await;
    let head = |length: &str| format!("POST /mcp HTTP/1.1\r\n{}{length}\r\n\r\n", headers("ada"));
    let chunked = head("transfer-encoding: chunked");
    let mut stream = running.connect().await;
    let broken = ask(&mut stream, format!("{chunked}zz\r\nabc").as_bytes()).await;
    assert_eq!(broken.status, 400, "{broken:?}");
    assert!(broken.body.contains("did not come whole"), "{broken:?}");
    closed(&mut stream).await;
    let mut stream = running.connect().await;
    let large = ask(&mut stream, head("content-length: 10000000000").as_bytes()).await;
    assert_eq!(large.status, 413, "before anything of it has come");
    assert!(large.head.contains("connection: close"), "{}", large.head);
    let chunk = "a".repeat(1 << 20);
    let chunks = format!("100000\r\n{chunk}\r\n").repeat(5);
    let mut stream = running.connect().await;
    let large = ask(&mut stream, format!("{chunked}{chunks}0\r\n\r\n").as_bytes()).await;
    assert_eq!(large.status, 413);
    assert_eq!(ask(&mut stream, &posted("ada", "", &list())).await.status, 200, "it goes on");
}

#[tokio::test]
async fn more_than_one_space_may_stand_before_a_token() {
    let running = start(Limits::default()).await;
    assert_eq!(running.post("  ada", &list()).await.status, 200);
}

#[tokio::test]
async fn the_end_waits_for_what_is_being_answered_and_for_nobody_else() {
    let (end, waits) = channel();
    let server = server(CallLimits::default(), Mood::Waits(waits));
    let limits = Limits { grace_time_max: PATIENCE, ..Limits::default() };
    let running = start_with(server, limits, None).await;
    let mut idle = running.connect().await;
    assert_eq!(ask(&mut idle, &posted("ada", "", &list())).await.status, 200);
    let mut at_work = running.connect().await;
    at_work.write_all(&posted("ada", "", &add("x"))).await.unwrap();
    running.until("lorekeep_calls_running 1").await;
    running.stop.cancel();
    closed(&mut idle).await;
    end.send(()).unwrap();
    let answered = answer(&mut at_work).await;
    assert_eq!(answered.json()["result"]["isError"], false, "{answered:?}");
    let served = tokio::time::timeout(PATIENCE, running.served).await;
    served.expect("it ends").unwrap().unwrap();
    assert!(TcpStream::connect(running.address).await.is_err(), "nobody listens");
}
