//! `record_decision`.

use engine::Result;
use engine::record::{self, NewRecord, Recorded, Similar};
use model::Role;
use model::record::{REASON_CHARS_MIN, RECORD_CONFIDENCE_NEW, TITLE_CHARS_MIN};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Kind, Ns, Phase, Target, score};
use crate::caution;
use crate::tool::{Context, Effect, Tool};
use crate::wire::{Fraction, Text, Texts};

/// Record a decision, a proposal or a constraint with the reason for it.
///
/// # When to use
/// When something was decided that others must know. To replace a decision, use
/// `supersede_decision`.
///
/// # Usage
/// ```json
/// {"title": "Use PostgreSQL for production", "target": "database", "rationale": "ACID compliance and proven reliability.", "consequences": ["Set up connection pooling"], "confidence": 0.9, "phase": "emergent", "namespace": "backend"}
/// ```
///
/// # Returns
/// `fid` and `status` `created`: a Markdown file and one git commit. Or `status` `conflict` with the
/// `conflicts`, and nothing is written: an active record of the same kind with the same title, or one about
/// the same target that answers the same question, with the same answer or another one (`similarity` 0.7
/// or more; 1 is the same text). Another aspect of a target is no conflict. With `allow_conflict` it is
/// recorded all the same, `conflicts` lists what it was linked with, and the event that recorded it is
/// evidence of each of them. A proposal starts as a draft. Texts are kept to the letter, but a title on
/// one line: `warnings` say so.
///
/// # Errors
/// BAD_REQUEST for a missing field; UNPROCESSABLE_ENTITY for a wrong one.
///
/// # Related
/// `record::record`: `supersede_decision` replaces one, `update_decision` mends one,
/// `link_evidence` adds evidence.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RecordDecision {
    /// Type of memory item
    #[serde(default)]
    kind: Kind,
    /// Title of the decision
    title: Text<TITLE_CHARS_MIN, 300>,
    /// Target system or component
    target: Target,
    /// Reasoning behind the decision
    rationale: Text<REASON_CHARS_MIN, 50_000>,
    /// Expected consequences or follow-up actions
    consequences: Option<Texts<0, 5_000, 100>>,
    /// Initial confidence score
    #[serde(default = "confidence")]
    confidence: Fraction,
    /// Decision lifecycle phase
    #[serde(default)]
    phase: Phase,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
    /// Record it even if it conflicts with an active decision, and link both (contract: ours)
    #[serde(default)]
    allow_conflict: bool,
}

