//! Every tool, every field that takes an id: another's id is answered like one that nobody has.

use serde_json::{Value, json};
use tools::{Catalogue, Definition, Selection};

use super::furniture::{Things, furnish, usual};
use super::oracle::Plain;
use super::people::People;
use super::world::{Answer, Call, World};

/// Fields that name nothing that somebody has.
const PLAIN: [&str; 72] = [
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

/// What a field of a tool names of what somebody has; nothing if it names nothing.
fn named(tool: &str, field: &str, has: &Things) -> Option<Value> {
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
        // A namespace of the ledger is open to whoever names it; see the oracle.
        (_, "namespace") if super::arguments::is_ledger(tool) => None,
        (_, "namespace") => Some(json!(has.project)),
        ("index_directory", "dir_path") => file("docs"),
        (_, "working_directory") => Some(json!(has.folder)),
        (_, "file_path" | "source_file") => file("notes.md"),
        _ => None,
    }
}

/// The fields of a tool by their paths, those of objects within it, too.
fn fields(tool: &Definition) -> Vec<(String, String)> {
    let properties = |schema: &Value| {
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        properties.into_iter().collect::<Vec<(String, Value)>>()
    };
    let whole = Value::Object(tool.input.clone());
    let mut fields = Vec::new();
    for (name, schema) in properties(&whole) {
        let inner = properties(&schema).into_iter().map(|(inner, _)| inner);
        fields.extend(inner.map(|inner| (format!("/{name}/{inner}"), inner)));
        fields.push((format!("/{name}"), name));
    }
    fields
}

/// Arguments that name this at that place; what else the tool could take instead is left out.
fn asking(tool: &str, path: &str, own: &Things, id: &Value) -> Value {
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
fn without(answer: &Answer, id: &Value) -> String {
    let text = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    let bare = text.trim_start_matches("mem_").replace('-', "");
    let mut told = format!("{} {}", answer.is_error, answer.text()).replace(&text, "ID");
    if bare.len() == 32 {
        let uuid = [&bare[..8], &bare[8..12], &bare[12..16], &bare[16..20], &bare[20..]].join("-");
        told = told.replace(&uuid, "ID").replace(&format!("mem_{bare}"), "ID");
    }
    told
}

/// All that somebody sees.
fn view(world: &World, who: usize, has: &Things) -> Vec<String> {
    let looks = [
        ("memory_list", json!({"limit": 1000})),
        ("query_memories", json!({"limit": 100, "archived": true})),
        ("memory_inspect_graph", json!({"memory_id": has.memory})),
        ("validation_history", json!({"memory_id": has.memory})),
        ("get_decisions", json!({"namespace": has.ledger})),
        ("get_recent_events", json!({"namespace": has.ledger})),
        ("get_memory_object", json!({"name": has.thing})),
        ("get_index_stats", json!({})),
        ("get_memory_stats", json!({})),
        ("search", json!({"query": "staging", "n_results": 50})),
        ("knowledge_query", json!({"limit": 100})),
        ("grz_read_file", json!({"file_path": "notes.md"})),
        ("grz_execute_command", json!({"command": "ls -R"})),
    ];
    let look = |(tool, arguments): (&'static str, Value)| {
        world.call(9_000, who, &Call::Tool(tool, arguments)).text()
    };
    looks.into_iter().map(look).collect()
}

#[test]
fn an_id_of_another_is_answered_like_one_that_nobody_has() {
    let people = People::two();
    let open = || {
        let world = World::open(&people, |_| true);
        let has = [0, 1].map(|who| furnish(&world, 100 * (who as u64 + 1), who, &people.all[who]));
        (world, has)
    };
    // The same calls in two worlds: in the one with another's ids, in the other with nobody's.
    let ((one, [ada, bob]), (other, _)) = (open(), open());
    let nobody = Things::unknown();
    assert_eq!(view(&one, 0, &ada), view(&other, 0, &ada));
    let (mut number, mut findings, mut swept) = (1_000, Vec::new(), 0);
    let (mut plain_one, mut plain_other) = (Plain::default(), Plain::default());
    let catalogue = Catalogue::new(Selection::all());
    for (_, tool) in catalogue.all() {
        let name = tool.spec.name;
        for (path, field) in fields(tool) {
            let Some(foreign) = named(name, &field, &ada) else {
                let is_known = PLAIN.contains(&field.as_str())
                    || WORDS.contains(&field.as_str())
                    || ["namespace", "filters"].contains(&field.as_str());
                assert!(is_known, "{name} {path}: say whether it names what somebody has");
                continue;
            };
            let unknown = named(name, &field, &nobody).expect("the same field");
            (number, swept) = (number + 1, swept + 1);
            let ask = |world: &World, plain: &mut Plain, id: &Value| {
                let call = Call::Tool(name, asking(name, &path, &bob, id));
                without(&plain.of(&world.call(number, 1, &call)), id)
            };
            let (told, untold) =
                (ask(&one, &mut plain_one, &foreign), ask(&other, &mut plain_other, &unknown));
            if told != untold {
                findings.push(format!("{name} {path}\n  another's: {told}\n  nobody's:  {untold}"));
            }
        }
    }
    assert!(swept > 60, "only {swept} fields were tried");
    if view(&one, 0, &ada) != view(&other, 0, &ada) {
        findings.push("somebody else's calls changed what ada sees".to_owned());
    }
    crate::none(&findings);
}

#[test]
fn an_address_of_another_is_answered_like_one_that_nobody_has() {
    let people = People::two();
    let world = World::open(&people, |_| true);
    let [ada, _] = [0, 1].map(|who| furnish(&world, 100 * (who as u64 + 1), who, &people.all[who]));
    let nobody = Things::unknown();
    let read =
        |uri: String, id: &str| without(&world.call(1_000, 1, &Call::Resource(uri)), &json!(id));
    for (kind, foreign, unknown) in [
        ("memory", &ada.memory, &nobody.memory),
        ("namespace", &ada.project, &nobody.project),
        ("tag", &ada.tag, &nobody.tag),
    ] {
        let at = |id: &String| read(format!("memory://{kind}/{id}"), id);
        assert_eq!(at(foreign), at(unknown), "{kind}");
    }
    let complete = |who| world.call(1_000, who, &Call::Complete("tag", "tag-".to_owned())).value;
    assert_eq!((complete(0), complete(1)), (json!(["tag-ada"]), json!(["tag-bob"])));
}

#[test]
fn what_is_usual_works_on_ones_own() {
    let people = People::two();
    let mut findings = Vec::new();
    let (mut world, mut number) = (World::open(&people, |_| true), 1_000);
    let mut has = furnish(&world, 100, 0, &people.all[0]);
    for (_, tool) in Catalogue::new(Selection::all()).all() {
        let (name, effect) = (tool.spec.name, tool.spec.effect);
        number += 1;
        let answer = world.call(number, 0, &Call::Tool(name, usual(name, &has)));
        if answer.is_error {
            findings.push(format!("{name}: {}", answer.value));
        }
        let spends = effect.destructive || matches!(name, "accept_proposal" | "supersede_decision");
        if spends || answer.is_error {
            world = World::open(&people, |_| true);
            has = furnish(&world, 100, 0, &people.all[0]);
        }
    }
    crate::none(&findings);
}
