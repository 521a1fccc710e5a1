//! Namespaces with names of the user's own: every tool takes them, and they survive an export.

use engine::{export, import};
use serde_json::{Value, json};
use tools::testing::{Bench, Speaker};

/// An answer without how often and when its memories were read.
fn unread(value: Value) -> Value {
    match value {
        Value::Array(all) => all.into_iter().map(unread).collect(),
        Value::Object(fields) => {
            let kept = fields.into_iter().filter(|(name, _)| !name.contains("access"));
            kept.map(|(name, value)| (name, unread(value))).collect()
        }
        other => other,
    }
}

/// What the tools say of two namespaces, and of all.
fn view(bench: &mut Bench) -> Vec<Value> {
    let mut answers = Vec::new();
    let mut ask = |tool: &str, arguments: Value| {
        let reply = bench.call(tool, arguments);
        assert!(!reply.is_error, "{tool}: {}", reply.value);
        answers.push(unread(reply.value));
    };
    for namespace in ["docs", "code/api"] {
        ask("memory_count", json!({"namespace": namespace}));
        ask("memory_list", json!({"namespace": namespace}));
        ask("memory_context", json!({"namespace": namespace}));
        ask("memory_analyze_health", json!({"namespace": namespace}));
        let filters = json!({"namespace": namespace});
        ask("search_with_filters", json!({"query": "boats", "filters": filters}));
    }
    ask("get_index_stats", json!({}));
    ask("query_memories", json!({"search": "boats", "sort_by": "created_at"}));
    answers
}

#[test]
fn every_tool_takes_them_and_an_export_keeps_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("boats.md");
    std::fs::write(&file, "# Boats\n\nBoats cross the lake.\n").unwrap();
    let mut bench = Bench::new().allowing(folder.path());
    bench.run(&format!(
        r##"
        > index_file {{"file_path": "{0}", "namespace": "docs"}}
        < {{"data": {{"namespace": "docs", "chunk_ids": ["$chunk"], "...": 0}}, "...": 0}}
        > index_directory {{"dir_path": "{1}", "namespace": "code/api"}}
        < {{"data": {{"files_indexed": 1, "...": 0}}, "...": 0}}
        > memory_store {{"content": "Boats need a licence", "namespace": "docs", "memory_type": "fact"}}
        < {{"data": {{"id": "$docs", "namespace": "docs", "...": 0}}, "...": 0}}
        > memory_store {{"content": "Boats are painted red", "namespace": "code/api"}}
        < {{"data": {{"id": "$code", "namespace": "code/api", "...": 0}}, "...": 0}}
        > search_with_filters {{"query": "boats cross the lake", "filters": {{"namespace": "docs", "doc_type": "document"}}}}
        < {{"data": {{"results": [{{"id": "$chunk", "namespace": "docs", "...": 0}}], "...": 0}}, "...": 0}}
        > memory_recall {{"query": "boats", "namespace": "docs"}}
        < {{"data": {{"memories": [{{"id": "$docs", "namespace": "docs", "...": 0}}], "...": 0}}, "...": 0}}
        > memory_context {{"query": "boats need a licence", "namespace": "docs"}}
        < {{"data": {{"memory_count": 1, "...": 0}}, "...": 0}}
        > memory_list {{"namespace": "code/api"}}
        < {{"data": {{"memories": [{{"id": "$code", "...": 0}}], "total": 1, "...": 0}}, "...": 0}}
        > memory_count {{"namespace": "nothing.here"}}
        < {{"data": {{"count": 0, "...": 0}}, "...": 0}}
        # The other dialects find what lies there.
        > memory_search {{"query": "boats need a licence", "layers": ["user"]}}
        < {{"results": [{{"memoryId": "$docs", "layer": "user", "...": 0}}, "..."], "...": 0}}
        > query_memories {{"search": "licence"}}
        < {{"memories": [{{"id": "$docs", "...": 0}}], "total": 1, "...": 0}}
        > search {{"query": "boats", "n_results": 50}}
        < {{"data": {{"total": 3, "...": 0}}, "...": 0}}
        > get_index_stats {{}}
        < {{"data": {{"namespaces": ["code/api", "docs"], "memory_count": 2, "...": 0}}, "...": 0}}
        "##,
        file.display(),
        folder.path().display(),
    ));
    let to = folder.path().join("out");
    export::export(bench.context().engine, "0", &to).unwrap();
    let mut other = Bench::new();
    import::take_back(other.context().engine, &to, false, &mut |_| {}).unwrap();
    assert_eq!(view(&mut other), view(&mut bench));
}

#[test]
fn forgetting_in_one_leaves_the_others() {
    tools::testing::check(
        r#"
        > memory_store {"content": "Boats need a licence", "namespace": "docs"}
        < {"data": {"id": "$docs", "...": 0}, "...": 0}
        > memory_store {"content": "Boats need a licence", "namespace": "backend"}
        < {"data": {"id": "$backend", "duplicate": false, "...": 0}, "...": 0}
        > memory_forget {"query": "boats licence", "namespace": "docs"}
        < {"data": {"deleted_ids": ["$docs"], "...": 0}, "...": 0}
        > memory_forget {"memory_id": "$backend", "namespace": "docs"}
        <! {"success": false, "error": "$*"}
        > memory_count {"namespace": "backend"}
        < {"data": {"count": 1, "...": 0}, "...": 0}
        "#,
    );
}
