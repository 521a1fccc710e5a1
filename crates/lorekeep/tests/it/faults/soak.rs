//! Eight processes work on one store with every toolset, and one after the other is killed.
//!
//! At the end nothing acknowledged is lost, nothing is there twice, database and git are sound; and a ninth
//! process that lived through all of it holds no more memory and no more open files than before.
//! It ends after so many kills, calls and looks. `scripts/soak --minutes 60` is the long form: the same code, with
//! the time in `LOREKEEP_SOAK_SECONDS`.

mod worker;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::json;

use super::Bed;
use crate::outside::loopback::Loopback;
use crate::support::{Stdio1, number, signal};
use worker::{Known, Worker, call};

const PROCESSES: usize = 8;

/// So often one is killed, if the eight have come so much further.
const KILL_EVERY: Duration = Duration::from_millis(300);
const ANSWERED_BETWEEN: u64 = 8;

/// Without a time of its own the test ends when so many were killed, so many calls were answered, and the ninth was
/// looked at so often: that does not depend on how fast the machine is.
const KILLED_MIN: u64 = 33;
const ANSWERED_MIN: u64 = 3_000;
const LOOKS_MIN: usize = 64;

/// After so long the ninth is warm: what it remembers of texts and pages it has seen fills up within the first minute.
/// In less time its memory is held to [`MEMORY_MAX_KB`] alone.
const WARM_AFTER: Duration = Duration::from_secs(120);

/// How many more kilobytes of its own it may hold in the last quarter of its life than in the second, once it is warm:
/// nothing may grow after that.
const MORE_MEMORY_KB: u64 = 4 << 10;

/// How many it may hold at all: twice what was seen.
const MEMORY_MAX_KB: u64 = 40 << 10;
const MORE_FILES: u64 = 4;

/// Kills one of these at random, again and again, and counts them.
fn kill(pids: &[AtomicU64], known: &Mutex<Known>, is_over: &AtomicBool, killed: &AtomicU64) {
    let (mut dice, mut next) = (1_u64, 0);
    while !is_over.load(Ordering::Relaxed) {
        std::thread::sleep(KILL_EVERY);
        let answered = known.lock().unwrap().answered;
        if answered < next {
            continue;
        }
        next = answered + ANSWERED_BETWEEN;
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(dice >> 33).unwrap() % pids.len();
        // Taken out, so that nobody is killed twice: the number may be another's by then.
        let pid = pids[at].swap(0, Ordering::Relaxed);
        if pid != 0 {
            let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).unwrap());
            let is_killed = nix::sys::signal::kill(pid, Signal::SIGKILL).is_ok();
            killed.fetch_add(u64::from(is_killed), Ordering::Relaxed);
        }
    }
}

/// What a process holds: kilobytes of memory, open files.
#[derive(Debug, Clone, Copy)]
struct Held {
    memory: u64,
    files: u64,
}

/// Memory of its own: what is mapped of the program and of the database is the system's to keep or to drop.
fn held(pid: u32) -> Held {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
    let line = maps.lines().find_map(|line| line.strip_prefix("Anonymous:")).unwrap();
    let memory = line.trim().trim_end_matches(" kB").parse().unwrap();
    let files = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count() as u64;
    Held { memory, files }
}

fn median(all: &[Held], of: impl Fn(&Held) -> u64) -> u64 {
    let mut values: Vec<u64> = all.iter().map(of).collect();
    values.sort_unstable();
    values[values.len() / 2]
}

