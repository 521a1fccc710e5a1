//! Why a search answered as it did: what spoke for each hit, and what dropped the memory that was
//! expected among them.
//!
//! It goes the same way as [`recall`](super::recall()), step by step, so that it tells what happened
//! and not what might have. Asking why is not asking: no query is noted.

use std::collections::HashMap;

use model::{Caller, Layer, Memory, MemoryId, Subject};
pub use rank::index::WordOf;
use rank::index::{Ask, Close, Index};
use store::Candidate;

use super::access;
use super::recall::{Evidence, Fate, Places, Query, Question, Recalled, load};
use crate::embedders::By;
use crate::{Engine, ErrorKind, Result};

/// A search, and how it came to its hits.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The model whose vectors were compared; none if words alone were.
    pub model: Option<String>,
    /// The query's words that counted, each with the stem that was looked for.
    pub terms: Vec<(String, String)>,
    /// Where was searched, strongest layer first.
    pub layers: Vec<Layer>,
    /// How many memories passed the filters.
    pub allowed: usize,
    /// For how many of them something spoke.
    pub candidates: usize,
    /// How many reached the floor.
    pub total: usize,
    /// The hits, best first, as the search answers them.
    pub hits: Vec<Explained>,
    /// What became of the memory that was asked about.
    pub asked_about: Option<WhyNot>,
}

/// A hit with its reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The hit.
    pub hit: Recalled,
    /// What it was ranked by.
    pub reasons: Reasons,
}

/// What a memory was ranked by, beside its evidence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reasons {
    /// Its place among the candidates by BM25; none if it holds no word of the query.
    pub rank_by_words: Option<usize>,
    /// Its place among the candidates by cosine; none if there was nothing to compare.
    pub rank_by_meaning: Option<usize>,
    /// Each of the query's words as it counted for this memory, in the query's order.
    pub words: Vec<WordOf>,
}

/// What became of one memory, and what spoke for it.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyNot {
    /// Which memory.
    pub id: MemoryId,
    /// What became of it.
    pub verdict: Verdict,
    /// What spoke for it, if it was a candidate.
    pub scored: Option<Scored>,
}

/// What spoke for a candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Its calibrated relevance, 0..1.
    pub relevance: f64,
    /// The score it is ordered by; comparable within one query only.
    pub fused: f32,
    /// What speaks for it.
    pub evidence: Evidence,
    /// What it was ranked by.
    pub reasons: Reasons,
}

/// Why a memory is among the hits, or is not. The first that holds, in the order of the search.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// There is no such memory, or not for this caller.
    Unknown,
    /// It is archived.
    Archived,
    /// It lies in a layer that was not searched.
    OtherLayer(Layer),
    /// It has none of the tags that were asked for.
    NoTag,
    /// It holds no word of the query, and its meaning is not near.
    NothingSpeaks,
    /// Something speaks for it, but so much more for so many others that it was not looked at.
    NoCandidate(Evidence),
    /// Its relevance is below the floor.
    Below {
        /// Its relevance.
        relevance: f64,
        /// The floor.
        floor: f64,
    },
    /// A hit has the same text.
    SameText {
        /// Which memory.
        id: MemoryId,
        /// At which place, from 1.
        place: usize,
    },
    /// It comes behind the last that was asked for.
    Beyond {
        /// At which place, from 1.
        place: usize,
        /// How many were asked for.
        limit: usize,
    },
    /// It is among the hits.
    Hit {
        /// At which place, from 1.
        place: usize,
    },
}

/// Searches as [`recall`](super::recall()) does and says why it found what it found, and what
/// became of the memory `about`.
pub fn explain(
    engine: &Engine,
    caller: &Caller,
    query: &Query,
    about: Option<MemoryId>,
) -> Result<Explanation> {
    let question = Question::of(engine, caller, query, By::Serving)?;
    let looked = engine
        .store
        .look(&question.search(), |index, ask| Looked::at(index, ask, query.floor, about))?;
    let chosen = looked.chosen(query.limit);
    let hits = load(engine, &chosen)?.into_iter().map(|hit| {
        let reasons = looked.reasons(hit.memory.id, &hit.evidence);
        Explained { hit, reasons }
    });
    let why_not = |id| why_not(engine, caller, query, &looked, id);
    Ok(Explanation {
        model: question.asked.vector.as_ref().and(question.asked.model).map(str::to_owned),
        terms: question.terms.iter().map(|t| (t.word.clone(), t.term.clone())).collect(),
        layers: question.layers(),
        allowed: looked.allowed,
        candidates: looked.candidates.len(),
        total: looked.total(),
        hits: hits.collect(),
        asked_about: about.map(why_not).transpose()?,
    })
}

fn why_not(
    engine: &Engine,
    caller: &Caller,
    query: &Query,
    looked: &Looked,
    id: MemoryId,
) -> Result<WhyNot> {
    // Whoever may not see it learns no number of it either.
    let Some(memory) = find(engine, caller, id)? else {
        return Ok(WhyNot { id, verdict: Verdict::Unknown, scored: None });
    };
    let is_within = query.within.covers(engine, caller, &memory.scope)?;
    let verdict = kept_out(&memory, is_within, query).unwrap_or_else(|| looked.verdict(id, query));
    Ok(WhyNot { id, verdict, scored: looked.scored(id) })
}

