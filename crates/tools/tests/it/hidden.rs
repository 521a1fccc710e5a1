//! Every character that nobody sees, in every field that is kept, and what tools, resources, prompts,
//! completions, errors, notes and exports make of it.

use std::collections::{BTreeMap, BTreeSet};

use engine::memory::{self, NewMemory, Place, remember};
use engine::{brief, export, trust};
use model::{Actor, Kind, Layer, Metadata, Origin, TrustLevel};
use serde_json::{Map, Value, json};
use tools::prompt::{self, PROMPTS};
use tools::resource;
use tools::testing::hidden::{check, check_text, numbers, tags, texts};
use tools::testing::{Bench, Speaker};

/// Words that all texts have one of: a search shows no more than fifty.
const WORDS: [&str; 3] = ["kumquat", "quince", "medlar"];

/// Every text stands behind this.
fn named(at: usize) -> String {
    format!("{} number{at} ", WORDS[at % 3])
}

fn beginning(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}

/// Calls a tool that must succeed.
fn call(bench: &mut Bench, tool: &str, arguments: Value) -> Value {
    let reply = bench.call(tool, arguments);
    assert!(!reply.is_error, "{tool}: {}", beginning(&reply.value.to_string(), 300));
    check(tool, &reply.value);
    reply.value
}

/// What was stored: ids by what they are of.
type Ids = BTreeMap<&'static str, Vec<String>>;

/// Stores each of the texts in every field that takes one.
fn fill(bench: &mut Bench, texts: &[String]) -> Ids {
    let mut ids = Ids::new();
    let mut keep = |what: &'static str, id: &Value| {
        ids.entry(what).or_default().push(id.as_str().expect("an id").to_owned());
    };
    for (at, text) in texts.iter().enumerate() {
        let named = named(at);
        let content = format!("{named}{text}");
        // As names and beside other texts it is enough to have some.
        let some = beginning(text, 500);
        let made = call(
            bench,
            "memory_add",
            json!({"content": content, "tags": tags(text, "t "), "metadata": {&some: some}}),
        );
        keep("memory", &made["memoryId"]);
        let made = call(
            bench,
            "record_decision",
            json!({"title": format!("{named}{}", beginning(text, 250)), "target": format!("t{at}"),
                   "rationale": format!("Because of {content}"),
                   "consequences": [some]}),
        );
        keep("record", &made["fid"]);
        // A name of a thing has no control characters.
        let plain: String = text.chars().filter(|c| !c.is_control()).collect();
        let name = format!("{named}{}", beginning(&plain, 400));
        let link = json!({"from": name, "relation": beginning(&plain, 190), "to": "the rest",
                          "summary": text});
        call(bench, "add_memory_link", link);
        keep("entity", &json!(name));
        call(bench, "bridge-record", json!({"prompt": format!("{named}{some}"), "response": some}));
    }
    let notes = json!({"type": "core", "content": format!("kumquat {}", beginning(&texts[0], 4_000)),
                       "category": beginning(&texts[0], 50), "tags": [beginning(&texts[0], 30)]});
    call(bench, "store_memory", notes);
    ids
}

/// The questions that show what is kept, over all of it.
fn questions(ids: &Ids) -> Vec<(&'static str, Value)> {
    let mut all = Vec::new();
    for word in WORDS {
        let searches = [
            ("memory_search", json!({"query": word, "limit": 100, "threshold": 0})),
            ("memory_recall", json!({"query": word, "n_results": 100})),
            ("memory_context", json!({"query": word, "token_budget": 10_000_000})),
            ("query_memories", json!({"search": word, "limit": 100})),
            ("search", json!({"query": word, "n_results": 50})),
            ("search_with_filters", json!({"query": word, "filters": {}, "n_results": 50})),
            ("search_with_budget", json!({"query": word, "max_tokens": 10_000_000})),
            ("search_decisions", json!({"query": word, "limit": 50})),
            ("get_context_for_prompt", json!({"prompt": word, "limit": 20})),
            ("bridge-context", json!({"query": word, "limit": 20})),
            ("knowledge_query", json!({"query": word, "limit": 100})),
        ];
        all.extend(searches);
    }
    all.extend([
        ("memory_list", json!({"limit": 1_000})),
        ("get_decisions", json!({"limit": 100})),
        ("get_recent_events", json!({"limit": 100})),
        ("get_memory_object", json!({"name": "the rest"})),
        ("memory_analyze_health", json!({})),
        ("get_memory_stats", json!({})),
        ("get_index_stats", json!({})),
        ("sync_status", json!({})),
    ]);
    let memory = &ids["memory"][0];
    for format in ["json", "mermaid"] {
        let asked = json!({"memory_id": memory, "output_format": format});
        all.push(("memory_inspect_graph", asked));
    }
    for tool in ["memory_check_supersedes", "validation_history", "memory_detect_contradictions"] {
        all.push((tool, json!({"memory_id": memory})));
    }
    all.extend(ids["record"].iter().map(|id| ("get_decision_history", json!({"fid": id}))));
    all.extend(ids["entity"].iter().map(|name| ("get_memory_object", json!({"name": name}))));
    all
}

/// What a store with all of them shows by its tools, and with what caution.
#[test]
fn no_tool_shows_what_nobody_sees() {
    let texts = texts();
    let mut bench = Bench::new();
    let ids = fill(&mut bench, &texts);
    let mut shown: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (tool, arguments) in questions(&ids) {
        let answer = call(&mut bench, tool, arguments).to_string();
        shown.entry(tool).or_default().extend(numbers(&answer));
        if matches!(tool, "memory_list" | "memory_search" | "get_decision_history") {
            assert!(answer.contains("unapproved: it has characters that cannot be seen"), "{tool}");
        }
    }
    for tool in ["memory_list", "memory_search", "search_decisions", "get_decision_history"] {
        assert_eq!(shown[tool].len(), texts.len(), "{tool} leaves some out");
    }
}

