//! `lorekeep uninstall`: out of the clients on this machine, or out of the hook before a commit.

use std::process::ExitCode;

use anyhow::Result;
use providers::clients::{Client, ClientFile, Desk, Extras};

use super::install::pre_commit;
use super::install::work::Work;
use crate::cli::{UninstallArgs, UninstallWhat};
use crate::output;

pub(crate) fn run(args: &UninstallArgs) -> Result<ExitCode> {
    match &args.what {
        Some(UninstallWhat::PreCommit(args)) => pre_commit::uninstall(args.dry_run),
        None => out_of_clients(args),
    }
}

fn out_of_clients(args: &UninstallArgs) -> Result<ExitCode> {
    let mut work = Work::new(&args.clients)?;
    let names = &args.clients.names;
    let is_chosen = |client: &Client| names.is_empty() || names.contains(client);
    let chosen: Vec<Client> = Client::ALL.into_iter().filter(is_chosen).collect();
    for client in &chosen {
        for file in client.files(&work.home, &work.scope, Extras::ALL) {
            let names_us = work.desk.read(&file.path).map(|text| has_ours(&file, text.as_deref()));
            if names_us == Ok(false) || is_shared(&work, &chosen, *client, &file) {
                continue;
            }
            let plan = |desk: &Desk| {
                file.uninstall(desk.read(&file.path)?, desk.copy(&file.path).as_deref())
            };
            work.change(*client, &file.path, "uninstalled", &plan);
        }
    }
    if work.is_idle() {
        output::line("nothing of ours is installed there");
    }
    Ok(work.finish())
}

/// Whether a file may have something of ours.
fn has_ours(file: &ClientFile, text: Option<&str>) -> bool {
    text.is_some_and(|text| {
        let edit = file.uninstall(Some(text.to_owned()), None);
        edit.map_or(true, |edit| edit.is_change())
    })
}

/// Whether a client that stays reads the instructions in this file too.
fn is_shared(work: &Work, chosen: &[Client], client: Client, file: &ClientFile) -> bool {
    let path = client.instructions(&work.home, &work.scope);
    let stays = |other: Client| {
        let files = other.files(&work.home, &work.scope, Extras::ALL);
        let first = files.first().filter(|_| !chosen.contains(&other));
        let text = first.and_then(|file| work.desk.read(&file.path).ok().flatten());
        first.zip(text).is_some_and(|(file, text)| file.has_server(&text))
    };
    let reads = |other: &Client| other.instructions(&work.home, &work.scope) == path;
    path.as_ref() == Some(&file.path) && Client::ALL.into_iter().filter(reads).any(stays)
}
