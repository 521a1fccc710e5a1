//! Fixture tools that return each kind of content, and a schema with every keyword.

use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, ResourceContents, Tool};
use serde_json::json;

use crate::tools::{Answer, failure, plain, string, success, tool, unknown, with_properties};

pub(crate) const PNG: &str = "image/png";

/// A reddish PNG of one pixel.
pub(crate) const PIXEL_PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mM4YKAAAALEARHyd+jyAAAAAElFTkSuQmCC";

/// Four 8-bit samples at 8 kHz.
const BEEP_WAV: &str = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAoIBg";

pub(crate) fn tools() -> Vec<Tool> {
    vec![
        plain("test_simple_text", "Returns one text."),
        plain("test_image_content", "Returns an image."),
        plain("test_audio_content", "Returns a sound."),
        plain("test_embedded_resource", "Returns an embedded resource."),
        plain("test_multiple_content_types", "Returns a text, an image and a resource."),
        plain("test_error_handling", "Always fails."),
        plain("test_reconnection", "Returns a text, for tests of a broken stream."),
        with_properties(
            "test_custom_header",
            "Repeats a parameter that HTTP clients mirror in a header.",
            &json!({ "region": { "type": "string", "x-mcp-header": "Region" } }),
        ),
        schema_2020_12(),
    ]
}

pub(crate) fn call(request: &CallToolRequestParams) -> Answer {
    let blocks = match &*request.name {
        "test_simple_text" => return success("This is a simple text response for testing."),
        "test_error_handling" => {
            return failure("This tool intentionally returns an error for testing");
        }
        "test_reconnection" => return success("The call survived the reconnection."),
        "test_custom_header" => return success(format!("region={}", string(request, "region"))),
        "json_schema_2020_12_tool" => return success("The arguments were accepted."),
        "test_image_content" => vec![image()],
        "test_audio_content" => vec![ContentBlock::audio(BEEP_WAV, "audio/wav")],
        "test_embedded_resource" => vec![ContentBlock::embedded_text(
            "test://embedded-resource",
            "This is an embedded resource content.",
        )],
        "test_multiple_content_types" => vec![
            ContentBlock::text("Multiple content types test:"),
            image(),
            ContentBlock::resource(mixed_resource()),
        ],
        _ => return unknown(request),
    };
    Ok(CallToolResult::success(blocks).into())
}

fn image() -> ContentBlock {
    ContentBlock::image(PIXEL_PNG, PNG)
}

fn mixed_resource() -> ResourceContents {
    let data = json!({ "test": "data", "value": 123 }).to_string();
    ResourceContents::text(data, "test://mixed-content-resource").with_mime_type("application/json")
}

/// A schema whose keywords must all reach the client (SEP-1613, SEP-2106).
fn schema_2020_12() -> Tool {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"],
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    });
    tool("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", schema)
}
