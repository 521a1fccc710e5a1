//! `memory_store`.

use std::borrow::Cow;

use engine::memory::{self, NewMemory, Place, Remembered, Sameness};
use engine::{Error, ErrorKind, Result, scope};
use model::{Importance, Kind, MemoryId, Origin, Role, hex};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::words::{Data, kind, no_kind};
use crate::conflict::{self, Conflict};
use crate::tool::{Context, Effect, Tool};
use crate::wire::{Fraction, Object, Text};

/// Store a memory whose confidence grows or falls with use.
///
/// # When to use
/// To keep a preference, decision, pattern, fact or session note that will be validated later.
/// Namespaces are global, default, project:<id> and any name of your own (docs, backend).
///
/// # Usage
/// ```json
/// {"content": "User prefers dark mode for their IDE", "memory_type": "preference", "importance": 0.8}
/// ```
/// ```json
/// {"content": "Project uses PostgreSQL 15", "memory_type": "fact", "namespace": "project:myapp"}
/// ```
///
/// # Returns
/// `id`, `content_hash` (SHA-256 of the trimmed content), `namespace`, `memory_type`, `duplicate`
/// and `confidence` (0.3 for a new one). The same trimmed content in the same namespace is the same
/// memory: `duplicate` is true, `warnings` say how the stored content differs from the given one, the
/// other fields are those of the stored one, and metadata it did not have are added to it (contract:
/// ours). With `conflicts`, if there are any: at most 3 memories of the same namespace that the new text contradicts,
/// duplicates or supersedes, each with `id`, `content`, `relation`, `reason` and `similarity`. Nothing
/// is merged or refused for them (contract: ours).
///
/// # Errors
/// `Invalid memory type: {type}`, also for `golden_rule`, which a memory only becomes; a namespace
/// that is none or is closed to the caller; a missing or wrong field.
///
/// # Related
/// `memory::remember_once`: `memory_recall` finds it, `memory_check_supersedes` looks for what it
/// replaces.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryStore {
    /// The memory content text
    content: Text<1, 100_000>,
    /// Type of memory
    #[serde(default)]
    memory_type: NewType,
    /// Scope of the memory
    #[serde(default = "global")]
    namespace: String,
    /// Importance score 0.0-1.0
    #[serde(default = "medium")]
    importance: Fraction,
    /// Optional additional metadata
    metadata: Option<Object<100_000>>,
}

fn global() -> String {
    "global".to_owned()
}

fn medium() -> Fraction {
    Fraction(Importance::Medium.value())
}

// A type that a new memory may have. Any text is read, so that the error is in the contract's words.
#[derive(Debug, Deserialize, Serialize)]
struct NewType(String);

impl NewType {
    const ALL: [Kind; 5] =
        [Kind::Preference, Kind::Decision, Kind::Pattern, Kind::Session, Kind::Fact];

    fn kind(&self) -> Result<Kind> {
        kind(&self.0).ok().filter(|kind| Self::ALL.contains(kind)).ok_or_else(|| no_kind(&self.0))
    }
}

impl Default for NewType {
    fn default() -> Self {
        Self(Kind::Session.name().to_owned())
    }
}

impl JsonSchema for NewType {
    fn schema_name() -> Cow<'static, str> {
        "NewType".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": Self::ALL.map(Kind::name)})
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Stored {
    id: String,
    content_hash: String,
    namespace: String,
    memory_type: &'static str,
    duplicate: bool,
    confidence: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<Conflict>,
}

impl Tool for MemoryStore {
    const NAME: &'static str = "memory_store";
    const EFFECT: Effect = Effect::WRITE.idempotent();
    const ROLE: Role = Role::User;
    type Response = Data<Stored>;

    fn call(self, cx: &Context<'_>) -> Result<Data<Stored>> {
        let kind = self.memory_type.kind()?;
        if self.content.0.trim().is_empty() {
            return Err(blank(&self.content.0));
        }
        let new = NewMemory {
            origin: Origin::Learning,
            place: Place::Scope(scope::named(cx.engine, cx.caller, &self.namespace)?),
            kind,
            content: self.content.0,
            category: None,
            tags: Vec::new(),
            importance: self.importance.0,
            metadata: self.metadata.unwrap_or_default().0,
        };
        let given = new.content.clone();
        let kept = memory::remember_once(cx.engine, cx.caller, new, Sameness::Trimmed)?;
        let (memory, duplicate) = match kept {
            Remembered::New(memory) => (*memory, false),
            Remembered::Known(id) => (memory::get(cx.engine, cx.caller, id)?, true),
        };
        let conflicts =
            if duplicate { Vec::new() } else { conflict::of(cx, &memory, MemoryId::prefixed) };
        cx.kept("content", &given, &memory.content);
        Ok(Data::of(Stored {
            id: memory.id.prefixed(),
            content_hash: format!("sha256_{}", hex(&memory::hash(&memory.content).0)),
            namespace: memory.scope.namespace(),
            memory_type: memory.kind.name(),
            duplicate,
            conflicts,
            confidence: memory.confidence,
        }))
    }
}

/// Nothing but white space says nothing.
fn blank(content: &str) -> Error {
    Error::new(
        ErrorKind::InvalidValue,
        format!("content got {content:?}; it takes a text of 1 to 100000 characters"),
    )
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, text};

