//! One of the soak's eight: it writes, reads and takes away, and knows what was acknowledged.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::{Value, json};
use tools::Reply;

use crate::faults::Bed;
use crate::support::{Stdio1, reply};

/// Each worker keeps so many things, and then takes one away for each that it adds: what the ninth holds in memory goes
/// by what there is.
const KEPT_MAX: usize = 40;

/// What all writers together know.
#[derive(Default)]
pub(super) struct Known {
    /// Texts of memories that were acknowledged and must be there once.
    pub(super) memories: BTreeSet<String>,
    /// Texts whose deletion was acknowledged.
    pub(super) deleted: BTreeSet<String>,
    /// Titles of records.
    pub(super) records: BTreeSet<String>,
    /// Titles of records that were forgotten.
    pub(super) forgotten: BTreeSet<String>,
    /// Things of the graph, linked with others.
    pub(super) things: BTreeSet<String>,
    /// Files that were written, and what they hold.
    pub(super) files: BTreeMap<String, String>,
    /// What was noted as having happened.
    pub(super) events: BTreeSet<String>,
    /// How many calls were answered, and how many with an error.
    pub(super) answered: u64,
    pub(super) refused: Vec<String>,
}

/// Something that a worker wrote, and by what it is called.
enum Kept {
    Memory(String, Value),
    Record(String, Value),
    Thing(String),
    File(String, String),
}

impl Kept {
    /// The call that takes it away.
    fn removal(&self) -> (&'static str, Value) {
        match self {
            Self::Memory(_, id) => ("memory_delete", json!({"memoryId": id})),
            Self::Record(_, fid) => ("forget", json!({"fid": fid})),
            Self::Thing(name) => ("delete_memory_object", json!({"name": name})),
            Self::File(path, _) => ("delete_file", json!({"source_file": path})),
        }
    }
}

/// What may be there or not, since nobody answered.
enum Doubt {
    /// What a round was to add: its number.
    Added(u64),
    Taken(Kept),
}

