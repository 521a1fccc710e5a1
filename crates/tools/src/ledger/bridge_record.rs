//! `bridge-record`.

use engine::Result;
use engine::limits::METADATA_CHARS_MAX;
use engine::record::{self, Exchange};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Ns, Said};
use crate::tool::{Context, Effect, Tool};
use crate::wire::Object;

/// Record a prompt and its response, and link them to the decisions they have to do with.
///
/// # When to use
/// After an answer: a hook keeps what was done, so that decisions gather evidence.
///
/// # Usage
/// ```json
/// {"prompt": "Test API endpoint", "response": "200 OK in 1.2s", "metadata": {"tool_used": "http_client"}}
/// ```
///
/// # Returns
/// `event_id` of the event (kind `agent_action`, or `error` when `success` is false) and
/// `linked_decisions`: at most 5 whose score passes 0.6. A success is evidence for them, and their
/// confidence grows by a fifth of itself, up to 1 (0.8 becomes 0.96). A failure is evidence against them,
/// and their confidence falls by a fifth of itself (0.8 becomes 0.64).
/// Nothing in the texts is opened or followed.
///
/// # Errors
/// BAD_REQUEST for a missing or empty text; UNPROCESSABLE_ENTITY for a wrong field.
///
/// # Related
/// `record::bridge`: `bridge-context` gives what to know first, `get_recent_events` shows what was
/// kept.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct BridgeRecord {
    /// User's prompt
    prompt: Said,
    /// AI's response
    response: Said,
    /// Whether the operation was successful
    #[serde(default = "yes")]
    success: bool,
    /// Additional context (tool used, duration, etc.)
    metadata: Option<Object<METADATA_CHARS_MAX>>,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BridgeRecorded {
    event_id: String,
    linked_decisions: Vec<String>,
}

impl Tool for BridgeRecord {
    const NAME: &'static str = "bridge-record";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::User;
    type Response = BridgeRecorded;

    fn call(self, cx: &Context<'_>) -> Result<BridgeRecorded> {
        let exchange = Exchange {
            namespace: self.namespace.write(cx.caller)?,
            prompt: self.prompt.text("prompt")?,
            response: self.response.text("response")?,
            success: self.success,
            metadata: self.metadata.unwrap_or_default().0,
        };
        let kept = record::bridge(cx.engine, cx.caller, &exchange)?;
        Ok(BridgeRecorded {
            event_id: kept.episode.to_string(),
            linked_decisions: kept.records.iter().map(ToString::to_string).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{POSTGRES, counted, recorded, refused};
    use crate::testing::{Bench, Speaker, check, text};

    #[test]
    fn an_exchange_is_an_event_and_evidence() {
        let records = [
            recorded("$pg", POSTGRES),
            recorded(
                "$friday",
                r#"{"title": "No deployments on Friday", "target": "release",
                "rationale": "Nobody is there at the weekend."}"#,
            ),
        ]
        .concat();
        check(&format!(
            r#"{records}
            > bridge-record {{"prompt": "Use PostgreSQL\n for production?", "response": "Yes, PostgreSQL runs in production.",
                "metadata": {{"tool_used": "psql", "duration_seconds": 1.2, "more": {{"list": [1, null]}}}}}}
            < {{"event_id": "$event", "linked_decisions": ["$pg"]}}
            > get_recent_events {{}}
            < {{"events": [{{"id": "$event", "kind": "agent_action", "linked_ids": ["$pg"], "timestamp": "$*", "namespace": "default",
                "description": "Prompt: Use PostgreSQL for production? → Response: Yes, PostgreSQL runs in production.",
                "metadata": {{"tool_used": "psql", "duration_seconds": 1.2, "more": {{"list": [1, null]}}}}}},
                {{"...": 0}}, {{"...": 0}}], "total": 3}}
            > get_decisions {{"fid": "$pg"}}
            < {{"decisions": [{{"confidence": 0.96, "evidence": ["$event"], "...": 0}}], "total": 1}}
            > get_decisions {{"fid": "$friday"}}
            < {{"decisions": [{{"confidence": 0.8, "evidence": [], "...": 0}}], "total": 1}}
            # It is linked already.
            > link_evidence {{"event_id": "$event", "decision_ids": ["$pg"]}}
            <! {{"error": {{"code": "CONFLICT", "...": 0}}}}
            > sync_git {{}}
            < {{"files_committed": 0, "...": 0}}
            "#
        ));
    }

    #[test]
    fn what_failed_is_an_error_and_what_fits_nothing_is_linked_with_nothing() {
        let record = recorded("$pg", POSTGRES);
        check(&format!(
            r#"{record}
            > bridge-record {{"prompt": "Water the roses", "response": "The hose leaks", "success": false,
                "metadata": null, "tags": ["ignored"]}}
            < {{"event_id": "$event", "linked_decisions": [], "warnings":
                ["tags is unknown and was ignored; the nearest known field is $*"]}}
            > get_recent_events {{"kind": "error"}}
            < {{"events": [{{"id": "$event", "linked_ids": [], "metadata": {{}}, "...": 0}}], "total": 1}}
            > bridge-record {{"prompt": "Water the roses", "response": "Done", "success": null, "namespace": "garden"}}
            < {{"event_id": "$other", "linked_decisions": []}}
            > get_recent_events {{"namespace": "garden"}}
            < {{"events": [{{"id": "$other", "kind": "agent_action", "...": 0}}], "total": 1}}
            > get_decisions {{}}
            < {{"decisions": [{{"confidence": 0.8, "evidence": [], "...": 0}}], "total": 1}}
            "#
        ));
    }

    #[test]
    fn a_failure_is_evidence_against_and_lowers_the_confidence() {
        let record = recorded("$pg", POSTGRES);
        check(&format!(
            r#"{record}
            > bridge-record {{"prompt": "Use PostgreSQL for production?", "response": "PostgreSQL failed in production.", "success": false}}
            < {{"event_id": "$event", "linked_decisions": ["$pg"]}}
            > get_decisions {{"fid": "$pg"}}
            < {{"decisions": [{{"confidence": 0.64, "evidence": ["$event"], "...": 0}}], "total": 1}}
            > get_recent_events {{"kind": "error"}}
            < {{"events": [{{"id": "$event", "linked_ids": ["$pg"], "...": 0}}], "total": 1}}
            # Success adds a fifth again, of what is left.
            > bridge-record {{"prompt": "Use PostgreSQL for production?", "response": "PostgreSQL runs in production."}}
            < {{"linked_decisions": ["$pg"], "...": 0}}
            > get_decisions {{"fid": "$pg"}}
            < {{"decisions": [{{"confidence": 0.768, "...": 0}}], "total": 1}}
            "#
        ));
    }

    #[test]
    fn no_more_than_five_are_linked() {
        let mut bench = Bench::new();
        for at in 0..7 {
            bench.run(&recorded(
                "$*",
                &format!(
                    r#"{{"title": "Retry failed requests of service {at} with exponential backoff",
                    "target": "service_{at}", "rationale": "Prevents overwhelming the server."}}"#
                ),
            ));
        }
        let exchange =
            json!({"prompt": "retry failed requests", "response": "with exponential backoff"});
        let linked = bench.call("bridge-record", exchange).value["linked_decisions"].clone();
        assert_eq!(linked.as_array().map(Vec::len), Some(5));
        let all = bench.call("get_decisions", json!({})).value;
        let surer =
            all["decisions"].as_array().unwrap().iter().filter(|one| one["confidence"] == 0.96);
        assert!(surer.clone().all(|one| linked.as_array().unwrap().contains(&one["fid"])));
        assert_eq!(surer.count(), 5);
    }

