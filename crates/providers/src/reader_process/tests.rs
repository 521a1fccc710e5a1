//! Processes that answer, that do not, and what the engine makes of it.

use std::time::Duration;

use engine::document::{self, Bounds, Folder, FolderReport};
use engine::testing::{everybody, setup};
use engine::{Engine, Meaning, Setup, scope};
use model::Caller;

use super::*;
use crate::LocalFiles;

/// The endings of files that are more than plain text, in order.
const PARSED: [&str; 21] = [
    "c", "cc", "cjs", "cpp", "go", "h", "hpp", "htm", "html", "java", "js", "jsx", "markdown",
    "md", "mjs", "py", "rb", "rs", "sh", "ts", "tsx",
];

const LIMITS: Limits = Limits { time: Duration::from_secs(20), memory_mb: 64, output_mb: 3 };

/// Processes that run a line of shell. Standard input is the connection, both ways.
fn shell(line: &str) -> ReaderPool {
    ReaderPool::new("/bin/sh".into(), vec!["-c".into(), line.into()])
}

/// A line of shell that answers.
fn says(status: u8, body: &str) -> String {
    let length: String =
        (body.len() as u64).to_le_bytes().iter().map(|byte| format!("\\{byte:03o}")).collect();
    format!("printf '\\{status:03o}{length}{body}\\000' >&0")
}

fn ask(pool: &ReaderPool, bytes: &[u8]) -> Result<Vec<String>, Failure> {
    pool.run(&"job", bytes, LIMITS)
}

#[test]
fn answers_and_refusals_come_back_as_they_were_said() {
    let answer = ask(&shell(&says(0, "[\"one\", \"two\"]")), b"%PDF");
    assert_eq!(answer, Ok(vec!["one".into(), "two".into()]));
    let refused = ask(&shell(&says(1, "encrypted")), b"%PDF");
    assert_eq!(refused, Err(Failure::Refused("encrypted".into())));
    // One that answers before it has read everything keeps nobody waiting.
    let early = ask(&shell(&format!("{}; sleep 1", says(0, "[]"))), &vec![b'x'; 10 * MB]);
    assert!(matches!(early, Ok(_) | Err(Failure::TooSlow(_) | Failure::Ended(_))), "{early:?}");
}

#[test]
fn who_does_not_answer_is_ended_and_said_why() {
    let failure = |line: &str| ask(&shell(line), b"x").unwrap_err().to_string();
    assert_eq!(
        failure("echo memory allocation of 9 bytes failed >&2; kill -ABRT $$"),
        "its parser needs more than 64 MB of memory"
    );
    assert_eq!(
        failure("echo thread has overflowed its stack >&2; kill -ABRT $$"),
        "its parser ended: the file is nested too deeply"
    );
    let ended = failure("kill -ABRT $$");
    assert!(ended.starts_with("its parser ended: signal: 6 (SIGABRT)"), "{ended}");
    assert!(failure("exit 3").starts_with("its parser ended: exit status: 3"));
    assert_eq!(failure(&says(2, "")), "broken: its parser gave up on it");
    assert!(failure(&says(7, "")).starts_with("its parser ended: "));
    assert!(failure(&says(0, "no JSON")).starts_with("its parser ended: unclear answer"));
    assert_eq!(failure("exec yes >&0"), "its parser ended: signal: 9 (SIGKILL)");
    let long = "printf '\\000\\377\\377\\377\\377\\000\\000\\000\\000' >&0; exec yes >&0";
    assert_eq!(failure(long), "its parser answers with more than 3 MB");
    let slow = Limits { time: Duration::from_millis(200), ..LIMITS };
    let late = shell("exec sleep 60").run::<_, ()>(&"job", b"x", slow);
    assert_eq!(late, Err(Failure::TooSlow(slow.time)));
    let missing = ReaderPool::new("/no/such/reader".into(), Vec::new());
    assert!(matches!(ask(&missing, b"x"), Err(Failure::NotStarted(_))));
}

#[test]
fn a_process_has_nothing_of_ours_and_is_used_again() {
    let is_bare = "[ $(pwd) = / ] && [ -z \"$HOME\" ] && [ ! -e /proc/$$/fd/3 ] || exit 9";
    let line =
        format!("{is_bare}; read -r x; {}; read -r x; {}; read -r x", says(0, "1"), says(0, "2"));
    let pool = shell(&line);
    for turn in [1, 2] {
        assert_eq!(pool.run::<_, u8>(&"job", b"\n", LIMITS), Ok(turn));
        assert_eq!(pool.lock().idle.len(), 1);
    }
    // One that ended while it had nothing to do costs nothing.
    let pool = shell(&format!("read -r x; {}", says(0, "1")));
    for _ in 0..3 {
        assert_eq!(pool.run::<_, u8>(&"job", b"\n", LIMITS), Ok(1));
        while pool.lock().idle.last_mut().is_some_and(Child::is_alive) {
            std::thread::yield_now();
        }
    }
}

/// Every kind of file that is not plain text loses its parser in turn, and is found all the same.
#[test]
fn a_parser_that_ends_costs_a_row_and_the_file_is_plain_text() {
    for death in ["kill -ABRT $$", "kill -SEGV $$", "exit 0"] {
        let (report, found) = index_with(shell(death));
        let (plain, failed): (Vec<_>, Vec<_>) = (report.plain, report.failed);
        let texts = PARSED.len();
        assert_eq!((report.files_indexed, failed.len()), (texts + 1, 1), "{death}: {failed:?}");
        assert!(failed[0].path.ends_with(".pdf") && failed[0].why.starts_with("its parser ended"));
        assert_eq!(plain.len(), texts, "{plain:?}");
        for (row, ext) in plain.iter().zip(PARSED) {
            assert!(row.path.ends_with(&format!("file.{ext}")), "{row:?}");
            let why = "indexed as plain text, without its structure: its parser ended: ";
            assert!(row.why.starts_with(why), "{row:?}");
        }
        assert_eq!(found, texts + 1);
    }
}

/// Indexes a file of each kind; what came of it, and in how many files there are chunks.
fn index_with(pool: ReaderPool) -> (FolderReport, usize) {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    for ext in PARSED.into_iter().chain(["txt", "pdf"]) {
        // Short Markdown is not given to a reader process.
        let is_markdown = ["md", "markdown"].contains(&ext);
        let text = "class Heron\n  herons fly\nend\n".repeat(if is_markdown { 3_000 } else { 1 });
        std::fs::write(docs.join(format!("file.{ext}")), text).unwrap();
    }
    let files = Box::new(LocalFiles::default().with_parsers(pool));
    let store = dir.path().join("store");
    let engine = Engine::open(&store, Setup { files, ..setup(Meaning::BuiltIn) }).unwrap();
    let caller = Caller { names_paths: true, ..everybody() };
    let scope = scope::named(&engine, &caller, "default").unwrap();
    let path = docs.to_str().unwrap();
    let folder = Folder { path, recursive: true, scope: &scope, bounds: Bounds::CALL };
    let report = document::index_folder(&engine, &caller, folder, &mut |_| true).unwrap();
    let stats = document::stats(&engine, &[scope]).unwrap();
    (report, stats.paths.len())
}
