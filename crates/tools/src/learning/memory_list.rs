//! `memory_list`.

use engine::{Result, memory, scope};
use model::{Memory, MemoryFilter, Metadata, Order, Paging, Role, SortKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Data, Filters, kinds};
use crate::caution;
use crate::tool::{Context, Effect, Tool};
use crate::wire::{DateTime, INT_MAX, Int};

/// List memories, page by page.
///
/// # When to use
/// To look through what there is; to find something, memory_recall is better.
///
/// # Usage
/// ```json
/// {"memory_type": "fact", "limit": 10, "order_by": "confidence"}
/// ```
/// ```json
/// {"namespace": "global", "offset": 100, "descending": false}
/// ```
///
/// # Returns
/// `memories` of this page, `count` of them, `total` of all pages, `limit`, `offset`, `pagination`
/// and the `filters`. Equals follow in the order they were stored. Archived memories are left out,
/// and listing does not count as reading (contract: ours).
///
/// # Errors
/// `Invalid memory type: {type}`, an unknown namespace, a wrong field.
///
/// # Related
/// `memory::browse`: `memory_recall` finds by meaning, `memory_count` counts.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryList {
    /// Only in this namespace
    namespace: Option<String>,
    /// Only of this type
    memory_type: Option<String>,
    /// How many
    #[serde(default)]
    limit: Int<1, 1000, 100>,
    /// How many to skip
    #[serde(default)]
    offset: Int<0, INT_MAX, 0>,
    /// What to sort by
    #[serde(default)]
    order_by: OrderBy,
    /// Greatest first
    #[serde(default = "yes")]
    descending: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OrderBy {
    #[default]
    CreatedAt,
    Importance,
    Confidence,
    LastAccessed,
}

