//! `memory_check_supersedes`.

use engine::{Result, memory};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Data, IdText};
use crate::tool::{Context, Effect, Tool};

/// Find the older memory that one takes the place of.
///
/// # When to use
/// After a memory was validated and may replace an older one.
///
/// # Usage
/// ```json
/// {"memory_id": "mem_00000000000040008000000000000001"}
/// ```
///
/// # Returns
/// `memory_id`, `superseded_id` (null if there is none), `edge_created` and the `reason`. It is the
/// closest older memory in the same namespace (contract: ours) with a similarity of 0.8 and more
/// and less confidence. The `supersedes` edge halves its importance, once; the same again changes
/// nothing.
///
/// # Errors
/// `Memory not found: {id}`; a missing or wrong field.
///
/// # Related
/// `memory::supersedes`: `memory_store` replaces, `memory_detect_contradictions`
/// looks at meaning.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryCheckSupersedes {
    /// The memory
    memory_id: IdText,
    /// Draw the supersedes edge
    #[serde(default = "yes")]
    create_edge: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Checked {
    memory_id: String,
    superseded_id: Option<String>,
    edge_created: bool,
    reason: Option<String>,
}

impl Tool for MemoryCheckSupersedes {
    const NAME: &'static str = "memory_check_supersedes";
    const EFFECT: Effect = Effect::WRITE.idempotent();
    const ROLE: Role = Role::User;
    type Response = Data<Checked>;

    fn call(self, cx: &Context<'_>) -> Result<Data<Checked>> {
        let id = self.memory_id.id()?;
        let found = memory::supersedes(cx.engine, cx.caller, id, self.create_edge);
        let found = self.memory_id.name(found)?;
        Ok(Data::of(Checked {
            memory_id: id.prefixed(),
            superseded_id: found.as_ref().map(|older| older.id.prefixed()),
            edge_created: found.as_ref().is_some_and(|older| older.edge_created),
            reason: found.map(|older| older.reason),
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    const TWO: &str = r#"
        > memory_store {"content": "The staging server is called orion and runs in Frankfurt",
            "importance": 0.8}
        < {"data": {"id": "$old", "...": 0}, "...": 0}
        > memory_store {"content": "Invoices are paid on Fridays"}
        < {"...": 0}
        > memory_store {"content": "The staging server is called orion and runs in Frankfurt now"}
        < {"data": {"id": "$new", "...": 0}, "...": 0}
    "#;

    const SURER: &str = r#"
        > memory_validate {"memory_id": "$new", "was_helpful": true}
        < {"...": 0}
    "#;

    #[test]
    fn a_surer_memory_takes_the_place_of_an_older_one_once() {
        check(&format!(
            r#"{TWO}
            > memory_check_supersedes {{"memory_id": "$new"}}
            < {{"success": true, "data": {{"memory_id": "$new", "superseded_id": null,
                "edge_created": false, "reason": null}}}}
            {SURER}
            > memory_check_supersedes {{"memory_id": "$new", "create_edge": false}}
            < {{"data": {{"superseded_id": "$old", "edge_created": false, "reason": "$why", "...": 0}},
                "...": 0}}
            > memory_check_supersedes {{"memory_id": "$new"}}
            < {{"success": true, "data": {{"memory_id": "$new", "superseded_id": "$old",
                "edge_created": true, "reason": "$why"}}}}
            > memory_check_supersedes {{"memory_id": "$new"}}
            < {{"data": {{"superseded_id": "$old", "edge_created": false, "...": 0}}, "...": 0}}
            > memory_relate {{"source_id": "$new", "target_id": "$old", "relation": "supersedes"}}
            < {{"success": true, "...": 0}}
            > memory_inspect_graph {{"memory_id": "$new"}}
            < {{"edges": [{{"source_id": "$new", "target_id": "$old", "relation": "supersedes",
                "...": 0}}], "nodes": [{{"...": 0}}, {{"id": "$old", "importance": 0.4, "...": 0}}],
                "...": 0}}
            "#
        ));
    }

    #[test]
    fn a_copy_that_another_contract_let_in_is_superseded() {
        check(
            r#"
            > store_memory {"type": "core", "content": "tabs, not spaces"}
            < {"id": "$old", "...": 0}
            > store_memory {"type": "core", "content": "tabs, not spaces"}
            < {"id": "$new", "...": 0}
            > memory_validate {"memory_id": "$new", "was_helpful": true}
            < {"...": 0}
            > memory_check_supersedes {"memory_id": "$new"}
            < {"data": {"superseded_id": "$old", "edge_created": true, "...": 0}, "...": 0}
            "#,
        );
    }

    #[test]
    fn a_newer_memory_is_not_superseded() {
        check(&format!(
            r#"{TWO}
            > memory_validate {{"memory_id": "$old", "was_helpful": true}}
            < {{"...": 0}}
            > memory_check_supersedes {{"memory_id": "$old"}}
            < {{"data": {{"superseded_id": null, "...": 0}}, "...": 0}}
            > memory_check_supersedes {{"memory_id": "$new"}}
            < {{"data": {{"superseded_id": null, "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn bad_input_is_named_and_a_guest_may_not() {
        check(&format!(
            r#"
            @ caller user=ada
            {TWO}{SURER}
            > memory_check_supersedes {{}}
            <! {{"success": false, "error": "memory_id is missing; it takes a text"}}
            > memory_check_supersedes {{"memory_id": "nobody"}}
            <! {{"success": false, "error": "Memory not found: nobody"}}
            > memory_check_supersedes {{"memory_id": "$new", "create_edge": 0}}
            <! {{"success": false, "error": "create_edge got 0; it takes true or false"}}
            @ caller user=bob
            > memory_check_supersedes {{"memory_id": "$new"}}
            <! {{"success": false, "error": "$*"}}
            @ caller user=ada role=guest
            > memory_check_supersedes {{"memory_id": "$new"}}
            <! {{"success": false, "error": "memory_check_supersedes needs the role user; this caller is guest"}}
            > memory_inspect_graph {{"memory_id": "$new"}}
            < {{"edges": [], "...": 0}}
            "#
        ));
    }
}
