//! A query's candidates, with all that speaks for each of them.

use std::cmp::Ordering;

use model::{ContentHash, Layer, MemoryId};

use super::filter::Allowed;
use super::postings::{Asked, Lexical};
use super::{Filter, Index, short};
use crate::calibrate::{Calibration, Evidence, Field};
use crate::embed::{Embedding, Nearness};
use crate::terms::QueryTerm;

/// How many candidates each of the two searches brings at the least.
const CANDIDATES_MIN: usize = 200;

/// So many of the best, and their neighbours, are looked at word by word.
const PROMISING: usize = 64;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Ask<'a> {
    /// The query's terms.
    pub terms: &'a [QueryTerm],
    /// The query's vector, of the index's model.
    pub vector: Option<&'a Embedding>,
    /// The hash of the query's text: who has the same is what was asked for.
    pub same: ContentHash,
    /// Where to look.
    pub filter: Filter<'a>,
    /// What the evidence weighs.
    pub calibration: &'a Calibration,
    /// How many hits are wanted.
    pub wanted: usize,
}

/// An entry that may be what was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its number in the store: later is greater.
    pub key: i64,
    /// Which memory.
    pub id: MemoryId,
    /// The layer it lies in.
    pub layer: Layer,
    /// The same for entries of the same text.
    pub text: [u8; 16],
    /// What speaks for it.
    pub evidence: Evidence,
    /// All of that in one number, comparable within one query only.
    pub fused: f32,
    /// Its relevance, 0..1.
    pub relevance: f64,
}

impl Candidate {
    /// Best first: by relevance, then the stronger layer, then the newer.
    fn order(&self, other: &Self) -> Ordering {
        other
            .relevance
            .total_cmp(&self.relevance)
            .then(self.layer.cmp(&other.layer))
            .then(other.key.cmp(&self.key))
    }
}

impl Index {
    /// The candidates, best first. Entries for which nothing speaks are not among them.
    pub fn search(&self, ask: &Ask<'_>) -> Vec<Candidate> {
        let allowed = self.allowed(&ask.filter);
        let asked = self.postings.asked(ask.terms, &allowed);
        let probe = ask.vector.and_then(|vector| self.vectors.probe(vector));
        if asked.is_empty() && probe.is_none() {
            return Vec::new();
        }
        // Where few are allowed, each of them is a candidate and the ranking is exact.
        let slots = if let Some(few) = allowed.few() {
            few.to_vec()
        } else {
            let count = CANDIDATES_MIN.max(2 * ask.wanted);
            let mut found = self.postings.best(&asked, &allowed, count);
            if let Some(probe) = &probe {
                let nearest = self.vectors.nearest(probe, allowed.bits(), count);
                found.extend(nearest.into_iter().map(|(slot, _)| slot));
            }
            self.with_neighbours(found, &allowed)
        };
        let lexical = self.postings.lexical(&asked, &slots);
        let cosines = match &probe {
            Some(probe) => self.vectors.cosines(probe, &slots),
            None => vec![None; slots.len()],
        };
        let own = lexical.iter().zip(cosines).map(|(lexical, cosine)| own(&asked, lexical, cosine));
        let mut found = Found::of(self, ask.calibration, slots, own.collect());
        found.compare_words(&asked, &lexical);
        found.candidates(allowed.count(), short(ask.same))
    }

    /// The tokens of a slot's words.
    pub(super) fn word_tokens(&self, slot: u32) -> &[u16] {
        let end = |slot: usize| self.word_ends[slot] as usize;
        let slot = slot as usize;
        &self.words[slot.checked_sub(1).map_or(0, end)..end(slot)]
    }

    fn candidate(&self, slot: u32, evidence: Evidence, calibration: &Calibration) -> Candidate {
        let place = self.places[slot as usize] & !super::ARCHIVED;
        let slot = &self.slots[slot as usize];
        Candidate {
            key: slot.key,
            id: slot.id,
            layer: self.scopes[place as usize].layer,
            text: slot.hash,
            fused: calibration.fused(&evidence),
            relevance: 0.0,
            evidence,
        }
    }

    /// These slots and those next to them that are allowed, ascending and none twice.
    fn with_neighbours(&self, mut slots: Vec<u32>, allowed: &Allowed) -> Vec<u32> {
        let near: Vec<u32> = slots
            .iter()
            .flat_map(|slot| self.neighbours(*slot))
            .filter(|slot| allowed.contains(*slot as usize))
            .collect();
        slots.extend(near);
        slots.sort_unstable();
        slots.dedup();
        slots
    }
}

