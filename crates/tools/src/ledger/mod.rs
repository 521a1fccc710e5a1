//! Decisions with reasons, evidence and a trail in git, as LedgerMind's contract has them.

mod accept_proposal;
mod bridge_context;
mod bridge_record;
mod forget;
mod get_context_for_prompt;
mod get_decision_history;
mod get_decisions;
mod get_recent_events;
mod link_evidence;
mod record_decision;
mod reject_proposal;
mod search_decisions;
mod supersede_decision;
mod sync_git;
#[cfg(test)]
mod testing;
mod update_decision;
mod words;

use crate::tool::Spec;

/// The tools, in reading order.
pub(crate) const TOOLS: &[Spec] = &[
    Spec::of::<bridge_context::BridgeContext>(),
    Spec::of::<bridge_record::BridgeRecord>(),
    Spec::of::<get_context_for_prompt::GetContextForPrompt>(),
    Spec::of::<record_decision::RecordDecision>(),
    Spec::of::<supersede_decision::SupersedeDecision>(),
    Spec::of::<accept_proposal::AcceptProposal>(),
    Spec::of::<reject_proposal::RejectProposal>(),
    Spec::of::<search_decisions::SearchDecisions>(),
    Spec::of::<get_decisions::GetDecisions>(),
    Spec::of::<get_decision_history::GetDecisionHistory>(),
    Spec::of::<get_recent_events::GetRecentEvents>(),
    Spec::of::<link_evidence::LinkEvidence>(),
    Spec::of::<update_decision::UpdateDecision>(),
    Spec::of::<sync_git::SyncGit>(),
    Spec::of::<forget::Forget>(),
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::testing::{POSTGRES, happened, recorded, refused};
    use crate::testing::{Bench, Speaker, check};

    /// A decision, a proposal and an event.
    fn scene() -> String {
        let proposal = r#"{"kind": "proposal", "title": "Log in JSON", "target": "logs", "rationale": "Machines read them."}"#;
        [recorded("$pg", POSTGRES), recorded("$draft", proposal), happened("$event")].concat()
    }

    /// Every tool with its least role, as the contract's table has it, and a call that does something.
    const ROLES: [(&str, &str, &str); 15] = [
        (
            "record_decision",
            "user",
            r#"{"title": "abc", "target": "t", "rationale": "0123456789"}"#,
        ),
        (
            "supersede_decision",
            "admin",
            r#"{"fid": "$pg", "title": "abc", "target": "t", "rationale": "0123456789"}"#,
        ),
        ("accept_proposal", "admin", r#"{"fid": "$draft"}"#),
        ("reject_proposal", "admin", r#"{"fid": "$draft"}"#),
        ("update_decision", "admin", r#"{"fid": "$pg", "confidence": 1}"#),
        ("forget", "admin", r#"{"fid": "$pg"}"#),
        ("sync_git", "admin", "{}"),
        ("search_decisions", "guest", r#"{"query": "PostgreSQL"}"#),
        ("get_decisions", "guest", "{}"),
        ("get_decision_history", "guest", r#"{"fid": "$pg"}"#),
        ("get_recent_events", "guest", "{}"),
        ("link_evidence", "user", r#"{"event_id": "$event", "decision_ids": ["$pg"]}"#),
        ("bridge-context", "guest", r#"{"query": "PostgreSQL"}"#),
        ("bridge-record", "user", r#"{"prompt": "x", "response": "y"}"#),
        ("get_context_for_prompt", "guest", r#"{"prompt": "PostgreSQL"}"#),
    ];

    #[test]
    fn every_tool_asks_for_its_least_role_and_changes_nothing_below() {
        let names = ["guest", "user", "admin"];
        let rank = |role: &str| names.iter().position(|name| *name == role).unwrap();
        let all = |bench: &mut Bench| -> [Value; 2] {
            ["get_decisions", "get_recent_events"].map(|tool| bench.call(tool, json!({})).value)
        };
        for (tool, least, arguments) in ROLES {
            for role in names {
                let mut bench = Bench::new();
                bench.run(&scene());
                let before = all(&mut bench);
                bench.run(&format!("@ caller user=ada role={role}"));
                if rank(role) < rank(least) {
                    bench.run(&format!("{}\n", refused(tool, arguments, 403)));
                    assert_eq!(all(&mut bench), before, "{tool} {role}");
                } else {
                    bench.run(&format!("> {tool} {arguments}\n< {{\"...\": 0}}"));
                }
            }
        }
        let offered: Vec<&str> = super::TOOLS.iter().map(|spec| spec.name).collect();
        assert!(offered.iter().all(|name| ROLES.iter().any(|(tool, ..)| tool == name)));
        assert_eq!(offered.len(), ROLES.len());
    }

    #[test]
    fn a_ledger_for_people_is_written_by_tools_but_not_changed() {
        let closed = [
            "supersede_decision",
            "accept_proposal",
            "reject_proposal",
            "update_decision",
            "forget",
        ];
        let mut steps = vec!["@ trust human_only\n".to_owned(), scene()];
        for (tool, _, arguments) in ROLES {
            if closed.contains(&tool) {
                steps.push(refused(tool, arguments, 403));
                // Who is unknown is unknown here, too.
                let unknown =
                    arguments.replace("$pg", "ffffffffffff").replace("$draft", "ffffffffffff");
                steps.push(refused(tool, &unknown, 404));
            }
        }
        steps.push("> get_decisions {\"limit\": 100}\n< {\"decisions\": [{\"fid\": \"$draft\", \"status\": \"draft\", \"...\": 0}, {\"fid\": \"$pg\", \"status\": \"active\", \"confidence\": 0.8, \"...\": 0}], \"total\": 2}\n".to_owned());
        steps.push("> update_decision {\"fid\": \"$pg\", \"confidence\": 1}\n<! {\"error\": {\"message\": \"$*HUMAN_ONLY; a person edits /$*.md$*\", \"...\": 0}}\n".to_owned());
        for (tool, _, arguments) in ROLES.iter().filter(|(tool, ..)| !closed.contains(tool)) {
            steps.push(format!("> {tool} {arguments}\n< {{\"...\": 0}}\n"));
        }
        check(&steps.concat());
    }

    #[test]
    fn every_write_is_one_commit_and_one_event() {
        let mut bench = Bench::new();
        bench.run(&scene());
        bench.run(
            r#"
            > link_evidence {"event_id": "$event", "decision_ids": ["$pg", "$draft"]}
            < {"...": 0}
            > bridge-record {"prompt": "Use PostgreSQL", "response": "for production"}
            < {"linked_decisions": ["$pg"], "...": 0}
            > update_decision {"fid": "$pg", "phase": "canonical"}
            < {"...": 0}
            > supersede_decision {"fid": "$pg", "title": "Use PostgreSQL 15", "target": "database", "rationale": "It is faster."}
            < {"...": 0}
            > accept_proposal {"fid": "$draft"}
            < {"...": 0}
            > forget {"fid": "$draft"}
            < {"...": 0}
            > get_recent_events {}
            < {"total": 9, "...": 0}
            "#,
        );
        let log = engine::record::log(bench.context().engine, None, 100).unwrap();
        let subjects: Vec<&str> = log.iter().map(|entry| entry.subject.as_str()).collect();
        assert_eq!(
            subjects,
            [
                "Forget decision: Log in JSON",
                "Accept proposal: Log in JSON",
                "Supersede decision 000000000001: Use PostgreSQL 15",
                "Update decision: Use PostgreSQL for production",
                "Link evidence: Use PostgreSQL for production",
                "Link evidence to 2 records",
                "Record proposal: Log in JSON",
                "Record decision: Use PostgreSQL for production",
            ]
        );
    }

    #[test]
    fn what_is_accepted_supersedes_nothing_by_itself() {
        let proposal = POSTGRES.replacen('{', r#"{"kind": "proposal", "#, 1);
        let records = [recorded("$pg", POSTGRES), recorded("$draft", &proposal)].concat();
        check(&format!(
            r#"{records}
            > accept_proposal {{"fid": "$draft"}}
            < {{"status": "accepted", "...": 0}}
            > get_decisions {{"status": "active", "kind": "decision"}}
            < {{"decisions": [{{"fid": "$draft", "...": 0}}, {{"fid": "$pg", "...": 0}}], "total": 2}}
            "#
        ));
    }
}
