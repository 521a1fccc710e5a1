//! `get_memory_stats`.

use engine::Result;
use engine::memory;
use model::{Importance, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note::{Note, NoteType};
use crate::caution;
use crate::tool::{Context, Effect, Tool};
use crate::wire::DateTime;

/// Get statistics about stored memories.
///
/// # When to use
/// To see how much is kept, of which types and tags, before you list or clean up.
///
/// # Usage
/// ```json
/// {}
/// ```
///
/// # Returns
/// Counts of what is not archived by type and importance, `archived_count`, `total_storage_kb` (the
/// size of all the caller's memories, archived ones included), the times of the oldest and newest,
/// the `most_accessed` memory and the ten `top_tags`. Without memories the last four are null or
/// empty.
///
/// # Errors
/// None of its own.
///
/// # Related
/// `memory::stats`: `query_memories` shows the notes themselves.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetMemoryStats {}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GetMemoryStatsResponse {
    total_memories: u64,
    by_type: ByType,
    by_importance: ByImportance,
    archived_count: u64,
    total_storage_kb: f64,
    oldest_memory: Option<DateTime>,
    newest_memory: Option<DateTime>,
    most_accessed: Option<Note>,
    top_tags: Vec<TopTag>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct ByType {
    core: u64,
    learning: u64,
    task: u64,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct ByImportance {
    high: u64,
    medium: u64,
    low: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct TopTag {
    tag: String,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl Tool for GetMemoryStats {
    const NAME: &'static str = "get_memory_stats";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    type Response = GetMemoryStatsResponse;

    fn call(self, cx: &Context<'_>) -> Result<GetMemoryStatsResponse> {
        let stats = memory::stats(cx.engine, cx.caller)?;
        let mut by_type = ByType::default();
        for (kind, count) in &stats.by_kind {
            match NoteType::of(*kind) {
                NoteType::Core => by_type.core += count,
                NoteType::Learning => by_type.learning += count,
                NoteType::Task => by_type.task += count,
            }
        }
        let mut by_importance = ByImportance::default();
        for (step, count) in stats.by_importance {
            match step {
                Importance::High => by_importance.high = count,
                Importance::Medium => by_importance.medium = count,
                Importance::Low => by_importance.low = count,
            }
        }
        let tag = |tag: engine::memory::TagCount| TopTag {
            caution: caution::of_text(cx, &tag.tag),
            tag: tag.tag,
            count: tag.count,
        };
        Ok(GetMemoryStatsResponse {
            total_memories: stats.by_kind.iter().map(|(_, count)| count).sum(),
            by_type,
            by_importance,
            archived_count: stats.archived,
            total_storage_kb: (stats.bytes as f64 / 1024.0 * 100.0).round() / 100.0,
            oldest_memory: stats.oldest.map(Into::into),
            newest_memory: stats.newest.map(Into::into),
            most_accessed: stats.most_accessed.map(|memory| Note::of(cx, memory)),
            top_tags: stats.top_tags.into_iter().map(tag).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn an_empty_store_has_nulls() {
        check(
            r#"
            > get_memory_stats {}
            < {"total_memories": 0, "by_type": {"core": 0, "learning": 0, "task": 0},
                "by_importance": {"high": 0, "medium": 0, "low": 0}, "archived_count": 0,
                "total_storage_kb": 0.0, "oldest_memory": null, "newest_memory": null,
                "most_accessed": null, "top_tags": []}
            "#,
        );
    }

    #[test]
    fn everything_is_counted_once() {
        check(
            r#"
            > store_memory {"type": "core", "content": "aa", "importance": "high", "tags": ["x", "y"]}
            < {"id": "$a", "...": 0}
            > store_memory {"type": "learning", "content": "bb", "importance": "low", "tags": ["x"]}
            < {"...": 0}
            > store_memory {"type": "task", "content": "cc", "tags": ["z"]}
            < {"id": "$c", "...": 0}
            > memory_add {"content": "dd"}
            < {"...": 0}
            > delete_memory {"id": "$c"}
            < {"...": 0}
            > update_memory {"id": "$a"}
            < {"...": 0}
            > get_memory_stats {}
            < {"total_memories": 3, "by_type": {"core": 2, "learning": 1, "task": 0},
                "by_importance": {"high": 1, "medium": 1, "low": 1}, "archived_count": 1,
                "total_storage_kb": 0.04, "oldest_memory": "2026-01-01T00:00:00.000000Z",
                "newest_memory": "2026-01-01T00:00:03.000000Z",
                "most_accessed": {"id": "$a", "access_count": 1, "...": 0},
                "top_tags": [{"tag": "x", "count": 2}, {"tag": "y", "count": 1}]}
            "#,
        );
    }

    #[test]
    fn the_ten_most_used_tags_are_named() {
        let tagged: String = (0..12)
            .map(|n| {
                format!(
                    "> memory_add {{\"content\": \"c{n}\", \"tags\": [\"t{n:02}\", \"all\"]}}\n\
                     < {{\"...\": 0}}\n"
                )
            })
            .collect();
        let rest: Vec<_> =
            (0..9).map(|n| format!("{{\"tag\": \"t{n:02}\", \"count\": 1}}")).collect();
        check(&format!(
            "{tagged}> get_memory_stats {{}}\n\
             < {{\"top_tags\": [{{\"tag\": \"all\", \"count\": 12}}, {}], \"...\": 0}}",
            rest.join(", ")
        ));
    }
}
