//! Bytes flipped in the database: in its header, its schema, in tables, indexes, long texts and pages
//! that nobody uses.

use std::path::Path;

use serde_json::Value;

use super::{Chance, Gold, answers, decided, doctor, flip, listed, run, wrong};

/// What came of trials.
#[derive(Debug, Default)]
struct Tally {
    found: usize,
    harmless: usize,
}

/// One trial on a copy that was damaged: whatever is answered is right, and after the repair all that
/// was there is there.
fn try_one(gold: &Gold, home: &Path, told: &str, tally: &mut Tally) {
    match listed(home) {
        Ok(memories) => {
            for (id, memory) in &memories {
                let was = gold.memories.get(id);
                // A text that was damaged is never answered; another value is found by the doctor, as
                // against the backup.
                let text = |memory: Option<&Value>| memory.map(|memory| memory["content"].clone());
                assert_eq!(text(Some(memory)), text(was), "{told}");
                if was != Some(memory) {
                    assert!(!doctor(home, &[]).0, "{told}: {memory} was {was:?}, and nobody knows");
                }
            }
        }
        Err(why) => {
            let is_named = why.contains("lorekeep.db") || why.contains("cannot be read");
            let says_so =
                ["damaged", "broken", "failed", "malformed"].iter().any(|word| why.contains(word));
            assert!(is_named || says_so, "{told}: {why}");
        }
    }
    match answers(home) {
        Ok(said) if said != gold.answers => {
            assert!(!doctor(home, &[]).0, "{told}: {said} was {}, and nobody knows", gold.answers);
        }
        _ => {}
    }
    let (is_healthy, report) = doctor(home, &["--repair"]);
    assert!(is_healthy, "{told}: {}", wrong(&report));
    let was_found = !report["repair"]["problems"].as_array().unwrap().is_empty();
    let after = listed(home).unwrap_or_else(|why| panic!("{told}: {why}"));
    assert_eq!(after, gold.memories, "{told}: {report}");
    if report["repair"]["lost"] == serde_json::json!([]) {
        assert_eq!(answers(home).unwrap(), gold.answers, "{told}: {report}");
    }
    assert_eq!(decided(home).unwrap(), decided(&gold.home()).unwrap(), "{told}: {report}");
    if was_found {
        assert!(!report["repair"]["kept"].as_array().unwrap().is_empty(), "{told}: {report}");
        tally.found += 1;
    } else {
        tally.harmless += 1;
    }
}

/// Trials at places that chance picks among those `pick` offers.
fn trials(seed: u64, count: usize, pick: impl Fn(&mut Chance, &[u8]) -> usize) -> Tally {
    let gold = Gold::make();
    let bytes = std::fs::read(gold.home().join("lorekeep.db")).unwrap();
    let mut chance = Chance::new(seed);
    let mut tally = Tally::default();
    for trial in 0..count {
        let home = gold.copy("trial");
        let at = pick(&mut chance, &bytes);
        let length = [1, 1, 7, 40][trial % 4];
        flip(&home.join("lorekeep.db"), at, length, &mut chance);
        let told = format!(
            "seed {seed}, {length} bytes from {at} (page {}, {})",
            at / 4096 + 1,
            at % 4096
        );
        try_one(&gold, &home, &told, &mut tally);
    }
    tally
}

/// Where a page has something: its head, or its cells, which lie at its end.
fn used(chance: &mut Chance, bytes: &[u8]) -> usize {
    let page = chance.below(bytes.len() / 4096) * 4096;
    match chance.below(4) {
        0 => page + chance.below(16),
        _ => page + 4095 - chance.below(1_500),
    }
}

#[test]
fn the_header_and_the_schema() {
    let tally = trials(1, 24, |chance, _| match chance.below(2) {
        0 => chance.below(100),
        _ => 100 + chance.below(60),
    });
    assert!(tally.found > 10, "{tally:?}");
}

#[test]
fn tables_and_indexes() {
    let tally = trials(2, 30, used);
    assert!(tally.found > 3, "{tally:?}");
}

#[test]
fn tables_and_indexes_once_more() {
    let tally = trials(3, 30, used);
    assert!(tally.found > 3, "{tally:?}");
}

#[test]
fn anywhere() {
    trials(4, 30, |chance, bytes| chance.below(bytes.len()));
}

#[test]
fn texts() {
    // Where the words of memories stand, in rows and on the pages that long ones go on.
    let tally = trials(5, 24, |chance, bytes| {
        let word = b"herons and lakes";
        let places: Vec<usize> =
            (0..bytes.len() - word.len()).filter(|at| bytes[*at..].starts_with(word)).collect();
        places[chance.below(places.len())] + chance.below(word.len())
    });
    // Some stand on a page that a text has left since.
    assert!(tally.found > 12, "{tally:?}");
}

#[test]
fn a_damaged_store_is_read_and_not_written_and_says_what_to_do() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let path = home.join("lorekeep.db");
    let db = rusqlite::Connection::open(&path).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_memory_1'";
    let page: usize =
        db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap().try_into().unwrap();
    drop(db);
    flip(&path, (page - 1) * 4096, 40, &mut Chance::new(9));
    let mut client = crate::support::Stdio1::start(&home, &super::ALL);
    let note = serde_json::json!({"type": "core", "content": "a new one"});
    for _ in 0..2 {
        let refused = client.call("store_memory", note.clone());
        let told = refused.value.to_string();
        assert!(refused.is_error && told.contains("CORRUPTED_DATA"), "{told}");
        assert!(told.contains("lorekeep.db is damaged"), "{told}");
        assert!(told.contains("lorekeep doctor --repair"), "{told}");
    }
    let query = serde_json::json!({"query": "herons and lakes", "limit": 50});
    let found = client.call("memory_search", query);
    assert!(!found.is_error, "{}", found.value);
    assert!(found.value["results"].as_array().unwrap().len() > 5, "{}", found.value);
    // By id, too, though the index of ids is gone: from a copy without the damage.
    let page = serde_json::json!({"limit": 100, "archived": true});
    let all = client.call("query_memories", page).value;
    assert_eq!(all["memories"].as_array().map(Vec::len), Some(gold.memories.len()), "{all}");
    assert_eq!(client.finish(), Some(0));
    let before = std::fs::read(&path).unwrap();
    let dry = doctor(&home, &["--repair", "--dry-run"]);
    assert!(!dry.0 && dry.1["repair"]["dryRun"] == true, "{}", dry.1);
    assert!(dry.1["repair"]["restored"].to_string().contains("memories"), "{}", dry.1);
    assert_eq!(std::fs::read(&path).unwrap(), before, "a dry run changes nothing");
    let mut tally = Tally::default();
    try_one(&gold, &home, "the index of ids", &mut tally);
    assert_eq!(tally.found, 1);
    let written = run(&home, &["call", "store_memory", &note.to_string()]);
    assert!(written.status.success(), "it is written into again");
}

#[test]
fn a_store_in_use_is_not_repaired() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let mut client = crate::support::Stdio1::start(&home, &super::ALL);
    client.call("get_memory_stats", serde_json::json!({}));
    std::fs::write(home.join("lorekeep.damaged"), "somebody says so\n").unwrap();
    let db = rusqlite::Connection::open(home.join("lorekeep.db")).unwrap();
    db.execute("UPDATE memory SET hash = zeroblob(32) WHERE seq = 1", []).unwrap();
    let output = run(&home, &["doctor", "--repair"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("the store is in use"), "{said}");
    assert_eq!(client.finish(), Some(0));
}
