//! `lorekeep knowledge`: items are written, listed, shown and led through their lives.

mod create;
mod form;
mod list;
mod show;

use std::process::ExitCode;

use anyhow::{Result, bail};
use engine::knowledge::{self, Narrow, Step, Written};
use engine::{Engine, ErrorKind};
use model::{Caller, ItemStatus, Role};
use serde_json::json;

use crate::cli::{KnowledgeArgs, KnowledgeWhat, ReasonArgs, StepArgs, SupersedeArgs};
use crate::{output, wiring};

pub(crate) fn run(args: &KnowledgeArgs) -> Result<ExitCode> {
    settle(match &args.what {
        KnowledgeWhat::New(args) => create::run(args),
        KnowledgeWhat::List(args) => list::run(args),
        KnowledgeWhat::Show(args) => show::run(args),
        KnowledgeWhat::Propose(args) => advance(args, ItemStatus::Proposed),
        KnowledgeWhat::Accept(args) => advance(args, ItemStatus::Accepted),
        KnowledgeWhat::Reject(args) => advance(args, ItemStatus::Rejected),
        KnowledgeWhat::Deprecate(args) => advance(args, ItemStatus::Deprecated),
        KnowledgeWhat::Supersede(args) => supersede(args),
    })
}

/// What is refused for what it asks ends with 1; what could not be done, with 2 as everywhere.
pub(super) fn settle(done: Result<ExitCode>) -> Result<ExitCode> {
    let Err(error) = done else { return done };
    let kind = error.downcast_ref::<engine::Error>().map(|error| error.kind);
    match kind {
        Some(
            ErrorKind::Conflict
            | ErrorKind::Forbidden
            | ErrorKind::InvalidValue
            | ErrorKind::NotFound
            | ErrorKind::Damaged,
        ) => {
            output::complain(&error);
            Ok(ExitCode::FAILURE)
        }
        _ => Err(error),
    }
}

/// Refuses a caller whose role is less.
pub(super) fn require(caller: &Caller, needed: Role) -> Result<()> {
    if caller.role >= needed {
        return Ok(());
    }
    bail!("this needs the role {}; this caller is {}", needed.name(), caller.role.name())
}

/// Makes searches for memories find the items as they are now. That it fails is worth a word, no more.
pub(super) fn follow(engine: &Engine, caller: &Caller) {
    match knowledge::sync(engine, caller, &Narrow::default()) {
        Ok(synced) => {
            for (path, why) in synced.failures {
                output::note(format!("note: {path}: {why}"));
            }
            for id in synced.altered {
                output::note(format!("note: {id} is accepted, and its text was changed since"));
            }
        }
        Err(error) => output::note(format!("note: memory_search does not know it yet: {error}")),
    }
}

fn advance(args: &StepArgs, to: ItemStatus) -> Result<ExitCode> {
    let needed = if to == ItemStatus::Proposed { Role::User } else { Role::Admin };
    step(&args.step, needed, |engine, caller| {
        let step = Step { id: args.id.clone(), to, reason: admitted(engine, &args.step.reason)? };
        Ok((knowledge::advance(engine, caller, &step)?, format!("is {}", to.name())))
    })
}

fn supersede(args: &SupersedeArgs) -> Result<ExitCode> {
    step(&args.step, Role::Admin, |engine, caller| {
        let SupersedeArgs { old, new, step } = args;
        let written =
            knowledge::supersede(engine, caller, old, new, &admitted(engine, &step.reason)?)?;
        Ok((written, format!("supersedes {old}")))
    })
}

/// The reason as it may stand in a commit.
fn admitted(engine: &Engine, reason: &str) -> engine::Result<String> {
    engine::secrets::admit(engine.secrets(), "--reason", reason)
}

/// Takes a step and tells what became of the item.
fn step(
    args: &ReasonArgs,
    needed: Role,
    take: impl FnOnce(&Engine, &Caller) -> engine::Result<(Written, String)>,
) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    let caller = wiring::caller(&settings);
    require(&caller, needed)?;
    let engine = wiring::open_once(&settings)?;
    let (written, what) = take(&engine, &caller)?;
    follow(&engine, &caller);
    tell(&written, &what, args.json)?;
    Ok(ExitCode::SUCCESS)
}

/// Tells what was written.
fn tell(written: &Written, what: &str, as_json: bool) -> Result<()> {
    let Written { id, file, commit } = written;
    if as_json {
        return output::json(&json!({"id": id, "file": file, "commit": commit}));
    }
    output::line(format!("{} {what}", output::styled(output::STRONG, id)));
    output::line(format!("  {}", file.display()));
    if let Some(commit) = commit {
        output::line(format!("  commit {commit}"));
    }
    Ok(())
}
