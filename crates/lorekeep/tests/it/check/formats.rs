//! The formats: each is read by a reader of that format.

use serde_json::{Value, json};
use tools::testing::hidden::{check_text, texts};

use super::{BAD, Project};

/// A project with violations of all kinds, and texts that are hard to write.
fn project() -> Project {
    let project = Project::new();
    project.rule(
        "odd",
        "  - {operator: must_exist, target: file, pattern: LICENSE, severity: warn}\n  - {operator: \
         must_not_use, target: code, pattern: 'x<y>&', severity: warn, message: \"50%, <b>:\\nsecond\"}\n  \
         - {operator: must_not_use, target: code, pattern: LATER, severity: info}\n  - {operator: \
         must_not_use, target: code, pattern: '('}",
    );
    project.rule("kept", "  - {operator: must_not_use, target: code, pattern: never}");
    project.write("ä b,c:d%.rs", format!("\u{1b}[31m x<y>& ]]> \u{7}\n// LATER\n{BAD}"));
    project.write("web/package.json", "{\n  \"dependencies\": {\"mysql2\": \"3.0.0\"}\n}\n");
    project.write("broken/Cargo.toml", "[");
    project
}

const ODD_FILE: &str = "ä b,c:d%.rs";

#[test]
fn people_read_where_and_which_line_and_which_rule() {
    let project = project();
    let (code, out, err) = project.check(&[]);
    assert_eq!(code, 1);
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("(project)  warn  `LICENSE` must exist"), "{out}");
    for part in [
        "ä b,c:d%.rs:3  block  Connect to PostgreSQL.\n",
        "     3 | let db = mysql_connect(1);\n",
        "adr-042-database-selection  must_not_use code mysql_connect\\(\n",
        "ä b,c:d%.rs:1  warn  50%, <b>: second\n",
        "web/package.json:2  block  must not use `mysql.*` as a dependency: mysql2 3.0.0\n",
        "(knowledge)  warn  constraint in line ",
        "2 block, 3 warn, 1 problem (see above; --allow-problems lets it pass) in 3 files against 3 items (",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert!(!out.contains(['\u{1b}', '\u{7}']), "{out:?}");
    assert!(err.contains("warning: broken/Cargo.toml: "), "{err}");
    assert_eq!(project.check(&[]).1.lines().next(), out.lines().next());
}

#[test]
fn what_is_in_order_is_said_in_one_line() {
    let project = Project::new();
    project.write("a.rs", "fn a() {}\n");
    project.write("Cargo.toml", "[dependencies]\nserde = \"1\"\n");
    let (code, out, err) = project.check(&[]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(out, "checked 2 files and 1 dependency against 1 item: nothing found\n");
}

#[test]
fn json_has_what_the_tool_says_and_more() {
    let project = project();
    let answer = project.json(&["--min-severity", "info"]);
    assert_eq!(answer["summary"], json!({"info": 1, "warn": 3, "block": 2, "leftOut": 0}));
    assert_eq!(answer["files"], 3);
    assert_eq!(answer["items"], 3);
    let violations = answer["violations"].as_array().unwrap();
    let one = violations.iter().find(|one| one["message"] == "Connect to PostgreSQL.").unwrap();
    assert_eq!(
        *one,
        json!({
            "knowledgeItemId": "adr-042-database-selection",
            "knowledgeItemTitle": "Use PostgreSQL",
            "constraint": {"operator": "must_not_use", "target": "code", "pattern": "mysql_connect\\("},
            "severity": "block",
            "message": "Connect to PostgreSQL.",
            "location": {"file": ODD_FILE, "line": 3},
            "excerpt": "let db = mysql_connect(1);",
        })
    );
    assert_eq!(answer["problems"][0]["file"], "broken/Cargo.toml");
}

#[test]
fn sarif_has_a_rule_for_each_constraint_and_a_place_for_each_result() {
    let project = project();
    let sarif = |args: &[&str]| -> Value {
        let (code, out, _) = project.check(&[&["--format", "sarif"], args].concat());
        assert!(code < 2, "{out}");
        serde_json::from_str(&out).unwrap()
    };
    let log = sarif(&["--min-severity", "info"]);
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 6);
    for result in results {
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"], "{result}");
        let place = &result["locations"][0]["physicalLocation"]["artifactLocation"];
        assert_eq!(place["uriBaseId"], "%SRCROOT%", "{result}");
        assert!(!place["uri"].as_str().unwrap().contains([' ', ':', 'ä']), "{result}");
        assert!(result.get("suppressions").is_none(), "{result}");
    }
    let of = |rule: &str| results.iter().find(|one| one["ruleId"] == rule).unwrap();
    let code = of("adr-042-database-selection/1");
    let place = &code["locations"][0]["physicalLocation"];
    assert_eq!(code["level"], "error");
    assert_eq!(place["artifactLocation"]["uri"], "%C3%A4%20b%2Cc%3Ad%25.rs");
    assert_eq!(
        place["region"],
        json!({"startLine": 3, "snippet": {"text": "let db = mysql_connect(1);"}})
    );
    assert_eq!(of("odd/3")["level"], "note");
    let everywhere = &of("odd/1")["locations"][0]["physicalLocation"];
    assert_eq!(everywhere["artifactLocation"]["uri"], ".lorekeep/knowledge/adrs/odd.md");
    let notes = &run["invocations"][0]["toolExecutionNotifications"];
    assert!(notes[0]["message"]["text"].as_str().unwrap().contains("broken/Cargo.toml"));
    let print = code["partialFingerprints"].clone();
    project.write(ODD_FILE, format!("\n\n{BAD}{BAD}"));
    let moved = sarif(&[]);
    let prints: Vec<&Value> = moved["runs"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["partialFingerprints"])
        .collect();
    assert!(prints.contains(&&print), "a moved line has the same fingerprint");
    let mut each = prints.clone();
    each.sort_by_key(|print| print.to_string());
    each.dedup();
    assert_eq!(each.len(), prints.len());
    project.write("broken/Cargo.toml", "");
    project.check(&["--update-baseline"]);
    let known = sarif(&[]);
    for result in known["runs"][0]["results"].as_array().unwrap() {
        assert_eq!(result["suppressions"], json!([{"kind": "external"}]), "{result}");
    }
}

