//! Into the clients on this machine.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use providers::clients::{Client, ClientFile, Desk, Home, NAME, Scope, Wish};

use super::work::Work;
use crate::cli::InstallArgs;
use crate::output;

pub(crate) fn run(args: &InstallArgs) -> Result<ExitCode> {
    let mut work = Work::new(&args.clients)?;
    let wish = Wish { program: program(&work)?, force: args.force };
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
        if chosen.contains(&client) {
            install(&mut work, client, &files, &wish);
        }
    }
    hint(&work, args);
    Ok(work.finish())
}

/// Installs into the files of a client, the one of the server first. Where that one is refused, the others
/// stay as they are: hooks and instructions would speak of a server that is not there.
fn install(work: &mut Work, client: Client, files: &[ClientFile], wish: &Wish) {
    let mut has_server = true;
    for (at, file) in files.iter().enumerate() {
        if !has_server {
            work.row(client, &file.path, "left out".to_owned());
            continue;
        }
        let plan = |desk: &Desk| file.install(desk.read(&file.path)?, wish);
        let is_done = work.change(client, &file.path, "installed", &plan);
        has_server = is_done || at > 0;
    }
}

/// What a person should know who has it now.
fn hint(work: &Work, args: &InstallArgs) {
    if args.clients.dry_run || work.changed.is_empty() {
        return;
    }
    output::note(
        "What runs now sees it when it is started again; `lorekeep uninstall` takes it out.",
    );
    let is_project = matches!(work.scope, Scope::Project(_));
    if is_project && work.home.program(NAME).is_none() {
        output::note(
            "The files of a project name `lorekeep` without a path, so that they work for everybody: put it \
             into a directory of PATH",
        );
    }
    let has = |client| work.changed.contains(&client);
    if has(Client::ClaudeCode) && is_project {
        output::note("claude-code: it asks once whether the server of a project may run");
    }
    if has(Client::Codex) && is_project {
        output::note(
            "codex: in a project that you have not trusted it reads none of these files: start `codex` \
             here and trust the project, or `codex exec --trust`",
        );
    }
    if has(Client::Codex) && !args.no_hooks {
        output::note("codex: it asks once whether the hooks may run");
    }
    if has(Client::Gemini) {
        output::note(
            "gemini: in a folder that you have not trusted it starts no server: start `gemini` there and \
             choose \"Trust folder\", or `gemini --skip-trust`",
        );
    }
}

fn complain_of_none(home: &Home) {
    output::note("no client was found; looked for:");
    for client in Client::ALL {
        output::note(format!("  {:<15} {}", client.name(), client.folder(home).display()));
    }
    output::note("One that is named is installed into anyway, e.g. `lorekeep install codex`.");
}

/// The command that starts this program: for a person the path that lasts longest, which is the one by
/// which a shell finds it, or its own; for a project its name, because others read these files too.
fn program(work: &Work) -> Result<String> {
    if matches!(work.scope, Scope::Project(_)) {
        return Ok(NAME.to_owned());
    }
    let own = std::env::current_exe().context("where is this program?")?;
    let real = own.canonicalize().unwrap_or_else(|_| own.clone());
    let is_this = |path: &std::path::PathBuf| path.canonicalize().is_ok_and(|path| path == real);
    let path = work.home.program(NAME).filter(is_this).unwrap_or(own);
    if path.file_stem().is_none_or(|name| name != NAME) {
        let path = path.display();
        bail!("{path} should be called {NAME}: that is how its entries are known again");
    }
    let text = path.to_str().map(str::to_owned);
    text.with_context(|| format!("{} is no path that can be written in UTF-8", path.display()))
}
