//! `lorekeep tools`.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};
use tools::{Catalogue, Definition, Toolset, reference};

use crate::cli::ToolsArgs;
use crate::{output, settings};

pub(crate) fn run(args: &ToolsArgs) -> Result<ExitCode> {
    let settings = settings::load([&*args.store, &*args.offer, &*args.limits])?;
    let catalogue = Catalogue::new(settings.selection);
    let offered: Vec<(Toolset, &Definition)> =
        catalogue.all().filter(|(_, d)| d.spec.role <= settings.role).collect();
    if args.json {
        let total: usize = offered.iter().map(|(_, definition)| definition.tokens()).sum();
        let tools: Vec<Value> = offered.iter().map(|(t, d)| reference::entry(*t, d)).collect();
        output::json(&json!({"tools": tools, "tokens": total}))?;
    } else {
        print(&offered);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(offered: &[(Toolset, &Definition)]) {
    let rows: Vec<[String; 5]> = offered
        .iter()
        .map(|(toolset, definition)| {
            [
                toolset.name().to_owned(),
                definition.spec.name.to_owned(),
                definition.spec.role.name().to_owned(),
                definition.spec.effect.word().to_owned(),
                definition.tokens().to_string(),
            ]
        })
        .collect();
    output::table(["toolset", "tool", "role", "effect", "tokens"], &rows);
    let total: usize = offered.iter().map(|(_, definition)| definition.tokens()).sum();
    let count = offered.len();
    output::note(format!("{count} tools, {total} tokens of name, description and input schema"));
}