#[test]
fn junit_has_a_test_for_each_item() {
    let project = project();
    let (code, out, _) = project.check(&["--format", "junit"]);
    assert_eq!(code, 1);
    let document = roxmltree::Document::parse(&out).unwrap();
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).unwrap();
    assert_eq!((suite.attribute("tests"), suite.attribute("failures")), (Some("4"), Some("2")));
    assert_eq!(suite.attribute("errors"), Some("1"));
    let cases: Vec<_> = suite.children().filter(|node| node.has_tag_name("testcase")).collect();
    let names: Vec<_> = cases.iter().filter_map(|case| case.attribute("name")).collect();
    assert_eq!(names, ["adr-042-database-selection", "kept", "odd", "problems"]);
    let error = cases[3].children().find(|node| node.has_tag_name("error")).unwrap();
    assert!(error.text().unwrap().contains("broken/Cargo.toml: its dependencies"), "{out}");
    let failures: Vec<_> = cases
        .iter()
        .map(|case| case.children().filter(|node| node.has_tag_name("failure")).collect::<Vec<_>>())
        .collect();
    assert_eq!(failures.iter().map(Vec::len).collect::<Vec<_>>(), [1, 0, 1, 0]);
    let text = failures[2][0].text().unwrap();
    assert!(text.contains("50%, <b>:\nsecond") && text.contains("x<y>& ]]>"), "{text}");
    assert_eq!(failures[0][0].attribute("type"), Some("block"));
}

#[test]
fn github_gets_a_command_for_each_violation() {
    let project = project();
    let (code, out, _) = project.check(&["--format", "github", "--min-severity", "info"]);
    assert_eq!(code, 1);
    for line in [
        "::error file=ä b%2Cc%3Ad%25.rs,line=3,title=adr-042-database-selection::Connect to PostgreSQL.",
        "::warning file=ä b%2Cc%3Ad%25.rs,line=1,title=odd::50%25, <b>:%0Asecond",
        "::warning title=odd::`LICENSE` must exist as a file: none of the 3 files matches",
    ] {
        assert!(out.lines().any(|one| one == line), "{line}: {out}");
    }
    assert!(out.contains("::notice file="), "{out}");
    assert!(
        out.contains("::error file=broken/Cargo.toml,title=not checked::its dependencies"),
        "{out}"
    );
    assert!(out.lines().all(|line| line.starts_with("::")), "{out}");
}

/// Titles, messages, names of files and the lines they quote may be anybody's.
#[test]
fn no_format_shows_what_nobody_sees() {
    let project = Project::bare();
    let of_each = |text: &String| text.chars().filter(|c| !c.is_control()).take(12).collect();
    let hidden: Vec<String> = texts().iter().map(of_each).collect();
    let all = hidden.concat();
    let escaped: String = all.chars().map(|c| format!("\\U{:08X}", u32::from(c))).collect();
    project.item(
        "odd",
        &format!(
            "---\nid: odd\ntype: policy\ntitle: \"T {escaped}\"\nstatus: accepted\nseverity: block\n\
             constraints:\n  - {{operator: must_not_use, target: code, pattern: LATER, message: \
             \"M {escaped}\"}}\n---\n# T\n"
        ),
    );
    project.write(&format!("a{}.rs", hidden[0]), format!("// LATER {all}\n"));
    project.write(&format!("b{}/Cargo.toml", hidden[0]), "[");
    for format in ["human", "json", "sarif", "junit", "github"] {
        let (code, out, err) = project.check(&["--format", format]);
        assert_eq!(code, 1, "{err}");
        check_text(format, &out);
        check_text(format, &err);
    }
}
