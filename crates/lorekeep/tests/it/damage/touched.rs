//! What is noticed where nothing breaks a page: texts when they are read, rows as against git and the
//! backup, and what only a repair can tell of.

use std::path::Path;

use serde_json::{Value, json};

use super::{ALL, Gold, backups, doctor, listed, run, wrong};
use crate::support::Stdio1;

/// Changes a letter of these words wherever they stand in the database.
fn flip_letter(home: &Path, words: &str) {
    flip_bits(home, words, 1);
}

/// Changes bits of the first letter of these words wherever they stand in the database.
fn flip_bits(home: &Path, words: &str, bits: u8) {
    let path = home.join("lorekeep.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let places: Vec<usize> =
        (0..bytes.len()).filter(|at| bytes[*at..].starts_with(words.as_bytes())).collect();
    assert!(!places.is_empty(), "{words}");
    for at in places {
        bytes[at] ^= bits;
    }
    std::fs::write(&path, bytes).unwrap();
}

fn sql(home: &Path, sql: &str) {
    let db = rusqlite::Connection::open(home.join("lorekeep.db")).unwrap();
    db.execute_batch(sql).unwrap();
}

fn call(home: &Path, tool: &str, arguments: &Value) -> (bool, String) {
    let output = run(home, &["call", tool, &arguments.to_string()]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success(), said + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn a_text_that_is_not_what_was_stored_is_not_answered_nor_backed_up_and_is_restored() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let id = gold.memories.iter().find(|(_, one)| one["content"].to_string().contains("note 12,"));
    let (id, was) = id.unwrap();
    flip_letter(&home, "note 12,");
    let mut client = Stdio1::start(&home, &ALL);
    let all = client.call("query_memories", json!({"limit": 100, "archived": true})).value;
    let listed_now = all["memories"].as_array().unwrap();
    assert_eq!(listed_now.len(), gold.memories.len() - 1, "the rest is served");
    assert!(listed_now.iter().all(|memory| memory["id"] != **id));
    let one = run(&home, &["show", id]);
    let said = String::from_utf8_lossy(&one.stderr).into_owned();
    assert!(!one.status.success() && said.contains("its hash is another"), "{said}");
    let refused = client.call("store_memory", json!({"type": "core", "content": "new"}));
    assert!(refused.is_error && refused.value.to_string().contains("is damaged"));
    assert_eq!(client.finish(), Some(0));
    let (is_healthy, told) = doctor(&home, &[]);
    assert!(!is_healthy && wrong(&told).contains("is not the one that was stored"), "{told}");
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy && report["repair"]["lost"] == json!([]), "{report}");
    assert_eq!(listed(&home).unwrap().get(id), Some(was));
}

#[test]
fn one_bit_that_makes_a_text_none_at_all_is_told_by_every_search() {
    let gold = Gold::make();
    let query = json!({"query": "note 12 about herons"}).to_string();
    for mode in [&[][..], &["--read-only"]] {
        for tool in ["memory_search", "memory_recall", "memory_context", "search"] {
            let home = gold.copy("trial");
            flip_bits(&home, "note 12,", 0x80);
            let arguments = match tool {
                "memory_context" => r#"{"task": "note 12 about herons"}"#,
                _ => &query,
            };
            let output = run(&home, &[&["call", tool, arguments][..], mode].concat());
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success() && said.contains("may not be all"), "{tool}: {said}");
            let note = r#"{"type": "core", "content": "new"}"#;
            let is_written = run(&home, &["call", "store_memory", note]).status.success();
            assert!(!is_written || !mode.is_empty(), "{tool}");
        }
    }
    let home = gold.copy("trial");
    flip_bits(&home, "note 12,", 0x80);
    assert_eq!(listed(&home).unwrap().len(), gold.memories.len() - 1, "the rest is served");
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy && report["repair"]["lost"] == json!([]), "{report}");
    assert_eq!(listed(&home).unwrap(), gold.memories);
}

#[test]
fn no_backup_is_made_of_a_text_that_is_not_what_was_stored() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    flip_letter(&home, "note 12,");
    let before = backups::files(&home);
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let mut client = backups::server(&home, "every=1s");
    let note = json!({"type": "core", "content": "after the flip"});
    assert!(!client.call("store_memory", note).is_error);
    backups::wait("the note", || home.join("lorekeep.damaged").exists());
    assert_eq!(client.finish(), Some(0));
    assert_eq!(backups::files(&home), before);
    // The older backup still has it.
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy && report["repair"]["lost"] == json!([]), "{report}");
    let after = listed(&home).unwrap();
    assert_eq!(after.len(), gold.memories.len() + 1);
    assert!(gold.memories.iter().all(|(id, memory)| after.get(id) == Some(memory)), "{report}");
}

