//! `memory_search`.

use engine::Result;
use engine::find::{FoundKind, Wanted, find_unnoted};
use engine::memory::{self, Query, Recalled, Within};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Layer;
use crate::caution;
use crate::hint;
use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::{Fraction, Int, Texts};

/// Search your memory for relevant past information.
///
/// # When to use
/// To recall user preferences, project context, previous decisions or any stored knowledge before
/// you ask or decide. Results are ranked by relevance, then by layer.
///
/// # Usage
/// ```json
/// {"query": "What are the user's coding preferences?", "layers": ["user", "project"], "limit": 5}
/// ```
/// ```json
/// {"query": "database", "threshold": 0.4, "tags": ["infrastructure"]}
/// ```
///
/// # Returns
/// `results` with `content`, `layer`, `score` (0..1: how likely it is what was asked for),
/// `memoryId` and `tags`; `totalCount`, how many reached the threshold before `limit`; and
/// `searchedLayers`, strongest first: layers closed to the caller are not among them. `tags` matches
/// memories with any of them; `filter: {"tags": [...]}` is taken as well. The same content in several
/// layers is one result, in the strongest. Archived memories are left out. `hint` says what came near
/// where nothing reaches the threshold, and which documents or decisions reach it (contract: ours).
///
/// # Errors
/// `INVALID_INPUT` for a missing or wrong field. Any text is a legal query.
///
/// # Related
/// `memory::recall`: `memory_add` stores; `knowledge_query` searches what was decided.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemorySearch {
    /// Search query
    query: String,
    /// Layers to search
    layers: Option<Vec<Layer>>,
    /// Maximum results
    #[serde(default)]
    limit: Int<1, 100, 10>,
    /// Minimum similarity threshold
    #[serde(default = "default_threshold")]
    threshold: Fraction,
    /// Filter by tags
    tags: Option<Texts<0, 100, 100>>,
    #[serde(default)]
    #[schemars(skip)]
    filter: Filter,
}

/// The seed's other place for tags.
#[derive(Debug, Default, Deserialize)]
struct Filter {
    tags: Option<Texts<0, 100, 100>>,
}

