//! `lorekeep review`: a person says what of the things that were told to agents is kept, and which of
//! those that read like orders agents may be told.

mod orders;

use std::io::{IsTerminal, stdin, stdout};
use std::process::ExitCode;

use anyhow::{Result, bail};
use console::{Key, Term};
use engine::capture::{self, Pending};
use engine::{Engine, trust};
use model::{Caller, Role, time};
use serde_json::{Value, json};

use crate::cli::ReviewArgs;
use crate::output::{self, GOOD, STRONG, WARN, one_line, styled};
use crate::wiring;

/// What the keys do.
const HELP: &str = "k keep it as a memory, m merge it into the similar one, d drop it for good, \
     s skip it, q quit";

pub(crate) fn run(args: &ReviewArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    super::refuse_missing(&settings)?;
    let caller = wiring::answering(&settings);
    let engine = wiring::Reader(wiring::open_once(&settings)?.acting(caller.actor.clone()));
    let review = Review { engine: &engine, caller: &caller };
    let asked = asked(args);
    if !asked.is_empty() {
        return review.all(&asked, args.json);
    }
    if args.json {
        let orders = trust::flagged(&engine, &caller)?;
        let pending = capture::pending(&engine, &caller)?;
        let all = orders.iter().map(orders::describe).chain(pending.iter().map(describe));
        output::json(&all.collect())?;
        return Ok(ExitCode::SUCCESS);
    }
    if !stdin().is_terminal() || !stdout().is_terminal() {
        let pending = capture::pending(&engine, &caller)?.len();
        let orders = trust::flagged(&engine, &caller)?.len();
        if pending > 0 || orders == 0 {
            output::line(summary(pending));
        }
        if orders > 0 {
            output::line(orders::summary(orders));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let next = || key(&Term::stdout());
    if review.talk_of_orders(next, output::line)? {
        review.talk(next, output::line)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The key that is pressed next; none if there is none, or it says to stop.
fn key(term: &Term) -> Option<char> {
    match term.read_key() {
        Ok(Key::Char(key)) => Some(key),
        Ok(Key::Escape) | Err(_) => None,
        Ok(_) => Some('?'),
    }
}

/// How many wait, and what to type.
fn summary(waiting: usize) -> String {
    match waiting {
        0 => "nothing waits to be reviewed".to_owned(),
        1 => {
            "1 sentence waits: `lorekeep review` in a terminal shows it, --json lists it".to_owned()
        }
        many => format!(
            "{many} sentences wait: `lorekeep review` in a terminal shows them one by one, \
             --json lists them"
        ),
    }
}

/// What becomes of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Keep,
    Merge,
    Drop,
}

/// Something that was asked for on the command line.
enum Asked<'a> {
    /// Of a candidate.
    Candidate(Choice, i64),
    /// Of what reads like an order: whether it is approved.
    Order(&'a str, bool),
}

/// What was asked for on the command line.
fn asked(args: &ReviewArgs) -> Vec<Asked<'_>> {
    let of = |choice: Choice, ids: &[i64]| -> Vec<Asked<'_>> {
        ids.iter().map(|id| Asked::Candidate(choice, *id)).collect()
    };
    let orders = args.approve.iter().map(|id| Asked::Order(id, true));
    let orders = orders.chain(args.reject.iter().map(|id| Asked::Order(id, false)));
    let candidates = [
        of(Choice::Keep, &args.keep),
        of(Choice::Merge, &args.merge),
        of(Choice::Drop, &args.drop),
    ];
    orders.chain(candidates.into_iter().flatten()).collect()
}

struct Review<'e> {
    engine: &'e Engine,
    caller: &'e Caller,
}

