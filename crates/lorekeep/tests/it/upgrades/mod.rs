//! Stores of every earlier schema: they open, are brought up to date and answer; a newer one is refused
//! untouched; a migration that fails leaves the old one. The fixtures were written by the binaries of
//! those versions, see their README.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rusqlite::Connection;
use serde_json::Value;
use store::SCHEMA_VERSION;

use crate::support::lorekeep;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/stores").join(name)
}

/// A data directory with the store of this schema, and its ledger if it has one.
fn store_of(schema: i64) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("store");
    std::fs::create_dir(&home).unwrap();
    let packed = std::fs::File::open(fixture(&format!("{schema}.db.gz"))).unwrap();
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).unwrap();
    let path = home.join("lorekeep.db");
    std::fs::write(&path, bytes).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&path, mode).unwrap();
    let bundle = fixture(&format!("{schema}.bundle"));
    if bundle.exists() {
        let mut git = Command::new("git");
        git.args(["clone", "-q"]).arg(bundle).arg(home.join("ledger"));
        assert!(git.env("GIT_CONFIG_GLOBAL", "/dev/null").status().unwrap().success());
    }
    (dir, home)
}

fn run(home: &Path, args: &[&str]) -> Output {
    let identity = "user=ada,project=heron,team=birds,agent=fixture,session=one";
    let output = lorekeep(home).args(args).env("LOREKEEP_IDENTITY", identity).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("panicked"), "{args:?}: {said}");
    output
}

