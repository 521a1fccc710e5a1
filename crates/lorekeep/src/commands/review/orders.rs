//! What reads like an order to an agent: a person approves it, or does not.

use anyhow::{Result, bail};
use console::Term;
use engine::trust::{self, Flagged};
use model::{Role, TrustLevel, time};
use serde_json::{Value, json};

use super::Review;
use crate::output::{self, GOOD, STRONG, WARN, one_line, styled};

/// What the keys do.
const HELP: &str =
    "a approve it: agents may be told it, r reject it: never unasked, s skip it, q quit";

/// How many wait, and what to type.
pub(super) fn summary(waiting: usize) -> String {
    let (read, wait) = if waiting == 1 { ("reads", "waits") } else { ("read", "wait") };
    format!(
        "{waiting} that {read} like orders to an agent {wait} for a person: `lorekeep review` in a \
         terminal shows them, --json lists them"
    )
}

pub(super) fn describe(one: &Flagged) -> Value {
    json!({
        "id": one.id,
        "text": one.text,
        "why": one.why,
        "from": one.from,
        "namespace": one.scope.namespace(),
        "at": time::rfc3339(one.at),
    })
}

fn show(one: &Flagged, at: usize, total: usize) -> String {
    format!(
        "\n{at}/{total} {}\n  {}\n  {}, {} [{}]",
        styled(STRONG, one_line(&one.text)),
        styled(WARN, one.why),
        one_line(&one.from),
        time::day(one.at),
        one.id,
    )
}

impl Review<'_> {
    /// Does what an option says. Whoever approves is shown what, and presses a key: an option can be
    /// given by a script, a key only by who sits there.
    pub(super) fn settle(&self, id: &str, approved: bool) -> Result<&'static str> {
        if approved && self.caller.actor.level == TrustLevel::Person {
            let waiting = trust::flagged(self.engine, self.caller)?;
            if let Some(one) = waiting.iter().find(|one| one.id == id) {
                let told = show(one, 1, 1);
                output::note(format!("{told}\napprove it: agents may be told it? y yes, n no"));
                if !matches!(super::key(&Term::stderr()), Some('y' | 'Y')) {
                    bail!("{id} is not approved: no y was pressed");
                }
            }
        }
        self.judge(id, approved)
    }

    pub(super) fn judge(&self, id: &str, approved: bool) -> Result<&'static str> {
        if self.caller.role < Role::User {
            bail!("review needs the role user for this; this caller is guest");
        }
        let is_told = trust::judge(self.engine, self.caller, id, approved)?;
        if approved && !is_told {
            output::note(format!(
                "{id} is still told to who asks alone: where it is from is trusted too little (`inject`)"
            ));
        }
        Ok(if approved { "approved" } else { "rejected" })
    }

    /// Shows one after the other and does what the key says; whether there is more to talk about.
    pub(super) fn talk_of_orders(
        &self,
        mut next: impl FnMut() -> Option<char>,
        say: impl Fn(String),
    ) -> Result<bool> {
        let waiting = trust::flagged(self.engine, self.caller)?;
        if waiting.is_empty() {
            return Ok(true);
        }
        say(format!("These read like orders to an agent. {HELP}, ? help"));
        for (one, at) in waiting.iter().zip(1..) {
            say(show(one, at, waiting.len()));
            loop {
                let approved = match next() {
                    Some('a' | 'A') => true,
                    Some('r' | 'R') => false,
                    Some('s' | 'S') => break,
                    None | Some('q' | 'Q') => return Ok(false),
                    Some(_) => {
                        say(format!("  {HELP}"));
                        continue;
                    }
                };
                match self.judge(&one.id, approved) {
                    Ok(state) => {
                        say(format!("  {}", styled(GOOD, state)));
                        break;
                    }
                    Err(why) => say(format!("  {}", styled(WARN, format!("{why:#}")))),
                }
            }
        }
        Ok(true)
    }
}
