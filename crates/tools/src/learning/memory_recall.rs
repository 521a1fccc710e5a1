//! `memory_recall`.

use engine::memory::{self, Narrow, Query, Recalled, Within};
use engine::{Result, scope};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Data, kinds, query};
use crate::caution;
use crate::hint;
use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::{Fraction, Int};

/// Recall memories by meaning and words.
///
/// # When to use
/// Before you ask or decide, to see what is known and how sure it is.
///
/// # Usage
/// ```json
/// {"query": "dark mode preferences", "n_results": 3}
/// ```
/// ```json
/// {"query": "database", "namespace": "project:myapp", "memory_type": "decision", "min_confidence": 0.5}
/// ```
///
/// # Returns
/// `memories`, best first, each with its `score` (0..1: how likely it is what was asked for);
/// `total`, how many these are; the `query` and the `filters`. Filters apply before the cut to
/// `n_results`, and there are so many where so many have anything to do with the query at all; what is
/// returned counts as read (contract: ours). Where `min_importance` or `min_confidence` leave out all
/// that was found, `hint` says so and which call shows it (contract: ours). Without a namespace all that
/// are open to the caller are searched; the same content in several of them is one result.
///
/// # Errors
/// `Query cannot be empty`, `Invalid memory type: {type}`, an unknown namespace, a wrong field.
///
/// # Related
/// `memory::recall_among`: `memory_store` stores, `memory_context` packs them into a budget.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryRecall {
    /// Search query text
    query: String,
    /// Maximum number of results
    #[serde(default)]
    n_results: Int<1, 100, 5>,
    /// Filter by namespace
    namespace: Option<String>,
    /// Filter by memory type
    memory_type: Option<String>,
    /// Minimum importance score filter
    min_importance: Option<Fraction>,
    /// Minimum confidence score filter
    min_confidence: Option<Fraction>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Found {
    memories: Vec<Hit>,
    total: usize,
    query: String,
    filters: Given,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    hint: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Hit {
    id: String,
    content: String,
    memory_type: &'static str,
    namespace: String,
    confidence: f64,
    importance: f64,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl Hit {
    fn of(cx: &Context<'_>, Recalled { memory, relevance, .. }: Recalled) -> Self {
        Self {
            caution: caution::of(cx, &memory),
            id: memory.id.prefixed(),
            namespace: memory.scope.namespace(),
            memory_type: memory.kind.name(),
            content: memory.content,
            confidence: memory.confidence,
            importance: memory.importance,
            score: relevance,
        }
    }
}

// The filters as they were given.
#[derive(Debug, Serialize, JsonSchema)]
struct Given {
    namespace: Option<String>,
    memory_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_importance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_confidence: Option<f64>,
}

impl Tool for MemoryRecall {
    const NAME: &'static str = "memory_recall";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const PACE: Pace = Pace::Quick;
    type Response = Data<Found>;

    fn call(self, cx: &Context<'_>) -> Result<Data<Found>> {
        let scopes = scope::searched(cx.engine, cx.caller, self.namespace.as_deref())?;
        let ask = Query {
            text: query(self.query)?,
            within: Within::Scopes(scopes),
            tags_any: Vec::new(),
            floor: 0.0,
            limit: self.n_results.0 as usize,
        };
        let filters = Given {
            namespace: self.namespace,
            memory_type: self.memory_type,
            min_importance: self.min_importance.map(|least| least.0),
            min_confidence: self.min_confidence.map(|least| least.0),
        };
        let narrow = Narrow {
            kinds: kinds(filters.memory_type.as_deref())?,
            importance_min: filters.min_importance,
            confidence_min: filters.min_confidence,
        };
        let recall = memory::recall_among(cx.engine, cx.caller, &ask, &narrow)?;
        let given = [
            narrow.importance_min.map(|_| "min_importance"),
            narrow.confidence_min.map(|_| "min_confidence"),
        ];
        let given: Vec<&str> = given.into_iter().flatten().collect();
        let hint = hint::join([hint::filtered(Self::NAME, &given, &recall.near)]);
        let memories: Vec<Hit> = recall.hits.into_iter().map(|hit| Hit::of(cx, hit)).collect();
        Ok(Data::of(Found { total: memories.len(), memories, query: ask.text, filters, hint }))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    const KETTLES: &str = r#"
        > memory_store {"content": "The blue kettle is in the kitchen", "memory_type": "fact",
            "importance": 0.2}
        < {"data": {"id": "$blue", "...": 0}, "...": 0}
        > memory_store {"content": "The red kettle is in the kitchen", "memory_type": "decision",
            "importance": 0.9}
        < {"data": {"id": "$red", "...": 0}, "...": 0}
        > memory_store {"content": "The green kettle is in the kitchen", "memory_type": "decision",
            "namespace": "project:me", "importance": 0.5}
        < {"data": {"id": "$green", "...": 0}, "...": 0}
        > memory_store {"content": "Invoices are paid on Fridays"}
        < {"...": 0}
    "#;

    #[test]
    fn what_was_asked_for_comes_first_with_its_score() {
        check(&format!(
            r#"{KETTLES}
            > memory_recall {{"query": "red kettle", "n_results": 1}}
            < {{"success": true, "data": {{"memories": [{{"id": "$red",
                "content": "The red kettle is in the kitchen", "memory_type": "decision",
                "namespace": "global", "confidence": 0.3, "importance": 0.9, "score": "$*"}}],
                "total": 1, "query": "red kettle", "filters": {{"namespace": null,
                "memory_type": null}}}}}}
            > memory_recall {{"query": "kettle", "namespace": "default"}}
            < {{"success": true, "data": {{"memories": [], "total": 0, "...": 0}}}}
            "#
        ));
    }

    #[test]
    fn filters_apply_before_the_cut() {
        check(&format!(
            r#"{KETTLES}
            > memory_recall {{"query": "blue kettle", "n_results": 1, "memory_type": "decision",
                "namespace": "project:me"}}
            < {{"data": {{"memories": [{{"id": "$green", "namespace": "project:me", "...": 0}}],
                "total": 1, "filters": {{"namespace": "project:me", "memory_type": "decision"}},
                "...": 0}}, "...": 0}}
            > memory_recall {{"query": "blue kettle", "n_results": 1, "min_importance": 0.9}}
            < {{"data": {{"memories": [{{"id": "$red", "...": 0}}], "filters": {{"namespace": null,
                "memory_type": null, "min_importance": 0.9}}, "...": 0}}, "...": 0}}
            > memory_validate {{"memory_id": "$green", "was_helpful": true}}
            < {{"...": 0}}
            > memory_recall {{"query": "blue kettle", "n_results": 1, "min_confidence": 0.4}}
            < {{"data": {{"memories": [{{"id": "$green", "confidence": 0.4, "...": 0}}],
                "filters": {{"min_confidence": 0.4, "...": 0}}, "...": 0}}, "...": 0}}
            > memory_recall {{"query": "kettle", "memory_type": "golden_rule"}}
            < {{"data": {{"memories": [], "total": 0, "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn an_empty_answer_names_the_filters_that_left_everything_out() {
        check(&format!(
            r#"{KETTLES}
            > memory_recall {{"query": "blue kettle", "min_confidence": 0.9}}
            < {{"success": true, "data": {{"memories": [], "total": 0, "query": "blue kettle",
                "filters": {{"namespace": null, "memory_type": null, "min_confidence": 0.9}}, "hint":
                "No result passes min_confidence. Best score without: $* (2 results). To see them: memory_recall without min_confidence."}}}}
            > memory_recall {{"query": "blue kettle", "min_confidence": 0.9, "min_importance": 0.1, "memory_type": "fact"}}
            < {{"data": {{"memories": [], "hint": "$* min_importance and min_confidence$* (1 result)$*", "...": 0}}, "...": 0}}
            > memory_recall {{"query": "blue kettle", "min_confidence": 0.1}}
            < {{"success": true, "data": {{"memories": ["$*", "$*", "$*"], "total": 3, "query": "$*", "filters": "$*"}}}}
            "#
        ));
    }

    #[test]
    fn the_same_content_in_two_namespaces_is_one_result() {
        check(
            r#"
            > memory_store {"content": "The blue kettle is in the kitchen"}
            < {"...": 0}
            > memory_store {"content": "The blue kettle is in the kitchen", "namespace": "project:a"}
            < {"data": {"duplicate": false, "...": 0}, "...": 0}
            > memory_recall {"query": "blue kettle"}
            < {"data": {"memories": [{"namespace": "global", "...": 0}], "total": 1, "...": 0}, "...": 0}
            > memory_recall {"query": "blue kettle", "namespace": "project:a"}
            < {"data": {"memories": [{"namespace": "project:a", "...": 0}], "...": 0}, "...": 0}
            "#,
        );
    }

    #[test]
    fn what_is_archived_or_belongs_to_another_is_not_recalled() {
        check(&format!(
            r#"
            @ caller user=ada project=me
            {KETTLES}
            > delete_memory {{"id": "$red"}}
            < {{"action": "archived", "...": 0}}
            > memory_recall {{"query": "red kettle", "min_importance": 0.9}}
            < {{"data": {{"memories": [], "...": 0}}, "...": 0}}
            @ caller user=bob project=other role=guest
            > memory_recall {{"query": "kettle"}}
            < {{"data": {{"memories": [], "total": 0, "...": 0}}, "...": 0}}
            > memory_recall {{"query": "kettle", "namespace": "project:me"}}
            <! {{"success": false, "error": "namespace project:me is closed to this caller"}}
            "#
        ));
    }

    #[test]
    fn bad_input_is_named() {
        check(
            r#"
            > memory_recall {"query": ""}
            <! {"success": false, "error": "Query cannot be empty"}
            > memory_recall {"query": " \n"}
            <! {"success": false, "error": "Query cannot be empty"}
            > memory_recall {}
            <! {"success": false, "error": "query is missing; it takes a text"}
            > memory_recall {"query": "x", "memory_type": "idea"}
            <! {"success": false, "error": "Invalid memory type: idea"}
            > memory_recall {"query": "x", "namespace": "no where"}
            <! {"success": false, "error": "Invalid namespace: no where; it takes $*"}
            > memory_recall {"query": "x", "n_results": 100}
            < {"success": true, "...": 0}
            > memory_recall {"query": "x", "n_results": 0}
            <! {"success": false, "error": "n_results got 0; it takes a whole number from 1 to 100"}
            > memory_recall {"query": "x", "n_results": 101}
            <! {"success": false, "error": "$*"}
            > memory_recall {"query": "x", "min_importance": 0, "min_confidence": 1}
            < {"success": true, "...": 0}
            > memory_recall {"query": "x", "min_importance": -0.1}
            <! {"success": false, "error": "min_importance got -0.1; it takes a number from 0 to 1"}
            > memory_recall {"query": "x", "min_confidence": 1.1}
            <! {"success": false, "error": "min_confidence got 1.1; it takes a number from 0 to 1"}
            "#,
        );
    }
}
