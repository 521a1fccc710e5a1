//! Bytes flipped in the ledger: files of the work tree, objects, packs, HEAD, branches, the index.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::{Chance, Gold, answers, decided, doctor, flip, listed, run, wrong};

/// The files below a folder whose path says that they are such.
pub(super) fn files(dir: &Path, is_such: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(dir) else { return found };
    for entry in entries.map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, is_such));
        } else if is_such(path.to_str().unwrap()) {
            found.push(path);
        }
    }
    found.sort();
    found
}

pub(super) fn git(home: &Path, args: &[&str]) -> (bool, String) {
    let mut command = Command::new("git");
    command.arg("-C").arg(home.join("ledger")).args(args);
    let output = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

/// Records a decision.
fn record(home: &Path) -> Output {
    let arguments =
        r#"{"title": "Go on", "target": "after", "rationale": "So that it is known to work."}"#;
    run(home, &["call", "record_decision", arguments])
}

/// Damages the ledger and looks what becomes of it. True if it was found.
fn try_one(gold: &Gold, home: &Path, told: &str) -> bool {
    // Memories are none of the ledger's business.
    assert_eq!(listed(home).unwrap_or_else(|why| panic!("{told}: {why}")), gold.memories, "{told}");
    // What the tools of the ledger answer is right, or an error.
    let titles = decided(&gold.home()).unwrap();
    if let Ok(answered) = decided(home) {
        assert_eq!(answered, titles, "{told}");
    }
    let (is_healthy, before) = doctor(home, &[]);
    let (_, report) = doctor(home, &["--repair"]);
    let (is_mended, after) = doctor(home, &[]);
    // What is lost of the history is told, and is nothing to be repaired again.
    let is_history = report["repair"]["lost"].to_string().contains("history");
    assert!(is_mended, "{told}: {} after {report}", wrong(&after));
    assert_eq!(after.to_string().contains("history is lost"), is_history, "{told}: {after}");
    let decisions = answers(home).unwrap()["decisions"].clone();
    assert_eq!(decisions, gold.answers["decisions"], "{told}: {report}");
    let written = record(home);
    assert!(written.status.success(), "{told}: {}", String::from_utf8_lossy(&written.stdout));
    if !is_history {
        let (is_whole, said) = git(home, &["fsck", "--full"]);
        assert!(is_whole, "{told}: {said} after {report}");
    }
    let is_named = wrong(&before).contains("ledger");
    assert!(is_healthy || is_named, "{told}: {}", wrong(&before));
    !is_healthy
}

/// Trials on the files that `is_such` names. How many were found, of how many.
fn trials(
    seed: u64,
    count: usize,
    setup: &[&str],
    is_such: &dyn Fn(&str) -> bool,
) -> (usize, usize) {
    let gold = Gold::make();
    if !setup.is_empty() {
        let (is_done, said) = git(&gold.home(), setup);
        assert!(is_done, "{said}");
    }
    let mut chance = Chance::new(seed);
    let mut found = 0;
    for _ in 0..count {
        let home = gold.copy("trial");
        let all = files(&home.join("ledger"), is_such);
        assert!(!all.is_empty(), "there are such files");
        let file = &all[chance.below(all.len())];
        let at = chance.below(usize::try_from(std::fs::metadata(file).unwrap().len()).unwrap());
        flip(file, at, 1, &mut chance);
        // A compressed object has bits that mean nothing, as those between its data and its checksum.
        let is_unchanged = is_object(file.to_str().unwrap()) && git(&home, &["fsck", "--full"]).0;
        let told = format!("seed {seed}, byte {at} of {file:?}");
        found += usize::from(try_one(&gold, &home, &told) || is_unchanged);
    }
    (found, count)
}

#[test]
fn packs_and_their_indexes() {
    let is_pack = |path: &str| path.contains("/objects/pack/pack-");
    let (found, of) = trials(21, 10, &[], &is_pack);
    assert_eq!(found, of, "each has a checksum");
}

#[test]
fn packs_that_git_made() {
    let is_pack = |path: &str| path.ends_with(".pack") || path.ends_with(".idx");
    let (found, of) = trials(24, 10, &["gc", "--quiet"], &is_pack);
    assert_eq!(found, of, "each has a checksum");
}

#[test]
fn nobody_writes_on_top_of_what_cannot_be_read() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    assert!(git(&home, &["gc", "--quiet"]).0);
    let (_, count) = git(&home, &["rev-list", "--count", "HEAD"]);
    let is_index = |path: &str| path.ends_with(".idx");
    for file in files(&home.join("ledger"), &is_index) {
        // Where which object is.
        flip(&file, 8, 1_024, &mut Chance::new(7));
    }
    let (_, stood) = git(&home, &["rev-parse", "HEAD"]);
    // It is in the store, and promised to git.
    let recorded = record(&home);
    let recorded: serde_json::Value = serde_json::from_slice(&recorded.stdout).unwrap();
    assert_eq!(git(&home, &["rev-parse", "HEAD"]).1, stood);
    let said = run(&home, &["log"]);
    let text = String::from_utf8_lossy(&[said.stdout, said.stderr].concat()).into_owned();
    assert!(!said.status.success() && text.contains("doctor --repair"), "{text}");
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy && report["repair"]["lost"] == serde_json::json!([]), "{report}");
    assert!(run(&home, &["call", "sync_git", "{}"]).status.success());
    let (_, now) = git(&home, &["rev-list", "--count", "HEAD"]);
    assert_eq!(now.trim().parse::<u32>().unwrap(), count.trim().parse::<u32>().unwrap() + 1);
    assert!(git(&home, &["ls-files"]).1.contains(recorded["fid"].as_str().unwrap()));
    assert_eq!(git(&home, &["status", "--porcelain"]).1, "");
    assert!(git(&home, &["fsck", "--full"]).0);
}

