//! Searching by meaning: the query's words now, its sense with the next floor of the house.

use std::collections::HashSet;

use model::{Caller, Layer, Memory, MemoryFilter};
use rank::lexical::{self, Hit, WeightedTerm};
use store::LexicalHit;

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
    /// Its raw BM25 score; comparable within one query only.
    pub bm25: f64,
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

/// Searches what the caller may see. The same text in several layers is one hit, in the strongest.
pub fn recall(engine: &Engine, caller: &Caller, query: &Query) -> Result<Recall> {
    let asked = |layer: &Layer| query.layers.as_ref().is_none_or(|layers| layers.contains(layer));
    let mut scopes = caller.identity.scopes();
    scopes.retain(|scope| asked(&scope.layer));
    let layers = scopes.iter().map(|scope| scope.layer).collect();
    let filter =
        MemoryFilter { scopes, tags_any: query.tags_any.clone(), ..MemoryFilter::default() };

    let mut ranked = rank_hits(lexical_hits(engine, &query.text, &filter)?, query.floor);
    let total = ranked.len();
    ranked.truncate(query.limit);
    let ids: Vec<_> = ranked.iter().map(|(hit, _)| hit.key.id).collect();
    let memories = engine.store.load_memories(&ids)?;
    let hits = memories
        .into_iter()
        .filter_map(|memory| {
            // What was deleted between search and load is left out.
            let (hit, relevance) = ranked.iter().find(|(hit, _)| hit.key.id == memory.id)?;
            Some(Recalled { memory, relevance: *relevance, bm25: hit.bm25 })
        })
        .collect();
    Ok(Recall { hits, total, layers })
}

fn lexical_hits(
    engine: &Engine,
    text: &str,
    filter: &MemoryFilter,
) -> Result<Vec<Hit<LexicalHit>>> {
    let terms = rank::terms::query_terms(text);
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let (found, all) = engine.store.lexical_hits(&terms, filter)?;
    let weighted: Vec<WeightedTerm> = terms
        .into_iter()
        .zip(&found)
        .map(|(term, hits)| WeightedTerm { term, weight: lexical::weight(hits.holding, all) })
        .collect();
    Ok(lexical::gather(&weighted, found.into_iter().map(|term| term.hits)))
}

/// The hits that reach the floor with their relevance, best first, equal texts collapsed.
fn rank_hits(hits: Vec<Hit<LexicalHit>>, floor: f64) -> Vec<(Hit<LexicalHit>, f64)> {
    let best = hits.iter().map(|hit| hit.bm25).fold(0.0, f64::max);
    let mut ranked: Vec<_> = hits
        .into_iter()
        .map(|hit| {
            let relevance = rank::calibrate::lexical(hit.coverage, hit.bm25, best);
            (hit, relevance)
        })
        .filter(|(_, relevance)| *relevance >= floor)
        .collect();
    ranked.sort_by(|(a, a_relevance), (b, b_relevance)| {
        b_relevance
            .total_cmp(a_relevance)
            .then(a.key.layer.cmp(&b.key.layer))
            .then(b.key.seq.cmp(&a.key.seq))
    });
    // Equal texts have equal relevance, so the strongest layer's copy comes first.
    let mut seen = HashSet::new();
    ranked.retain(|(hit, _)| seen.insert(hit.key.hash));
    ranked
}
