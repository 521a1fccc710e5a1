//! `update_decision`.

use engine::record::{self, Patch};
use engine::{Error, ErrorKind, Result};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{IdText, Ns, Phase, Status};
use crate::tool::{Context, Effect, Tool};
use crate::wire::Fraction;

/// Set a decision's confidence, status or phase.
///
/// # When to use
/// When what a decision says stays, but how sure or settled it is changes. To change what it says, use
/// `supersede_decision`.
///
/// # Usage
/// ```json
/// {"fid": "000000000003", "confidence": 0.95, "namespace": "backend"}
/// ```
///
/// # Returns
/// `updated_fields`: those that were given. The rest stays; one git commit.
///
/// # Errors
/// BAD_REQUEST if nothing is to be set; NOT_FOUND; FORBIDDEN if only people may change it;
/// UNPROCESSABLE_ENTITY for a wrong value.
///
/// # Related
/// `record::update`: `supersede_decision` replaces a decision that no longer holds.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct UpdateDecision {
    /// Decision ID to update
    fid: IdText,
    /// New confidence score
    confidence: Option<Fraction>,
    /// New status
    status: Option<Status>,
    /// New phase
    phase: Option<Phase>,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DecisionUpdated {
    fid: String,
    updated_fields: Vec<&'static str>,
    message: &'static str,
}

impl Tool for UpdateDecision {
    const NAME: &'static str = "update_decision";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::Admin;
    const IS_PATCH: bool = true;
    type Response = DecisionUpdated;

    fn call(self, cx: &Context<'_>) -> Result<DecisionUpdated> {
        let given = [
            ("confidence", self.confidence.is_some()),
            ("status", self.status.is_some()),
            ("phase", self.phase.is_some()),
        ];
        let updated_fields: Vec<_> =
            given.into_iter().filter(|field| field.1).map(|field| field.0).collect();
        if updated_fields.is_empty() {
            let why = "nothing to update; give at least one of confidence, status and phase";
            return Err(Error::new(ErrorKind::MissingField, why));
        }
        let namespace = self.namespace.write(cx.caller)?;
        let id = self.fid.record(namespace.namespace())?;
        let patch = Patch {
            confidence: self.confidence.map(|confidence| confidence.0),
            status: self.status.map(Into::into),
            phase: self.phase.map(Into::into),
        };
        let record = record::update(cx.engine, cx.caller, &namespace, id, patch)?;
        Ok(DecisionUpdated {
            fid: record.id.to_string(),
            updated_fields,
            message: "Decision updated successfully",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{POSTGRES, counted, recorded, refused};
    use crate::testing::check;

    #[test]
    fn only_what_is_given_changes() {
        let record = recorded("$fid", POSTGRES);
        check(&format!(
            r#"{record}
            > update_decision {{"fid": "$fid", "confidence": 0.95}}
            < {{"fid": "$fid", "updated_fields": ["confidence"], "message": "Decision updated successfully"}}
            > get_decisions {{}}
            < {{"decisions": [{{"confidence": 0.95, "status": "active", "phase": "pattern",
                "title": "Use PostgreSQL for production", "created_at": "$created", "updated_at": "$once", "...": 0}}], "...": 0}}
            > update_decision {{"fid": "$fid", "phase": "canonical"}}
            < {{"fid": "$fid", "updated_fields": ["phase"], "message": "$*"}}
            > update_decision {{"fid": "$fid", "status": "deprecated"}}
            < {{"fid": "$fid", "updated_fields": ["status"], "message": "$*"}}
            > get_decisions {{}}
            < {{"decisions": [{{"confidence": 0.95, "status": "deprecated", "phase": "canonical",
                "path": "$*/decision_000000000001.md", "created_at": "$created", "...": 0}}], "...": 0}}
            > update_decision {{"fid": "$fid", "phase": "emergent", "status": "rejected", "confidence": 0}}
            < {{"fid": "$fid", "updated_fields": ["confidence", "status", "phase"], "message": "$*"}}
            > get_decisions {{}}
            < {{"decisions": [{{"confidence": 0, "status": "rejected", "phase": "emergent",
                "path": "$*/rejected_decision_000000000001.md", "...": 0}}], "...": 0}}
            > get_recent_events {{}}
            < {{"events": [{{"kind": "decision_change", "linked_ids": ["$fid"], "...": 0}},
                {{"kind": "decision_change", "...": 0}}, {{"kind": "decision_change", "...": 0}},
                {{"kind": "confidence_update", "linked_ids": ["$fid"],
                  "description": "$*confidence 0.8 → 0.95$*", "...": 0}},
                {{"kind": "decision_change", "...": 0}}], "total": 5}}
            "#
        ));
    }

    #[test]
    fn the_kind_of_a_record_tells_the_kind_of_the_event() {
        for kind in ["proposal", "constraint"] {
            let record =
                recorded("$fid", &POSTGRES.replacen('{', &format!(r#"{{"kind": "{kind}", "#), 1));
            check(&format!(
                "{record}> update_decision {{\"fid\": \"$fid\", \"phase\": \"emergent\"}}\n< {{\"...\": 0}}\n\
                 > get_recent_events {{\"kind\": \"{kind}_change\"}}\n< {{\"total\": 2, \"...\": 0}}"
            ));
        }
    }

    #[test]
    fn every_status_can_be_set_and_null_is_as_good_as_nothing() {
        let mut steps = vec![recorded("$fid", POSTGRES)];
        for status in ["superseded", "deprecated", "rejected", "draft", "active"] {
            steps.push(format!(
                "> update_decision {{\"fid\": \"$fid\", \"status\": \"{status}\", \"phase\": null, \"more\": 1}}\n\
                 < {{\"updated_fields\": [\"status\"], \"...\": 0}}\n\
                 > get_decisions {{\"status\": \"{status}\"}}\n< {{\"total\": 1, \"...\": 0}}\n"
            ));
        }
        check(&steps.concat());
    }

    #[test]
    fn the_unknown_and_the_wrong_are_refused_and_change_nothing() {
        let refused = |arguments: &str, status| refused("update_decision", arguments, status);
        check(&[
            recorded("$fid", POSTGRES),
            refused(r#"{"fid": "$fid"}"#, 400),
            refused(r#"{"fid": "$fid", "confidence": null}"#, 400),
            refused(r#"{"fid": "$fid", "title": "Another one"}"#, 400),
            refused(r#"{"confidence": 0.5}"#, 400),
            refused(r#"{"fid": "ffffffffffff", "confidence": 0.5}"#, 404),
            refused(r#"{"fid": "abc", "confidence": 0.5}"#, 404),
            refused(r#"{"fid": "$fid", "confidence": 0.5, "namespace": "other"}"#, 404),
            refused(r#"{"fid": "$fid", "confidence": 1.1}"#, 422),
            refused(r#"{"fid": "$fid", "confidence": -0.1}"#, 422),
            refused(r#"{"fid": "$fid", "confidence": "0.5"}"#, 422),
            refused(r#"{"fid": "$fid", "status": "done"}"#, 422),
            refused(r#"{"fid": "$fid", "phase": "final"}"#, 422),
            refused(r#"{"fid": "$fid", "confidence": 0.5, "phase": "final"}"#, 422),
            counted(1, 1),
            "> get_decisions {}\n< {\"decisions\": [{\"confidence\": 0.8, \"updated_at\": \"$at\", \"created_at\": \"$at\", \"...\": 0}], \"...\": 0}".to_owned(),
        ].concat());
    }
}
