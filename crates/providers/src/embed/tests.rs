//! Embedders against a server on the loopback.

use std::io::Write;
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use engine::{Embedder, Purpose};
use serde_json::{Value, json};

use super::remote::Limits;
use super::{Ollama, OpenAi};
use crate::http::Patience;
use crate::testing::{BOUNDS, PATIENCE, Reply, Server};

const LIMITS: Limits = Limits {
    bounds: BOUNDS,
    passage: PATIENCE,
    query: Patience { attempts_max: 2, pauses_max: Duration::from_millis(20), ..PATIENCE },
};

fn asker(server: &Server) -> OpenAi {
    OpenAi::bounded(&server.url, "m", Some("sk-s3cret"), None, LIMITS).unwrap()
}

fn items(rows: &[(usize, [f32; 2])]) -> Value {
    let item = |(index, row): &(usize, [f32; 2])| json!({"index": index, "embedding": row});
    json!({"object": "list", "data": rows.iter().map(item).collect::<Vec<_>>()})
}

fn one() -> Value {
    items(&[(0, [3.0, 4.0])])
}

/// The sentence for an answer that is no good.
fn error_of(replies: Vec<Reply>, texts: &[&str]) -> String {
    let server = Server::start(replies);
    let error = asker(&server).embed(texts, Purpose::Passage).unwrap_err();
    assert!(error.starts_with(&format!("{}/v1/embeddings ", server.url)), "{error}");
    assert!(error.contains("; "), "what would help is missing: {error}");
    error
}

#[test]
fn vectors_come_back_in_the_order_of_the_texts() {
    let rows = items(&[(1, [0.0, 2.0]), (0, [3.0, 4.0])]);
    let server = Server::start(vec![Reply::ok(&rows)]);
    let openai = asker(&server);
    let vectors = openai.embed(&["first", " ", "second"], Purpose::Passage).unwrap();
    assert_eq!(vectors[0].as_ref().unwrap().as_slice(), [0.6, 0.8]);
    assert_eq!(vectors[1], None);
    assert_eq!(vectors[2].as_ref().unwrap().as_slice(), [0.0, 1.0]);
    assert_eq!(openai.model(), format!("openai:m@{}/v1/embeddings", server.url));
    assert!(!format!("{openai:?}").contains("s3cret"));
    let asked = server.asked();
    assert!(asked[0].head.starts_with("post /v1/embeddings http/1.1\r\n"), "{}", asked[0].head);
    assert!(asked[0].head.contains("authorization: bearer sk-s3cret\r\n"));
    assert_eq!(asked[0].body, json!({"model": "m", "input": ["first", "second"]}));
}

#[test]
fn nothing_is_asked_for_texts_without_a_word() {
    let server = Server::start(vec![Reply::ok(&one())]);
    assert_eq!(asker(&server).embed(&["", "\n"], Purpose::Query), Ok(vec![None, None]));
    assert_eq!(asker(&server).embed(&[], Purpose::Query), Ok(vec![]));
    assert!(server.asked().is_empty());
}

#[test]
fn many_texts_are_many_requests() {
    let rows = |count| {
        let rows: Vec<_> = (0..count).map(|at| (at, [1.0, at as f32])).collect();
        Reply::ok(&items(&rows))
    };
    let server = Server::start(vec![rows(64), rows(64), rows(2)]);
    let vectors = asker(&server).embed(&["x"; 130], Purpose::Passage).unwrap();
    assert_eq!(vectors.len(), 130);
    assert_eq!(vectors[129].as_ref().unwrap().as_slice()[0], 0.5_f32.sqrt());
    assert_eq!(server.asked().len(), 3);
}

#[test]
fn dimensions_are_asked_for_and_part_of_the_name() {
    let server = Server::start(vec![Reply::ok(&one()), Reply::ok(&one())]);
    let openai = |count| {
        OpenAi::bounded(&server.url, "m", None, Some(count), LIMITS)
            .unwrap_or_else(|error| panic!("{error}"))
    };
    assert!(openai(2).embed(&["x"], Purpose::Query).is_ok());
    assert!(openai(2).model().starts_with("openai:m/2@"));
    assert_eq!(server.asked()[0].body["dimensions"], 2);
    let error = openai(3).embed(&["x"], Purpose::Query).unwrap_err();
    assert!(error.contains("2 numbers instead of 3"), "{error}");
}

