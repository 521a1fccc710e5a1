//! The n-th write, sync, rename … fails, or the disk is full from then on; for every n.
//!
//! After each the call failed with a clear error or succeeded, the server went on, the store opens, and all that
//! was acknowledged is there. Here every so many n are tried; `LOREKEEP_FAULTS=all` (`scripts/soak --faults`)
//! tries all.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::json;

use super::story::{self, Told};
use super::{Bed, FIRST_STEPS, is_all, shim};
use crate::support::{Stdio1, number, seed};

/// The classes of calls, in the order of the shim's counts.
pub(super) const CLASSES: [&str; 6] = ["write", "sync", "truncate", "rename", "unlink", "create"];

/// What fails.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fault {
    pub(super) class: &'static str,
    pub(super) nth: u64,
    pub(super) how: &'static str,
}

/// No fault: everything is counted.
pub(super) const NONE: Fault = Fault { class: "write", nth: 0, how: "eio" };

impl Fault {
    /// Loads the shim into what this command starts: it watches `dir` and counts in `state`.
    pub(super) fn load(self, dir: &Path, state: &Path, command: &mut Command) {
        std::fs::write(state, [0; 8 * (CLASSES.len() + 1)]).unwrap();
        command
            .env("LD_PRELOAD", shim())
            .env("FAULT_DIR", dir)
            .env("FAULT_STATE", state)
            .env("FAULT_CLASS", self.class)
            .env("FAULT_NTH", self.nth.to_string())
            .env("FAULT_HOW", self.how);
    }
}

/// A server that the shim is loaded into.
fn faulty(bed: &Bed, fault: Fault) -> Stdio1 {
    let mut command = bed.command();
    fault.load(bed.dir.path(), &bed.state(), &mut command);
    bed.server(command)
}

/// How many calls of each class there were.
pub(super) fn counts(state: &Path) -> [u64; CLASSES.len()] {
    let bytes = std::fs::read(state).unwrap();
    std::array::from_fn(|at| u64::from_ne_bytes(bytes[8 * at..][..8].try_into().unwrap()))
}

/// Whether the fault came.
pub(super) fn has_come(state: &Path) -> bool {
    std::fs::read(state).unwrap()[8 * CLASSES.len()] == 1
}

/// One story with one fault. What was wrong, and whether the fault came.
fn suffer(bed: &Bed, steps_max: usize, fault: Fault) -> (Vec<String>, bool) {
    let mut wrong = Vec::new();
    let mut server = faulty(bed, fault);
    let told = story::tell_part(&mut server, steps_max, Duration::ZERO);
    if !told.is_answered() {
        wrong.push("the server ended before it had answered".to_owned());
    } else if matches!(fault.how, "eio" | "enospc") && has_come(&bed.state()) {
        wrong.extend(goes_on(&mut server));
    }
    let code = server.finish();
    if code != Some(0) {
        wrong.push(format!("the server ended with {code:?}"));
    }
    wrong.extend(unclear(&told, &bed.errors()));
    let has_come = has_come(&bed.state());
    let said = bed.errors();
    let mut server = bed.server(bed.command());
    wrong.extend(told.lost(&mut server, None, &[]));
    wrong.extend(goes_on(&mut server));
    if server.finish() != Some(0) {
        wrong.push("the next server did not end".to_owned());
    }
    wrong.extend(bed.problems());
    if !wrong.is_empty() {
        wrong.push(format!("it had said: {said}"));
    }
    (wrong, has_come)
}

/// What still fails although the disk is in order.
fn goes_on(server: &mut Stdio1) -> Vec<String> {
    let mut wrong = Vec::new();
    let calls = [
        ("memory_add", json!({"content": "Life goes on."})),
        ("bridge-record", json!({"prompt": "Does it go on?", "response": "It does."})),
        ("sync_git", json!({})),
    ];
    for (tool, arguments) in calls {
        match server.try_call(tool, &arguments) {
            Some(reply) if !reply.is_error => {}
            Some(reply) => wrong.push(format!("afterwards {tool} fails: {}", reply.value)),
            None => wrong.push(format!("afterwards {tool} is not answered")),
        }
    }
    wrong
}

/// Whether an error tells nobody what happened.
pub(super) fn is_unclear(text: &str) -> bool {
    let text = text.to_lowercase();
    ["panic", "internal error", "poison", "unwrap", "the store is closed"]
        .iter()
        .any(|word| text.contains(word))
}

/// Errors that tell nobody what happened.
fn unclear(told: &Told, errors: &str) -> Vec<String> {
    let said = told.refusals.iter().map(String::as_str).chain(errors.lines());
    said.filter(|text| is_unclear(text)).map(|text| format!("unclear: {text}")).collect()
}