#[test]
fn a_record_is_what_git_holds_and_its_row_is_mended_from_there() {
    let gold = Gold::make();
    let rationale = "There are many reasons, and this one is long enough.";
    // A text is noticed when it is read, any other field when it is compared.
    for change in [
        "UPDATE record SET rationale = replace(rationale, 'many', 'manx') WHERE seq IN (SELECT min(seq) FROM record)",
        "UPDATE record SET confidence = 0.123 WHERE seq IN (SELECT min(seq) FROM record)",
        r#"UPDATE record SET evidence = '[{"note": "nonsense"}]'"#,
        "UPDATE record SET title = 'Use PostgreSQM', title_key = 'use postgresqm' WHERE title = 'Use PostgreSQL'",
    ] {
        let home = gold.copy("trial");
        sql(&home, change);
        let (_, answer) = call(&home, "get_decisions", &json!({}));
        assert!(!answer.contains("manx") && !answer.contains("PostgreSQM"), "{change}: {answer}");
        let (is_healthy, told) = doctor(&home, &[]);
        assert!(!is_healthy && wrong(&told).contains("record "), "{change}: {told}");
        let (is_healthy, report) = doctor(&home, &["--repair"]);
        assert!(is_healthy, "{change}: {report}");
        let whole = |home: &Path| {
            let (is_done, said) = call(home, "get_decisions", &json!({}));
            assert!(is_done && said.contains(rationale), "{change}: {said}");
            let all: Value = serde_json::from_str(&said).unwrap();
            let mut all = all["decisions"].as_array().unwrap().clone();
            all.iter_mut().for_each(|one| one["path"] = Value::Null);
            all.sort_by_key(ToString::to_string);
            all
        };
        assert_eq!(whole(&home), whole(&gold.home()), "{change}: {report}");
    }
}

#[test]
fn a_damaged_row_is_not_committed_with_the_next_change_of_its_record() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let (_, all) = call(&home, "get_decisions", &json!({}));
    let all: Value = serde_json::from_str(&all).unwrap();
    let fid = all["decisions"][0]["fid"].clone();
    sql(&home, "UPDATE record SET confidence = 0.123, evidence = '[{\"note\": \"nonsense\"}]'");
    let (is_done, said) =
        call(&home, "update_decision", &json!({"fid": fid, "phase": "canonical"}));
    assert!(is_done, "{said}");
    let (_, now) = call(&home, "get_decisions", &json!({"fid": fid}));
    assert!(!now.contains("0.123") && !now.contains("nonsense"), "{now}");
    let path = std::path::PathBuf::from(
        serde_json::from_str::<Value>(&now).unwrap()["decisions"][0]["path"].as_str().unwrap(),
    );
    let file = std::fs::read_to_string(path).unwrap();
    assert!(!file.contains("0.123") && !file.contains("nonsense"), "{file}");
}

#[test]
fn events_entities_and_candidates_are_compared_with_the_backup() {
    let gold = Gold::make();
    for (change, named) in [
        (
            "DROP TRIGGER episode_stays; UPDATE episode SET description = 'x' WHERE description LIKE '%flamingo%'",
            "event ",
        ),
        (
            "UPDATE entity SET summary = 'A summary of the heron zzqr' WHERE name = 'Heron'",
            "entity Heron",
        ),
        ("UPDATE candidate SET text = text || '!'", "candidate "),
        ("UPDATE link SET relation = 'eats'", "link number "),
    ] {
        let home = gold.copy("trial");
        let before = super::answers(&home).unwrap();
        sql(&home, change);
        let (is_healthy, told) = doctor(&home, &[]);
        assert!(!is_healthy && wrong(&told).contains(named), "{change}: {told}");
        let (is_healthy, report) = doctor(&home, &["--repair"]);
        assert!(is_healthy, "{change}: {report}");
        assert_eq!(super::answers(&home).unwrap(), before, "{change}: {report}");
    }
}

