//! The command line as a person uses it.

use std::path::Path;
use std::process::Output;

use model::Role;
use serde_json::Value;
use store::SCHEMA_VERSION;
use tools::{Catalogue, Selection};

use crate::support::lorekeep;

pub(crate) fn run(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = lorekeep(dir).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).expect(text)
}

#[test]
fn a_tool_is_called_without_a_client_and_the_exit_code_tells() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, _) = run(dir.path(), &["call", "memory_add", r#"{"content": "dark mode"}"#]);
    assert_eq!((code, &json(&out)["success"]), (0, &Value::Bool(true)));
    let (code, out, _) = run(dir.path(), &["call", "memory_search", r#"{"query": "dark"}"#]);
    assert_eq!((code, json(&out)["totalCount"].as_u64()), (0, Some(1)));
    let (code, out, _) = run(dir.path(), &["call", "memory_search"]);
    assert_eq!((code, &json(&out)["errorCode"]), (1, &"INVALID_INPUT".into()));
    for (args, why) in [
        (vec!["call", "memory_serch", "{}"], "tool \"memory_serch\" is unknown"),
        (vec!["call", "memory_search", "{"], "no JSON"),
        (vec!["call", "memory_search", "[1]"], "must be a JSON object"),
        (vec!["call", "memory_add", r#"{"content": "x"}"#, "--read-only"], "switched off"),
        (vec!["serve", "--role", "root"], "must be guest, user or admin"),
        (vec!["serve", "--toolsets", "nots"], "toolset \"nots\" is unknown; it takes layers"),
        (vec!["serve", "--exclude-tools", "x"], "must be names of tools (got \"x\""),
        (vec!["serve", "--identity", "planet=x"], "org or company (got \"planet\")"),
        (vec!["serve", "--http", "0.0.0.0:0"], "it needs --tls-cert and --tls-key"),
        (vec!["serve", "--http", "nonsense"], "it takes ADDRESS:PORT"),
        (vec!["help", "memory_ad"], "there is no tool or command \"memory_ad\""),
    ] {
        let (code, out, err) = run(dir.path(), &args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(err.contains(why), "{args:?}: {err}");
    }
}

#[test]
fn tools_are_listed_with_what_they_cost() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, err) = run(dir.path(), &["tools"]);
    assert_eq!(code, 0);
    let names: Vec<_> = out.lines().map(|line| line.split('\t').nth(1).unwrap()).collect();
    assert_eq!(names, crate::support::DEFAULT_TOOLS);
    assert!(err.contains("8 tools, "), "{err}");
    let (_, out, _) = run(dir.path(), &["tools", "--json", "--toolsets", "all", "--role", "guest"]);
    let list = json(&out);
    let sum: u64 =
        list["tools"].as_array().unwrap().iter().map(|t| t["tokens"].as_u64().unwrap()).sum();
    assert_eq!(list["tokens"], sum);
    assert!(list["tools"].as_array().unwrap().iter().all(|tool| tool["role"] == "guest"));
}

#[test]
fn help_is_rendered_for_tools_and_commands() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, _) = run(dir.path(), &["help", "memory_search"]);
    assert_eq!(code, 0);
    for part in
        ["When to use", "Usage", "Returns", "Errors", "threshold (a number from 0 to 1, 0.7"]
    {
        assert!(out.contains(part), "{part}: {out}");
    }
    let (_, out, _) = run(dir.path(), &["help", "serve"]);
    assert!(out.contains("--toolsets"), "{out}");
    let (_, out, _) = run(dir.path(), &["help"]);
    assert!(out.contains("doctor") && out.contains("What stands nearer wins"), "{out}");
    assert!(!out.contains('\u{1b}'), "no colours where nobody sees them");
}

#[test]
fn completions_and_manual_are_generated() {
    let dir = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        assert!(run(dir.path(), &["completions", shell]).1.contains("lorekeep"));
    }
    assert!(run(dir.path(), &["man"]).1.contains(".TH lorekeep"));
    let pages = dir.path().join("man");
    assert_eq!(run(dir.path(), &["man", "--dir", pages.to_str().unwrap()]).0, 0);
    assert!(pages.join("lorekeep-serve.1").is_file());
}

#[test]
fn settings_come_from_the_nearest_place() {
    let dir = tempfile::tempdir().unwrap();
    let project = dir.path().join("project");
    std::fs::create_dir_all(project.join(".git")).unwrap();
    std::fs::create_dir_all(project.join("src")).unwrap();
    std::fs::create_dir_all(dir.path().join("config/lorekeep")).unwrap();
    let user_file = dir.path().join("config/lorekeep/lorekeep.toml");
    std::fs::write(&user_file, "toolsets = [\"notes\"]\nrole = \"user\"\n").unwrap();
    let tools = |env: &[(&str, &str)], args: &[&str]| {
        let mut command = lorekeep(dir.path());
        command.current_dir(project.join("src")).arg("tools").args(args).envs(env.iter().copied());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().count()
    };
    assert_eq!(tools(&[], &[]), 5, "user file: notes, for a user");
    std::fs::write(project.join("lorekeep.toml"), "role = \"guest\"\n").unwrap();
    assert_eq!(tools(&[], &[]), 2, "the project file says guest");
    assert_eq!(tools(&[("LOREKEEP_TOOLSETS", "layers")], &[]), 1, "the variable says layers");
    assert_eq!(tools(&[("LOREKEEP_TOOLSETS", "")], &[]), 2, "an empty variable says nothing");
    let flag = ["--toolsets", "all"];
    let all = |role| Catalogue::new(Selection::all()).list(role).count();
    assert_eq!(
        tools(&[("LOREKEEP_TOOLSETS", "layers")], &flag),
        all(Role::Guest),
        "the option says all"
    );
    assert_eq!(tools(&[("LEDGERMIND_DEFAULT_ROLE", "user")], &flag), all(Role::User));
    std::fs::write(project.join("lorekeep.toml"), "rolle = \"user\"\n").unwrap();
    let (code, _, err) = {
        let output = lorekeep(dir.path()).current_dir(&project).arg("tools").output().unwrap();
        (output.status.code(), output.stdout, String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(code, Some(2));
    assert!(
        err.contains("lorekeep.toml")
            && err.contains("unknown key \"rolle\"; did you mean \"role\"?"),
        "{err}"
    );
}

#[test]
fn the_doctor_says_what_is_wrong_and_how_to_mend_it() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("store");
    let doctor = || {
        let (code, out, _) = run(&home, &["doctor"]);
        (code, out)
    };
    let (code, out) = doctor();
    assert!(code == 0 && out.contains("none yet"), "{out}");
    assert!(!home.exists(), "looking makes nothing");
    run(&home, &["call", "memory_add", r#"{"content": "x"}"#]);
    let (code, out) = doctor();
    assert!(
        code == 0 && out.contains(&format!("with 1 memories, schema {SCHEMA_VERSION}")),
        "{out}"
    );

    let file = home.join("lorekeep.db");
    let allow = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(&home, 0o755);
    let (code, out) = doctor();
    assert!(code == 0 && out.contains("note  permissions"), "{out}");
    allow(&file, 0o644);
    let (code, out) = doctor();
    assert!(
        code == 1 && out.contains("wrong permissions") && out.contains("chmod go-rwx"),
        "{out}"
    );
    allow(&file, 0o600);

    let db = rusqlite::Connection::open(home.join("lorekeep.db")).unwrap();
    db.execute("UPDATE vector SET code = x'0102'", []).unwrap();
    drop(db);
    let (code, out) = doctor();
    assert!(code == 1 && out.contains("has a vector of 2 bytes"), "{out}");

    std::fs::write(home.join("lorekeep.db"), "garbage, and not a database at all").unwrap();
    let (code, out) = doctor();
    assert!(code == 1 && out.contains("mend: lorekeep doctor --repair"), "{out}");
}

#[test]
fn every_command_takes_a_relative_data_directory() {
    let dir = tempfile::tempdir().unwrap();
    let work = dir.path().join("work");
    std::fs::create_dir(&work).unwrap();
    std::fs::write(work.join("guide.md"), "# Guide\n\nBoats cross the lake.\n").unwrap();
    let decision = r#"{"title": "Use SQLite", "target": "db", "rationale": "It needs no server."}"#;
    let link = r#"{"from": "Ada", "relation": "works at", "to": "Acme"}"#;
    let policy = "knowledge new No_MySQL --type policy --id no-mysql --layer company";
    for command in [
        "add dark_mode",
        "list",
        "stats",
        "search dark",
        "recall dark",
        "context dark",
        "tools",
        "decide Use_tabs --target style --because Because_they_are_wide",
        "log",
        policy,
        "knowledge list",
        "knowledge show no-mysql",
        "index guide.md",
        "export ../exported",
        "import lorekeep ../exported",
        "backup ../copy.db",
        "reindex",
        "doctor",
        "token new --user ada",
        "token list",
        "audit show",
        "audit verify",
        "restore ../copy.db",
        "list",
    ] {
        let words: Vec<String> = command.split(' ').map(|word| word.replace("_", " ")).collect();
        relative(&work, &words.iter().map(String::as_str).collect::<Vec<_>>());
    }
    relative(&work, &["call", "record_decision", decision]);
    relative(&work, &["call", "add_memory_link", link]);
    relative(&work, &["graph", "Ada"]);
    relative(&work, &["call", "sync_now", "{}"]);
    let names: Vec<_> =
        std::fs::read_dir(&work).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(names, ["guide.md"], "nothing is made in the working directory");
}

/// Runs a command in `work` on the store beside it.
fn relative(work: &Path, words: &[&str]) {
    let elsewhere = work.parent().unwrap().join("elsewhere");
    let mut command = lorekeep(&elsewhere);
    command.current_dir(work).args(words).args(["--data-dir", "../store"]);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {told}");
    assert!(!elsewhere.join("lorekeep.db").exists(), "{words:?} used another store");
}
