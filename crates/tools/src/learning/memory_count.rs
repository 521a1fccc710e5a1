//! `memory_count`.

use engine::{Result, memory, scope};
use model::{MemoryFilter, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Data, Filters, kinds};
use crate::tool::{Context, Effect, Pace, Tool};

/// Count memories.
///
/// # When to use
/// To see how much there is before listing it.
///
/// # Usage
/// ```json
/// {"namespace": "global", "memory_type": "fact"}
/// ```
///
/// # Returns
/// `count` and the `filters`. Archived memories do not count.
///
/// # Errors
/// `Invalid memory type: {type}`, an unknown namespace, a wrong field.
///
/// # Related
/// `memory::count`: `memory_list` shows them.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryCount {
    /// Only in this namespace
    namespace: Option<String>,
    /// Only of this type
    memory_type: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Count {
    count: u64,
    filters: Filters,
}

impl Tool for MemoryCount {
    const NAME: &'static str = "memory_count";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const PACE: Pace = Pace::Quick;
    type Response = Data<Count>;

    fn call(self, cx: &Context<'_>) -> Result<Data<Count>> {
        let filter = MemoryFilter {
            scopes: scope::within(cx.engine, cx.caller, self.namespace.as_deref())?,
            kinds: kinds(self.memory_type.as_deref())?,
            ..MemoryFilter::default()
        };
        let count = memory::count(cx.engine, cx.caller, filter)?;
        let filters = Filters { namespace: self.namespace, memory_type: self.memory_type };
        Ok(Data::of(Count { count, filters }))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn what_is_there_is_counted_by_namespace_and_type() {
        check(
            r#"
            @ caller user=ada project=here
            > memory_count {}
            < {"success": true, "data": {"count": 0, "filters": {"namespace": null, "memory_type": null}}}
            > memory_store {"content": "a", "memory_type": "fact"}
            < {"data": {"id": "$a", "...": 0}, "...": 0}
            > memory_store {"content": "b", "memory_type": "pattern"}
            < {"...": 0}
            > memory_store {"content": "c", "memory_type": "fact", "namespace": "project:here"}
            < {"data": {"id": "$c", "...": 0}, "...": 0}
            > memory_count {}
            < {"data": {"count": 3, "...": 0}, "...": 0}
            > memory_count {"memory_type": "fact"}
            < {"data": {"count": 2, "filters": {"namespace": null, "memory_type": "fact"}}, "...": 0}
            > memory_count {"memory_type": "fact", "namespace": "global"}
            < {"data": {"count": 1, "filters": {"namespace": "global", "memory_type": "fact"}}, "...": 0}
            > memory_count {"namespace": "default"}
            < {"data": {"count": 0, "...": 0}, "...": 0}
            > delete_memory {"id": "$a"}
            < {"action": "archived", "...": 0}
            > memory_delete {"memoryId": "$c"}
            < {"success": true, "...": 0}
            > memory_count {}
            < {"data": {"count": 1, "...": 0}, "...": 0}
            @ caller user=bob role=guest
            > memory_count {}
            < {"data": {"count": 0, "...": 0}, "...": 0}
            > memory_count {"namespace": "project:here"}
            <! {"success": false, "error": "namespace project:here is closed to this caller"}
            > memory_count {"memory_type": "idea"}
            <! {"success": false, "error": "Invalid memory type: idea"}
            > memory_count {"namespace": "not here"}
            <! {"success": false, "error": "$*"}
            > memory_count {"namespace": 1}
            <! {"success": false, "error": "namespace got 1; it takes a text"}
            "#,
        );
    }
}
