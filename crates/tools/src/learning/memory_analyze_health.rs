//! `memory_analyze_health`.

use engine::memory::{self, Checks, Dispute, Findings, Vital};
use engine::{Result, scope};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Data, preview};
use crate::tool::{Context, Effect, Tool};
use crate::wire::{DateTime, INT_MAX, Int};

/// See which memories contradict each other, are doubted or unused.
///
/// # When to use
/// Now and then, to tidy up.
///
/// # Usage
/// ```json
/// {"namespace": "global", "stale_days": 90}
/// ```
///
/// # Returns
/// `total_memories`; `health_score`, 100 less 5 for each contradiction, 2 for each memory of low
/// confidence (below 0.3) and 1 for each stale one (not accessed or validated for `stale_days`;
/// golden rules exempt), at least 0; the rows of what was asked, at most 100 each, and their
/// counts; and `recommendations` in words. A pair of which one supersedes the other is settled, two
/// projects are not compared, and at most the newest 20000 memories are compared: the
/// recommendations say so (contract: ours). Nothing is changed.
///
/// # Errors
/// An unknown namespace, a wrong field.
///
/// # Related
/// `memory::health`: `memory_detect_contradictions` looks closer at one memory.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryAnalyzeHealth {
    /// Only in this namespace
    namespace: Option<String>,
    /// Look for contradictions
    #[serde(default = "yes")]
    include_contradictions: bool,
    /// Look for low confidence
    #[serde(default = "yes")]
    include_low_confidence: bool,
    /// Look for unused memories
    #[serde(default = "yes")]
    include_stale: bool,
    /// Unused for so many days is stale
    #[serde(default)]
    stale_days: Int<1, INT_MAX, 30>,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Health {
    total_memories: u64,
    health_score: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Contradiction>")]
    contradictions: Option<Vec<Contradiction>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize")]
    contradiction_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Doubted>")]
    low_confidence: Option<Vec<Doubted>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize")]
    low_confidence_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Stale>")]
    stale: Option<Vec<Stale>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize")]
    stale_count: Option<usize>,
    recommendations: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Contradiction {
    id1: String,
    id2: String,
    similarity: f64,
    reason: String,
}

impl From<Dispute> for Contradiction {
    fn from(dispute: Dispute) -> Self {
        Self {
            id1: dispute.one.prefixed(),
            id2: dispute.other.prefixed(),
            similarity: dispute.similarity,
            reason: dispute.reason,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct Doubted {
    id: String,
    confidence: f64,
    content_preview: String,
}

impl From<Vital> for Doubted {
    fn from(vital: Vital) -> Self {
        Self {
            id: vital.id.prefixed(),
            confidence: vital.confidence,
            content_preview: preview(&vital.text),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct Stale {
    id: String,
    last_accessed: DateTime,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_validated: Option<DateTime>,
    content_preview: String,
}

impl From<Vital> for Stale {
    fn from(vital: Vital) -> Self {
        Self {
            id: vital.id.prefixed(),
            last_accessed: vital.accessed_at.into(),
            last_validated: vital.validated_at.map(Into::into),
            content_preview: preview(&vital.text),
        }
    }
}

/// The rows that are shown, and how many there are.
fn rows<T, R: From<T>>(findings: Option<Findings<T>>) -> (Option<Vec<R>>, Option<usize>) {
    let (shown, count) = findings.map(|found| (found.shown, found.count)).unzip();
    (shown.map(|shown| shown.into_iter().map(Into::into).collect()), count)
}

impl Tool for MemoryAnalyzeHealth {
    const NAME: &'static str = "memory_analyze_health";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    type Response = Data<Health>;

    fn call(self, cx: &Context<'_>) -> Result<Data<Health>> {
        let scopes = scope::within(cx.engine, cx.caller, self.namespace.as_deref())?;
        let checks = Checks {
            contradictions: self.include_contradictions,
            low_confidence: self.include_low_confidence,
            stale_days: self.include_stale.then_some(self.stale_days.0),
        };
        let health = memory::health(cx.engine, cx.caller, scopes, checks)?;
        let (contradictions, contradiction_count) = rows(health.contradictions);
        let (low_confidence, low_confidence_count) = rows(health.low_confidence);
        let (stale, stale_count) = rows(health.stale);
        Ok(Data::of(Health {
            total_memories: health.total,
            health_score: health.score,
            contradictions,
            contradiction_count,
            low_confidence,
            low_confidence_count,
            stale,
            stale_count,
            recommendations: health.recommendations,
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    const THREE: &str = r#"
        > memory_store {"content": "The API rate limit is 100 requests per minute"}
        < {"data": {"id": "$old", "...": 0}, "...": 0}
        > memory_store {"content": "The API rate limit is 60 requests per minute"}
        < {"data": {"id": "$new", "...": 0}, "...": 0}
        > memory_store {"content": "Invoices are paid on Fridays"}
        < {"data": {"id": "$bill", "...": 0}, "...": 0}
        > memory_validate {"memory_id": "$bill", "was_helpful": false}
        < {"...": 0}
    "#;

    #[test]
    fn contradictions_and_doubts_cost_points_and_nothing_is_changed() {
        check(&format!(
            r#"{THREE}
            > memory_analyze_health {{}}
            < {{"success": true, "data": {{"total_memories": 3, "health_score": 93,
                "contradictions": [{{"id1": "$new", "id2": "$old", "similarity": "$*",
                    "reason": "$*"}}], "contradiction_count": 1,
                "low_confidence": [{{"id": "$bill", "confidence": 0.15,
                    "content_preview": "Invoices are paid on Fridays"}}], "low_confidence_count": 1,
                "stale": [], "stale_count": 0,
                "recommendations": [
                    "1 pair of memories contradicts: forget the wrong one of each, or relate the right one to it as supersedes.",
                    "1 memory is of low confidence: validate what proves right, forget the rest."]}}}}
            > memory_inspect_graph {{"memory_id": "$new"}}
            < {{"edges": [], "...": 0}}
            > memory_relate {{"source_id": "$new", "target_id": "$old", "relation": "supersedes"}}
            < {{"...": 0}}
            > memory_analyze_health {{"include_low_confidence": false, "include_stale": false}}
            < {{"success": true, "data": {{"total_memories": 3, "health_score": 100,
                "contradictions": [], "contradiction_count": 0,
                "recommendations": ["Nothing to do: no problem was found."]}}}}
            > memory_analyze_health {{"include_contradictions": false, "namespace": "project:me"}}
            < {{"success": true, "data": {{"total_memories": 0, "health_score": 100,
                "low_confidence": [], "low_confidence_count": 0, "stale": [], "stale_count": 0,
                "recommendations": ["$*"]}}}}
            "#
        ));
    }

    #[test]
    fn a_score_does_not_fall_below_zero_and_only_some_rows_are_shown() {
        let doubted: String = (0..101)
            .map(|n| {
                format!(
                    "> memory_store {{\"content\": \"thing {n}\"}}\n\
                     < {{\"data\": {{\"id\": \"$d{n}\", \"...\": 0}}, \"...\": 0}}\n\
                     > memory_outcome {{\"memory_id\": \"$d{n}\", \"success\": false}}\n\
                     < {{\"...\": 0}}\n"
                )
            })
            .collect();
        check(&format!(
            r#"{doubted}
            > memory_analyze_health {{"include_contradictions": false}}
            < {{"data": {{"health_score": 0, "low_confidence_count": 101, "recommendations":
                ["101 memories are of low confidence: validate what proves right, forget the rest."],
                "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn bad_input_is_named_and_another_sees_nothing() {
        check(&format!(
            r#"
            @ caller user=ada
            {THREE}
            > memory_analyze_health {{"stale_days": 0}}
            <! {{"success": false, "error": "stale_days got 0; it takes a whole number from 1"}}
            > memory_analyze_health {{"stale_days": 1}}
            < {{"data": {{"stale": [], "...": 0}}, "...": 0}}
            > memory_analyze_health {{"stale_days": 9007199254740991}}
            < {{"data": {{"stale": [], "...": 0}}, "...": 0}}
            > memory_analyze_health {{"include_stale": 1}}
            <! {{"success": false, "error": "include_stale got 1; it takes true or false"}}
            > memory_analyze_health {{"include_contradictions": "x"}}
            <! {{"success": false, "error": "$*"}}
            > memory_analyze_health {{"include_low_confidence": []}}
            <! {{"success": false, "error": "$*"}}
            > memory_analyze_health {{"namespace": "x y"}}
            <! {{"success": false, "error": "$*"}}
            @ caller user=bob role=guest
            > memory_analyze_health {{}}
            < {{"data": {{"total_memories": 0, "health_score": 100, "contradictions": [],
                "low_confidence": [], "...": 0}}, "...": 0}}
            "#
        ));
    }
}
