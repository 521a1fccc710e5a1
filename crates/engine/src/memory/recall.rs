//! Searching by words and by meaning.

use std::collections::HashSet;

use model::{Caller, Layer, Memory, MemoryFilter};
pub use rank::calibrate::Evidence;
use store::{Candidate, Search};

use crate::{Engine, Result};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// In the caller's words; any text is a query.
    pub text: String,
    /// Only in these layers; `None` means every layer open to the caller.
    pub layers: Option<Vec<Layer>>,
    /// Only with at least one of these tags; none means any memory.
    pub tags_any: Vec<String>,
    /// The least relevance, 0..1.
    pub floor: f64,
    /// How many at the most.
    pub limit: usize,
}

/// A memory that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The memory.
    pub memory: Memory,
    /// Its calibrated relevance, 0..1.
    pub relevance: f64,
    /// The score it is ordered by; comparable within one query only.
    pub fused: f32,
    /// What speaks for it.
    pub evidence: Evidence,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// The most relevant, best first; among equals the stronger layer, then the newer.
    pub hits: Vec<Recalled>,
    /// How many reached the floor.
    pub total: usize,
    /// Where was searched, strongest layer first.
    pub layers: Vec<Layer>,
}

/// Searches what the caller may see. The same text in several places is one hit.
pub fn recall(engine: &Engine, caller: &Caller, query: &Query) -> Result<Recall> {
    let asked = |layer: &Layer| query.layers.as_ref().is_none_or(|layers| layers.contains(layer));
    let mut scopes = caller.identity.scopes();
    scopes.retain(|scope| asked(&scope.layer));
    let layers = scopes.iter().map(|scope| scope.layer).collect();
    let filter =
        MemoryFilter { scopes, tags_any: query.tags_any.clone(), ..MemoryFilter::default() };

    let mut ranked = candidates(engine, query, &filter)?;
    ranked.retain(|candidate| candidate.relevance >= query.floor);
    // Equal texts have equal evidence but for their neighbours'; the better one comes first.
    let mut seen = HashSet::new();
    ranked.retain(|candidate| seen.insert(candidate.text));
    let total = ranked.len();
    ranked.truncate(query.limit);
    let ids: Vec<_> = ranked.iter().map(|candidate| candidate.id).collect();
    let mut found = engine.store.load_memories(&ids)?.into_iter().peekable();
    let hits = ranked
        .into_iter()
        .filter_map(|candidate| {
            // What was deleted between search and load is left out.
            let memory = found.next_if(|memory| memory.id == candidate.id)?;
            let Candidate { relevance, fused, evidence, .. } = candidate;
            Some(Recalled { memory, relevance, fused, evidence })
        })
        .collect();
    Ok(Recall { hits, total, layers })
}

fn candidates(engine: &Engine, query: &Query, filter: &MemoryFilter) -> Result<Vec<Candidate>> {
    let asked = engine.embedders.query(&engine.store, &query.text)?;
    Ok(engine.store.search(&Search {
        model: asked.model,
        terms: &rank::terms::query_terms(&query.text),
        vector: asked.vector.as_ref(),
        same: super::hash(&query.text),
        filter,
        calibration: &asked.calibration,
        wanted: query.limit,
    })?)
}