    #[test]
    fn a_new_memory_has_little_confidence_and_a_session_is_the_default() {
        check(
            r#"
            > memory_store {"content": "User prefers dark mode", "memory_type": "preference",
                "importance": 0.8, "metadata": {"from": "chat"}}
            < {"success": true, "data": {"id": "$id",
                "content_hash": "sha256_cb41542b3bdcaddb3f112b99e775536cb5fa1b2109dad094be11b5c60c1a31f0",
                "namespace": "global", "memory_type": "preference", "duplicate": false,
                "confidence": 0.3}}
            > memory_store {"content": "x"}
            < {"success": true, "data": {"memory_type": "session", "namespace": "global", "...": 0}}
            > memory_list {"memory_type": "preference"}
            < {"data": {"memories": [{"id": "$id", "importance": 0.8, "metadata": {"from": "chat"},
                "...": 0}], "...": 0}, "...": 0}
            > memory_list {"memory_type": "session"}
            < {"data": {"memories": [{"importance": 0.5, "...": 0}], "...": 0}, "...": 0}
            "#,
        );
    }

    #[test]
    fn white_space_is_nothing_to_remember() {
        check(
            r#"
            > memory_store {"content": " \n"}
            <! {"success": false, "error":
                "content got \" \\n\"; it takes a text of 1 to 100000 characters"}
            > memory_count {}
            < {"data": {"count": 0, "...": 0}, "...": 0}
            "#,
        );
    }

    #[test]
    fn the_same_content_in_the_same_namespace_is_a_duplicate() {
        check(
            r#"
            > memory_store {"content": "tabs", "memory_type": "fact"}
            < {"data": {"id": "$id", "duplicate": false, "content_hash": "$hash", "...": 0}, "...": 0}
            > memory_validate {"memory_id": "$id", "was_helpful": true}
            < {"success": true, "...": 0}
            > memory_store {"content": " tabs\n", "memory_type": "pattern"}
            < {"success": true, "data": {"id": "$id", "content_hash": "$hash", "namespace": "global",
                "memory_type": "fact", "duplicate": true, "confidence": 0.4}, "warnings":
                ["content was kept as \"tabs\", which is not what was given"]}
            > memory_store {"content": "tabs", "namespace": "default"}
            < {"data": {"duplicate": false, "namespace": "default", "...": 0}, "...": 0}
            > memory_store {"content": "tabs", "namespace": "project:me"}
            < {"data": {"duplicate": false, "namespace": "project:me", "...": 0}, "...": 0}
            > memory_count {}
            < {"data": {"count": 3, "...": 0}, "...": 0}
            "#,
        );
    }

    #[test]
    fn what_the_other_contracts_keep_is_a_duplicate_too() {
        check(
            r#"
            > memory_add {"content": "spaces"}
            < {"memoryId": "$id", "...": 0}
            > memory_store {"content": "spaces", "memory_type": "pattern"}
            < {"data": {"id": "$id", "duplicate": true, "memory_type": "fact", "...": 0}, "...": 0}
            "#,
        );
    }

    #[test]
    fn every_type_is_seen_by_the_other_contracts_and_theirs_here() {
        for (ours, theirs) in [
            ("preference", "core"),
            ("decision", "core"),
            ("fact", "core"),
            ("pattern", "learning"),
            ("session", "task"),
        ] {
            check(&format!(
                r#"
                > memory_store {{"content": "the kettle is blue", "memory_type": "{ours}",
                    "importance": 0.75}}
                < {{"data": {{"id": "$id", "...": 0}}, "...": 0}}
                > query_memories {{"type": "{theirs}"}}
                < {{"memories": [{{"id": "$id", "type": "{theirs}", "importance": "high", "...": 0}}],
                    "total": 1, "...": 0}}
                > memory_search {{"query": "kettle"}}
                < {{"results": [{{"memoryId": "$id", "layer": "user", "...": 0}}], "...": 0}}
                > store_memory {{"type": "{theirs}", "content": "the kettle is red", "id": "$id"}}
                < {{"created": false, "...": 0}}
                > memory_recall {{"query": "kettle"}}
                < {{"data": {{"memories": [{{"id": "$id", "memory_type": "{ours}",
                    "content": "the kettle is red", "...": 0}}], "...": 0}}, "...": 0}}
                "#
            ));
        }
        for (theirs, ours) in [("core", "fact"), ("learning", "pattern"), ("task", "session")] {
            check(&format!(
                r#"
                > store_memory {{"type": "{theirs}", "content": "the kettle is blue"}}
                < {{"id": "$id", "...": 0}}
                > memory_recall {{"query": "kettle"}}
                < {{"data": {{"memories": [{{"id": "$id", "memory_type": "{ours}", "importance": 0.5,
                    "confidence": 0.3, "namespace": "global", "...": 0}}], "...": 0}}, "...": 0}}
                "#
            ));
        }
    }

