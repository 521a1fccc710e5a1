//! `lorekeep forget`: memories are deleted for good, after a look at them.

use std::io::{BufRead, IsTerminal, Write, stdin};
use std::process::ExitCode;

use anyhow::{Result, bail};
use engine::{Engine, Error, ErrorKind, memory};
use model::{Caller, Memory, Role};
use serde_json::json;

use super::{knowledge, memo, which};
use crate::cli::everyday::ForgetArgs;
use crate::output::{self, STRONG, WARN, cut, one_line, styled};
use crate::wiring;

pub(crate) fn run(args: &ForgetArgs) -> Result<ExitCode> {
    knowledge::settle(forget(args))
}

fn forget(args: &ForgetArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    super::refuse_missing(&settings)?;
    let caller = wiring::caller(&settings);
    knowledge::require(&caller, if args.golden { Role::Admin } else { Role::User })?;
    let engine = wiring::open_once(&settings)?;
    let doomed = named(&engine, &caller, args)?;
    if !args.yes {
        doomed.iter().for_each(|memory| output::note(told(memory)));
        if !agreed(doomed.len())? {
            output::note("nothing was forgotten");
            return Ok(ExitCode::FAILURE);
        }
    }
    let mut gone = Vec::new();
    for doomed in &doomed {
        let delete = if args.golden { memory::destroy } else { memory::forget };
        let deleted = delete(&engine, &caller, doomed.id);
        gone.push(deleted.map_err(|error| memo::hinted(error, None))?);
    }
    if args.json {
        let ids: Vec<String> = gone.iter().map(|memory| memory.id.prefixed()).collect();
        output::json(&json!({"forgotten": ids}))?;
    } else {
        gone.iter().for_each(|memory| output::line(format!("{} is gone", memory.id.prefixed())));
    }
    Ok(ExitCode::SUCCESS)
}

/// The memories that are named, each once. A golden rule among them must be asked for.
fn named(engine: &Engine, caller: &Caller, args: &ForgetArgs) -> Result<Vec<Memory>> {
    let mut doomed: Vec<Memory> = Vec::new();
    for id in &args.ids {
        let memory = which::memory(engine, caller, id)?;
        if memory.is_golden() && !args.golden {
            let id = memory.id.prefixed();
            let why = format!("{id} is a golden rule; --golden forgets it all the same");
            return Err(Error::new(ErrorKind::Forbidden, why).into());
        }
        if doomed.iter().all(|known| known.id != memory.id) {
            doomed.push(memory);
        }
    }
    Ok(doomed)
}

fn told(memory: &Memory) -> String {
    let (id, layer) = (styled(STRONG, memory.id.prefixed()), memory.scope.layer.name());
    let text = cut(&one_line(&memory.content), output::width());
    let golden = if memory.is_golden() { styled(WARN, " golden rule") } else { String::new() };
    format!("{id}  {layer}{golden}\n  {text}")
}

/// Whether the person agrees; without a terminal nobody can be asked.
fn agreed(count: usize) -> Result<bool> {
    if !stdin().is_terminal() {
        bail!("there is no terminal to ask at; --yes forgets without asking");
    }
    let what = if count == 1 { "this".to_owned() } else { format!("these {count}") };
    let mut err = anstream::stderr();
    write!(err, "Forget {what} for good? [y/N] ")?;
    err.flush()?;
    let mut answer = String::new();
    stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
