//! `lorekeep help`: a tool's page from its doc comment, or a command's.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::CommandFactory;
use tools::{Catalogue, Definition, Selection};

use crate::cli::{Cli, HelpArgs};
use crate::output::{self, STRONG, styled};

pub(crate) fn run(args: &HelpArgs) -> Result<ExitCode> {
    let mut cli = Cli::command();
    cli.build();
    let Some(topic) = &args.topic else {
        output::exact(cli.render_long_help().ansi());
        return Ok(ExitCode::SUCCESS);
    };
    let catalogue = Catalogue::new(Selection::all());
    if let Some(definition) = catalogue.find(topic) {
        print(definition);
    } else if let Some(command) = cli.find_subcommand_mut(topic) {
        output::exact(command.render_long_help().ansi());
    } else {
        let tools: Vec<_> = catalogue.all().map(|(_, d)| d.spec.name).collect();
        bail!("there is no tool or command {topic:?}; the tools are {}", tools.join(", "));
    }
    Ok(ExitCode::SUCCESS)
}

fn print(definition: &Definition) {
    output::line(styled(STRONG, definition.spec.name));
    output::line(&definition.doc.summary);
    for (title, body) in &definition.doc.sections {
        output::line(format!("\n{}\n{body}", styled(STRONG, title)));
    }
    output::line(format!("\n{}", styled(STRONG, "Arguments")));
    for argument in definition.arguments() {
        let needed = if argument.required { ", required" } else { "" };
        output::line(format!("{} ({}{needed})", styled(STRONG, &argument.name), argument.takes));
        if !argument.description.is_empty() {
            output::line(format!("    {}", argument.description));
        }
    }
}
