//! `memory_outcome`.

use engine::Result;
use engine::practice::{self, Told};
use model::{Kind, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Data, IdText};
use crate::tool::{Context, Effect, Tool};
use crate::wire::Text;

/// Tell how the use of a memory went: its confidence rises by 0.1 or falls by 0.15.
///
/// # When to use
/// After memory_apply, once you know the outcome.
///
/// # Usage
/// ```json
/// {"memory_id": "mem_00000000000040008000000000000001", "success": false, "error_msg": "no such flag"}
/// ```
///
/// # Returns
/// `memory_id`, `outcome_success`, `old_confidence`, `new_confidence` (within 0..1) and `promoted`,
/// with `new_type` when the memory became a golden rule. The outcome is kept as a `succeeded` or
/// `failed` event with `error_msg` as its context; with `skip_event` only the confidence changes.
///
/// # Errors
/// `Memory not found: {id}`; a missing or wrong field.
///
/// # Related
/// `practice::validate`: `memory_apply` comes first, `validation_history` shows all outcomes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryOutcome {
    /// The memory
    memory_id: IdText,
    /// Whether it helped
    success: bool,
    /// What went wrong
    error_msg: Option<Text<0, 10_000>>,
    /// In which session
    session_id: Option<Text<0, 200>>,
    /// Keep no event
    #[serde(default)]
    skip_event: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Outcome {
    memory_id: String,
    outcome_success: bool,
    old_confidence: f64,
    new_confidence: f64,
    promoted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "&'static str")]
    new_type: Option<&'static str>,
}

impl Tool for MemoryOutcome {
    const NAME: &'static str = "memory_outcome";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::User;
    type Response = Data<Outcome>;

    fn call(self, cx: &Context<'_>) -> Result<Data<Outcome>> {
        let id = self.memory_id.id()?;
        let (context, session) = (self.error_msg.map(|t| t.0), self.session_id.map(|t| t.0));
        let told = (!self.skip_event).then_some(Told { context, session });
        let rated = practice::validate(cx.engine, cx.caller, id, self.success, told.as_ref());
        let rated = self.memory_id.name(rated)?;
        Ok(Data::of(Outcome {
            memory_id: id.prefixed(),
            outcome_success: self.success,
            old_confidence: rated.old,
            new_confidence: rated.new,
            promoted: rated.promoted.is_some(),
            new_type: rated.promoted.map(Kind::name),
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, text};

    const ONE: &str = r#"
        > memory_store {"content": "tabs", "memory_type": "decision"}
        < {"data": {"id": "$id", "...": 0}, "...": 0}
    "#;

    #[test]
    fn an_outcome_moves_the_confidence_and_is_kept() {
        check(&format!(
            r#"{ONE}
            > memory_outcome {{"memory_id": "$id", "success": true, "session_id": "s1"}}
            < {{"success": true, "data": {{"memory_id": "$id", "outcome_success": true,
                "old_confidence": 0.3, "new_confidence": 0.4, "promoted": false}}}}
            > memory_outcome {{"memory_id": "$id", "success": false, "error_msg": "no such flag"}}
            < {{"data": {{"outcome_success": false, "old_confidence": 0.4, "new_confidence": 0.25,
                "...": 0}}, "...": 0}}
            > memory_outcome {{"memory_id": "$id", "success": true, "skip_event": true}}
            < {{"data": {{"new_confidence": 0.35, "...": 0}}, "...": 0}}
            > validation_history {{"memory_id": "$id"}}
            < {{"data": {{"events": [{{"event_type": "failed", "context": "no such flag",
                "...": 0}}, {{"event_type": "succeeded", "session_id": "s1", "...": 0}}], "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn an_outcome_promotes_like_a_validation() {
        let more = "> memory_outcome {\"memory_id\": \"$id\", \"success\": true}\n\
                    < {\"data\": {\"promoted\": false, \"...\": 0}, \"...\": 0}\n";
        check(&format!(
            r#"{ONE}{}
            > memory_outcome {{"memory_id": "$id", "success": true}}
            < {{"success": true, "data": {{"memory_id": "$id", "outcome_success": true,
                "old_confidence": 0.8, "new_confidence": 0.9, "promoted": true,
                "new_type": "golden_rule"}}}}
            {more}
            "#,
            more.repeat(5)
        ));
    }

    #[test]
    fn bad_input_is_named_and_changes_nothing() {
        check(&format!(
            r#"
            @ caller user=ada
            {ONE}
            > memory_outcome {{"memory_id": "$id"}}
            <! {{"success": false, "error": "success is missing; it takes true or false"}}
            > memory_outcome {{"memory_id": "x", "success": true}}
            <! {{"success": false, "error": "Memory not found: x"}}
            > memory_outcome {{"memory_id": "$id", "success": true, "error_msg": "{}"}}
            <! {{"success": false, "error": "$*"}}
            > memory_outcome {{"memory_id": "$id", "success": true, "session_id": "{}"}}
            <! {{"success": false, "error": "$*"}}
            > memory_outcome {{"memory_id": "$id", "success": true, "skip_event": "no"}}
            <! {{"success": false, "error": "skip_event got \"no\"; it takes true or false"}}
            @ caller user=bob
            > memory_outcome {{"memory_id": "$id", "success": true}}
            <! {{"success": false, "error": "$*"}}
            @ caller user=ada role=guest
            > memory_outcome {{"memory_id": "$id", "success": true}}
            <! {{"success": false, "error": "memory_outcome needs the role user; this caller is guest"}}
            > memory_list {{}}
            < {{"data": {{"memories": [{{"confidence": 0.3, "...": 0}}], "...": 0}}, "...": 0}}
            @ caller user=ada
            > memory_outcome {{"memory_id": "$id", "success": true, "error_msg": "{}", "session_id": "{}"}}
            < {{"success": true, "...": 0}}
            "#,
            text(10_001),
            text(201),
            text(10_000),
            text(200),
        ));
    }
}
