//! Searching by words and by meaning.

use std::collections::HashMap;

use model::knowledge::{KNOWLEDGE_LAYERS, pointer_place};
use model::{
    Caller, ContentHash, Identity, Kind, Layer, Memory, MemoryFilter, Noun, Scope, Subject,
};
pub use rank::calibrate::Evidence;
use rank::terms::QueryTerm;
use store::{Candidate, Search};

use super::{access, queries};
use crate::embedders::{Asked, By};
use crate::{Engine, Result, scope};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// In the caller's words; any text is a query.
    pub text: String,
    /// Where to look.
    pub within: Within,
    /// Only with at least one of these tags; none means any memory.
    pub tags_any: Vec<String>,
    /// The least relevance, 0..1.
    pub floor: f64,
    /// How many at the most.
    pub limit: usize,
}

/// What a search leaves aside, before the best are taken.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Narrow {
    /// Only of these kinds; none means any.
    pub kinds: Vec<Kind>,
    /// Only of this importance or more.
    pub importance_min: Option<f64>,
    /// Only of this confidence or more.
    pub confidence_min: Option<f64>,
}

/// Where a search looks.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Within {
    /// In all that is the caller's own, and in what points to knowledge that is open to it.
    #[default]
    Own,
    /// In what is the caller's own of these layers.
    Layers(Vec<Layer>),
    /// In these places, as far as they are open to the caller.
    Scopes(Vec<Scope>),
}

impl Within {
    /// The places of the caller's own; what points to knowledge comes by [`Self::pointers`].
    fn scopes(&self, engine: &Engine, caller: &Caller) -> Result<Vec<Scope>> {
        if let Self::Scopes(scopes) = self {
            let open = scopes.iter().filter(|scope| caller.identity.sees(scope));
            return Ok(open.cloned().collect());
        }
        let mut own = scope::own(engine, caller)?;
        if let Self::Layers(layers) = self {
            own.retain(|scope| layers.contains(&scope.layer));
        }
        Ok(own)
    }

    /// In which layers the search looks at what points to knowledge, beside its places.
    fn pointers(&self) -> &[Layer] {
        match self {
            Self::Own => &KNOWLEDGE_LAYERS,
            Self::Layers(layers) => layers,
            Self::Scopes(_) => &[],
        }
    }

    /// Whether the search looks there.
    pub(super) fn covers(&self, engine: &Engine, caller: &Caller, scope: &Scope) -> Result<bool> {
        let points = pointer_place(scope).is_some() && caller.identity.sees(scope);
        Ok(points && self.pointers().contains(&scope.layer)
            || self.scopes(engine, caller)?.contains(scope))
    }
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
    /// Where nothing is found: the relevance of what came near, best first. It is below the floor, or
    /// reaches it and is less important or less sure than was asked.
    pub near: Vec<f64>,
    /// Where was searched, strongest layer first.
    pub layers: Vec<Layer>,
}

/// Searches what the caller may see, and notes that it was asked. The same text in several places is
/// one hit.
pub fn recall(engine: &Engine, caller: &Caller, query: &Query) -> Result<Recall> {
    let recall = recall_by(engine, caller, query, By::Serving)?;
    queries::note(engine, caller, &query.text);
    Ok(recall)
}

/// The same among some memories only; what was found counts as read.
pub fn recall_among(
    engine: &Engine,
    caller: &Caller,
    query: &Query,
    narrow: &Narrow,
) -> Result<Recall> {
    let mut question = Question::of(engine, caller, query, By::Serving)?;
    question.filter.kinds.clone_from(&narrow.kinds);
    question.filter.importance_min = narrow.importance_min;
    question.filter.confidence_min = narrow.confidence_min;
    let mut recall = answer(engine, query, &question)?;
    if recall.total == 0 && (narrow.importance_min, narrow.confidence_min) != (None, None) {
        question.filter.importance_min = None;
        question.filter.confidence_min = None;
        let ranked = question.ranked(engine, query.floor.max(NEAR_MIN))?;
        recall.near = ranked.best.iter().map(|candidate| candidate.relevance).collect();
    }
    queries::note(engine, caller, &query.text);
    access::touch_later(engine, recall.hits.iter().map(|hit| hit.memory.id).collect());
    Ok(recall)
}

/// The same by a model of one's choice; nothing is noted.
pub(crate) fn recall_by(engine: &Engine, caller: &Caller, query: &Query, by: By) -> Result<Recall> {
    answer(engine, query, &Question::of(engine, caller, query, by)?)
}

/// The same where every copy of a text counts for itself, and nothing but the memories is wanted.
pub(super) fn nearest(
    engine: &Engine,
    caller: &Caller,
    query: &Query,
    by: By,
) -> Result<Vec<Memory>> {
    let question = Question::of(engine, caller, query, by)?;
    let mut ranked = engine.store.search(&question.search())?;
    ranked.retain(|candidate| candidate.relevance >= query.floor);
    ranked.truncate(query.limit);
    Ok(load(engine, &ranked)?.into_iter().map(|hit| hit.memory).collect())
}

fn answer(engine: &Engine, query: &Query, question: &Question<'_>) -> Result<Recall> {
    let Ranked { best, total, near } = question.ranked(engine, query.floor)?;
    Ok(Recall { hits: load(engine, &best)?, total, near, layers: question.layers() })
}

