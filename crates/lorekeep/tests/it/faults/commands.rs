//! Commands of people and hooks that write, while the n-th write, sync, rename … fails.
//!
//! After each the command said why it failed, or what it did is there; the store opens, is sound, and holds all that was
//! there before. Some n are tried, and others with another seed; `LOREKEEP_FAULTS=all` (`scripts/soak --faults`) tries all.

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Bed;
use super::nth::{CLASSES, Fault, NONE, counts, is_unclear, numbers};
use crate::support::{lorekeep, seed};

/// So many n of each class are tried of a command.
const TRIES_MAX: u64 = 1;

/// What a hook is told.
const PROMPT: &str = r#"{"session_id": "s", "prompt": "We deploy the wombat with ansible.", "last_assistant_message": "ok"}"#;

/// A command, and how it shows that it was done.
struct Deed {
    args: &'static [&'static str],
    input: &'static str,
    /// What shows it, …
    shown_by: &'static [&'static str],
    /// … by these words.
    text: &'static str,
}

const fn deed(
    args: &'static [&'static str],
    shown_by: &'static [&'static str],
    text: &'static str,
) -> Deed {
    Deed { args, input: "", shown_by, text }
}

/// `%` stands for the folder that the command works in.
const DEEDS: [Deed; 9] = [
    deed(&["add", "The wombat digs."], &["recall", "wombat"], "The wombat digs."),
    deed(
        &["decide", "Keep the yak", "--target", "yak", "--because", "It is warm."],
        &["log"],
        "Keep the yak",
    ),
    deed(&["index", "docs"], &["call", "search", r#"{"query": "mongoose"}"#], "mongoose"),
    deed(&["import", "markdown", "docs"], &["recall", "numbat"], "numbat"),
    deed(
        &["knowledge", "new", "Feed the zebra", "--type", "policy", "--summary", "Every day."],
        &["knowledge", "list"],
        "Feed the zebra",
    ),
    // A token that could not be noted in the audit log is there, and revoked.
    deed(&["token", "new", "--name", "tapir"], &["token", "list"], "tapir"),
    deed(&["backup", "%/copy.db"], &["restore", "%/copy.db", "--data-dir", "%/other"], ""),
    deed(&["export", "%/out"], &["import", "lorekeep", "%/out", "--data-dir", "%/other"], ""),
    // Silent whatever happens: it may not stand in the way of an agent.
    Deed { input: PROMPT, ..deed(&["hook", "claude-code", "Stop"], &["stats"], "") },
];

fn run(bed: &Bed, args: &[&str], input: &str, fault: Option<Fault>) -> Output {
    let place = bed.work().to_str().unwrap().to_owned();
    let args = args.iter().map(|arg| arg.replace('%', &place));
    let mut command: Command = lorekeep(&bed.data());
    command.args(args).current_dir(bed.work());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(fault) = fault {
        fault.load(bed.dir.path(), &bed.state(), &mut command);
    }
    let mut child = command.spawn().unwrap();
    // Who does not want it does not read it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn said(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// What is wrong after this command met this fault.
fn suffer(bed: &Bed, deed: &Deed, fault: Fault) -> Vec<String> {
    let done = run(bed, deed.args, deed.input, Some(fault));
    let (code, text) = (done.status.code(), said(&done));
    let mut wrong = Vec::new();
    if !matches!(code, Some(0..=2)) || is_unclear(&text) {
        wrong.push(format!("it ended with {code:?}: {text}"));
    }
    let is_hook = !deed.input.is_empty();
    if code != Some(0) && text.trim().is_empty() && !is_hook {
        wrong.push("it did not say why".to_owned());
    }
    let shown = run(bed, deed.shown_by, "", None);
    let is_there = shown.status.success() && said(&shown).contains(deed.text);
    if code == Some(0) && !is_there && !text.contains("warning") {
        wrong.push(format!("it said {text:?}, and it is not there: {}", said(&shown)));
    }
    let before = run(bed, &["recall", "albatross"], "", None);
    if !said(&before).contains("The albatross was here before.") {
        wrong.push(format!("what was there is gone: {}", said(&before)));
    }
    wrong.extend(bed.problems());
    wrong
}

/// Which faults of this command are tried. Every other command meets a full disk where the next meets an error.
fn faults(prepared: &Bed, deed: &Deed, number: u64) -> Vec<Fault> {
    let bed = prepared.copy();
    let done = run(&bed, deed.args, deed.input, Some(NONE));
    assert!(done.status.success(), "{:?}: {}", deed.args, said(&done));
    let shown = run(&bed, deed.shown_by, "", None);
    let is_there = shown.status.success() && said(&shown).contains(deed.text);
    assert!(is_there, "{:?}: {}", deed.args, said(&shown));
    let mut faults = Vec::new();
    for (at, (class, count)) in (0..).zip(CLASSES.into_iter().zip(counts(&bed.state()))) {
        let is_full = class == "create" || (number + at).is_multiple_of(2);
        let how = if is_full { "enospc" } else { "eio" };
        let numbers = numbers(count, TRIES_MAX).into_iter();
        faults.extend(numbers.map(|nth| Fault { class, nth, how }));
    }
    assert!(!faults.is_empty(), "{:?} writes nothing", deed.args);
    faults
}

#[test]
fn a_full_disk_is_named_by_every_error_and_by_the_doctor() {
    let prepared = Bed::prepared();
    let full = Fault { class: "write", nth: 1, how: "full" };
    let list = run(&prepared, &["list", "--json"], "", None);
    let list: serde_json::Value = serde_json::from_slice(&list.stdout).unwrap();
    let id = list["memories"][0]["id"].as_str().unwrap_or_else(|| panic!("{list}"));
    for args in [&["add", "The wombat digs."][..], &["forget", id, "--yes"], &["doctor"]] {
        let bed = prepared.copy();
        let done = run(&bed, args, "", Some(full));
        let (text, data) = (said(&done), bed.data());
        assert!(!done.status.success(), "{args:?}: {text}");
        assert!(text.contains(data.to_str().unwrap()), "{args:?}: {text}");
        let why = ["the disk is full", "No space left on device"];
        assert!(why.iter().any(|why| text.contains(why)), "{args:?}: {text}");
        assert!(args != ["doctor"] || text.contains("wrong disk"), "{text}");
    }
}

#[test]
fn commands_that_write_fail_with_a_reason_or_do_it() {
    let prepared = Bed::prepared();
    let all: Vec<(&Deed, Fault)> = (seed() % 2..)
        .zip(&DEEDS)
        .flat_map(|(number, deed)| {
            faults(&prepared, deed, number).into_iter().map(move |fault| (deed, fault))
        })
        .collect();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some((deed, fault)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let problems = suffer(&prepared.copy(), deed, *fault);
                    if !problems.is_empty() {
                        let line = format!("{:?} {fault:?}: {problems:#?}", deed.args);
                        eprintln!("{line}");
                        wrong.lock().unwrap().push(line);
                    }
                }
            });
        }
    });
    eprintln!("{} faults in {} commands", all.len(), DEEDS.len());
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), all.len());
}
