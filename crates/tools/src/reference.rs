//! The tools as reference: an entry of JSON and a page of Markdown. Both are rendered from the
//! definitions alone, so what stands in the snapshots and under `docs/tools` cannot say anything
//! that the tools do not.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::tool::Definition;
use crate::toolset::Toolset;

/// What a host is told of a tool, and what it costs.
pub fn entry(toolset: Toolset, definition: &Definition) -> Value {
    let effect = definition.spec.effect;
    json!({
        "name": definition.spec.name,
        "toolset": toolset.name(),
        "role": definition.spec.role.name(),
        "annotations": {
            "readOnlyHint": effect.read_only,
            "destructiveHint": effect.destructive,
            "idempotentHint": effect.idempotent,
            "openWorldHint": effect.open_world,
        },
        "tokens": definition.tokens(),
        "description": definition.doc.description(),
        "inputSchema": definition.input,
        "outputSchema": definition.output,
    })
}

/// The page that lists all toolsets and, of those that are built, the tools.
pub fn index(tools: &[(Toolset, &Definition)]) -> String {
    let mut page = String::from("# Tools\n\n");
    page.push_str("| toolset | tool | role | effect | tokens |\n|---|---|---|---|---:|\n");
    for toolset in Toolset::ALL {
        let name = toolset.name();
        let mut is_built = false;
        for (_, definition) in tools.iter().filter(|(of, _)| *of == toolset) {
            is_built = true;
            let (tool, role) = (definition.spec.name, definition.spec.role.name());
            let (effect, tokens) = (definition.spec.effect.word(), definition.tokens());
            let link = format!("[`{tool}`]({name}.md#{tool})");
            _ = writeln!(page, "| [{name}]({name}.md) | {link} | {role} | {effect} | {tokens} |");
        }
        if !is_built {
            _ = writeln!(page, "| {name} | not built yet | | | |");
        }
    }
    page.push_str("\nTokens are what a model pays to read name, description and input schema.\n");
    page
}

/// The page of one toolset.
pub fn page(toolset: Toolset, tools: &[&Definition]) -> String {
    let mut page = format!("# {}\n\n{}.\n", toolset.name(), capitalised(toolset.purpose()));
    for definition in tools {
        page.push('\n');
        page.push_str(&tool(definition));
    }
    page
}

/// One tool: what it does, its sections, and its arguments before the first example.
fn tool(definition: &Definition) -> String {
    let (spec, doc) = (&definition.spec, &definition.doc);
    let (effect, role, tokens) = (spec.effect.word(), spec.role.name(), definition.tokens());
    let again = if spec.effect.idempotent { " · idempotent" } else { "" };
    let mut text = format!("## {}\n\n{}\n\n", spec.name, doc.summary);
    _ = writeln!(text, "Least role: {role} · {effect}{again} · {tokens} tokens");
    for (title, body) in &doc.sections {
        if title == "Usage" {
            text.push_str(&arguments(definition));
        }
        _ = write!(text, "\n### {title}\n\n{body}\n");
    }
    text
}

fn arguments(definition: &Definition) -> String {
    let all = definition.arguments();
    if all.is_empty() {
        return "\n### Arguments\n\nNone.\n".into();
    }
    let mut text = String::from("\n### Arguments\n\n| name | takes | meaning |\n|---|---|---|\n");
    for argument in all {
        let needed = if argument.required { " (required)" } else { "" };
        let (takes, meaning) = (cell(&argument.takes), cell(&argument.description));
        _ = writeln!(text, "| `{}`{needed} | {takes} | {meaning} |", argument.name);
    }
    text
}

/// A text as one cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_stays_one_cell() {
        assert_eq!(cell("one of\n a|b "), "one of a\\|b");
    }
}
