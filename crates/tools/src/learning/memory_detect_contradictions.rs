//! `memory_detect_contradictions`.

use engine::{Result, memory};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Data, IdText};
use crate::caution;
use crate::tool::{Context, Effect, Tool};
use crate::wire::Fraction;

/// Find memories that cannot hold together with one.
///
/// # When to use
/// After storing or changing a memory that may be at odds with others.
///
/// # Usage
/// ```json
/// {"memory_id": "mem_00000000000040008000000000000001", "create_edges": false}
/// ```
///
/// # Returns
/// `memory_id`, the `contradictions` (most similar first, each with a `contradiction_reason` that a
/// person can check) and `edges_created`. Two memories contradict each other by negation, by
/// opposites, or by another number, unit, version, date or name for the same; resembling each other
/// is not enough. Those that mean at least `similarity_threshold` the same are compared, and those
/// that speak of the same subject and attribute whatever their similarity; the 200 nearest of what
/// the caller may see, but never two projects (contract: ours). A `contradicts` edge is drawn once,
/// in either direction, with the similarity as its weight. English only.
///
/// # Errors
/// `Memory not found: {id}`; a missing or wrong field.
///
/// # Related
/// `memory::contradictions`: `memory_relate` keeps what is found.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryDetectContradictions {
    /// The memory
    memory_id: IdText,
    /// Least similarity to compare
    #[serde(default = "similar")]
    similarity_threshold: Fraction,
    /// Draw contradicts edges
    #[serde(default = "yes")]
    create_edges: bool,
}

fn similar() -> Fraction {
    Fraction(0.7)
}