/// What a text has to say for itself before it is looked at word by word.
pub(super) fn own(asked: &[Asked<'_>], lexical: &Lexical, cosine: Option<f32>) -> Evidence {
    let (Lexical { coverage, bm25, .. }, share) = (*lexical, lexical.share(asked));
    Evidence { coverage, likeness: coverage, bm25, share, cosine, lent: 0.0 }
}

/// How much of the query's weight a text holds, where a word that it does not hold counts as far as
/// another of its words means the same.
pub(super) fn likeness(asked: &[Asked<'_>], held: u32, nearness: &Nearness, tokens: &[u16]) -> f32 {
    let (mut likeness, mut whole) = (0.0, 0.0);
    for (number, term) in asked.iter().enumerate() {
        let is_held = held >> number & 1 == 1;
        likeness += term.weight * if is_held { 1.0 } else { nearness.likeness(number, tokens) };
        whole += term.weight;
    }
    if whole > 0.0 { likeness / whole } else { 0.0 }
}

/// Slots, which ascend, and what each has to say for itself.
struct Found<'a> {
    index: &'a Index,
    calibration: &'a Calibration,
    slots: Vec<u32>,
    own: Vec<Evidence>,
    /// The places of each one's neighbours among the slots.
    near: Vec<[Option<u32>; 2]>,
}

impl<'a> Found<'a> {
    fn of(
        index: &'a Index,
        calibration: &'a Calibration,
        slots: Vec<u32>,
        own: Vec<Evidence>,
    ) -> Self {
        let near = slots.iter().map(|slot| {
            let mut near = index
                .neighbours(*slot)
                .filter_map(|slot| slots.binary_search(&slot).ok().map(|at| at as u32));
            [near.next(), near.next()]
        });
        Self { near: near.collect(), index, calibration, slots, own }
    }

    /// The evidence of the slot at this place, with what its neighbours lend.
    fn evidence(&self, at: usize) -> Evidence {
        let near = self.neighbours(at).map(|near| self.calibration.strength(&self.own[near]));
        Evidence { lent: near.fold(0.0, f32::max), ..self.own[at] }
    }

    /// The places of the neighbours that are among the slots.
    fn neighbours(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.near[at].into_iter().flatten().map(|near| near as usize)
    }

    /// Looks at the best so far, and at their neighbours, word by word.
    fn compare_words(&mut self, asked: &[Asked<'_>], lexical: &[Lexical]) {
        let promising = self.promising();
        let words: Vec<_> = asked.iter().map(|term| term.word.as_ref()).collect();
        let texts = || promising.iter().map(|at| self.index.word_tokens(self.slots[*at]));
        let nearness = Nearness::of(&words, texts());
        for (at, tokens) in promising.iter().zip(texts()) {
            self.own[*at].likeness = likeness(asked, lexical[*at].held, &nearness, tokens);
        }
    }

    /// The places of the best so far and of their neighbours.
    fn promising(&self) -> Vec<usize> {
        let fused = |at: usize| self.calibration.fused(&self.evidence(at));
        let mut ranked: Vec<(f32, usize)> =
            (0..self.slots.len()).map(|at| (fused(at), at)).collect();
        if ranked.len() > PROMISING {
            ranked.select_nth_unstable_by(PROMISING, |a, b| b.0.total_cmp(&a.0));
            ranked.truncate(PROMISING);
        }
        let mut best: Vec<usize> = ranked.into_iter().map(|(_, at)| at).collect();
        best.extend(best.clone().into_iter().flat_map(|at| self.neighbours(at)));
        best.sort_unstable();
        best.dedup();
        best
    }

    fn candidates(&self, entries: usize, same: [u8; 16]) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = (0..self.slots.len())
            .map(|at| self.index.candidate(self.slots[at], self.evidence(at), self.calibration))
            .filter(|candidate| candidate.fused > 0.0)
            .collect();
        let best = candidates.iter().map(|candidate| candidate.fused).fold(0.0, f32::max);
        let field = Field { entries, best };
        for candidate in &mut candidates {
            let relevance = self.calibration.relevance(candidate.fused, field);
            candidate.relevance = if candidate.text == same { 1.0 } else { relevance };
        }
        candidates.sort_unstable_by(Candidate::order);
        candidates
    }
}
