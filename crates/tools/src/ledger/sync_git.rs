//! `sync_git`.

use engine::{Result, record};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::Ns;
use crate::tool::{Context, Effect, Tool};

/// Take in what people changed in the ledger's files, and commit it.
///
/// # When to use
/// After files were edited by hand, or pulled or merged with git. Tools commit by themselves.
///
/// # Usage
/// ```json
/// {"namespace": "backend"}
/// ```
///
/// # Returns
/// `commit_hash`, the newest commit, and `files_committed`. `problems` names files that cannot be
/// read, with path, line and reason: they stay as they are, and the rest goes on.
///
/// # Errors
/// INTERNAL_SERVER_ERROR if git failed.
///
/// # Related
/// `record::sync`: `get_recent_events` shows what it noted.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SyncGit {
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct GitSynced {
    commit_hash: String,
    files_committed: usize,
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    problems: Vec<ProblemView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ProblemView {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    line: Option<usize>,
    reason: String,
}

impl Tool for SyncGit {
    const NAME: &'static str = "sync_git";
    const EFFECT: Effect = Effect::WRITE;
    const ROLE: Role = Role::Admin;
    type Response = GitSynced;

    fn call(self, cx: &Context<'_>) -> Result<GitSynced> {
        let synced = record::sync(cx.engine, cx.caller, &self.namespace.write(cx.caller)?)?;
        let problems = synced.problems.into_iter().map(|problem| ProblemView {
            path: problem.path,
            line: problem.line,
            reason: problem.why,
        });
        Ok(GitSynced {
            commit_hash: synced.head.unwrap_or_default(),
            files_committed: synced.files,
            message: synced.message,
            problems: problems.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::{Value, json};

    use super::super::testing::{POSTGRES, recorded, refused};
    use crate::testing::{Bench, Speaker, check};

    fn sync(bench: &mut Bench) -> Value {
        let reply = bench.call("sync_git", json!({}));
        assert!(!reply.is_error, "{}", reply.value);
        reply.value
    }

    /// The newest record, and its file.
    fn newest(bench: &mut Bench) -> (Value, PathBuf) {
        let found = bench.call("get_decisions", json!({})).value["decisions"][0].clone();
        let path = found["path"].as_str().map(PathBuf::from).unwrap();
        (found, path)
    }

    #[test]
    fn with_nothing_to_commit_it_tells_the_newest_commit() {
        let record = recorded("$pg", POSTGRES);
        check(&format!(
            r#"
            > sync_git {{}}
            < {{"commit_hash": "", "files_committed": 0, "message": "There is no ledger yet"}}
            {record}
            > sync_git {{}}
            < {{"commit_hash": "$head", "files_committed": 0, "message": "Nothing to commit"}}
            > sync_git {{"namespace": "other", "force": true}}
            < {{"commit_hash": "$head", "files_committed": 0, "message": "Nothing to commit",
                "warnings": ["force is unknown and was ignored; the nearest known field is namespace"]}}
            > get_recent_events {{}}
            < {{"total": 1, "...": 0}}
            "#
        ));
        check(&refused("sync_git", r#"{"namespace": "a/b"}"#, 422));
        let mut bench = Bench::new();
        bench.run(&record);
        let (one, two) = (sync(&mut bench), {
            bench.run(&recorded(
                "$more",
                r#"{"title": "Log in JSON",
            "target": "logs", "rationale": "Machines read them."}"#,
            ));
            sync(&mut bench)
        });
        for hash in [&one["commit_hash"], &two["commit_hash"]] {
            let hash = hash.as_str().unwrap();
            assert!(hash.len() == 40 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{hash}");
        }
        assert_ne!(one["commit_hash"], two["commit_hash"]);
    }

    #[test]
    fn what_a_person_wrote_is_committed_and_taken_in() {
        let mut bench = Bench::new();
        bench.run(&recorded("$pg", POSTGRES));
        bench.run(
            r#"
            > bridge-record {"prompt": "Is PostgreSQL in production?", "response": "PostgreSQL is.", "metadata": {"a": 1}}
            < {"event_id": "$seen", "linked_decisions": ["$pg"]}
            "#,
        );
        let before = sync(&mut bench);
        let (_, path) = newest(&mut bench);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("ACID compliance", "Transactions")).unwrap();
        let synced = sync(&mut bench);
        assert_eq!(synced["files_committed"], 1);
        assert_eq!(synced["message"], "Sync semantic memory: 1 decision");
        assert_ne!(synced["commit_hash"], before["commit_hash"]);
        assert_eq!(synced.get("problems"), None);
        bench.run(
            r#"
            > get_decisions {}
            < {"decisions": [{"fid": "$pg", "rationale": "Transactions and proven reliability under load.",
                "evidence": ["$seen"], "confidence": 0.96, "...": 0}], "total": 1}
            # What a person did, what came of it, and what happened before, as it was.
            > get_recent_events {}
            < {"events": [{"kind": "user_action", "linked_ids": ["$pg"], "...": 0},
                {"kind": "decision_change", "linked_ids": ["$pg"], "...": 0},
                {"id": "$seen", "kind": "agent_action", "metadata": {"a": 1}, "linked_ids": ["$pg"], "...": 0},
                {"kind": "decision_change", "...": 0}], "total": 4}
            > search_decisions {"query": "transactions", "mode": "strict"}
            < {"results": [{"fid": "$pg", "...": 0}], "total": 1}
            > sync_git {}
            < {"files_committed": 0, "...": 0}
            "#,
        );
        std::fs::remove_file(&path).unwrap();
        assert_eq!(sync(&mut bench)["files_committed"], 1);
        bench.run("> get_decisions {}\n< {\"decisions\": [], \"total\": 0}");
    }

    #[test]
    fn what_cannot_be_read_is_told_and_left_and_the_rest_goes_on() {
        let mut bench = Bench::new();
        bench.run(&recorded("$pg", POSTGRES));
        let (_, path) = newest(&mut bench);
        bench.run(&recorded(
            "$json",
            r#"{"title": "Log in JSON", "target": "logs", "rationale": "Machines read them."}"#,
        ));
        let (_, other) = newest(&mut bench);
        let text = std::fs::read_to_string(&path).unwrap();
        let broken = text.replace("status: active", "status: doubtful");
        std::fs::write(&path, &broken).unwrap();
        let text = std::fs::read_to_string(&other).unwrap();
        std::fs::write(&other, text.replace("confidence: 0.8", "confidence: 0.25")).unwrap();
        let synced = sync(&mut bench);
        assert_eq!(synced["files_committed"], 1, "{synced}");
        assert_eq!(synced["problems"][0]["path"], "default/00/decision_000000000001.md");
        assert!(
            synced["problems"][0]["line"].is_u64() && synced["problems"][0]["reason"].is_string()
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), broken);
        bench.run(
            r#"
            > get_decisions {}
            < {"decisions": [{"fid": "$json", "confidence": 0.25, "...": 0}, {"fid": "$pg", "status": "active", "...": 0}], "total": 2}
            > update_decision {"fid": "$pg", "confidence": 1}
            <! {"error": {"code": "CONFLICT", "message": "default/00/decision_000000000001.md line $*", "details": {"status": 409}}}
            "#,
        );
    }

    #[test]
    fn a_record_that_a_person_closed_is_closed_to_tools() {
        let mut bench = Bench::new();
        bench.run(&recorded("$pg", POSTGRES));
        let (_, path) = newest(&mut bench);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen("---\n", "---\ntrust: human_only\n", 1)).unwrap();
        // Even before it is synced.
        bench.run(&refused("forget", r#"{"fid": "$pg"}"#, 403));
        bench.run(&refused("update_decision", r#"{"fid": "$pg", "confidence": 1}"#, 403));
        bench.run(&refused(
            "supersede_decision",
            r#"{"fid": "$pg", "title": "abc", "target": "t", "rationale": "0123456789"}"#,
            403,
        ));
        bench.run(&recorded(
            "$open",
            r#"{"title": "Log in JSON", "target": "logs", "rationale": "Machines read them."}"#,
        ));
        bench.run("> forget {\"fid\": \"$open\"}\n< {\"...\": 0}");
        assert!(path.exists());
    }
}
