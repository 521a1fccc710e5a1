//! `search_decisions`.

use engine::Result;
use engine::record::{self, Hit, Query};
use model::{Role, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Kind, Mode, Ns, Said, score, target};
use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::Int;

/// Search for decisions by words and meaning.
///
/// # When to use
/// To find what was decided about a topic. To list by status or kind, use `get_decisions`.
///
/// # Usage
/// ```json
/// {"query": "database migration strategy", "limit": 5, "target": "database", "namespace": "backend"}
/// ```
///
/// # Returns
/// `results`, best first, with a calibrated `score` of 0..1 (strict wants 0.8, balanced 0.6, fuzzy
/// 0.4), and `total` of all that pass. What is superseded, rejected or deprecated is left out.
///
/// # Errors
/// BAD_REQUEST for an empty query; UNPROCESSABLE_ENTITY for a wrong filter.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SearchDecisions {
    /// Search query
    query: Said,
    /// Maximum results
    #[serde(default)]
    limit: Int<1, 50, 10>,
    /// Search mode
    #[serde(default)]
    mode: Mode,
    /// Filter by kind
    kind: Option<Kind>,
    /// Filter by target
    target: Option<String>,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DecisionsFound {
    results: Vec<HitView>,
    total: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct HitView {
    fid: String,
    title: String,
    target: String,
    kind: &'static str,
    status: &'static str,
    phase: &'static str,
    confidence: f64,
    score: f64,
    rationale: String,
    created_at: String,
    updated_at: String,
}

impl From<Hit> for HitView {
    fn from(hit: Hit) -> Self {
        let record = hit.stored.record;
        Self {
            fid: record.id.to_string(),
            title: record.title,
            target: record.target,
            kind: record.kind.name(),
            status: record.status.name(),
            phase: record.phase.name(),
            confidence: record.confidence,
            score: score(hit.relevance),
            rationale: record.rationale,
            created_at: time::rfc3339(record.created_at),
            updated_at: time::rfc3339(record.updated_at),
        }
    }
}

impl Tool for SearchDecisions {
    const NAME: &'static str = "search_decisions";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const PACE: Pace = Pace::Quick;
    type Response = DecisionsFound;

    fn call(self, cx: &Context<'_>) -> Result<DecisionsFound> {
        let query = Query {
            text: self.query.text("query")?,
            namespace: self.namespace.0,
            kind: self.kind.map(Into::into),
            target: target(self.target)?,
            mode: self.mode.into(),
            limit: self.limit.0 as usize,
        };
        let found = record::search(cx.engine, cx.caller, &query)?;
        let results = found.hits.into_iter().map(Into::into).collect();
        Ok(DecisionsFound { results, total: found.total })
    }
}
