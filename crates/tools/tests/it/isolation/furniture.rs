//! One of everything, for each of two people, and how every tool is called on it.

use serde_json::{Value, json};

use super::people::{GROUPS, Person};
use super::world::{Call, DIR, World};

/// What somebody has.
#[derive(Debug, Clone)]
pub(super) struct Things {
    pub(super) memory: String,
    pub(super) other: String,
    pub(super) edge: Value,
    pub(super) decision: String,
    pub(super) proposal: String,
    pub(super) event: String,
    pub(super) thing: String,
    pub(super) chunk: String,
    pub(super) item: String,
    pub(super) project: String,
    pub(super) ledger: String,
    pub(super) folder: String,
    pub(super) tag: String,
}

impl Things {
    /// What nobody has.
    pub(super) fn unknown() -> Self {
        let id = |step| super::world::id_of(step, 0);
        Self {
            memory: id(9_001).to_string(),
            other: id(9_002).to_string(),
            edge: json!(9_999),
            decision: "0123456789ab".to_owned(),
            proposal: "0123456789ac".to_owned(),
            event: "evt_0123456789abcdef".to_owned(),
            thing: "Thing of nobody".to_owned(),
            chunk: "chunk_0000000fffff".to_owned(),
            item: "adr-orgs-nobody".to_owned(),
            project: "project:nobody".to_owned(),
            ledger: "nobody".to_owned(),
            folder: format!("{DIR}/work/nobody"),
            tag: "tag-of-nobody".to_owned(),
        }
    }
}

/// Gives somebody one of everything; its steps have numbers from `first` on.
pub(super) fn furnish(world: &World, first: u64, who: usize, person: &Person) -> Things {
    let mut number = first;
    let mut call = |tool, arguments: Value| {
        number += 1;
        let answer = world.call(number, who, &Call::Tool(tool, arguments));
        assert!(!answer.is_error, "{tool}: {}", answer.value);
        answer.value
    };
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let name = person.name;
    let (tag, thing) = (format!("tag-{name}"), format!("Thing of {name}"));
    let (folder, ledger) = (format!("{DIR}/work/{name}"), GROUPS[person.group].ledgers[0]);
    let memory =
        call("memory_add", json!({"content": format!("Staging of {name}"), "tags": [tag]}));
    let other = call("memory_add", json!({"content": format!("Database of {name}")}));
    let (memory, other) = (text(&memory["memoryId"]), text(&other["memoryId"]));
    let edge = json!({"source_id": memory, "target_id": other, "relation": "relates_to"});
    let edge = call("memory_relate", edge)["data"]["edge_id"].clone();
    call("memory_apply", json!({"memory_id": memory, "context": format!("by {name}")}));
    let said =
        json!({"prompt": "Deploy", "response": format!("Done by {name}"), "namespace": ledger});
    let event = text(&call("bridge-record", said)["event_id"]);
    let decide = |kind: &str, title: &str| {
        json!({"kind": kind, "title": format!("{title} of {name}"), "target": "database",
               "rationale": format!("Because {name} says so."), "namespace": ledger})
    };
    let decision = text(&call("record_decision", decide("decision", "Tabs"))["fid"]);
    let proposal = text(&call("record_decision", decide("proposal", "Coffee breaks"))["fid"]);
    call("add_memory_link", json!({"from": thing, "relation": "uses", "to": "Postgres"}));
    let file = json!({"file_path": format!("{folder}/notes.md"), "namespace": "global"});
    let chunk = text(&call("index_file", file)["data"]["chunk_ids"][0]);
    call("sync_now", json!({}));
    let project = format!("project:{}", GROUPS[person.group].projects[0]);
    let item = format!("adr-orgs-{}", GROUPS[person.group].orgs[0]);
    let ledger = ledger.to_owned();
    Things {
        memory,
        other,
        edge,
        decision,
        proposal,
        event,
        thing,
        chunk,
        item,
        project,
        ledger,
        folder,
        tag,
    }
}

