//! `memory_context`.

use engine::memory::{self, Briefing};
use engine::{Result, scope};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Data, query};
use crate::tool::{Context, Effect, Tool};
use crate::wire::{INT_MAX, Int};

/// Fetch memories as Markdown, ready to inject, within a token budget.
///
/// # When to use
/// At the start of a task or session.
///
/// # Usage
/// ```json
/// {"query": "code style", "token_budget": 500}
/// ```
/// ```json
/// {"namespace": "global"}
/// ```
///
/// # Returns
/// `context`: sections Golden Rules (High Confidence), Preferences, Decisions, Patterns, Facts and
/// Sessions, one line a memory with its confidence; `token_estimate`, its real number of o200k
/// tokens, never over the budget; `memory_count` and `golden_rule_count`. With a query the most
/// relevant are taken first (of a relevance of 0.5 and more), without one the surest and newest.
/// One that does not fit is left out, and a later one may take its place; at most 500 are looked
/// at. An empty text and 0 when nothing passes. What is told counts as read (contract: ours).
///
/// # Errors
/// `Query cannot be empty`, an unknown namespace, a wrong field.
///
/// # Related
/// `memory::context`: `memory_recall` gives the memories one by one.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryContext {
    /// Optional search query to filter relevant memories
    query: Option<String>,
    /// Project namespace
    namespace: Option<String>,
    /// Maximum tokens for context
    #[serde(default)]
    token_budget: Int<1, INT_MAX, 4000>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Told {
    context: String,
    token_estimate: usize,
    memory_count: usize,
    golden_rule_count: usize,
}

impl From<Briefing> for Told {
    fn from(briefing: Briefing) -> Self {
        Self {
            context: briefing.text,
            token_estimate: briefing.tokens,
            memory_count: briefing.memories,
            golden_rule_count: briefing.golden_rules,
        }
    }
}

impl Tool for MemoryContext {
    const NAME: &'static str = "memory_context";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    type Response = Data<Told>;

    fn call(self, cx: &Context<'_>) -> Result<Data<Told>> {
        let text = self.query.map(query).transpose()?;
        let scopes = scope::searched(cx.engine, cx.caller, self.namespace.as_deref())?;
        let budget = usize::try_from(self.token_budget.0).unwrap_or(usize::MAX);
        let told = memory::context(cx.engine, cx.caller, text.as_deref(), scopes, budget)?;
        Ok(Data::of(told.into()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{Bench, Speaker, check, golden};

    const SIX: &str = r#"
        > memory_store {"content": "Started on the login page", "memory_type": "session"}
        < {"...": 0}
        > memory_store {"content": "The API runs on port 8080", "memory_type": "fact"}
        < {"...": 0}
        > memory_store {"content": "Retry with backoff", "memory_type": "pattern"}
        < {"...": 0}
        > memory_store {"content": "Chose FastAPI over Flask", "memory_type": "decision"}
        < {"...": 0}
        > memory_store {"content": "User prefers\n\n### dark mode", "memory_type": "preference"}
        < {"...": 0}
    "#;

    #[test]
    fn sections_stand_in_their_order_and_each_memory_in_one_line() {
        check(&format!(
            r###"{SIX}{}
            > memory_context {{}}
            < {{"success": true, "data": {{"context": "## Relevant Memories\n\n### Golden Rules (High Confidence)\n- Always use type hints [confidence: 0.9]\n\n### Preferences\n- User prefers ### dark mode [confidence: 0.3]\n\n### Decisions\n- Chose FastAPI over Flask [confidence: 0.3]\n\n### Patterns\n- Retry with backoff [confidence: 0.3]\n\n### Facts\n- The API runs on port 8080 [confidence: 0.3]\n\n### Sessions\n- Started on the login page [confidence: 0.3]",
                "token_estimate": "$*", "memory_count": 6, "golden_rule_count": 1}}}}
            "###,
            golden("Always use type hints")
        ));
    }

    #[test]
    fn the_surest_and_newest_come_first_and_the_budget_holds() {
        let mut bench = Bench::new();
        bench.run(&format!("{SIX}{}", golden("Always use type hints")));
        let mut counts = Vec::new();
        for budget in 1..200 {
            let reply = bench.call("memory_context", json!({"token_budget": budget}));
            let data = &reply.value["data"];
            let text = data["context"].as_str().unwrap();
            assert_eq!(data["token_estimate"], engine::tokens(text));
            assert!(engine::tokens(text) <= budget, "{budget}: {text}");
            let count = data["memory_count"].as_u64().unwrap();
            assert_eq!(text.matches("\n- ").count() as u64, count);
            assert!(count == 0 || budget < 40 || data["golden_rule_count"] == 1, "{text}");
            assert_eq!(count == 0, text.is_empty());
            counts.push(count);
        }
        assert_eq!((counts[0], counts[198]), (0, 6));
    }

    #[test]
    fn a_query_leaves_out_what_is_not_relevant() {
        check(&format!(
            r###"{SIX}
            > memory_context {{"query": "which port does the API run on"}}
            < {{"success": true, "data": {{"context":
                "## Relevant Memories\n\n### Facts\n- The API runs on port 8080 [confidence: 0.3]",
                "token_estimate": "$*", "memory_count": 1, "golden_rule_count": 0}}}}
            > memory_context {{"query": "quantum chromodynamics"}}
            < {{"success": true, "data": {{"context": "", "token_estimate": 0, "memory_count": 0,
                "golden_rule_count": 0}}}}
            > memory_context {{"namespace": "project:me"}}
            < {{"success": true, "data": {{"context": "", "token_estimate": 0, "memory_count": 0,
                "golden_rule_count": 0}}}}
            "###
        ));
    }

    #[test]
    fn bad_input_is_named_and_another_sees_nothing() {
        check(&format!(
            r#"
            @ caller user=ada
            {SIX}
            > memory_context {{"query": " "}}
            <! {{"success": false, "error": "Query cannot be empty"}}
            > memory_context {{"token_budget": 1}}
            < {{"data": {{"context": "", "...": 0}}, "...": 0}}
            > memory_context {{"token_budget": 0}}
            <! {{"success": false, "error": "token_budget got 0; it takes a whole number from 1"}}
            > memory_context {{"namespace": "x y"}}
            <! {{"success": false, "error": "$*"}}
            @ caller user=bob role=guest
            > memory_context {{}}
            < {{"data": {{"context": "", "memory_count": 0, "...": 0}}, "...": 0}}
            "#
        ));
    }
}