/// A query as the store takes it.
pub(crate) struct Question<'e> {
    pub(super) asked: Asked<'e>,
    pub(super) terms: Vec<QueryTerm>,
    pub(crate) filter: MemoryFilter,
    pointers: Option<(&'e Identity, &'e [Layer])>,
    pub(crate) nouns: Vec<Noun>,
    pub(crate) path: Option<String>,
    same: ContentHash,
    pub(crate) limit: usize,
}

impl<'e> Question<'e> {
    pub(super) fn of(
        engine: &'e Engine,
        caller: &'e Caller,
        query: &'e Query,
        by: By,
    ) -> Result<Self> {
        let scopes = query.within.scopes(engine, caller)?;
        let tags_any = query.tags_any.clone();
        let filter = MemoryFilter { scopes, tags_any, ..MemoryFilter::default() };
        let mut question = Self::asking(engine, &query.text, filter, query.limit, by)?;
        question.pointers = Some((&caller.identity, query.within.pointers()));
        Ok(question)
    }

    /// A question for memories that `filter` lets through.
    pub(crate) fn asking(
        engine: &'e Engine,
        text: &str,
        filter: MemoryFilter,
        limit: usize,
        by: By,
    ) -> Result<Self> {
        Ok(Self {
            asked: engine.embedders.query(&engine.store, text, by)?,
            terms: rank::terms::query_terms(text),
            filter,
            pointers: None,
            nouns: vec![Noun::Memory],
            path: None,
            same: super::hash(text),
            limit,
        })
    }

    /// The candidates that reach the floor, each text once.
    pub(crate) fn ranked(&self, engine: &Engine, floor: f64) -> Result<Ranked> {
        let mut places = Places::default();
        let _span = tracing::info_span!(target: crate::TRACE, "store.search").entered();
        let mut ranked = engine.store.search(&self.search())?;
        // Best first, so that nothing reaches the floor if the first one does not.
        let is_empty = ranked.first().is_none_or(|best| best.relevance < floor);
        let near = if is_empty { near(&ranked) } else { Vec::new() };
        ranked.retain(|candidate| matches!(places.fate(candidate, floor), Fate::Place(_)));
        let total = ranked.len();
        ranked.truncate(self.limit);
        Ok(Ranked { best: ranked, total, near })
    }

    pub(super) fn search(&self) -> Search<'_> {
        Search {
            model: self.asked.model,
            terms: &self.terms,
            vector: self.asked.vector.as_ref(),
            same: self.same,
            filter: &self.filter,
            pointers: self.pointers,
            nouns: &self.nouns,
            path: self.path.as_deref(),
            calibration: &self.asked.calibration,
            wanted: self.limit,
        }
    }

    /// Where is searched, strongest layer first.
    pub(super) fn layers(&self) -> Vec<Layer> {
        let mut layers: Vec<Layer> = self.filter.scopes.iter().map(|scope| scope.layer).collect();
        layers.sort_unstable();
        layers.dedup();
        layers
    }
}

/// The result of a question.
pub(crate) struct Ranked {
    /// The best candidates, each text once.
    pub(crate) best: Vec<Candidate>,
    /// Number of candidates that reach the floor.
    pub(crate) total: usize,
    /// The relevance of what came near, best first, if nothing reaches the floor.
    pub(crate) near: Vec<f64>,
}

/// Least relevance of a near miss.
pub const NEAR_MIN: f64 = 0.1;

/// The relevance of what came near, each text once.
fn near(ranked: &[Candidate]) -> Vec<f64> {
    let mut places = Places::default();
    let is_near = |c: &&Candidate| matches!(places.fate(c, NEAR_MIN), Fate::Place(_));
    ranked.iter().filter(is_near).map(|candidate| candidate.relevance).collect()
}

/// What becomes of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Its relevance is below the floor.
    Below,
    /// The text at this place is the same.
    Same(usize),
    /// It has this place, from 1; whether that is within the limit is another matter.
    Place(usize),
}

/// The places that candidates took, by their texts. Equal texts have equal evidence but for their
/// neighbours'; the better one comes first.
#[derive(Debug, Default)]
pub(super) struct Places(HashMap<[u8; 16], usize>);

impl Places {
    /// What becomes of the next candidate; they come best first.
    pub(super) fn fate(&mut self, candidate: &Candidate, floor: f64) -> Fate {
        if candidate.relevance < floor {
            return Fate::Below;
        }
        let next = self.0.len() + 1;
        match *self.0.entry(candidate.text).or_insert(next) {
            place if place == next => Fate::Place(place),
            taken => Fate::Same(taken),
        }
    }
}

/// The memories of these candidates; what was deleted since the search is left out.
pub(super) fn load(engine: &Engine, ranked: &[Candidate]) -> Result<Vec<Recalled>> {
    let ids: Vec<_> = ranked.iter().filter_map(|candidate| candidate.subject.memory()).collect();
    let mut found = engine.store.load_memories(&ids)?.into_iter().peekable();
    let hits = ranked.iter().filter_map(|candidate| {
        let memory = found.next_if(|memory| candidate.subject == Subject::Memory(memory.id))?;
        let Candidate { relevance, fused, evidence, .. } = *candidate;
        Some(Recalled { memory, relevance, fused, evidence })
    });
    Ok(hits.collect())
}