/// Whatever is wrong with arguments, the answer repeats nothing that nobody sees.
#[test]
fn no_error_repeats_what_nobody_sees() {
    let mut bench = Bench::new();
    for text in texts() {
        let (short, id) = (beginning(&text, 50), format!("mem_{}", beginning(&text, 900)));
        for (tool, arguments) in [
            ("memory_add", json!({"content": "x", "layer": short})),
            ("memory_delete", json!({"memoryId": id})),
            ("get_memory_object", json!({"name": text})),
            ("get_decision_history", json!({"fid": id})),
            ("index_file", json!({"file_path": text})),
            ("grz_read_file", json!({"file_path": text})),
            ("knowledge_show", json!({"id": text})),
            ("memory_list", json!({"namespace": text})),
            ("memory_list", json!({"memory_type": text})),
            ("delete_file", json!({"filename": text})),
        ] {
            let reply = bench.call(tool, arguments);
            check(tool, &reply.value);
        }
        let cx = bench.context();
        for uri in ["memory", "tag", "namespace"] {
            match resource::read(&format!("memory://{uri}/{text}"), &cx) {
                Some(Ok(value)) => check(uri, &value),
                // The server makes it visible where it becomes an answer.
                Some(Err(error)) => check(uri, &json!(trust::visible(&error.message))),
                None => {}
            }
        }
    }
}

#[test]
fn no_resource_prompt_or_completion_shows_what_nobody_sees() {
    let mut bench = Bench::new();
    for (at, text) in texts().iter().enumerate() {
        let content = format!("{}{text}", named(at));
        let new = json!({"content": content, "tags": tags(text, &format!("t{at} "))});
        call(&mut bench, "memory_add", new);
        let completed = prompt::complete(&bench.context(), "tag", &format!("t{at} "), 100).unwrap();
        assert_eq!(completed.len(), tags(text, "").len());
        check("a completion", &json!(completed));
        // A resource shows fifty.
        if at % 50 == 49 {
            read(&bench, "memory://recent");
        }
    }
    read_all(&bench);
}

fn read(bench: &Bench, uri: &str) {
    check(uri, &resource::read(uri, &bench.context()).unwrap().unwrap());
}

fn read_all(bench: &Bench) {
    let cx = bench.context();
    resource::RESOURCES.iter().for_each(|resource| read(bench, resource.uri));
    let arguments = |json: Value| -> Map<String, Value> { json.as_object().unwrap().clone() };
    let text = texts().concat();
    for prompt in PROMPTS {
        let told = json!({"query": WORDS[0], "content": text, "tags": text});
        check_text(prompt.name, &prompt.render(&cx, &arguments(told)).unwrap());
    }
}

/// What is put before an agent that did not ask: nothing of an agent's text that hides something, and
/// of a person's nothing that is not seen.
#[test]
fn no_note_shows_what_nobody_sees_and_no_export_for_people_does() {
    let bench = Bench::new();
    let cx = bench.context();
    let agent = cx.engine.acting(Actor::agent_of("ada"));
    let person = cx.engine.acting(Actor { level: TrustLevel::Person, ..Actor::agent_of("ada") });
    let texts = texts();
    for (at, text) in texts.iter().enumerate() {
        for (engine, who) in [(&agent, "agent"), (&person, "person")] {
            let new = NewMemory {
                origin: Origin::Layers,
                place: Place::Layer(Layer::User),
                kind: Kind::Fact,
                content: format!("{who} {}{text} end{at}", named(at)),
                category: None,
                tags: Vec::new(),
                importance: 0.9,
                metadata: Metadata::new(),
            };
            remember(engine, cx.caller, new).unwrap();
        }
    }
    let waiting = trust::flagged(&agent, cx.caller).unwrap();
    assert_eq!(waiting.len(), texts.len(), "all of an agent's wait for a person");

    let start = brief::at_start(&agent, cx.caller, 1_000_000).unwrap().unwrap().text;
    let scopes = engine::scope::open(&agent, cx.caller).unwrap();
    let packed = memory::context(&agent, cx.caller, None, scopes, 10_000_000).unwrap().text;
    let mut notes = vec![start, packed];
    for at in 0..texts.len() {
        let prompt = format!("What about the {}", named(at).trim());
        let told = brief::for_prompt(&agent, cx.caller, &prompt, 10_000).unwrap().unwrap().text;
        assert!(told.contains(&format!("number{at} end{at}")), "{told}");
        notes.push(told);
    }
    for note in &notes {
        check_text("a note", note);
        assert!(!WORDS.iter().any(|word| note.contains(&format!("agent {word}"))), "{note}");
    }

    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("out");
    export::export(&agent, "0", &to).unwrap();
    let read = |name: &str| std::fs::read_to_string(to.join(name)).unwrap();
    check_text("memories.md", &read("memories.md"));
    let lines: Vec<Value> = read("memories.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    let exact = lines.iter().map(Value::to_string).collect::<String>();
    let escaped = |text: &str| Value::from(text).to_string().trim_matches('"').to_owned();
    assert!(
        texts.iter().all(|text| exact.contains(&escaped(text))),
        "lines for programs are exact"
    );
}
