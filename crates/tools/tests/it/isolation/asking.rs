//! One of everything that somebody has, how every tool is called on it, and which of its fields name
//! something that somebody has. Nothing here knows how a tool is called, so that the same is asked of the
//! tools themselves and, by `lorekeep/tests/it/http_isolation.rs`, of the server.

use serde_json::{Map, Value, json};

/// What somebody has.
#[derive(Debug, Clone)]
pub(crate) struct Things {
    pub(crate) memory: String,
    pub(crate) other: String,
    pub(crate) edge: Value,
    pub(crate) decision: String,
    pub(crate) proposal: String,
    pub(crate) event: String,
    pub(crate) thing: String,
    pub(crate) chunk: String,
    pub(crate) item: String,
    pub(crate) project: String,
    pub(crate) ledger: String,
    pub(crate) folder: String,
    pub(crate) tag: String,
}

impl Things {
    /// What nobody has; `folder` is one that is not there.
    pub(crate) fn unknown(folder: String) -> Self {
        Self {
            memory: "8f14e45f-ceea-467f-a9f0-c6b2d1a3e597".to_owned(),
            other: "1679091c-5a88-4faf-8fb5-e6087eb1b2dc".to_owned(),
            edge: json!(9_999),
            decision: "0123456789ab".to_owned(),
            proposal: "0123456789ac".to_owned(),
            event: "evt_0123456789abcdef".to_owned(),
            thing: "Thing of nobody".to_owned(),
            chunk: "chunk_0000000fffff".to_owned(),
            item: "adr-orgs-nobody".to_owned(),
            project: "project:nobody".to_owned(),
            ledger: "nobody".to_owned(),
            folder,
            tag: "tag-of-nobody".to_owned(),
        }
    }
}

/// What somebody's things are called.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    pub(crate) name: String,
    pub(crate) ledger: String,
    pub(crate) folder: String,
    pub(crate) project: String,
    pub(crate) item: String,
}