/// Makes single objects of all that is in packs.
const UNPACK: &[&str] = &[
    "-c",
    "alias.unpack=!mkdir .git/old && mv .git/objects/pack/* .git/old/ \
               && for pack in .git/old/*.pack; do git unpack-objects -q < $pack; done",
    "unpack",
];

/// Whether that is the path of a single object.
fn is_object(path: &str) -> bool {
    let parts: Vec<&str> = path.rsplit('/').take(3).collect();
    parts[0].len() == 38 && parts[1].len() == 2 && parts[2] == "objects"
}

#[test]
fn single_objects() {
    let (found, of) = trials(22, 10, UNPACK, &is_object);
    assert_eq!(found, of, "each has a checksum");
}

#[test]
fn the_checksum_of_a_single_object() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let (is_done, said) = git(&home, UNPACK);
    assert!(is_done, "{said}");
    for file in files(&home.join("ledger"), &is_object) {
        let last = usize::try_from(std::fs::metadata(&file).unwrap().len()).unwrap() - 1;
        flip(&file, last, 1, &mut Chance::new(7));
    }
    let (is_healthy, told) = doctor(&home, &[]);
    assert!(!is_healthy && wrong(&told).contains("is not what its name says"), "{told}");
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy && report["repair"]["lost"] == serde_json::json!([]), "{report}");
    let (is_whole, said) = git(&home, &["fsck", "--full"]);
    assert!(is_whole, "{said}");
}

