//! `build_memory_from_text`.

use engine::{Result, fact};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Context, Effect, Tool};
use crate::wire::Text;

/// Read the facts out of a text into the graph.
///
/// # When to use
/// For large texts with many things that hang together. For a single fact, `add_memory_link` says
/// exactly what you mean.
///
/// # Usage
/// ```json
/// {"content": "Spring AI is a framework for building AI applications. Spring AI integrates LLMs."}
/// ```
///
/// # Returns
/// `summary`, the `entities` and `relationships` of the text, and `method`, how they were read: `rules`
/// (names, "X is a Y", "X uses Y" and the like). All is stored at once, and nothing twice.
///
/// # Errors
/// For a missing, empty or too long text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BuildMemoryFromText {
    /// The text
    content: Text<1, 1_000_000>,
    /// What was said before
    #[serde(default)]
    #[allow(dead_code, reason = "a model would want it; rules do not")]
    previous_messages: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BuiltView {
    summary: String,
    entities: Vec<String>,
    relationships: Vec<Relationship>,
    method: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Relationship {
    from: String,
    to: String,
    relation: String,
}

impl Tool for BuildMemoryFromText {
    const NAME: &'static str = "build_memory_from_text";
    const EFFECT: Effect = Effect::WRITE.idempotent();
    const ROLE: Role = Role::User;
    type Response = BuiltView;

    fn call(self, cx: &Context<'_>) -> Result<BuiltView> {
        let built = fact::build(cx.engine, cx.caller, &self.content.0)?;
        let view = |[from, relation, to]: [String; 3]| Relationship { from, to, relation };
        Ok(BuiltView {
            summary: format!(
                "Added {} entities and {} relationships to knowledge graph",
                built.new_entities, built.new_links
            ),
            entities: built.entities,
            relationships: built.links.into_iter().map(view).collect(),
            method: built.method,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn a_text_becomes_facts_and_the_same_text_again_adds_nothing() {
        check(
            r#"
            > build_memory_from_text {"content": "Heron is a service. Heron uses PostgreSQL."}
            < {"summary": "Added $* entities and $* relationships to knowledge graph", "entities": ["Heron", "..."],
                "relationships": "$*", "method": "rules"}
            > get_memory_object {"name": "Heron"}
            < {"type": "service", "...": 0}
            > build_memory_from_text {"content": "Heron is a service. Heron uses PostgreSQL."}
            < {"summary": "Added 0 entities and 0 relationships to knowledge graph", "...": 0}
            > build_memory_from_text {"content": ""}
            <! {"success": false, "error": "$*content$*"}
            "#,
        );
    }
}
