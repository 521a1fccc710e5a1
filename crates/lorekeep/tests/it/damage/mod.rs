//! Bytes flipped in every file of a store, through the real binary: found and named or without harm,
//! never a panic, never a wrong answer, and a repair brings back what was there.

mod backups;
mod database;
mod ledger;
mod log;
mod lost;
mod parts;
mod restored;
mod served;
mod touched;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};

use crate::support::{Stdio1, lorekeep};

const ALL: [&str; 2] = ["--toolsets", "all"];

/// Numbers that look like chance and are the same every time.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % end
    }

    /// Another byte than this.
    pub(crate) fn other(&mut self, byte: u8) -> u8 {
        byte ^ u8::try_from(self.below(255) + 1).unwrap()
    }
}

/// A store with memories, documents, facts and decisions, and a backup of it: made once, copied for
/// each trial.
pub(crate) struct Gold {
    dir: tempfile::TempDir,
    /// What a list of all memories shows.
    pub(crate) memories: BTreeMap<String, Value>,
    /// What is answered of all else.
    pub(crate) answers: Value,
}

/// Runs a command on the store in `dir`; it must end by itself and not by a panic.
pub(crate) fn run(dir: &Path, args: &[&str]) -> Output {
    let output = lorekeep(dir).args(args).env("LOREKEEP_BACKUPS", "keep=0").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("panicked"), "{args:?}: {said}");
    assert!(matches!(output.status.code(), Some(0..=2)), "{args:?}: {:?} {said}", output.status);
    output
}

/// What `doctor` says, and whether it found nothing wrong.
pub(crate) fn doctor(dir: &Path, options: &[&str]) -> (bool, Value) {
    let args: Vec<&str> = ["doctor", "--json"].into_iter().chain(options.iter().copied()).collect();
    let output = run(dir, &args);
    let told = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (output.status.success(), told)
}

/// The wrong findings, one a line.
pub(crate) fn wrong(told: &Value) -> String {
    let findings = told["findings"].as_array().unwrap().iter();
    let wrong = findings.filter(|finding| finding["state"] == "wrong");
    wrong.map(|finding| format!("{}\n", finding["text"].as_str().unwrap())).collect()
}

/// All memories by their ids as the notes list them; or the error.
pub(crate) fn listed(dir: &Path) -> Result<BTreeMap<String, Value>, String> {
    let page = r#"{"limit": 100, "sort_by": "created_at", "archived": true}"#;
    let output = run(dir, &["call", "query_memories", page]);
    let said = String::from_utf8(output.stdout).unwrap();
    if !output.status.success() {
        return Err(format!("{said}{}", String::from_utf8_lossy(&output.stderr)));
    }
    let page: Value = serde_json::from_str(&said).unwrap();
    let all = page["memories"].as_array().unwrap().iter().map(|memory| {
        let keys = ["type", "content", "category", "tags", "importance", "archived", "created_at"];
        let shown = keys.iter().map(|key| ((*key).to_owned(), memory[*key].clone())).collect();
        (memory["id"].as_str().unwrap().to_owned(), Value::Object(shown))
    });
    Ok(all.collect())
}

