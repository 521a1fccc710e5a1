//! Every field of every tool, in every form that models send, held against the plain form: two stores
//! get the same calls, one in the one form and one in the other, and must answer the same.

use serde_json::{Value, json};

use crate::testing::spots::{catalogue, usage};
use crate::testing::{Bench, Speaker, check};
use crate::tool::{Definition, Reply};

/// A field: where it stands as a JSON pointer, what it takes, and whether it may be left out.
struct Field {
    pointer: String,
    schema: Value,
    is_optional: bool,
}

impl Field {
    /// Its name as errors and warnings have it: `files[0].path`.
    fn name(&self) -> String {
        let mut name = String::new();
        for part in self.pointer.split('/').skip(1) {
            match (part.parse::<usize>(), name.is_empty()) {
                (Ok(index), _) => name += &format!("[{index}]"),
                (Err(_), true) => name += part,
                (Err(_), false) => name += &format!(".{part}"),
            }
        }
        name
    }

    fn kind(&self) -> &str {
        self.schema["type"].as_str().expect("one type")
    }
}

/// The fields of a schema, those within objects and lists of objects among them.
fn fields(schema: &Value, pointer: &str, all: &mut Vec<Field>) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let pointer = format!("{pointer}/{name}");
        let is_optional = !required.contains(&json!(name));
        all.push(Field { pointer: pointer.clone(), schema: property.clone(), is_optional });
        fields(property, &pointer, all);
        fields(&property["items"], &format!("{pointer}/0"), all);
    }
}

/// A value that a schema allows.
fn sample(schema: &Value) -> Value {
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    match schema["type"].as_str().expect("one type") {
        "integer" => schema.get("minimum").cloned().unwrap_or(json!(1)),
        "number" => json!(0.5),
        "boolean" => json!(true),
        "array" => json!([sample(&schema["items"])]),
        "object" => {
            let required = schema["required"].as_array().into_iter().flatten();
            let named = required.map(|name| name.as_str().expect("a name"));
            named.map(|name| (name.to_owned(), sample(&schema["properties"][name]))).collect()
        }
        _ => schema.get("enum").map_or(json!("text"), |choices| choices[0].clone()),
    }
}

/// The arguments of the tool's usage with this value in a field; without one the field is left out.
fn arguments(tool: &Definition, field: &Field, value: Option<Value>) -> Value {
    let mut arguments = Value::Object(usage(tool));
    let (parent, name) = field.pointer.rsplit_once('/').expect("a pointer");
    if arguments.pointer(parent).is_none() {
        let top = parent.split('/').nth(1).expect("a name");
        arguments[top] = sample(&tool.input["properties"][top]);
    }
    let parent = arguments.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
    match value {
        Some(value) => _ = parent.insert(name.to_owned(), value),
        None => _ = parent.remove(name),
    }
    arguments
}

/// The plain value, and the other forms of it that are understood; none is the field left out.
fn understood(tool: &Definition, field: &Field) -> Vec<(Option<Value>, Value)> {
    let given = Value::Object(usage(tool)).pointer(&field.pointer).cloned();
    let plain = given.unwrap_or_else(|| sample(&field.schema));
    let as_text = || (Some(plain.clone()), json!(plain.to_string()));
    let mut forms = match field.kind() {
        "integer" => {
            let float = plain.as_i64().expect("a whole number") as f64;
            vec![as_text(), (Some(plain.clone()), json!(float))]
        }
        "boolean" => [true, false].map(|b| (Some(json!(b)), json!(b.to_string()))).to_vec(),
        "array" | "object" => vec![as_text()],
        _ => Vec::new(),
    };
    if field.is_optional && !tool.spec.empty_is_a_value {
        forms.push((None, json!("")));
    }
    forms
}

/// What is refused.
fn refused(field: &Field) -> Vec<Value> {
    match field.kind() {
        "integer" => vec![json!("5x"), json!(" 5"), json!("05"), json!(5.5), json!(true)],
        "number" => vec![json!("much"), json!(true)],
        "boolean" => vec![json!("yes"), json!("True"), json!(1)],
        "array" => vec![json!("a, b"), json!("{}"), json!(1)],
        "object" => vec![json!("text"), json!("[]"), json!(1)],
        _ => vec![json!(17), json!(true), json!(["text"])],
    }
}

/// Two stores that are the same, with what the tool's usage is about.
fn twins(tool: &Definition) -> [Bench; 2] {
    [(), ()].map(|()| {
        let here = std::env::current_dir().expect("a directory");
        let mut bench = Bench::new().allowing(&here);
        bench.seed(tool);
        bench
    })
}

/// Lets a twin answer: what it says, without where it lies, and the warnings apart.
fn ask(bench: &mut Bench, tool: &Definition, arguments: Value) -> (bool, Value, String) {
    let Reply { value, is_error, .. } = bench.call(tool.spec.name, arguments);
    let dir = bench.dir().canonicalize().expect("a directory");
    let text = value.to_string().replace(&dir.display().to_string(), "$DIR");
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    // How long a sync took, and when a file was written, is another matter each time.
    for (place, name) in [("", "durationMs"), ("/item", "createdAt"), ("/item", "updatedAt")] {
        let fields = value.pointer_mut(place).and_then(Value::as_object_mut);
        fields.and_then(|fields| fields.remove(name));
    }
    let warnings = value.as_object_mut().and_then(|fields| fields.remove("warnings"));
    (is_error, value, warnings.unwrap_or_default().to_string())
}

