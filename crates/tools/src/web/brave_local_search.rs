//! `brave_local_search`.

use engine::web::{self, Found};
use engine::{Result, ports};
use model::Role;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::{Page, Query, READ};
use crate::tool::{Context, Effect, Tool};
use crate::wire::Int;

/// Search for places with Brave Search: shops, restaurants, services.
///
/// # When to use
/// When the query says where: "coffee in London". For everything else: `brave_web_search`.
///
/// # Usage
/// ```json
/// {"query": "coffee in London", "count": 3}
/// ```
///
/// # Returns
/// `results`: `title`, `address`, `phone` and `rating` (0 to 5) of each place, empty or 0 if unknown. If
/// no place is found, `results` are pages as in `brave_web_search`, and `note` says so.
///
/// # Errors
/// `Brave Search is disabled or API key is not configured`, `HTTP {code}: ...`.
///
/// # Related
/// `web::places`: `brave_web_search` finds pages.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct BraveLocalSearch {
    /// What to search for, and where
    query: Query,
    /// How many results
    #[serde(default)]
    count: Int<1, 20, 5>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Places {
    success: bool,
    results: Vec<Item>,
    error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

/// A place, or a page that stands in for one.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Item {
    Place { title: String, address: String, phone: String, rating: f64 },
    Page(Page),
}

impl From<ports::Place> for Item {
    fn from(place: ports::Place) -> Self {
        let ports::Place { title, address, phone, rating } = place;
        Self::Place { title, address, phone, rating }
    }
}

/// Some hosts know no choice between two objects, so what only one of them has is not promised.
impl JsonSchema for Item {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Item".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let (text, number) = (json_schema!({"type": "string"}), json_schema!({"type": "number"}));
        json_schema!({
            "type": "object",
            "properties": {
                "title": text, "address": text, "phone": text, "rating": number,
                "url": text, "description": text,
            },
            "required": ["title"],
        })
    }
}

impl Tool for BraveLocalSearch {
    const NAME: &'static str = "brave_local_search";
    const EFFECT: Effect = READ;
    const ROLE: Role = Role::User;
    type Response = Places;

    fn call(self, cx: &Context<'_>) -> Result<Places> {
        let found = web::places(cx.engine, &self.query.0, self.count.0 as usize)?;
        let (results, note) = match found {
            Found::Places(places) => (places.into_iter().map(Item::from).collect(), None),
            Found::Pages(hits) => {
                let pages = hits.into_iter().map(|hit| Item::Page(hit.into()));
                (pages.collect(), Some("no places were found; these are pages of the web"))
            }
        };
        Ok(Places { success: true, results, error: String::new(), note })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn places_are_found() {
        check(
            r#"
            > brave_local_search {"query": "coffee in London", "count": 1}
            < {"success": true, "error": "", "results": [
                {"title": "coffee 1", "address": "1 Main Street, London", "phone": "", "rating": 4.5}]}
            > brave_local_search {"query": "coffee in London"}
            < {"success": true, "error": "", "results": ["$*", "$*", "$*", "$*", "$*"]}
            "#,
        );
    }

    #[test]
    fn pages_stand_in_for_places_and_are_called_so() {
        check(
            r#"
            > brave_local_search {"query": "herons", "count": 1}
            < {"success": true, "error": "", "note": "no places were found; these are pages of the web", "results": [
                {"title": "herons 1", "url": "https://example.org/1", "description": "Page 1 about herons"}]}
            "#,
        );
    }

    #[test]
    fn bad_input_is_named() {
        check(
            r#"
            > brave_local_search {"query": "  "}
            <! {"success": false, "error": "query got \"  \"; it takes words to search for"}
            > brave_local_search {"query": "x", "count": 0}
            <! {"success": false, "error": "count got 0; it takes a whole number from 1 to 20"}
            > brave_local_search {"query": "no key"}
            <! {"success": false, "error": "Brave Search is disabled or API key is not configured"}
            "#,
        );
    }
}
