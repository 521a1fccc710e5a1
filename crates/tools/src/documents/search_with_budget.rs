//! `search_with_budget`.

use engine::Result;
use engine::find::{WORTH_ITS_ROOM, Wanted, find_within};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hit::Hit;
use crate::theo::{Data, query};
use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::{INT_MAX, Int};

/// Search, and get as many of the best results as fit into a number of tokens.
///
/// # When to use
/// When the context is short.
///
/// # Usage
/// ```json
/// {"query": "how do deploys work", "max_tokens": 2000}
/// ```
///
/// # Returns
/// `results` as `search` has them, out of up to 50 candidates by score: one that does not fit is skipped,
/// later ones that fit are taken. `tokens_used` of their contents (o200k), `budget_remaining`, `truncated`
/// and `truncated_count`, how many were skipped.
///
/// # Errors
/// `Query cannot be empty`, a `max_tokens` below 1.
///
/// # Related
/// `find::find_within`: `search` gives a number of hits instead.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SearchWithBudget {
    /// Search query
    query: String,
    /// Maximum tokens in results
    #[schemars(extend("default" = 3000))]
    max_tokens: Int<1, INT_MAX, 3000>,
}

/// How many candidates there are.
const CANDIDATES_MAX: usize = 50;

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SearchWithBudgetResponse {
    results: Vec<Hit>,
    tokens_used: usize,
    budget_remaining: u64,
    truncated: bool,
    truncated_count: usize,
}

impl Tool for SearchWithBudget {
    const NAME: &'static str = "search_with_budget";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const PACE: Pace = Pace::Quick;
    type Response = Data<SearchWithBudgetResponse>;

    fn call(self, cx: &Context<'_>) -> Result<Self::Response> {
        let wanted = Wanted::anything(query(self.query)?, CANDIDATES_MAX);
        let wanted = Wanted { floor: WORTH_ITS_ROOM, ..wanted };
        let budget = self.max_tokens.0;
        let packed = find_within(cx.engine, cx.caller, &wanted, budget as usize)?;
        Ok(Data::of(SearchWithBudgetResponse {
            results: packed.taken.into_iter().map(|found| Hit::of(cx, found)).collect(),
            tokens_used: packed.used,
            budget_remaining: budget - packed.used as u64,
            truncated: packed.skipped > 0,
            truncated_count: packed.skipped,
        }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{Bench, Speaker, check};

    #[test]
    fn what_does_not_fit_is_skipped_and_what_fits_is_taken() {
        let long = "deploy deploy boats to the lake ".repeat(20);
        check(&format!(
            r#"
            > memory_add {{"content": "{long}"}}
            < {{"...": 0}}
            > memory_add {{"content": "deploy boats"}}
            < {{"memoryId": "$short", "...": 0}}
            > search_with_budget {{"query": "deploy boats", "max_tokens": 5}}
            < {{"success": true, "data": {{"results": [{{"id": "$short", "...": 0}}], "tokens_used": 2,
                "budget_remaining": 3, "truncated": true, "truncated_count": 1}}}}
            > search_with_budget {{"query": "deploy boats", "max_tokens": 3000}}
            < {{"data": {{"results": ["$*", "$*"], "truncated": false, "truncated_count": 0, "...": 0}}, "...": 0}}
            > search_with_budget {{"query": "deploy boats", "max_tokens": 1}}
            < {{"success": true, "data": {{"results": [], "tokens_used": 0, "budget_remaining": 1,
                "truncated": true, "truncated_count": 2}}}}
            "#
        ));
    }

    #[test]
    fn tokens_are_those_of_what_is_delivered() {
        let hidden = "deploy \u{202e}\u{2066}\u{1b}[31m\u{e0041} boats ".repeat(8);
        let mut bench = Bench::new();
        for content in [&hidden, "deploy boats"] {
            bench.call("memory_add", json!({"content": content}));
        }
        for budget in [1, 20, 60, 200, 500, 3_000] {
            let ask = json!({"query": "deploy boats", "max_tokens": budget});
            let data = bench.call("search_with_budget", ask).value["data"].clone();
            let results = data["results"].as_array().unwrap();
            let texts = results.iter().map(|hit| hit["content"].as_str().unwrap());
            let delivered: usize = texts.map(engine::tokens).sum();
            assert_eq!((&data["tokens_used"], delivered <= budget), (&json!(delivered), true));
        }
        let data = bench.call("search", json!({"query": "deploy boats"})).value["data"].clone();
        let content = |at: usize| engine::tokens(data["results"][at]["content"].as_str().unwrap());
        assert_eq!(data["total_tokens"], content(0) + content(1));
        assert!(content(0) + content(1) > engine::tokens(&hidden) + engine::tokens("deploy boats"));
    }

    #[test]
    fn a_budget_is_needed() {
        check(
            r#"
            > search_with_budget {"query": "x"}
            <! {"success": false, "error": "max_tokens is missing; it takes a whole number from 1"}
            > search_with_budget {"query": "x", "max_tokens": 0}
            <! {"success": false, "error": "max_tokens got 0; it takes a whole number from 1"}
            > search_with_budget {"query": "  ", "max_tokens": 10}
            <! {"success": false, "error": "Query cannot be empty"}
            "#,
        );
    }
}