/// What a tool answers.
fn call(home: &Path, tool: &str, arguments: &str) -> Value {
    let output = run(home, &["call", tool, arguments]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{tool}: {said}{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&said).unwrap()
}

fn version(path: &Path) -> i64 {
    let db = Connection::open(path).unwrap();
    db.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

/// The ids and texts of all memories.
fn memories(path: &Path) -> Vec<(String, String)> {
    let db = Connection::open(path).unwrap();
    let mut statement =
        db.prepare("SELECT lower(hex(id)), content FROM memory ORDER BY id").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn every_earlier_schema_has_a_fixture() {
    for schema in 1..SCHEMA_VERSION {
        let path = fixture(&format!("{schema}.db.gz"));
        assert!(path.exists(), "{path:?}: scripts/make-store-fixture makes it");
        assert!(std::fs::metadata(path).unwrap().len() < 60_000, "schema {schema}");
        let (_dir, home) = store_of(schema);
        assert_eq!(version(&home.join("lorekeep.db")), schema);
    }
}

#[test]
fn stores_of_every_schema_open_and_are_brought_up_to_date_and_answer() {
    let newest = (1..=SCHEMA_VERSION).filter(|schema| fixture(&format!("{schema}.db.gz")).exists());
    for schema in newest {
        let (_dir, home) = store_of(schema);
        let path = home.join("lorekeep.db");
        let before = memories(&path);
        assert!(before.len() >= 8, "schema {schema}: {before:?}");
        answers(&home, schema);
        assert_eq!(version(&path), SCHEMA_VERSION, "schema {schema}");
        let after = memories(&path);
        assert!(before.iter().all(|one| after.contains(one)), "schema {schema}: {after:?}");
        let doctor = run(&home, &["doctor"]);
        let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert!(doctor.status.success(), "schema {schema}: {said}");
        let list = run(&home, &["backup", "--list"]);
        let list = String::from_utf8(list.stdout).unwrap();
        let told = format!("schema {schema}, made before the schema changed");
        assert_eq!(list.contains(&told), schema < SCHEMA_VERSION, "schema {schema}: {list}");
        if schema < SCHEMA_VERSION {
            let backup = PathBuf::from(list.trim().rsplit_once(": ").unwrap().1);
            assert_eq!(memories(&backup), before, "schema {schema}");
            let restored = run(&home, &["restore", backup.to_str().unwrap()]);
            assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
            answers(&home, schema);
        }
    }
}

/// What a store of this schema must be able to tell.
fn answers(home: &Path, schema: i64) {
    let found = call(
        home,
        "memory_search",
        r#"{"query": "where does Heron keep its notes?", "limit": 10}"#,
    );
    let texts = found["results"].to_string();
    for layer in ["user", "project", "team", "company"] {
        let text = format!("Heron keeps its {layer} notes in PostgreSQL");
        assert!(texts.contains(&text), "schema {schema}, {layer}: {texts}");
    }
    let all = call(home, "query_memories", r#"{"limit": 50, "archived": true}"#);
    let all = all["memories"].as_array().unwrap();
    let named = |text: &str| all.iter().find(|one| one["content"].as_str().unwrap().contains(text));
    let tabs = named("Ada prefers tabs over spaces").unwrap();
    assert_eq!((&tabs["importance"], &tabs["tags"][0]), (&"high".into(), &"style".into()));
    assert!(named("the disk of Heron is full").is_some(), "schema {schema}: what was changed");
    assert_eq!(named("This one is archived").unwrap()["archived"], true, "schema {schema}");
    assert!(named("A long note about Heron, line 135.").is_some(), "schema {schema}");
    let shown = run(home, &["show", tabs["id"].as_str().unwrap()]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("tabs over spaces"), "schema {schema}");
    if schema >= 4 {
        let rule = call(home, "memory_recall", r#"{"query": "linter before commit"}"#);
        assert!(
            rule.to_string().contains("Run the linter before every commit"),
            "{schema}: {rule}"
        );
    }
    if schema >= 5 {
        let found = call(home, "search", r#"{"query": "how long are invoices kept?"}"#);
        assert!(found.to_string().contains("Invoices are kept for ten years"), "{schema}: {found}");
    }
    if schema >= 6 {
        let all = call(home, "get_decisions", "{}").to_string();
        for title in ["Use PostgreSQL 15 with UUID keys", "Cache invoices in memory"] {
            assert!(all.contains(title), "schema {schema}: {all}");
        }
        let log = run(home, &["log"]);
        assert!(String::from_utf8_lossy(&log.stdout).contains("PostgreSQL"), "schema {schema}");
    }
    if schema >= 7 {
        let status = call(home, "sync_status", "{}");
        assert!(status.is_object(), "schema {schema}: {status}");
    }
    if schema >= 8 {
        let heron = call(home, "get_memory_object", r#"{"name": "Heron"}"#);
        assert_eq!(heron["outgoing"][0]["to"], "PostgreSQL", "schema {schema}: {heron}");
    }
    if schema >= 9 {
        let waiting = run(home, &["review", "--json"]);
        let waiting = String::from_utf8_lossy(&waiting.stdout).into_owned();
        assert!(waiting.contains("We use pnpm, not npm."), "schema {schema}: {waiting}");
    }
}

/// The files of a ledger, by their paths.
fn ledger_files(home: &Path) -> BTreeMap<PathBuf, String> {
    let mut folders = vec![home.join("ledger")];
    let mut files = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with(".git") {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                let text = std::fs::read_to_string(&path).unwrap();
                files.insert(path, text);
            }
        }
    }
    files
}

/// The output of plain git for a ledger.
fn git(home: &Path, args: &[&str]) -> String {
    let mut git = Command::new("git");
    git.arg("-C").arg(home.join("ledger")).args(args).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = git.output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn files_whose_ids_have_no_quotes_stay_as_they_are_until_their_records_change() {
    for schema in 6..10 {
        let (_dir, home) = store_of(schema);
        let (before, head) = (ledger_files(&home), git(&home, &["rev-parse", "HEAD"]));
        let is_bare = |text: &&String| text.contains("\nfid: ") && !text.contains("fid: \"");
        assert!(before.len() > 1 && before.values().filter(is_bare).count() == before.len());
        let decisions = call(&home, "get_decisions", "{}");
        let synced = call(&home, "sync_git", "{}");
        assert_eq!(synced["files_committed"], 0, "schema {schema}: {synced}");
        let doctor = run(&home, &["doctor"]);
        let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert!(doctor.status.success(), "schema {schema}: {said}");
        assert!(ledger_files(&home) == before, "schema {schema}");
        assert_eq!(git(&home, &["rev-parse", "HEAD"]), head, "schema {schema}");
        assert_eq!(git(&home, &["status", "--porcelain"]), "", "schema {schema}");
        let fid = decisions["decisions"][0]["fid"].as_str().unwrap().to_owned();
        call(&home, "update_decision", &format!(r#"{{"fid": "{fid}", "confidence": 0.91}}"#));
        let mut after = ledger_files(&home);
        after.retain(|path, text| before.get(path) != Some(text));
        assert_eq!(after.len(), 1, "schema {schema}: {after:?}");
        let quoted = format!("\nfid: \"{fid}\"\n");
        assert!(after.values().all(|text| text.contains(&quoted)), "schema {schema}: {after:?}");
        assert!(run(&home, &["doctor"]).status.success(), "schema {schema}");
    }
}

/// What lies at a path and beside it that must not change.
fn bytes(path: &Path) -> (Vec<u8>, Vec<u8>) {
    let log = path.with_extension("db-wal");
    (std::fs::read(path).unwrap(), std::fs::read(log).unwrap_or_default())
}

#[test]
fn a_newer_store_is_refused_by_every_command_and_stays_byte_for_byte() {
    let newest = (1..=SCHEMA_VERSION).rev().find(|n| fixture(&format!("{n}.db.gz")).exists());
    for has_log in [false, true] {
        let (dir, home) = store_of(newest.unwrap());
        let path = home.join("lorekeep.db");
        let db = Connection::open(&path).unwrap();
        db.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).unwrap();
        db.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
        if has_log {
            // As a process leaves it that was killed.
            let (file, log) = bytes(&path);
            assert!(!log.is_empty());
            drop(db);
            std::fs::write(&path, file).unwrap();
            std::fs::write(path.with_extension("db-wal"), log).unwrap();
        } else {
            drop(db);
        }
        let before = bytes(&path);
        assert_eq!(before.1.is_empty(), !has_log);
        let backup = dir.path().join("backup.db");
        let commands: [&[&str]; 10] = [
            &["call", "memory_add", r#"{"content": "x"}"#],
            &["call", "--read-only", "memory_search", r#"{"query": "x"}"#],
            &["doctor"],
            &["doctor", "--repair"],
            &["doctor", "--repair", "--dry-run"],
            &["backup", backup.to_str().unwrap()],
            &["search", "heron"],
            &["list"],
            &["reindex"],
            &["export", "out"],
        ];
        for args in commands {
            let output = run(&home, args);
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said).into_owned();
            assert!(!output.status.success(), "{args:?}: {said}");
            assert!(said.contains("newer version; update lorekeep"), "{args:?}: {said}");
            assert!(bytes(&path) == before, "{args:?} changed it");
        }
        let mut hook = lorekeep(&home);
        hook.args(["hook", "claude-code", "UserPromptSubmit"]).stdin(std::process::Stdio::null());
        assert!(hook.output().unwrap().status.success(), "a hook is silent");
        assert!(bytes(&path) == before, "a hook changed it");
        assert!(!backup.exists() && !home.join("lorekeep.damaged").exists());
    }
}

#[test]
fn a_doctor_that_only_reads_brings_no_store_up_to_date() {
    let (_dir, home) = store_of(9);
    let path = home.join("lorekeep.db");
    let before = bytes(&path);
    let ways: [&[&str]; 3] = [
        &["doctor", "--read-only"],
        &["doctor", "--repair", "--dry-run"],
        &["doctor", "--repair", "--dry-run", "--read-only"],
    ];
    for args in ways {
        let output = run(&home, args);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && said.contains("has schema 9"), "{args:?}: {said}");
        assert!(bytes(&path) == before && !home.join("backups").exists(), "{args:?}");
    }
    let refused = run(&home, &["doctor", "--repair", "--read-only"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(bytes(&path) == before);
}

#[test]
fn a_migration_that_fails_leaves_the_old_store_byte_for_byte_and_a_backup() {
    let ways = [(1, "change_log"), (5, "episode"), (8, "candidate")];
    for (schema, table) in ways {
        let (_dir, home) = store_of(schema);
        let path = home.join("lorekeep.db");
        let db = Connection::open(&path).unwrap();
        db.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).unwrap();
        // In the way of a migration to come.
        db.execute_batch(&format!("CREATE TABLE {table} (stranger TEXT)")).unwrap();
        drop(db);
        let before = bytes(&path);
        for _ in 0..2 {
            let output = run(&home, &["call", "memory_add", r#"{"content": "x"}"#]);
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said).into_owned();
            assert!(!output.status.success(), "{said}");
            assert!(said.contains(&format!("the store stays at schema {schema}")), "{said}");
            assert!(said.contains(&format!("{table} already exists")), "{said}");
            assert!(bytes(&path) == before, "schema {schema}: it was changed");
        }
        let list = run(&home, &["backup", "--list"]);
        let list = String::from_utf8(list.stdout).unwrap();
        assert!(list.contains("made before the schema changed"), "schema {schema}: {list}");
        let db = Connection::open(&path).unwrap();
        db.execute_batch(&format!("DROP TABLE {table}")).unwrap();
        drop(db);
        answers(&home, schema);
    }
}
