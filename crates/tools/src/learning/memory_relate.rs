//! `memory_relate`.

use engine::{Result, graph};
use model::{NewEdge, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Data, IdText, Relation};
use crate::tool::{Context, Effect, Tool};
use crate::wire::Fraction;

/// Draw an edge from one memory to another.
///
/// # When to use
/// When one memory replaces, explains, contradicts or belongs to another.
///
/// # Usage
/// ```json
/// {"source_id": "mem_00000000000040008000000000000002", "relation": "supersedes",
///  "target_id": "mem_00000000000040008000000000000001"}
/// ```
///
/// # Returns
/// `edge_id`, a number. The same three again are the same edge with a new weight. The first
/// `supersedes` edge from one memory to another halves the target's importance.
///
/// # Errors
/// `Memory not found: {id}`; an edge from a memory to itself; a missing or wrong field.
///
/// # Related
/// `graph::relate`: `memory_edge_forget` is the other way, `memory_inspect_graph` shows the edges.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryRelate {
    /// Where the edge starts
    source_id: IdText,
    /// Where it ends
    target_id: IdText,
    /// What it says of the source
    relation: Relation,
    /// How strongly
    #[serde(default = "whole")]
    weight: Fraction,
}

fn whole() -> Fraction {
    Fraction(1.0)
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Related {
    edge_id: i64,
}

impl Tool for MemoryRelate {
    const NAME: &'static str = "memory_relate";
    const EFFECT: Effect = Effect::WRITE.idempotent();
    const ROLE: Role = Role::User;
    type Response = Data<Related>;

    fn call(self, cx: &Context<'_>) -> Result<Data<Related>> {
        let edge = NewEdge {
            source: self.source_id.id()?,
            target: self.target_id.id()?,
            relation: self.relation.into(),
            weight: self.weight.0,
        };
        let drawn = graph::relate(cx.engine, cx.caller, &edge);
        let drawn = self.target_id.name(self.source_id.name(drawn))?;
        Ok(Data::of(Related { edge_id: drawn.id }))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    const TWO: &str = r#"
        > memory_store {"content": "old", "importance": 0.8}
        < {"data": {"id": "$old", "...": 0}, "...": 0}
        > memory_store {"content": "new"}
        < {"data": {"id": "$new", "...": 0}, "...": 0}
    "#;

    #[test]
    fn the_same_triple_is_one_edge_with_the_new_weight() {
        check(&format!(
            r#"{TWO}
            > memory_relate {{"source_id": "$new", "target_id": "$old", "relation": "relates_to"}}
            < {{"success": true, "data": {{"edge_id": 1}}}}
            > memory_relate {{"source_id": "$new", "target_id": "$old", "relation": "relates_to",
                "weight": 0.25}}
            < {{"success": true, "data": {{"edge_id": 1}}}}
            > memory_relate {{"source_id": "$old", "target_id": "$new", "relation": "relates_to"}}
            < {{"success": true, "data": {{"edge_id": "$back"}}}}
            > memory_relate {{"source_id": "$new", "target_id": "$old", "relation": "caused_by"}}
            < {{"success": true, "data": {{"edge_id": "$cause"}}}}
            > memory_inspect_graph {{"memory_id": "$new", "direction": "outgoing"}}
            < {{"edges": [{{"id": 1, "weight": 0.25, "relation": "relates_to", "...": 0}},
                {{"id": "$back", "...": 0}}, {{"id": "$cause", "relation": "caused_by", "...": 0}}],
                "...": 0}}
            "#
        ));
    }

    #[test]
    fn what_is_superseded_matters_half_as_much_once() {
        check(&format!(
            r#"{TWO}
            > memory_relate {{"source_id": "$new", "target_id": "$old", "relation": "supersedes"}}
            < {{"success": true, "data": {{"edge_id": "$edge"}}}}
            > memory_relate {{"source_id": "$new", "target_id": "$old", "relation": "supersedes",
                "weight": 0.5}}
            < {{"success": true, "data": {{"edge_id": "$edge"}}}}
            > memory_list {{"order_by": "created_at", "descending": false}}
            < {{"data": {{"memories": [{{"id": "$old", "importance": 0.4, "...": 0}},
                {{"id": "$new", "importance": 0.5, "...": 0}}], "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn bad_input_is_named_and_draws_nothing() {
        check(&format!(
            r#"
            @ caller user=ada
            {TWO}
            > memory_relate {{"source_id": "$new", "target_id": "nobody", "relation": "relates_to"}}
            <! {{"success": false, "error": "Memory not found: nobody"}}
            > memory_relate {{"source_id": "mem_7f1c2c5400004000800000000000beef", "target_id": "$new", "relation": "relates_to"}}
            <! {{"success": false, "error": "Memory not found: mem_7f1c2c5400004000800000000000beef"}}
            > memory_relate {{"source_id": "$new", "target_id": "mem_7f1c2c5400004000800000000000beef", "relation": "relates_to"}}
            <! {{"success": false, "error": "Memory not found: mem_7f1c2c5400004000800000000000beef"}}
            > memory_relate {{"source_id": "$new", "target_id": "$new", "relation": "relates_to"}}
            <! {{"success": false, "error": "$*"}}
            > memory_relate {{"source_id": "$new", "target_id": "$old", "relation": "likes"}}
            <! {{"success": false, "error": "relation got \"likes\"; it takes one of relates_to, supersedes, caused_by, contradicts"}}
            > memory_relate {{"source_id": "$new", "target_id": "$old"}}
            <! {{"success": false, "error": "$*"}}
            > memory_relate {{"source_id": "$new", "target_id": "$old", "relation": "relates_to", "weight": 1.1}}
            <! {{"success": false, "error": "weight got 1.1; it takes a number from 0 to 1"}}
            > memory_relate {{"source_id": "$new", "target_id": "$old", "relation": "relates_to", "weight": -0.1}}
            <! {{"success": false, "error": "$*"}}
            @ caller user=bob
            > memory_store {{"content": "mine"}}
            < {{"data": {{"id": "$bobs", "...": 0}}, "...": 0}}
            > memory_relate {{"source_id": "$bobs", "target_id": "$old", "relation": "supersedes"}}
            <! {{"success": false, "error": "$*"}}
            @ caller user=ada role=guest
            > memory_relate {{"source_id": "$new", "target_id": "$old", "relation": "relates_to"}}
            <! {{"success": false, "error": "memory_relate needs the role user; this caller is guest"}}
            > memory_inspect_graph {{"memory_id": "$old"}}
            < {{"stats": {{"total_edges": 0, "...": 0}}, "...": 0}}
            @ caller user=ada
            > memory_relate {{"source_id": "$new", "target_id": "$old", "relation": "relates_to", "weight": 0}}
            < {{"success": true, "...": 0}}
            > memory_relate {{"source_id": "$new", "target_id": "$old", "relation": "relates_to", "weight": 1}}
            < {{"success": true, "...": 0}}
            "#
        ));
    }
}