#[test]
fn a_lost_object_of_the_history_is_told_and_repaired_once() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let arguments =
        r#"{"title": "Go on", "target": "after", "rationale": "So that it is known to work."}"#;
    let recorded = run(&home, &["call", "record_decision", arguments]);
    let recorded: serde_json::Value = serde_json::from_slice(&recorded.stdout).unwrap();
    let change = serde_json::json!({"fid": recorded["fid"], "confidence": 0.5});
    assert!(run(&home, &["call", "update_decision", &change.to_string()]).status.success());
    let (is_done, said) = git(&home, UNPACK);
    assert!(is_done, "{said}");
    let (_, listed) = git(&home, &["diff", "--raw", "--no-abbrev", "HEAD~1", "HEAD"]);
    let id = listed.split(' ').nth(2).unwrap();
    let object = format!("ledger/.git/objects/{}/{}", &id[..2], &id[2..]);
    std::fs::remove_file(home.join(object)).unwrap();
    assert!(!doctor(&home, &[]).0);
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy && report["repair"]["lost"].to_string().contains(id), "{report}");
    let entries = || run(&home, &["audit", "--json"]).stdout;
    let before = entries();
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy && report["repair"]["lost"] == serde_json::json!([]), "{report}");
    let note = report["findings"].as_array().unwrap().iter().find(|found| found["state"] == "note");
    assert!(note.unwrap()["text"].as_str().unwrap().contains(id), "{report}");
    assert_eq!(entries(), before, "nothing was done");
}

#[test]
fn head_and_branches() {
    let is_ref = |path: &str| path.ends_with(".git/HEAD") || path.ends_with(".git/refs/heads/main");
    // Where git's own notes tell which commit it was, whoever opens the ledger mends it unasked.
    let (found, of) = trials(23, 10, &[], &is_ref);
    assert!(found >= 2, "{found} of {of}");
}

#[test]
fn the_index_of_git() {
    let (found, of) = trials(24, 6, &[], &|path| path.ends_with(".git/index"));
    assert_eq!(found, of, "it has a checksum");
}

#[test]
fn files_of_the_work_tree() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let all =
        files(&home.join("ledger"), &|path| path.ends_with(".md") && !path.contains("/.git/"));
    // One that cannot be read any more is put back, and kept.
    let text = std::fs::read(&all[0]).unwrap();
    let mut broken = text.clone();
    broken[1] = 0xff;
    std::fs::write(&all[0], &broken).unwrap();
    // One that can be read is a person's edit, and stays.
    let edited = String::from_utf8(std::fs::read(&all[1]).unwrap()).unwrap();
    let edited = edited.replace("There are many reasons", "There are some reasons");
    std::fs::write(&all[1], &edited).unwrap();
    let (is_healthy, told) = doctor(&home, &[]);
    assert!(!is_healthy && wrong(&told).contains("lorekeep doctor --repair"), "{told}");
    assert!(told.to_string().contains("was edited by hand"), "{told}");
    let shown = ["There are some reasons", "was", "There are many reasons"];
    assert!(shown.iter().all(|words| told.to_string().contains(words)), "{told}");
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy, "{report}");
    assert_eq!(std::fs::read(&all[0]).unwrap(), text);
    assert_eq!(std::fs::read_to_string(&all[1]).unwrap(), edited);
    let kept = report["repair"]["kept"][0].as_str().unwrap();
    let kept = files(Path::new(kept), &|_| true);
    assert_eq!(std::fs::read(&kept[0]).unwrap(), broken, "what was there is kept");
}

#[test]
fn a_database_that_is_lost_is_made_of_the_backup_and_of_git() {
    let gold = Gold::make();
    let home = gold.copy("trial");
    let later = run(
        &home,
        &[
            "call",
            "record_decision",
            r#"{"title": "Later", "target": "later", "rationale":
            "It came after the backup, and only git has it by now."}"#,
        ],
    );
    assert!(later.status.success());
    std::fs::write(home.join("lorekeep.db"), vec![0xa5; 90_000]).unwrap();
    let (is_healthy, report) = doctor(&home, &["--repair"]);
    assert!(is_healthy, "{}", wrong(&report));
    assert_eq!(listed(&home).unwrap(), gold.memories);
    let mut titles = decided(&gold.home()).unwrap();
    titles.push("Later".to_owned());
    titles.sort();
    assert_eq!(decided(&home).unwrap(), titles, "{report}");
}