#[test]
fn a_busy_server_is_asked_again_when_it_says() {
    let busy = || Reply::Status("429 Too Many Requests\r\nRetry-After: 1", String::new());
    let start = std::time::Instant::now();
    let server = Server::start(vec![busy(), Reply::ok(&one())]);
    assert!(asker(&server).embed(&["x"], Purpose::Passage).is_ok());
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert_eq!(server.asked().len(), 2);

    let server = Server::start(vec![busy(), Reply::ok(&one())]);
    let error = asker(&server).embed(&["x"], Purpose::Query).unwrap_err();
    assert!(error.contains("429 Too Many Requests; it asks to wait 1 s"), "{error}");
    assert_eq!(server.asked().len(), 1, "a query does not wait for that");

    let never = format!("429 Too Many Requests\r\nRetry-After: {}", u64::MAX);
    let error = error_of(vec![Reply::Status(never.leak(), String::new())], &["x"]);
    assert!(error.contains("it asks to wait 86400 s"), "{error}");
}

#[test]
fn what_fails_for_a_moment_is_asked_again() {
    let fails = || Reply::Status("503 Service Unavailable", "loading".to_owned());
    let gone = || Reply::Raw(String::new());
    let server = Server::start(vec![fails(), gone(), fails(), Reply::ok(&one())]);
    assert!(asker(&server).embed(&["x"], Purpose::Passage).is_ok());

    let server = Server::start(vec![gone(), Reply::ok(&one())]);
    assert!(asker(&server).embed(&["x"], Purpose::Query).is_ok());

    let server = Server::start(vec![fails(), fails(), Reply::ok(&one())]);
    let error = asker(&server).embed(&["x"], Purpose::Query).unwrap_err();
    assert!(error.contains("503 Service Unavailable (loading) (2 attempts); "), "{error}");
}

#[test]
fn a_server_that_fails_on_is_given_up() {
    let fails = || Reply::Status("500 Internal Server Error", r#"{"error": "oom"}"#.to_owned());
    let error = error_of((0..20).map(|_| fails()).collect(), &["x"]);
    assert!(error.contains("answered 500 Internal Server Error (oom) (8 attempts); "), "{error}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let url = format!("http://{}", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let openai = OpenAi::bounded(&url, "m", None, None, LIMITS).unwrap();
    let error = openai.embed(&["x"], Purpose::Query).unwrap_err();
    assert!(error.starts_with(&url) && error.contains("that the server runs"), "{error}");
    let ollama = Ollama::bounded(&url, "m", LIMITS).unwrap();
    let error = ollama.embed(&["x"], Purpose::Query).unwrap_err();
    assert!(error.contains("`ollama serve`"), "{error}");
}

#[test]
fn a_server_without_encryption_is_no_https_server() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            (&stream).write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").ok();
        }
    });
    let openai = OpenAi::bounded(&url, "m", Some("sk-s3cret"), None, LIMITS).unwrap();
    let error = openai.embed(&["x"], Purpose::Query).unwrap_err();
    assert!(error.starts_with(&url) && error.contains("could not be asked"), "{error}");
    assert!(!error.contains("s3cret"), "{error}");
}

#[test]
fn a_key_that_is_refused_is_not_shown() {
    let body = r#"{"error": {"message": "Incorrect API key provided: sk-s3cret."}}"#.to_owned();
    let error = error_of(vec![Reply::Status("401 Unauthorized", body)], &["x"]);
    let said = "answered 401 Unauthorized (Incorrect API key provided: ***.); check the API key";
    assert!(error.ends_with(said), "{error}");
}

#[test]
fn credentials_in_the_address_are_sent_and_not_shown() {
    let server = Server::start(vec![Reply::Status("403 Forbidden", "ada:s3 cret".to_owned())]);
    let url = server.url.replace("http://", "http://ada:s3%20cret@");
    let openai = OpenAi::bounded(&format!("{url}?tenant=7"), "m", None, None, LIMITS).unwrap();
    let error = openai.embed(&["x"], Purpose::Query).unwrap_err();
    assert!(error.contains("(***)") && !error.contains("tenant"), "{error}");
    let asked = server.asked();
    assert!(asked[0].head.starts_with("post /v1/embeddings?tenant=7 "), "{}", asked[0].head);
    assert!(asked[0].head.contains("authorization: basic ywrhonmzignyzxq=\r\n"));
    assert!(!openai.model().contains("ada"));
}

