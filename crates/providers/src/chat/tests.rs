//! Models that answer against a server on the loopback.

use engine::ports::Reader;
use serde_json::{Value, json};

use super::{Limits, OllamaChat, OpenAiChat};
use crate::testing::{BOUNDS, PATIENCE, Reply, Server};

const LIMITS: Limits = Limits { bounds: BOUNDS, patience: PATIENCE };

fn openai(server: &Server) -> OpenAiChat {
    OpenAiChat::bounded(&server.url, "m", Some("sk-s3cret"), LIMITS).unwrap()
}

fn ollama(server: &Server) -> OllamaChat {
    let url = server.url.replace("http://", "http://ada:sk-s3cret@");
    OllamaChat::bounded(&url, "m", LIMITS).unwrap()
}

/// An answer of OpenAI's kind.
fn said(content: &str) -> Value {
    let message = json!({"role": "assistant", "content": content, "refusal": null});
    json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
}

/// What both kinds of server say when they answer this.
fn errors_of(replies: &[Reply]) -> [String; 2] {
    let server = Server::start(replies.to_vec());
    let openai = openai(&server).answer("s", "q").unwrap_err();
    assert!(openai.starts_with(&format!("{}/v1/chat/completions ", server.url)), "{openai}");
    let server = Server::start(replies.to_vec());
    let ollama = ollama(&server).answer("s", "q").unwrap_err();
    assert!(ollama.starts_with(&format!("{}/api/chat ", server.url)), "{ollama}");
    let errors = [openai, ollama];
    for error in &errors {
        assert!(error.contains("; "), "what would help is missing: {error}");
        assert!(!error.contains("s3cret"), "{error}");
    }
    errors
}

#[test]
fn openai_is_asked_for_a_json_document() {
    let server = Server::start(vec![Reply::ok(&said(" {\"facts\": []}\n"))]);
    let chat = openai(&server);
    assert_eq!(chat.answer("Be brief.", "Who?"), Ok("{\"facts\": []}".to_owned()));
    assert_eq!(chat.name(), format!("openai:m@{}/v1/chat/completions", server.url));
    assert!(!format!("{chat:?}").contains("s3cret"));
    let asked = server.asked();
    let head = &asked[0].head;
    assert!(head.starts_with("post /v1/chat/completions http/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: bearer sk-s3cret\r\n"), "{head}");
    let messages = json!([
        {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}
    ]);
    let expected = json!({"model": "m", "messages": messages, "temperature": 0,
        "response_format": {"type": "json_object"}});
    assert_eq!(asked[0].body, expected);
}

#[test]
fn ollama_is_asked_in_its_own_way() {
    let answer = json!({"message": {"role": "assistant", "content": "{}"}, "done_reason": "stop",
        "done": true});
    let server = Server::start(vec![Reply::ok(&answer)]);
    let chat = ollama(&server);
    assert_eq!(chat.answer("Be brief.", "Who?"), Ok("{}".to_owned()));
    assert_eq!(chat.name(), "ollama:m");
    let asked = server.asked();
    assert!(asked[0].head.starts_with("post /api/chat http/1.1\r\n"), "{}", asked[0].head);
    let messages = json!([
        {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}
    ]);
    let expected = json!({"model": "m", "messages": messages, "stream": false, "format": "json",
        "options": {"temperature": 0}});
    assert_eq!(asked[0].body, expected);
}

#[test]
fn an_address_is_taken_with_and_without_its_path() {
    for (url, expected) in [
        ("http://h", "http://h/v1/chat/completions"),
        ("http://h/v1/", "http://h/v1/chat/completions"),
        ("http://h/api/openai/v1/chat/completions", "http://h/api/openai/v1/chat/completions"),
    ] {
        let chat = OpenAiChat::new(url, "m", None).unwrap();
        assert_eq!(chat.name(), format!("openai:m@{expected}"));
    }
    for url in ["http://h", "http://h/", "http://h/api", "http://h/api/chat/"] {
        let chat = OllamaChat::new(url, "m").unwrap();
        assert!(format!("{chat:?}").contains("http://h/api/chat,"), "{chat:?}");
    }
    assert!(OpenAiChat::new("h:1", "m", None).is_err());
}

#[test]
fn what_a_server_refuses_by_name_it_is_asked_without() {
    let refuses = |name: &str| {
        let message = format!("{} '{name}' is not supported", "x".repeat(300));
        Reply::Status("400 Bad Request", json!({"error": {"message": message}}).to_string())
    };
    let server = Server::start(vec![
        refuses("response_format"),
        Reply::ok(&said("1")),
        Reply::ok(&said("2")),
        refuses("temperature"),
        Reply::ok(&said("3")),
    ]);
    let chat = openai(&server);
    for answer in ["1", "2", "3"] {
        assert_eq!(chat.answer("s", "q"), Ok(answer.to_owned()));
    }
    let asked = server.asked();
    let fields = |name: &str| -> Vec<bool> {
        asked.iter().map(|asked| asked.body.get(name).is_some()).collect()
    };
    assert_eq!(fields("response_format"), [true, false, false, false, false]);
    assert_eq!(fields("temperature"), [true, true, true, true, false]);
}

