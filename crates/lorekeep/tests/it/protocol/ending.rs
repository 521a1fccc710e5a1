//! How a server ends: in time, with code 0, and with everything acknowledged on disk.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::{ALL, every_tool, lock, names, store};
use crate::support::{Stdio1, end_of, hello, reply, signal};

const WRITES: usize = 32;

/// Asks for many writes at once; the content of each by the id of its request.
fn write_many(client: &mut Stdio1) -> HashMap<u64, String> {
    let contents = (0..WRITES).map(|n| format!("write number {n}"));
    contents.map(|content| (client.ask("tools/call", &store(&content)), content)).collect()
}

/// What a fresh process finds in the store.
fn kept(dir: &Path) -> HashSet<String> {
    let mut client = Stdio1::start(dir, &ALL);
    let page = client.call("query_memories", json!({"limit": 100})).value;
    let memories = page["memories"].as_array().unwrap_or_else(|| panic!("{page}"));
    memories.iter().map(|m| m["content"].as_str().unwrap().to_owned()).collect()
}

/// What these answers acknowledge.
fn acknowledged(answers: &[Value], asked: &HashMap<u64, String>) -> HashSet<String> {
    let done = answers.iter().filter(|answer| !reply(answer).is_error);
    done.map(|answer| asked[&answer["id"].as_u64().unwrap()].clone()).collect()
}

#[test]
fn an_input_that_ends_before_anything_is_asked_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(Stdio1::start_silent(dir.path(), &[]).finish(), Some(0));
    let mut client = Stdio1::start_silent(dir.path(), &[]);
    client.notify("notifications/initialized", &json!({}));
    assert_eq!(client.finish(), Some(0));
    let mut client = Stdio1::start_silent(dir.path(), &[]);
    client.request("initialize", &hello("2025-11-25", json!({})));
    assert_eq!(client.finish(), Some(0), "without the notification that follows");
    let mut client = Stdio1::start_silent(dir.path(), &[]);
    client.send_raw(b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"meth");
    assert_eq!(client.finish(), Some(0), "in the middle of a message");
}

#[test]
fn calls_under_way_when_the_input_ends_are_answered() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    client.call("get_memory_stats", json!({}));
    let asked = write_many(&mut client);
    client.close_input();
    let answers = client.receive_rest();
    assert_eq!(end_of(&mut client.child), Some(0));
    let acknowledged = acknowledged(&answers, &asked);
    assert_eq!(acknowledged.len(), WRITES);
    assert_eq!(kept(dir.path()), acknowledged);
}

#[test]
fn told_to_stop_it_ends_and_keeps_what_it_acknowledged() {
    for how in [Signal::SIGTERM, Signal::SIGINT] {
        let dir = tempfile::tempdir().unwrap();
        let mut client = Stdio1::start(dir.path(), &ALL);
        let asked = write_many(&mut client);
        let mut answers = vec![client.receive().unwrap()];
        signal(&client.child, how);
        answers.extend(client.receive_rest());
        assert_eq!(end_of(&mut client.child), Some(0), "{how}");
        let acknowledged = acknowledged(&answers, &asked);
        assert!(!acknowledged.is_empty());
        assert!(kept(dir.path()).is_superset(&acknowledged), "{how}");
    }
}

#[test]
fn told_to_stop_before_anything_is_asked_it_ends() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start_silent(dir.path(), &[]);
    // An answer shows that it listens to signals by now.
    client.request("ping", &json!({}));
    signal(&client.child, Signal::SIGTERM);
    assert_eq!(client.receive(), None);
    assert_eq!(end_of(&mut client.child), Some(0));
}

#[test]
fn a_call_that_cannot_end_does_not_hold_up_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let holder = lock(dir.path());
    for how in [None, Some(Signal::SIGTERM)] {
        let mut client = Stdio1::start(dir.path(), &ALL);
        client.ask("tools/call", &store("never"));
        assert_eq!(names(&mut client), every_tool(), "the call was read");
        match how {
            None => client.close_input(),
            Some(how) => signal(&client.child, how),
        }
        assert_eq!(end_of(&mut client.child), Some(0), "{how:?}");
    }
    drop(holder);
    assert_eq!(kept(dir.path()), HashSet::from(["first".to_owned()]));
}
