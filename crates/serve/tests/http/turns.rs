//! Turns between tokens, and what is told to who finds none.

use super::*;

/// Calls of some bearers to one server, and the order in which they were answered.
struct Calls {
    running: Arc<Running>,
    answered: Arc<Mutex<Vec<&'static str>>>,
}

impl Calls {
    fn new(running: Running) -> Self {
        Self { running: Arc::new(running), answered: Arc::default() }
    }

    fn call(&self, token: &'static str) -> JoinHandle<Answer> {
        let (running, answered) = (Arc::clone(&self.running), Arc::clone(&self.answered));
        tokio::spawn(async move {
            let answer = running.post(token, &add("x")).await;
            answered.lock().unwrap().push(token);
            answer
        })
    }

    /// The answers to these calls; each of them was done.
    async fn all_done(&self, calls: impl IntoIterator<Item = JoinHandle<Answer>>) {
        for call in calls {
            let answer = call.await.unwrap();
            assert_eq!(answer.json()["result"]["isError"], false, "{answer:?}");
        }
    }

    /// How many were answered before this one's first.
    fn before(&self, token: &str) -> usize {
        let answered = self.answered.lock().unwrap();
        answered.iter().position(|of| *of == token).unwrap()
    }
}

#[tokio::test]
async fn overload_is_told_at_once_and_by_turns() {
    let (end, waits) = channel();
    let calls = CallLimits { running_max: 1, waiting_max: 8, ..CallLimits::default() };
    let server = server(calls, Mood::Waits(waits));
    let calls = Calls::new(start_with(server, Limits::default(), None).await);
    let first = calls.call("ada");
    calls.running.until("lorekeep_calls_running 1").await;
    let waiting: Vec<_> = (0..8).map(|_| calls.call("ada")).collect();
    calls.running.until("lorekeep_calls_waiting 8").await;
    // The store has not opened yet, so this answer waits for nothing.
    let refused = calls.call("ada").await.unwrap();
    let text = refused.json()["result"]["content"][0]["text"].to_string();
    assert!(text.contains("RATE_LIMITED"), "{text}");
    let other = calls.call("bob");
    calls.running.until("lorekeep_calls_waiting 9").await;
    calls.answered.lock().unwrap().clear();
    end.send(()).unwrap();
    calls.all_done(waiting.into_iter().chain([first, other])).await;
    // One of hers was at work and one was next; answers may overtake each other by a little.
    assert!(calls.before("bob") < 5, "{:?}", calls.answered);
    let line = "lorekeep_calls_total{tool=\"memory_add\",outcome=\"rate_limited\"} 1";
    assert!(calls.running.figure(line).await);
}

/// One at a time is inside, for as long as it takes.
fn narrow() -> Limits {
    Limits { inside_max: 1, inside_time_max: PATIENCE, ..Limits::default() }
}

#[tokio::test]
async fn turns_go_round_by_token_before_anything_is_read_of_a_message() {
    let (end, waits) = channel();
    let server = server(CallLimits::default(), Mood::Waits(waits));
    let calls = Calls::new(start_with(server, narrow(), None).await);
    let first = calls.call("ada");
    calls.running.until("lorekeep_calls_running 1").await;
    let many: Vec<_> = (0..12).map(|_| calls.call("ada")).collect();
    calls.running.until("lorekeep_http_waiting 12").await;
    let few: Vec<_> = (0..2).map(|_| calls.call("bob")).collect();
    calls.running.until("lorekeep_http_waiting 14").await;
    assert!(calls.running.figure("lorekeep_calls_running 1").await, "the others are outside");
    end.send(()).unwrap();
    calls.all_done(many.into_iter().chain(few).chain([first])).await;
    assert!(calls.before("bob") < 5, "{:?}", calls.answered);
    assert!(calls.running.figure("lorekeep_http_waiting 0").await);
}

#[tokio::test]
async fn who_finds_no_turn_in_time_is_refused() {
    let (end, waits) = channel();
    let server = server(CallLimits::default(), Mood::Waits(waits));
    let limits = Limits { wait_time_max: Duration::from_millis(50), ..narrow() };
    let calls = Calls::new(start_with(server, limits, None).await);
    let first = calls.call("ada");
    calls.running.until("lorekeep_calls_running 1").await;
    let refused = calls.running.post("bob", &list()).await;
    assert_eq!(refused.status, 429, "{refused:?}");
    let error = &refused.json()["error"];
    assert_eq!(error["data"]["code"], "RATE_LIMITED");
    assert!(error["message"].as_str().unwrap().contains("nothing was done"), "{error}");
    end.send(()).unwrap();
    calls.all_done([first]).await;
}

#[tokio::test]
async fn who_takes_long_does_not_keep_others_out() {
    let (end, waits) = channel();
    let server = server(CallLimits::default(), Mood::Waits(waits));
    let limits = Limits { inside_time_max: Duration::from_millis(50), ..narrow() };
    let calls = Calls::new(start_with(server, limits, None).await);
    let first = calls.call("ada");
    calls.running.until("lorekeep_calls_running 1").await;
    assert_eq!(calls.running.post("bob", &list()).await.status, 200);
    end.send(()).unwrap();
    calls.all_done([first]).await;
}

#[tokio::test]
async fn a_message_that_comes_slowly_takes_nobody_s_turn() {
    let running = start(narrow()).await;
    let mut slow = running.connect().await;
    let request = posted("ada", "", &list());
    slow.write_all(&request[..request.len() - 1]).await.unwrap();
    running.until("lorekeep_http_in_flight 2").await;
    assert_eq!(running.post("bob", &list()).await.status, 200);
    assert_eq!(ask(&mut slow, &request[request.len() - 1..]).await.status, 200);
}

#[tokio::test]
async fn a_stream_gives_its_seat_back_when_it_ends() {
    let running = start(narrow()).await;
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "it", "version": "1"}}});
    let mut open = Vec::new();
    let mut send = async |more: &str, message: &Value| {
        let body = message.to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\n{}content-type: application/json\r\n\
             accept: application/json, text/event-stream\r\n{more}content-length: {}\r\n\r\n{body}",
            headers("ada"),
            body.len()
        );
        let mut stream = running.connect().await;
        let answer = ask(&mut stream, request.as_bytes()).await;
        open.push(stream);
        answer
    };
    let opened = send("", &hello).await;
    let session = opened.head.lines().find(|line| line.starts_with("mcp-session-id"));
    let session = format!("{}\r\n", session.expect(&opened.head));
    send(&session, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    // Each is a stream, whose head comes at once; the next has its turn when it has ended.
    for n in 0..5 {
        let answer = send(&session, &add(&format!("note {n}"))).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}