/// Gives somebody one of everything, by `call`, which calls a tool and fails where that fails.
pub(crate) fn furnish(names: &Names, mut call: impl FnMut(&'static str, Value) -> Value) -> Things {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let Names { name, ledger, folder, project, item } = names.clone();
    let (tag, thing) = (format!("tag-{name}"), format!("Thing of {name}"));
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
pub(crate) fn usual(tool: &str, has: &Things) -> Value {
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

/// Fields that name nothing that somebody has.
const PLAIN: [&str; 73] = [
    "allow_conflict",
    "archived",
    "as_of",
    "cascade",
    "category",
    "command",
    "confidence",
    "confirm",
    "consequences",
    "content",
    "context",
    "count",
    "create_edge",
    "create_edges",
    "decay_factor",
    "dependencies",
    "descending",
    "direction",
    "doc_type",
    "edge_types",
    "error_msg",
    "event_type",
    "files",
    "force",
    "importance",
    "includeConstraints",
    "includeHistory",
    "include_contradictions",
    "include_low_confidence",
    "include_scores",
    "include_stale",
    "kind",
    "layer",
    "layers",
    "limit",
    "max_depth",
    "max_tokens",
    "memory_type",
    "metadata",
    "minSeverity",
    "min_confidence",
    "min_importance",
    "mode",
    "n_results",
    "newSummary",
    "newType",
    "new_string",
    "offset",
    "old_string",
    "order_by",
    "output_format",
    "permanent",
    "phase",
    "previousMessages",
    "prompt",
    "rationale",
    "recursive",
    "replace_all",
    "response",
    "session_id",
    "similarity_threshold",
    "skip_event",
    "sort_by",
    "sort_order",
    "stale_days",
    "status",
    "success",
    "summary",
    "threshold",
    "timeout_seconds",
    "title",
    "token_budget",
    "type",
];

/// More of them: what they are compared with is not owned.
const WORDS: [&str; 8] =
    ["types", "url", "was_helpful", "weight", "relation", "target", "search", "query"];

/// Whether a field names nothing that somebody has.
pub(crate) fn is_plain(field: &str) -> bool {
    PLAIN.contains(&field) || WORDS.contains(&field) || field == "filters"
}

/// Whether a tool's `namespace` is one of the ledger's.
pub(crate) fn is_ledger(tool: &str) -> bool {
    tools::Toolset::Ledger.tools().iter().any(|spec| spec.name == tool)
}

/// What a field of a tool names of what somebody has; nothing if it names nothing.
pub(crate) fn named(tool: &str, field: &str, has: &Things) -> Option<Value> {
    let file = |name: &str| Some(json!(format!("{}/{name}", has.folder)));
    match (tool, field) {
        ("knowledge_show", "id") | (_, "knowledgeItemIds") => Some(json!(has.item)),
        ("knowledge_query" | "memory_forget", "query") => Some(json!(has.item)),
        (_, "input_value") => Some(json!(has.memory)),
        (_, "id" | "memory_id" | "memoryId" | "source_id") => Some(json!(has.memory)),
        (_, "target_id") => Some(json!(has.other)),
        (_, "edge_id") => Some(has.edge.clone()),
        ("accept_proposal" | "reject_proposal", "fid") => Some(json!(has.proposal)),
        (_, "fid" | "decision_ids") => Some(json!(has.decision)),
        (_, "event_id") => Some(json!(has.event)),
        (_, "ids") => Some(json!(has.chunk)),
        (_, "name" | "from" | "to") => Some(json!(has.thing)),
        (_, "tags") => Some(json!(has.tag)),
        (tool, "namespace") if is_ledger(tool) => Some(json!(has.ledger)),
        (_, "namespace") => Some(json!(has.project)),
        ("index_directory", "dir_path") => file("docs"),
        (_, "working_directory") => Some(json!(has.folder)),
        (_, "file_path" | "source_file") => file("notes.md"),
        _ => None,
    }
}

/// The fields of a tool by their paths, those of objects within it, too.
pub(crate) fn fields(input: &Map<String, Value>) -> Vec<(String, String)> {
    let properties = |schema: &Value| {
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        properties.into_iter().collect::<Vec<(String, Value)>>()
    };
    let whole = Value::Object(input.clone());
    let mut fields = Vec::new();
    for (name, schema) in properties(&whole) {
        let inner = properties(&schema).into_iter().map(|(inner, _)| inner);
        fields.extend(inner.map(|inner| (format!("/{name}/{inner}"), inner)));
        fields.push((format!("/{name}"), name));
    }
    fields
}

/// Arguments that name this at that place; what else the tool could take instead is left out.
pub(crate) fn asking(tool: &str, path: &str, own: &Things, id: &Value) -> Value {
    let mut arguments = usual(tool, own);
    match (tool, path) {
        ("memory_edge_forget", "/memory_id") => return json!({"memory_id": id}),
        ("memory_edge_forget", "/source_id") => {
            return json!({"source_id": id, "target_id": own.other});
        }
        ("memory_edge_forget", "/target_id") => {
            return json!({"source_id": own.memory, "target_id": id});
        }
        ("memory_forget", "/query") => return json!({"query": id}),
        ("memory_forget", "/input_value") => return json!({"input_value": id}),
        ("search_with_filters", "/filters/source_file") => {
            arguments["filters"] = json!({"doc_type": "document"});
        }
        _ => {}
    }
    let (parent, field) = path.rsplit_once('/').expect("a path");
    let is_list = matches!(field, "ids" | "decision_ids" | "knowledgeItemIds" | "tags");
    let value = if is_list { json!([id]) } else { id.clone() };
    let parent =
        if parent.is_empty() { Some(&mut arguments) } else { arguments.pointer_mut(parent) };
    parent.expect("an object")[field] = value;
    arguments
}

/// An answer without the id that was asked for, in either spelling.
pub(crate) fn without(answer: &str, id: &Value) -> String {
    let text = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    let bare = text.trim_start_matches("mem_").replace('-', "");
    let mut told = answer.replace(&text, "ID");
    if bare.len() == 32 {
        let uuid = [&bare[..8], &bare[8..12], &bare[12..16], &bare[16..20], &bare[20..]].join("-");
        told = told.replace(&uuid, "ID").replace(&format!("mem_{bare}"), "ID");
    }
    told
}
