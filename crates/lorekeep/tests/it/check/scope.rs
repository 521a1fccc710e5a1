//! What is looked at, and what is not.

use serde_json::json;

use super::{BAD, DATABASE, Project, said};

#[test]
fn a_project_without_knowledge_passes_and_says_where_it_would_lie() {
    let project = Project::bare();
    project.write("a.rs", BAD);
    let (code, out, _) = project.check(&[]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("my project/.lorekeep/knowledge"), "{out}");
    assert!(out.contains("store/knowledge") && out.contains("lorekeep knowledge new"), "{out}");
    project.item("adr-042-database-selection", &DATABASE.replace("accepted", "draft"));
    let (code, out, _) = project.check(&[]);
    assert!(code == 0 && out.contains("1 item not accepted"), "{out}");
    assert_eq!(project.json(&[])["items"], 0);
    assert!(!project.store().exists(), "a check makes no store");
}

#[test]
fn hidden_files_count_and_ignored_ones_links_and_our_own_do_not() {
    let project = Project::new();
    project.write(".gitignore", "build/\n!/kept.rs\n");
    for file in [".github/x.rs", "src/a.rs", "build/out.rs", ".lorekeep/own.rs", "build/known.rs"] {
        project.write(file, BAD);
    }
    project.git(&["add", "--force", "build/known.rs"]);
    std::os::unix::fs::symlink("src/a.rs", project.root().join("link.rs")).unwrap();
    std::os::unix::fs::symlink("src", project.root().join("linked")).unwrap();
    // What git knows it does not ignore.
    assert_eq!(
        project.found(&[]),
        ["adr .github/x.rs:1", "adr build/known.rs:1", "adr src/a.rs:1"]
    );
}

#[test]
fn a_folder_that_is_no_repository_is_checked_too() {
    let dir = tempfile::tempdir().unwrap();
    let project = Project { dir };
    project.item("adr-042-database-selection", DATABASE);
    project.write(".gitignore", "build/\n");
    for file in [".env.rs", "src/a.rs", "build/out.rs", ".git.rs"] {
        project.write(file, BAD);
    }
    assert_eq!(project.found(&[]), ["adr .env.rs:1", "adr .git.rs:1", "adr src/a.rs:1"]);
    for option in [&["--staged"][..], &["--diff", "main"]] {
        let (code, _, err) = project.check(option);
        assert!(code == 2 && err.contains("needs git"), "{err}");
    }
}

#[test]
fn paths_narrow_what_is_looked_at() {
    let project = Project::new();
    project.rule("license", "  - {operator: must_exist, target: file, pattern: LICENSE}");
    project.write(".gitignore", "ignored.rs\n");
    for file in ["src/a.rs", "src/b.rs", "src2/c.rs", "ignored.rs"] {
        project.write(file, BAD);
    }
    project.write("package.json", "{\"dependencies\": {\"mysql2\": \"1\"}}");
    assert_eq!(project.found(&[]).len(), 5, "with the licence that is missing");
    assert_eq!(project.found(&["src"]), ["adr src/a.rs:1", "adr src/b.rs:1"]);
    assert_eq!(project.found(&["src/b.rs", "src2/"]), ["adr src/b.rs:1", "adr src2/c.rs:1"]);
    assert_eq!(project.found(&["package.json"]), ["adr package.json:1"]);
    assert_eq!(project.json(&["src"])["dependencies"], json!(null));
    let mut inside = project.command(&["check", "../src2", "--format", "github"]);
    let (code, out, _) = said(inside.current_dir(project.root().join("src")).output().unwrap());
    assert!(code == 1 && out.starts_with("::error file=src2/c.rs,line=1"), "{out}");
    for (path, why) in [
        ("nothing.rs", "nothing.rs does not exist"),
        ("no/thing.rs", "no/thing.rs cannot be found"),
        ("/", "/ lies outside of the project"),
        ("..", ".. lies outside of the project"),
    ] {
        let (code, out, err) = project.check(&[path]);
        assert_eq!((code, out.as_str()), (2, ""), "{path}");
        assert!(err.contains(why), "{path}: {err}");
    }
    let ignored = project.json(&["ignored.rs"]);
    assert!(ignored["problems"][0]["message"].as_str().unwrap().contains("git ignores it"));
}

