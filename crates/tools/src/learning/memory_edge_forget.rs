//! `memory_edge_forget`.

use engine::graph::{self, Unwanted};
use engine::{Error, ErrorKind, Result};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Data, Direction, IdText, Relation};
use crate::tool::{Context, Effect, Tool};

/// Delete edges between memories; the memories stay.
///
/// # When to use
/// When an edge was drawn by mistake or no longer holds.
///
/// # Usage
/// ```json
/// {"memory_id": "mem_00000000000040008000000000000001", "direction": "outgoing"}
/// ```
///
/// # Returns
/// `deleted_ids` and `deleted_count`. What is given first counts: `edge_id`, else `memory_id` with
/// `direction`, else `source_id` and `target_id`; `relation` narrows it.
///
/// # Errors
/// `Edge not found: {id}` and `Memory not found: {id}`, also for what the caller may not see;
/// nothing given that names an edge.
///
/// # Related
/// `graph::unrelate`: `memory_relate` is the other way, `memory_inspect_graph` shows the edges.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryEdgeForget {
    /// The edge
    edge_id: Option<i64>,
    /// All edges of this memory
    memory_id: Option<IdText>,
    /// Edges from here, with target_id
    source_id: Option<IdText>,
    /// Edges to here, with source_id
    target_id: Option<IdText>,
    /// Only of this relation
    relation: Option<Relation>,
    /// Which edges of memory_id
    #[serde(default)]
    direction: Direction,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Deleted {
    deleted_ids: Vec<i64>,
    deleted_count: usize,
}

impl Tool for MemoryEdgeForget {
    const NAME: &'static str = "memory_edge_forget";
    const EFFECT: Effect = Effect::DESTROY;
    const ROLE: Role = Role::User;
    type Response = Data<Deleted>;

    fn call(self, cx: &Context<'_>) -> Result<Data<Deleted>> {
        let ends = (&self.memory_id, &self.source_id, &self.target_id);
        let unwanted = match (self.edge_id, ends) {
            (Some(number), _) => Unwanted::Number(number),
            (None, (Some(id), _, _)) => Unwanted::Memory(id.id()?, self.direction.into()),
            (None, (None, Some(source), Some(target))) => {
                Unwanted::Between(source.id()?, target.id()?)
            }
            (None, (None, _, _)) => return Err(nothing()),
        };
        let relation = self.relation.map(Into::into);
        let mut deleted = graph::unrelate(cx.engine, cx.caller, unwanted, relation);
        for id in [ends.0, ends.1, ends.2].into_iter().flatten() {
            deleted = id.name(deleted);
        }
        let deleted_ids = deleted?;
        Ok(Data::of(Deleted { deleted_count: deleted_ids.len(), deleted_ids }))
    }
}

