//! `memory_forget`.

use engine::memory::{self, Forgotten, Unwanted};
use engine::{Error, ErrorKind, Result, scope};
use model::{MemoryId, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Data, IdText, query};
use crate::tool::{Context, Effect, Tool};
use crate::wire::Int;

/// Delete memories by id or by what they say; golden rules stay unless `force`.
///
/// # When to use
/// When memories are wrong or no longer wanted. There is no way back.
///
/// # Usage
/// ```json
/// {"memory_id": "mem_00000000000040008000000000000001"}
/// ```
/// ```json
/// {"query": "the old staging server", "namespace": "global", "n_results": 1}
/// ```
///
/// # Returns
/// `deleted_ids`, `deleted_count` and `protected_ids`: golden rules (of that type, or of confidence
/// 0.9 and more) that were meant and stay. The first of `memory_id`, `query` and `input_value` that
/// is given counts; `input_value` is an id if it is the id of a memory, else a query. A query
/// deletes the best `n_results` of a relevance of 0.5 and more (contract: ours).
///
/// # Errors
/// `Memory not found: {id}`, also for one outside the namespace; `Query cannot be empty`; none of
/// the three given.
///
/// # Related
/// `memory::forget_all`: `memory_list` shows what there is, `memory_store` stores.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryForget {
    /// Specific memory ID to delete
    memory_id: Option<IdText>,
    /// Search query to find memories to delete
    query: Option<String>,
    /// Smart parameter - auto-detects if ID or query
    input_value: Option<String>,
    /// Filter deletion to specific namespace
    namespace: Option<String>,
    /// Number of search results to delete in query mode
    #[serde(default)]
    n_results: Int<1, 100, 5>,
    /// If true, allow deletion of golden rules
    #[serde(default)]
    force: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Deleted {
    deleted_ids: Vec<String>,
    deleted_count: usize,
    protected_ids: Vec<String>,
}

impl From<Forgotten> for Deleted {
    fn from(Forgotten { deleted, protected }: Forgotten) -> Self {
        let names = |ids: &[MemoryId]| ids.iter().map(MemoryId::prefixed).collect();
        Self {
            deleted_count: deleted.len(),
            deleted_ids: names(&deleted),
            protected_ids: names(&protected),
        }
    }
}

impl Tool for MemoryForget {
    const NAME: &'static str = "memory_forget";
    const EFFECT: Effect = Effect::DESTROY;
    const ROLE: Role = Role::User;
    type Response = Data<Deleted>;

    fn call(self, cx: &Context<'_>) -> Result<Data<Deleted>> {
        let scopes = scope::within(cx.engine, cx.caller, self.namespace.as_deref())?;
        let limit = self.n_results.0 as usize;
        let unwanted = match (&self.memory_id, self.query, self.input_value) {
            (Some(id), _, _) => Unwanted::Id(id.id()?),
            (None, Some(text), _) => Unwanted::Query(query(text)?, limit),
            (None, None, Some(text)) => {
                Unwanted::meant(cx.engine, cx.caller, &query(text)?, limit)?
            }
            (None, None, None) => return Err(nothing()),
        };
        let forgotten = memory::forget_all(cx.engine, cx.caller, &unwanted, scopes, self.force);
        let forgotten = match &self.memory_id {
            Some(id) => id.name(forgotten)?,
            None => forgotten?,
        };
        Ok(Data::of(forgotten.into()))
    }
}