pub(super) fn confidence() -> Fraction {
    Fraction(RECORD_CONFIDENCE_NEW)
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DecisionRecorded {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    fid: Option<String>,
    #[schemars(extend("enum" = ["created", "conflict"]))]
    status: &'static str,
    message: String,
    conflicts: Vec<ConflictView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ConflictView {
    fid: String,
    title: String,
    similarity: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl ConflictView {
    fn of(cx: &Context<'_>, similar: Similar) -> Self {
        Self {
            caution: caution::of_text(cx, &similar.record.title),
            fid: similar.record.id.to_string(),
            title: similar.record.title,
            similarity: score(similar.similarity),
        }
    }
}

impl Tool for RecordDecision {
    const NAME: &'static str = "record_decision";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::User;
    type Response = DecisionRecorded;

    fn call(self, cx: &Context<'_>) -> Result<DecisionRecorded> {
        let new = NewRecord {
            namespace: self.namespace.write(cx.caller)?,
            kind: self.kind.into(),
            title: self.title.0,
            target: self.target.0,
            rationale: self.rationale.0,
            consequences: self.consequences.map_or_else(Vec::new, |list| list.0),
            confidence: self.confidence.0,
            phase: self.phase.into(),
        };
        let (created, conflicts) = if self.allow_conflict {
            let (created, conflicts) = record::record_beside_conflicts(cx.engine, cx.caller, &new)?;
            (Some(created), conflicts)
        } else {
            match record::record(cx.engine, cx.caller, &new)? {
                Recorded::Created(created) => (Some(*created), Vec::new()),
                Recorded::Conflict(conflicts) => (None, conflicts),
            }
        };
        let (status, message) = match &created {
            Some(created) => {
                cx.kept("title", &new.title, &created.title);
                ("created", "Decision recorded successfully")
            }
            None => ("conflict", "Similar decision exists. Use supersede_decision to replace it."),
        };
        Ok(DecisionRecorded {
            fid: created.map(|created| created.id.to_string()),
            status,
            message: message.to_owned(),
            conflicts: conflicts.into_iter().map(|one| ConflictView::of(cx, one)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{POSTGRES, counted, happened, recorded, refused};
    use crate::testing::{check, text};

    const SIMILAR: &str = r#"{"title": "Use MySQL for production", "target": "database",
        "rationale": "MySQL is what the team knows best and replication is easy."}"#;

    #[test]
    fn a_decision_is_recorded_with_its_defaults() {
        let record = recorded("$pg", POSTGRES);
        check(&format!(
            r#"{record}
            > get_decisions {{"fid": "$pg"}}
            < {{"decisions": [{{"fid": "000000000001", "title": "Use PostgreSQL for production",
                "target": "database", "kind": "decision", "status": "active", "phase": "pattern",
                "confidence": 0.8, "rationale": "ACID compliance and proven reliability under load.",
                "consequences": [], "evidence": [], "namespace": "default",
                "path": "/$*/ledger/default/00/decision_000000000001.md",
                "created_at": "$at", "updated_at": "$at"}}], "total": 1}}
            > get_recent_events {{}}
            < {{"events": [{{"id": "evt_8000000000000002", "kind": "decision_change",
                "description": "Recorded decision: Use PostgreSQL for production",
                "timestamp": "2026-01-01T$*Z", "namespace": "default", "metadata": {{}},
                "linked_ids": ["$pg"]}}], "total": 1}}
            "#
        ));
    }

    #[test]
    fn what_is_given_is_kept() {
        check(
            r#"
            > record_decision {"kind": "constraint", "title": "  No  deployments\non Friday ",
                "target": "release_2", "rationale": "\n Nobody is there at the weekend.\r\n\r\n---\n## Consequences\n- none\n",
                "consequences": [" Plan for\tThursday ", "  ", "Tell the\n## team\n"], "confidence": 0,
                "phase": "canonical", "namespace": "Ops-1_x"}
            < {"fid": "$no", "status": "created", "message": "$*", "conflicts": [], "warnings":
                ["title was kept as \"No  deployments on Friday\", which is not what was given"]}
            > get_decisions {"fid": "$no", "namespace": "Ops-1_x"}
            < {"decisions": [{"title": "No  deployments on Friday", "kind": "constraint",
                "target": "release_2", "status": "active", "phase": "canonical", "confidence": 0,
                "rationale": "\n Nobody is there at the weekend.\r\n\r\n---\n## Consequences\n- none\n",
                "consequences": [" Plan for\tThursday ", "  ", "Tell the\n## team\n"], "namespace": "Ops-1_x",
                "path": "$*/ledger/Ops-1_x/00/constraint_000000000001.md", "...": 0}], "total": 1}
            > get_recent_events {"namespace": "Ops-1_x"}
            < {"events": [{"kind": "constraint_change", "linked_ids": ["$no"], "...": 0}], "total": 1}
            # The file says the same: there is nothing to take in, and nothing changes by it.
            > sync_git {"namespace": "Ops-1_x"}
            < {"files_committed": 0, "...": 0}
            > update_decision {"fid": "$no", "confidence": 1, "namespace": "Ops-1_x"}
            < {"...": 0}
            > get_decisions {"fid": "$no", "namespace": "Ops-1_x"}
            < {"decisions": [{"confidence": 1,
                "rationale": "\n Nobody is there at the weekend.\r\n\r\n---\n## Consequences\n- none\n",
                "consequences": [" Plan for\tThursday ", "  ", "Tell the\n## team\n"], "...": 0}], "total": 1}
            "#,
        );
    }

    #[test]
    fn a_proposal_starts_as_a_draft() {
        check(
            r#"
            > record_decision {"kind": "proposal", "title": "Use SQLite", "target": "database",
                "rationale": "It needs no server.", "phase": "emergent", "confidence": 1}
            < {"fid": "$draft", "status": "created", "...": 0}
            > get_decisions {"fid": "$draft"}
            < {"decisions": [{"kind": "proposal", "status": "draft", "phase": "emergent",
                "confidence": 1, "path": "$*/proposal_000000000001.md", "...": 0}], "total": 1}
            > get_recent_events {}
            < {"events": [{"kind": "proposal_change", "linked_ids": ["$draft"], "...": 0}], "total": 1}
            "#,
        );
    }

    #[test]
    fn what_says_nearly_the_same_is_a_conflict_and_nothing_is_written() {
        let (record, unchanged) = (recorded("$pg", POSTGRES), counted(1, 1));
        check(&format!(
            r#"{record}
            > record_decision {SIMILAR}
            < {{"status": "conflict",
                "message": "Similar decision exists. Use supersede_decision to replace it.",
                "conflicts": [{{"fid": "$pg", "title": "Use PostgreSQL for production",
                    "similarity": "$similarity"}}]}}
            {unchanged}
            # As told to leave it.
            > record_decision {}
            < {{"status": "conflict", "...": 0}}
            # The same title, however it is spelled and whatever it is about.
            > record_decision {{"title": "  use   POSTGRESQL for\tProduction", "target": "elsewhere",
                "rationale": "Because of something else entirely."}}
            < {{"status": "conflict", "message": "$*",
                "conflicts": [{{"fid": "$pg", "title": "Use PostgreSQL for production", "similarity": 1}}]}}
            > record_decision {POSTGRES}
            < {{"status": "conflict", "message": "$*", "conflicts": [{{"fid": "$pg", "similarity": 1, "...": 0}}]}}
            {unchanged}
            > get_decisions {{"fid": "$pg"}}
            < {{"decisions": [{{"status": "active", "updated_at": "$at", "created_at": "$at", "...": 0}}], "total": 1}}
            "#,
            SIMILAR.replacen('{', r#"{"allow_conflict": false, "#, 1)
        ));
    }

    #[test]
    fn with_allow_conflict_both_hold_and_are_linked() {
        let allowed = |json: &str| json.replacen('{', r#"{"allow_conflict": true, "#, 1);
        let (record, mysql, again) =
            (recorded("$pg", POSTGRES), allowed(SIMILAR), allowed(POSTGRES));
        check(&format!(
            r#"{record}
            > record_decision {mysql}
            < {{"fid": "$mysql", "status": "created", "message": "Decision recorded successfully",
                "conflicts": [{{"fid": "$pg", "title": "Use PostgreSQL for production", "similarity": "$*"}}]}}
            > get_recent_events {{"limit": 1}}
            < {{"events": [{{"id": "$event", "kind": "decision_change", "linked_ids": ["$mysql", "$pg"],
                "description": "Recorded decision $* in conflict with 000000000001: Use MySQL for production", "...": 0}}], "total": 2}}
            > get_decisions {{"status": "active"}}
            < {{"decisions": [{{"fid": "$mysql", "evidence": ["$event"], "confidence": 0.8, "...": 0}},
                {{"fid": "$pg", "evidence": ["$event"], "confidence": 0.8, "...": 0}}], "total": 2}}
            > sync_git {{}}
            < {{"files_committed": 0, "...": 0}}
            # The same title, too; and without a conflict there is nothing to link.
            > record_decision {again}
            < {{"fid": "$again", "status": "created", "conflicts": [{{"fid": "$pg", "similarity": 1, "...": 0}}, "..."], "...": 0}}
            > record_decision {{"title": "Log in JSON", "target": "logs", "rationale": "Machines read them.", "allow_conflict": true}}
            < {{"fid": "$json", "status": "created", "conflicts": [], "...": 0}}
            > get_decisions {{"fid": "$json"}}
            < {{"decisions": [{{"evidence": [], "...": 0}}], "total": 1}}
            "#
        ));
    }

    #[test]
    fn other_aspects_of_a_target_are_no_conflict() {
        let aspects = [
            (
                "Use PostgreSQL for production",
                "ACID compliance and excellent performance for complex queries.",
            ),
            (
                "Use PgBouncer for connection pooling",
                "PostgreSQL forks a process for each connection.",
            ),
            (
                "Back up PostgreSQL with pg_dump every night",
                "One file per night is easy to restore anywhere.",
            ),
            (
                "Use row-level security in PostgreSQL for tenants",
                "A missing filter must not show another tenant's rows.",
            ),
            ("Use UUIDs as primary keys", "Clients make ids without asking the server."),
            ("Store timestamps in UTC", "Conversions happen at the edges only."),
            ("Use migrations for schema changes", "Nobody should alter tables by hand."),
        ];
        let steps = aspects.map(|(title, rationale)| {
            let record = json!({"title": title, "target": "database", "rationale": rationale});
            recorded("$*", &record.to_string())
        });
        check(&steps.concat());
    }

    #[test]
    fn several_conflicts_are_named_the_nearest_first() {
        check(&[
            &*recorded("$a", r#"{"title": "Use OAuth 2 for user authentication", "target": "login",
                "rationale": "Passwords are better kept by others."}"#),
            &recorded("$b", r#"{"kind": "constraint", "title": "Authenticate users with SAML",
                "target": "login", "rationale": "Large customers ask for it."}"#),
            &recorded("$c", r#"{"title": "Sessions end after one hour", "target": "login",
                "rationale": "A forgotten browser must not stay open for ever."}"#),
            r#"
            > record_decision {"title": "sessions end after one hour", "target": "login",
                "rationale": "We do not want to store passwords, so users authenticate with OAuth."}
            < {"status": "conflict", "conflicts": [{"fid": "$c", "similarity": 1, "...": 0}, "..."], "...": 0}
            > record_decision {"title": "Authenticate users with OAuth", "target": "login",
                "rationale": "We do not want to store passwords."}
            < {"status": "conflict", "conflicts": [{"fid": "$a", "...": 0}], "...": 0}
            "#,
        ].concat());
    }

    #[test]
    fn another_target_kind_or_namespace_is_no_conflict() {
        check(
            &[
                &*recorded("$pg", POSTGRES),
                &recorded("$target", &SIMILAR.replace("database", "reports")),
                &recorded("$kind", &SIMILAR.replacen('{', r#"{"kind": "constraint", "#, 1)),
                &recorded(
                    "$same",
                    &POSTGRES
                        .replacen('{', r#"{"kind": "constraint", "#, 1)
                        .replace("database", "x"),
                ),
                &recorded("$draft", &POSTGRES.replacen('{', r#"{"kind": "proposal", "#, 1)),
                &recorded("$again", &POSTGRES.replacen('{', r#"{"kind": "proposal", "#, 1)),
                &recorded("$other", &POSTGRES.replacen('{', r#"{"namespace": "other", "#, 1)),
                &recorded(
                    "$matter",
                    r#"{"title": "Take nightly backups of the database", "target": "database",
                "rationale": "A lost disk must not cost us more than a day of data."}"#,
                ),
                &counted(7, 7),
            ]
            .concat(),
        );
    }

    #[test]
    fn what_does_not_hold_is_no_conflict() {
        for status in ["superseded", "deprecated", "rejected", "draft"] {
            check(&[
                &*recorded("$pg", POSTGRES),
                &format!("> update_decision {{\"fid\": \"$pg\", \"status\": \"{status}\"}}\n< {{\"...\": 0}}\n"),
                &recorded("$mysql", SIMILAR),
                "> forget {\"fid\": \"$mysql\"}\n< {\"...\": 0}\n",
                &recorded("$again", POSTGRES),
            ].concat());
        }
    }

    #[test]
    fn a_proposal_that_was_made_active_stands_against_proposals() {
        let proposal = POSTGRES.replacen('{', r#"{"kind": "proposal", "#, 1);
        check(
            &[
                &*recorded("$pg", &proposal),
                "> update_decision {\"fid\": \"$pg\", \"status\": \"active\"}\n< {\"...\": 0}\n",
                &format!(
                    "> record_decision {proposal}\n< {{\"status\": \"conflict\", \"...\": 0}}\n"
                ),
            ]
            .concat(),
        );
    }

    #[test]
    fn bounds_are_kept_and_count_characters() {
        let fields = |title: &str, target: &str, rationale: &str, more: &str| {
            format!(
                r#"{{"title": "{title}", "target": "{target}", "rationale": "{rationale}"{more}}}"#
            )
        };
        let wrong = |arguments: String| refused("record_decision", &arguments, 422);
        let more = |more: &str| wrong(fields("abc", "t", "0123456789", more));
        let long = text(300);
        check(
            &[
                wrong(fields(&text(2), "t", "0123456789", "")),
                wrong(fields(&text(301), "t", "0123456789", "")),
                wrong(fields("    ", "t", "0123456789", "")),
                wrong(fields(" a  ", "t", "0123456789", "")),
                wrong(fields("", "t", "0123456789", "")),
                wrong(fields("abc", "t", &text(9), "")),
                wrong(fields("abc", "t", "            ", "")),
                wrong(fields("abc", "t", &text(50_001), "")),
                wrong(fields("abc", "", "0123456789", "")),
                wrong(fields("abc", "Database", "0123456789", "")),
                wrong(fields("abc", "data-base", "0123456789", "")),
                wrong(fields("abc", "data base", "0123456789", "")),
                wrong(fields("abc", "ä", "0123456789", "")),
                more(r#", "confidence": -0.1"#),
                more(r#", "confidence": 1.1"#),
                more(r#", "confidence": "high""#),
                more(r#", "kind": "rule""#),
                more(r#", "kind": "Decision""#),
                more(r#", "phase": "draft""#),
                more(r#", "consequences": "one""#),
                more(r#", "consequences": [1]"#),
                more(r#", "consequences": [null]"#),
                more(r#", "namespace": "a/b""#),
                more(r#", "namespace": "..""#),
                more(r#", "namespace": "ä""#),
                more(&format!(r#", "namespace": "{}""#, "n".repeat(65))),
                more(r#", "namespace": 7"#),
                wrong(r#"{"title": 7, "target": "t", "rationale": "0123456789"}"#.to_owned()),
                counted(0, 0),
                recorded("$a", &fields(&text(3), "a", &text(10), "")),
                recorded("$b", &fields(&long, "b", "0123456789", r#", "confidence": 1"#)),
                recorded(
                    "$c",
                    &fields("abc", &"c_9".repeat(33), &text(50_000), r#", "confidence": 0"#),
                ),
                counted(3, 3),
                recorded(
                    "$d",
                    &fields(
                        "abc",
                        "d",
                        "0123456789",
                        &format!(r#", "namespace": "{}""#, "n".repeat(64)),
                    ),
                ),
            ]
            .concat(),
        );
    }

    #[test]
    fn a_missing_field_is_a_bad_request() {
        let bad = |arguments: &str| refused("record_decision", arguments, 400);
        check(&[
            &*bad("{}"),
            &bad(r#"{"target": "t", "rationale": "0123456789"}"#),
            &bad(r#"{"title": "abc", "rationale": "0123456789"}"#),
            &bad(r#"{"title": "abc", "target": "t"}"#),
            &bad(r#"{"title": "abc", "target": "t", "rationale": null}"#),
            r#"
            > record_decision {"title": "abc", "target": "t"}
            <! {"error": {"message": "rationale is missing; it takes a text of 10 to 50000 characters", "...": 0}}
            > record_decision {"title": "abc", "target": "T", "rationale": "0123456789"}
            <! {"error": {"message": "target got \"T\"; it takes a text like ^[a-z0-9_]+$", "...": 0}}
            > record_decision {"title": "abc", "target": "t", "rationale": "0123456789", "namespace": "a/b"}
            <! {"error": {"message": "namespace got \"a/b\"; it takes 1 to 64 of letters, digits, '_' and '-'", "...": 0}}
            "#,
            &counted(0, 0),
        ].concat());
    }

    #[test]
    fn null_is_as_good_as_nothing_and_the_unknown_is_ignored() {
        check(&[
            &*happened("$e"),
            r#"
            > record_decision {"title": "abc", "target": "t", "rationale": "0123456789", "kind": null,
                "consequences": null, "confidence": null, "phase": null, "namespace": null,
                "status": "rejected", "fid": "ffffffffffff"}
            < {"fid": "000000000002", "status": "created", "...": 0}
            > get_decisions {}
            < {"decisions": [{"kind": "decision", "status": "active", "confidence": 0.8,
                "phase": "pattern", "namespace": "default", "consequences": [], "...": 0}], "total": 1}
            "#,
        ].concat());
    }
}
