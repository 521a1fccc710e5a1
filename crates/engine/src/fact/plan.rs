//! Facts that come from elsewhere, as part of a larger change.

use model::fact::{NAME_CHARS_MAX, RELATION_CHARS_MAX};
use model::{Caller, Change};

use super::link::{Draft, Told};
use super::{named, scope};
use crate::{Engine, Result};

/// Something that has a name, as somebody else tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Thing<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: Option<&'a str>,
    pub(crate) summary: Option<&'a str>,
}

/// What would become of the graph.
pub(crate) struct Plan {
    /// What carries it out.
    pub(crate) change: Change,
    /// How many entities and links are new.
    pub(crate) new: usize,
    /// How many entities are told differently.
    pub(crate) changed: usize,
    /// What cannot be taken: its number among the things and the links behind them, and why.
    pub(crate) refused: Vec<(usize, String)>,
}

/// Decides on what makes these things and links known. What is told of a thing replaces what is there
/// only as long as nobody changed that.
pub(crate) fn plan(
    engine: &Engine,
    caller: &Caller,
    things: &[Thing<'_>],
    links: &[[&str; 3]],
) -> Result<Plan> {
    let scope = scope(caller)?;
    let (mut draft, mut refused) = (Draft::new(engine, &scope), Vec::new());
    for (at, thing) in things.iter().enumerate() {
        match named("name", thing.name, NAME_CHARS_MAX) {
            Ok(name) => {
                let known = engine.store.entity(&scope, &name)?;
                let replaces = known.is_none_or(|known| known.revision == 1);
                let Thing { kind, summary, .. } = *thing;
                draft.entity(&name, &Told { kind, summary, replaces })?;
            }
            Err(why) => refused.push((at, why.message)),
        }
    }
    for (at, [from, relation, to]) in links.iter().enumerate() {
        let words = (|| {
            Ok([
                named("from", from, NAME_CHARS_MAX)?,
                named("relation", relation, RELATION_CHARS_MAX)?,
                named("to", to, NAME_CHARS_MAX)?,
            ])
        })();
        let words: [String; 3] = match words {
            Ok(words) => words,
            Err(error) => {
                let error: crate::Error = error;
                refused.push((things.len() + at, error.message));
                continue;
            }
        };
        draft.entity(&words[0], &Told::default())?;
        draft.entity(&words[2], &Told::default())?;
        // What was true once and ended is not true again because an old file says so.
        if !engine.store.had_link(&scope, &words)? {
            draft.link(&words)?;
        }
    }
    let (entities, fresh) = draft.news();
    let (new, changed) = (entities + fresh, draft.changed());
    Ok(Plan { change: draft.into_change(), new, changed, refused })
}
