//! JSON schemas from types, on a diet.
//!
//! A schema stands in the context of every model that is offered the tool, so it carries nothing a
//! model or a validator does not need: no `$ref`, no titles, no number formats, no `anyOf` but with
//! null in an answer; an enumeration is one list; what a list is of is told by the list.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// The schema of a request. An absent field and null mean the same, so null is not spelled out.
pub(crate) fn input<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12();
    generate::<T>(
        settings,
        &mut RecursiveTransform(|schema: &mut Schema| {
            without_noise(schema);
            without_null(schema);
        }),
    )
}

/// The schema of an answer.
pub(crate) fn output<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = generate::<T>(settings, &mut RecursiveTransform(without_noise));
    schema.remove("description");
    let mut schema = Schema::from(schema);
    RecursiveTransform(settle_null).transform(&mut schema);
    std::mem::take(schema.ensure_object())
}

fn generate<T: JsonSchema>(
    mut settings: SchemaSettings,
    diet: &mut impl Transform,
) -> Map<String, Value> {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    diet.transform(&mut schema);
    let mut object = match schema.to_value() {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    object.entry("properties").or_insert_with(|| json!({}));
    object
}

fn without_noise(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    object.remove("title");
    let is_number = |kind: &Value| matches!(kind.as_str(), Some("integer" | "number"));
    let numeric = match object.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(is_number),
        Some(kind) => is_number(kind),
        None => false,
    };
    if numeric {
        object.remove("format");
    }
    if let Some(Value::Object(items)) = object.get_mut("items") {
        items.remove("description");
    }
    merge_null(object);
    merge_constants(object);
}

/// `anyOf: [T, null]` into T that may be null.
fn merge_null(object: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = object.get("anyOf") else { return };
    let [Value::Object(one), Value::Object(null)] = choices.as_slice() else { return };
    if null.get("type") != Some(&json!("null")) {
        return;
    }
    let mut merged = one.clone();
    if let Some(kind) = merged.remove("type") {
        merged.insert("type".into(), json!([kind, "null"]));
    }
    object.remove("anyOf");
    for (key, value) in merged {
        object.entry(key).or_insert(value);
    }
}

/// `oneOf` constants into one `enum`.
fn merge_constants(object: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = object.get("oneOf") else { return };
    let constants: Option<Vec<Value>> =
        choices.iter().map(|choice| choice.get("const").cloned()).collect();
    if let Some(constants) = constants {
        object.remove("oneOf");
        object.insert("type".into(), json!("string"));
        object.insert("enum".into(), Value::Array(constants));
    }
}

/// A property that may be absent is never null. One that is always there and may be null has two
/// branches of one type each, because some clients know no list of types.
fn settle_null(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    let required = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = object.get_mut("properties") else { return };
    for (name, property) in properties {
        let Value::Object(property) = property else { continue };
        if remove_null(property) && required.contains(&json!(name)) {
            let description = property.remove_entry("description");
            let one = std::mem::take(property);
            property.insert("anyOf".into(), json!([one, {"type": "null"}]));
            property.extend(description);
        }
    }
}

fn without_null(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if object.get("default") == Some(&Value::Null) {
        object.remove("default");
    }
    remove_null(object);
}

/// Takes null out of what a schema allows; whether it was there.
fn remove_null(object: &mut Map<String, Value>) -> bool {
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(kinds)) = object.get_mut("type") else { return false };
    let before = kinds.len();
    kinds.retain(|kind| kind != "null");
    let had_null = kinds.len() < before;
    if let [one] = kinds.as_slice() {
        let one = one.clone();
        object.insert("type".into(), one);
    }
    had_null
}