/// The titles of the decisions; or the error.
pub(crate) fn decided(dir: &Path) -> Result<Vec<String>, String> {
    let output = run(dir, &["call", "get_decisions", "{}"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        return Err(format!("{said}{}", String::from_utf8_lossy(&output.stderr)));
    }
    let all: Value = serde_json::from_str(&said).unwrap();
    let titles = all["decisions"].as_array().unwrap().iter();
    let mut titles: Vec<String> =
        titles.map(|one| one["title"].as_str().unwrap().to_owned()).collect();
    titles.sort();
    Ok(titles)
}

/// What is answered of decisions, events, facts and candidates; or the error.
pub(crate) fn answers(dir: &Path) -> Result<Value, String> {
    let ask = |args: &[&str]| -> Result<Value, String> {
        let output = run(dir, args);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(format!("{said}{}", String::from_utf8_lossy(&output.stderr)));
        }
        serde_json::from_str(&said).map_err(|why| format!("{why}: {said}"))
    };
    let mut all = json!({
        "decisions": ask(&["call", "get_decisions", "{}"])?,
        "events": ask(&["call", "get_recent_events", r#"{"limit": 100}"#])?,
        "fact": ask(&["call", "get_memory_object", r#"{"name": "Heron"}"#])?,
        "candidates": ask(&["review", "--json"])?,
    });
    // Where the copy lies is no part of it.
    if let Some(decisions) = all["decisions"]["decisions"].as_array_mut() {
        decisions.iter_mut().for_each(|one| one["path"] = Value::Null);
    }
    Ok(all)
}

impl Gold {
    /// Makes the store. Its server makes the backup, as any server does.
    pub(crate) fn make() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("gold");
        let mut client = Stdio1::start(&home, &ALL);
        for number in 0..24 {
            let padding = "all of it about herons and lakes; ".repeat(number % 12 * 12);
            let kind = ["core", "learning", "task"][number % 3];
            let text = format!("note {number}, {padding} and that is all");
            let note = json!({"type": kind, "content": text, "tags": [format!("tag{number}")]});
            let stored = client.call("store_memory", note);
            assert!(!stored.is_error, "{}", stored.value);
        }
        for (number, title) in
            ["Use PostgreSQL", "Ship on Tuesdays", "Rotate keys"].iter().enumerate()
        {
            let decision = json!({"title": title, "target": format!("target{number}"),
                "rationale": "There are many reasons, and this one is long enough."});
            let recorded = client.call("record_decision", decision);
            assert!(!recorded.is_error, "{}", recorded.value);
        }
        let link = json!({"from": "Heron", "relation": "uses", "to": "Reed",
            "summary": "A summary of the heron zzqq"});
        assert!(!client.call("add_memory_link", link).is_error);
        let turn =
            json!({"prompt": "Which flamingo zzpp?", "response": "The one on one leg zzrr."});
        assert!(!client.call("bridge-record", turn).is_error);
        assert_eq!(client.finish(), Some(0));
        let said = json!({"session_id": "one", "cwd": dir.path(), "last_assistant_message": "Noted.",
            "prompt": "We use pnpm, not npm. I prefer small commits."});
        let mut hook = lorekeep(&home);
        hook.args(["hook", "claude-code", "Stop"]).current_dir(dir.path());
        crate::hooks::hook(&mut hook, &said.to_string());
        backups::wait_for_one(&home);
        let memories = listed(&home).unwrap();
        assert!(memories.len() >= 24, "{}", memories.len());
        let answers = answers(&home).unwrap();
        for word in ["many reasons", "zzpp", "zzqq", "pnpm"] {
            assert!(answers.to_string().contains(word), "{word}: {answers}");
        }
        Self { dir, memories, answers }
    }

    /// The store itself, which stays as it is.
    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("gold")
    }

    /// The id of a note: what a fact is shown as is changed by the graph alone.
    pub(crate) fn note(&self) -> &str {
        let is_note = |memory: &Value| {
            memory["content"].as_str().is_some_and(|text| text.starts_with("note "))
        };
        self.memories.iter().find(|(_, memory)| is_note(memory)).unwrap().0
    }

    /// A copy to damage.
    pub(crate) fn copy(&self, name: &str) -> PathBuf {
        let to = self.dir.path().join(name);
        if to.exists() {
            std::fs::remove_dir_all(&to).unwrap();
        }
        copy_dir(&self.home(), &to);
        to
    }
}

fn copy_dir(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    std::fs::set_permissions(to, std::fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_dir(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// Flips bytes of a file from `at` on.
pub(crate) fn flip(path: &Path, at: usize, count: usize, chance: &mut Chance) {
    let mut bytes = std::fs::read(path).unwrap();
    let end = bytes.len().min(at + count);
    for byte in &mut bytes[at..end] {
        *byte = chance.other(*byte);
    }
    let mode = std::fs::metadata(path).unwrap().permissions();
    std::fs::remove_file(path).unwrap();
    std::fs::write(path, bytes).unwrap();
    std::fs::set_permissions(path, mode).unwrap();
}