impl Review<'_> {
    /// Does what was chosen; what became of it, and the memory that holds it.
    fn act(&self, choice: Choice, id: i64) -> Result<(&'static str, Option<String>)> {
        if self.caller.role < Role::User {
            bail!("review needs the role user for this; this caller is guest");
        }
        let (engine, caller) = (self.engine, self.caller);
        Ok(match choice {
            Choice::Keep => ("kept", Some(capture::keep(engine, caller, id)?.prefixed())),
            Choice::Merge => ("merged", Some(capture::merge(engine, caller, id)?.prefixed())),
            Choice::Drop => {
                capture::drop(engine, caller, id)?;
                ("dropped", None)
            }
        })
    }

    /// Does all that was asked for; what fails is told, and the rest is done.
    fn all(&self, asked: &[Asked<'_>], is_json: bool) -> Result<ExitCode> {
        let mut is_whole = true;
        let mut told: Vec<Value> = Vec::new();
        for one in asked {
            let (id, done) = match one {
                Asked::Candidate(choice, id) => (json!(id), self.act(*choice, *id)),
                Asked::Order(id, approved) => {
                    (json!(id), self.settle(id, *approved).map(|state| (state, None)))
                }
            };
            let shown = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
            match done {
                Ok((state, memory)) if is_json => {
                    told.push(json!({"id": id, "state": state, "memory": memory}));
                }
                Ok((state, Some(memory))) => output::line(format!("{shown} {state} {memory}")),
                Ok((state, None)) => output::line(format!("{shown} {state}")),
                Err(error) => {
                    is_whole = false;
                    output::complain(&error);
                    told.push(json!({"id": id, "error": format!("{error:#}")}));
                }
            }
        }
        if is_json {
            output::json(&told.into())?;
        }
        Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Shows one candidate after the other and does what the key says; ends with the keys.
    fn talk(&self, mut next: impl FnMut() -> Option<char>, say: impl Fn(String)) -> Result<()> {
        let pending = capture::pending(self.engine, self.caller)?;
        if pending.is_empty() {
            say(summary(0));
            return Ok(());
        }
        say(format!("{HELP}, ? help"));
        let (total, mut done) = (pending.len(), 0);
        'all: for (one, at) in pending.iter().zip(1..) {
            say(show(one, at, total));
            loop {
                let choice = match next() {
                    Some('k' | 'K') => Choice::Keep,
                    Some('m' | 'M') => Choice::Merge,
                    Some('d' | 'D') => Choice::Drop,
                    Some('s' | 'S') => break,
                    None | Some('q' | 'Q') => break 'all,
                    Some(_) => {
                        say(format!("  {HELP}"));
                        continue;
                    }
                };
                match self.act(choice, one.candidate.id) {
                    Ok((state, memory)) => {
                        let memory = memory.unwrap_or_default();
                        say(format!("  {} {memory}", styled(GOOD, state)));
                        done += 1;
                        break;
                    }
                    Err(why) => say(format!("  {}", styled(WARN, format!("{why:#}")))),
                }
            }
        }
        let left = total - done;
        say(format!("{done} decided, {left} {}", if left == 1 { "waits" } else { "wait" }));
        Ok(())
    }
}

/// A candidate for a person: what it says, where it is from, what nearly says the same.
fn show(one: &Pending, at: usize, total: usize) -> String {
    let found = &one.candidate.found;
    let mut shown = format!(
        "\n{at}/{total} {}\n  {}, {}, {}",
        styled(STRONG, one_line(&found.text)),
        found.kind.name(),
        one_line(&found.client),
        time::day(found.at),
    );
    if let Some(project) = &found.project {
        shown.push_str(&format!(", project {}", one_line(project)));
    }
    if let Some(memory) = &one.similar {
        let text = one_line(&memory.content);
        shown.push_str(&format!("\n  similar: {text} [{}]", memory.id.prefixed()));
    }
    shown
}

fn describe(one: &Pending) -> Value {
    let found = &one.candidate.found;
    let similar =
        |memory: &model::Memory| json!({"id": memory.id.prefixed(), "content": memory.content});
    json!({
        "id": one.candidate.id,
        "text": found.text,
        "kind": found.kind.name(),
        "project": found.project,
        "client": found.client,
        "session": found.session,
        "event": found.episode.to_string(),
        "at": time::rfc3339(found.at),
        "similar": one.similar.as_ref().map(similar),
    })
}