    #[test]
    fn a_path_in_the_text_is_not_opened() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notes.md");
        std::fs::write(
            &path,
            "Use PostgreSQL for production: ACID compliance and proven reliability.",
        )
        .unwrap();
        let mut bench = Bench::new();
        bench.run(&recorded("$pg", POSTGRES));
        let path = path.to_str().unwrap();
        let exchange = json!({"prompt": format!("@{path}"), "response": format!("file://{path}")});
        let kept = bench.call("bridge-record", exchange).value;
        assert_eq!(kept["linked_decisions"], json!([]));
        let told = bench.call("get_recent_events", json!({"kind": "agent_action"})).value;
        assert_eq!(
            told["events"][0]["description"],
            format!("Prompt: @{path} → Response: file://{path}")
        );
    }

    #[test]
    fn the_missing_and_the_wrong_are_refused_and_leave_nothing() {
        let refused = |arguments: &str, status| refused("bridge-record", arguments, status);
        let long = text(100_001);
        check(&[
            refused("{}", 400),
            refused(r#"{"prompt": "x"}"#, 400),
            refused(r#"{"response": "x"}"#, 400),
            refused(r#"{"prompt": "", "response": "x"}"#, 400),
            refused(r#"{"prompt": "x", "response": "  "}"#, 400),
            refused(r#"{"prompt": null, "response": "x"}"#, 400),
            refused(r#"{"prompt": 1, "response": "x"}"#, 422),
            refused(r#"{"prompt": "x", "response": "x", "success": "yes"}"#, 422),
            refused(r#"{"prompt": "x", "response": "x", "metadata": "none"}"#, 422),
            refused(r#"{"prompt": "x", "response": "x", "metadata": ["none"]}"#, 422),
            refused(r#"{"prompt": "x", "response": "x", "namespace": "a/b"}"#, 422),
            refused(&format!(r#"{{"prompt": "{long}", "response": "x"}}"#), 422),
            refused(&format!(r#"{{"prompt": "x", "response": "{long}"}}"#), 422),
            refused(&format!(r#"{{"prompt": "x", "response": "x", "metadata": {{"x": "{long}{long}"}}}}"#), 422),
            counted(0, 0),
            format!(
                "> bridge-record {{\"prompt\": \"{}\", \"response\": \"x\"}}\n< {{\"...\": 0}}\n\
                 > get_recent_events {{}}\n< {{\"events\": [{{\"description\": \"Prompt: {}… → Response: x\", \"...\": 0}}], \"total\": 1}}",
                text(100_000), text(499)
            ),
        ].concat());
    }
}
