//! `get_decision_history`.

use engine::{Result, record};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{DecisionView, IdText, Ns, preview};
use crate::caution;
use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::DateTime;

/// Get how a decision came to be: every version that was superseded on the way.
///
/// # When to use
/// To understand why something is as it is, or what was tried before.
///
/// # Usage
/// ```json
/// {"fid": "000000000003", "namespace": "backend"}
/// ```
///
/// # Returns
/// `current`, the newest of the chain, whichever of its links was asked for, and `history`, the ones
/// before it, oldest first: when and by which one each was superseded, and the `reason` of that.
///
/// # Errors
/// NOT_FOUND for an unknown `fid`.
///
/// # Related
/// `record::history`: `get_decisions` shows the current state.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetDecisionHistory {
    /// Decision ID
    fid: IdText,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DecisionHistory {
    current: DecisionView,
    history: Vec<PastView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PastView {
    fid: String,
    title: String,
    target: String,
    rationale: String,
    status: &'static str,
    superseded_at: DateTime,
    superseded_by: String,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl Tool for GetDecisionHistory {
    const NAME: &'static str = "get_decision_history";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const PACE: Pace = Pace::Quick;
    type Response = DecisionHistory;

    fn call(self, cx: &Context<'_>) -> Result<DecisionHistory> {
        let namespace = self.namespace.read(cx.caller);
        let id = self.fid.record(namespace.named())?;
        let found = record::history(cx.engine, &namespace, id)?;
        let next = found.past.iter().skip(1).chain([&found.current]);
        let history = found.past.iter().zip(next).map(|(past, next)| {
            let caution = caution::of_record(cx, past);
            let (past, next) = (&past.record, &next.record);
            PastView {
                fid: past.id.to_string(),
                title: past.title.clone(),
                target: past.target.clone(),
                rationale: past.rationale.clone(),
                status: past.status.name(),
                superseded_at: past.superseded_at.unwrap_or(next.created_at).into(),
                superseded_by: next.id.to_string(),
                reason: preview(&next.rationale),
                caution,
            }
        });
        let history = history.collect();
        Ok(DecisionHistory { current: DecisionView::of(cx, found.current), history })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{POSTGRES, recorded, refused};
    use crate::testing::check;

    #[test]
    fn a_chain_is_told_from_any_of_its_links() {
        let mut steps = vec![recorded("$1", POSTGRES)];
        for (old, new, title) in
            [("$1", "$2", "Second"), ("$2", "$3", "Third"), ("$3", "$4", "Fourth")]
        {
            steps.push(format!(
                r#"> supersede_decision {{"fid": "{old}", "title": "{title}", "target": "database",
                    "rationale": "Because of the {title}."}}
                < {{"new_fid": "{new}", "...": 0}}
                "#
            ));
        }
        for fid in ["$1", "$2", "$3", "$4"] {
            steps.push(format!(
                r#"> get_decision_history {{"fid": "{fid}"}}
                < {{"current": {{"fid": "$4", "title": "Fourth", "status": "active", "supersedes": "$3",
                    "created_at": "$at4", "target": "database", "phase": "pattern", "...": 0}},
                  "history": [
                    {{"fid": "$1", "title": "Use PostgreSQL for production", "target": "database",
                      "rationale": "ACID compliance and proven reliability under load.", "status": "superseded",
                      "superseded_at": "$at2", "superseded_by": "$2", "reason": "Because of the Second."}},
                    {{"fid": "$2", "superseded_at": "$at3", "superseded_by": "$3", "reason": "Because of the Third.", "...": 0}},
                    {{"fid": "$3", "superseded_at": "$at4", "superseded_by": "$4", "reason": "Because of the Fourth.", "...": 0}}]}}
                "#
            ));
        }
        steps.push("> get_decisions {\"fid\": \"$2\"}\n< {\"decisions\": [{\"created_at\": \"$at2\", \"...\": 0}], \"...\": 0}".to_owned());
        check(&steps.concat());
    }

    #[test]
    fn a_record_of_its_own_has_no_history() {
        let record = recorded("$fid", POSTGRES);
        check(&format!(
            r#"{record}
            > get_decision_history {{"fid": "$fid"}}
            < {{"current": {{"fid": "$fid", "path": "$*.md", "...": 0}}, "history": []}}
            # Somebody may say that it is superseded without saying by what.
            > update_decision {{"fid": "$fid", "status": "superseded"}}
            < {{"...": 0}}
            > get_decision_history {{"fid": "$fid"}}
            < {{"current": {{"fid": "$fid", "status": "superseded", "...": 0}}, "history": []}}
            "#
        ));
    }

    #[test]
    fn the_unknown_is_not_found() {
        let refused = |arguments: &str, status| refused("get_decision_history", arguments, status);
        check(
            &[
                recorded("$fid", POSTGRES),
                refused(r#"{"fid": "ffffffffffff"}"#, 404),
                refused(r#"{"fid": "old_xyz789"}"#, 404),
                refused(r#"{"fid": "$fid", "namespace": "other"}"#, 404),
                refused(r#"{"fid": {}}"#, 422),
                refused(r#"{"fid": "$fid", "namespace": "a/b"}"#, 422),
                refused("{}", 400),
            ]
            .concat(),
        );
    }
}
