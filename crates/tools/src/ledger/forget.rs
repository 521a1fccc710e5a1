//! `forget`.

use engine::{Result, record};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{IdText, Ns};
use crate::tool::{Context, Effect, Tool};

/// Delete a decision, a proposal or a constraint.
///
/// # When to use
/// For what should never have been recorded. What does not hold any more is better superseded, or set
/// to deprecated.
///
/// # Usage
/// ```json
/// {"fid": "000000000003", "namespace": "backend"}
/// ```
///
/// # Returns
/// `status` `forgotten`: the file, its row and its vectors are gone, in one commit. The history of git
/// still has it.
///
/// # Errors
/// NOT_FOUND; FORBIDDEN if only people may change it.
///
/// # Related
/// `record::forget`: `supersede_decision` keeps the history instead.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Forget {
    /// Decision ID to forget
    fid: IdText,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Forgotten {
    fid: String,
    #[schemars(extend("enum" = ["forgotten"]))]
    status: &'static str,
    message: &'static str,
}

impl Tool for Forget {
    const NAME: &'static str = "forget";
    const EFFECT: Effect = Effect::DESTROY;
    const ROLE: Role = Role::Admin;
    type Response = Forgotten;

    fn call(self, cx: &Context<'_>) -> Result<Forgotten> {
        let namespace = self.namespace.write(cx.caller)?;
        let id = self.fid.record(namespace.namespace())?;
        let record = record::forget(cx.engine, cx.caller, &namespace, id)?;
        Ok(Forgotten {
            fid: record.id.to_string(),
            status: "forgotten",
            message: "Decision forgotten successfully",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{POSTGRES, counted, recorded, refused};
    use crate::testing::{Bench, Speaker, check};

    #[test]
    fn what_is_forgotten_is_gone_and_the_events_tell_of_it() {
        let record = recorded("$fid", POSTGRES);
        let gone = [
            ("get_decisions", r#"{"fid": "$fid"}"#),
            ("get_decision_history", r#"{"fid": "$fid"}"#),
            ("forget", r#"{"fid": "$fid"}"#),
            ("update_decision", r#"{"fid": "$fid", "confidence": 1}"#),
            ("link_evidence", r#"{"event_id": "$event", "decision_ids": ["$fid"]}"#),
        ];
        let gone = gone.map(|(tool, arguments)| refused(tool, arguments, 404)).concat();
        let again = recorded("$again", POSTGRES);
        check(&format!(
            r#"{record}
            > forget {{"fid": "$fid"}}
            < {{"fid": "$fid", "status": "forgotten", "message": "Decision forgotten successfully"}}
            > get_recent_events {{}}
            < {{"events": [{{"id": "$event", "kind": "decision_change", "linked_ids": ["$fid"],
                "description": "Forgot decision: Use PostgreSQL for production", "...": 0}},
                {{"kind": "decision_change", "linked_ids": ["$fid"], "...": 0}}], "total": 2}}
            {gone}
            > get_decisions {{}}
            < {{"decisions": [], "total": 0}}
            > search_decisions {{"query": "PostgreSQL for production", "mode": "fuzzy"}}
            < {{"results": [], "total": 0}}
            > bridge-context {{"query": "PostgreSQL for production", "mode": "fuzzy"}}
            < {{"source": "ledgermind", "memories": []}}
            > sync_git {{}}
            < {{"files_committed": 0, "...": 0}}
            {again}
            "#
        ));
    }

    #[test]
    fn the_file_is_gone_and_others_stay() {
        let mut bench = Bench::new();
        bench.run(&recorded("$fid", POSTGRES));
        bench.run(&recorded(
            "$other",
            r#"{"title": "Log in JSON", "target": "logs", "rationale": "Machines read them."}"#,
        ));
        let found = bench.call("get_decisions", serde_json::json!({})).value;
        let path = |at: usize| {
            found["decisions"][at]["path"].as_str().map(std::path::PathBuf::from).unwrap()
        };
        assert!(path(0).exists() && path(1).exists());
        bench.run("> forget {\"fid\": \"$fid\"}\n< {\"...\": 0}");
        assert!(path(0).exists() && !path(1).exists());
    }

    #[test]
    fn a_link_of_a_chain_can_be_forgotten() {
        let record = recorded("$a", POSTGRES);
        check(&format!(
            r#"{record}
            > supersede_decision {{"fid": "$a", "title": "bbb", "target": "t", "rationale": "0123456789"}}
            < {{"new_fid": "$b", "...": 0}}
            > supersede_decision {{"fid": "$b", "title": "ccc", "target": "t", "rationale": "0123456789"}}
            < {{"new_fid": "$c", "...": 0}}
            > forget {{"fid": "$a"}}
            < {{"status": "forgotten", "...": 0}}
            > get_decision_history {{"fid": "$c"}}
            < {{"current": {{"fid": "$c", "...": 0}}, "history": [{{"fid": "$b", "...": 0}}]}}
            > forget {{"fid": "$c"}}
            < {{"status": "forgotten", "...": 0}}
            > get_decision_history {{"fid": "$b"}}
            < {{"current": {{"fid": "$b", "status": "superseded", "...": 0}}, "history": []}}
            "#
        ));
    }

    #[test]
    fn the_unknown_is_not_found() {
        check(
            &[
                recorded("$fid", POSTGRES),
                refused("forget", r#"{"fid": "ffffffffffff"}"#, 404),
                refused("forget", r#"{"fid": "../../etc/passwd"}"#, 404),
                refused("forget", r#"{"fid": "$fid", "namespace": "other"}"#, 404),
                refused("forget", r#"{"fid": 1}"#, 422),
                refused("forget", "{}", 400),
                counted(1, 1),
            ]
            .concat(),
        );
    }
}
