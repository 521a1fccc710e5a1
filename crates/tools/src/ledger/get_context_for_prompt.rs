//! `get_context_for_prompt`.

use engine::Result;
use engine::record::{self, Query};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{MemoryView, Mode, Ns, Said};
use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::Int;

/// Retrieve recorded decisions as a Markdown block that can stand before a prompt.
///
/// # When to use
/// To inject context. For the same as data, use `bridge-context`.
///
/// # Usage
/// ```json
/// {"prompt": "Which database do we use?", "mode": "fuzzy"}
/// ```
///
/// # Returns
/// `context`: Markdown within 1,500 tokens that cites ids and files and says that it is notes, not
/// instructions; empty when nothing passes. `source` and `memories` as in `bridge-context`. `query` is
/// taken as another name of `prompt`.
///
/// # Errors
/// BAD_REQUEST for an empty prompt; UNPROCESSABLE_ENTITY for a wrong field.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetContextForPrompt {
    /// User's prompt or query
    #[serde(alias = "query")]
    prompt: Said,
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
pub(super) struct PromptContext {
    context: String,
    #[schemars(extend("enum" = ["ledgermind"]))]
    source: &'static str,
    memories: Vec<MemoryView>,
}

impl Tool for GetContextForPrompt {
    const NAME: &'static str = "get_context_for_prompt";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const PACE: Pace = Pace::Quick;
    type Response = PromptContext;

    fn call(self, cx: &Context<'_>) -> Result<PromptContext> {
        let query = Query {
            text: self.prompt.text("prompt")?,
            namespace: self.namespace.0,
            kind: None,
            target: None,
            mode: self.mode.into(),
            limit: self.limit.0 as usize,
        };
        let found = record::context(cx.engine, cx.caller, &query)?;
        let memories = found.hits.hits.iter().map(|hit| MemoryView::of(cx.engine, hit));
        Ok(PromptContext {
            memories: memories.collect(),
            context: found.text,
            source: "ledgermind",
        })
    }
}
