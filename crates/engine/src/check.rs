//! Trying a change of model on real queries, before anything is switched.
//!
//! Both models search the same store; what each brings among its first ten is compared, with what
//! ought to be found where that is known, and with each other where it is not.

use model::{Caller, Memory, MemoryId};

use crate::embedders::By;
use crate::memory::{Query, Within, recall_by};
use crate::{Engine, Result};

/// So many hits of each search are compared.
pub const DEPTH: usize = 10;

/// So many queries are named that changed.
pub const CHANGED_MAX: usize = 10;

/// A query to try, and what it should find, as far as that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// The query.
    pub text: String,
    /// What should be found; none if nobody said.
    pub wanted: Vec<MemoryId>,
}

/// What changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// The model before; none if searches go by words alone.
    pub old: Option<String>,
    /// The model after.
    pub new: Option<String>,
    /// How many queries were tried.
    pub queries: usize,
    /// How many memories should be found by them, all together.
    pub wanted: usize,
    /// How many of those the old model brings.
    pub found_by_old: usize,
    /// How many of those the new model brings.
    pub found_by_new: usize,
    /// What share of the hits both have in common, 0..1, on the average of the queries.
    pub overlap: f64,
    /// The queries that changed most, the most changed first.
    pub changed: Vec<Changed>,
}

/// A query whose hits are not the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// The query.
    pub text: String,
    /// What share of the hits both have in common, 0..1.
    pub overlap: f64,
    /// What the old model brings and the new one does not, best first.
    pub gone: Vec<Memory>,
    /// What the new model brings and the old one does not, best first.
    pub come: Vec<Memory>,
}

/// Tries the queries by the model that serves `old`, and by the one that `new` has chosen, whether
/// it may be searched yet or not; its vectors must be there ([`crate::index::fill`]). The two may be
/// one engine. Where the new model serves already, it is compared with the built-in one. Nothing is
/// noted and nothing is switched.
pub fn check(old: &Engine, new: &Engine, caller: &Caller, trials: &[Trial]) -> Result<Check> {
    let serving = old.embedders.serving(&old.store)?;
    let chosen = new.embedders.chosen();
    let is_switched = chosen.is_some() && serving == chosen;
    let before = if is_switched { By::BuiltIn } else { By::Serving };
    let built_in = old.embedders.built_in();
    let mut check = Check {
        old: if is_switched { built_in } else { serving }.map(str::to_owned),
        new: chosen.or(new.embedders.built_in()).map(str::to_owned),
        queries: trials.len(),
        wanted: trials.iter().map(|trial| trial.wanted.len()).sum(),
        found_by_old: 0,
        found_by_new: 0,
        overlap: 0.0,
        changed: Vec::new(),
    };
    for trial in trials {
        let by_old = search(old, caller, trial, before)?;
        let by_new = search(new, caller, trial, By::Chosen)?;
        check.found_by_old += found(trial, &by_old);
        check.found_by_new += found(trial, &by_new);
        check.compare(trial, by_old, by_new);
    }
    check.overlap = if trials.is_empty() { 1.0 } else { check.overlap / trials.len() as f64 };
    check.changed.sort_by(|a, b| a.overlap.total_cmp(&b.overlap));
    check.changed.truncate(CHANGED_MAX);
    Ok(check)
}

impl Check {
    fn compare(&mut self, trial: &Trial, by_old: Vec<Memory>, by_new: Vec<Memory>) {
        let ids = |hits: &[Memory]| -> Vec<MemoryId> { hits.iter().map(|hit| hit.id).collect() };
        let (old, new) = (ids(&by_old), ids(&by_new));
        let common = old.iter().filter(|id| new.contains(id)).count();
        let most = old.len().max(new.len());
        let overlap = if most == 0 { 1.0 } else { common as f64 / most as f64 };
        self.overlap += overlap;
        if overlap < 1.0 {
            let without = |hits: Vec<Memory>, others: &[MemoryId]| {
                hits.into_iter().filter(|hit| !others.contains(&hit.id)).collect()
            };
            self.changed.push(Changed {
                text: trial.text.clone(),
                overlap,
                gone: without(by_old, &new),
                come: without(by_new, &old),
            });
        }
    }
}

/// The first hits, however weak.
fn search(engine: &Engine, caller: &Caller, trial: &Trial, by: By) -> Result<Vec<Memory>> {
    let query = Query {
        text: trial.text.clone(),
        within: Within::Own,
        tags_any: Vec::new(),
        floor: 0.0,
        limit: DEPTH,
    };
    let hits = recall_by(engine, caller, &query, by)?.hits;
    Ok(hits.into_iter().map(|hit| hit.memory).collect())
}

fn found(trial: &Trial, hits: &[Memory]) -> usize {
    trial.wanted.iter().filter(|id| hits.iter().any(|hit| hit.id == **id)).count()
}