#[test]
fn a_repair_names_what_is_lost_of_every_table() {
    let gold = Gold::make();
    for (table, named) in [
        ("candidate", "candidates for memories"),
        ("audit", "of the audit log"),
        ("episode_link", "links of events"),
        ("episode", "events of the ledger"),
        ("link", "links between entities"),
    ] {
        let home = gold.copy("trial");
        std::fs::remove_dir_all(home.join("backups")).unwrap();
        let db = rusqlite::Connection::open(home.join("lorekeep.db")).unwrap();
        let count = |db: &rusqlite::Connection| -> i64 {
            db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
        };
        let before = count(&db);
        assert!(before > 0, "{table}");
        let find = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        let page: i64 = db.query_row(find, [table], |row| row.get(0)).unwrap();
        drop(db);
        let at = (usize::try_from(page).unwrap() - 1) * 4096;
        super::flip(&home.join("lorekeep.db"), at, 4096, &mut super::Chance::new(3));
        let (is_healthy, report) = doctor(&home, &["--repair"]);
        let lost = report["repair"]["lost"].to_string();
        assert!(lost.contains(named), "{table}: {report}");
        assert!(is_healthy, "{table}: {}", wrong(&report));
        let (is_whole, said) = {
            let output = run(&home, &["audit", "verify"]);
            (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        assert!(is_whole, "{table}: {said}");
        assert_eq!(table == "audit", said.contains("lost in a repair"), "{table}: {said}");
    }
}

#[test]
fn a_memory_whose_words_can_be_read_is_never_dropped() {
    let gold = Gold::make();
    let all = "SELECT count(*) FROM memory";
    for (change, told) in [
        ("UPDATE memory SET trust = 'agfnt' WHERE seq = 1", "trust of memory"),
        ("UPDATE memory SET kind = 'fakt', origin = 'n?' WHERE seq = 1", "origin, kind of memory"),
        ("UPDATE memory SET provenance = '{', tags = '[' WHERE seq = 1", "tags, provenance of"),
        ("INSERT INTO verdict VALUES (999, zeroblob(32), 1, 'ada', 0)", "1 rows of verdict"),
        (
            "INSERT INTO memory_edge (source, target, relation, weight) VALUES (999, 1, 'x', 1.0)",
            "",
        ),
        ("INSERT INTO memory_tally SELECT scope, 'warning', 1, 7 FROM memory LIMIT 1", ""),
    ] {
        let home = gold.copy("trial");
        std::fs::remove_dir_all(home.join("backups")).unwrap();
        let db = rusqlite::Connection::open(home.join("lorekeep.db")).unwrap();
        let count = || -> i64 { db.query_row(all, [], |row| row.get(0)).unwrap() };
        let before = count();
        db.pragma_update(None, "foreign_keys", false).unwrap();
        db.execute(change, []).unwrap();
        assert!(!doctor(&home, &[]).0, "{change} is not noticed");
        let (is_healthy, report) = doctor(&home, &["--repair"]);
        assert!(is_healthy, "{change}: {report}");
        assert!(report["repair"]["lost"].to_string().contains(told), "{change}: {report}");
        drop(db);
        let db = rusqlite::Connection::open(home.join("lorekeep.db")).unwrap();
        let after: i64 = db.query_row(all, [], |row| row.get(0)).unwrap();
        assert_eq!(after, before, "{change}: {report}");
    }
}

#[test]
fn counters_that_are_lost_take_no_change_with_them() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let db = rusqlite::Connection::open(home.join("lorekeep.db")).unwrap();
    let find = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_sequence'";
    let page: i64 = db.query_row(find, [], |row| row.get(0)).unwrap();
    drop(db);
    let at = (usize::try_from(page).unwrap() - 1) * 4096;
    super::flip(&home.join("lorekeep.db"), at, 4096, &mut super::Chance::new(3));
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy && report["repair"]["lost"] == json!([]), "{report}");
    assert_eq!(listed(&home).unwrap(), gold.memories);
}

#[test]
fn a_server_that_reads_a_damaged_store_keeps_others_from_repairing_it_under_its_hands() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    flip_letter(&home, "note 12,");
    listed(&home).unwrap();
    assert!(home.join("lorekeep.damaged").exists());
    let mut client = Stdio1::start(&home, &ALL);
    assert!(!client.call("query_memories", json!({"limit": 3})).is_error);
    let output = run(&home, &["doctor", "--repair"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("the store is in use"), "{said}");
    assert_eq!(client.finish(), Some(0));
    assert!(doctor(&home, &["--repair"]).0);
}
