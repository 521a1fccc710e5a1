//! `bridge-context`.

use engine::Result;
use engine::record::{self, Query};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{MemoryView, Mode, Ns, Said};
use crate::hint;
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
/// left out, and what reads like an order that no person approved; `search_decisions` finds that. Where
/// nothing passes but something came near, `hint` says how near, and which mode shows it (contract:
/// ours).
///
/// # Errors
/// BAD_REQUEST for an empty query; UNPROCESSABLE_ENTITY for a wrong field.
///
/// # Related
/// `record::told_unasked`: `get_context_for_prompt` is the same within a budget, `bridge-record` keeps
/// what came of it.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    hint: Option<String>,
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
            namespace: self.namespace.read(cx.caller),
            kind: None,
            target: None,
            mode: self.mode.into(),
            limit: self.limit.0 as usize,
        };
        let found = record::told_unasked(cx.engine, cx.caller, &query)?;
        let hint = hint::join([hint::below_mode(Self::NAME, query.mode, &found.near)]);
        let memories = found.hits.iter().map(|hit| MemoryView::of(cx, hit)).collect();
        Ok(Bridged { source: "ledgermind", memories, hint })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{POSTGRES, recorded, refused};
    use crate::testing::{check, text};

    fn scene() -> String {
        let steps = r#"{"consequences": ["Set up connection pooling", "Update the ORM"], "#;
        [
            recorded("$pg", &POSTGRES.replacen('{', steps, 1)),
            recorded(
                "$mysql",
                r#"{"kind": "proposal", "title": "Use MySQL for production", "target": "database",
                "rationale": "MySQL is what the team knows best and replication is easy."}"#,
            ),
            recorded(
                "$friday",
                r#"{"title": "No deployments on Friday", "target": "release",
                "rationale": "Nobody is there at the weekend."}"#,
            ),
        ]
        .concat()
    }

    #[test]
    fn what_helps_is_told_with_where_to_read_on() {
        let scene = scene();
        check(&format!(
            r#"{scene}
            > bridge-context {{"query": "Use PostgreSQL for production", "limit": 1, "mode": "strict"}}
            < {{"source": "ledgermind", "memories": [{{"id": "$pg", "title": "Use PostgreSQL for production",
                "target": "database", "score": "$*", "status": "active", "kind": "decision",
                "path": "$path",
                "content": "Use PostgreSQL for production ACID compliance and proven reliability under load.",
                "rationale": "ACID compliance and proven reliability under load.",
                "instruction": "Read /$*/default/00/decision_000000000001.md for the whole record, and call get_decision_history with fid 000000000001 for how it came to be.",
                "procedural_guide": ["1. Set up connection pooling", "2. Update the ORM"]}}]}}
            > get_decisions {{"fid": "$pg"}}
            < {{"decisions": [{{"path": "$path", "...": 0}}], "total": 1}}
            > bridge-context {{"query": "Use MySQL for production", "limit": 1}}
            < {{"memories": [{{"id": "$mysql", "kind": "proposal", "status": "draft", "procedural_guide": [], "...": 0}}], "...": 0}}
            > bridge-context {{"query": "deployments on Friday"}}
            < {{"memories": [{{"id": "$friday", "...": 0}}], "...": 0}}
            > bridge-context {{"query": "roses and tulips", "mode": "fuzzy"}}
            < {{"source": "ledgermind", "memories": []}}
            > bridge-context {{"query": "deployments on Friday", "namespace": "other", "mode": "fuzzy"}}
            < {{"source": "ledgermind", "memories": []}}
            > bridge-context {{"query": "deployments on Friday", "limit": null, "mode": null, "namespace": null, "x": 1}}
            < {{"memories": [{{"id": "$friday", "...": 0}}], "...": 0}}
            # Reading leaves no event.
            > get_recent_events {{}}
            < {{"total": 3, "...": 0}}
            "#
        ));
    }

    #[test]
    fn by_default_there_are_three() {
        let mut steps: Vec<String> = (0..5)
            .map(|at| {
                recorded(&format!("$r{at}"), &format!(
                    r#"{{"title": "Retry failed requests of service {at} with exponential backoff",
                        "target": "service_{at}", "rationale": "Prevents overwhelming the server."}}"#
                ))
            })
            .collect();
        steps.push(
            r#"> bridge-context {"query": "retry failed requests with exponential backoff"}
            < {"memories": [{"...": 0}, {"...": 0}, {"...": 0}], "...": 0}
            > bridge-context {"query": "retry failed requests with exponential backoff", "limit": 20}
            < {"memories": [{"...": 0}, {"...": 0}, {"...": 0}, {"...": 0}, {"...": 0}], "...": 0}
            "#.to_owned(),
        );
        check(&steps.concat());
    }

    #[test]
    fn the_missing_and_the_wrong_are_refused() {
        let refused = |arguments: &str, status| refused("bridge-context", arguments, status);
        check(
            &[
                refused("{}", 400),
                refused(r#"{"query": ""}"#, 400),
                refused(r#"{"query": "  "}"#, 400),
                refused(r#"{"query": []}"#, 422),
                refused(&format!(r#"{{"query": "{}"}}"#, text(100_001)), 422),
                refused(r#"{"query": "x", "limit": 0}"#, 422),
                refused(r#"{"query": "x", "limit": 21}"#, 422),
                refused(r#"{"query": "x", "mode": "Strict"}"#, 422),
                refused(r#"{"query": "x", "namespace": "a/b"}"#, 422),
            ]
            .concat(),
        );
    }
}
