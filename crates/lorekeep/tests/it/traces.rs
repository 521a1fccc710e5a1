//! Traces of the real server, as a collector on the loopback gets them.

use std::io::Read;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::outside::loopback::Loopback;
use crate::support::{Stdio1, end_of, lorekeep, modern, signal};
use crate::web::Http;

/// A trace that a client began.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

/// A word that users wrote, and that no trace may have.
const PRIVATE: &str = "wombat";

fn traceparent(flags: &str) -> String {
    format!("00-{TRACE}-{SPAN}-{flags}")
}

/// A collector that takes everything.
fn collector() -> Loopback {
    Loopback::answering(|_, _| Some(("200 OK\r\ncontent-type: application/json", "{}".to_owned())))
}

/// A span as the collector got it.
struct Span(Value);

impl Span {
    fn text(&self, key: &str) -> &str {
        self.0[key].as_str().unwrap_or_default()
    }

    fn attribute(&self, key: &str) -> Option<&Value> {
        let all = self.0["attributes"].as_array()?;
        let value = &all.iter().find(|one| one["key"] == key)?["value"];
        value.as_object()?.values().next()
    }
}

/// Everything that came, and that it came in the right form.
fn spans(collector: &Loopback, service: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    for asked in collector.asked() {
        assert!(asked.head.starts_with("post /v1/traces "), "{}", asked.head);
        assert!(asked.head.contains("content-type: application/json"), "{}", asked.head);
        assert!(!asked.body.contains(PRIVATE), "no text of a user is told: {}", asked.body);
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        for resource in body["resourceSpans"].as_array().unwrap() {
            assert!(resource["resource"].to_string().contains(service), "{resource}");
            for scope in resource["scopeSpans"].as_array().unwrap() {
                spans.extend(scope["spans"].as_array().unwrap().iter().cloned().map(Span));
            }
        }
    }
    for span in &spans {
        assert_eq!(span.text("traceId").len(), 32, "{}", span.0);
        assert_eq!(span.text("spanId").len(), 16, "{}", span.0);
        let time = |key: &str| span.text(key).parse::<u64>().unwrap();
        assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"), "{}", span.0);
    }
    spans
}

fn named<'a>(spans: &'a [Span], name: &str) -> &'a Span {
    let names: Vec<_> = spans.iter().map(|span| span.text("name")).collect();
    spans
        .iter()
        .find(|span| span.text("name") == name)
        .unwrap_or_else(|| panic!("{name}: {names:?}"))
}

#[test]
fn a_call_is_a_span_below_the_client_s_own() {
    let (dir, collector) = (tempfile::tempdir().unwrap(), collector());
    let mut command = lorekeep(dir.path());
    command.env("LOREKEEP_TRACES", &collector.url).env("OTEL_SERVICE_NAME", "lore-of-ada");
    command.args(["serve", "--role", "user", "--toolsets", "layers,ledger"]);
    let mut client = Stdio1::start_command(command);
    client.open(json!({}));
    let call = |tool: &str, arguments: Value| json!({"name": tool, "arguments": arguments, "_meta": {"traceparent": traceparent("01")}});
    let added = call("memory_add", json!({"content": format!("Ada has a {PRIVATE}")}));
    assert!(client.request("tools/call", &added)["result"]["isError"] != true);
    client
        .request("tools/call", &json!({"name": "memory_search", "arguments": {"query": PRIVATE}}));
    let bad = call("memory_search", json!({"query": 7, PRIVATE: PRIVATE}));
    client.request("tools/call", &bad);
    client.request("tools/call", &json!({"name": PRIVATE, "arguments": {}}));
    client.request(&format!("{PRIVATE}/x"), &json!({}));
    assert_eq!(client.finish(), Some(0), "what was told last is told");
    let spans = spans(&collector, "lore-of-ada");
    let add = named(&spans, "tools/call memory_add");
    assert_eq!((add.text("traceId"), add.text("parentSpanId")), (TRACE, SPAN));
    assert_eq!(add.0["kind"], 2, "of a server");
    for (key, value) in [
        ("mcp.method.name", "tools/call"),
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "memory_add"),
        ("lorekeep.toolset", "layers"),
        ("lorekeep.role", "user"),
        ("network.transport", "pipe"),
    ] {
        assert_eq!(add.attribute(key), Some(&json!(value)), "{key} of {}", add.0);
    }
    assert_eq!(add.attribute("error.type"), None);
    let applied = named(&spans, "store.apply");
    assert_eq!(
        (applied.text("traceId"), applied.text("parentSpanId")),
        (TRACE, add.text("spanId"))
    );
    let searches = spans.iter().filter(|span| span.text("name") == "tools/call memory_search");
    let (failed, fine): (Vec<_>, Vec<_>) =
        searches.partition(|s| s.attribute("error.type").is_some());
    assert_eq!((failed.len(), fine.len()), (1, 1));
    assert_eq!(failed[0].attribute("error.type"), Some(&json!("InvalidValue")));
    assert_eq!(failed[0].0["status"]["code"], 2);
    assert_ne!(fine[0].text("traceId"), TRACE, "who names no parent begins a trace");
    let search = named(&spans, "store.search");
    assert_eq!(search.text("parentSpanId"), fine[0].text("spanId"));
    let unknown = named(&spans, "tools/call");
    assert_eq!(
        unknown.attribute("error.type").map(Value::to_string).as_deref(),
        Some("\"-32602\"")
    );
    named(&spans, "_OTHER");
}