/// One of the eight.
pub(super) struct Worker<'a> {
    bed: &'a Bed,
    /// A page of the web, as near as it gets.
    page: &'a str,
    known: &'a Mutex<Known>,
    number: usize,
    /// The next thing that it writes.
    next: u64,
    kept: VecDeque<Kept>,
    doubt: Option<Doubt>,
    /// None while it is dead.
    server: Option<Stdio1>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(bed: &'a Bed, page: &'a str, known: &'a Mutex<Known>, number: usize) -> Self {
        let kept = VecDeque::new();
        Self { bed, page, known, number, next: 0, kept, doubt: None, server: None }
    }

    /// Works until the end; whenever it is killed it starts again.
    pub(super) fn work(&mut self, is_over: &AtomicBool, pid: &AtomicU64) {
        while !is_over.load(Ordering::Relaxed) {
            if self.clear_up().and_then(|()| self.round()).is_none() {
                self.server = Some(start(self.bed, is_over, pid));
            }
        }
    }

    /// Calls a tool; none if the process was killed meanwhile. Then nobody knows whether it was done.
    fn call(&mut self, tool: &str, arguments: &Value) -> Option<Value> {
        let said = call(self.server.as_mut()?, tool, arguments)?;
        let mut known = self.known.lock().unwrap();
        known.answered += 1;
        if said.is_error {
            known.refused.push(format!("{tool} {arguments}: {}", said.value));
        }
        Some(said.value)
    }

    /// One round of writing and reading; none if it was killed.
    fn round(&mut self) -> Option<()> {
        self.next += 1;
        self.doubt = Some(Doubt::Added(self.next));
        let name = self.name(self.next);
        let text = format!("The soak {name} keeps this.");
        match self.next % 7 {
            0 => self.decide(&name)?,
            1 => self.file(&name)?,
            2 => {
                let record = json!({"title": format!("Propose {name}"), "target": format!("p_{name}"),
                                    "rationale": "It was soaked.", "kind": "proposal"});
                let said = self.call("record_decision", &record)?;
                self.call("accept_proposal", &json!({"fid": said["fid"]}))?;
                self.keep(Kept::Record(format!("Propose {name}"), said["fid"].clone()));
            }
            3 => {
                let said =
                    self.call("store_memory", &json!({"type": "learning", "content": text}))?;
                let id = said["id"].clone();
                let changed = format!("The soak {name} changed this.");
                self.call("update_memory", &json!({"id": id, "content": changed}))?;
                self.keep(Kept::Memory(changed, id));
            }
            4 => {
                let said = self.call("memory_add", &json!({"content": text}))?;
                self.call("memory_delete", &json!({"memoryId": said["memoryId"]}))?;
                self.known.lock().unwrap().deleted.insert(text);
                self.doubt = None;
            }
            5 => {
                let from = format!("From{name}");
                let link = json!({"from": from, "relation": "knows", "to": "Everybody"});
                self.call("add_memory_link", &link)?;
                self.keep(Kept::Thing(from));
            }
            _ => {
                let learned = json!({"content": text, "memory_type": "fact"});
                let said = self.call("memory_store", &learned)?;
                let id = said["data"]["id"].clone();
                self.keep(Kept::Memory(text, id.clone()));
                self.call("memory_validate", &json!({"memory_id": id, "was_helpful": true}))?;
                let found = self.call("memory_inspect_graph", &json!({"memory_id": id}))?;
                assert!(found.to_string().contains(&name), "{found}");
            }
        }
        self.take_away()?;
        if self.next.is_multiple_of(9) {
            self.now_and_then(&name)?;
        }
        Some(())
    }

    /// What a round calls the things that it adds.
    fn name(&self, number: u64) -> String {
        format!("w{}n{number}", self.number)
    }

    /// A decision.
    fn decide(&mut self, name: &str) -> Option<()> {
        let (title, target) = (format!("Decide {name}"), format!("t_{name}"));
        let rationale = format!("Because {name} was soaked.");
        let record = json!({"title": title, "target": target, "rationale": rationale});
        let said = self.call("record_decision", &record)?;
        assert_eq!(said["status"], "created", "{said}");
        self.keep(Kept::Record(title, said["fid"].clone()));
        Some(())
    }

    /// A file that is written, changed and indexed.
    fn file(&mut self, name: &str) -> Option<()> {
        let (path, text) = (file_path(name), format!("# {name}\n\nThe {name} was soaked.\n"));
        self.call("grz_write_file", &json!({"file_path": path, "content": text}))?;
        let (old, new) = ("was soaked", "is wet");
        let edit = json!({"file_path": path, "old_string": old, "new_string": new});
        self.call("grz_edit_file", &edit)?;
        self.call("index_file", &json!({"file_path": path}))?;
        let read = self.call("grz_read_file", &json!({"file_path": path}))?;
        assert!(read.to_string().contains(new), "{read}");
        self.keep(Kept::File(path, text.replace(old, new)));
        Some(())
    }

    /// What is done less often.
    fn now_and_then(&mut self, name: &str) -> Option<()> {
        self.call("index_directory", &json!({"dir_path": "docs"}))?;
        self.call("sync_git", &json!({}))?;
        self.call("bridge-record", &json!({"prompt": name, "response": "Soaked."}))?;
        self.known.lock().unwrap().events.insert(name.to_owned());
        self.call("sync_now", &json!({}))?;
        let command = json!({"command": format!("echo {name}")});
        let ran = self.call("grz_execute_command", &command)?;
        assert!(ran.to_string().contains(name), "{ran}");
        let page = self.call("jina_read_url", &json!({"url": self.page}))?;
        assert!(page.to_string().contains("The heron"), "{page}");
        Some(())
    }

    /// Notes something that was acknowledged.
    fn keep(&mut self, kept: Kept) {
        let mut known = self.known.lock().unwrap();
        match &kept {
            Kept::Memory(text, _) => known.memories.insert(text.clone()),
            Kept::Record(title, _) => known.records.insert(title.clone()),
            Kept::Thing(name) => known.things.insert(name.clone()),
            Kept::File(path, text) => known.files.insert(path.clone(), text.clone()).is_none(),
        };
        self.kept.push_back(kept);
        self.doubt = None;
    }

    /// Notes that the removal of something was acknowledged.
    fn is_gone(&self, gone: Kept) {
        let mut known = self.known.lock().unwrap();
        match gone {
            Kept::Memory(text, _) => _ = known.deleted.insert(text),
            Kept::Record(title, _) => _ = known.forgotten.insert(title),
            Kept::Thing(_) => {}
            Kept::File(path, _) => _ = std::fs::remove_file(self.bed.work().join(path)),
        }
    }

    /// Takes away what may be there since a kill: the store would grow by every one. None if it was killed again.
    fn clear_up(&mut self) -> Option<()> {
        let Some(doubt) = self.doubt.take() else { return Some(()) };
        let is_cleared = match &doubt {
            Doubt::Added(number) => self.undo(*number),
            Doubt::Taken(kept) => self.remove(kept),
        };
        match (is_cleared, doubt) {
            (None, doubt) => {
                self.doubt = Some(doubt);
                return None;
            }
            (Some(()), Doubt::Taken(gone)) => self.is_gone(gone),
            (Some(()), Doubt::Added(_)) => {}
        }
        Some(())
    }

    /// Takes something away that may not be there: that is an error then, and no matter.
    fn remove(&mut self, kept: &Kept) -> Option<()> {
        let (tool, arguments) = kept.removal();
        call(self.server.as_mut()?, tool, &arguments).map(drop)
    }

    /// Takes away what this round may have added.
    fn undo(&mut self, number: u64) -> Option<()> {
        let name = self.name(number);
        match number % 7 {
            0 => self.unwrite(&format!("t_{name}")),
            1 => {
                let file = Kept::File(file_path(&name), String::new());
                self.remove(&file)?;
                self.is_gone(file);
                Some(())
            }
            2 => self.unwrite(&format!("p_{name}")),
            5 => self.remove(&Kept::Thing(format!("From{name}"))),
            _ => self.unkeep(&format!("The soak {name} ")),
        }
    }

    /// Deletes the memories with these words.
    fn unkeep(&mut self, words: &str) -> Option<()> {
        let found = call(self.server.as_mut()?, "query_memories", &json!({"search": words}))?;
        for memory in found.value["memories"].as_array().into_iter().flatten() {
            self.remove(&Kept::Memory(String::new(), memory["id"].clone()))?;
        }
        Some(())
    }

    /// Forgets the records on a target.
    fn unwrite(&mut self, target: &str) -> Option<()> {
        let found = call(self.server.as_mut()?, "get_decisions", &json!({"target": target}))?;
        for record in found.value["decisions"].as_array().into_iter().flatten() {
            self.remove(&Kept::Record(String::new(), record["fid"].clone()))?;
        }
        Some(())
    }

    /// Takes the oldest away, if there are many; none if it was killed. Until the answer comes, nobody knows.
    fn take_away(&mut self) -> Option<()> {
        if self.kept.len() <= KEPT_MAX {
            return Some(());
        }
        let oldest = self.kept.pop_front()?;
        let mut known = self.known.lock().unwrap();
        match &oldest {
            Kept::Memory(text, _) => known.memories.remove(text),
            Kept::Record(title, _) => known.records.remove(title),
            Kept::Thing(name) => known.things.remove(name),
            Kept::File(path, _) => known.files.remove(path).is_some(),
        };
        drop(known);
        let (tool, arguments) = oldest.removal();
        self.doubt = Some(Doubt::Taken(oldest));
        self.call(tool, &arguments)?;
        let Some(Doubt::Taken(gone)) = self.doubt.take() else { return Some(()) };
        self.is_gone(gone);
        Some(())
    }
}

fn file_path(name: &str) -> String {
    format!("soak/{name}.md")
}

/// Calls a tool; none if the process is killed before it answers.
pub(super) fn call(server: &mut Stdio1, tool: &str, arguments: &Value) -> Option<Reply> {
    let id = server.try_ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
    loop {
        let message = server.receive()?;
        if message["id"] == id {
            return Some(reply(&message));
        }
    }
}

/// A server that has shaken hands; it may be killed even before.
fn start(bed: &Bed, is_over: &AtomicBool, pid: &AtomicU64) -> Stdio1 {
    loop {
        let mut command = bed.command();
        // Whatever the limit, an hour would reach it.
        command.args(["--limit", "notes-learning=0", "--allow-private-urls"]);
        let mut server = Stdio1::start_command(command);
        pid.store(server.child.id().into(), Ordering::Relaxed);
        let hello = crate::support::hello("2025-11-25", json!({}));
        let is_asked = server.try_ask("initialize", &hello).is_some();
        if is_asked && server.receive().is_some() || is_over.load(Ordering::Relaxed) {
            return server;
        }
    }
}