#[test]
fn a_manifest_that_cannot_be_read_is_a_problem_and_hides_no_other() {
    let project = Project::new();
    project.write("package.json", "{\n\"dependencies\": {\n\"mysql2\": \"^3\"}}");
    project.write("web/package.json", "{\"dependencies\": {");
    project.write("Cargo.toml", "[dependencies]\nserde = \"1\"\nmysql = \"25\"\n");
    assert_eq!(project.found(&[]), ["adr Cargo.toml:3", "adr package.json:3"]);
    let answer = project.json(&[]);
    assert_eq!(answer["dependencies"], 3);
    assert_eq!(answer["problems"][0]["file"], "web/package.json");
    assert_eq!(answer["violations"][1]["excerpt"], "mysql2 ^3");
    let (code, _, err) = project.check(&[]);
    assert!(code == 1 && err.contains("warning: web/package.json: its dependencies"), "{err}");
}

#[test]
fn one_bad_entry_hides_no_other_and_fails_the_check() {
    let project = Project::new();
    project.write("package.json", "{\"dependencies\":{\"flask\":\"1\"},}");
    project.write("go.mod", "require (\na v1\nb\n)\n");
    let (code, out, err) = project.check(&[]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(
        out.contains("2 problems (see above; --allow-problems lets it pass) in 2 files"),
        "{out}"
    );
    assert!(!out.contains("nothing found"), "{out}");
    assert!(
        err.contains("warning: package.json: its dependencies cannot be read: line 1: "),
        "{err}"
    );
    let (code, out, err) = project.check(&["--allow-problems"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        out.contains("2 files and 2 dependencies") && err.contains("package.json"),
        "{out}{err}"
    );
    project.write("package.json", "{\"dependencies\":{\"mysql\":\"1\"},}");
    assert_eq!(project.found(&["--allow-problems"]), ["adr package.json:1"]);
    project.write("package.json", "{}");
    project.commit();
    project.write("a.rs", "fn a() {}\n");
    project.git(&["add", "a.rs"]);
    // Of what did not change another check tells.
    let (code, _, err) = project.check(&["--staged"]);
    assert!(code == 0 && err.contains("go.mod: its dependencies"), "{err}");
    project.write("go.mod", "require (\na v1\nb\nc\n)\n");
    project.git(&["add", "go.mod"]);
    assert_eq!(project.check(&["--staged"]).0, 1);
    assert_eq!(project.check(&["--staged", "--allow-problems"]).0, 0);
}

#[test]
fn what_a_member_takes_from_its_cargo_workspace_is_checked_by_its_real_name() {
    let project = Project::new();
    project.write(
        "Cargo.toml",
        "[workspace]\n[workspace.dependencies]\ndb = { package = \"mysql\", version = \"25\" }\n",
    );
    project.write("a/Cargo.toml", "[dependencies]\ndb = { workspace = true }\n");
    assert_eq!(project.found(&[]), ["adr Cargo.toml:3", "adr a/Cargo.toml:2"]);
    let answer = project.json(&["a"]);
    assert_eq!(super::places(&answer), ["adr a/Cargo.toml:2"]);
    assert_eq!(answer["violations"][0]["excerpt"], "mysql 25");
}

#[test]
fn utf16_is_checked_line_by_line() {
    let project = Project::new();
    let utf16 = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    project.write("a.rs", utf16("// é\r\n\u{10a}\r\nlet db = mysql_connect(1);\r\n"));
    project.write("b.rs", utf16("fn b() {}\n"));
    assert_eq!(project.found(&[]), ["adr a.rs:3"]);
    project.commit();
    // To git it is binary, so that any of its lines may have changed.
    project.write("b.rs", utf16(&format!("fn b() {{}}\n{BAD}")));
    assert_eq!(project.found(&["--diff", "HEAD"]), ["adr b.rs:2"]);
    project.git(&["add", "b.rs"]);
    project.write("b.rs", "");
    assert_eq!(project.found(&["--staged"]), ["adr b.rs:2"]);
}

#[test]
fn without_a_manifest_nothing_is_said_of_dependencies() {
    let project = Project::bare();
    project.rule("needs", "  - {operator: must_use, target: dependency, pattern: serde}");
    project.write("a.txt", "x");
    assert!(project.found(&[]).is_empty());
    project.write("Cargo.toml", "broken [");
    assert!(project.found(&[]).is_empty());
    project.write("Cargo.toml", "[dependencies]\n");
    assert_eq!(project.found(&[]), ["needs *"]);
}

#[test]
fn files_without_text_have_a_path_and_no_more() {
    let project = Project::bare();
    project.rule(
        "paths",
        "  - {operator: must_not_exist, target: file, pattern: '*.jks'}\n  - {operator: must_match, \
         target: code, pattern: Copyright}\n  - {operator: must_not_use, target: code, pattern: SECRET}",
    );
    project.write("keys/a.jks", b"\xfe\xed\0\x02 SECRET");
    project.write("latin.txt", b"Copyright \xe9 SECRET\n");
    assert_eq!(project.found(&[]), ["paths keys/a.jks", "paths latin.txt:1"]);
    let large = std::fs::File::create(project.root().join("large.txt")).unwrap();
    std::io::Write::write_all(&mut &large, &[b'x'; 9000]).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    let answer = project.json(&[]);
    assert_eq!(answer["problems"][0]["file"], "large.txt");
    assert_eq!(answer["files"], 3);
}

#[test]
fn a_waiver_holds_until_its_day() {
    let project = Project::new();
    project.write("legacy/a.rs", BAD);
    project.write("src/a.rs", BAD);
    let waived = |until: &str| {
        let waiver = format!(
            "waivers:\n  - paths: ['legacy/**']\n    reason: It goes.\n    until: {until}\n---\n# Use"
        );
        project.item("adr-042-database-selection", &DATABASE.replacen("---\n# Use", &waiver, 1));
    };
    waived("9999-12-31");
    assert_eq!(project.found(&[]), ["adr src/a.rs:1"]);
    waived("2020-01-01");
    let answer = project.json(&[]);
    let message = answer["violations"][0]["message"].as_str().unwrap();
    assert!(message.contains("a waiver ran out on 2020-01-01: It goes."), "{message}");
}

#[test]
fn items_are_named_and_severities_hidden() {
    let project = Project::new();
    project.rule(
        "light",
        "  - {operator: must_not_use, target: code, pattern: LATER, severity: info}\n  - {operator: \
         must_not_use, target: code, pattern: MENDME, severity: warn}",
    );
    project.write("a.rs", format!("// LATER\n// MENDME\n{BAD}"));
    assert_eq!(project.found(&[]), ["light a.rs:2", "adr a.rs:3"]);
    assert_eq!(project.found(&["--min-severity", "block"]), ["adr a.rs:3"]);
    assert_eq!(project.found(&["--min-severity", "info"]).len(), 3);
    let (code, _, _) = project.check(&["--item", "light"]);
    assert_eq!(code, 0, "a warning does not fail");
    assert_eq!(
        project.found(&["--item", "light", "--item", "adr-042-database-selection"]).len(),
        2
    );
    for (args, why) in [
        (vec!["--item", "nothing"], "'nothing' not found"),
        (vec!["--diff", "nowhere"], "\"nowhere\" is no revision"),
        (vec!["--min-severity", "high"], "invalid value 'high'"),
        (vec!["--format", "xml"], "invalid value 'xml'"),
    ] {
        let (code, out, err) = project.check(&args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(err.contains(why), "{args:?}: {err}");
    }
}

#[test]
fn knowledge_that_cannot_be_read_is_a_problem_and_not_a_rule_less() {
    let project = Project::new();
    project.item("broken", "---\ntitle: [\n---\n");
    project.rule("flawed", "  - {operator: must_not_use, target: code, pattern: '('}");
    project.write("a.rs", BAD);
    let answer = project.json(&[]);
    assert_eq!(super::places(&answer), ["flawed *", "adr a.rs:1"]);
    let problem = &answer["problems"][0];
    assert!(problem["file"].as_str().unwrap().ends_with("adrs/broken.md"), "{problem}");
}

#[test]
fn knowledge_elsewhere_in_the_project_is_not_checked_against_itself() {
    let project = Project::bare();
    project.write("docs/knowledge/company/adrs/adr-042.md", DATABASE.replace("['*.rs']", "['*']"));
    project.write("docs/a.md", "mysql_connect()");
    let dir = ["--knowledge-dir", "docs/knowledge"];
    assert_eq!(project.found(&dir), ["adr docs/a.md:1"]);
    // Where all of the project is a knowledge folder, only its items are left out.
    assert_eq!(project.found(&["--knowledge-dir", "."]), Vec::<String>::new());
    project.write("company/adrs/adr-042.md", DATABASE.replace("['*.rs']", "['*']"));
    std::fs::remove_dir_all(project.root().join("docs/knowledge")).unwrap();
    assert_eq!(project.found(&["--knowledge-dir", "."]), ["adr docs/a.md:1"]);
}
