//! `brave_web_search`.

use engine::{Result, web};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Page, Query, READ};
use crate::tool::{Context, Effect, Tool};
use crate::wire::{INT_MAX, Int};

/// Search the web with Brave Search.
///
/// # When to use
/// For what is not remembered: news, documentation, facts from the web. For shops and places:
/// `brave_local_search`; for what a page says: `jina_read_url`.
///
/// # Usage
/// ```json
/// {"query": "rust borrow checker", "count": 5}
/// ```
///
/// # Returns
/// `results`, best first: `title`, `url` and `description`. `offset` counts pages of `count` results;
/// Brave has pages 0 to 9.
///
/// # Errors
/// `Brave Search is disabled or API key is not configured`, `HTTP {code}: ...`, an `offset` above 9.
///
/// # Related
/// `web::search`: `jina_read_url` reads a page that it found, `brave_local_search` finds places.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct BraveWebSearch {
    /// Words to search for
    query: Query,
    /// How many results
    #[serde(default)]
    count: Int<1, 20, 10>,
    /// How many pages of results to skip
    #[serde(default)]
    offset: Int<0, INT_MAX, 0>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Pages {
    success: bool,
    results: Vec<Page>,
    error: String,
}

impl Tool for BraveWebSearch {
    const NAME: &'static str = "brave_web_search";
    const EFFECT: Effect = READ;
    const ROLE: Role = Role::User;
    type Response = Pages;

    fn call(self, cx: &Context<'_>) -> Result<Pages> {
        let (count, offset) = (self.count.0 as usize, self.offset.0 as usize);
        let hits = web::search(cx.engine, &self.query.0, count, offset)?;
        let results = hits.into_iter().map(Page::from).collect();
        Ok(Pages { success: true, results, error: String::new() })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn pages_are_found_and_turned() {
        check(
            r#"
            > brave_web_search {"query": "herons", "count": 1}
            < {"success": true, "error": "", "results": [
                {"title": "herons 1", "url": "https://example.org/1", "description": "Page 1 about herons"}]}
            > brave_web_search {"query": "herons", "count": 2, "offset": 3}
            < {"results": [{"title": "herons 7", "...": 0}, {"title": "herons 8", "...": 0}], "...": 0}
            > brave_web_search {"query": "herons"}
            < {"results": [{"title": "herons 1", "...": 0}, "..."], "...": 0}
            "#,
        );
    }

    #[test]
    fn bad_input_is_named() {
        check(
            r#"
            > brave_web_search {"query": " "}
            <! {"success": false, "error": "query got \" \"; it takes words to search for"}
            > brave_web_search {"query": ""}
            <! {"success": false, "error": "query got \"\"; it takes a text of 1 to 400 characters"}
            > brave_web_search {}
            <! {"success": false, "error": "query is missing; it takes a text of 1 to 400 characters"}
            > brave_web_search {"query": "x", "count": 21}
            <! {"success": false, "error": "count got 21; it takes a whole number from 1 to 20"}
            > brave_web_search {"query": "x", "offset": -1}
            <! {"success": false, "error": "offset got -1; $*"}
            > brave_web_search {"query": "no key"}
            <! {"success": false, "error": "Brave Search is disabled or API key is not configured"}
            @ caller user=ada role=guest
            > brave_web_search {"query": "x"}
            <! {"success": false, "error": "$*needs the role user$*"}
            "#,
        );
    }
}
