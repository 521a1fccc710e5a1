//! `link_evidence`.

use engine::{Error, ErrorKind, Result, record};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{IdText, Ns};
use crate::tool::{Context, Effect, Tool};
use crate::wire::List;

/// Link an event to decisions as evidence.
///
/// # When to use
/// When something that happened speaks for a decision.
///
/// # Usage
/// ```json
/// {"event_id": "evt_8000000000000004", "decision_ids": ["000000000003"], "namespace": "backend"}
/// ```
///
/// # Returns
/// `linked_decisions` and `total_links`. Each link multiplies the confidence of its decision by 1.2, up
/// to 1. All of them are linked, or none.
///
/// # Errors
/// NOT_FOUND for an unknown event or decision; CONFLICT for a link that is there; BAD_REQUEST for
/// missing ids.
///
/// # Related
/// `record::link`: `get_recent_events` shows the ids of events, `get_decisions` those of decisions.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct LinkEvidence {
    /// Event ID to link
    event_id: IdText,
    /// Decision IDs to link to
    decision_ids: List<IdText, 1, 10>,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EvidenceLinked {
    event_id: String,
    linked_decisions: Vec<String>,
    total_links: usize,
}

impl Tool for LinkEvidence {
    const NAME: &'static str = "link_evidence";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::User;
    type Response = EvidenceLinked;

