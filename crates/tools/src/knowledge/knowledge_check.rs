//! `knowledge_check`.

use engine::Result;
use engine::knowledge::{self, Check, Choice, Violation};
use model::{Dependency, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::Severity;
use crate::tool::{Context, Effect, Tool};
use crate::wire::Texts;

/// Check if planned changes comply with organizational constraints and policies.
///
/// # When to use
/// Before adding dependencies, creating files or making architectural changes.
///
/// # Usage
/// ```json
/// {"dependencies": [{"name": "mysql2", "version": "3.0.0"}]}
/// ```
/// ```json
/// {"files": [{"path": "src/db.ts", "content": "import mysql from 'mysql2'"}], "minSeverity": "info"}
/// ```
///
/// # Returns
/// `passed`: nothing blocks, whatever `minSeverity` hides. `violations` with item, constraint, severity,
/// message and place; `summary` counts those told. Accepted items bind; `knowledgeItemIds` asks others.
/// Without `dependencies` no rule on them can be broken. A constraint that cannot be followed is a
/// warning and hides no other.
///
/// # Errors
/// `NOT_FOUND` for an unknown item; `INVALID_INPUT` for a wrong field; `TIMEOUT` after 30 s.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct KnowledgeCheck {
    /// Files to check
    files: Option<Vec<FileView>>,
    /// Dependencies to check
    dependencies: Option<Vec<DependencyView>>,
    /// Minimum severity to report
    #[serde(default)]
    min_severity: Severity,
    /// Specific items to check
    knowledge_item_ids: Option<Texts<0, 200, 1000>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct FileView {
    path: String,
    content: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct DependencyView {
    name: String,
    version: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct KnowledgeCheckResponse {
    passed: bool,
    violations: Vec<ViolationView>,
    summary: Summary,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ViolationView {
    knowledge_item_id: String,
    knowledge_item_title: String,
    constraint: Asked,
    severity: Severity,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Place")]
    location: Option<Place>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Asked {
    operator: String,
    target: String,
    pattern: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Place {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    line: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Summary {
    info: usize,
    warn: usize,
    block: usize,
}

impl From<Violation> for ViolationView {
    fn from(violation: Violation) -> Self {
        let Violation { item, finding } = violation;
        let place = finding.location.map(|place| Place { file: place.file, line: place.line });
        Self {
            knowledge_item_id: item.id.clone(),
            knowledge_item_title: item.title.clone(),
            constraint: Asked {
                operator: finding.operator,
                target: finding.target,
                pattern: finding.pattern,
            },
            severity: finding.severity.into(),
            message: finding.message,
            location: place,
        }
    }
}

impl Tool for KnowledgeCheck {
    const NAME: &'static str = "knowledge_check";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    type Response = KnowledgeCheckResponse;

    fn call(self, cx: &Context<'_>) -> Result<KnowledgeCheckResponse> {
        let files = self.files.unwrap_or_default().into_iter();
        let files: Vec<(String, String)> = files.map(|file| (file.path, file.content)).collect();
        let dependency = |one: DependencyView| Dependency { name: one.name, version: one.version };
        let dependencies: Option<Vec<Dependency>> =
            self.dependencies.map(|all| all.into_iter().map(dependency).collect());
        let check = Check {
            files: &files,
            dependencies: dependencies.as_deref(),
            severity_min: self.min_severity.into(),
            choice: self.knowledge_item_ids.map_or(Choice::Binding, |ids| Choice::Named(ids.0)),
        };
        let checked = knowledge::check(cx.engine, cx.caller, &check)?;
        let [info, warn, block] = checked.counts;
        Ok(KnowledgeCheckResponse {
            passed: checked.passed,
            violations: checked.violations.into_iter().map(Into::into).collect(),
            summary: Summary { info, warn, block },
        })
    }
}
