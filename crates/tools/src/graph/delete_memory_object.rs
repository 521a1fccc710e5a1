//! `delete_memory_object`.

use engine::{Result, fact};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Context, Effect, Tool};

/// Delete a thing of the graph for good, with its links.
///
/// # When to use
/// When it never should have been there. What only ended: `invalidate_memory_link`. There is no way back.
///
/// # Usage
/// ```json
/// {"name": "Spring AI", "cascade": true}
/// ```
///
/// # Returns
/// `text`, `name`, and `links`, how many went with it.
///
/// # Errors
/// For a name that nothing has; with `cascade: false` while it has links, with their number.
///
/// # Related
/// `fact::forget`: `invalidate_memory_link` ends a fact and keeps its history.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct DeleteMemoryObject {
    /// Its exact name
    name: String,
    /// Delete its links, too
    #[serde(default = "yes")]
    cascade: bool,
}

const fn yes() -> bool {
    true
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Deleted {
    text: String,
    name: String,
    links: u64,
}

impl Tool for DeleteMemoryObject {
    const NAME: &'static str = "delete_memory_object";
    const EFFECT: Effect = Effect::DESTROY;
    const ROLE: Role = Role::Admin;
    type Response = Deleted;

    fn call(self, cx: &Context<'_>) -> Result<Deleted> {
        let forgotten = fact::forget(cx.engine, cx.caller, &self.name, self.cascade)?;
        let fact::Forgotten { name, links } = forgotten;
        Ok(Deleted { text: format!("Deleted: {name} with {links} links"), name, links })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn links_hold_a_thing_unless_they_go_with_it() {
        check(
            r#"
            > add_memory_link {"from": "Ada", "relation": "works at", "to": "Acme"}
            < {"...": 0}
            > delete_memory_object {"name": "Acme", "cascade": false}
            <! {"success": false, "error": "Memory object Acme has 1 links; delete them first, or give cascade: true"}
            > delete_memory_object {"name": "Acme"}
            < {"text": "Deleted: Acme with 1 links", "name": "Acme", "links": 1}
            > get_memory_object {"name": "Ada"}
            < {"outgoing": [], "...": 0}
            > delete_memory_object {"name": "Ada", "cascade": false}
            < {"links": 0, "...": 0}
            > memory_search {"query": "Ada works at Acme", "threshold": 0}
            < {"results": [], "...": 0}
            > delete_memory_object {"name": "Ada"}
            <! {"success": false, "error": "Memory object not found: Ada"}
            "#,
        );
    }
}
