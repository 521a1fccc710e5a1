//! Calls that go wrong, through the whole handler: each is answered, and the server goes on.
//!
//! No tool of ours panics or hangs, so the store does: it is opened by the first call.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use engine::{Engine, Limits};
use model::{Caller, Identity, Layer, Role};
use providers::{LocalFiles, RandomIds, SystemClock};
use rmcp::ServiceExt;
use serde_json::{Value, json};
use serve::{CallLimits, Server, Setup};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tools::{Catalogue, Selection};

/// What the store does when it is opened.
enum Mood {
    Panics,
    Waits(Receiver<()>),
    Opens,
}

/// A client at the other end of a pipe in memory.
struct Client {
    lines: Lines<BufReader<tokio::io::ReadHalf<DuplexStream>>>,
    input: tokio::io::WriteHalf<DuplexStream>,
}

impl Client {
    /// A server whose store has these moods in turn, and a client that has shaken hands.
    async fn start(limits: CallLimits, moods: Vec<Mood>) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let server = server(limits, moods);
        tokio::spawn(async move { server.serve(theirs).await.unwrap().waiting().await });
        let (output, input) = tokio::io::split(ours);
        let mut client = Self { lines: BufReader::new(output).lines(), input };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
                           "clientInfo": {"name": "test", "version": "1"}});
        client
            .send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}))
            .await;
        assert_eq!(client.receive().await["id"], 0);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    async fn send(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap().expect("a message");
        serde_json::from_str(&line).unwrap()
    }

    async fn ask(&mut self, id: u64) {
        let params = json!({"name": "memory_add", "arguments": {"content": "x"}});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
            .await;
    }

    /// The id of the next answer, and the tool's error code if it is one.
    async fn answer(&mut self) -> (u64, Option<String>) {
        let answer = self.receive().await;
        let text = answer["result"]["content"][0]["text"].as_str().expect("text");
        let body: Value = serde_json::from_str(text).unwrap();
        assert_eq!(answer["result"]["isError"], body["success"] == false, "{answer}");
        (answer["id"].as_u64().unwrap(), body["errorCode"].as_str().map(str::to_owned))
    }
}

fn server(limits: CallLimits, moods: Vec<Mood>) -> Server {
    let dir = tempfile::tempdir().unwrap();
    let moods = Mutex::new(moods.into_iter());
    let open = move || {
        let mood = moods.lock().unwrap().next();
        match mood.unwrap_or(Mood::Opens) {
            Mood::Panics => panic!("the store panics"),
            Mood::Waits(end) => end.recv().unwrap_or_default(),
            Mood::Opens => {}
        }
        let setup = engine::Setup {
            clock: Box::new(SystemClock),
            ids: Box::new(RandomIds),
            files: Box::<LocalFiles>::default(),
            limits: Limits::default(),
            read_only: false,
            meaning: engine::Meaning::BuiltIn,
            keeps_index: false,
            keeps_queries: true,
            audits_reads: false,
            injects_from: model::TrustLevel::Agent,
            store_trust_max: model::TrustLevel::Person,
            trust: model::Trust::Open,
            secrets: engine::secrets::Policy::default(),
            backups: engine::Rhythm::NEVER,
            knowledge_dir: None,
            outside: engine::Outside::default(),
        };
        Engine::open(dir.path(), setup)
    };
    let identity = Identity::default().with(Layer::User, "ada".parse().unwrap());
    Server::new(Setup {
        catalogue: Catalogue::new(Selection::all()),
        open: Box::new(open),
        caller: Caller::new(identity, Role::User),
        limits,
        project_of: None,
        version: "0",
    })
}

/// A mood that lasts until the sender is used or dropped.
fn waits() -> (Sender<()>, Mood) {
    let (end, waiting) = channel();
    (end, Mood::Waits(waiting))
}

fn failed(id: u64, code: &str) -> (u64, Option<String>) {
    (id, Some(code.to_owned()))
}

#[tokio::test]
async fn a_call_that_panics_is_answered_and_the_next_one_works() {
    let mut client = Client::start(CallLimits::default(), vec![Mood::Panics]).await;
    client.ask(1).await;
    assert_eq!(client.answer().await, failed(1, "PROVIDER_ERROR"));
    client.ask(2).await;
    assert_eq!(client.answer().await, (2, None));
}

#[tokio::test]
async fn a_call_that_hangs_is_answered_in_time_and_the_next_one_works() {
    let (end, mood) = waits();
    let limits = CallLimits { time_max: Duration::from_millis(200), ..CallLimits::default() };
    let mut client = Client::start(limits, vec![mood]).await;
    client.ask(1).await;
    assert_eq!(client.answer().await, failed(1, "TIMEOUT"));
    end.send(()).unwrap();
    // The store opens now, which a loaded machine does not do in time.
    for id in 2..100 {
        client.ask(id).await;
        match client.answer().await {
            (answered, None) => return assert_eq!(answered, id),
            late => assert_eq!(late, failed(id, "TIMEOUT")),
        }
    }
    panic!("no call worked");
}

#[tokio::test]
async fn what_comes_beyond_the_queue_is_refused_and_the_rest_is_answered() {
    let (end, mood) = waits();
    let limits = CallLimits { running_max: 1, waiting_max: 1, ..CallLimits::default() };
    let mut client = Client::start(limits, vec![mood]).await;
    for id in 1..=3 {
        client.ask(id).await;
    }
    // Which of the three works, waits and is refused is for the scheduler to say.
    let (refused, code) = client.answer().await;
    assert_eq!(code.as_deref(), Some("RATE_LIMITED"));
    end.send(()).unwrap();
    let mut answered = [client.answer().await, client.answer().await];
    answered.sort();
    let others: Vec<_> = (1..=3).filter(|id| *id != refused).map(|id| (id, None)).collect();
    assert_eq!(answered.as_slice(), others);
}

#[tokio::test]
async fn a_call_cancelled_at_work_is_not_answered_and_the_server_goes_on() {
    let (end, mood) = waits();
    let mut client = Client::start(CallLimits::default(), vec![mood]).await;
    client.ask(1).await;
    let cancelled = json!({"requestId": 1});
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}))
        .await;
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"})).await;
    assert_eq!(client.receive().await["id"], 2, "the notification was read");
    end.send(()).unwrap();
    client.ask(3).await;
    assert_eq!(client.answer().await, (3, None));
}