fn default_threshold() -> Fraction {
    Fraction(0.7)
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MemorySearchResponse {
    success: bool,
    results: Vec<Found>,
    total_count: usize,
    searched_layers: Vec<Layer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    hint: Option<String>,
}

/// So many things of other kinds are counted.
const ELSEWHERE_MAX: usize = 10;

/// What else reaches the threshold, and the tool that shows it. Knowledge and the graph have memories.
fn found_elsewhere(cx: &Context<'_>, query: &Query) -> Result<Option<String>> {
    let shown_by = [
        (FoundKind::Document, "documents", "search"),
        (FoundKind::Decision, "decisions", "search_decisions"),
    ];
    let wanted = Wanted {
        kinds: shown_by.iter().map(|(kind, ..)| *kind).collect(),
        floor: query.floor,
        ..Wanted::anything(query.text.clone(), ELSEWHERE_MAX)
    };
    let found = find_unnoted(cx.engine, cx.caller, &wanted)?.found;
    let told: Vec<String> = shown_by
        .iter()
        .filter_map(|(kind, name, tool)| {
            let of_kind = || found.iter().filter(|found| found.thing.kind() == *kind);
            let best = of_kind().map(|found| found.relevance).reduce(f64::max)?;
            Some(format!("{name} ({}, best {best:.2}; tool `{tool}`)", of_kind().count()))
        })
        .collect();
    Ok((!told.is_empty()).then(|| format!("Found elsewhere: {}.", told.join(", "))))
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Found {
    content: String,
    layer: Layer,
    score: Fraction,
    memory_id: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl Found {
    fn of(cx: &Context<'_>, hit: Recalled) -> Self {
        Self {
            caution: caution::of(cx, &hit.memory),
            content: hit.memory.content,
            layer: hit.memory.scope.layer.into(),
            score: Fraction(hit.relevance),
            memory_id: hit.memory.id.prefixed(),
            tags: hit.memory.tags,
        }
    }
}

impl Tool for MemorySearch {
    const NAME: &'static str = "memory_search";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const PACE: Pace = Pace::Quick;
    type Response = MemorySearchResponse;

    fn call(self, cx: &Context<'_>) -> Result<MemorySearchResponse> {
        let query = Query {
            text: self.query,
            within: self.layers.map_or(Within::Own, |layers| {
                Within::Layers(layers.into_iter().map(Into::into).collect())
            }),
            tags_any: [self.tags, self.filter.tags]
                .into_iter()
                .flatten()
                .flat_map(|tags| tags.0)
                .collect(),
            floor: self.threshold.0,
            limit: self.limit.0 as usize,
        };
        let recall = memory::recall(cx.engine, cx.caller, &query)?;
        let below = hint::below_threshold(Self::NAME, query.floor, &recall.near);
        // Only memories have tags and layers, so other kinds are no answer to such a question.
        let is_narrow = !query.tags_any.is_empty() || query.within != Within::Own;
        let is_answered = !recall.hits.is_empty() || query.text.trim().is_empty();
        let elsewhere = if is_narrow || is_answered { None } else { found_elsewhere(cx, &query)? };
        Ok(MemorySearchResponse {
            success: true,
            results: recall.hits.into_iter().map(|hit| Found::of(cx, hit)).collect(),
            total_count: recall.total,
            searched_layers: recall.layers.into_iter().map(Into::into).collect(),
            hint: hint::join([below, elsewhere]),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::documents::testing::folder;
    use crate::testing::{Bench, check};

    #[test]
    fn what_was_found_elsewhere_is_told_with_the_tool_that_shows_it() {
        let dir =
            folder(&[("deploy.md", "# Deploys\n\nA deploy of the kettle needs a red button.\n")]);
        let path = dir.path().join("deploy.md");
        Bench::new().allowing(dir.path()).run(&format!(
            r#"
            > index_file {{"file_path": "{}"}}
            < {{"...": 0}}
            > record_decision {{"title": "Kettle deploy at night", "target": "kettle",
                "rationale": "A deploy of the kettle happens at night"}}
            < {{"fid": "$fid", "...": 0}}
            > memory_search {{"query": "deploy of the kettle"}}
            < {{"results": [], "totalCount": 0, "searchedLayers": "$*", "success": true,
                "hint": "Found elsewhere: documents (1, best $*; tool `search`), decisions (1, best $*; tool `search_decisions`)."}}
            > search_with_filters {{"query": "deploy of the kettle", "filters": {{"doc_type": "decision"}}}}
            < {{"data": {{"results": [{{"id": "$fid", "doc_type": "decision", "namespace": "default", "...": 0}}],
                "total": 1, "...": 0}}, "...": 0}}
            > memory_search {{"query": "wallpaper"}}
            < {{"success": true, "results": [], "totalCount": 0, "searchedLayers": "$*"}}
            "#,
            path.display()
        ));
    }

    #[test]
    fn an_empty_answer_says_what_came_near_and_the_call_shows_it() {
        check(
            r#"
            > memory_add {"content": "The quarterly report is due on Friday"}
            < {"...": 0}
            > memory_add {"content": "Ada waters the plants in the kitchen"}
            < {"...": 0}
            > memory_search {"query": "report about plants", "threshold": 0.999}
            < {"success": true, "results": [], "totalCount": 0, "searchedLayers": "$*",
                "hint": "No result reaches threshold 0.999. Best score below it: 0.$* (2 results). To see them: memory_search with \"threshold\": 0.1."}
            > memory_search {"query": "report about plants", "threshold": 0.1}
            < {"results": ["$*", "$*"], "totalCount": 2, "success": true, "searchedLayers": "$*"}
            > memory_search {"query": "", "threshold": 0.999}
            < {"success": true, "results": [], "totalCount": 0, "searchedLayers": "$*"}
            @ caller user=bob
            > memory_search {"query": "report about plants", "threshold": 0.999}
            < {"success": true, "results": [], "totalCount": 0, "searchedLayers": "$*"}
            "#,
        );
    }

    #[test]
    fn what_means_the_same_is_found_without_a_common_word() {
        check(
            r#"
            > memory_add {"content": "The user likes dark colour themes in editors"}
            < {"...": 0}
            > memory_add {"content": "The quarterly report is due on Friday"}
            < {"...": 0}
            > memory_add {"content": "Deploys happen on Tuesdays"}
            < {"...": 0}
            > memory_search {"query": "black background preference for the IDE"}
            < {"results": [{"content": "The user likes dark colour themes in editors", "...": 0}],
                "totalCount": 1, "...": 0}
            "#,
        );
    }

    #[test]
    fn words_are_found_by_their_stems_and_beginnings() {
        check(
            r#"
            > memory_add {"content": "User prefers PostgreSQL for new services"}
            < {"...": 0}
            > memory_search {"query": "which service does the user prefer?"}
            < {"success": true, "results": [{"content": "User prefers PostgreSQL for new services",
                "layer": "user", "score": "$*", "memoryId": "$*"}], "totalCount": 1, "searchedLayers":
                ["agent", "user", "session", "project", "team", "org", "company"]}
            > memory_search {"query": "postg"}
            < {"totalCount": 1, "...": 0}
            > memory_search {"query": "when is the dentist?"}
            < {"success": true, "results": [], "totalCount": 0, "searchedLayers": "$*"}
            "#,
        );
    }

    #[test]
    fn the_threshold_drops_what_covers_too_little() {
        check(
            r#"
            > memory_add {"content": "alpha beta gamma"}
            < {"...": 0}
            > memory_add {"content": "alpha delta epsilon"}
            < {"...": 0}
            > memory_search {"query": "alpha beta gamma"}
            < {"results": [{"content": "alpha beta gamma", "...": 0}], "totalCount": 1, "...": 0}
            > memory_search {"query": "alpha beta gamma", "threshold": 0}
            < {"results": [{"content": "alpha beta gamma", "...": 0},
                {"content": "alpha delta epsilon", "...": 0}], "totalCount": 2, "...": 0}
            > memory_search {"query": "alpha beta gamma", "threshold": 1}
            < {"results": [{"content": "alpha beta gamma", "score": 1.0, "...": 0}], "...": 0}
            "#,
        );
    }

    #[test]
    fn the_total_counts_before_the_limit() {
        check(
            r#"
            > memory_add {"content": "deploy one"}
            < {"...": 0}
            > memory_add {"content": "deploy two"}
            < {"...": 0}
            > memory_add {"content": "deploy three"}
            < {"...": 0}
            > memory_search {"query": "deploy", "limit": 2}
            < {"results": ["$*", "$*"], "totalCount": 3, "...": 0}
            "#,
        );
    }

    #[test]
    fn equal_scores_stand_by_layer_strength() {
        check(
            r#"
            > memory_add {"content": "ᎣᏏᏲ alpha", "layer": "company"}
            < {"...": 0}
            > memory_add {"content": "ᎣᏏᏲ beta", "layer": "agent"}
            < {"...": 0}
            > memory_add {"content": "ᎣᏏᏲ gamma", "layer": "project"}
            < {"...": 0}
            > memory_search {"query": "ᎣᏏᏲ"}
            < {"results": [{"layer": "agent", "score": "$score", "...": 0},
                {"layer": "project", "score": "$score", "...": 0},
                {"layer": "company", "score": "$score", "...": 0}], "...": 0}
            "#,
        );
    }

    #[test]
    fn the_same_content_in_several_layers_is_one_result_in_the_strongest() {
        check(
            r#"
            > memory_add {"content": "use rustls", "layer": "org"}
            < {"...": 0}
            > memory_add {"content": "use rustls", "layer": "project"}
            < {"memoryId": "$project", "...": 0}
            > memory_search {"query": "rustls"}
            < {"results": [{"layer": "project", "memoryId": "$project", "...": 0}],
                "totalCount": 1, "...": 0}
            > memory_search {"query": "rustls", "layers": ["org"]}
            < {"results": [{"layer": "org", "...": 0}], "searchedLayers": ["org"], "...": 0}
            "#,
        );
    }

    #[test]
    fn any_of_the_tags_matches_in_either_place() {
        check(
            r#"
            > memory_add {"content": "note one", "tags": ["a"]}
            < {"...": 0}
            > memory_add {"content": "note two", "tags": ["b", "c"]}
            < {"...": 0}
            > memory_add {"content": "note three"}
            < {"...": 0}
            > memory_search {"query": "note two", "tags": ["a", "b"]}
            < {"results": [{"content": "note two", "tags": ["b", "c"], "...": 0},
                {"content": "note one", "...": 0}], "totalCount": 2, "...": 0}
            > memory_search {"query": "note", "filter": {"tags": ["c"]}}
            < {"results": [{"content": "note two", "...": 0}], "totalCount": 1, "...": 0}
            > memory_search {"query": "note", "tags": ["A"]}
            < {"results": [], "totalCount": 0, "...": 0}
            "#,
        );
    }

    #[test]
    fn what_others_hold_does_not_change_what_is_found() {
        check(
            r#"
            @ caller user=ada
            > memory_add {"content": "PostgreSQL it is"}
            < {"...": 0}
            > memory_search {"query": "postg"}
            < {"totalCount": 1, "...": 0}
            @ caller user=bob
            > memory_add {"content": "postg"}
            < {"...": 0}
            @ caller user=ada
            > memory_search {"query": "postg"}
            < {"results": [{"content": "PostgreSQL it is", "...": 0}], "totalCount": 1, "...": 0}
            "#,
        );
    }

    #[test]
    fn only_layers_open_to_the_caller_are_searched() {
        check(
            r#"
            @ caller user=ada project=one team=blue
            > memory_add {"content": "secret of ada"}
            < {"...": 0}
            > memory_add {"content": "secret of the team", "layer": "team"}
            < {"...": 0}
            @ caller user=bob team=blue
            > memory_search {"query": "secret"}
            < {"results": [{"content": "secret of the team", "...": 0}], "totalCount": 1,
                "searchedLayers": ["user", "team"], "...": 0}
            > memory_search {"query": "secret", "layers": ["project", "company"]}
            < {"success": true, "results": [], "totalCount": 0, "searchedLayers": []}
            "#,
        );
    }

    #[test]
    fn archived_memories_are_left_out() {
        check(
            r#"
            > memory_add {"content": "old news"}
            < {"memoryId": "$id", "...": 0}
            > delete_memory {"id": "$id"}
            < {"success": true, "action": "archived", "id": "$id"}
            > memory_search {"query": "news", "threshold": 0}
            < {"success": true, "results": [], "totalCount": 0, "searchedLayers": "$*"}
            "#,
        );
    }

    #[test]
    fn any_text_is_a_legal_query() {
        for query in
            ["", " ", "\"", "a AND OR NOT (", "col:*", "^-+{}~", "NEAR(a b)", "\u{0}", "日本", "*"]
        {
            let query = serde_json::json!(query);
            check(&format!(
                r#"
                > memory_search {{"query": {query}}}
                < {{"success": true, "results": [], "totalCount": 0, "searchedLayers": "$*"}}
                "#
            ));
        }
    }

    #[test]
    fn every_bound_holds_at_its_edge_and_one_past_it() {
        check(
            r#"
            > memory_search {"query": "x", "limit": 1, "threshold": 0}
            < {"success": true, "...": 0}
            > memory_search {"query": "x", "limit": 100, "threshold": 1}
            < {"success": true, "...": 0}
            > memory_search {"query": "x", "limit": 10.0, "tags": null, "unknown": true}
            < {"success": true, "...": 0}
            > memory_search {"query": "x", "limit": 0}
            <! {"success": false, "errorCode": "INVALID_INPUT", "message":
                "limit got 0; it takes a whole number from 1 to 100", "retryable": false}
            > memory_search {"query": "x", "limit": 101}
            <! {"message": "limit got 101; it takes a whole number from 1 to 100", "...": 0}
            > memory_search {"query": "x", "limit": 1.5}
            <! {"message": "limit got 1.5; it takes a whole number from 1 to 100", "...": 0}
            > memory_search {"query": "x", "limit": "ten"}
            <! {"message": "limit got \"ten\"; it takes a whole number from 1 to 100", "...": 0}
            > memory_search {"query": "x", "threshold": 1.01}
            <! {"message": "threshold got 1.01; it takes a number from 0 to 1", "...": 0}
            > memory_search {"query": "x", "threshold": -0.01}
            <! {"message": "threshold got -0.01; it takes a number from 0 to 1", "...": 0}
            > memory_search {"query": "x", "layers": ["user", "galaxy"]}
            <! {"message": "layers[1] got \"galaxy\"; it takes one of agent, user, session, project, team, org, company", "...": 0}
            > memory_search {"limit": 3}
            <! {"errorCode": "INVALID_INPUT", "message": "query is missing; it takes a text", "...": 0}
            "#,
        );
    }
}
