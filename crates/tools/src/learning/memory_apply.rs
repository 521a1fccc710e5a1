//! `memory_apply`.

use engine::Result;
use engine::practice::{self, Told};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Data, IdText};
use crate::tool::{Context, Effect, Tool};
use crate::wire::Text;

/// Note that a memory is being used.
///
/// # When to use
/// When you act on a memory; tell how it went with memory_outcome.
///
/// # Usage
/// ```json
/// {"memory_id": "mem_00000000000040008000000000000001", "context": "formatting main.rs"}
/// ```
///
/// # Returns
/// `memory_id` and the `event_id` of the `applied` event. Nothing else changes.
///
/// # Errors
/// `Memory not found: {id}`; a missing or wrong field.
///
/// # Related
/// `practice::apply`: `memory_outcome` tells what came of it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryApply {
    /// The memory
    memory_id: IdText,
    /// What it is used for
    context: Text<0, 10_000>,
    /// In which session
    session_id: Option<Text<0, 200>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Applied {
    memory_id: String,
    event_id: i64,
}

impl Tool for MemoryApply {
    const NAME: &'static str = "memory_apply";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::User;
    type Response = Data<Applied>;

    fn call(self, cx: &Context<'_>) -> Result<Data<Applied>> {
        let id = self.memory_id.id()?;
        let session = self.session_id.map(|session| session.0);
        let told = Told { context: Some(self.context.0), session };
        let event_id = self.memory_id.name(practice::apply(cx.engine, cx.caller, id, told))?;
        Ok(Data::of(Applied { memory_id: id.prefixed(), event_id }))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, text};

    const ONE: &str = r#"
        > memory_store {"content": "tabs"}
        < {"data": {"id": "$id", "...": 0}, "...": 0}
    "#;

    #[test]
    fn an_event_is_kept_and_nothing_else_changes() {
        check(&format!(
            r#"{ONE}
            > memory_list {{}}
            < {{"data": "$before", "...": 0}}
            > memory_apply {{"memory_id": "$id", "context": "main.rs", "session_id": "s1"}}
            < {{"success": true, "data": {{"memory_id": "$id", "event_id": 1}}}}
            > memory_apply {{"memory_id": "$id", "context": ""}}
            < {{"success": true, "data": {{"memory_id": "$id", "event_id": 2}}}}
            > memory_list {{}}
            < {{"data": "$before", "...": 0}}
            > validation_history {{"memory_id": "$id"}}
            < {{"data": {{"events": [{{"id": 2, "event_type": "applied", "context": "",
                "timestamp": "$at", "created_at": "$at"}}, {{"id": 1, "event_type": "applied",
                "context": "main.rs", "session_id": "s1", "...": 0}}], "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn bad_input_is_named_and_leaves_nothing_behind() {
        check(&format!(
            r#"
            @ caller user=ada
            {ONE}
            > memory_apply {{"memory_id": "$id"}}
            <! {{"success": false, "error": "context is missing; it takes a text of up to 10000 characters"}}
            > memory_apply {{"context": "x"}}
            <! {{"success": false, "error": "memory_id is missing; it takes a text"}}
            > memory_apply {{"memory_id": "nobody", "context": "x"}}
            <! {{"success": false, "error": "Memory not found: nobody"}}
            > memory_apply {{"memory_id": "$id", "context": "{}", "session_id": "{}"}}
            < {{"success": true, "...": 0}}
            > memory_apply {{"memory_id": "$id", "context": "{}"}}
            <! {{"success": false, "error": "$*"}}
            > memory_apply {{"memory_id": "$id", "context": "x", "session_id": "{}"}}
            <! {{"success": false, "error": "$*"}}
            @ caller user=bob
            > memory_apply {{"memory_id": "$id", "context": "x"}}
            <! {{"success": false, "error": "$*"}}
            @ caller user=ada role=guest
            > memory_apply {{"memory_id": "$id", "context": "x"}}
            <! {{"success": false, "error": "memory_apply needs the role user; this caller is guest"}}
            > validation_history {{"memory_id": "$id"}}
            < {{"data": {{"summary": {{"total_events": 1, "...": 0}}, "...": 0}}, "...": 0}}
            "#,
            text(10_000),
            text(200),
            text(10_001),
            text(201),
        ));
    }
}
