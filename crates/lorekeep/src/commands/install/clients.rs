//! Into the clients on this machine.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use providers::clients::{Client, Desk, Home, NAME, Scope, Wish};

use super::work::Work;
use crate::cli::InstallArgs;
use crate::output;

pub(crate) fn run(args: &InstallArgs) -> Result<ExitCode> {
    let mut work = Work::new(&args.clients)?;
    let wish = Wish { program: program(&work.home)?, force: args.force };
    let names = &args.clients.names;
    let chosen = if names.is_empty() { work.found.clone() } else { names.clone() };
    if chosen.is_empty() {
        complain_of_none(&work.home);
        return Ok(ExitCode::FAILURE);
    }
    for client in Client::ALL {
        let files = client.files(&work.home, &work.scope, args.extras());
        if files.is_empty() && names.contains(&client) {
            work.refuse(client, "it has no files of a project: leave out --project");
        }
        if names.is_empty() && !chosen.contains(&client) {
            work.leave_out(client, &files);
        }
        for file in files.iter().filter(|_| chosen.contains(&client)) {
            let plan = |desk: &Desk| file.install(desk.read(&file.path)?, &wish);
            work.change(client, &file.path, "installed", &plan);
        }
    }
    hint(&work, args);
    Ok(work.finish())
}

/// What a person should know who has it now.
fn hint(work: &Work, args: &InstallArgs) {
    if args.clients.dry_run || work.changed.is_empty() {
        return;
    }
    output::note(
        "What runs now sees it when it is started again; `lorekeep uninstall` takes it out.",
    );
    if work.changed.contains(&Client::Codex) && !args.no_hooks {
        output::note("codex: it asks once whether the hooks may run");
    }
    if work.changed.contains(&Client::ClaudeCode) && matches!(work.scope, Scope::Project(_)) {
        output::note("claude-code: it asks once whether the server of a project may run");
    }
}

fn complain_of_none(home: &Home) {
    output::note("no client was found; looked for:");
    for client in Client::ALL {
        output::note(format!("  {:<15} {}", client.name(), client.folder(home).display()));
    }
    output::note("One that is named is installed into anyway, e.g. `lorekeep install codex`.");
}

/// The path of this program that lasts longest: the one by which a shell finds it, or its own.
fn program(home: &Home) -> Result<String> {
    let own = std::env::current_exe().context("where is this program?")?;
    let real = own.canonicalize().unwrap_or_else(|_| own.clone());
    let is_this = |path: &std::path::PathBuf| path.canonicalize().is_ok_and(|path| path == real);
    let path = home.program(NAME).filter(is_this).unwrap_or(own);
    if path.file_stem().is_none_or(|name| name != NAME) {
        let path = path.display();
        bail!("{path} should be called {NAME}: that is how its entries are known again");
    }
    let text = path.to_str().map(str::to_owned);
    text.with_context(|| format!("{} is no path that can be written in UTF-8", path.display()))
}
