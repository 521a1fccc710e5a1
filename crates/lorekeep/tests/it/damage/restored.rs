//! A store that was restored is on another line of time: what the old one did later is no measure of it.

use serde_json::json;

use super::{Gold, backups, doctor, listed, run, wrong};

#[test]
fn what_is_written_after_a_restore_is_not_taken_for_damage_nor_overwritten() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let id = gold.note();
    let early = home.with_extension("early.db");
    assert!(run(&home, &["backup", early.to_str().unwrap()]).status.success());
    let update = |text: &str| {
        let arguments = json!({"id": id, "content": text}).to_string();
        assert!(run(&home, &["call", "update_memory", &arguments]).status.success());
    };
    update("the first line of time");
    // Names of backups have seconds.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    backups::wait_for_one(&home);
    assert!(run(&home, &["restore", early.to_str().unwrap()]).status.success());
    assert!(doctor(&home, &[]).0, "right after it");
    update("the second line of time");
    for number in 0..3 {
        let note = json!({"content": format!("after the restore {number}")}).to_string();
        assert!(run(&home, &["call", "memory_add", &note]).status.success());
    }
    let before = listed(&home).unwrap();
    let (is_healthy, told) = doctor(&home, &[]);
    assert!(is_healthy, "{}", wrong(&told));
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy && report["repair"]["problems"] == json!([]), "{report}");
    assert_eq!(listed(&home).unwrap(), before);
    assert!(run(&home, &["audit", "verify"]).status.success());
    // What was on both lines is still mended by what is older than the restore.
    let db = rusqlite::Connection::open(home.join("lorekeep.db")).unwrap();
    db.execute(
        "UPDATE memory SET importance = 0.987 WHERE seq IN (SELECT max(seq) - 4 FROM memory)",
        [],
    )
    .unwrap();
    drop(db);
    let (_, report) = doctor(&home, &["--repair"]);
    assert!(
        report["repair"]["restored"].to_string().contains("as they were in the backup"),
        "{report}"
    );
    assert_eq!(listed(&home).unwrap(), before, "{report}");
}
