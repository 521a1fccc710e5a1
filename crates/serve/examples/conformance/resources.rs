//! Fixture resources: one text, one binary, one template and one to subscribe to.

use rmcp::model::{CacheScope, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::content::{PIXEL_PNG, PNG};

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const WATCHED: &str = "test://watched-resource";
const TEMPLATE: &str = "test://template/{id}/data";

pub(crate) fn all() -> Vec<Resource> {
    vec![
        Resource::new(TEXT, "static-text")
            .with_description("A text that never changes.")
            .with_mime_type("text/plain"),
        Resource::new(BINARY, "static-binary")
            .with_description("An image of one pixel.")
            .with_mime_type(PNG),
        Resource::new(WATCHED, "watched-resource")
            .with_description("A text that can be subscribed to.")
            .with_mime_type("text/plain"),
    ]
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(TEMPLATE, "template")
            .with_description("Data for an id.")
            .with_mime_type("application/json"),
    ]
}

pub(crate) fn can_be_watched(uri: &str) -> bool {
    uri == WATCHED
}

/// `None` for what is not a fixture.
pub(crate) fn read(uri: &str) -> Option<ReadResourceResult> {
    let contents = match uri {
        TEXT => ResourceContents::text("This is the content of the static text resource.", uri),
        WATCHED => ResourceContents::text("This is the content of the watched resource.", uri),
        BINARY => ResourceContents::blob(PIXEL_PNG, uri).with_mime_type(PNG),
        _ => from_template(uri)?,
    };
    let result = ReadResourceResult::new(vec![contents]);
    Some(result.with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

fn from_template(uri: &str) -> Option<ResourceContents> {
    let (before, after) = TEMPLATE.split_once("{id}")?;
    let id = uri.strip_prefix(before)?.strip_suffix(after)?;
    if id.is_empty() || id.contains('/') {
        return None;
    }
    let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
    Some(ResourceContents::text(data.to_string(), uri).with_mime_type("application/json"))
}
