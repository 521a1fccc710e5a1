//! Our definitions and answers in rmcp's types.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engine::trust::visible;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ContentBlock, ErrorCode, MetaObject, PaginatedRequestParams, Prompt,
    PromptArgument, Resource, ResourceContents, ResourceTemplate, Tool, ToolAnnotations,
};
use serde_json::json;
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
pub(crate) fn error(error: &engine::Error, about: &str) -> ErrorData {
    use engine::ErrorKind as Kind;
    let code = match error.kind {
        Kind::NotFound => ErrorCode::RESOURCE_NOT_FOUND,
        Kind::MissingField | Kind::InvalidValue | Kind::Forbidden => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    refusal(code, &error.message, Some(("about", about)))
}

/// What the protocol answers with instead of a result, with a name for what it is about. Both may repeat
/// what the client sent, so that everything in them is made visible here.
pub(crate) fn refusal(code: ErrorCode, text: &str, about: Option<(&str, &str)>) -> ErrorData {
    let data = about.map(|(name, value)| json!({name: visible(value)}));
    ErrorData::new(code, visible(text).into_owned(), data)
}

/// All lists have one page, so any cursor is none of ours.
pub(crate) fn only_page(page: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match page.and_then(|page| page.cursor) {
        Some(cursor) => {
            let text = format!("cursor {cursor:?} is unknown: the list has one page");
            Err(refusal(ErrorCode::INVALID_PARAMS, &text, None))
        }
        None => Ok(()),
    }
}
