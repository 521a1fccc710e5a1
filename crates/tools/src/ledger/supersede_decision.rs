//! `supersede_decision`.

use engine::Result;
use engine::record::{self, NewRecord};
use model::Role;
use model::record::{REASON_CHARS_MIN, TITLE_CHARS_MIN};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record_decision::confidence;
use super::words::{IdText, Ns, Target};
use crate::tool::{Context, Effect, Tool};
use crate::wire::{Fraction, Text, Texts};

/// Put a new decision in the place of one that holds.
///
/// # When to use
/// When a decision changes: the old one stays readable and says what took its place.
///
/// # Usage
/// ```json
/// {"fid": "000000000003", "title": "Use PostgreSQL 15 with UUID keys", "target": "database", "rationale": "UUID keys avoid conflicts between regions.", "namespace": "backend"}
/// ```
///
/// # Returns
/// `new_fid`, `old_fid` and `status` `superseded`. The kind, the phase and the links to evidence go
/// over to the new one; both files change in one commit.
///
/// # Errors
/// NOT_FOUND; CONFLICT if it is not active; FORBIDDEN if only people may change it; BAD_REQUEST or
/// UNPROCESSABLE_ENTITY for a missing or wrong field.
///
/// # Related
/// `record::supersede`: `update_decision` mends without a successor, `get_decision_history` shows
/// the chain.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SupersedeDecision {
    /// Decision ID to supersede
    fid: IdText,
    /// New title
    title: Text<TITLE_CHARS_MIN, 300>,
    /// Target component
    target: Target,
    /// New rationale
    rationale: Text<REASON_CHARS_MIN, 50_000>,
    /// New consequences
    consequences: Option<Texts<0, 5_000, 100>>,
    /// New confidence
    #[serde(default = "confidence")]
    confidence: Fraction,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DecisionSuperseded {
    new_fid: String,
    old_fid: String,
    #[schemars(extend("enum" = ["superseded"]))]
    status: &'static str,
    message: &'static str,
}

impl Tool for SupersedeDecision {
    const NAME: &'static str = "supersede_decision";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::Admin;
    type Response = DecisionSuperseded;

