//! `accept_proposal`.

use engine::{Result, record};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{IdText, Ns};
use crate::tool::{Context, Effect, Tool};

/// Make a proposal a decision that holds.
///
/// # When to use
/// When a proposal was agreed on.
///
/// # Usage
/// ```json
/// {"fid": "000000000005", "namespace": "backend"}
/// ```
///
/// # Returns
/// `status` `accepted` and the new `phase`: the record is an active decision now, one phase further.
///
/// # Errors
/// NOT_FOUND; CONFLICT if it is no draft proposal; FORBIDDEN if only people may change it.
///
/// # Related
/// `record::accept`: `reject_proposal` is the other answer, `record_decision` makes the proposal.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AcceptProposal {
    /// Proposal ID to accept
    fid: IdText,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProposalAccepted {
    fid: String,
    #[schemars(extend("enum" = ["accepted"]))]
    status: &'static str,
    #[schemars(extend("enum" = ["emergent", "canonical"]))]
    phase: &'static str,
    message: &'static str,
}

impl Tool for AcceptProposal {
    const NAME: &'static str = "accept_proposal";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::Admin;
    type Response = ProposalAccepted;

    fn call(self, cx: &Context<'_>) -> Result<ProposalAccepted> {
        let namespace = self.namespace.write(cx.caller)?;
        let id = self.fid.record(namespace.namespace())?;
        let record = record::accept(cx.engine, cx.caller, &namespace, id)?;
        Ok(ProposalAccepted {
            fid: record.id.to_string(),
            status: "accepted",
            phase: record.phase.name(),
            message: "Proposal accepted and promoted to decision",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{POSTGRES, counted, recorded, refused};
    use crate::testing::check;

    fn proposal(name: &str, phase: &str) -> String {
        recorded(
            name,
            &POSTGRES.replacen('{', &format!(r#"{{"kind": "proposal", "phase": "{phase}", "#), 1),
        )
    }

    #[test]
    fn a_proposal_becomes_a_decision_that_holds() {
        let draft = proposal("$fid", "pattern");
        check(&format!(
            r#"{draft}
            > accept_proposal {{"fid": "$fid"}}
            < {{"fid": "$fid", "status": "accepted", "phase": "emergent",
                "message": "Proposal accepted and promoted to decision"}}
            > get_decisions {{"fid": "$fid"}}
            < {{"decisions": [{{"kind": "decision", "status": "active", "phase": "emergent",
                "confidence": 0.8, "path": "$*/default/00/decision_000000000001.md", "...": 0}}], "total": 1}}
            > get_recent_events {{"kind": "proposal_change"}}
            < {{"events": [{{"description": "Accept proposal: Use PostgreSQL for production",
                "linked_ids": ["$fid"], "...": 0}}, {{"...": 0}}], "total": 2}}
            # It stands against others now.
            > record_decision {POSTGRES}
            < {{"status": "conflict", "...": 0}}
            "#
        ));
    }

    #[test]
    fn a_phase_goes_one_step_and_stays_at_the_last() {
        for (phase, next) in [("emergent", "canonical"), ("canonical", "canonical")] {
            let draft = proposal("$fid", phase);
            check(&format!(
                "{draft}> accept_proposal {{\"fid\": \"$fid\"}}\n< {{\"phase\": \"{next}\", \"...\": 0}}\n\
                 > get_decisions {{}}\n< {{\"decisions\": [{{\"phase\": \"{next}\", \"...\": 0}}], \"...\": 0}}"
            ));
        }
    }

    #[test]
    fn what_is_no_draft_proposal_is_a_conflict() {
        let again = refused("accept_proposal", r#"{"fid": "$fid"}"#, 409);
        let done = "> accept_proposal {\"fid\": \"$fid\"}\n< {\"...\": 0}\n";
        let rejected = "> reject_proposal {\"fid\": \"$fid\"}\n< {\"...\": 0}\n";
        let constraint = recorded("$fid", &POSTGRES.replacen('{', r#"{"kind": "constraint", "#, 1));
        check(&[&proposal("$fid", "pattern"), done, &again, &counted(1, 2)].concat());
        check(&[&proposal("$fid", "pattern"), rejected, &again, &counted(1, 2)].concat());
        check(&[&recorded("$fid", POSTGRES), &*again, &counted(1, 1)].concat());
        check(&[&constraint, &*again, &counted(1, 1)].concat());
    }

    #[test]
    fn the_unknown_is_not_found() {
        check(
            &[
                proposal("$fid", "pattern"),
                refused("accept_proposal", r#"{"fid": "ffffffffffff"}"#, 404),
                refused("accept_proposal", r#"{"fid": "prop_abc123"}"#, 404),
                refused("accept_proposal", r#"{"fid": "$fid", "namespace": "other"}"#, 404),
                refused("accept_proposal", r#"{"fid": "$fid", "namespace": "a b"}"#, 422),
                refused("accept_proposal", r#"{"fid": []}"#, 422),
                refused("accept_proposal", "{}", 400),
                counted(1, 1),
                "> get_decisions {\"status\": \"draft\"}\n< {\"total\": 1, \"...\": 0}".to_owned(),
            ]
            .concat(),
        );
    }
}
