//! `sync_now`.

use engine::Result;
use engine::knowledge::{self, Narrow, Synced};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Layer, Type};
use crate::tool::{Context, Effect, Tool};

/// So many of the failures are told in words.
const TOLD_MAX: usize = 5;

/// Make `memory_search` find the knowledge items as their files are now.
///
/// # When to use
/// After significant knowledge updates, or if memories seem out of date with policies. The
/// `knowledge_*` tools read the files themselves and need no sync.
///
/// # Usage
/// ```json
/// {"types": ["policy"], "layers": ["company", "org"]}
/// ```
///
/// # Returns
/// Counts of items added, updated, deleted, unchanged and failed; a `message` that names files that
/// failed, and accepted ADRs whose text was changed. `force` syncs the unchanged too; `types` and
/// `layers` leave the others as they are.
///
/// # Errors
/// `PROVIDER_ERROR` if it could not be written: then the former state stands.
///
/// # Related
/// `knowledge::sync`: `sync_status` tells what it would find.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SyncNow {
    /// Ignore delta detection
    #[serde(default)]
    force: bool,
    /// Only these types
    types: Option<Vec<Type>>,
    /// Only these layers
    layers: Option<Vec<Layer>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SyncNowResponse {
    success: bool,
    result: Counts,
    duration_ms: f64,
    message: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Counts {
    added: u64,
    updated: u64,
    deleted: u64,
    unchanged: u64,
    failures: u64,
}

impl Tool for SyncNow {
    const NAME: &'static str = "sync_now";
    const EFFECT: Effect = Effect::WRITE.idempotent();
    const ROLE: Role = Role::User;
    type Response = SyncNowResponse;

    fn call(self, cx: &Context<'_>) -> Result<SyncNowResponse> {
        let narrow = Narrow {
            kinds: self.types.unwrap_or_default().into_iter().map(Into::into).collect(),
            layers: self.layers.unwrap_or_default().into_iter().map(Into::into).collect(),
            force: self.force,
        };
        let synced = knowledge::sync(cx.engine, cx.caller, &narrow)?;
        let knowledge::Counts { added, updated, deleted, unchanged, failures } = synced.counts;
        Ok(SyncNowResponse {
            success: true,
            result: Counts { added, updated, deleted, unchanged, failures },
            duration_ms: synced.micros as f64 / 1e3,
            message: told(&synced),
        })
    }
}

fn told(synced: &Synced) -> String {
    let knowledge::Counts { added, updated, deleted, unchanged, failures } = synced.counts;
    let mut told =
        format!("{added} added, {updated} updated, {deleted} deleted, {unchanged} unchanged");
    if failures > 0 {
        let some = synced.failures.iter().take(TOLD_MAX);
        let some: Vec<String> = some.map(|(path, why)| format!("{path}: {why}")).collect();
        told.push_str(&format!("; {failures} failed: {}", some.join(" | ")));
    }
    if failures > TOLD_MAX as u64 {
        told.push_str(" | …");
    }
    if !synced.altered.is_empty() {
        let ids = synced.altered.join(", ");
        told.push_str(&format!(
            "; accepted, and its text changed since: {ids} (what is accepted is superseded, not edited)"
        ));
    }
    if synced.secrets > 0 {
        told.push_str(&format!("; secrets: {} redacted", synced.secrets));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::super::testing::{DATABASE, item, policy};
    use crate::testing::{Bench, check};

    #[test]
    fn items_are_added_changed_and_deleted_as_their_files_are() {
        let (logs, longer) = (
            item("policy", "logs", "accepted", "Logs are kept for a year"),
            item("policy", "logs", "accepted", "Logs are kept for ten years"),
        );
        check(&format!(
            r#"
            {DATABASE}
            {logs}
            > sync_now {{}}
            < {{"success": true, "result": {{"added": 2, "updated": 0, "deleted": 0, "unchanged": 0, "failures": 0}},
                "durationMs": "$*", "message": "2 added, 0 updated, 0 deleted, 0 unchanged"}}
            > sync_now {{}}
            < {{"result": {{"added": 0, "updated": 0, "deleted": 0, "unchanged": 2, "failures": 0}}, "...": 0}}
            {longer}
            > knowledge_query {{"query": "logs"}}
            < {{"totalCount": 1, "...": 0}}
            > sync_now {{}}
            < {{"result": {{"added": 0, "updated": 1, "deleted": 0, "unchanged": 1, "failures": 0}}, "...": 0}}
            @ no file company/logs.md
            > sync_now {{}}
            < {{"result": {{"added": 0, "updated": 0, "deleted": 1, "unchanged": 1, "failures": 0}}, "...": 0}}
            > sync_now {{"force": true}}
            < {{"result": {{"added": 0, "updated": 0, "deleted": 0, "unchanged": 1, "failures": 0}}, "...": 0}}
            > sync_status {{}}
            < {{"healthy": true, "lastSyncAt": "$*Z", "timeSinceSync": "$*ago", "failedItems": 0,
                "stats": {{"totalSyncs": 5, "totalItemsSynced": 5, "avgSyncDurationMs": "$*"}}}}
            "#
        ));
    }

    #[test]
    fn memory_search_surfaces_an_item_in_its_layer_until_it_goes() {
        check(&format!(
            r#"
            {DATABASE}
            > memory_search {{"query": "which database for new services?"}}
            < {{"results": [], "...": 0}}
            > sync_now {{}}
            < {{"...": 0}}
            > memory_search {{"query": "which database for new services?"}}
            < {{"results": [{{"content": "Database Selection for New Services\nUse PostgreSQL for all new services requiring relational data\n- must_not_use dependency mysql|mysql2|mariadb: MySQL not allowed for new services per ADR-042. Use PostgreSQL instead.\n(adr adr-042-database-selection, accepted)",
                "layer": "org", "score": "$*", "memoryId": "$pointer", "tags": ["database", "infrastructure"]}}], "...": 0}}
            > memory_search {{"query": "which database for new services?", "layers": ["project"]}}
            < {{"results": [], "...": 0}}
            > memory_recall {{"query": "which database for new services?"}}
            < {{"data": {{"memories": [{{"id": "$pointer", "...": 0}}], "...": 0}}, "...": 0}}
            > memory_delete {{"memoryId": "$pointer"}}
            <! {{"errorCode": "UNAUTHORIZED", "message": "$*adr-042-database-selection$*change the item's file", "...": 0}}
            > update_memory {{"id": "$pointer", "content": "Use MySQL"}}
            <! {{"...": 0}}
            @ no file orgs/me/adrs/adr-042-database-selection.md
            > sync_now {{}}
            < {{"result": {{"deleted": 1, "...": 0}}, "...": 0}}
            > memory_search {{"query": "which database for new services?"}}
            < {{"results": [], "...": 0}}
            "#
        ));
    }

    #[test]
    fn what_is_narrowed_away_is_not_deleted() {
        let logs = item("policy", "logs", "accepted", "Logs are kept for a year");
        check(&format!(
            r#"
            {DATABASE}
            {logs}
            > sync_now {{"types": ["policy"]}}
            < {{"result": {{"added": 1, "updated": 0, "deleted": 0, "unchanged": 0, "failures": 0}}, "...": 0}}
            > sync_now {{"layers": ["org"]}}
            < {{"result": {{"added": 1, "updated": 0, "deleted": 0, "unchanged": 0, "failures": 0}}, "...": 0}}
            @ no file company/logs.md
            > sync_now {{"types": ["adr"]}}
            < {{"result": {{"added": 0, "updated": 0, "deleted": 0, "unchanged": 1, "failures": 0}}, "...": 0}}
            > sync_now {{"layers": ["company"]}}
            < {{"result": {{"added": 0, "updated": 0, "deleted": 1, "unchanged": 0, "failures": 0}}, "...": 0}}
            > sync_now {{"types": ["memo"]}}
            <! {{"errorCode": "INVALID_INPUT", "...": 0}}
            "#
        ));
    }

    #[test]
    fn one_broken_file_is_one_failure_and_the_rest_goes_on() {
        let broken =
            policy("broken", "block", r"{operator: must_not_use, target: code, pattern: '('}");
        let mended =
            policy("broken", "block", r"{operator: must_not_use, target: code, pattern: x}");
        let logs = item("policy", "logs", "accepted", "Logs are kept for a year");
        check(&format!(
            r#"
            {broken}
            {logs}
            @ file company/half.md
            | ---
            | type: policy
            | status: maybe
            | ---
            @ file company/readme.md
            | Not an item.
            > sync_now {{}}
            < {{"success": true, "result": {{"added": 1, "updated": 0, "deleted": 0, "unchanged": 0, "failures": 2}},
                "message": "1 added, 0 updated, 0 deleted, 0 unchanged; 2 failed: company/half.md: $*status$*maybe$* | company/policies/broken.md: line 5: $*", "...": 0}}
            > sync_status {{}}
            < {{"healthy": false, "failedItems": 2, "...": 0}}
            {mended}
            @ no file company/half.md
            > sync_status {{}}
            < {{"healthy": false, "failedItems": 2, "...": 0}}
            > sync_now {{}}
            < {{"result": {{"added": 1, "unchanged": 1, "failures": 0, "...": 0}}, "...": 0}}
            {broken}
            > sync_now {{}}
            < {{"result": {{"added": 0, "updated": 0, "deleted": 0, "unchanged": 1, "failures": 1}}, "...": 0}}
            > sync_status {{}}
            < {{"healthy": false, "failedItems": 1, "...": 0}}
            "#
        ));
    }

    #[test]
    fn the_later_file_of_an_id_fails_and_takes_nothing_from_the_first() {
        let (first, second) = (
            item("policy", "logs", "accepted", "The first"),
            item("policy", "zlogs", "accepted", "x"),
        );
        check(&format!(
            r#"
            {first}
            {second}
            @ file projects/me/policies/a.md
            | ---
            | id: logs
            | status: accepted
            | ---
            | # The second
            > sync_now {{}}
            < {{"result": {{"added": 2, "failures": 1, "...": 0}},
                "message": "$*projects/me/policies/a.md: `id` \"logs\" is that of company/logs.md already$*", "...": 0}}
            > knowledge_show {{"id": "logs"}}
            < {{"item": {{"title": "The first", "layer": "company", "...": 0}}, "...": 0}}
            "#
        ));
    }

    #[test]
    fn an_accepted_adr_that_was_edited_is_told_until_that_is_undone() {
        let edited = DATABASE.replace("everywhere else", "almost everywhere");
        check(&format!(
            r#"
            {DATABASE}
            > sync_now {{}}
            < {{"message": "1 added, 0 updated, 0 deleted, 0 unchanged", "...": 0}}
            {edited}
            > sync_now {{}}
            < {{"result": {{"updated": 1, "...": 0}}, "message": "$*accepted, and its text changed since: adr-042-database-selection$*", "...": 0}}
            > sync_now {{}}
            < {{"result": {{"unchanged": 1, "...": 0}}, "message": "$*changed since: adr-042$*", "...": 0}}
            {DATABASE}
            > sync_now {{}}
            < {{"message": "0 added, 1 updated, 0 deleted, 0 unchanged", "...": 0}}
            "#
        ));
    }

    #[test]
    fn what_is_of_the_past_is_not_surfaced() {
        let old = item("policy", "logs", "superseded", "Logs are kept for a year");
        check(&format!(
            r#"
            {old}
            > sync_now {{}}
            < {{"result": {{"added": 1, "...": 0}}, "...": 0}}
            > memory_search {{"query": "how long are logs kept?", "threshold": 0}}
            < {{"results": [], "...": 0}}
            "#
        ));
    }

    #[test]
    fn owners_sync_and_find_what_is_theirs() {
        let of = |owner: &str| {
            format!(
                "@ file orgs/{owner}/policies/{owner}.md\n| ---\n| status: accepted\n| ---\n| # Lunch is at noon at {owner}\n"
            )
        };
        let (acme, globex) = (of("acme"), of("globex"));
        check(&format!(
            r#"
            {acme}
            {globex}
            @ caller user=ada org=acme
            > sync_now {{}}
            < {{"result": {{"added": 1, "...": 0}}, "...": 0}}
            @ caller user=bob org=globex
            > memory_search {{"query": "when is lunch?", "threshold": 0}}
            < {{"results": [], "...": 0}}
            > sync_now {{}}
            < {{"result": {{"added": 1, "deleted": 0, "...": 0}}, "...": 0}}
            > memory_search {{"query": "when is lunch?", "threshold": 0}}
            < {{"results": [{{"content": "Lunch is at noon at globex$*", "...": 0}}], "...": 0}}
            @ caller user=eve role=guest
            > sync_now {{}}
            <! {{"errorCode": "UNAUTHORIZED", "...": 0}}
            "#
        ));
    }

    #[test]
    fn two_files_of_one_id_in_two_layers_are_told_by_the_status_too() {
        let file = |place: &str| {
            format!(
                "@ file {place}\n| ---\n| id: twice\n| status: accepted\n| ---\n| # Twice\n|\n| Text.\n"
            )
        };
        let (one, other) = (file("orgs/me/adrs/a.md"), file("teams/me/adrs/b.md"));
        check(&format!(
            r#"
            {one}
            {other}
            > sync_status {{}}
            < {{"healthy": true, "failedItems": 0, "...": 0}}
            > sync_now {{}}
            < {{"result": {{"failures": 1, "...": 0}}, "...": 0}}
            > sync_status {{}}
            < {{"healthy": false, "failedItems": 1, "...": 0}}
            "#
        ));
    }

    #[test]
    fn what_was_synced_is_known_after_a_restart() {
        let mut bench = Bench::new();
        bench.run(&format!("{DATABASE}\n> sync_now {{}}\n< {{\"...\": 0}}"));
        bench.restart();
        bench.run(
            r#"
            > sync_status {}
            < {"healthy": true, "stats": {"totalSyncs": 1, "totalItemsSynced": 1, "...": 0}, "...": 0}
            > sync_now {}
            < {"result": {"added": 0, "unchanged": 1, "...": 0}, "...": 0}
            "#,
        );
    }
}