#[test]
fn answers_that_are_no_vectors_are_errors() {
    let ok = |body: &str| vec![Reply::ok(&body)];
    let page = "<!DOCTYPE html><html><head><title>Welcome</title></head></html>";
    for (replies, texts, expected) in [
        (ok(page), vec!["x"], "answered a page titled \"Welcome\", not JSON"),
        (ok(r#"{"data": [{"embedding": [1,"#), vec!["x"], "EOF while parsing"),
        (ok(r#"{"data": [{"embedding": [NaN]}]}"#), vec!["x"], "something else than embeddings"),
        (ok(r#"{"data": [{"embedding": [null]}]}"#), vec!["x"], "something else than embeddings"),
        (ok(r#"{"data": [{"embedding": [1e300]}]}"#), vec!["x"], "embeddings"),
        (ok(r#"{"data": [{"embedding": []}]}"#), vec!["x"], "a vector of 0 numbers"),
        (ok(&one().to_string()), vec!["x", "y"], "1 vectors for 2 texts"),
        (
            ok(&items(&[(0, [1.0, 0.0]), (0, [1.0, 0.0])]).to_string()),
            vec!["x", "y"],
            "answered index 0, twice",
        ),
        (
            ok(r#"{"data": [{"embedding": [1]}, {"embedding": [1, 2]}]}"#),
            vec!["x", "y"],
            "2 numbers instead of 1",
        ),
        (
            vec![Reply::Status("302 Found\r\nLocation: http://example.org/", String::new())],
            vec!["x"],
            "answered 302 Found; it sends elsewhere",
        ),
        (
            vec![Reply::Status("502 Bad Gateway", page.to_owned()); 20],
            vec!["x"],
            "502 Bad Gateway (a page titled \"Welcome\")",
        ),
        (ok(&format!("\"{}\"", "x".repeat(200_000))), vec!["x"], "more than 100000 bytes"),
        (vec![Reply::Raw("garbage\r\n\r\n".to_owned()); 20], vec!["x"], "could not be asked"),
    ] {
        let error = error_of(replies, &texts);
        assert!(error.contains(expected), "{error}\n{expected}");
    }
}

#[test]
fn half_an_answer_is_none() {
    let half = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"data\": [";
    let error = error_of((0..20).map(|_| Reply::Raw(half.to_owned())).collect(), &["x"]);
    assert!(error.contains("could not be asked"), "{error}");
    let server = Server::start(vec![Reply::Raw(half.to_owned()), Reply::ok(&one())]);
    assert!(asker(&server).embed(&["x"], Purpose::Query).is_ok());
}

#[test]
fn a_server_that_stalls_is_left() {
    let error = error_of(vec![Reply::Stall], &["x"]);
    assert!(error.contains("gave no whole answer within 2s"), "{error}");
}

#[test]
fn the_number_of_numbers_stays() {
    let other = json!({"data": [{"embedding": [1, 2, 3]}]});
    let server = Server::start(vec![Reply::ok(&one()), Reply::ok(&other), Reply::ok(&one())]);
    let openai = asker(&server);
    assert!(openai.embed(&["x"], Purpose::Query).is_ok());
    let error = openai.embed(&["x"], Purpose::Query).unwrap_err();
    assert!(error.contains("3 numbers instead of 2"), "{error}");
    assert!(openai.embed(&["x"], Purpose::Query).is_ok());
}

#[test]
fn ollama_is_asked_in_its_own_way() {
    let answer = json!({"model": "all-minilm", "embeddings": [[3.0, 4.0], [0.0, 0.0]]});
    let server = Server::start(vec![Reply::ok(&answer)]);
    let ollama = Ollama::bounded(&server.url, "all-minilm", LIMITS).unwrap();
    let vectors = ollama.embed(&["x", "y"], Purpose::Passage).unwrap();
    assert_eq!(vectors[0].as_ref().unwrap().as_slice(), [0.6, 0.8]);
    assert_eq!(vectors[1], None, "a vector without a direction says nothing");
    assert_eq!(ollama.model(), "ollama:all-minilm");
    let asked = server.asked();
    assert!(asked[0].head.starts_with("post /api/embed http/1.1\r\n"), "{}", asked[0].head);
    assert_eq!(asked[0].body, json!({"model": "all-minilm", "input": ["x", "y"]}));
}

#[test]
fn a_model_that_ollama_does_not_have_can_be_pulled() {
    let body = r#"{"error": "model \"m\" not found, try pulling it first"}"#.to_owned();
    let server = Server::start(vec![Reply::Status("404 Not Found", body)]);
    let ollama = Ollama::bounded(&format!("{}/api/embed/", server.url), "m", LIMITS).unwrap();
    let error = ollama.embed(&["x"], Purpose::Query).unwrap_err();
    assert!(error.starts_with(&format!("{}/api/embed answered 404", server.url)), "{error}");
    assert!(error.ends_with("; get the model with `ollama pull m`"), "{error}");
}
