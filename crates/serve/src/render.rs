//! Our definitions and answers in rmcp's types.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ContentBlock, MetaObject, PaginatedRequestParams, Prompt, PromptArgument,
    Resource, ResourceContents, ResourceTemplate, Tool, ToolAnnotations,
};
use serde_json::{Value, json};
use tools::{Attachment, Definition, Reply, prompt, resource};

/// Tools that Claude Code loads up front instead of searching for them: recall and keep.
const ALWAYS_LOADED: [&str; 2] = ["memory_search", "memory_add"];

/// What resources are.
pub(crate) const MIME_TYPE: &str = "application/json";

pub(crate) fn tool(definition: &Definition) -> Tool {
    let effect = definition.spec.effect;
    let annotations = ToolAnnotations::new()
        .read_only(effect.read_only)
        .destructive(effect.destructive)
        .idempotent(effect.idempotent)
        .open_world(effect.open_world);
    let input = Arc::new(definition.input.clone());
    let mut tool = Tool::new(definition.spec.name, definition.doc.description(), input)
        .with_raw_output_schema(Arc::new(definition.output.clone()))
        .with_annotations(annotations);
    if ALWAYS_LOADED.contains(&definition.spec.name) {
        let mut meta = MetaObject::default();
        meta.insert("anthropic/alwaysLoad".into(), true.into());
        tool.meta = Some(meta);
    }
    tool
}

/// Success carries the structure and the same JSON as text; failure the text alone.
pub(crate) fn reply(reply: Reply) -> CallToolResult {
    let mut content = vec![ContentBlock::text(reply.value.to_string())];
    if reply.is_error {
        return CallToolResult::error(content);
    }
    content.extend(reply.attachments.into_iter().map(attachment));
    content.extend(reply.note.map(ContentBlock::text));
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(reply.value);
    result
}

/// A picture as one, anything else as a resource.
fn attachment(Attachment { uri, mime_type, bytes }: Attachment) -> ContentBlock {
    let data = BASE64_STANDARD.encode(bytes);
    if mime_type.starts_with("image/") {
        return ContentBlock::image(data, mime_type);
    }
    ContentBlock::resource(ResourceContents::blob(data, uri).with_mime_type(mime_type))
}

pub(crate) fn resource(resource: &resource::Resource) -> Resource {
    Resource::new(resource.uri, resource.name)
        .with_description(resource.description)
        .with_mime_type(MIME_TYPE)
}

pub(crate) fn template(template: &resource::Template) -> ResourceTemplate {
    ResourceTemplate::new(template.uri, template.name)
        .with_description(template.description)
        .with_mime_type(MIME_TYPE)
}

pub(crate) fn prompt(prompt: &prompt::Prompt) -> Prompt {
    let arguments = prompt.arguments.iter().map(|argument| {
        PromptArgument::new(argument.name)
            .with_description(argument.description)
            .with_required(argument.required)
    });
    Prompt::new(prompt.name, Some(prompt.description), Some(arguments.collect()))
}

/// A failure where the protocol has no result to carry it: of a resource, a prompt, a completion.
pub(crate) fn error(error: &engine::Error, about: &Value) -> ErrorData {
    use engine::ErrorKind as Kind;
    let data = Some(json!({"about": about}));
    match error.kind {
        Kind::NotFound => ErrorData::resource_not_found(error.message.clone(), data),
        Kind::MissingField | Kind::InvalidValue | Kind::Forbidden => {
            ErrorData::invalid_params(error.message.clone(), data)
        }
        _ => ErrorData::internal_error(error.message.clone(), data),
    }
}

/// All lists have one page, so any cursor is none of ours.
pub(crate) fn only_page(page: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match page.and_then(|page| page.cursor) {
        Some(cursor) => {
            let text = format!("cursor {cursor:?} is unknown: the list has one page");
            Err(ErrorData::invalid_params(text, None))
        }
        None => Ok(()),
    }
}
