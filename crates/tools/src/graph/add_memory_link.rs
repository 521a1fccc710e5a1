//! `add_memory_link`.

use engine::{Result, fact};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Context, Effect, Tool};
use crate::wire::Text;

/// Add one fact to the graph: what one thing has to do with another.
///
/// # When to use
/// For a simple fact ("X uses Y"), directly and without a model. For a long text with many of them:
/// `build_memory_from_text`.
///
/// # Usage
/// ```json
/// {"from": "Spring AI", "relation": "integrates", "to": "LLM", "summary": "A framework for AI applications"}
/// ```
///
/// # Returns
/// `text`, the link, and `created`: whether `from`, `to` and the `link` are new. Things that are not
/// known are made; `summary` is set on `from`. An equal link that holds already stays.
///
/// # Errors
/// For a missing, empty or too long field.
///
/// # Related
/// `fact::link`: `invalidate_memory_link` ends it, `get_memory_object` shows it,
/// `build_memory_from_text` reads many out of a text.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AddMemoryLink {
    /// The one, by its exact name
    from: String,
    /// What it has to do with the other
    relation: String,
    /// The other
    to: String,
    /// What there is to say of the one
    summary: Option<Text<0, 10_000>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Added {
    text: String,
    from: String,
    relation: String,
    to: String,
    created: Created,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Created {
    from: bool,
    to: bool,
    link: bool,
}

impl Tool for AddMemoryLink {
    const NAME: &'static str = "add_memory_link";
    const EFFECT: Effect = Effect::WRITE.idempotent();
    const ROLE: Role = Role::User;
    type Response = Added;

    fn call(self, cx: &Context<'_>) -> Result<Added> {
        let new = fact::NewLink {
            from: self.from,
            relation: self.relation,
            to: self.to,
            summary: self.summary.map(|summary| summary.0),
        };
        let linked = fact::link(cx.engine, cx.caller, &new)?;
        let [from, relation, to] = linked.link;
        cx.kept("from", &new.from, &from);
        cx.kept("relation", &new.relation, &relation);
        cx.kept("to", &new.to, &to);
        let verb = if linked.is_new_link { "Added" } else { "Known already" };
        Ok(Added {
            text: format!("{verb}: {from} -[{relation}]-> {to}"),
            created: Created {
                from: linked.is_new_from,
                to: linked.is_new_to,
                link: linked.is_new_link,
            },
            from,
            relation,
            to,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn a_fact_is_kept_once_with_the_things_at_its_ends() {
        check(
            r#"
            > add_memory_link {"from": "Ada", "relation": "works at", "to": "Acme", "summary": "An engineer"}
            < {"text": "Added: Ada -[works at]-> Acme", "from": "Ada", "relation": "works at", "to": "Acme",
                "created": {"from": true, "to": true, "link": true}}
            > add_memory_link {"from": "Ada", "relation": "works at", "to": "Acme"}
            < {"text": "Known already: Ada -[works at]-> Acme", "created": {"from": false, "to": false, "link": false}, "...": 0}
            > add_memory_link {"from": "Ada", "relation": "leads", "to": "Research"}
            < {"created": {"from": false, "to": true, "link": true}, "...": 0}
            > get_memory_object {"name": "Ada"}
            < {"summary": "An engineer", "outgoing": [{"relation": "leads", "...": 0}, {"relation": "works at", "...": 0}], "...": 0}
            > add_memory_link {"from": "Ada", "relation": "leads", "to": "Research", "summary": "The head of research"}
            < {"created": {"link": false, "...": 0}, "...": 0}
            > get_memory_object {"name": "Ada"}
            < {"summary": "The head of research", "...": 0}
            > get_memory_object {"name": "ada"}
            <! {"success": false, "error": "Memory object not found: ada"}
            "#,
        );
    }

    #[test]
    fn every_search_finds_things_and_facts() {
        check(
            r#"
            > add_memory_link {"from": "Heron", "relation": "depends on", "to": "SQLite", "summary": "The billing service"}
            < {"...": 0}
            > memory_search {"query": "What does Heron depend on?"}
            < {"results": [{"content": "Heron depends on SQLite", "layer": "user", "memoryId": "$link", "...": 0}, "..."], "...": 0}
            > memory_recall {"query": "the billing service"}
            < {"data": {"memories": [{"content": "Heron: The billing service", "...": 0}, "..."], "...": 0}, "...": 0}
            > search {"query": "Heron depends on SQLite", "n_results": 1}
            < {"data": {"results": [{"content": "Heron depends on SQLite", "...": 0}], "...": 0}, "...": 0}
            > memory_delete {"memoryId": "$link"}
            <! {"errorCode": "UNAUTHORIZED", "message": "$*follows a fact$*", "...": 0}
            > invalidate_memory_link {"from": "Heron", "relation": "depends on", "to": "SQLite"}
            < {"...": 0}
            > memory_search {"query": "What does Heron depend on?", "threshold": 0}
            < {"results": [{"content": "Heron: The billing service", "...": 0}, {"content": "SQLite", "...": 0}], "...": 0}
            "#,
        );
    }

    #[test]
    fn bad_input_is_named_and_leaves_nothing() {
        check(
            r#"
            > add_memory_link {"from": " ", "relation": "uses", "to": "Y"}
            <! {"success": false, "error": "from got \" \"; it takes one line of 1 to 500 characters"}
            > add_memory_link {"from": "X", "relation": "uses"}
            <! {"success": false, "error": "$*to$*"}
            > add_memory_link {"from": "X", "relation": "a\nb", "to": "Y"}
            <! {"success": false, "error": "relation got $*"}
            > get_memory_object {"name": "X"}
            <! {"success": false, "error": "Memory object not found: X"}
            @ caller role=admin
            > add_memory_link {"from": "X", "relation": "uses", "to": "Y"}
            <! {"success": false, "error": "$*names no user id"}
            "#,
        );
    }

    #[test]
    fn what_one_knows_is_not_shown_to_another() {
        check(
            r#"
            @ caller user=ada
            > add_memory_link {"from": "X", "relation": "uses", "to": "Y"}
            < {"...": 0}
            @ caller user=bob
            > get_memory_object {"name": "X"}
            <! {"success": false, "error": "Memory object not found: X"}
            > memory_search {"query": "X uses Y", "threshold": 0}
            < {"results": [], "...": 0}
            "#,
        );
    }
}
