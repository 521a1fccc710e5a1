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
        let synced = record::sync(cx.engine, cx.caller, &self.namespace.0)?;
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
