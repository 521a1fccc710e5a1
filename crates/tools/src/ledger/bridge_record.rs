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
/// `linked_decisions`: at most 5 whose score passes 0.6. They grow surer as with `link_evidence`.
/// Nothing in the texts is opened or followed.
///
/// # Errors
/// BAD_REQUEST for a missing or empty text; UNPROCESSABLE_ENTITY for a wrong field.
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
            namespace: self.namespace.0,
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
