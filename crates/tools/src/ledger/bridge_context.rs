//! `bridge-context`.

use engine::Result;
use engine::record::{self, Query};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{MemoryView, Mode, Ns, Said};
use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::Int;

/// Retrieve the recorded decisions that a prompt has to do with.
///
/// # When to use
/// Before answering: a hook puts the answer before the model. For a block of Markdown ready to
/// inject, use `get_context_for_prompt`.
///
/// # Usage
/// ```json
/// {"query": "How should I handle database migrations?", "limit": 3, "namespace": "backend"}
/// ```
///
/// # Returns
/// `source` and `memories`, best first, each with its calibrated `score` of 0..1, its file's `path`,
/// how to read more (`instruction`) and its consequences as numbered steps (`procedural_guide`).
/// Strict wants a score of 0.8, balanced 0.6, fuzzy 0.4. What is superseded, rejected or deprecated is
/// left out.
///
/// # Errors
/// BAD_REQUEST for an empty query; UNPROCESSABLE_ENTITY for a wrong field.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct BridgeContext {
    /// User's prompt or query
    query: Said,
    /// Maximum number of memories to retrieve
    #[serde(default)]
    limit: Int<1, 20, 3>,
    /// Search strictness
    #[serde(default)]
    mode: Mode,
    /// Memory namespace for multi-agent isolation
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Bridged {
    #[schemars(extend("enum" = ["ledgermind"]))]
    source: &'static str,
    memories: Vec<MemoryView>,
}

impl Tool for BridgeContext {
    const NAME: &'static str = "bridge-context";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const PACE: Pace = Pace::Quick;
    type Response = Bridged;

    fn call(self, cx: &Context<'_>) -> Result<Bridged> {
        let query = Query {
            text: self.query.text("query")?,
            namespace: self.namespace.0,
            kind: None,
            target: None,
            mode: self.mode.into(),
            limit: self.limit.0 as usize,
        };
        let found = record::search(cx.engine, cx.caller, &query)?;
        let memories = found.hits.iter().map(|hit| MemoryView::of(cx.engine, hit)).collect();
        Ok(Bridged { source: "ledgermind", memories })
    }
}