    #[test]
    fn a_golden_rule_is_not_stored() {
        check(
            r#"
            > memory_store {"content": "x", "memory_type": "golden_rule"}
            <! {"success": false, "error": "Invalid memory type: golden_rule"}
            > memory_store {"content": "x", "memory_type": "idea"}
            <! {"success": false, "error": "Invalid memory type: idea"}
            > memory_store {"content": "x", "memory_type": 7}
            <! {"success": false, "error":
                "memory_type got 7; it takes one of preference, decision, pattern, session, fact"}
            > memory_count {}
            < {"data": {"count": 0, "...": 0}, "...": 0}
            "#,
        );
    }

    #[test]
    fn a_namespace_is_one_of_ours() {
        check(
            r#"
            > memory_store {"content": "x", "namespace": "project:a b"}
            <! {"success": false, "error": "Invalid namespace: project:a b; it takes $*"}
            > memory_store {"content": "x", "namespace": "-docs"}
            <! {"success": false, "error": "Invalid namespace: -docs; it takes $*"}
            > memory_store {"content": "x", "namespace": "team:others"}
            <! {"success": false, "error": "Invalid namespace: team:others; it takes $*"}
            > memory_store {"content": "x", "namespace": "docs"}
            < {"data": {"namespace": "docs", "duplicate": false, "...": 0}, "...": 0}
            > memory_store {"content": "x", "namespace": "Docs"}
            < {"data": {"namespace": "Docs", "duplicate": false, "...": 0}, "...": 0}
            > memory_store {"content": "x", "namespace": "team:me"}
            < {"data": {"namespace": "team:me", "...": 0}, "...": 0}
            @ caller user=ada project=here
            > memory_store {"content": "x", "namespace": "project:there"}
            <! {"success": false, "error": "namespace project:there is closed to this caller"}
            > memory_store {"content": "x", "namespace": "project:here"}
            < {"success": true, "...": 0}
            "#,
        );
    }

    #[test]
    fn every_bound_holds_at_its_edge_and_one_past_it() {
        let metadata = |length: usize| serde_json::json!({"k": text(length - 8)});
        check(&format!(
            r#"
            > memory_store {{"content": "{}"}}
            < {{"success": true, "...": 0}}
            > memory_store {{"content": "{}"}}
            <! {{"success": false, "error": "content got a text of 100001 characters; it takes a text of 1 to 100000 characters"}}
            > memory_store {{"content": ""}}
            <! {{"success": false, "error": "content got \"\"; it takes a text of 1 to 100000 characters"}}
            > memory_store {{}}
            <! {{"success": false, "error": "content is missing; it takes a text of 1 to 100000 characters"}}
            > memory_store {{"content": "a", "importance": 0}}
            < {{"success": true, "...": 0}}
            > memory_store {{"content": "b", "importance": 1}}
            < {{"success": true, "...": 0}}
            > memory_store {{"content": "c", "importance": 1.01}}
            <! {{"success": false, "error": "importance got 1.01; it takes a number from 0 to 1"}}
            > memory_store {{"content": "d", "importance": -0.01}}
            <! {{"success": false, "error": "$*"}}
            > memory_store {{"content": "e", "metadata": {}}}
            < {{"success": true, "...": 0}}
            > memory_store {{"content": "f", "metadata": {}}}
            <! {{"success": false, "error": "$*"}}
            > memory_store {{"content": "g", "metadata": []}}
            <! {{"success": false, "error": "metadata got []; it takes an object"}}
            > memory_store {{"content": "h", "namespace": 1}}
            <! {{"success": false, "error": "namespace got 1; it takes a text"}}
            > memory_count {{}}
            < {{"data": {{"count": 4, "...": 0}}, "...": 0}}
            "#,
            text(100_000),
            text(100_001),
            metadata(100_000),
            metadata(100_001),
        ));
    }

    #[test]
    fn a_guest_may_not_store() {
        check(
            r#"
            @ caller user=ada role=guest
            > memory_store {"content": "x"}
            <! {"success": false, "error": "memory_store needs the role user; this caller is guest"}
            > memory_count {}
            < {"data": {"count": 0, "...": 0}, "...": 0}
            "#,
        );
    }
}
