//! `invalidate_memory_link`.

use engine::{Result, fact};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Context, Effect, Tool};
use crate::wire::DateTime;

/// Say that a fact of the graph does not hold any more.
///
/// # When to use
/// When something ended or was wrong. It stays as what was true until now; to forget a thing for good:
/// `delete_memory_object`.
///
/// # Usage
/// ```json
/// {"from": "Spring AI", "relation": "integrates", "to": "LLM"}
/// ```
///
/// # Returns
/// `text`, the link, and `invalid_at`, from when on it does not hold; null if it had ended before.
///
/// # Errors
/// For a link that never was.
///
/// # Related
/// `fact::end`: `add_memory_link` is the other way.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct InvalidateMemoryLink {
    /// The one, by its exact name
    from: String,
    /// What it had to do with the other
    relation: String,
    /// The other
    to: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Invalidated {
    text: String,
    from: String,
    relation: String,
    to: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    invalid_at: Option<DateTime>,
}

impl Tool for InvalidateMemoryLink {
    const NAME: &'static str = "invalidate_memory_link";
    const EFFECT: Effect = Effect::WRITE.idempotent();
    const ROLE: Role = Role::User;
    type Response = Invalidated;

    fn call(self, cx: &Context<'_>) -> Result<Invalidated> {
        let ended = fact::end(cx.engine, cx.caller, [&self.from, &self.relation, &self.to])?;
        let [from, relation, to] = ended.link;
        let verb = if ended.at.is_some() { "Invalidated" } else { "Invalid already" };
        Ok(Invalidated {
            text: format!("{verb}: {from} -[{relation}]-> {to}"),
            from,
            relation,
            to,
            invalid_at: ended.at.map(Into::into),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn what_ended_is_kept_and_ending_it_again_is_fine() {
        check(
            r#"
            > add_memory_link {"from": "Ada", "relation": "works at", "to": "Acme"}
            < {"...": 0}
            > invalidate_memory_link {"from": "Ada", "relation": "works at", "to": "Acme"}
            < {"text": "Invalidated: Ada -[works at]-> Acme", "from": "Ada", "relation": "works at", "to": "Acme", "invalid_at": "$*Z"}
            > invalidate_memory_link {"from": "Ada", "relation": "works at", "to": "Acme"}
            < {"text": "Invalid already: Ada -[works at]-> Acme", "from": "Ada", "relation": "works at", "to": "Acme"}
            > add_memory_link {"from": "Ada", "relation": "works at", "to": "Acme"}
            < {"created": {"from": false, "to": false, "link": true}, "...": 0}
            > invalidate_memory_link {"from": "Ada", "relation": "works with", "to": "Acme"}
            <! {"success": false, "error": "Memory link not found: Ada -[works with]-> Acme"}
            > invalidate_memory_link {"from": "Nobody", "relation": "works at", "to": "Acme"}
            <! {"success": false, "error": "Memory link not found: Nobody -[works at]-> Acme"}
            "#,
        );
    }
}