fn find(engine: &Engine, caller: &Caller, id: MemoryId) -> Result<Option<Memory>> {
    match access::get(engine, caller, id) {
        Err(error) if error.kind == ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// What keeps a memory out of the search before anything is compared.
fn kept_out(memory: &Memory, is_within: bool, query: &Query) -> Option<Verdict> {
    let layer = memory.scope.layer;
    let is_tagged = |tag| memory.tags.contains(tag);
    if memory.archived {
        Some(Verdict::Archived)
    } else if !is_within {
        Some(Verdict::OtherLayer(layer))
    } else if !query.tags_any.is_empty() && !query.tags_any.iter().any(is_tagged) {
        Some(Verdict::NoTag)
    } else {
        None
    }
}

/// What a search saw in the index.
struct Looked {
    allowed: usize,
    /// Best first, and what becomes of each.
    candidates: Vec<(Candidate, Fate)>,
    by_words: HashMap<MemoryId, usize>,
    by_meaning: HashMap<MemoryId, usize>,
    close: HashMap<MemoryId, Close>,
}

impl Looked {
    fn at(index: &Index, ask: &Ask<'_>, floor: f64, about: Option<MemoryId>) -> Self {
        let mut places = Places::default();
        let candidates: Vec<(Candidate, Fate)> = index
            .search(ask)
            .into_iter()
            .map(|candidate| {
                let fate = places.fate(&candidate, floor);
                (candidate, fate)
            })
            .collect();
        let is_wanted = |(_, fate): &&(Candidate, Fate)| matches!(fate, Fate::Place(place) if *place <= ask.wanted);
        let hits = candidates
            .iter()
            .filter(is_wanted)
            .filter_map(|(candidate, _)| candidate.subject.memory());
        let ids: Vec<MemoryId> = hits.chain(about).collect();
        let close = ids.iter().copied().zip(index.look_at(ask, &ids));
        let words =
            |candidate: &Candidate| Some(candidate.evidence.bm25).filter(|bm25| *bm25 > 0.0);
        Self {
            allowed: index.count_allowed(&ask.filter),
            by_words: ranks(&candidates, words),
            by_meaning: ranks(&candidates, |candidate| candidate.evidence.cosine),
            close: close.filter_map(|(id, close)| Some((id, close?))).collect(),
            candidates,
        }
    }

    /// The candidates that are hits.
    fn chosen(&self, limit: usize) -> Vec<Candidate> {
        let places = self.candidates.iter().filter(|(_, fate)| matches!(fate, Fate::Place(_)));
        places.take(limit).map(|(candidate, _)| candidate.clone()).collect()
    }

    /// How many reached the floor.
    fn total(&self) -> usize {
        self.candidates.iter().filter(|(_, fate)| matches!(fate, Fate::Place(_))).count()
    }

    fn candidate(&self, id: MemoryId) -> Option<&(Candidate, Fate)> {
        self.candidates.iter().find(|(candidate, _)| candidate.subject == Subject::Memory(id))
    }

    /// What became of a memory that no filter kept out.
    fn verdict(&self, id: MemoryId, query: &Query) -> Verdict {
        let Some((candidate, fate)) = self.candidate(id) else {
            let own = self.close.get(&id).map(|close| close.evidence);
            let speaks = |own: &Evidence| own.coverage > 0.0 || own.cosine.is_some_and(|c| c > 0.0);
            return own.filter(speaks).map_or(Verdict::NothingSpeaks, Verdict::NoCandidate);
        };
        match *fate {
            Fate::Below => Verdict::Below { relevance: candidate.relevance, floor: query.floor },
            Fate::Same(place) => {
                let is_there = |fate: Fate| fate == Fate::Place(place);
                let there = self.candidates.iter().find(|(_, fate)| is_there(*fate));
                Verdict::SameText {
                    id: there.and_then(|(there, _)| there.subject.memory()).unwrap_or(id),
                    place,
                }
            }
            Fate::Place(place) if place > query.limit => {
                Verdict::Beyond { place, limit: query.limit }
            }
            Fate::Place(place) => Verdict::Hit { place },
        }
    }

    fn scored(&self, id: MemoryId) -> Option<Scored> {
        let (Candidate { relevance, fused, evidence, .. }, _) = *self.candidate(id)?;
        Some(Scored { relevance, fused, evidence, reasons: self.reasons(id, &evidence) })
    }

    fn reasons(&self, id: MemoryId, evidence: &Evidence) -> Reasons {
        let words = self.close.get(&id).map(|close| close.words.clone());
        let mut words = words.unwrap_or_default();
        // Only the promising are looked at word by word; for others what is said otherwise did not
        // count.
        if evidence.likeness <= evidence.coverage {
            words.iter_mut().filter(|word| !word.is_held).for_each(|word| word.likeness = 0.0);
        }
        Reasons {
            rank_by_words: self.by_words.get(&id).copied(),
            rank_by_meaning: self.by_meaning.get(&id).copied(),
            words,
        }
    }
}

/// The places of the candidates by a score, from 1; those without one have none.
fn ranks(
    candidates: &[(Candidate, Fate)],
    score: impl Fn(&Candidate) -> Option<f32>,
) -> HashMap<MemoryId, usize> {
    let mut scored: Vec<(f32, MemoryId)> = candidates
        .iter()
        .filter_map(|(candidate, _)| Some((score(candidate)?, candidate.subject.memory()?)))
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().zip(1..).map(|((_, id), rank)| (id, rank)).collect()
}