/// The ninth reads all the time what the others write, and writes a little; what it held.
fn watch(
    server: &mut Stdio1,
    known: &Mutex<Known>,
    is_enough: impl Fn(&[Held]) -> bool,
) -> Vec<Held> {
    let pid = server.child.id();
    let begin = Instant::now();
    let (mut all, mut turn, mut told) = (Vec::new(), 0_u64, 0);
    while !is_enough(&all) {
        turn += 1;
        let newest = known.lock().unwrap().memories.last().cloned();
        if let Some(text) = newest {
            let found = call(server, "memory_search", &json!({"query": text})).unwrap();
            assert!(!found.is_error, "{}", found.value);
        }
        let calls = [
            ("get_decisions", json!({"limit": 5})),
            ("query_memories", json!({"limit": 5})),
            ("get_recent_events", json!({"limit": 5})),
            (
                "memory_add",
                json!({"content": "The ninth was here.", "tags": [format!("t{}", turn % 9)]}),
            ),
        ];
        for (tool, arguments) in calls {
            let said = call(server, tool, &arguments).unwrap();
            assert!(!said.is_error, "{tool}: {}", said.value);
        }
        all.push(held(pid));
        let minute = begin.elapsed().as_secs() / 60;
        if minute > told {
            told = minute;
            let known = known.lock().unwrap();
            let Held { memory, files } = held(pid);
            eprintln!(
                "{minute} min: {} calls answered, {} memories, {} records, {} things, {} files; the ninth: {memory} kB, {files} open files",
                known.answered,
                known.memories.len(),
                known.records.len(),
                known.things.len(),
                known.files.len()
            );
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    all
}

#[test]
fn eight_processes_killed_at_random_lose_nothing_and_a_ninth_stays_as_it_is() {
    let time_min = number("LOREKEEP_SOAK_SECONDS").map(Duration::from_secs);
    let bed = Bed::prepared();
    let page = Loopback::answering(|_, _| {
        Some(("200 OK\r\ncontent-type: text/html", "<p>The heron stands.</p>".to_owned()))
    });
    let known = Mutex::new(Known::default());
    let is_over = AtomicBool::new(false);
    let pids: Vec<AtomicU64> = (0..PROCESSES).map(|_| AtomicU64::new(0)).collect();
    let mut ninth = bed.server(bed.command());
    let (killed, begin) = (AtomicU64::new(0), Instant::now());
    let watched = std::thread::scope(|scope| {
        for (number, pid) in pids.iter().enumerate() {
            let (bed, known, is_over, page) = (&bed, &known, &is_over, page.url.as_str());
            scope.spawn(move || {
                Worker::new(bed, page, known, number).work(is_over, pid);
            });
        }
        scope.spawn(|| kill(&pids, &known, &is_over, &killed));
        let is_enough = |looks: &[Held]| match time_min {
            Some(time) => begin.elapsed() >= time,
            None => {
                killed.load(Ordering::Relaxed) >= KILLED_MIN
                    && known.lock().unwrap().answered >= ANSWERED_MIN
                    && looks.len() >= LOOKS_MIN
            }
        };
        let watched = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            watch(&mut ninth, &known, is_enough)
        }));
        is_over.store(true, Ordering::Relaxed);
        watched.expect("the ninth goes on")
    });
    let killed = killed.into_inner();
    signal(&ninth.child, Signal::SIGTERM);
    assert_eq!(ninth.finish(), Some(0), "the ninth ends in order");
    let known = known.into_inner().unwrap();
    eprintln!(
        "{} s: {killed} killed, {} calls answered, {} memories, {} deleted, {} records, {} things",
        begin.elapsed().as_secs(),
        known.answered,
        known.memories.len(),
        known.deleted.len(),
        known.records.len(),
        known.things.len()
    );
    assert_eq!(known.refused, Vec::<String>::new());
    assert_eq!(lost(&bed.data(), &known), Vec::<String>::new());
    assert_eq!(spoilt(&bed, &known), Vec::<String>::new());
    assert_eq!(bed.problems(), Vec::<String>::new());
    flat(&watched, begin.elapsed());
}