/// Arguments with which a tool does something with what somebody has.
pub(super) fn usual(tool: &str, has: &Things) -> Value {
    let Things { memory, other, thing, project, ledger, folder, .. } = has;
    let of_record = json!({"fid": has.decision, "namespace": ledger});
    match tool {
        "memory_add" => json!({"content": "New", "layer": "project", "tags": [has.tag]}),
        "memory_search" => json!({"query": "staging", "tags": [has.tag]}),
        "memory_delete" => json!({"memoryId": memory}),
        "knowledge_query" => json!({"query": has.item}),
        "knowledge_check" => {
            json!({"dependencies": [{"name": "mysql2"}], "knowledgeItemIds": [has.item]})
        }
        "knowledge_show" => json!({"id": has.item, "includeHistory": true}),
        "store_memory" => json!({"type": "core", "content": "Changed", "id": memory}),
        "query_memories" => json!({"tags": [has.tag], "search": "staging"}),
        "update_memory" => json!({"id": memory, "importance": "high"}),
        "delete_memory" => json!({"id": memory, "permanent": true}),
        "record_decision" => json!({"title": "Spaces", "target": "style",
            "rationale": "They are everywhere.", "namespace": ledger}),
        "supersede_decision" => {
            json!({"fid": has.decision, "title": "Spaces", "target": "database",
            "rationale": "They are everywhere.", "namespace": ledger})
        }
        "accept_proposal" | "reject_proposal" => json!({"fid": has.proposal, "namespace": ledger}),
        "update_decision" => json!({"fid": has.decision, "confidence": 0.9, "namespace": ledger}),
        "get_decisions" | "get_decision_history" | "forget" => of_record,
        "search_decisions" => json!({"query": "tabs", "namespace": ledger}),
        "get_context_for_prompt" => json!({"prompt": "tabs", "namespace": ledger}),
        "bridge-context" => json!({"query": "tabs", "namespace": ledger}),
        "bridge-record" => json!({"prompt": "Deploy", "response": "Done", "namespace": ledger}),
        "get_recent_events" | "sync_git" => json!({"namespace": ledger}),
        "link_evidence" => {
            json!({"event_id": has.event, "decision_ids": [has.decision], "namespace": ledger})
        }
        "index_file" => {
            json!({"file_path": format!("{folder}/docs/guide.md"), "namespace": project})
        }
        "index_directory" => json!({"dir_path": format!("{folder}/docs"), "namespace": project}),
        "delete_file" => json!({"source_file": format!("{folder}/notes.md")}),
        "delete_chunks" => json!({"ids": [has.chunk]}),
        "clear_index" => json!({"confirm": true}),
        "search" => json!({"query": "staging"}),
        "search_with_budget" => json!({"query": "staging", "max_tokens": 500}),
        "search_with_filters" => json!({"query": "staging", "filters":
            {"namespace": project, "source_file": format!("{folder}/notes.md")}}),
        "memory_store" => json!({"content": "New", "namespace": project}),
        "memory_recall" => json!({"query": "staging", "namespace": project}),
        "memory_context" => json!({"query": "staging", "namespace": project}),
        "memory_list" | "memory_count" | "memory_analyze_health" => json!({"namespace": project}),
        "memory_apply" => json!({"memory_id": memory, "context": "x"}),
        "memory_outcome" => json!({"memory_id": memory, "success": true}),
        "memory_validate" => json!({"memory_id": memory, "was_helpful": true}),
        "memory_forget" => json!({"memory_id": memory}),
        "memory_relate" => {
            json!({"source_id": memory, "target_id": other, "relation": "caused_by"})
        }
        "memory_edge_forget" => json!({"edge_id": has.edge}),
        "memory_check_supersedes"
        | "memory_detect_contradictions"
        | "memory_inspect_graph"
        | "validation_history" => json!({"memory_id": memory}),
        "add_memory_link" => json!({"from": thing, "relation": "runs on", "to": "Postgres"}),
        "build_memory_from_text" => json!({"content": format!("{thing} is a database.")}),
        "get_memory_object" => json!({"name": thing}),
        "update_memory_object" => json!({"name": thing, "newSummary": "Changed"}),
        "invalidate_memory_link" => json!({"from": thing, "relation": "uses", "to": "Postgres"}),
        "delete_memory_object" => json!({"name": thing, "cascade": true}),
        "grz_read_file" => json!({"file_path": format!("{folder}/notes.md")}),
        "grz_write_file" => json!({"file_path": format!("{folder}/new.md"), "content": "x"}),
        "grz_edit_file" => json!({"file_path": format!("{folder}/notes.md"),
            "old_string": "staging", "new_string": "production"}),
        "grz_execute_command" => json!({"command": "echo hello", "working_directory": folder}),
        "brave_web_search" => json!({"query": "rust"}),
        "brave_local_search" => json!({"query": "coffee in London"}),
        "jina_read_url" => json!({"url": "https://example.org/"}),
        // They take nothing.
        "sync_now" | "sync_status" | "get_memory_stats" | "get_index_stats" => json!({}),
        other => panic!("say how {other} is called"),
    }
}
