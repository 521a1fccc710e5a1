//! Files that are made to end a parser, or to fill the memory: the server goes on, and says so.

use std::path::Path;

use serde_json::{Value, json};

use super::{chunks, index, search, text, write};
use crate::cli::run;
use crate::http_tokens::{call, new};
use crate::support::{Stdio1, reply};
use crate::web::Http;

/// What stands before the reason in a row.
const PLAIN: &str = "indexed as plain text, without its structure: its parser ended: signal: 6";

/// A heredoc with a name of 300 letters: tree-sitter-ruby keeps the length in a byte, and asserts.
fn ruby() -> String {
    let name = "HERON".repeat(60);
    format!("herons = <<{name}\n  herons stand in the reeds\n{name}\nputs herons\n")
}

/// 512 nested lines and an open string: tree-sitter-python writes one byte more than it has.
fn python() -> String {
    let nested: String = (0..512).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect();
    format!("{nested}{}\"\"\"ospreys fish at dawn\n", " ".repeat(512))
}

/// A folder with both, and with files that nothing is wrong with.
fn make(docs: &Path) {
    write(docs, "bad.rb", ruby());
    write(docs, "bad.py", python());
    write(docs, "good.md", "# Boats\n\nA ferry crosses the lake at noon.\n");
    write(docs, "good.rb", "def train\n  'rails'\nend\n");
    write(docs, "good.rs", "/// Planes fly high.\nfn plane() {}\n");
}

/// Checks that exactly the two files are named, each with its reason.
#[track_caller]
fn check_rows(rows: &Value, name: &str, why: &str) {
    let rows = rows.as_array().unwrap_or_else(|| panic!("{rows}"));
    assert_eq!(rows.len(), 2, "{rows:?}");
    for (row, file) in rows.iter().zip(["bad.py", "bad.rb"]) {
        assert!(row[name].as_str().unwrap().ends_with(file), "{row}");
        assert!(row[why].as_str().unwrap().starts_with(PLAIN), "{row}");
    }
}