#[test]
fn what_is_refused_again_is_not_asked_for_ever() {
    let body = r#"{"detail": [{"loc": ["response_format", "temperature"]}]}"#;
    let refuses = Reply::Status("422 Unprocessable Entity", body.to_owned());
    let server = Server::start(vec![refuses; 9]);
    let chat = openai(&server);
    let error = chat.answer("s", "q").unwrap_err();
    assert!(error.contains("422 Unprocessable Entity"), "{error}");
    assert_eq!(server.asked().len(), 3);
    assert!(chat.answer("s", "q").is_err());
    let asked = server.asked();
    assert!(asked[0].body.get("temperature").is_some(), "nothing was learnt from a failure");
}

#[test]
fn a_busy_server_is_asked_again_when_it_says() {
    let busy = Reply::Status("429 Too Many Requests\r\nRetry-After: 1", String::new());
    let start = std::time::Instant::now();
    let server = Server::start(vec![busy, Reply::ok(&said("1"))]);
    assert!(openai(&server).answer("s", "q").is_ok());
    assert!(start.elapsed() >= std::time::Duration::from_secs(1));
    assert_eq!(server.asked().len(), 2);

    let [error, _] = errors_of(&vec![Reply::Status("429 Too Many Requests", String::new()); 20]);
    assert!(error.contains("429 Too Many Requests (8 attempts); try again later"), "{error}");
    let long = Reply::Status("429 Too Many Requests\r\nRetry-After: 60", String::new());
    let [error, _] = errors_of(&[long]);
    assert!(error.contains("it asks to wait 60 s"), "{error}");
}

#[test]
fn what_fails_for_a_moment_is_asked_again() {
    let fails = Reply::Status("500 Internal Server Error", "oom".to_owned());
    let half =
        Reply::Raw("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"choices\": [".to_owned());
    let server = Server::start(vec![fails.clone(), half, Reply::ok(&said("1"))]);
    assert_eq!(openai(&server).answer("s", "q"), Ok("1".to_owned()));
    let [error, _] = errors_of(&vec![fails; 20]);
    assert!(error.contains("500 Internal Server Error (oom) (8 attempts); "), "{error}");
}

#[test]
fn half_an_answer_is_none() {
    let half = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"choices\": [";
    for error in errors_of(&vec![Reply::Raw(half.to_owned()); 20]) {
        assert!(error.contains("could not be asked"), "{error}");
    }
}

#[test]
fn a_server_that_stalls_is_left() {
    for error in errors_of(&[Reply::Stall]) {
        assert!(error.contains("gave no whole answer within 2s"), "{error}");
    }
}

#[test]
fn a_key_that_is_refused_is_not_shown() {
    let body = r#"{"error": {"message": "Incorrect API key provided: sk-s3cret."}}"#.to_owned();
    for error in errors_of(&[Reply::Status("401 Unauthorized", body)]) {
        assert!(error.ends_with("provided: ***.); check the API key"), "{error}");
    }
    let long = format!("{}sk-s3cret", "x".repeat(195));
    let [error, _] = errors_of(&[Reply::Status("403 Forbidden", long)]);
    assert!(!error.contains("sk-"), "half a key is a key: {error}");
    let mut refusal = said("");
    refusal["choices"][0]["message"]["refusal"] = "I keep sk-s3cret to myself".into();
    let server = Server::start(vec![Reply::ok(&refusal)]);
    let error = openai(&server).answer("s", "q").unwrap_err();
    assert!(error.contains("refused to answer (I keep *** to myself); "), "{error}");
}

#[test]
fn a_model_that_is_not_there_can_be_had() {
    let body = r#"{"error": "model \"m\" not found, try pulling it first"}"#.to_owned();
    let [openai, ollama] = errors_of(&[Reply::Status("404 Not Found", body)]);
    assert!(openai.ends_with("; check the address and the name of the model"), "{openai}");
    assert!(ollama.ends_with("; get the model with `ollama pull m`"), "{ollama}");
    let url = Server::start(vec![]).url;
    let error = OllamaChat::bounded(&url, "m", LIMITS).unwrap().answer("s", "q").unwrap_err();
    assert!(error.contains("`ollama serve`"), "{error}");
}

#[test]
fn answers_that_say_nothing_are_errors() {
    let page = "<!DOCTYPE html><html><head><title>Welcome</title></head></html>";
    for (body, expected) in [
        (page, "answered a page titled \"Welcome\", not JSON"),
        (r#"{"choices": [{"message""#, "EOF while parsing"),
        (r#"{"choices": 7, "message": 7}"#, "something else than a chat"),
        ("null", "something else than a chat"),
        ("", "something else than a chat"),
        (
            r#"{"choices": [{"message": {"content": " \n"}}], "message": {"content": " \n"}}"#,
            "answered nothing; check that the model can chat",
        ),
        (
            r#"{"choices": [{"message": {}, "finish_reason": "content_filter"}], "message": {},
                "done_reason": "content_filter"}"#,
            "answered nothing (it ended by \"content_filter\"); ",
        ),
        (
            r#"{"choices": [{"message": {"content": "{"}, "finish_reason": "length"}],
                "message": {"content": "{"}, "done_reason": "length"}"#,
            "answered only half",
        ),
    ] {
        for error in errors_of(&[Reply::ok(&body)]) {
            assert!(error.contains(expected), "{error}\n{expected}");
        }
    }
    let server = Server::start(vec![Reply::ok(&r#"{"choices": []}"#)]);
    let error = openai(&server).answer("s", "q").unwrap_err();
    assert!(error.contains("answered no choices; "), "{error}");
    let long = format!("\"{}\"", "x".repeat(200_000));
    for error in errors_of(&[Reply::ok(&long)]) {
        assert!(error.contains("more than 100000 bytes"), "{error}");
    }
}