#[test]
fn what_models_send_for_a_value_is_the_value_in_every_field() {
    let (mut findings, mut asked) = (Vec::new(), 0);
    for (_, tool) in catalogue().all() {
        let [mut one, mut other] = twins(tool);
        let mut all = Vec::new();
        fields(&Value::Object(tool.input.clone()), "", &mut all);
        for field in &all {
            let place = format!("{} {}", tool.spec.name, field.name());
            for (plain, form) in understood(tool, field) {
                asked += 1;
                let (was_error, expected, _) =
                    ask(&mut one, tool, arguments(tool, field, plain.clone()));
                let (is_error, answer, warnings) =
                    ask(&mut other, tool, arguments(tool, field, Some(form.clone())));
                if (is_error, &answer) != (was_error, &expected) {
                    findings.push(format!("{place}: {form}\n  {answer}\n  {expected}"));
                } else if !is_error && !warnings.contains(&field.name()) {
                    findings.push(format!("{place}: {form} is not in {warnings}"));
                }
            }
            if field.is_optional {
                let left_out = ask(&mut one, tool, arguments(tool, field, None));
                let null = ask(&mut other, tool, arguments(tool, field, Some(Value::Null)));
                if left_out != null {
                    findings.push(format!("{place}: null\n  {null:?}\n  {left_out:?}"));
                }
            }
        }
    }
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
    assert!(asked > 250, "only {asked} forms");
}

#[test]
fn everything_else_is_refused_by_its_name_in_every_field() {
    let (mut findings, mut asked) = (Vec::new(), 0);
    for (_, tool) in catalogue().all() {
        let [mut bench, _] = twins(tool);
        let mut all = Vec::new();
        fields(&Value::Object(tool.input.clone()), "", &mut all);
        for field in &all {
            for form in refused(field) {
                asked += 1;
                let given = arguments(tool, field, Some(form.clone()));
                let (is_error, answer, _) = ask(&mut bench, tool, given);
                let told = answer.to_string().replace('\\', "");
                let names_all = [field.name(), form.to_string(), "it takes".to_owned()];
                if !is_error || !names_all.iter().all(|part| told.contains(part)) {
                    findings.push(format!("{} {}: {told}", tool.spec.name, field.name()));
                }
            }
        }
    }
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
    assert!(asked > 500, "only {asked} values");
}

#[test]
fn an_unknown_field_changes_nothing_and_is_named_in_every_tool() {
    let mut findings = Vec::new();
    for (_, tool) in catalogue().all() {
        let [mut one, mut other] = twins(tool);
        let mut unknown = usage(tool);
        unknown.insert("treshold".into(), json!({"x": [1]}));
        let expected = ask(&mut one, tool, Value::Object(usage(tool)));
        let (is_error, answer, warnings) = ask(&mut other, tool, Value::Object(unknown));
        if (is_error, &answer) != (false, &expected.1) {
            findings.push(format!("{}: {answer}\n  {}", tool.spec.name, expected.1));
        }
        if !warnings.contains("treshold is unknown and was ignored; ") {
            findings.push(format!("{}: {warnings}", tool.spec.name));
        }
    }
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn the_nearest_known_field_is_named() {
    check(
        r#"
        > memory_search {"query": "x", "treshold": 0.4, "max_results": 3}
        < {"warnings": [
            "treshold is unknown and was ignored; the nearest known field is threshold",
            "max_results is unknown and was ignored; the nearest known field is layers"], "...": 0}
        > search_with_filters {"query": "x", "filters": {"chunk_index": 1, "Namespace": "docs"}}
        < {"warnings": [
            "filters.chunk_index is unknown and was ignored; the nearest known field is filters.namespace",
            "filters.Namespace is unknown and was ignored; the nearest known field is filters.namespace"],
            "...": 0}
        > get_memory_stats {"verbose": true}
        < {"warnings": ["verbose is unknown and was ignored; there are no fields"], "...": 0}
        > memory_search {"query": "x", "filter": {"tags": ["t"]}}
        < {"success": true, "results": [], "totalCount": 0, "searchedLayers": ["$*", "..."]}
        > memory_add {"content": "From the web", "source_url": "https://example.org/"}
        < {"success": true, "memoryId": "$*", "message": "$*"}
        > memory_add {"content": "With data", "metadata": {"any": {"thing": 1}}}
        < {"success": true, "memoryId": "$*", "message": "$*"}
        "#,
    );
}

#[test]
fn what_was_understood_is_told_and_all_unknown_fields_are_counted() {
    check(
        r#"
        > store_memory {"type": "core", "content": "x", "category": "", "tags": "[\"a\", \"b\"]", "id": ""}
        < {"created": true, "memory": {"tags": ["a", "b"], "...": 0}, "warnings": [
            "an empty text was read as not given: category, id", "tags: JSON text was read as a list"],
            "...": 0}
        > query_memories {"limit": "5", "offset": 0.0, "archived": "true"}
        < {"limit": 5, "warnings": ["limit: \"5\" was read as 5", "offset: 0.0 was read as 0",
            "archived: \"true\" was read as true"], "...": 0}
        > search_with_filters {"query": "x", "filters": "{\"namespace\": \"\", \"doc_type\": \"memory\"}"}
        < {"warnings": ["an empty text was read as not given: filters.namespace",
            "filters: JSON text was read as an object"], "...": 0}
        "#,
    );
    let many: serde_json::Map<_, _> = (0..23).map(|n| (format!("f{n}"), json!(n))).collect();
    let reply = Bench::new().call("get_memory_stats", Value::Object(many));
    let warnings = reply.value["warnings"].as_array().expect("a list");
    assert_eq!((warnings.len(), &warnings[20]), (21, &json!("and 3 more")));
}