    fn call(self, cx: &Context<'_>) -> Result<EvidenceLinked> {
        if self.decision_ids.0.is_empty() {
            let why = "decision_ids is empty; it takes a list of 1 to 10 ids";
            return Err(Error::new(ErrorKind::MissingField, why));
        }
        let within = self.namespace.write(cx.caller)?;
        let event = self.event_id.event(within.namespace())?;
        let ids: Result<Vec<_>> =
            self.decision_ids.0.iter().map(|id| id.record(within.namespace())).collect();
        let linked = record::link(cx.engine, cx.caller, &within, event, &ids?)?;
        Ok(EvidenceLinked {
            event_id: event.to_string(),
            total_links: linked.records.len(),
            linked_decisions: linked.records.iter().map(ToString::to_string).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{POSTGRES, counted, happened, recorded, refused};
    use crate::testing::check;

    fn scene() -> String {
        let json = r#"{"title": "Log in JSON", "target": "logs", "rationale": "Machines read them.", "confidence": 0.5}"#;
        [recorded("$pg", POSTGRES), recorded("$json", json), happened("$e1"), happened("$e2")]
            .concat()
    }

    /// The confidences of both, and how many events there are.
    fn stand(pg: &str, json: &str, events: usize) -> String {
        format!(
            "> get_decisions {{}}\n< {{\"decisions\": [{{\"fid\": \"$json\", {json}, \"...\": 0}}, \
             {{\"fid\": \"$pg\", {pg}, \"...\": 0}}], \"total\": 2}}\n{}",
            counted(2, events)
        )
    }

    #[test]
    fn a_link_makes_surer_by_a_fifth_up_to_certainty() {
        let (scene, again) = (scene(), happened("$e3"));
        check(&format!(
            r#"{scene}
            > link_evidence {{"event_id": "$e1", "decision_ids": ["$pg"]}}
            < {{"event_id": "$e1", "linked_decisions": ["$pg"], "total_links": 1}}
            {}
            > link_evidence {{"event_id": "$e2", "decision_ids": ["$json", "$pg", "$json"], "namespace": "default"}}
            < {{"event_id": "$e2", "linked_decisions": ["$json", "$pg"], "total_links": 2}}
            {}
            > get_recent_events {{"kind": "evidence_link"}}
            < {{"events": [{{"linked_ids": ["$json", "$pg"], "...": 0}}, {{"linked_ids": ["$pg"], "...": 0}}], "total": 2}}
            {again}
            > link_evidence {{"event_id": "$e3", "decision_ids": ["$pg"]}}
            < {{"total_links": 1, "...": 0}}
            {}
            "#,
            stand(
                r#""confidence": 0.96, "evidence": ["$e1"]"#,
                r#""confidence": 0.5, "evidence": []"#,
                5
            ),
            stand(
                r#""confidence": 1, "evidence": ["$e1", "$e2"]"#,
                r#""confidence": 0.6, "evidence": ["$e2"]"#,
                6
            ),
            stand(
                r#""confidence": 1, "evidence": ["$e1", "$e2", "$e3"]"#,
                r#""confidence": 0.6"#,
                8
            ),
        ));
    }

    #[test]
    fn records_are_found_by_every_spelling_of_their_ids() {
        // The records of the scene are 1 and 3.
        let (scene, evidence) = (scene(), r#""confidence": 0.96, "evidence": ["$e1"]"#);
        check(&format!(
            r#"{scene}
            > link_evidence {{"event_id": "$e1", "decision_ids": ["decision_000000000001", "superseded_prop_000000000003.md", "000000000001"]}}
            < {{"linked_decisions": ["$pg", "$json"], "total_links": 2, "...": 0}}
            > get_decisions {{"fid": "rejected_proposal_000000000001"}}
            < {{"decisions": [{{"fid": "$pg", {evidence}, "...": 0}}], "total": 1}}
            > get_decision_history {{"fid": "constraint_000000000001"}}
            < {{"current": {{"fid": "$pg", "...": 0}}, "...": 0}}
            > update_decision {{"fid": "decision_000000000001.md", "confidence": 0.5}}
            < {{"fid": "$pg", "...": 0}}
            > supersede_decision {{"fid": "decision_000000000001", "title": "Use PostgreSQL 18", "target": "database", "rationale": "It is faster."}}
            < {{"old_fid": "$pg", "...": 0}}
            > forget {{"fid": "superseded_decision_000000000001.md"}}
            < {{"fid": "$pg", "...": 0}}
            "#
        ));
    }

    #[test]
    fn all_are_linked_or_none() {
        let refused = |arguments: &str, status| refused("link_evidence", arguments, status);
        let nothing = stand(
            r#""confidence": 0.96, "evidence": ["$e1"]"#,
            r#""confidence": 0.5, "evidence": []"#,
            5,
        );
        check(&[
            &*scene(),
            "> link_evidence {\"event_id\": \"$e1\", \"decision_ids\": [\"$pg\"]}\n< {\"...\": 0}\n",
            &refused(r#"{"event_id": "$e1", "decision_ids": ["$json", "$pg"]}"#, 409),
            &refused(r#"{"event_id": "$e1", "decision_ids": ["$pg"]}"#, 409),
            &refused(r#"{"event_id": "$e2", "decision_ids": ["$json", "ffffffffffff"]}"#, 404),
            &refused(r#"{"event_id": "$e2", "decision_ids": ["$json", "decision_xyz"]}"#, 404),
            &refused(r#"{"event_id": "evt_ffffffffffffffff", "decision_ids": ["$json"]}"#, 404),
            &refused(r#"{"event_id": "abc", "decision_ids": ["$json"]}"#, 404),
            &refused(r#"{"event_id": "$e2", "decision_ids": ["$json"], "namespace": "other"}"#, 404),
            &nothing,
            "> get_recent_events {\"kind\": \"agent_action\"}\n< {\"events\": [{\"id\": \"$e2\", \"linked_ids\": [], \"...\": 0}, {\"id\": \"$e1\", \"linked_ids\": [\"$pg\"], \"...\": 0}], \"total\": 2}\n",
        ].concat());
    }

    #[test]
    fn nothing_is_linked_across_namespaces() {
        check(&[
            &*recorded("$theirs", &POSTGRES.replacen('{', r#"{"namespace": "other", "#, 1)),
            &scene(),
            "> get_recent_events {\"namespace\": \"other\"}\n< {\"events\": [{\"id\": \"$event\", \"...\": 0}], \"total\": 1}\n",
            &refused("link_evidence", r#"{"event_id": "$event", "decision_ids": ["$pg"]}"#, 404),
            &refused("link_evidence", r#"{"event_id": "$e1", "decision_ids": ["$theirs"]}"#, 404),
            &refused("link_evidence", r#"{"event_id": "$e1", "decision_ids": ["$theirs"], "namespace": "other"}"#, 404),
            &counted(2, 4),
        ].concat());
    }

    #[test]
    fn the_missing_and_the_wrong_are_refused() {
        let refused = |arguments: &str, status| refused("link_evidence", arguments, status);
        let ids = |count: usize| vec!["\"$pg\""; count].join(", ");
        let many =
            |count: usize| format!(r#"{{"event_id": "$e1", "decision_ids": [{}]}}"#, ids(count));
        check(&[
            scene(),
            refused("{}", 400),
            refused(r#"{"decision_ids": ["$pg"]}"#, 400),
            refused(r#"{"event_id": "$e1"}"#, 400),
            refused(r#"{"event_id": "$e1", "decision_ids": []}"#, 400),
            refused(r#"{"event_id": "$e1", "decision_ids": null}"#, 400),
            refused(&many(11), 422),
            refused(r#"{"event_id": "$e1", "decision_ids": "$pg"}"#, 422),
            refused(r#"{"event_id": "$e1", "decision_ids": [7]}"#, 422),
            refused(r#"{"event_id": 7, "decision_ids": ["$pg"]}"#, 422),
            counted(2, 4),
            format!("> link_evidence {}\n< {{\"linked_decisions\": [\"$pg\"], \"total_links\": 1, \"...\": 0}}", many(10)),
        ].concat());
    }
}
