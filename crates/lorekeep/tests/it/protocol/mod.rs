//! The protocol over stdio: each trap of the SDK is closed.

mod asks;
mod ending;
mod errors;
mod lists;
mod noise;
mod opening;
mod reading;
mod roots;

use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::{Stdio1, lorekeep};

const ALL: [&str; 2] = ["--toolsets", "all"];

/// The names of the tools a server lists.
fn names(client: &mut Stdio1) -> Vec<String> {
    let list = client.request("tools/list", &json!({}));
    let tools = list["result"]["tools"].as_array().unwrap_or_else(|| panic!("{list}"));
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

/// The names of all tools there are.
fn every_tool() -> Vec<String> {
    let catalogue = tools::Catalogue::new(tools::Selection::all());
    catalogue.list(model::Role::Admin).map(|tool| tool.spec.name.to_owned()).collect()
}

/// The parameters of a call that stores a note.
fn store(content: &str) -> Value {
    json!({"name": "store_memory", "arguments": {"type": "core", "content": content}})
}

/// Makes the store in `dir` and keeps everybody else out of it until this is dropped.
fn lock(dir: &Path) -> Connection {
    let made = lorekeep(dir).args(["call", "memory_add", r#"{"content": "first"}"#]).output();
    assert!(made.expect("a call").status.success());
    let holder = Connection::open(dir.join("lorekeep.db")).expect("a database");
    holder.pragma_update(None, "locking_mode", "EXCLUSIVE").expect("a lock");
    holder.execute_batch("BEGIN EXCLUSIVE").expect("a lock");
    holder
}