fn nothing() -> Error {
    let text = "memory_id, query and input_value are missing; one of them says what to forget";
    Error::new(ErrorKind::MissingField, text)
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, golden};

    const TWO: &str = r#"
        > memory_store {"content": "The blue kettle is in the kitchen"}
        < {"data": {"id": "$blue", "...": 0}, "...": 0}
        > memory_store {"content": "Invoices are paid on Fridays", "namespace": "project:me"}
        < {"data": {"id": "$bill", "...": 0}, "...": 0}
    "#;

    #[test]
    fn one_is_deleted_by_its_id_in_any_spelling() {
        check(&format!(
            r#"{TWO}
            > memory_forget {{"memory_id": "$blue"}}
            < {{"success": true, "data": {{"deleted_ids": ["$blue"], "deleted_count": 1,
                "protected_ids": []}}}}
            > memory_forget {{"memory_id": "$blue"}}
            <! {{"success": false, "error": "$*"}}
            > store_memory {{"type": "core", "content": "from notes"}}
            < {{"id": "$note", "...": 0}}
            > memory_forget {{"input_value": "$note"}}
            < {{"data": {{"deleted_ids": ["$note"], "...": 0}}, "...": 0}}
            > memory_count {{}}
            < {{"data": {{"count": 1, "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn a_query_deletes_what_it_clearly_means() {
        check(&format!(
            r#"{TWO}
            > memory_forget {{"query": "quantum chromodynamics"}}
            < {{"success": true, "data": {{"deleted_ids": [], "deleted_count": 0,
                "protected_ids": []}}}}
            > memory_forget {{"input_value": "mem_7f1c2c5400004000800000000000beef"}}
            < {{"data": {{"deleted_count": 0, "...": 0}}, "...": 0}}
            > memory_forget {{"input_value": "blue kettle kitchen"}}
            < {{"data": {{"deleted_ids": ["$blue"], "...": 0}}, "...": 0}}
            > memory_count {{}}
            < {{"data": {{"count": 1, "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn an_id_that_is_not_there_means_no_more_than_the_memories_that_say_it() {
        check(
            r#"
            > memory_store {"content": "See mem_7f1c2c5400004000800000000000bee0"}
            < {"data": {"id": "$see", "...": 0}, "...": 0}
            > memory_forget {"input_value": "mem_7f1c2c5400004000800000000000beef"}
            < {"data": {"deleted_count": 0, "...": 0}, "...": 0}
            > memory_forget {"input_value": "mem_7f1c2c5400004000800000000000bee0"}
            < {"data": {"deleted_ids": ["$see"], "...": 0}, "...": 0}
            "#,
        );
    }

    #[test]
    fn every_copy_counts_for_itself() {
        check(&format!(
            r#"{TWO}
            > memory_store {{"content": "The blue kettle is in the kitchen", "namespace": "default"}}
            < {{"data": {{"id": "$copy", "...": 0}}, "...": 0}}
            > memory_forget {{"query": "The blue kettle is in the kitchen"}}
            < {{"data": {{"deleted_count": 2, "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn a_namespace_and_a_number_narrow_it() {
        check(&format!(
            r#"{TWO}
            > memory_store {{"content": "The blue kettle is in the kitchen cupboard"}}
            < {{"...": 0}}
            > memory_forget {{"query": "blue kettle kitchen", "namespace": "project:me"}}
            < {{"data": {{"deleted_count": 0, "...": 0}}, "...": 0}}
            > memory_forget {{"memory_id": "$blue", "namespace": "project:me"}}
            <! {{"success": false, "error": "$*"}}
            > memory_forget {{"query": "the blue kettle is in the kitchen", "n_results": 1}}
            < {{"data": {{"deleted_ids": ["$blue"], "deleted_count": 1, "...": 0}}, "...": 0}}
            > memory_forget {{"memory_id": "$bill", "namespace": "project:me"}}
            < {{"data": {{"deleted_ids": ["$bill"], "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn golden_rules_stay_unless_forced() {
        check(&format!(
            r#"{TWO}{}
            > memory_forget {{"memory_id": "$gold"}}
            < {{"success": true, "data": {{"deleted_ids": [], "deleted_count": 0,
                "protected_ids": ["$gold"]}}}}
            > memory_forget {{"query": "kettle in the kitchen"}}
            < {{"data": {{"deleted_ids": ["$blue"], "deleted_count": 1, "protected_ids": ["$gold"]}},
                "...": 0}}
            > memory_count {{"memory_type": "golden_rule"}}
            < {{"data": {{"count": 1, "...": 0}}, "...": 0}}
            > memory_forget {{"memory_id": "$gold", "force": true}}
            < {{"data": {{"deleted_ids": ["$gold"], "protected_ids": [], "...": 0}}, "...": 0}}
            "#,
            golden("The golden kettle is in the kitchen")
        ));
    }

    #[test]
    fn bad_input_is_named() {
        check(&format!(
            r#"
            @ caller user=ada project=me
            {TWO}
            > memory_forget {{}}
            <! {{"success": false, "error": "memory_id, query and input_value are missing; one of them says what to forget"}}
            > memory_forget {{"query": " "}}
            <! {{"success": false, "error": "Query cannot be empty"}}
            > memory_forget {{"input_value": ""}}
            <! {{"success": false, "error": "memory_id, query and input_value are missing; one of them says what to forget"}}
            > memory_forget {{"memory_id": "kettle"}}
            <! {{"success": false, "error": "Memory not found: kettle"}}
            > memory_forget {{"query": "x", "n_results": 100}}
            < {{"success": true, "...": 0}}
            > memory_forget {{"query": "x", "n_results": 0}}
            <! {{"success": false, "error": "$*"}}
            > memory_forget {{"query": "x", "n_results": 101}}
            <! {{"success": false, "error": "n_results got 101; it takes a whole number from 1 to 100"}}
            > memory_forget {{"query": "x", "namespace": "x y"}}
            <! {{"success": false, "error": "$*"}}
            > memory_forget {{"query": "x", "force": 1}}
            <! {{"success": false, "error": "force got 1; it takes true or false"}}
            @ caller user=bob
            > memory_forget {{"memory_id": "$blue"}}
            <! {{"success": false, "error": "$*"}}
            > memory_forget {{"query": "the blue kettle is in the kitchen", "force": true}}
            < {{"data": {{"deleted_count": 0, "...": 0}}, "...": 0}}
            @ caller user=ada role=guest
            > memory_forget {{"memory_id": "$blue"}}
            <! {{"success": false, "error": "memory_forget needs the role user; this caller is guest"}}
            "#
        ));
    }
}
