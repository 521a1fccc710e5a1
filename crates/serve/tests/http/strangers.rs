//! Who brings no good token: little time, little room, nothing kept.

use super::*;

fn get(path: &str, headers: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\n{headers}\r\n").into_bytes()
}

#[tokio::test]
async fn strangers_make_way_for_who_has_a_token() {
    let running = start(Limits { connections_max: 3, ..Limits::default() }).await;
    let mut first = running.connect().await;
    assert_eq!(ask(&mut first, &get("/mcp", "host: localhost\r\n")).await.status, 401);
    let _second = running.connect().await;
    let _third = running.connect().await;
    assert_eq!(running.post("ada", &list()).await.status, 200);
    closed(&mut first).await;
}

#[tokio::test]
async fn who_has_a_token_makes_way_for_nobody() {
    let running = start(Limits { connections_max: 1, ..Limits::default() }).await;
    let mut known = running.connect().await;
    assert_eq!(ask(&mut known, &posted("ada", "", &list())).await.status, 200);
    assert_eq!(answer(&mut running.connect().await).await.status, 503);
    assert_eq!(ask(&mut known, &posted("ada", "", &list())).await.status, 200);
}

#[tokio::test]
async fn a_connection_without_a_good_token_ends_soon() {
    let short = Duration::from_secs(1);
    let running = start(Limits { stranger_time_max: short, ..Limits::default() }).await;
    let mut known = running.connect().await;
    assert_eq!(ask(&mut known, &posted("ada", "", &list())).await.status, 200);
    let mut refused = running.connect().await;
    assert_eq!(ask(&mut refused, &get("/mcp", "host: localhost\r\n")).await.status, 401);
    closed(&mut refused).await;
    closed(&mut running.connect().await).await;
    assert_eq!(ask(&mut known, &posted("ada", "", &list())).await.status, 200, "this one stays");
}

#[tokio::test]
async fn little_is_read_of_what_a_stranger_sends() {
    let running = start(Limits::default()).await;
    let post = |length: usize| {
        format!("POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n")
    };
    let mut large = running.connect().await;
    let refused = ask(&mut large, post(1 << 20).as_bytes()).await;
    assert_eq!(refused.status, 401, "before anything of it has come");
    assert!(refused.head.contains("connection: close"), "{}", refused.head);
    closed(&mut large).await;
    let mut small = running.connect().await;
    for _ in 0..2 {
        let request = [post(60_000).into_bytes(), vec![b' '; 60_000]].concat();
        assert_eq!(ask(&mut small, &request).await.status, 401, "and the next can follow");
    }
}

#[tokio::test]
async fn names_and_sites_are_looked_at_before_anything_else() {
    let running = start(Limits::default()).await;
    let status = async |path: &str, headers: &str| {
        ask(&mut running.connect().await, &get(path, headers)).await.status
    };
    for path in ["/mcp", "/metrics", "/nowhere"] {
        assert_eq!(status(path, "host: evil.example\r\n").await, 403, "{path}");
        let page = "host: localhost\r\norigin: https://evil.example\r\n";
        assert_eq!(status(path, page).await, 403, "{path}");
        assert_eq!(status(path, "host: localhost\r\nhost: localhost\r\n").await, 400, "{path}");
        assert_eq!(status(path, "host: localhost\r\n").await, 401, "{path}");
    }
    let twice = format!("{}authorization: Bearer bob\r\n", headers("ada"));
    assert_eq!(status("/mcp", &twice).await, 400);
    assert_eq!(
        status("/healthz", "host: 10.0.0.7:7420\r\n").await,
        200,
        "a probe knows an address"
    );
    let page = "host: localhost\r\norigin: https://evil.example\r\n";
    assert_eq!(status("/healthz", page).await, 403);
}

#[tokio::test]
async fn a_page_that_may_call_is_told_so_as_browsers_want_it() {
    let running = start(Limits::default()).await;
    let before = |origin: &str| {
        format!(
            "OPTIONS /mcp HTTP/1.1\r\nhost: localhost\r\norigin: {origin}\r\n\
             access-control-request-method: POST\r\n\
             access-control-request-headers: authorization,mcp-method\r\n\r\n"
        )
    };
    let asked =
        async |origin: &str| ask(&mut running.connect().await, before(origin).as_bytes()).await;
    let told = asked("https://app.example").await;
    assert_eq!(told.status, 204, "{told:?}");
    for line in [
        "access-control-allow-origin: https://app.example\r\n",
        "access-control-allow-methods: get, post, delete\r\n",
        "authorization, content-type",
        "mcp-method",
        "vary: origin\r\n",
    ] {
        assert!(told.head.contains(line), "{line}: {}", told.head);
    }
    let other = asked("https://evil.example").await;
    assert_eq!(other.status, 403);
    assert!(!other.head.contains("access-control"), "{}", other.head);
    let called = posted("ada", "origin: https://app.example\r\n", &list());
    let called = ask(&mut running.connect().await, &called).await;
    let exposed = "access-control-expose-headers: mcp-session-id, www-authenticate";
    assert!(called.head.contains(exposed), "{}", called.head);
    let page = "host: localhost\r\norigin: https://app.example\r\n";
    let refused = ask(&mut running.connect().await, &get("/mcp", page)).await;
    assert_eq!(refused.status, 401);
    assert!(refused.head.contains("access-control-allow-origin"), "a page can read the challenge");
    let plain = running.post("ada", &list()).await;
    assert!(!plain.head.contains("access-control"), "{}", plain.head);
}

#[tokio::test]
async fn one_token_does_not_keep_everybody_else_out() {
    let running = start(Limits { connections_max: 4, ..Limits::default() }).await;
    let mut of_hog = Vec::new();
    for _ in 0..4 {
        let mut stream = running.connect().await;
        assert_eq!(ask(&mut stream, &posted("hog", "", &list())).await.status, 200);
        of_hog.push(stream);
    }
    let mut ada = running.connect().await;
    assert_eq!(ask(&mut ada, &posted("ada", "", &list())).await.status, 200);
    closed(&mut of_hog[0]).await;
    assert_eq!(running.get("", "/healthz").await.status, 200);
    closed(&mut of_hog[1]).await;
    assert_eq!(ask(&mut ada, &posted("ada", "", &list())).await.status, 200, "she stays");
    assert_eq!(ask(&mut of_hog[3], &posted("hog", "", &list())).await.status, 200);
}

#[tokio::test]
async fn who_is_let_in_no_more_is_a_stranger_again() {
    let short = Duration::from_secs(1);
    let running = start(Limits { stranger_time_max: short, ..Limits::default() }).await;
    let mut stream = running.connect().await;
    assert_eq!(ask(&mut stream, &posted("ada", "", &list())).await.status, 200);
    assert_eq!(ask(&mut stream, &posted("no/body", "", &list())).await.status, 401);
    closed(&mut stream).await;
}