    fn call(self, cx: &Context<'_>) -> Result<DecisionSuperseded> {
        let namespace = self.namespace.write(cx.caller)?;
        let old = self.fid.record(namespace.namespace())?;
        let new = NewRecord {
            namespace,
            kind: model::RecordKind::Decision,
            title: self.title.0,
            target: self.target.0,
            rationale: self.rationale.0,
            consequences: self.consequences.map_or_else(Vec::new, |list| list.0),
            confidence: self.confidence.0,
            phase: model::Phase::Pattern,
        };
        let done = record::supersede(cx.engine, cx.caller, old, &new)?;
        cx.kept("title", &new.title, &done.new.title);
        Ok(DecisionSuperseded {
            new_fid: done.new.id.to_string(),
            old_fid: done.old.id.to_string(),
            status: "superseded",
            message: "Decision superseded successfully",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{POSTGRES, counted, happened, recorded, refused};
    use crate::testing::{check, text};

    const NEW: &str = r#""title": "Use PostgreSQL 15", "target": "storage",
        "rationale": "It is faster.", "consequences": ["Upgrade"], "confidence": 0.95"#;

    #[test]
    fn the_new_one_takes_the_place_and_the_evidence_of_the_old_one() {
        let (record, event) = (
            recorded(
                "$old",
                &POSTGRES.replacen('{', r#"{"kind": "constraint", "phase": "canonical", "#, 1),
            ),
            happened("$event"),
        );
        check(&format!(
            r#"{record}{event}
            > link_evidence {{"event_id": "$event", "decision_ids": ["$old"]}}
            < {{"...": 0}}
            > supersede_decision {{"fid": "$old", {NEW}}}
            < {{"new_fid": "$new", "old_fid": "$old", "status": "superseded",
                "message": "Decision superseded successfully"}}
            > get_decisions {{}}
            < {{"decisions": [
                {{"fid": "$new", "title": "Use PostgreSQL 15", "target": "storage", "rationale": "It is faster.",
                  "consequences": ["Upgrade"], "confidence": 0.95, "kind": "constraint", "phase": "canonical",
                  "status": "active", "evidence": ["$event"], "supersedes": "$old", "namespace": "default",
                  "path": "$*/default/00/constraint_000000000005.md", "created_at": "$at", "updated_at": "$at"}},
                {{"fid": "$old", "title": "Use PostgreSQL for production", "target": "database",
                  "status": "superseded", "superseded_by": "$new", "evidence": ["$event"], "confidence": 0.96,
                  "path": "$*/default/00/superseded_constraint_000000000001.md", "updated_at": "$at", "...": 0}}],
                "total": 2}}
            > get_recent_events {{"limit": 1}}
            < {{"events": [{{"kind": "constraint_change", "linked_ids": ["$new", "$old"],
                "description": "Superseded constraint 000000000001: Use PostgreSQL for production → Use PostgreSQL 15",
                "...": 0}}], "total": 4}}
            # An event of before speaks for the new one already.
            > link_evidence {{"event_id": "$event", "decision_ids": ["$new"]}}
            <! {{"error": {{"code": "CONFLICT", "...": 0}}}}
            # Both changes were committed: there is nothing left to commit.
            > sync_git {{}}
            < {{"files_committed": 0, "...": 0}}
            "#
        ));
    }

    #[test]
    fn a_title_may_stay_and_what_is_not_given_starts_anew() {
        let record = recorded("$old", POSTGRES);
        check(&format!(
            r#"{record}
            > supersede_decision {{"fid": "$old", "title": "Use PostgreSQL for production", "target": "database",
                "rationale": "Reliability, as before, and UUID keys."}}
            < {{"new_fid": "$new", "...": 0}}
            > get_decisions {{"status": "active"}}
            < {{"decisions": [{{"fid": "$new", "kind": "decision", "phase": "pattern", "confidence": 0.8,
                "consequences": [], "evidence": [], "...": 0}}], "total": 1}}
            > get_decisions {{"fid": "$old"}}
            < {{"decisions": [{{"path": "$*/superseded_decision_000000000001.md", "...": 0}}], "total": 1}}
            "#
        ));
    }

    #[test]
    fn only_what_holds_can_be_superseded() {
        let again = format!(r#"{{"fid": "$old", {NEW}}}"#);
        let mut steps = vec![
            recorded("$old", POSTGRES),
            format!("> supersede_decision {again}\n< {{\"...\": 0}}\n"),
            refused("supersede_decision", &again, 409),
            counted(2, 2),
        ];
        for status in ["deprecated", "rejected", "draft"] {
            steps.push(format!("> update_decision {{\"fid\": \"$old\", \"status\": \"{status}\"}}\n< {{\"...\": 0}}\n"));
            steps.push(refused("supersede_decision", &again, 409));
        }
        steps.push(recorded("$draft", &POSTGRES.replacen('{', r#"{"kind": "proposal", "#, 1)));
        steps.push(refused("supersede_decision", &again.replace("$old", "$draft"), 409));
        steps.push(counted(3, 6));
        check(&steps.concat());
    }

    #[test]
    fn the_unknown_and_the_wrong_are_refused_and_change_nothing() {
        let call = |fid: &str, title: &str, more: &str| {
            format!(
                r#"{{"fid": "{fid}", "title": "{title}", "target": "t", "rationale": "0123456789"{more}}}"#
            )
        };
        let refused = |arguments: &str, status| refused("supersede_decision", arguments, status);
        check(
            &[
                recorded("$old", POSTGRES),
                refused(&call("ffffffffffff", "abc", ""), 404),
                refused(&call("nonsense", "abc", ""), 404),
                refused(&call("", "abc", ""), 404),
                refused(&call("$old", "abc", r#", "namespace": "other""#), 404),
                refused(&call("$old", "ab", ""), 422),
                refused(&call("$old", &text(301), ""), 422),
                refused(&call("$old", "   ", ""), 422),
                refused(&call("$old", "abc", r#", "confidence": 1.1"#), 422),
                refused(&call("$old", "abc", r#", "namespace": "a/b""#), 422),
                refused(
                    r#"{"fid": 7, "title": "abc", "target": "t", "rationale": "0123456789"}"#,
                    422,
                ),
                refused(
                    r#"{"fid": "$old", "title": "abc", "target": "A", "rationale": "0123456789"}"#,
                    422,
                ),
                refused(
                    r#"{"fid": "$old", "title": "abc", "target": "t", "rationale": "012345678"}"#,
                    422,
                ),
                refused(r#"{"title": "abc", "target": "t", "rationale": "0123456789"}"#, 400),
                refused(r#"{"fid": "$old", "title": "abc", "target": "t"}"#, 400),
                counted(1, 1),
                "> get_decisions {\"status\": \"active\"}\n< {\"total\": 1, \"...\": 0}".to_owned(),
            ]
            .concat(),
        );
    }
}
