//! What a damaged store serves, and what it says of what it cannot.

use std::path::Path;

use serde_json::json;

use super::{ALL, Gold, doctor, listed, run, wrong};
use crate::support::Stdio1;

/// Writes over bytes of the database.
fn put(home: &Path, at: usize, bytes: &[u8]) {
    let path = home.join("lorekeep.db");
    let mut all = std::fs::read(&path).unwrap();
    all[at..at + bytes.len()].copy_from_slice(bytes);
    std::fs::write(&path, all).unwrap();
}

fn page_of(home: &Path, table: &str) -> usize {
    let db = rusqlite::Connection::open(home.join("lorekeep.db")).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
    let page: i64 = db.query_row(sql, [table], |row| row.get(0)).unwrap();
    usize::try_from(page).unwrap()
}

#[test]
fn a_schema_that_cannot_be_read_costs_no_memory() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let bytes = std::fs::read(home.join("lorekeep.db")).unwrap();
    let word = b"CREATE TABLE candidate (";
    let at = bytes.windows(word.len()).position(|found| found == word).unwrap();
    put(&home, at + 7, b"t");
    put(&home, at, b"Q");
    assert_eq!(listed(&home).unwrap(), gold.memories);
    let said = run(&home, &["call", "query_memories", r#"{"limit": 1}"#]);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("the store is damaged") && said.contains("doctor --repair"), "{said}");
    let note = r#"{"type": "core", "content": "new"}"#;
    assert!(!run(&home, &["call", "store_memory", note]).status.success());
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy, "{}", wrong(&report));
    assert_eq!(listed(&home).unwrap(), gold.memories);
}

#[test]
fn a_number_of_the_schema_that_is_too_low_is_damage() {
    let gold = Gold::make();
    for number in [0_u32, 2, 8] {
        let home = gold.copy("trial");
        put(&home, 60, &number.to_be_bytes());
        assert_eq!(listed(&home).unwrap(), gold.memories, "{number}");
        let (is_healthy, report) = doctor(&home, &["--repair"]);
        assert!(is_healthy, "{number}: {}", wrong(&report));
        assert!(!report.to_string().contains("CREATE TABLE"), "{number}: {report}");
        assert_eq!(listed(&home).unwrap(), gold.memories, "{number}");
    }
    let home = gold.copy("trial");
    put(&home, 60, &11_u32.to_be_bytes());
    let said = listed(&home).unwrap_err();
    assert!(said.contains("update lorekeep") && said.contains("lorekeep restore"), "{said}");
}

#[test]
fn what_is_not_found_in_a_damaged_store_may_be_there() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let page = page_of(&home, "entity");
    put(&home, (page - 1) * 4096, &[0; 4096]);
    let mut client = Stdio1::start(&home, &ALL);
    for _ in 0..3 {
        let reply = client.call("get_memory_object", json!({"name": "Heron"}));
        let told = reply.value.to_string();
        assert!(reply.is_error && told.contains("damaged"), "{told}");
        assert!(told.contains("doctor --repair"), "{told}");
    }
    let call = json!({"name": "query_memories", "arguments": {"limit": 1}});
    let answer = client.request("tools/call", &call);
    let told = answer["result"]["content"].to_string();
    assert!(told.contains("may not be all"), "{answer}");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn the_doctor_names_what_is_no_file_of_ours_any_more() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    std::fs::remove_dir_all(home.join("backups")).unwrap();
    std::fs::write(home.join("backups"), "").unwrap();
    let (is_healthy, told) = doctor(&home, &["--repair"]);
    assert!(is_healthy && told.to_string().contains("backups is no folder"), "{told}");
    std::fs::write(home.join("tokens.json"), "").unwrap();
    let (is_healthy, told) = doctor(&home, &[]);
    assert!(!is_healthy && wrong(&told).contains("tokens.json"), "{told}");
    std::fs::remove_file(home.join("tokens.json")).unwrap();
    let item = home.join("knowledge/adrs/adr-001-tls.md");
    std::fs::create_dir_all(item.parent().unwrap()).unwrap();
    let text = "---\nid: adr-001-tls\ntitle: TLS everywhere\nkind: adr\nlayer: company\n\
                status: accepted\n---\n\nEvery service speaks TLS.\n";
    std::fs::write(&item, text).unwrap();
    assert!(run(&home, &["call", "sync_now", "{}"]).status.success());
    assert!(!doctor(&home, &[]).1.to_string().contains("is no item any more"));
    std::fs::write(&item, vec![0; text.len()]).unwrap();
    let told = doctor(&home, &[]).1.to_string();
    assert!(
        told.contains("adr-001-tls was synced") && told.contains("is no item any more"),
        "{told}"
    );
}

#[test]
fn commands_that_read_say_that_it_may_not_be_all() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let sql = "UPDATE memory SET content = replace(content, 'note 12,', 'nope 12,')";
    rusqlite::Connection::open(home.join("lorekeep.db")).unwrap().execute(sql, []).unwrap();
    let told = |args: &[&str]| {
        let output = run(&home, args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("may not be all"), "{args:?}: {said}");
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, listed) = told(&["list", "--limit", "300"]);
    let mut ids: Vec<&str> = listed.lines().filter(|line| line.contains("note ")).collect();
    assert_eq!((code, ids.len()), (Some(0), 23), "{listed}");
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 23, "none twice: {listed}");
    for args in [
        &["list", "--all", "--json"][..],
        &["search", "herons"],
        &["recall", "herons"],
        &["stats"],
        &["context", "herons"],
        &["graph", "Heron"],
        &["review", "--json"],
        &["audit", "show"],
        &["log"],
    ] {
        assert_eq!(told(args).0, Some(0), "{args:?}");
    }
}

#[test]
fn an_export_of_a_damaged_store_is_not_called_everything() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let page = page_of(&home, "memory_event");
    put(&home, (page - 1) * 4096, &[0; 4096]);
    assert!(!doctor(&home, &[]).0);
    for options in [&[][..], &["--json"]] {
        let to = home.join(format!("out{}", options.len()));
        let output = run(&home, &[&["export", to.to_str().unwrap()][..], options].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("may not be all") && !said.contains("everything is in"), "{said}");
    }
}