fn nothing() -> Error {
    let text = "edge_id, memory_id, or source_id and target_id are missing; one of these says what \
                to forget";
    Error::new(ErrorKind::MissingField, text)
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    const THREE: &str = r#"
        > memory_store {"content": "a"}
        < {"data": {"id": "$a", "...": 0}, "...": 0}
        > memory_store {"content": "b"}
        < {"data": {"id": "$b", "...": 0}, "...": 0}
        > memory_store {"content": "c"}
        < {"data": {"id": "$c", "...": 0}, "...": 0}
        > memory_relate {"source_id": "$a", "target_id": "$b", "relation": "relates_to"}
        < {"data": {"edge_id": 1}, "...": 0}
        > memory_relate {"source_id": "$a", "target_id": "$b", "relation": "caused_by"}
        < {"data": {"edge_id": 2}, "...": 0}
        > memory_relate {"source_id": "$b", "target_id": "$c", "relation": "relates_to"}
        < {"data": {"edge_id": 3}, "...": 0}
        > memory_relate {"source_id": "$c", "target_id": "$a", "relation": "relates_to"}
        < {"data": {"edge_id": 4}, "...": 0}
    "#;

    #[test]
    fn one_edge_by_its_number() {
        check(&format!(
            r#"{THREE}
            > memory_edge_forget {{"edge_id": 3, "memory_id": "$a"}}
            < {{"success": true, "data": {{"deleted_ids": [3], "deleted_count": 1}}}}
            > memory_edge_forget {{"edge_id": 3}}
            <! {{"success": false, "error": "Edge not found: 3"}}
            > memory_edge_forget {{"edge_id": 1, "relation": "contradicts"}}
            < {{"success": true, "data": {{"deleted_ids": [], "deleted_count": 0}}}}
            "#
        ));
    }

    #[test]
    fn the_edges_of_a_memory_by_direction_and_relation() {
        check(&format!(
            r#"{THREE}
            > memory_edge_forget {{"memory_id": "$a", "direction": "outgoing", "relation": "caused_by"}}
            < {{"data": {{"deleted_ids": [2], "...": 0}}, "...": 0}}
            > memory_edge_forget {{"memory_id": "$a", "direction": "incoming"}}
            < {{"data": {{"deleted_ids": [4], "...": 0}}, "...": 0}}
            > memory_edge_forget {{"memory_id": "$b"}}
            < {{"data": {{"deleted_ids": [1, 3], "deleted_count": 2}}, "...": 0}}
            > memory_edge_forget {{"memory_id": "$b"}}
            < {{"success": true, "data": {{"deleted_ids": [], "deleted_count": 0}}}}
            "#
        ));
    }

    #[test]
    fn the_edges_from_one_memory_to_another() {
        check(&format!(
            r#"{THREE}
            > memory_edge_forget {{"source_id": "$b", "target_id": "$a"}}
            < {{"data": {{"deleted_ids": [], "...": 0}}, "...": 0}}
            > memory_edge_forget {{"source_id": "$a", "target_id": "$b", "relation": "relates_to"}}
            < {{"data": {{"deleted_ids": [1], "...": 0}}, "...": 0}}
            > memory_edge_forget {{"source_id": "$a", "target_id": "$b"}}
            < {{"data": {{"deleted_ids": [2], "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn deleting_a_memory_deletes_its_edges_and_events() {
        check(&format!(
            r#"{THREE}
            > memory_apply {{"memory_id": "$b", "context": "x"}}
            < {{"success": true, "...": 0}}
            > memory_forget {{"memory_id": "$b"}}
            < {{"data": {{"deleted_count": 1, "...": 0}}, "...": 0}}
            > memory_inspect_graph {{"memory_id": "$a", "max_depth": 5}}
            < {{"edges": [{{"id": 4, "...": 0}}], "...": 0}}
            > memory_edge_forget {{"edge_id": 1}}
            <! {{"success": false, "error": "Edge not found: 1"}}
            > validation_history {{"memory_id": "$b"}}
            <! {{"success": false, "error": "$*"}}
            "#
        ));
    }

    #[test]
    fn bad_input_is_named_and_what_belongs_to_another_stays() {
        check(&format!(
            r#"
            @ caller user=ada
            {THREE}
            > memory_edge_forget {{}}
            <! {{"success": false, "error": "edge_id, memory_id, or source_id and target_id are missing; one of these says what to forget"}}
            > memory_edge_forget {{"source_id": "$a"}}
            <! {{"success": false, "error": "$*"}}
            > memory_edge_forget {{"target_id": "$a", "relation": "relates_to"}}
            <! {{"success": false, "error": "$*"}}
            > memory_edge_forget {{"edge_id": "one"}}
            <! {{"success": false, "error": "edge_id got \"one\"; it takes a whole number"}}
            > memory_edge_forget {{"edge_id": -1}}
            <! {{"success": false, "error": "Edge not found: -1"}}
            > memory_edge_forget {{"memory_id": "nobody"}}
            <! {{"success": false, "error": "Memory not found: nobody"}}
            > memory_edge_forget {{"memory_id": "$a", "direction": "up"}}
            <! {{"success": false, "error": "direction got \"up\"; it takes one of outgoing, incoming, both"}}
            > memory_edge_forget {{"memory_id": "$a", "relation": "likes"}}
            <! {{"success": false, "error": "$*"}}
            @ caller user=bob
            > memory_edge_forget {{"edge_id": 1}}
            <! {{"success": false, "error": "Edge not found: 1"}}
            > memory_edge_forget {{"memory_id": "$a"}}
            <! {{"success": false, "error": "$*"}}
            @ caller user=ada role=guest
            > memory_edge_forget {{"edge_id": 1}}
            <! {{"success": false, "error": "memory_edge_forget needs the role user; this caller is guest"}}
            > memory_inspect_graph {{"memory_id": "$a"}}
            < {{"stats": {{"total_edges": 4, "...": 0}}, "...": 0}}
            "#
        ));
    }
}
