//! `query_memories`.

use engine::Result;
use engine::memory;
use model::{MemoryFilter, Order, Paging, Role, SortKey, TextPart};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note::{Level, Note, NoteType};
use crate::tool::{Context, Effect, Tool};
use crate::wire::{INT_MAX, Int, Text, Texts};

/// Query and filter stored memories, a page at a time.
///
/// # When to use
/// To list memories by type, tags, importance, category or words in them. To search by relevance,
/// use `memory_search`.
///
/// # Usage
/// ```json
/// {"tags": ["python"], "importance": "high", "limit": 5, "sort_by": "accessed_at", "sort_order": "desc"}
/// ```
/// ```json
/// {"search": "pytest", "archived": true, "offset": 10}
/// ```
///
/// # Returns
/// `memories` of this page, `total` of all pages, `limit`, `offset` and `has_more`. Filters are
/// ANDed: `tags` must all be there, exactly; every word of `search` must be in the content, letter case
/// aside: words of three characters or more anywhere, shorter ones as whole words, a "quoted phrase" as it
/// is. `archived: true` shows the archived beside the others. A memory is shown as it
/// was before this reading; the reading counts from the next list on, so that pages neither repeat
/// nor skip.
///
/// # Errors
/// `INVALID_INPUT` for a wrong field.
///
/// # Related
/// `memory::consult`: `store_memory` stores, `get_memory_stats` counts.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct QueryMemories {
    /// Filter by memory type
    r#type: Option<NoteType>,
    /// Filter by tags (AND logic)
    tags: Option<Texts<0, 100, 100>>,
    /// Search text in memory content
    search: Option<Text<0, 200>>,
    /// Filter by importance level
    importance: Option<Level>,
    /// Filter by category
    category: Option<String>,
    /// Include archived memories
    #[serde(default)]
    archived: bool,
    /// Maximum number of results
    #[serde(default)]
    limit: Int<1, 100, 10>,
    /// Number of results to skip (for pagination)
    #[serde(default)]
    offset: Int<0, INT_MAX, 0>,
    /// Field to sort by
    #[serde(default)]
    sort_by: SortBy,
    /// Sort order
    #[serde(default)]
    sort_order: SortOrder,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SortBy {
    CreatedAt,
    UpdatedAt,
    #[default]
    AccessedAt,
    Importance,
    AccessCount,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SortOrder {
    Asc,
    #[default]
    Desc,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct QueryMemoriesResponse {
    memories: Vec<Note>,
    total: u64,
    limit: u64,
    offset: u64,
    has_more: bool,
}

impl Tool for QueryMemories {
    const NAME: &'static str = "query_memories";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    type Response = QueryMemoriesResponse;

    fn call(self, cx: &Context<'_>) -> Result<QueryMemoriesResponse> {
        let (limit, offset, paging) = (self.limit.0, self.offset.0, self.paging());
        let page = memory::consult(cx.engine, cx.caller, self.filter(), paging)?;
        Ok(QueryMemoriesResponse {
            has_more: offset.saturating_add(page.items.len() as u64) < page.total,
            memories: page.items.into_iter().map(|memory| Note::of(cx, memory)).collect(),
            total: page.total,
            limit,
            offset,
        })
    }
}

impl QueryMemories {
    fn filter(self) -> MemoryFilter {
        let search = self.search.map_or_else(String::new, |text| text.0);
        MemoryFilter {
            kinds: self.r#type.map_or_else(Vec::new, NoteType::kinds),
            tags_all: self.tags.map_or_else(Vec::new, |tags| tags.0),
            importance: self.importance.map(Into::into),
            category: self.category,
            containing: TextPart::all_of(&search),
            archived: self.archived,
            ..MemoryFilter::default()
        }
    }

    fn paging(&self) -> Paging {
        let key = match self.sort_by {
            SortBy::CreatedAt => SortKey::CreatedAt,
            SortBy::UpdatedAt => SortKey::UpdatedAt,
            SortBy::AccessedAt => SortKey::AccessedAt,
            SortBy::Importance => SortKey::Importance,
            SortBy::AccessCount => SortKey::AccessCount,
        };
        let order = match self.sort_order {
            SortOrder::Asc => Order::Ascending,
            SortOrder::Desc => Order::Descending,
        };
        Paging { key, order, offset: self.offset.0, limit: self.limit.0 }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::testing::{Bench, Speaker, check, text};

    const THREE: &str = r#"
        > store_memory {"type": "core", "content": "Alpha uses Python", "category": "fact",
            "tags": ["python", "alpha"], "importance": "high"}
        < {"id": "$a", "...": 0}
        > store_memory {"type": "learning", "content": "Beta uses Rust", "tags": ["rust"],
            "importance": "low"}
        < {"id": "$b", "...": 0}
        > store_memory {"type": "task", "content": "gamma needs ÜBERSICHT", "category": "fact",
            "tags": ["alpha"]}
        < {"id": "$c", "...": 0}
    "#;

    #[test]
    fn filters_are_anded() {
        check(&format!(
            r#"{THREE}
            > query_memories {{"type": "core"}}
            < {{"memories": [{{"id": "$a", "...": 0}}], "total": 1, "limit": 10, "offset": 0,
                "has_more": false}}
            > query_memories {{"tags": ["alpha"], "sort_by": "created_at"}}
            < {{"memories": [{{"id": "$c", "...": 0}}, {{"id": "$a", "...": 0}}], "total": 2, "...": 0}}
            > query_memories {{"tags": ["alpha", "python"]}}
            < {{"memories": [{{"id": "$a", "...": 0}}], "...": 0}}
            > query_memories {{"tags": ["Alpha"]}}
            < {{"memories": [], "total": 0, "...": 0}}
            > query_memories {{"tags": ["alph"]}}
            < {{"total": 0, "...": 0}}
            > query_memories {{"importance": "medium"}}
            < {{"memories": [{{"id": "$c", "...": 0}}], "total": 1, "...": 0}}
            > query_memories {{"category": "fact", "importance": "high"}}
            < {{"memories": [{{"id": "$a", "...": 0}}], "...": 0}}
            > query_memories {{"category": "fact", "type": "learning"}}
            < {{"total": 0, "...": 0}}
            "#
        ));
    }

    #[test]
    fn search_matches_words_and_parts_of_words_in_any_case() {
        check(&format!(
            r#"{THREE}
            > query_memories {{"search": "USES"}}
            < {{"total": 2, "...": 0}}
            > query_memories {{"search": "ytho"}}
            < {{"memories": [{{"id": "$a", "...": 0}}], "...": 0}}
            > query_memories {{"search": "übersicht"}}
            < {{"memories": [{{"id": "$c", "...": 0}}], "...": 0}}
            > query_memories {{"search": "rust beta"}}
            < {{"memories": [{{"id": "$b", "...": 0}}], "...": 0}}
            > query_memories {{"search": "%"}}
            < {{"total": 0, "...": 0}}
            > query_memories {{"search": "' OR 1=1 --"}}
            < {{"total": 0, "...": 0}}
            > query_memories {{"search": ""}}
            < {{"total": 3, "...": 0}}
            "#
        ));
    }

    #[test]
    fn short_words_match_whole_words_and_a_quoted_phrase_as_it_is() {
        check(
            r#"
            > store_memory {"type": "core", "content": "Go is used for services"}
            < {"id": "$go", "...": 0}
            > store_memory {"type": "core", "content": "The good old C# service; is it 5 GB?"}
            < {"id": "$good", "...": 0}
            > store_memory {"type": "core", "content": "東京に住んでいる, R&D is here"}
            < {"id": "$tokyo", "...": 0}
            > query_memories {"search": "go"}
            < {"memories": [{"id": "$go", "...": 0}], "total": 1, "...": 0}
            > query_memories {"search": "goo"}
            < {"memories": [{"id": "$good", "...": 0}], "total": 1, "...": 0}
            > query_memories {"search": "is"}
            < {"total": 3, "...": 0}
            > query_memories {"search": "c#"}
            < {"memories": [{"id": "$good", "...": 0}], "total": 1, "...": 0}
            > query_memories {"search": "g"}
            < {"total": 0, "...": 0}
            > query_memories {"search": "5 gb"}
            < {"memories": [{"id": "$good", "...": 0}], "total": 1, "...": 0}
            > query_memories {"search": "京"}
            < {"memories": [{"id": "$tokyo", "...": 0}], "total": 1, "...": 0}
            > query_memories {"search": "service is"}
            < {"total": 2, "...": 0}
            > query_memories {"search": "\"service; IS\" old"}
            < {"memories": [{"id": "$good", "...": 0}], "total": 1, "...": 0}
            > query_memories {"search": "\"is service\""}
            < {"total": 0, "...": 0}
            > query_memories {"search": "\"o i\""}
            < {"memories": [{"id": "$go", "...": 0}], "total": 1, "...": 0}
            > query_memories {"search": "\"go"}
            < {"total": 0, "...": 0}
            > query_memories {"search": "\"\""}
            < {"total": 3, "...": 0}
            "#,
        );
    }

    #[test]
    fn the_archived_are_shown_beside_the_others_when_asked_for() {
        check(&format!(
            r#"{THREE}
            > delete_memory {{"id": "$b"}}
            < {{"action": "archived", "...": 0}}
            > query_memories {{}}
            < {{"total": 2, "...": 0}}
            > query_memories {{"archived": true}}
            < {{"total": 3, "...": 0}}
            "#
        ));
    }

    #[test]
    fn lists_are_sorted_by_every_key_both_ways() {
        let orders = [
            ("created_at", "abc"),
            ("updated_at", "abc"),
            ("accessed_at", "abc"),
            ("importance", "bca"),
            ("access_count", "abc"),
        ];
        for (key, ascending) in orders {
            for (order, letters) in
                [("asc", ascending.to_owned()), ("desc", ascending.chars().rev().collect())]
            {
                let expected: Vec<String> =
                    letters.chars().map(|c| format!(r#"{{"id": "${c}", "...": 0}}"#)).collect();
                check(&format!(
                    r#"{THREE}
                    > query_memories {{"sort_by": "{key}", "sort_order": "{order}"}}
                    < {{"memories": [{}], "...": 0}}
                    "#,
                    expected.join(", ")
                ));
            }
        }
    }

    #[test]
    fn each_query_counts_as_one_access_and_statistics_do_not() {
        check(
            r#"
            > store_memory {"type": "core", "content": "x"}
            < {"id": "$id", "...": 0}
            > query_memories {}
            < {"memories": [{"access_count": 0, "accessed_at": "2026-01-01T00:00:00.000000Z", "...": 0}],
                "...": 0}
            > get_memory_stats {}
            < {"most_accessed": {"id": "$id", "access_count": 1, "...": 0}, "...": 0}
            > query_memories {"tags": ["none"]}
            < {"total": 0, "...": 0}
            > query_memories {}
            < {"memories": [{"access_count": 1, "accessed_at": "2026-01-01T00:00:01.000000Z",
                "updated_at": "2026-01-01T00:00:00.000000Z", "...": 0}], "...": 0}
            > memory_search {"query": "x"}
            < {"totalCount": 1, "...": 0}
            > get_memory_stats {}
            < {"most_accessed": {"access_count": 2, "...": 0}, "...": 0}
            "#,
        );
    }

    #[test]
    fn pages_neither_repeat_nor_skip_in_any_order() {
        let mut bench = Bench::new();
        for n in 0..25 {
            bench.run(&format!(
                "> store_memory {{\"type\": \"core\", \"content\": \"n{n}\"}}\n< {{\"...\": 0}}"
            ));
        }
        for key in ["created_at", "updated_at", "accessed_at", "importance", "access_count"] {
            for order in ["asc", "desc"] {
                let mut seen = HashSet::new();
                for offset in (0..30).step_by(7) {
                    let arguments = serde_json::json!({
                        "limit": 7, "offset": offset, "sort_by": key, "sort_order": order});
                    let reply = bench.call("query_memories", arguments).value;
                    assert_eq!(reply["total"], 25);
                    assert_eq!(reply["has_more"], offset + 7 < 25, "{key} {order} {offset}");
                    for memory in reply["memories"].as_array().unwrap() {
                        assert!(seen.insert(memory["id"].to_string()), "{key} {order} repeats");
                    }
                }
                assert_eq!(seen.len(), 25, "{key} {order} skips");
            }
        }
    }

    #[test]
    fn every_bound_holds_at_its_edge_and_one_past_it() {
        check(&format!(
            r#"
            > query_memories {{"search": "{}", "limit": 100, "offset": 0}}
            < {{"memories": [], "total": 0, "limit": 100, "offset": 0, "has_more": false}}
            > query_memories {{"search": "{}"}}
            <! {{"error": {{"code": "INVALID_INPUT", "message":
                "search got a text of 201 characters; it takes a text of up to 200 characters"}}}}
            > query_memories {{"limit": 1, "offset": 9007199254740991}}
            < {{"memories": [], "offset": 9007199254740991, "...": 0}}
            > query_memories {{"limit": 0}}
            <! {{"error": {{"code": "INVALID_INPUT", "message":
                "limit got 0; it takes a whole number from 1 to 100"}}}}
            > query_memories {{"limit": 101}}
            <! {{"error": {{"code": "INVALID_INPUT", "message": "$*"}}}}
            > query_memories {{"offset": -1}}
            <! {{"error": {{"code": "INVALID_INPUT", "message":
                "offset got -1; it takes a whole number from 0"}}}}
            > query_memories {{"sort_by": "name"}}
            <! {{"error": {{"code": "INVALID_INPUT", "message": "sort_by got \"name\"; it takes one of created_at, updated_at, accessed_at, importance, access_count"}}}}
            > query_memories {{"sort_order": "down"}}
            <! {{"error": {{"code": "INVALID_INPUT", "message":
                "sort_order got \"down\"; it takes one of asc, desc"}}}}
            > query_memories {{"archived": "yes"}}
            <! {{"error": {{"code": "INVALID_INPUT", "message":
                "archived got \"yes\"; it takes true or false"}}}}
            "#,
            text(200),
            text(201),
        ));
    }

    #[test]
    fn what_another_contract_kept_is_listed_and_what_is_not_the_callers_is_not() {
        check(
            r#"
            > memory_add {"content": "from layers", "layer": "project", "tags": ["t"]}
            < {"memoryId": "$id", "...": 0}
            > query_memories {"type": "core", "tags": ["t"]}
            < {"memories": [{"id": "$id", "type": "core", "importance": "medium", "...": 0}],
                "total": 1, "...": 0}
            @ caller user=somebody
            > query_memories {}
            < {"total": 0, "...": 0}
            "#,
        );
    }
}