/// Which n of so many are tried: so many of them, evenly, and others with another seed; all if that is asked for, or
/// the one that `LOREKEEP_FAULT` names.
pub(super) fn numbers(count: u64, tries_max: u64) -> Vec<u64> {
    if let Some(only) = number("LOREKEEP_FAULT") {
        return vec![only];
    }
    let step = if is_all() { 1 } else { count.div_ceil(tries_max).max(1) };
    let first = 1 + (step / 2).wrapping_add(seed()) % step;
    (first..=count).step_by(usize::try_from(step).unwrap()).collect()
}

/// Tries so many n of a class, evenly (all if that is asked for), on every core.
fn sweep(class: &'static str, how: &'static str, tries_max: u64) {
    sweep_part(&Bed::prepared(), usize::MAX, class, how, tries_max);
}

/// The same with the first steps of the story, on this store.
fn sweep_part(
    prepared: &Bed,
    steps_max: usize,
    class: &'static str,
    how: &'static str,
    tries_max: u64,
) {
    let bed = prepared.copy();
    let mut server = faulty(&bed, NONE);
    story::tell_part(&mut server, steps_max, Duration::ZERO);
    goes_on(&mut server);
    assert_eq!(server.finish(), Some(0));
    let index = CLASSES.iter().position(|name| *name == class).unwrap();
    let count = counts(&bed.state())[index];
    assert!(count > 0, "there is no {class}");
    let numbers = numbers(count, tries_max);
    let begin = std::time::Instant::now();
    let (next, came, wrong) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = usize::try_from(next.fetch_add(1, Ordering::Relaxed)).unwrap();
                    let Some(&nth) = numbers.get(at) else { return };
                    let fault = Fault { class, nth, how };
                    let (problems, has_come) = suffer(&prepared.copy(), steps_max, fault);
                    came.fetch_add(u64::from(has_come), Ordering::Relaxed);
                    if !problems.is_empty() {
                        eprintln!("{fault:?}: {problems:#?}");
                        wrong.lock().unwrap().push((fault, problems));
                    }
                }
            });
        }
    });
    let (tried, seconds) = (numbers.len() as u64, begin.elapsed().as_secs_f64());
    let came = came.into_inner();
    eprintln!("{class} {how}: {tried} of {count} tried in {seconds:.1} s, {came} came");
    // The last ones may not be reached: what threads do together is not always the same.
    assert!(came > 0 && tried - came <= 1.max(tried / 5), "{came} of {tried} faults came");
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {tried}: {wrong:#?}", wrong.len());
}

#[test]
fn the_story_calls_every_tool_that_writes_and_all_of_it_is_there_afterwards() {
    let bed = Bed::prepared();
    let mut server = faulty(&bed, NONE);
    let told = story::tell(&mut server);
    told.assert_whole();
    let listed = server.request("tools/list", &json!({}));
    let writes = listed["result"]["tools"].as_array().unwrap().iter().filter_map(|tool| {
        let is_read = tool["annotations"]["readOnlyHint"] == true;
        (!is_read).then(|| tool["name"].as_str().unwrap())
    });
    let called = told.tools();
    let missing: Vec<&str> = writes.filter(|name| !called.contains(name)).collect();
    assert_eq!(missing, Vec::<&str>::new(), "the story must call them, too");
    assert_eq!(server.finish(), Some(0));
    eprintln!("{:?}: {:?}", CLASSES, counts(&bed.state()));
    let mut server = bed.server(bed.command());
    assert_eq!(told.lost(&mut server, None, &[]), Vec::<String>::new());
    assert_eq!(server.finish(), Some(0));
    assert_eq!(bed.problems(), Vec::<String>::new());
}

#[test]
fn a_write_fails() {
    sweep("write", "eio", 20);
}

#[test]
fn a_write_finds_no_room_once() {
    sweep("write", "enospc", 8);
}

#[test]
fn the_disk_is_full_from_then_on() {
    sweep("write", "full", 20);
}

#[test]
fn half_of_a_write_fits_and_then_the_disk_is_full() {
    sweep("write", "short", 15);
}

#[test]
fn a_sync_fails() {
    sweep("sync", "eio", 19);
}

#[test]
fn a_file_cannot_be_cut() {
    sweep("truncate", "eio", 10);
}

#[test]
fn a_rename_or_a_link_fails() {
    sweep("rename", "eio", 18);
}

#[test]
fn a_file_cannot_be_removed() {
    sweep("unlink", "eio", 13);
}

#[test]
fn a_file_cannot_be_made() {
    sweep("create", "enospc", 11);
}

#[test]
fn no_file_can_be_made_from_then_on() {
    sweep("create", "full", 8);
}

#[test]
fn a_store_that_cannot_be_made_is_made_by_the_next() {
    for (class, how, tries) in [
        ("write", "eio", 6),
        ("write", "full", 4),
        ("sync", "eio", 4),
        ("rename", "eio", 3),
        ("unlink", "eio", 3),
        ("create", "enospc", 5),
    ] {
        sweep_part(&Bed::bare(), FIRST_STEPS, class, how, tries);
    }
}
