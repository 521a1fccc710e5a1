//! Ten thousand files: killed half-way, by two at once, and when nothing changed.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::{age, chunks, index, text, write};
use crate::support::lorekeep;

const FILES: u64 = 10_000;

/// What the process may have in memory at the most, in kilobytes.
const MEMORY_KB_MAX: u64 = 300 * 1024;

/// About a kilobyte of Markdown that no other number has.
pub(super) fn text_of(number: u64) -> String {
    let words = ["ferry", "harbour", "lake", "noon", "captain", "rope", "sail", "wind", "wave"];
    let word = |at: u64| words[((number * 31 + at * 17 + at * at) % words.len() as u64) as usize];
    let mut text = format!("# Note {number}\n");
    for part in 0..4 {
        text += &format!("\n## Part {part} of {number}\n\n");
        for line in 0..4 {
            let at = part * 7 + line;
            let (one, two, three) = (word(at), word(at + 1), word(at + 2));
            text += &format!("The {one} {at} of {number} meets the {two} and the {three}.\n");
        }
    }
    text
}

fn make(docs: &Path) {
    for number in 0..FILES {
        let path = write(docs, &format!("{}/note-{number}.md", number % 100), text_of(number));
        age(&path);
    }
}

fn start(store: &Path, docs: &Path) -> Child {
    let mut command = lorekeep(store);
    command.args(["index", "--json", text(docs)]).stdout(Stdio::piped()).spawn().unwrap()
}

fn end(child: Child) -> Value {
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    serde_json::from_slice(&ended.stdout).unwrap()
}

/// The most that the process has had in memory so far, in kilobytes.
fn memory_kb(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[test]
fn ten_thousand_files_survive_a_kill_and_come_out_as_in_one_run() {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    make(&docs);
    let (killed, whole, both) =
        (dir.path().join("killed"), dir.path().join("whole"), dir.path().join("both"));

    // Without a break, and in bounded memory.
    let mut child = start(&whole, &docs);
    let mut memory = 0;
    while child.try_wait().unwrap().is_none() {
        memory = memory.max(memory_kb(&child).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(20));
    }
    let seen = end(child);
    assert_eq!(seen["files_indexed"], FILES, "{seen}");
    assert!(memory < MEMORY_KB_MAX, "{memory} kB");
    let expected = chunks(&whole);
    assert!(expected.len() as u64 >= FILES, "{}", expected.len());

    // Killed once something is stored; what is stored stays.
    let mut child = start(&killed, &docs);
    while chunks(&killed).is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early to be killed");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = chunks(&killed);
    assert!(!kept.is_empty() && kept.len() < expected.len(), "{}", kept.len());
    let (code, second) = index(&killed, &[text(&docs)]);
    assert_eq!(code, 0, "{second}");
    let count = |seen: &Value, name: &str| seen[name].as_u64().unwrap();
    assert!(count(&second, "files_unchanged") > 0, "{second}");
    assert_eq!(count(&second, "files_unchanged") + count(&second, "files_indexed"), FILES);
    assert_eq!(count(&second, "files_read"), count(&second, "files_indexed"), "{second}");
    assert!(chunks(&killed) == expected, "the same chunks as in one run");

    // Nothing changed: no file is opened.
    let (_, third) = index(&killed, &[text(&docs)]);
    assert_eq!((count(&third, "files_unchanged"), count(&third, "files_read")), (FILES, 0));

    // Two at once.
    let two = [start(&both, &docs), start(&both, &docs)];
    for child in two {
        let seen = end(child);
        assert_eq!(count(&seen, "files_unchanged") + count(&seen, "files_indexed"), FILES);
    }
    assert!(chunks(&both) == expected, "the same chunks as by one");
}
