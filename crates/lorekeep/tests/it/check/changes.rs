//! `--diff` and `--staged`: only what is new.

use super::{BAD, Project};

#[test]
fn only_changed_lines_count_against_a_base() {
    let project = Project::new();
    project.write("a.rs", format!("{BAD}// 2\n// 3\n// 4\n"));
    project.write("old.rs", BAD);
    project.commit();
    assert!(project.found(&["--diff", "HEAD"]).is_empty());
    // An old violation stands two lines above.
    project.write("a.rs", format!("{BAD}// 2\n{BAD}// 4\n"));
    project.write("unknown.rs", BAD);
    assert_eq!(project.found(&["--diff", "HEAD"]), ["adr a.rs:3", "adr unknown.rs:1"]);
    project.commit();
    assert!(project.found(&["--diff", "HEAD"]).is_empty());
    assert_eq!(project.found(&["--diff", "HEAD~1"]), ["adr a.rs:3", "adr unknown.rs:1"]);
    assert_eq!(project.found(&["--diff", "HEAD~1", "unknown.rs"]), ["adr unknown.rs:1"]);
    assert_eq!(project.found(&[]).len(), 4);
}

#[test]
fn what_is_new_elsewhere_since_a_branch_parted_does_not_count() {
    let project = Project::new();
    project.write("a.rs", "// 1\n");
    project.commit();
    project.git(&["switch", "--quiet", "--create", "work"]);
    project.write("b.rs", BAD);
    project.commit();
    project.git(&["switch", "--quiet", "main"]);
    project.write("c.rs", BAD);
    project.commit();
    project.git(&["switch", "--quiet", "work"]);
    assert_eq!(project.found(&["--diff", "main"]), ["adr b.rs:1"]);
}

#[test]
fn a_dependency_counts_if_its_line_changed() {
    let project = Project::new();
    project.write("Cargo.toml", "[dependencies]\nmysql = \"25\"\n");
    project.commit();
    project.write("Cargo.toml", "[dependencies]\nmysql = \"25\"\nserde = \"1\"\n");
    assert!(project.found(&["--diff", "HEAD"]).is_empty());
    project.write("Cargo.toml", "[dependencies]\nmysql = \"25\"\nmysql_async = \"1\"\n");
    assert_eq!(project.found(&["--diff", "HEAD"]), ["adr Cargo.toml:3"]);
}

#[test]
fn what_is_missing_in_the_project_counts_if_the_change_can_be_why() {
    let project = Project::bare();
    project.rule(
        "all",
        "  - {operator: must_exist, target: file, pattern: LICENSE}\n  - {operator: must_use, target: \
         code, pattern: tracing, appliesTo: ['src/**']}\n  - {operator: must_match, target: file, \
         pattern: '*.rs', appliesTo: ['src/**']}",
    );
    project.write("LICENSE", "MIT");
    project.write("src/a.rs", "tracing::info");
    project.write("src/old.txt", "x");
    project.commit();
    assert!(project.found(&["--diff", "HEAD"]).is_empty());
    std::fs::remove_file(project.root().join("LICENSE")).unwrap();
    assert_eq!(project.found(&["--diff", "HEAD"]), ["all *"]);
    project.commit();
    project.write("src/a.rs", "nothing");
    let answer = project.json(&["--diff", "HEAD"]);
    assert_eq!(answer["violations"][0]["constraint"]["pattern"], "tracing");
    assert_eq!(answer["violations"].as_array().unwrap().len(), 1, "{answer}");
    project.write("src/a.rs", "tracing");
    project.write("src/old.txt", "y");
    assert!(project.found(&["--diff", "HEAD"]).is_empty(), "its path is not new");
    project.git(&["mv", "src/old.txt", "src/new.txt"]);
    assert_eq!(project.found(&["--diff", "HEAD"]), ["all *", "all src/new.txt"]);
}

#[test]
fn what_is_staged_counts_and_what_is_not_does_not() {
    let project = Project::new();
    project.write("fixed.rs", "// 1\n");
    project.write("broken.rs", "// 1\n");
    project.commit();
    project.write("fixed.rs", BAD);
    project.write("new.rs", BAD);
    project.write("gone.rs", BAD);
    project.git(&["add", "--all"]);
    // The violation is staged; its fix is not.
    project.write("fixed.rs", "// 1\n");
    project.write("broken.rs", BAD);
    project.write("unknown.rs", BAD);
    std::fs::remove_file(project.root().join("gone.rs")).unwrap();
    let staged = ["adr fixed.rs:1", "adr gone.rs:1", "adr new.rs:1"];
    assert_eq!(project.found(&["--staged"]), staged);
    assert_eq!(project.found(&["--staged", "gone.rs"]), ["adr gone.rs:1"]);
    assert_eq!(project.found(&["--staged", "--diff", "HEAD"]), staged);
    assert_eq!(
        project.found(&["--diff", "HEAD"]),
        ["adr broken.rs:1", "adr new.rs:1", "adr unknown.rs:1"]
    );
    project.git(&["commit", "--quiet", "--message", "x"]);
    assert!(project.found(&["--staged"]).is_empty());
    assert_eq!(project.found(&["--staged", "--diff", "HEAD~1"]), staged);
}

#[test]
fn the_first_commit_is_checked_as_a_whole() {
    let project = Project::new();
    project.write("a.rs", BAD);
    project.write("b.rs", BAD);
    project.git(&["add", "a.rs"]);
    project.git(&["add", "--intent-to-add", "b.rs"]);
    assert_eq!(project.found(&["--staged"]), ["adr a.rs:1"]);
}

#[test]
fn a_new_violation_behind_a_thousand_old_ones_is_found() {
    let project = Project::new();
    project.write("a.rs", BAD.repeat(1_500));
    project.write("z.rs", "// 1\n");
    project.commit();
    let all = project.json(&[]);
    assert_eq!(all["summary"]["block"], 1_500);
    assert_eq!(all["summary"]["leftOut"], 500);
    project.write("z.rs", BAD);
    assert_eq!(project.found(&["--diff", "HEAD"]), ["adr z.rs:1"]);
    project.git(&["add", "--all"]);
    assert_eq!(project.found(&["--staged"]), ["adr z.rs:1"]);
}
