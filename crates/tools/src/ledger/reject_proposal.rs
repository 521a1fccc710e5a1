//! `reject_proposal`.

use engine::{Result, record};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{IdText, Ns};
use crate::tool::{Context, Effect, Tool};

/// Turn a proposal down.
///
/// # When to use
/// When a proposal was declined, so that it is known later.
///
/// # Usage
/// ```json
/// {"fid": "000000000005", "namespace": "backend"}
/// ```
///
/// # Returns
/// `status` `rejected`; the file stays, with `rejected_` before its name.
///
/// # Errors
/// NOT_FOUND; CONFLICT if it is no draft proposal; FORBIDDEN if only people may change it.
///
/// # Related
/// `record::reject`: `accept_proposal` is the other answer.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RejectProposal {
    /// Proposal ID to reject
    fid: IdText,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProposalRejected {
    fid: String,
    #[schemars(extend("enum" = ["rejected"]))]
    status: &'static str,
    message: &'static str,
}

impl Tool for RejectProposal {
    const NAME: &'static str = "reject_proposal";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::Admin;
    type Response = ProposalRejected;

    fn call(self, cx: &Context<'_>) -> Result<ProposalRejected> {
        let namespace = self.namespace.write(cx.caller)?;
        let id = self.fid.record(namespace.namespace())?;
        let record = record::reject(cx.engine, cx.caller, &namespace, id)?;
        Ok(ProposalRejected {
            fid: record.id.to_string(),
            status: "rejected",
            message: "Proposal rejected",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{POSTGRES, counted, recorded, refused};
    use crate::testing::check;

    fn proposal() -> String {
        recorded(
            "$fid",
            &POSTGRES.replacen('{', r#"{"kind": "proposal", "phase": "emergent", "#, 1),
        )
    }

    #[test]
    fn what_is_rejected_stays_and_is_out_of_searches() {
        let draft = proposal();
        check(&format!(
            r#"{draft}
            > search_decisions {{"query": "PostgreSQL for production"}}
            < {{"results": [{{"fid": "$fid", "status": "draft", "...": 0}}], "total": 1}}
            > reject_proposal {{"fid": "$fid"}}
            < {{"fid": "$fid", "status": "rejected", "message": "Proposal rejected"}}
            > get_decisions {{"fid": "$fid"}}
            < {{"decisions": [{{"kind": "proposal", "status": "rejected", "phase": "emergent",
                "path": "$*/default/00/rejected_proposal_000000000001.md", "...": 0}}], "total": 1}}
            > get_recent_events {{"kind": "proposal_change"}}
            < {{"events": [{{"description": "Reject proposal: Use PostgreSQL for production",
                "linked_ids": ["$fid"], "...": 0}}, {{"...": 0}}], "total": 2}}
            > search_decisions {{"query": "PostgreSQL for production", "mode": "fuzzy"}}
            < {{"results": [], "total": 0}}
            "#
        ));
    }

    #[test]
    fn what_is_no_draft_proposal_is_a_conflict() {
        let again = refused("reject_proposal", r#"{"fid": "$fid"}"#, 409);
        let accepted = "> accept_proposal {\"fid\": \"$fid\"}\n< {\"...\": 0}\n";
        let done = "> reject_proposal {\"fid\": \"$fid\"}\n< {\"...\": 0}\n";
        let constraint = recorded("$fid", &POSTGRES.replacen('{', r#"{"kind": "constraint", "#, 1));
        check(&[&proposal(), accepted, &again, &counted(1, 2)].concat());
        check(&[&proposal(), done, &again, &counted(1, 2)].concat());
        check(&[&recorded("$fid", POSTGRES), &*again, &counted(1, 1)].concat());
        check(&[&constraint, &*again, &counted(1, 1)].concat());
    }

    #[test]
    fn the_unknown_is_not_found() {
        check(
            &[
                proposal(),
                refused("reject_proposal", r#"{"fid": "ffffffffffff"}"#, 404),
                refused("reject_proposal", r#"{"fid": "prop_abc123"}"#, 404),
                refused("reject_proposal", r#"{"fid": "$fid", "namespace": "other"}"#, 404),
                refused("reject_proposal", r#"{"fid": true}"#, 422),
                refused("reject_proposal", "{}", 400),
                counted(1, 1),
                "> get_decisions {\"status\": \"draft\"}\n< {\"total\": 1, \"...\": 0}".to_owned(),
            ]
            .concat(),
        );
    }
}
