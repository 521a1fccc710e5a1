//! What clients tell by their hooks: each event of each client, with the secret in all it tells.

use serde_json::{Value, json};

use super::{holders, holds_secret, nothing_is_kept, secret};
use crate::cli::json;
use crate::hooks::{Place, hook};

/// The clients and what they call what happens.
const CLIENTS: [(&str, [&str; 4]); 5] = [
    ("claude-code", ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]),
    ("codex", ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]),
    ("vscode", ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]),
    ("cursor", ["sessionStart", "beforeSubmitPrompt", "stop", "sessionEnd"]),
    ("gemini", ["SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"]),
];

/// What a client tells, with the secret in it: by itself, and by the session it wrote down.
fn told(place: &Place, client: &str, event: &str) -> [String; 2] {
    let said = format!(
        "Remember that {client} at {event} deploys with {}, always. We always deploy herons on \
         Mondays.",
        secret()
    );
    let lines: [Value; 2] = [
        json!({"type": "user", "message": {"role": "user", "content": format!("{said} Yes.")}}),
        json!({"type": "assistant", "message": {"role": "assistant",
            "content": [{"type": "text", "text": said}]}}),
    ];
    let written = place.dir.path().join(format!("{}.jsonl", secret()));
    std::fs::write(&written, lines.map(|line| line.to_string()).join("\n")).unwrap();
    let itself = json!({"prompt": said, "session_id": secret(), "last_assistant_message": said,
        "prompt_response": said, "hook_event_name": event, "source": secret(), "reason": said});
    let by_file = json!({"session_id": format!("s-{}", secret()), "transcript_path": written,
        "hook_event_name": event});
    [place.input(itself), place.input(by_file)]
}

/// All that all of them tell, under a policy; what they were answered.
fn all(place: &Place, policy: &str) -> String {
    let mut answers = String::new();
    for (client, events) in CLIENTS {
        for event in events {
            for input in told(place, client, event) {
                let args = ["hook", client, event, "--secrets", policy];
                answers += &hook(&mut place.command(&args), &input);
            }
        }
    }
    answers
}

#[test]
fn every_event_of_every_client_is_kept_without_secrets() {
    for policy in ["refuse", "redact"] {
        let place = Place::new();
        let answers = all(&place, policy);
        assert!(!holds_secret(answers.as_bytes()), "{answers}");
        let events = place.run(&["call", "get_recent_events", "{\"limit\": 50}"]);
        assert!(events.contains("[redacted github token]"), "{events}");
        for (client, _) in CLIENTS {
            assert!(events.contains(client), "{client} told nothing: {events}");
        }
        nothing_is_kept(&place.store());
        let waiting = json(&place.run(&["review", "--json"]));
        assert!(waiting.as_array().is_some_and(|all| !all.is_empty()), "{waiting}");
        for one in waiting.as_array().unwrap() {
            place.run(&["review", "--keep", &one["id"].to_string()]);
        }
        nothing_is_kept(&place.store());
    }
}

#[test]
fn whoever_says_so_keeps_what_hooks_tell() {
    let place = Place::new();
    all(&place, "keep");
    assert!(!holders(&place.store()).is_empty(), "the look finds what is there");
}
