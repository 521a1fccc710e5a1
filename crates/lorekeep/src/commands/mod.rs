//! The subcommands, one file each.

pub(crate) mod add;
pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod bench;
pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod decide;
pub(crate) mod doctor;
pub(crate) mod edit;
pub(crate) mod export;
pub(crate) mod forget;
pub(crate) mod generate;
pub(crate) mod graph;
pub(crate) mod help;
pub(crate) mod history;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod install;
pub(crate) mod knowledge;
pub(crate) mod list;
pub(crate) mod log;
mod memo;
pub(crate) mod reader;
pub(crate) mod recall;
pub(crate) mod reindex;
pub(crate) mod restore;
pub(crate) mod review;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod token;
pub(crate) mod tools;
pub(crate) mod tour;
pub(crate) mod trust;
pub(crate) mod uninstall;
mod which;

use model::audit::{Deed, NewEntry};

use crate::cli::StoreArgs;
use crate::settings::{self, Settings};
use crate::{output, wiring};

/// The settings of a command that offers no tools.
fn settings(store: &StoreArgs) -> anyhow::Result<Settings> {
    settings::load([&**store])
}

/// Notes in the audit log what a person does that is no change of the store. Who has none yet gets one.
fn note(settings: &Settings, what: &str) -> anyhow::Result<()> {
    let by = wiring::attribution(settings);
    let (actor, at) = (model::Actor::clone(&by.actor), by.at);
    let entry = NewEntry { actor, at, deed: Deed::Written, what: what.to_owned() };
    Ok(store::Store::open(&settings.data_dir)?.note(entry)?)
}

/// The same where it must go on without: a token that is to be good no more, for one.
fn try_note(settings: &Settings, what: &str) {
    if let Err(why) = note(settings, what) {
        output::note(format!("this is not in the audit log: {why:#}"));
    }
}

/// Refuses to make a store where a person looks for one that is there.
fn refuse_missing(settings: &Settings) -> anyhow::Result<()> {
    let dir = &settings.data_dir;
    let is_there = || dir.join(store::FILE_NAME).exists();
    if !is_there() {
        // Where one was, that is told.
        store::settle(dir)?;
    }
    if is_there() {
        return Ok(());
    }
    anyhow::bail!("there is no store at {}; `lorekeep add TEXT` makes one", dir.display())
}
