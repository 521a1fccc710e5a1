//! A restore and a repair, each call of which fails or is the last that the process makes: afterwards
//! the store is the one that was there or the one that was to come, never an empty one.

use std::path::Path;
use std::process::Output;

use super::is_all;
use super::nth::{CLASSES, Fault, counts, has_come};
use crate::damage::{Chance, Gold, decided, doctor, flip, listed};
use crate::support::lorekeep;

/// Runs a command with the shim; how many calls of the class there were, and whether the fault came.
fn suffer(home: &Path, args: &[&str], fault: (usize, u64, &'static str)) -> (Output, u64, bool) {
    let state = home.with_extension("state");
    let (class, nth, how) = fault;
    let mut command = lorekeep(home);
    command.args(args).env("LOREKEEP_BACKUPS", "keep=0");
    Fault { class: CLASSES[class], nth, how }.load(home, &state, &mut command);
    let output = command.output().unwrap();
    (output, counts(&state)[class], has_come(&state))
}

/// Lets each call of each class fail, or be the last; `look` says what is wrong afterwards, given the
/// exit code.
fn sweep(
    gold: &Gold,
    prepare: impl Fn() -> std::path::PathBuf,
    args: &[&str],
    look: impl Fn(&Path, Option<i32>) -> Option<String>,
) {
    let (mut wrong, mut tried, mut came) = (Vec::new(), 0, 0);
    for (class, name) in CLASSES.iter().enumerate() {
        let (whole, count, _) = suffer(&prepare(), args, (class, 0, "eio"));
        assert!(whole.status.success(), "{}", String::from_utf8_lossy(&whole.stderr));
        // What moves and removes files is tried whole; writes and syncs are many and alike.
        let tries = if ["rename", "create"].contains(name) || is_all() { count } else { 9 };
        let step = usize::try_from(count.div_ceil(tries).max(1)).unwrap();
        for nth in (1..=count).step_by(step) {
            for how in ["eio", "kill"] {
                let home = prepare();
                let (output, _, has_come) = suffer(&home, args, (class, nth, how));
                tried += 1;
                came += u32::from(has_come);
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                let told = || format!("{name} {nth} of {count}, {how}: {said}");
                if said.contains("panicked") {
                    wrong.push(told());
                }
                wrong.extend(
                    look(&home, output.status.code()).map(|why| format!("{}\n{why}", told())),
                );
            }
        }
    }
    assert!(came * 10 >= tried * 9, "{came} of {tried} faults came");
    assert!(gold.home().exists() && wrong.is_empty(), "{} failed: {wrong:#?}", wrong.len());
}

/// What lacks of the store, or is wrong with it.
fn lacks(gold: &Gold, home: &Path) -> Option<String> {
    let (is_healthy, told) = doctor(home, &[]);
    let lies: Vec<_> =
        std::fs::read_dir(home).unwrap().map(|one| one.unwrap().file_name()).collect();
    match listed(home) {
        Ok(there) if there == gold.memories => {}
        other => return Some(format!("{other:?} in {lies:?}")),
    }
    if decided(home) != decided(&gold.home()) {
        return Some(format!("decisions: {:?}", decided(home)));
    }
    (!is_healthy).then(|| format!("{told:#} in {lies:?}"))
}

#[test]
fn a_restore_that_fails_or_is_killed_anywhere_leaves_one_whole_store() {
    let gold = Gold::make();
    let source = gold.home().with_extension("copy.db");
    let made = lorekeep(&gold.home()).arg("backup").arg(&source).output().unwrap();
    assert!(made.status.success());
    let args = ["restore", source.to_str().unwrap()];
    sweep(&gold, || gold.copy("trial"), &args, |home, _| lacks(&gold, home));
}

#[test]
fn a_repair_that_fails_or_is_killed_anywhere_can_be_made_once_more() {
    let gold = Gold::make();
    let prepare = || {
        let home = gold.copy("trial");
        let path = home.join("lorekeep.db");
        let db = rusqlite::Connection::open(&path).unwrap();
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_memory_1'";
        let page: i64 = db.query_row(sql, [], |row| row.get(0)).unwrap();
        drop(db);
        let at = (usize::try_from(page).unwrap() - 1) * 4096;
        flip(&path, at, 40, &mut Chance::new(9));
        home
    };
    sweep(&gold, prepare, &["doctor", "--repair"], |home, _| {
        doctor(home, &["--repair"]);
        lacks(&gold, home)
    });
}

/// What is wrong with a backup of the store in `home`, if anything is.
fn flaw(backup: &Path, home: &Path) -> Option<String> {
    let header = std::fs::read(backup).unwrap();
    // SQLite's mark of a database without a log.
    if header.get(18) != Some(&1) {
        return Some("it is in WAL mode, or too short".to_owned());
    }
    let ask = |path: &Path, sql: &str| {
        let db = rusqlite::Connection::open(path).unwrap();
        let told = db.query_row(sql, [], |row| row.get::<_, rusqlite::types::Value>(0));
        told.map_err(|why| why.to_string())
    };
    let all = "SELECT count(*) FROM memory";
    let is_sound = ask(backup, "PRAGMA integrity_check") == Ok("ok".to_owned().into());
    let (there, wanted) = (ask(backup, all), ask(&home.join("lorekeep.db"), all));
    let is_whole = is_sound && there.is_ok() && there == wanted;
    (!is_whole).then(|| format!("{there:?} of {wanted:?} memories, sound: {is_sound}"))
}

#[test]
fn a_backup_that_fails_is_not_there_and_one_that_is_there_is_whole() {
    let gold = Gold::make();
    let target = gold.home().with_file_name("trial").join("out.db");
    let args = ["backup", target.to_str().unwrap()];
    sweep(
        &gold,
        || gold.copy("trial"),
        &args,
        |home, code| {
            let lies = std::fs::read_dir(home).unwrap().map(|one| one.unwrap().file_name());
            let lies: Vec<String> = lies.map(|name| name.into_string().unwrap()).collect();
            // What a process leaves that is killed goes with the next backup of its folder, or by hand.
            if code.is_some() && lies.iter().any(|name| name.contains(".unfinished-")) {
                return Some(format!("{lies:?}"));
            }
            match code {
                Some(0) | None if target.exists() => flaw(&target, home),
                Some(0) => Some("there is none".to_owned()),
                Some(_) => target.exists().then(|| format!("{lies:?}")),
                None => None,
            }
        },
    );
}