#[test]
fn a_file_that_ends_its_parser_costs_the_command_a_row() {
    let (store, docs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    make(docs.path());
    let (code, seen) = index(store.path(), &[text(docs.path())]);
    assert_eq!((code, &seen["files_indexed"], &seen["failed"]), (0, &5.into(), &json!([])));
    check_rows(&seen["plain_text"], "path", "why");
    for (query, file) in [("herons in the reeds", "bad.rb"), ("ospreys fishing", "bad.py")] {
        let hit = &search(store.path(), query)[0];
        assert!(hit["metadata"]["source_file"].as_str().unwrap().ends_with(file), "{hit}");
    }
    let bad = docs.path().join("bad.rb");
    let (code, out, err) = run(store.path(), &["index", "--namespace", "project:x", text(&bad)]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("indexed 1 file") && err.contains("plain text: "), "{out}{err}");
    assert!(err.contains(PLAIN), "{err}");
}

#[test]
fn a_file_that_ends_its_parser_ends_no_server_over_stdio() {
    let (store, docs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    make(docs.path());
    let mut client =
        Stdio1::start(store.path(), &["--toolsets", "all", "--root", text(docs.path())]);
    let told = client.call("index_directory", json!({"dir_path": text(docs.path())})).value;
    assert_eq!(told["data"]["files_indexed"], 5, "{told}");
    check_rows(&told["data"]["failed_files"], "file", "error");
    for file in ["bad.rb", "bad.py"] {
        let path = docs.path().join(file);
        let again = json!({"file_path": text(&path), "namespace": "project:again"});
        let told = client.call("index_file", again).value;
        assert_eq!(told["success"], true, "{told}");
        let warning = told["warnings"][0].as_str().unwrap_or_else(|| panic!("{told}"));
        assert!(warning.contains(file) && warning.contains(PLAIN), "{warning}");
    }
    let good =
        json!({"file_path": text(&docs.path().join("good.rs")), "namespace": "project:again"});
    let told = client.call("index_file", good).value;
    assert_eq!((&told["success"], &told["warnings"]), (&json!(true), &Value::Null), "{told}");
    let hits = client.call("search", json!({"query": "herons in the reeds"})).value;
    assert!(hits.to_string().contains("bad.rb"), "{hits}");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_file_of_one_token_ends_no_server_over_http() {
    let (dir, docs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    make(docs.path());
    let http = Http::start(dir.path(), &["--toolsets", "documents"]);
    let user = new(dir.path(), &["--user", "bob", "--role", "user", "--root", text(docs.path())]);
    let told = call(&http, &user, "index_directory", json!({"dir_path": text(docs.path())}));
    let told = reply(&told.message()).value;
    assert_eq!(told["data"]["files_indexed"], 5, "{told}");
    check_rows(&told["data"]["failed_files"], "file", "error");
    let bad = json!({"file_path": text(&docs.path().join("bad.py")), "namespace": "global"});
    let told = reply(&call(&http, &user, "index_file", bad).message()).value;
    assert!(told["warnings"][0].as_str().unwrap().contains(PLAIN), "{told}");
}

#[test]
fn a_file_of_too_many_chunks_is_refused_with_their_number() {
    let (store, docs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(docs.path(), "many.md", "# a\n".repeat(150_000));
    write(docs.path(), "good.md", "# Boats\n");
    let (code, seen) = index(store.path(), &[text(docs.path())]);
    assert_eq!((code, &seen["files_indexed"]), (0, &1.into()), "{seen}");
    let why = seen["failed"][0]["why"].as_str().unwrap();
    assert_eq!(
        why,
        "it has 150000 chunks, and of one file at most 131072 are indexed; split it into smaller files"
    );
    assert_eq!(chunks(store.path()).len(), 1);
}

/// Shapes that took up to 145 bytes of memory a byte, in four long calls at once. The long form
/// (`scripts/soak --memory`) has files as large as are read.
#[cfg(target_os = "linux")]
#[test]
fn four_long_calls_with_hostile_shapes_take_less_than_a_gigabyte() {
    const MEMORY_MB_MAX: u64 = 1_000;
    let long = std::env::var("LOREKEEP_SHAPES_MB").ok().and_then(|mb| mb.parse().ok());
    let bytes = long.map_or(3 << 19, |megabytes: usize| megabytes << 20);
    let worst = ["- ", "[a]("];
    let others = ["# a\n", "- a\n", "> ", "<h1>"];
    let (store, docs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut client =
        Stdio1::start(store.path(), &["--toolsets", "all", "--root", text(docs.path())]);
    let mut asked = Vec::new();
    for (call, other) in others.into_iter().enumerate() {
        let folder = docs.path().join(format!("{call}"));
        for (at, shape) in worst.into_iter().chain([other]).enumerate() {
            let ext = if shape.starts_with('<') { "html" } else { "md" };
            write(&folder, &format!("{at}.{ext}"), shape.repeat(bytes / shape.len()) + "x\n");
        }
        let call = json!({"name": "index_directory", "arguments": {"dir_path": text(&folder)}});
        asked.push(client.ask("tools/call", &call));
    }
    let server = client.child.id();
    let ends = std::sync::atomic::AtomicBool::new(false);
    let most = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut most = 0;
            while !ends.load(std::sync::atomic::Ordering::Relaxed) {
                most = most.max(memory::peak_mb(server));
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            most
        });
        while !asked.is_empty() {
            let answer = client.receive().expect("the server lives");
            asked.retain(|id| answer["id"] != *id);
            assert!(!reply(&answer).is_error, "{answer}");
        }
        ends.store(true, std::sync::atomic::Ordering::Relaxed);
        watch.join().unwrap()
    });
    eprintln!("server and readers: {most} MB with files of {bytes} bytes");
    assert!((1..MEMORY_MB_MAX).contains(&most), "{most} MB");
    assert_eq!(client.finish(), Some(0));
}

#[cfg(target_os = "linux")]
mod memory {
    use std::fs;

    /// What a process and its children have had at most, in megabytes, summed up.
    pub(super) fn peak_mb(parent: u32) -> u64 {
        let of = |pid: &str| -> Option<(u32, u64)> {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            let field = |name: &str| {
                let line = status.lines().find_map(|line| line.strip_prefix(name))?;
                line.split_whitespace().next()?.parse::<u64>().ok()
            };
            Some((u32::try_from(field("PPid:")?).ok()?, field("VmHWM:")?))
        };
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let kilobytes: u64 = processes
            .filter_map(|entry| {
                let pid = entry.file_name().into_string().ok()?;
                let (above, peak) = of(&pid)?;
                (above == parent || pid == parent.to_string()).then_some(peak)
            })
            .sum();
        kilobytes / 1024
    }
}
