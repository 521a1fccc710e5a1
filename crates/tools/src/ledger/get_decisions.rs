//! `get_decisions`.

use engine::Result;
use engine::record::{self, RecordFilter};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{DecisionView, IdText, Kind, Ns, Status, target};
use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::Int;

/// Get decisions by id, status, kind or target.
///
/// # When to use
/// To read one whole, or to list them. To search by relevance, use `search_decisions`.
///
/// # Usage
/// ```json
/// {"status": "active", "target": "database", "namespace": "backend", "limit": 10}
/// ```
///
/// # Returns
/// `decisions`, newest first, whatever their status, and `total` of all that match. Filters are ANDed.
///
/// # Errors
/// NOT_FOUND for an unknown `fid`; UNPROCESSABLE_ENTITY for a wrong filter.
///
/// # Related
/// `record::get`: `search_decisions` finds by meaning, `get_decision_history` tells how one came to
/// be.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetDecisions {
    /// Specific decision ID
    fid: Option<IdText>,
    /// Filter by status
    status: Option<Status>,
    /// Filter by kind
    kind: Option<Kind>,
    /// Filter by target
    target: Option<String>,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
    /// Maximum results
    #[serde(default)]
    limit: Int<1, 100, 20>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Decisions {
    decisions: Vec<DecisionView>,
    total: u64,
}

impl Tool for GetDecisions {
    const NAME: &'static str = "get_decisions";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const PACE: Pace = Pace::Quick;
    type Response = Decisions;

    fn call(self, cx: &Context<'_>) -> Result<Decisions> {
        let namespace = self.namespace.read(cx.caller);
        let id = self.fid.map(|fid| fid.record(namespace.named())).transpose()?;
        let filter = RecordFilter {
            namespace,
            kind: self.kind.map(Into::into),
            status: self.status.map(Into::into),
            target: target(self.target)?,
        };
        let (found, total) = record::get(cx.engine, id, &filter, self.limit.0)?;
        let decisions = found.into_iter().map(|one| DecisionView::of(cx, one)).collect();
        Ok(Decisions { decisions, total })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{POSTGRES, recorded, refused};
    use crate::testing::check;

    fn four() -> String {
        [
            recorded("$a", POSTGRES),
            recorded(
                "$b",
                r#"{"title": "Log in JSON", "target": "logs", "rationale": "Machines read them."}"#,
            ),
            recorded(
                "$c",
                r#"{"kind": "constraint", "title": "Keep logs for 30 days", "target": "logs",
                "rationale": "Longer costs money."}"#,
            ),
            recorded(
                "$d",
                r#"{"kind": "proposal", "title": "Log to a file", "target": "logs",
                "rationale": "It is simple."}"#,
            ),
            recorded("$other", &POSTGRES.replacen('{', r#"{"namespace": "other", "#, 1)),
        ]
        .concat()
    }

    #[test]
    fn filters_are_anded_and_the_newest_comes_first() {
        let four = four();
        check(&format!(
            r#"{four}
            > get_decisions {{}}
            < {{"decisions": [{{"fid": "$d", "...": 0}}, {{"fid": "$c", "...": 0}}, {{"fid": "$b", "...": 0}},
                {{"fid": "$a", "...": 0}}], "total": 4}}
            > get_decisions {{"limit": 2}}
            < {{"decisions": [{{"fid": "$d", "...": 0}}, {{"fid": "$c", "...": 0}}], "total": 4}}
            > get_decisions {{"target": "logs", "limit": 1}}
            < {{"decisions": [{{"fid": "$d", "...": 0}}], "total": 3}}
            > get_decisions {{"target": "logs", "status": "active"}}
            < {{"decisions": [{{"fid": "$c", "...": 0}}, {{"fid": "$b", "...": 0}}], "total": 2}}
            > get_decisions {{"target": "logs", "status": "active", "kind": "decision"}}
            < {{"decisions": [{{"fid": "$b", "...": 0}}], "total": 1}}
            > get_decisions {{"kind": "proposal"}}
            < {{"decisions": [{{"fid": "$d", "...": 0}}], "total": 1}}
            > get_decisions {{"target": "nothing"}}
            < {{"decisions": [], "total": 0}}
            > get_decisions {{"namespace": "other"}}
            < {{"decisions": [{{"fid": "$other", "namespace": "other", "...": 0}}], "total": 1}}
            > get_decisions {{"namespace": "nobody"}}
            < {{"decisions": [], "total": 0}}
            > get_decisions {{"fid": "$b"}}
            < {{"decisions": [{{"fid": "$b", "...": 0}}], "total": 1}}
            > get_decisions {{"fid": "$b", "kind": "decision", "status": "active", "target": "logs"}}
            < {{"decisions": [{{"fid": "$b", "...": 0}}], "total": 1}}
            > get_decisions {{"fid": "$b", "kind": "proposal"}}
            < {{"decisions": [], "total": 0}}
            > get_decisions {{"fid": null, "status": null, "kind": null, "target": null, "limit": 100, "order": "x"}}
            < {{"total": 4, "...": 0}}
            # An update does not make it newer.
            > update_decision {{"fid": "$a", "status": "deprecated"}}
            < {{"...": 0}}
            > get_decisions {{"limit": 1}}
            < {{"decisions": [{{"fid": "$d", "...": 0}}], "total": 4}}
            > get_decisions {{"status": "deprecated"}}
            < {{"decisions": [{{"fid": "$a", "...": 0}}], "total": 1}}
            "#
        ));
    }

    #[test]
    fn the_unknown_and_the_wrong_are_refused() {
        let refused = |arguments: &str, status| refused("get_decisions", arguments, status);
        check(
            &[
                four(),
                refused(r#"{"fid": "ffffffffffff"}"#, 404),
                refused(r#"{"fid": "abc123"}"#, 404),
                refused(r#"{"fid": "$other"}"#, 404),
                refused(r#"{"fid": "$a", "namespace": "other"}"#, 404),
                refused(r#"{"status": "open"}"#, 422),
                refused(r#"{"kind": "rule"}"#, 422),
                refused(r#"{"target": "No Target"}"#, 422),
                refused(r#"{"limit": 0}"#, 422),
                refused(r#"{"limit": 101}"#, 422),
                refused(r#"{"limit": 1.5}"#, 422),
                refused(r#"{"fid": 1}"#, 422),
                refused(r#"{"namespace": " "}"#, 422),
            ]
            .concat(),
        );
    }
}