impl From<OrderBy> for SortKey {
    fn from(order: OrderBy) -> Self {
        match order {
            OrderBy::CreatedAt => Self::CreatedAt,
            OrderBy::Importance => Self::Importance,
            OrderBy::Confidence => Self::Confidence,
            OrderBy::LastAccessed => Self::AccessedAt,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Listed {
    memories: Vec<Item>,
    total: u64,
    count: usize,
    limit: u64,
    offset: u64,
    pagination: Pagination,
    filters: Filters,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Pagination {
    limit: u64,
    offset: u64,
    has_more: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Item {
    id: String,
    content: String,
    memory_type: &'static str,
    namespace: String,
    confidence: f64,
    importance: f64,
    tags: Vec<String>,
    metadata: Metadata,
    created_at: DateTime,
    updated_at: DateTime,
    last_accessed: DateTime,
    access_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl Item {
    fn of(cx: &Context<'_>, memory: Memory) -> Self {
        Self {
            caution: caution::of(cx, &memory),
            id: memory.id.prefixed(),
            memory_type: memory.kind.name(),
            namespace: memory.scope.namespace(),
            confidence: memory.confidence,
            importance: memory.importance,
            created_at: memory.created_at.into(),
            updated_at: memory.updated_at.into(),
            last_accessed: memory.accessed_at.into(),
            access_count: memory.access_count,
            content: memory.content,
            tags: memory.tags,
            metadata: memory.metadata,
        }
    }
}

impl Tool for MemoryList {
    const NAME: &'static str = "memory_list";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    type Response = Data<Listed>;

    fn call(self, cx: &Context<'_>) -> Result<Data<Listed>> {
        let (limit, offset) = (self.limit.0, self.offset.0);
        let filter = MemoryFilter {
            scopes: scope::within(cx.engine, cx.caller, self.namespace.as_deref())?,
            kinds: kinds(self.memory_type.as_deref())?,
            ..MemoryFilter::default()
        };
        let order = if self.descending { Order::Descending } else { Order::Ascending };
        let paging = Paging { key: self.order_by.into(), order, offset, limit };
        let page = memory::browse(cx.engine, cx.caller, filter, paging)?;
        let memories: Vec<Item> =
            page.items.into_iter().map(|memory| Item::of(cx, memory)).collect();
        let has_more = offset.saturating_add(memories.len() as u64) < page.total;
        Ok(Data::of(Listed {
            count: memories.len(),
            memories,
            total: page.total,
            limit,
            offset,
            pagination: Pagination { limit, offset, has_more },
            filters: Filters { namespace: self.namespace, memory_type: self.memory_type },
        }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{Bench, Speaker, check};

    const FOUR: &str = r#"
        > memory_store {"content": "a", "memory_type": "fact", "importance": 0.5}
        < {"data": {"id": "$a", "...": 0}, "...": 0}
        > memory_store {"content": "b", "memory_type": "pattern", "importance": 0.9}
        < {"data": {"id": "$b", "...": 0}, "...": 0}
        > memory_store {"content": "c", "memory_type": "fact", "namespace": "project:me",
            "importance": 0.1}
        < {"data": {"id": "$c", "...": 0}, "...": 0}
        > memory_store {"content": "d", "memory_type": "fact", "importance": 0.5}
        < {"data": {"id": "$d", "...": 0}, "...": 0}
        > memory_validate {"memory_id": "$a", "was_helpful": true}
        < {"...": 0}
        > update_memory {"id": "$b"}
        < {"...": 0}
    "#;

    #[test]
    fn a_page_says_what_it_is_a_page_of() {
        check(&format!(
            r#"{FOUR}
            > memory_list {{"limit": 1, "offset": 1}}
            < {{"success": true, "data": {{"memories": [{{"id": "$c", "content": "c",
                "memory_type": "fact", "namespace": "project:me", "confidence": 0.3,
                "importance": 0.1, "tags": [], "metadata": {{}},
                "created_at": "2026-01-01T00:00:02.000000Z",
                "updated_at": "2026-01-01T00:00:02.000000Z",
                "last_accessed": "2026-01-01T00:00:02.000000Z", "access_count": 0}}],
                "total": 4, "count": 1, "limit": 1, "offset": 1,
                "pagination": {{"limit": 1, "offset": 1, "has_more": true}},
                "filters": {{"namespace": null, "memory_type": null}}}}}}
            > memory_list {{"offset": 3}}
            < {{"data": {{"memories": [{{"id": "$a", "...": 0}}], "count": 1, "limit": 100,
                "pagination": {{"has_more": false, "...": 0}}, "...": 0}}, "...": 0}}
            > memory_list {{"offset": 4}}
            < {{"data": {{"memories": [], "total": 4, "count": 0, "...": 0}}, "...": 0}}
            > memory_list {{"memory_type": "fact", "namespace": "global"}}
            < {{"data": {{"memories": [{{"id": "$d", "...": 0}}, {{"id": "$a", "...": 0}}],
                "total": 2, "filters": {{"namespace": "global", "memory_type": "fact"}},
                "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn every_order_runs_both_ways_over_all_places_and_types() {
        let mut bench = Bench::new();
        bench.run(FOUR);
        for (order, expected) in [
            ("created_at", ["a", "b", "c", "d"]),
            ("importance", ["c", "a", "d", "b"]),
            ("confidence", ["b", "c", "d", "a"]),
            ("last_accessed", ["a", "c", "d", "b"]),
        ] {
            for descending in [false, true] {
                for limit in 1..5 {
                    let mut seen = Vec::new();
                    for offset in (0..4).step_by(limit) {
                        let page = json!({"order_by": order, "descending": descending,
                            "limit": limit, "offset": offset});
                        let page = bench.call("memory_list", page).value;
                        let items = page["data"]["memories"].as_array().unwrap().clone();
                        seen.extend(
                            items.iter().map(|m| m["content"].as_str().unwrap().to_owned()),
                        );
                    }
                    let mut expected = expected.map(str::to_owned).to_vec();
                    if descending {
                        expected.reverse();
                    }
                    assert_eq!(seen, expected, "{order} {descending} {limit}");
                }
            }
        }
    }

    #[test]
    fn bad_input_is_named_and_another_sees_nothing() {
        check(&format!(
            r#"
            @ caller user=ada project=me
            {FOUR}
            > memory_list {{"limit": 1000}}
            < {{"data": {{"total": 4, "...": 0}}, "...": 0}}
            > memory_list {{"limit": 0}}
            <! {{"success": false, "error": "limit got 0; it takes a whole number from 1 to 1000"}}
            > memory_list {{"limit": 1001}}
            <! {{"success": false, "error": "$*"}}
            > memory_list {{"offset": -1}}
            <! {{"success": false, "error": "offset got -1; it takes a whole number from 0"}}
            > memory_list {{"order_by": "size"}}
            <! {{"success": false, "error": "order_by got \"size\"; it takes one of created_at, importance, confidence, last_accessed"}}
            > memory_list {{"descending": "no"}}
            <! {{"success": false, "error": "$*"}}
            > memory_list {{"memory_type": "idea"}}
            <! {{"success": false, "error": "Invalid memory type: idea"}}
            > memory_list {{"namespace": "x y"}}
            <! {{"success": false, "error": "$*"}}
            @ caller user=bob role=guest
            > memory_list {{}}
            < {{"data": {{"memories": [], "total": 0, "...": 0}}, "...": 0}}
            "#
        ));
    }
}
