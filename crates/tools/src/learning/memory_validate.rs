//! `memory_validate`.

use engine::Result;
use engine::practice::{self, Rated, Told};
use model::{Kind, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Data, IdText};
use crate::tool::{Context, Effect, Tool};
use crate::wire::Text;

/// Say whether a memory helped: its confidence rises by 0.1 or falls by 0.15.
///
/// # When to use
/// After you relied on a memory. From 0.9 on it is a golden rule.
///
/// # Usage
/// ```json
/// {"memory_id": "mem_00000000000040008000000000000001", "was_helpful": true}
/// ```
///
/// # Returns
/// `memory_id`, `old_confidence`, `new_confidence` (within 0..1) and `promoted`. A preference,
/// decision or pattern that reaches 0.9 becomes a golden rule, once, and `new_type` says so; a fact
/// or session keeps its type and is protected like one. The validation is kept as a `succeeded` or
/// `failed` event with its `context` (contract: ours); `validation_history` shows it.
///
/// # Errors
/// `Memory not found: {id}`; a missing or wrong field.
///
/// # Related
/// `practice::validate`: `validation_history` shows what was said, `memory_outcome` says it after
/// use.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryValidate {
    /// ID of the memory to validate
    memory_id: IdText,
    /// Whether the memory was helpful
    was_helpful: bool,
    /// Optional context describing the usage
    context: Option<Text<0, 10_000>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Validated {
    memory_id: String,
    old_confidence: f64,
    new_confidence: f64,
    promoted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "&'static str")]
    new_type: Option<&'static str>,
}

impl From<Rated> for Validated {
    fn from(rated: Rated) -> Self {
        Self {
            memory_id: rated.id.prefixed(),
            old_confidence: rated.old,
            new_confidence: rated.new,
            promoted: rated.promoted.is_some(),
            new_type: rated.promoted.map(Kind::name),
        }
    }
}

impl Tool for MemoryValidate {
    const NAME: &'static str = "memory_validate";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::User;
    type Response = Data<Validated>;

    fn call(self, cx: &Context<'_>) -> Result<Data<Validated>> {
        let id = self.memory_id.id()?;
        let told = Told { context: self.context.map(|context| context.0), session: None };
        let rated = practice::validate(cx.engine, cx.caller, id, self.was_helpful, Some(&told));
        Ok(Data::of(self.memory_id.name(rated)?.into()))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, text};

    fn steps(helpful: &[bool], confidences: &[f64]) -> String {
        let step = |(at, helpful): (usize, &bool)| {
            format!(
                "> memory_validate {{\"memory_id\": \"$id\", \"was_helpful\": {helpful}}}\n\
                 < {{\"success\": true, \"data\": {{\"memory_id\": \"$id\", \"old_confidence\": {}, \
                 \"new_confidence\": {}, \"promoted\": false}}}}\n",
                confidences[at],
                confidences[at + 1]
            )
        };
        helpful.iter().enumerate().map(step).collect()
    }

    fn store(memory_type: &str) -> String {
        format!(
            "> memory_store {{\"content\": \"tabs\", \"memory_type\": \"{memory_type}\"}}\n\
             < {{\"data\": {{\"id\": \"$id\", \"...\": 0}}, \"...\": 0}}\n"
        )
    }

    #[test]
    fn confidence_moves_in_exact_steps_and_is_clamped() {
        let down = steps(&[false; 3], &[0.3, 0.15, 0.0, 0.0]);
        let up = steps(&[true; 11], &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0]);
        check(&format!("{}{down}{up}", store("fact")));
    }

    #[test]
    fn three_types_become_golden_rules_once() {
        for memory_type in ["preference", "decision", "pattern"] {
            let up = steps(&[true; 5], &[0.3, 0.4, 0.5, 0.6, 0.7, 0.8]);
            let (more, down) = (
                steps(&[true], &[0.9, 1.0]),
                steps(&[false, false, true, true], &[1.0, 0.85, 0.7, 0.8, 0.9]),
            );
            check(&format!(
                r#"{}{up}
                > memory_validate {{"memory_id": "$id", "was_helpful": true}}
                < {{"success": true, "data": {{"memory_id": "$id", "old_confidence": 0.8,
                    "new_confidence": 0.9, "promoted": true, "new_type": "golden_rule"}}}}
                {more}{down}
                > memory_list {{"memory_type": "golden_rule"}}
                < {{"data": {{"total": 1, "...": 0}}, "...": 0}}
                > query_memories {{"type": "core"}}
                < {{"total": 1, "...": 0}}
                "#,
                store(memory_type)
            ));
        }
    }

    #[test]
    fn a_fact_keeps_its_type_and_is_protected() {
        let up = steps(&[true; 6], &[0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
        check(&format!(
            r#"{}{up}
            > memory_forget {{"memory_id": "$id"}}
            < {{"data": {{"deleted_ids": [], "protected_ids": ["$id"], "...": 0}}, "...": 0}}
            > memory_list {{"memory_type": "fact"}}
            < {{"data": {{"total": 1, "...": 0}}, "...": 0}}
            "#,
            store("fact")
        ));
    }

    #[test]
    fn bad_input_and_what_belongs_to_another() {
        check(&format!(
            r#"
            @ caller user=ada
            {}
            > memory_validate {{"memory_id": "mem_abc123", "was_helpful": true}}
            <! {{"success": false, "error": "Memory not found: mem_abc123"}}
            > memory_validate {{"memory_id": "7f1c2c54-0000-4000-8000-00000000beef", "was_helpful": true}}
            <! {{"success": false, "error": "Memory not found: 7f1c2c54-0000-4000-8000-00000000beef"}}
            > memory_validate {{"memory_id": "mem_7f1c2c5400004000800000000000beef", "was_helpful": true}}
            <! {{"success": false, "error": "Memory not found: mem_7f1c2c5400004000800000000000beef"}}
            > memory_validate {{"memory_id": "$id"}}
            <! {{"success": false, "error": "was_helpful is missing; it takes true or false"}}
            > memory_validate {{"memory_id": "$id", "was_helpful": "yes"}}
            <! {{"success": false, "error": "was_helpful got \"yes\"; it takes true or false"}}
            > memory_validate {{"memory_id": "$id", "was_helpful": true, "context": "{}"}}
            < {{"success": true, "...": 0}}
            > memory_validate {{"memory_id": "$id", "was_helpful": true, "context": "{}"}}
            <! {{"success": false, "error": "$*"}}
            @ caller user=bob
            > memory_validate {{"memory_id": "$id", "was_helpful": true}}
            <! {{"success": false, "error": "$*"}}
            @ caller user=ada role=guest
            > memory_validate {{"memory_id": "$id", "was_helpful": true}}
            <! {{"success": false, "error": "memory_validate needs the role user; this caller is guest"}}
            > memory_list {{}}
            < {{"data": {{"memories": [{{"confidence": 0.4, "...": 0}}], "...": 0}}, "...": 0}}
            "#,
            store("fact"),
            text(10_000),
            text(10_001),
        ));
    }
}