#[test]
fn a_request_over_http_is_one_trace_from_the_header_to_git() {
    let (dir, collector) = (tempfile::tempdir().unwrap(), collector());
    let mut command = lorekeep(dir.path());
    // Their own variables say where, ours that it is wanted.
    command.env("LOREKEEP_TRACES", "true").env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url);
    command.args(["serve", "--toolsets", "ledger"]);
    let mut http = Http::start_command(command);
    let arguments = json!({"title": format!("Keep the {PRIVATE}"), "target": "zoo",
                           "rationale": format!("The {PRIVATE} is liked by all who come to see it")});
    let params = modern(json!({"name": "record_decision", "arguments": arguments}));
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let parent = traceparent("01");
    let headers = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "record_decision"),
        ("traceparent", parent.as_str()),
    ];
    let answer = http.post(&headers, &message);
    assert!(answer.message()["result"]["isError"] != true, "{}", answer.text);
    let without_token = [("authorization", "Bearer x"), ("traceparent", parent.as_str())];
    assert_eq!(http.post(&without_token, &message).status.as_u16(), 401);
    // Both say where they belong: the message wins, and the request is linked.
    let mut params = modern(json!({"name": "record_decision", "arguments": {}}));
    params["_meta"]["traceparent"] =
        json!("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    let message = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
    http.post(&headers, &message);
    signal(&http.child, nix::sys::signal::Signal::SIGTERM);
    assert_eq!(end_of(&mut http.child), Some(0));
    let spans = spans(&collector, "lorekeep");
    let below = |span: &Span| -> Vec<_> {
        let own = span.text("spanId").to_owned();
        spans
            .iter()
            .filter(|other| other.text("parentSpanId") == own)
            .map(|s| s.text("name").to_owned())
            .collect()
    };
    let requests: Vec<_> = spans.iter().filter(|span| span.text("name") == "POST /mcp").collect();
    assert_eq!(requests.len(), 2, "who is not let in makes no span");
    for request in &requests {
        assert_eq!((request.text("traceId"), request.text("parentSpanId")), (TRACE, SPAN));
        assert_eq!(request.attribute("http.response.status_code"), Some(&json!("200")));
    }
    let calls: Vec<_> =
        spans.iter().filter(|s| s.text("name") == "tools/call record_decision").collect();
    let first = calls.iter().find(|call| call.text("traceId") == TRACE).unwrap();
    assert!(requests.iter().any(|request| request.text("spanId") == first.text("parentSpanId")));
    assert_eq!(first.attribute("network.transport"), Some(&json!("tcp")));
    let parts = below(first);
    for part in ["store.apply", "ledger.deliver"] {
        assert!(parts.iter().any(|name| name == part), "{part}: {parts:?}");
    }
    let second = calls.iter().find(|call| call.text("traceId").starts_with("0af7")).unwrap();
    assert_eq!(second.text("parentSpanId"), "b7ad6b7169203331");
    assert_eq!(second.0["links"][0]["traceId"], TRACE);
}

#[test]
fn what_a_client_does_not_sample_is_not_told() {
    let (dir, collector) = (tempfile::tempdir().unwrap(), collector());
    let mut command = lorekeep(dir.path());
    command.env("LOREKEEP_TRACES", &collector.url).arg("serve");
    let mut client = Stdio1::start_command(command);
    client.open(json!({}));
    let unsampled = json!({"name": "memory_search", "arguments": {"query": "x"},
                           "_meta": {"traceparent": traceparent("00")}});
    client.request("tools/call", &unsampled);
    client.request("tools/list", &json!({}));
    assert_eq!(client.finish(), Some(0));
    let spans = spans(&collector, "lorekeep");
    named(&spans, "tools/list");
    assert!(spans.iter().all(|span| !span.text("name").contains("memory_search")));
}

#[test]
fn nothing_is_told_unless_it_is_wanted() {
    let (dir, collector) = (tempfile::tempdir().unwrap(), collector());
    for wanted in [None, Some("0")] {
        let mut command = lorekeep(dir.path());
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url).arg("serve");
        if let Some(wanted) = wanted {
            command.env("LOREKEEP_TRACES", wanted);
        }
        let mut client = Stdio1::start_command(command);
        client.open(json!({}));
        client.call("memory_search", json!({"query": "x"}));
        assert_eq!(client.finish(), Some(0));
    }
    assert!(collector.asked().is_empty());
}

#[test]
fn a_collector_that_is_dead_or_never_answers_costs_nothing() {
    // One refuses, one takes connections and says nothing, ever.
    let hole = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", hole.local_addr().unwrap());
    let dead = {
        let gone = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", gone.local_addr().unwrap())
    };
    std::thread::spawn(move || {
        let held: Vec<_> = hole
            .incoming()
            .map(|stream| {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 1]);
                stream
            })
            .collect();
        drop(held);
    });
    for url in [dead, silent] {
        let dir = tempfile::tempdir().unwrap();
        let mut command = lorekeep(dir.path());
        // Room for few, so that most find none.
        command.env("LOREKEEP_TRACES", &url).env("OTEL_BSP_MAX_QUEUE_SIZE", "8");
        command.env("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "8").arg("serve");
        let mut client = Stdio1::start_command(command);
        client.open(json!({}));
        for at in 0..50 {
            let added =
                client.call("memory_add", json!({"content": format!("Note {at} of fifty")}));
            assert_eq!(added.value["success"], true, "{url}");
        }
        let began = Instant::now();
        assert_eq!(client.finish(), Some(0), "{url}");
        assert!(began.elapsed() < Duration::from_secs(5), "nobody waits for it at the end");
        let mut client = Stdio1::start(dir.path(), &[]);
        let found = client.call("memory_search", json!({"query": "Note 49 of fifty"}));
        assert!(found.value.to_string().contains("Note 49"), "{}", found.value);
    }
}
