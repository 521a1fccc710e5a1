//! `knowledge_check`.

use engine::Result;
use engine::knowledge::{self, Check, Choice, Trusted, Violation};
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
/// message and place, the 500 heaviest; `summary` counts all from `minSeverity` on. Accepted items bind; `knowledgeItemIds` asks others.
/// Without `dependencies` no rule on them can be broken. Rules about a whole project (`must_exist`, and
/// `must_use` of a dependency) are judged by the caller's project; if that is not known, `warnings` name
/// them. A constraint that cannot be followed is a warning and hides no other.
///
/// # Errors
/// `NOT_FOUND` for an unknown item; `INVALID_INPUT` for a wrong field; `TIMEOUT` after 30 s, or 5 s
/// for one rule in one file.
///
/// # Related
/// `knowledge::check`: `knowledge_show` shows a rule that was broken; `lorekeep check` does the
/// same for a whole project.
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
    /// Below the project's root
    path: String,
    /// The whole text
    content: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct DependencyView {
    /// As its manifest has it
    name: String,
    /// As its manifest has it
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
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
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

impl ViolationView {
    fn of(trusted: &Trusted<'_>, violation: Violation) -> Self {
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
            caution: trusted.caution_of_all(&item).told(),
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
        checked.unjudged.into_iter().for_each(|text| cx.warn(text));
        let [info, warn, block] = checked.counts;
        let trusted = Trusted::look(cx.engine, cx.caller);
        let violations = checked.violations.into_iter();
        Ok(KnowledgeCheckResponse {
            passed: checked.passed,
            violations: violations.map(|one| ViolationView::of(&trusted, one)).collect(),
            summary: Summary { info, warn, block },
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::testing::{DATABASE, policy};
    use crate::testing::{Bench, Speaker, check};

    #[test]
    fn the_contracts_own_example_is_answered_word_for_word() {
        check(&format!(
            r#"
            {DATABASE}
            > knowledge_check {{"dependencies": [{{"name": "mysql2", "version": "3.0.0"}}]}}
            < {{
              "passed": false,
              "violations": [
                {{
                  "knowledgeItemId": "adr-042-database-selection",
                  "knowledgeItemTitle": "Database Selection for New Services",
                  "constraint": {{
                    "operator": "must_not_use",
                    "target": "dependency",
                    "pattern": "mysql|mysql2|mariadb"
                  }},
                  "severity": "block",
                  "message": "MySQL not allowed for new services per ADR-042. Use PostgreSQL instead."
                }}
              ],
              "summary": {{
                "info": 0,
                "warn": 0,
                "block": 1
              }}
            }}
            > knowledge_check {{"dependencies": [{{"name": "mysql-connector"}}, {{"name": "pg"}}]}}
            < {{"passed": true, "violations": [], "summary": {{"info": 0, "warn": 0, "block": 0}}}}
            > knowledge_check {{"files": [{{"path": "a.js", "content": "require('mysql2')"}}]}}
            < {{"passed": true, "violations": [], "...": 0}}
            "#
        ));
    }

    /// A project with these files and no repository.
    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = dir.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        dir
    }

    /// Where the one constraint is broken by these files and dependencies, in a project with nothing
    /// else than a manifest.
    fn places(constraint: &str, asked: &Value) -> Vec<(Option<String>, Option<u64>)> {
        let project = project(&[("package.json", "{}")]);
        let mut bench = Bench::new().working_in(project.path());
        bench.run(&policy("rule", "block", constraint));
        let reply = bench.call("knowledge_check", asked.clone());
        assert!(!reply.is_error, "{}", reply.value);
        let violations = reply.value["violations"].as_array().unwrap().clone();
        assert_eq!(reply.value["passed"], violations.is_empty(), "{constraint}");
        let place = |one: &Value| {
            let file = one["location"]["file"].as_str().map(str::to_owned);
            (file, one["location"]["line"].as_u64())
        };
        violations.iter().map(place).collect()
    }

    fn files(files: &[(&str, &str)]) -> Value {
        let file = |(path, text): &(&str, &str)| json!({"path": path, "content": text});
        json!({"files": files.iter().map(file).collect::<Vec<_>>()})
    }

    /// What stands in a cell of the table: dependencies after `+`, else files as `path: text`, with `/`
    /// for the end of a line; several of them parted by `;`.
    fn given(cell: &str) -> Value {
        if let Some(names) = cell.strip_prefix('+') {
            let one = |name: &str| match name.trim().split_once('@') {
                Some((name, version)) => json!({"name": name, "version": version}),
                None => json!({"name": name.trim()}),
            };
            return json!({"dependencies": names.split_whitespace().map(one).collect::<Vec<_>>()});
        }
        let file = |file: &str| {
            let (path, text) = file.trim().split_once(':').unwrap();
            json!({"path": path, "content": text.trim_start().replace(" / ", "\n")})
        };
        json!({"files": cell.split(" ;").map(file).collect::<Vec<_>>()})
    }

    /// Every rule; what breaks it; where (`-` is nowhere in particular); and what just does not.
    const TABLE: &str = r"
        must_not_use   dependency left-.*          | + pg left-pad@1.0                | -            | + my-left-pad left
        must_not_use   dependency lodash@3\..*     | + lodash@3.1                     | -            | + lodash@4.0 lodash
        must_use       dependency serde|miniserde  | + serde_json                     | -            | + tokio serde@1
        must_match     dependency acme-.*          | + acme-log pg tar                | - -          | + acme-log
        must_not_match dependency .*-beta          | + x-beta                         | -            | + x-beta2
        must_exist     dependency tracing          | + log                            | -            | + log tracing
        must_not_exist dependency openssl          | + openssl@0.10                   | -            | + openssl-sys
        must_not_use   code       unsafe\s*\{      | a.rs: f() / unsafe { / unsafe  { | a.rs:2 a.rs:3 | a.rs: // unsafe / f() {}
        must_use       code       forbid\(unsafe   | a.rs: x ;b.rs: y                 | -            | a.rs: x ;b.rs: #![forbid(unsafe_code)]
        must_match     code       ^//.Copyright    | a.rs: // Copyright ;b.rs: x // Copyright | b.rs | a.rs: x / // Copyright
        must_not_match code       UNDONE           | a.rs: x / UNDONE / UNDONE ;b.rs: y | a.rs:2 a.rs:3 | a.rs: undone
        must_not_use   config     debug:\s*true    | a.yaml: a: 1 / debug: true       | a.yaml:2     | a.yaml: debug: false
        must_use       config     ^strict          | a.toml: x = 1                    | -            | a.toml: x = 1 / strict = true
        must_match     config     version          | a.toml: name = 1                 | a.toml       | a.toml: version = 1
        must_not_match config     secret           | a.toml: x / secret = 1           | a.toml:2     | a.toml: x = 1
        must_not_use   import     ^tokio::net$     | a.rs: use std::fmt; / use tokio::{ / io, / net}; | a.rs:2 | a.rs: use std::net; / // use tokio::net;
        must_use       import     ^std::fmt$       | a.rs: use std::io;               | -            | a.rs: use std::{ / fmt};
        must_match     import     ^std             | a.rs: use std::io; / use tokio;  | a.rs:2       | a.rs: use std::io; ;b.md: use tokio;
        must_not_match import     fmt              | a.rs: use std::io; / use std::fmt; | a.rs:2     | a.rs: use std::io; // fmt
        must_not_use   file       **/*.env         | conf/prod.env: x                 | conf/prod.env | conf/prod.envrc: x
        must_match     file       src/**           | src/a.rs: x ;lib/b.rs: x         | lib/b.rs     | src/deep/a.rs: x
        must_not_match file       *.bak            | a/b.bak: x                       | a/b.bak      | a/bak: x
        must_exist     file       README.md        | docs/a.md: x                     | -            | README.md: x
        must_not_exist file       *.pem            | keys/a.pem: x                    | keys/a.pem   | keys/a.pem.md: x
    ";

    #[test]
    fn every_operator_does_its_work_on_every_target() {
        let place = |word: &str| match word.split_once(':') {
            _ if word == "-" => (None, None),
            Some((file, line)) => (Some(file.to_owned()), line.parse().ok()),
            None => (Some(word.to_owned()), None),
        };
        let rows: Vec<&str> = TABLE.lines().map(str::trim).filter(|row| !row.is_empty()).collect();
        assert_eq!(rows.len(), 24);
        for row in rows {
            let [rule, hit, wanted, miss] = *row.split(" | ").collect::<Vec<_>>() else {
                panic!("four cells: {row}")
            };
            let [operator, target, pattern] = *rule.split_whitespace().collect::<Vec<_>>() else {
                panic!("three words: {rule}")
            };
            let constraint =
                format!("{{operator: {operator}, target: {target}, pattern: '{pattern}'}}");
            let wanted: Vec<_> = wanted.split_whitespace().map(place).collect();
            assert_eq!(places(&constraint, &given(hit.trim())), wanted, "{row}");
            assert_eq!(places(&constraint, &given(miss.trim())), [], "just a miss: {row}");
        }
    }

    #[test]
    fn rules_about_the_whole_project_are_judged_by_the_project_or_left_out_and_named() {
        let rules = [
            "{operator: must_exist, target: file, pattern: README.md}",
            "{operator: must_use, target: dependency, pattern: serde}",
        ];
        let asked = json!({
            "files": [{"path": "src/a.rs", "content": "x"}],
            "dependencies": [{"name": "log"}],
        });
        let answer = |root: Option<&tempfile::TempDir>| {
            let bench = Bench::new();
            let mut bench = match root {
                Some(root) => bench.working_in(root.path()),
                None => bench,
            };
            for (nth, rule) in rules.iter().enumerate() {
                bench.run(&policy(&format!("rule{nth}"), "block", rule));
            }
            let reply = bench.call("knowledge_check", asked.clone()).value;
            let texts = |value: &Value| -> Vec<String> {
                value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|one| {
                        let text = one.as_str().or_else(|| one["message"].as_str());
                        text.unwrap().to_owned()
                    })
                    .collect()
            };
            assert_eq!(reply["passed"], texts(&reply["violations"]).is_empty());
            (texts(&reply["violations"]), texts(&reply["warnings"]))
        };
        let (violations, warnings) = answer(None);
        assert!(violations.is_empty(), "{violations:?}");
        assert_eq!(warnings.len(), 2);
        for part in ["`must_exist file README.md` of rule0", "`must_use dependency serde` of rule1"]
        {
            assert!(warnings.iter().any(|one| one.starts_with(part)), "{warnings:?}");
        }
        let whole =
            project(&[("README.md", "x"), ("a/Cargo.toml", "[dependencies]\nserde = \"1\"")]);
        assert_eq!(answer(Some(&whole)), (Vec::new(), Vec::new()));
        let other = project(&[("docs/readme.md", "x"), ("go.mod", "require a/b v1"), ("c", "")]);
        let (violations, warnings) = answer(Some(&other));
        assert_eq!(
            violations,
            [
                "`README.md` must exist as a file: none of the 4 files matches",
                "must use `serde` as a dependency: none of the 1 listed matches",
            ]
        );
        assert!(warnings.is_empty(), "{warnings:?}");
        let broken = project(&[("README.md", "x"), ("package.json", "{"), ("Cargo.toml", "")]);
        let (violations, warnings) = answer(Some(&broken));
        assert!(violations.is_empty(), "what cannot be read may name it: {violations:?}");
        assert!(warnings.len() == 1 && warnings[0].contains("serde"), "{warnings:?}");
    }

    #[test]
    fn operators_that_a_target_does_not_take_are_a_warning() {
        for (operator, target) in [
            ("must_use", "file"),
            ("must_exist", "code"),
            ("must_not_exist", "config"),
            ("must_exist", "import"),
            ("must_burn", "code"),
            ("must_use", "moon"),
        ] {
            let rule = policy(
                "rule",
                "block",
                &format!("{{operator: {operator}, target: {target}, pattern: x}}"),
            );
            check(&format!(
                r#"
                {rule}
                > knowledge_check {{"files": [{{"path": "a.rs", "content": "x"}}]}}
                < {{"passed": true, "violations": [{{"severity": "warn", "knowledgeItemId": "rule", "constraint":
                    {{"operator": "{operator}", "target": "{target}", "pattern": "x"}}, "message": "$*line 5$*", "...": 0}}],
                    "summary": {{"info": 0, "warn": 1, "block": 0}}}}
                "#
            ));
        }
    }

    #[test]
    fn a_broken_rule_is_one_finding_and_hides_no_other() {
        check(
            r#"
            @ file company/policies/p.md
            | ---
            | status: accepted
            | severity: block
            | constraints:
            |   - {operator: must_not_use, target: code, pattern: "("}
            |   - {operator: must_not_use, target: code, pattern: eval}
            | ---
            | # No eval
            > knowledge_check {"files": [{"path": "a.js", "content": "eval(1)"}, {"path": "b.js", "content": "1"}]}
            < {"passed": false, "violations": [
                {"severity": "warn", "constraint": {"pattern": "(", "...": 0}, "message": "$*", "knowledgeItemId": "p", "knowledgeItemTitle": "No eval"},
                {"severity": "block", "constraint": {"pattern": "eval", "...": 0}, "location": {"file": "a.js", "line": 1}, "...": 0}],
                "summary": {"info": 0, "warn": 1, "block": 1}}
            "#,
        );
    }

    #[test]
    fn severities_are_hidden_but_a_block_never_passes() {
        let rules: String = ["info", "warn", "block"]
            .iter()
            .map(|s| {
                policy(s, s, &format!("{{operator: must_not_use, target: code, pattern: {s}}}"))
            })
            .collect();
        let files = r#""files": [{"path": "a", "content": "info\nwarn\nblock"}]"#;
        check(&format!(
            r#"
            {rules}
            > knowledge_check {{{files}}}
            < {{"passed": false, "violations": [{{"severity": "warn", "...": 0}}, {{"severity": "block", "...": 0}}], "summary": {{"info": 0, "warn": 1, "block": 1}}}}
            > knowledge_check {{{files}, "minSeverity": "info"}}
            < {{"violations": ["$*", "$*", "$*"], "summary": {{"info": 1, "warn": 1, "block": 1}}, "...": 0}}
            > knowledge_check {{{files}, "minSeverity": "block"}}
            < {{"passed": false, "violations": [{{"severity": "block", "...": 0}}], "...": 0}}
            > knowledge_check {{{files}, "knowledgeItemIds": ["info", "warn"], "minSeverity": "block"}}
            < {{"passed": true, "violations": [], "...": 0}}
            > knowledge_check {{{files}, "minSeverity": "fatal"}}
            <! {{"errorCode": "INVALID_INPUT", "message": "$*minSeverity$*fatal$*", "...": 0}}
            "#
        ));
    }

    #[test]
    fn only_accepted_items_bind_unless_they_are_named() {
        let draft = policy("p", "block", "{operator: must_not_use, target: code, pattern: x}")
            .replace("accepted", "draft");
        check(&format!(
            r#"
            {draft}
            > knowledge_check {{"files": [{{"path": "a", "content": "x"}}]}}
            < {{"passed": true, "violations": [], "...": 0}}
            > knowledge_check {{"files": [{{"path": "a", "content": "x"}}], "knowledgeItemIds": ["p"]}}
            < {{"passed": false, "violations": [{{"knowledgeItemId": "p", "...": 0}}], "...": 0}}
            > knowledge_check {{"files": [{{"path": "a", "content": "x"}}], "knowledgeItemIds": ["p", "q"]}}
            <! {{"errorCode": "NOT_FOUND", "message": "Knowledge item 'q' not found", "details": {{"requestedId": "q", "...": 0}}, "...": 0}}
            > knowledge_check {{"files": [{{"path": "a", "content": "x"}}], "knowledgeItemIds": []}}
            < {{"passed": true, "violations": [], "...": 0}}
            > knowledge_check {{}}
            < {{"passed": true, "violations": [], "summary": {{"info": 0, "warn": 0, "block": 0}}}}
            > knowledge_check {{"files": [{{"path": "a"}}]}}
            <! {{"errorCode": "INVALID_INPUT", "message": "$*content$*", "...": 0}}
            "#
        ));
    }

    #[test]
    fn a_rule_applies_where_it_says() {
        let rule = policy(
            "p",
            "block",
            "{operator: must_not_use, target: code, pattern: x, appliesTo: ['src/**/*.rs', '*.toml']}",
        );
        check(&format!(
            r#"
            {rule}
            > knowledge_check {{"files": [{{"path": "src/a.rs", "content": "x"}}, {{"path": "./src/b/c.rs", "content": "x"}},
                {{"path": "tests/a.rs", "content": "x"}}, {{"path": "a/Cargo.toml", "content": "\nx"}}]}}
            < {{"violations": [{{"location": {{"file": "a/Cargo.toml", "line": 2}}, "...": 0}}, {{"location": {{"file": "src/a.rs", "line": 1}}, "...": 0}},
                {{"location": {{"file": "./src/b/c.rs", "line": 1}}, "...": 0}}], "...": 0}}
            "#
        ));
    }

    #[test]
    fn a_narrower_layer_adds_and_strengthens_but_weakens_no_block() {
        check(
            r#"
            @ file company/policies/wide.md
            | ---
            | status: accepted
            | severity: block
            | constraints:
            |   - {operator: must_not_use, target: code, pattern: eval}
            |   - {operator: must_not_use, target: code, pattern: goto, severity: warn}
            | ---
            | # Wide
            @ file projects/me/policies/narrow.md
            | ---
            | status: accepted
            | severity: block
            | constraints:
            |   - {operator: must_use, target: code, pattern: eval}
            |   - {operator: must_not_use, target: code, pattern: goto}
            |   - {operator: must_not_use, target: code, pattern: own}
            | ---
            | # Narrow
            > knowledge_check {"files": [{"path": "a", "content": "eval"}]}
            < {"passed": false, "violations": [{"knowledgeItemId": "wide", "severity": "block", "message": "$*narrow$*", "...": 0}], "...": 0}
            > knowledge_check {"files": [{"path": "a", "content": "nothing"}]}
            < {"passed": true, "violations": [{"knowledgeItemId": "narrow", "severity": "warn", "message": "$*wide$*", "...": 0}], "...": 0}
            > knowledge_check {"files": [{"path": "a", "content": "goto own"}], "minSeverity": "block"}
            < {"passed": false, "violations": [{"knowledgeItemId": "narrow", "constraint": {"pattern": "goto", "...": 0}, "severity": "block", "...": 0},
                {"constraint": {"pattern": "own", "...": 0}, "...": 0}], "...": 0}
            "#,
        );
    }

    #[test]
    fn a_waiver_holds_for_its_time_and_place() {
        // The clock of the tests begins on 2026-01-01.
        let rule = |until: &str| {
            format!(
                "@ file company/policies/p.md\n| ---\n| status: accepted\n| severity: block\n| constraints:\n\
                 |   - {{operator: must_not_use, target: code, pattern: x}}\n| waivers:\n\
                 |   - {{paths: old/**, reason: it goes in spring, until: {until}}}\n| ---\n| # P\n"
            )
        };
        let (holds, ended) = (rule("2026-06-30"), rule("2025-12-31"));
        let both =
            r#"{"files": [{"path": "old/a", "content": "x"}, {"path": "new/a", "content": "x"}]}"#;
        check(&format!(
            r#"
            {holds}
            > knowledge_check {both}
            < {{"violations": [{{"location": {{"file": "new/a", "line": 1}}, "...": 0}}], "...": 0}}
            {ended}
            > knowledge_check {both}
            < {{"violations": ["$*", {{"location": {{"file": "old/a", "line": 1}}, "message": "$*2025-12-31$*it goes in spring$*", "...": 0}}], "...": 0}}
            "#
        ));
    }

    #[test]
    fn no_more_is_told_than_anybody_reads_and_all_is_counted() {
        let mut bench = Bench::new();
        bench.run(&policy("w", "warn", "{operator: must_not_use, target: code, pattern: x}"));
        bench.run(&policy("b", "block", "{operator: must_not_use, target: code, pattern: y}"));
        let text = "x\n".repeat(800) + "y";
        let reply = bench.call("knowledge_check", files(&[("a", &text)])).value;
        assert_eq!(reply["summary"], json!({"info": 0, "warn": 800, "block": 1}));
        let violations = reply["violations"].as_array().unwrap();
        assert_eq!((violations.len(), &violations[499]["severity"]), (500, &json!("block")));
    }

    #[test]
    fn hostile_patterns_and_texts_end() {
        let rule =
            policy("p", "block", "{operator: must_not_use, target: code, pattern: '(a+)+$'}");
        let mut bench = Bench::new();
        bench.run(&rule);
        let text = "a".repeat(200_000) + "!\0\r\u{feff}";
        let reply =
            bench.call("knowledge_check", files(&[("a", &text), ("../../etc/passwd", "a")]));
        assert_eq!(reply.value["summary"]["block"], 1, "{}", reply.value);
    }
}
