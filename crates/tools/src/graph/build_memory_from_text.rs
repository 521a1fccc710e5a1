//! `build_memory_from_text`.

use engine::Result;
use engine::fact::{self, Method, Question, Source};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Context, Effect, Pace, Tool};
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
/// `summary`, the `entities` and `relationships` of the text, and `method`, how they were read:
/// `endpoint` (the model that the server was set up with), `sampling` (the client's own) or `rules`
/// (names, "X is a Y", "X uses Y" and the like). Where a model fails, `rules` read and `warning` says
/// why. All is stored at once, and nothing twice.
///
/// # Errors
/// For a missing, empty or too long text.
///
/// # Related
/// `fact::build`: `add_memory_link` adds a single fact and is preferred for it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BuildMemoryFromText {
    /// The text
    content: Text<1, 1_000_000>,
    /// What was said before
    previous_messages: Option<Text<0, 100_000>>,
}

impl BuildMemoryFromText {
    fn source<'a>(&'a self, cx: &Context<'a>) -> Source<'a> {
        let before = self.previous_messages.as_ref().map(|before| before.0.as_str());
        Source { text: &self.content.0, before, answers: cx.answers }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BuiltView {
    summary: String,
    entities: Vec<String>,
    relationships: Vec<Relationship>,
    method: &'static str,
    /// Why no model read it that was to
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
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
    const ALIASES: &[(&str, &str)] = &[("previous_messages", "previousMessages")];
    const PACE: Pace = Pace::Long;
    const ASKS: bool = true;
    type Response = BuiltView;

    fn call(self, cx: &Context<'_>) -> Result<BuiltView> {
        let built = fact::build(cx.engine, cx.caller, &self.source(cx))?;
        let view = |[from, relation, to]: [String; 3]| Relationship { from, to, relation };
        Ok(BuiltView {
            summary: format!(
                "Added {} entities and {} relationships to knowledge graph",
                built.new_entities, built.new_links
            ),
            entities: built.entities,
            relationships: built.links.into_iter().map(view).collect(),
            method: match built.method {
                Method::Endpoint => "endpoint",
                Method::Client => "sampling",
                Method::Rules => "rules",
            },
            warning: built.warning,
        })
    }

    fn questions(&self, cx: &Context<'_>) -> Vec<Question> {
        fact::questions(cx.engine, &self.source(cx))
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