/// The ninth holds no more at the end than it did when it was warm, and never much.
fn flat(watched: &[Held], time: Duration) {
    assert!(watched.len() >= 16, "{} looks", watched.len());
    let quarter = watched.len() / 4;
    let (second, last) = (&watched[quarter..2 * quarter], &watched[3 * quarter..]);
    let memory = [second, last].map(|all| median(all, |held| held.memory));
    let files = [second, last].map(|all| median(all, |held| held.files));
    eprintln!("the ninth: {memory:?} kB, {files:?} open files (second and last quarter)");
    let most = watched.iter().map(|held| held.memory).max();
    assert!(most <= Some(MEMORY_MAX_KB), "much memory: {most:?} kB");
    let is_warm = time >= WARM_AFTER;
    assert!(!is_warm || memory[1] <= memory[0] + MORE_MEMORY_KB, "memory grows: {memory:?} kB");
    assert!(files[1] <= files[0] + MORE_FILES, "files stay open: {files:?}");
}

/// What was acknowledged and is not there, or there twice.
fn lost(data: &Path, known: &Known) -> Vec<String> {
    let db = rusqlite::Connection::open(data.join("lorekeep.db")).unwrap();
    let counts = |sql: &str| -> BTreeMap<String, u64> {
        let mut statement = db.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let mut counts = BTreeMap::new();
        rows.for_each(|row| *counts.entry(row.unwrap()).or_default() += 1);
        counts
    };
    let memories = counts("SELECT content FROM memory");
    let records = counts("SELECT title FROM record");
    let things = counts("SELECT name FROM entity");
    let expected = [
        (&memories, &known.memories, 1),
        (&memories, &known.deleted, 0),
        (&records, &known.records, 1),
        (&records, &known.forgotten, 0),
        (&things, &known.things, 1),
    ];
    let mut wrong = uncommitted(data, &known.records);
    for (there, names, times) in expected {
        let count = |name: &String| there.get(name).copied().unwrap_or(0);
        let others = names.iter().filter(|name| count(name) != times);
        wrong.extend(others.map(|name| format!("{name:?} is there {} times", count(name))));
    }
    wrong
}

/// Files that were written and are not as they were, or not found any more; events that are not noted.
fn spoilt(bed: &Bed, known: &Known) -> Vec<String> {
    let db = rusqlite::Connection::open(bed.data().join("lorekeep.db")).unwrap();
    let texts = |sql: &str| -> Vec<String> {
        let mut statement = db.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let indexed = texts(
        "SELECT d.path || char(10) || c.content FROM chunk c, document d ON d.id = c.document",
    );
    let indexed: BTreeSet<&str> = indexed.iter().flat_map(|text| text.split_whitespace()).collect();
    let mut wrong = Vec::new();
    for (path, text) in &known.files {
        let full = bed.work().join(path);
        if std::fs::read_to_string(&full).ok().as_ref() != Some(text) {
            wrong.push(format!("{path} is not as it was written"));
        }
        if !indexed.contains(full.canonicalize().unwrap_or(full).to_str().unwrap()) {
            wrong.push(format!("{path} is not indexed"));
        }
    }
    let noted = texts("SELECT description || ' ' || metadata FROM episode");
    let split = |c: char| !c.is_ascii_alphanumeric();
    let noted: BTreeSet<&str> = noted.iter().flat_map(|text| text.split(split)).collect();
    let lost = known.events.iter().filter(|name| !noted.contains(name.as_str()));
    wrong.extend(lost.map(|name| format!("the event {name} is lost")));
    wrong
}

/// The titles of records that git has no commit of, or more than one.
fn uncommitted(data: &Path, records: &BTreeSet<String>) -> Vec<String> {
    let git = std::process::Command::new("git")
        .arg("-C")
        .arg(data.join("ledger"))
        .args(["log", "--format=%s"])
        .output()
        .expect("git");
    let subjects = String::from_utf8_lossy(&git.stdout).into_owned();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for subject in subjects.lines() {
        *counts.entry(subject).or_default() += 1;
    }
    let count = |title: &String| {
        let subject = match title.starts_with("Propose") {
            true => format!("Record proposal: {title}"),
            false => format!("Record decision: {title}"),
        };
        counts.get(subject.as_str()).copied().unwrap_or(0)
    };
    records
        .iter()
        .filter(|title| count(title) != 1)
        .map(|t| format!("commits of {t}: {}", count(t)))
        .collect()
}