fn yes() -> bool {
    true
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Detected {
    memory_id: String,
    contradictions: Vec<Opponent>,
    edges_created: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Opponent {
    memory_id: String,
    content: String,
    similarity: f64,
    contradiction_reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl Opponent {
    fn of(cx: &Context<'_>, opponent: memory::Opponent) -> Self {
        Self {
            caution: caution::of(cx, &opponent.memory),
            memory_id: opponent.memory.id.prefixed(),
            content: opponent.memory.content,
            similarity: opponent.similarity,
            contradiction_reason: opponent.reason,
        }
    }
}

impl Tool for MemoryDetectContradictions {
    const NAME: &'static str = "memory_detect_contradictions";
    const EFFECT: Effect = Effect::WRITE.idempotent();
    const ROLE: Role = Role::User;
    type Response = Data<Detected>;

    fn call(self, cx: &Context<'_>) -> Result<Data<Detected>> {
        let id = self.memory_id.id()?;
        let least = self.similarity_threshold.0;
        let found = memory::contradictions(cx.engine, cx.caller, id, least, self.create_edges);
        let found = self.memory_id.name(found)?;
        Ok(Data::of(Detected {
            memory_id: id.prefixed(),
            contradictions: found.found.into_iter().map(|one| Opponent::of(cx, one)).collect(),
            edges_created: found.edges_created,
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    const LIMITS: &str = r#"
        > memory_store {"content": "The API rate limit is 100 requests per minute"}
        < {"data": {"id": "$old", "...": 0}, "...": 0}
        > memory_store {"content": "The API rate limit is 60 requests per minute"}
        < {"data": {"id": "$new", "...": 0}, "...": 0}
        > memory_store {"content": "The API rate limit is documented in the handbook"}
        < {"data": {"id": "$doc", "...": 0}, "...": 0}
    "#;

    #[test]
    fn a_contradiction_has_a_reason_and_one_edge() {
        check(&format!(
            r#"{LIMITS}
            > memory_detect_contradictions {{"memory_id": "$new"}}
            < {{"success": true, "data": {{"memory_id": "$new", "contradictions": [{{
                "memory_id": "$old", "content": "The API rate limit is 100 requests per minute",
                "similarity": "$similarity", "contradiction_reason": "$*"}}], "edges_created": 1}}}}
            > memory_detect_contradictions {{"memory_id": "$new"}}
            < {{"data": {{"contradictions": [{{"memory_id": "$old", "...": 0}}], "edges_created": 0,
                "...": 0}}, "...": 0}}
            > memory_detect_contradictions {{"memory_id": "$old", "similarity_threshold": 1}}
            < {{"data": {{"contradictions": [{{"memory_id": "$new", "...": 0}}], "edges_created": 0,
                "...": 0}}, "...": 0}}
            > memory_inspect_graph {{"memory_id": "$old"}}
            < {{"edges": [{{"source_id": "$new", "target_id": "$old", "relation": "contradicts",
                "weight": "$similarity", "...": 0}}], "...": 0}}
            > memory_detect_contradictions {{"memory_id": "$doc"}}
            < {{"data": {{"contradictions": [], "edges_created": 0, "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn edges_are_drawn_only_if_wanted() {
        check(&format!(
            r#"{LIMITS}
            > memory_detect_contradictions {{"memory_id": "$new", "create_edges": false}}
            < {{"data": {{"contradictions": [{{"memory_id": "$old", "...": 0}}], "edges_created": 0,
                "...": 0}}, "...": 0}}
            > memory_inspect_graph {{"memory_id": "$new"}}
            < {{"edges": [], "...": 0}}
            "#
        ));
    }

    #[test]
    fn negation_versions_switches_and_opposites_contradict() {
        for (one, other) in [
            ("The cache is enabled in production", "The cache is disabled in production"),
            ("The project uses PostgreSQL 15", "The project uses PostgreSQL 16"),
            ("Always squash commits before merging", "Never squash commits before merging"),
            ("The user likes dark mode", "The user does not like dark mode"),
        ] {
            check(&format!(
                r#"
                > memory_store {{"content": "{one}"}}
                < {{"data": {{"id": "$one", "...": 0}}, "...": 0}}
                > memory_store {{"content": "{other}"}}
                < {{"data": {{"id": "$other", "...": 0}}, "...": 0}}
                > memory_detect_contradictions {{"memory_id": "$one"}}
                < {{"data": {{"contradictions": [{{"memory_id": "$other", "...": 0}}],
                    "edges_created": 1, "...": 0}}, "...": 0}}
                "#
            ));
        }
    }

    #[test]
    fn two_projects_do_not_contradict_each_other_and_nobody_sees_anothers() {
        check(
            r#"
            @ caller user=ada project=one
            > memory_store {"content": "The project uses PostgreSQL 15", "namespace": "project:one"}
            < {"data": {"id": "$one", "...": 0}, "...": 0}
            @ caller user=bob project=two
            > memory_store {"content": "The project uses PostgreSQL 16", "namespace": "project:two"}
            < {"data": {"id": "$two", "...": 0}, "...": 0}
            > memory_detect_contradictions {"memory_id": "$two"}
            < {"data": {"contradictions": [], "...": 0}, "...": 0}
            > memory_detect_contradictions {"memory_id": "$one"}
            <! {"success": false, "error": "$*"}
            > memory_store {"content": "The project uses PostgreSQL 14"}
            < {"data": {"id": "$global", "...": 0}, "...": 0}
            > memory_detect_contradictions {"memory_id": "$two"}
            < {"data": {"contradictions": [{"memory_id": "$global", "...": 0}], "...": 0}, "...": 0}
            "#,
        );
    }

    #[test]
    fn bad_input_is_named_and_a_guest_may_not() {
        check(&format!(
            r#"
            @ caller user=ada
            {LIMITS}
            > memory_detect_contradictions {{}}
            <! {{"success": false, "error": "memory_id is missing; it takes a text"}}
            > memory_detect_contradictions {{"memory_id": "nobody"}}
            <! {{"success": false, "error": "Memory not found: nobody"}}
            > memory_detect_contradictions {{"memory_id": "$new", "similarity_threshold": 1.1}}
            <! {{"success": false, "error": "similarity_threshold got 1.1; it takes a number from 0 to 1"}}
            > memory_detect_contradictions {{"memory_id": "$new", "similarity_threshold": -0.1}}
            <! {{"success": false, "error": "$*"}}
            > memory_detect_contradictions {{"memory_id": "$new", "create_edges": "no"}}
            <! {{"success": false, "error": "create_edges got \"no\"; it takes true or false"}}
            @ caller user=ada role=guest
            > memory_detect_contradictions {{"memory_id": "$new"}}
            <! {{"success": false, "error": "memory_detect_contradictions needs the role user; this caller is guest"}}
            > memory_inspect_graph {{"memory_id": "$new"}}
            < {{"edges": [], "...": 0}}
            "#
        ));
    }
}
