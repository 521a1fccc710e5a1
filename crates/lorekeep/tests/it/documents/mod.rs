//! Files and folders in the store: the command, its watch, the tool, and many files at once.

mod command;
mod hostile;
mod many;
mod progress;
mod watch;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use crate::cli::{json, run};

/// A chunk as it is in the store: path, place in the document, text.
type Row = (String, i64, String);

/// All chunks in the store of `dir`.
fn chunks(dir: &Path) -> BTreeSet<Row> {
    let file = dir.join("lorekeep.db");
    let Ok(db) = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY) else {
        return BTreeSet::new();
    };
    db.busy_timeout(Duration::from_secs(30)).unwrap();
    let sql =
        "SELECT d.path, c.ordinal, c.content FROM chunk c JOIN document d ON d.id = c.document";
    // Before the first migration there are no tables.
    let Ok(mut statement) = db.prepare(sql) else { return BTreeSet::new() };
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    let rows: Vec<Row> = rows.map(Result::unwrap).collect();
    let set: BTreeSet<Row> = rows.iter().cloned().collect();
    assert_eq!(rows.len(), set.len(), "no chunk is there twice");
    set
}

/// What `lorekeep index --json` says of these paths; the exit code first.
fn index(dir: &Path, options: &[&str]) -> (i32, Value) {
    let (code, out, err) = run(dir, &[&["index", "--json"], options].concat());
    (code, serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}")))
}

/// The hits of a search in the store of `dir`, the best first.
fn search(dir: &Path, query: &str) -> Vec<Value> {
    let arguments = serde_json::json!({"query": query, "top_k": 5}).to_string();
    let (code, out, err) = run(dir, &["call", "search", &arguments]);
    assert_eq!(code, 0, "{out}{err}");
    json(&out)["data"]["results"].as_array().expect("hits").clone()
}

/// Writes a file, and the folders above it.
fn write(dir: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, content).unwrap();
    path
}

/// Makes a file look as if it had not been touched for a while.
fn age(path: &Path) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
