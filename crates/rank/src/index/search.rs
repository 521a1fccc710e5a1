//! A query's candidates, with all that speaks for each of them.

use std::cmp::Ordering;
use std::collections::HashSet;

use model::{ContentHash, Layer, Subject};

use super::filter::Allowed;
use super::postings::{Asked, Lexical};
use super::{ARCHIVED, Filter, Index, short};
use crate::calibrate::{Calibration, Evidence, Field};
use crate::embed::{Embedding, Nearness};
use crate::terms::QueryTerm;
use crate::vector::Probe;

/// How many candidates each of the two searches brings at the least.
const CANDIDATES_MIN: usize = 64;

/// So many of the best bring their neighbours along: to who is weaker, what it lends is of no use.
const LENDING: usize = 64;

/// So many of the best, and their neighbours, are looked at word by word.
const PROMISING: usize = 32;

/// Beyond so many candidates it is not looked for more different texts.
const COPIES_MAX: usize = 100_000;

/// Below the first share of a query's words that its model understands a cosine says nothing, from the
/// second on it counts in full: names are unknown in English too.
const UNDERSTOOD: (f32, f32) = (0.2, 0.6);

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
    /// Whether the vector's model has only whole words of English ([`knows`](crate::embed::knows)), so
    /// that its cosines say no more than it has of the query's words.
    pub english: bool,
}

/// An entry that may be what was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its number in the store: later is greater.
    pub key: i64,
    /// What it is.
    pub subject: Subject,
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
    /// Best first: by relevance (unrounded, which is the order of the fused scores), then the stronger
    /// layer, then the newer.
    fn order(&self, other: &Self) -> Ordering {
        other
            .relevance
            .total_cmp(&self.relevance)
            .then(other.fused.total_cmp(&self.fused))
            .then(self.layer.cmp(&other.layer))
            .then(other.key.cmp(&self.key))
    }
}

impl Index {
    /// The candidates, best first. Entries that share nothing with the query, neither a word nor a near
    /// meaning, are not among them, whatever stands next to them.
    pub fn search(&self, ask: &Ask<'_>) -> Vec<Candidate> {
        let allowed = self.allowed(&ask.filter);
        let asked = self.postings.asked(ask.terms, &allowed);
        let probe = ask.vector.and_then(|vector| self.vectors.probe(vector));
        let same = short(ask.same);
        let has_no_words = asked.is_empty() && probe.is_none();
        let (calibration, mean) = (ask.calibration, allowed.mean());
        let english = ask.english;
        let question = Question { index: self, calibration, asked, mean, probe, english };
        // Where few are allowed, each of them is a candidate and the ranking is exact.
        let mut found = match allowed.few() {
            _ if has_no_words => {
                let is_same = |slot: &usize| self.slots[*slot].hash == same;
                let slots = allowed.bits().iter().filter(is_same).map(|slot| slot as u32);
                question.evidence(slots.collect())
            }
            Some(few) => question.evidence(few.to_vec()),
            None => question.enough(&allowed, ask.wanted),
        };
        found.link(self);
        found.compare_words(&question);
        found.candidates(&question, allowed.count(), same)
    }

    /// The tokens of a slot's words.
    pub(super) fn word_tokens(&self, slot: u32) -> &[u16] {
        let end = |slot: usize| self.word_ends[slot] as usize;
        let slot = slot as usize;
        &self.words[slot.checked_sub(1).map_or(0, end)..end(slot)]
    }
}

/// What is asked, made ready for the index.
struct Question<'a> {
    index: &'a Index,
    calibration: &'a Calibration,
    asked: Vec<Asked<'a>>,
    /// How long the allowed texts are on average.
    mean: f32,
    probe: Option<Probe>,
    english: bool,
}

impl Question<'_> {
    /// The best, as many as it takes that there are enough different texts among them: copies of one
    /// text must not hide the others.
    fn enough(&self, allowed: &Allowed, wanted: usize) -> Found {
        let mut count = CANDIDATES_MIN.max(wanted.saturating_mul(2));
        loop {
            let found = self.best(allowed, count);
            let text = |slot: &u32| self.index.slots[*slot as usize].hash;
            let mut texts = HashSet::new();
            let different = found.slots.iter().filter(|slot| texts.insert(text(slot)));
            let enough = wanted.min(count);
            let are_enough = different.take(enough).count() == enough;
            if are_enough || found.slots.len() < count || count >= COPIES_MAX {
                return found;
            }
            count = count.saturating_mul(8);
        }
    }

    /// The `count` best by their words, the `count` nearest in meaning, and the neighbours of the
    /// best of them all.
    fn best(&self, allowed: &Allowed, count: usize) -> Found {
        let mut slots = self.index.postings.best(&self.asked, allowed, count);
        if let Some(probe) = &self.probe {
            let nearest = self.index.vectors.nearest(probe, allowed.bits(), count);
            slots.extend(nearest.into_iter().map(|(slot, _)| slot));
        }
        slots.sort_unstable();
        slots.dedup();
        let mut found = self.evidence(slots);
        let best =
            best_places(found.slots.len(), LENDING, |at| self.calibration.strength(&found.own[at]));
        let mut near: Vec<u32> = best
            .into_iter()
            .flat_map(|at| self.index.neighbours(found.slots[at]))
            .filter(|slot| allowed.contains(*slot as usize) && found.place(*slot).is_none())
            .collect();
        near.sort_unstable();
        near.dedup();
        found.merge(self.evidence(near));
        found
    }

    /// What each of the slots, which ascend, has to say for itself.
    fn evidence(&self, slots: Vec<u32>) -> Found {
        let lexical = self.index.postings.lexical(&self.asked, &slots, self.mean);
        let cosines = match &self.probe {
            Some(probe) => self.index.vectors.cosines(probe, &slots),
            None => vec![None; slots.len()],
        };
        let weights: f32 = self.asked.iter().map(|term| term.weight).sum();
        let own = lexical
            .iter()
            .zip(cosines)
            .map(|(lexical, cosine)| own(weights, lexical, cosine, self.english));
        let held = lexical.iter().map(|lexical| lexical.held).collect();
        Found { own: own.collect(), held, slots, near: Vec::new() }
    }

    fn candidate(&self, slot: u32, evidence: Evidence) -> Candidate {
        let place = self.index.places[slot as usize] & !ARCHIVED;
        let slot = &self.index.slots[slot as usize];
        Candidate {
            key: slot.key,
            subject: slot.subject,
            layer: self.index.homes[place as usize].0.layer,
            text: slot.hash,
            fused: self.calibration.fused(&evidence),
            relevance: 0.0,
            evidence,
        }
    }
}

/// What a text has to say for itself before it is looked at word by word. `weights` is the weight of
/// the whole query.
pub(super) fn own(weights: f32, lexical: &Lexical, cosine: Option<f32>, english: bool) -> Evidence {
    let (Lexical { coverage, bm25, .. }, share) = (*lexical, lexical.share(weights));
    let (least, enough) = UNDERSTOOD;
    let understood = ((lexical.understood - least) / (enough - least)).clamp(0.0, 1.0);
    let understood = if english { understood } else { 1.0 };
    Evidence { coverage, likeness: coverage, bm25, share, cosine, understood, lent: 0.0 }
}

/// Where a text lies in several layers, the strongest layer's copy takes the first place of them all:
/// the same text answers a query equally well, whatever stands next to it.
fn strongest_first(candidates: &mut [Candidate]) {
    let mut places: Vec<([u8; 16], usize)> =
        candidates.iter().map(|candidate| candidate.text).zip(0..).collect();
    places.sort_unstable();
    for places in places.chunk_by(|a, b| a.0 == b.0).filter(|places| places.len() > 1) {
        let copy = |at: usize| (candidates[at].layer, -candidates[at].key, candidates[at].subject);
        let mut copies: Vec<(Layer, i64, Subject)> =
            places.iter().map(|(_, at)| copy(*at)).collect();
        copies.sort_unstable();
        for ((_, at), (layer, key, subject)) in places.iter().zip(copies) {
            let candidate = &mut candidates[*at];
            (candidate.layer, candidate.key, candidate.subject) = (layer, -key, subject);
        }
    }
}

/// How much of the query's weight a text holds, where a word that it does not hold counts as far as
/// another of its words means the same. `coverage` is the share of those that it holds.
pub(super) fn likeness(
    asked: &[Asked<'_>],
    (held, coverage): (u32, f32),
    nearness: &Nearness,
    tokens: &[u16],
) -> f32 {
    let (mut near, mut whole) = (0.0, 0.0);
    for (number, term) in asked.iter().enumerate() {
        let is_held = held >> number & 1 == 1;
        near += term.weight * if is_held { 0.0 } else { nearness.likeness(number, tokens) };
        whole += term.weight;
    }
    if whole > 0.0 { (coverage + near / whole).min(1.0) } else { 0.0 }
}

/// The places of the `count` best of `0..len`, in no order.
fn best_places(len: usize, count: usize, score: impl Fn(usize) -> f32) -> Vec<usize> {
    let mut ranked: Vec<(f32, usize)> = (0..len).map(|at| (score(at), at)).collect();
    if ranked.len() > count {
        ranked.select_nth_unstable_by(count, |a, b| b.0.total_cmp(&a.0));
        ranked.truncate(count);
    }
    ranked.into_iter().map(|(_, at)| at).collect()
}

/// Slots, which ascend, and what each has to say for itself.
struct Found {
    slots: Vec<u32>,
    own: Vec<Evidence>,
    /// A bit for each of the query's terms that the slot holds.
    held: Vec<u32>,
    /// The places of each one's neighbours among the slots, once they are linked.
    near: Vec<[Option<u32>; 2]>,
}

impl Found {
    /// Where a slot stands.
    fn place(&self, slot: u32) -> Option<usize> {
        self.slots.binary_search(&slot).ok()
    }

    /// Takes in others, none of which is here.
    fn merge(&mut self, others: Self) {
        let mut order: Vec<(u32, usize)> =
            self.slots.iter().chain(&others.slots).copied().zip(0..).collect();
        self.own.extend(others.own);
        self.held.extend(others.held);
        order.sort_unstable();
        self.slots = order.iter().map(|(slot, _)| *slot).collect();
        self.own = order.iter().map(|(_, at)| self.own[*at]).collect();
        self.held = order.iter().map(|(_, at)| self.held[*at]).collect();
    }

    /// Finds everyone's neighbours.
    fn link(&mut self, index: &Index) {
        let near = self.slots.iter().map(|slot| {
            let place = |slot| self.place(slot).map(|at| at as u32);
            let mut near = index.neighbours(*slot).filter_map(place);
            [near.next(), near.next()]
        });
        self.near = near.collect();
    }

    /// The evidence of the slot at this place, with what its neighbours lend.
    fn evidence(&self, question: &Question<'_>, at: usize) -> Evidence {
        let strength = |near: usize| question.calibration.strength(&self.own[near]);
        let lent = self.neighbours(at).map(strength).fold(0.0, f32::max);
        Evidence { lent, ..self.own[at] }
    }

    /// The places of the neighbours that are among the slots.
    fn neighbours(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.near[at].into_iter().flatten().map(|near| near as usize)
    }

    /// Looks at the best so far, and at their neighbours, word by word.
    fn compare_words(&mut self, question: &Question<'_>) {
        let fused = |at: usize| question.calibration.fused(&self.evidence(question, at));
        let mut promising = best_places(self.slots.len(), PROMISING, fused);
        promising.extend(promising.clone().into_iter().flat_map(|at| self.neighbours(at)));
        promising.sort_unstable();
        promising.dedup();
        let asked = &question.asked;
        let words: Vec<_> = asked.iter().map(|term| term.word.as_ref()).collect();
        let texts = || promising.iter().map(|at| question.index.word_tokens(self.slots[*at]));
        let nearness = Nearness::of(&words, texts());
        let likeness: Vec<f32> = promising
            .iter()
            .zip(texts())
            .map(|(at, tokens)| {
                likeness(asked, (self.held[*at], self.own[*at].coverage), &nearness, tokens)
            })
            .collect();
        for (at, likeness) in promising.into_iter().zip(likeness) {
            self.own[at].likeness = likeness;
        }
    }

    /// The candidates, best first, among so many entries.
    fn candidates(
        &self,
        question: &Question<'_>,
        entries: usize,
        same: [u8; 16],
    ) -> Vec<Candidate> {
        let shares = |own: &Evidence| question.calibration.strength(own) > 0.0;
        let mut candidates: Vec<Candidate> = (0..self.slots.len())
            .map(|at| question.candidate(self.slots[at], self.evidence(question, at)))
            .filter(|candidate| shares(&candidate.evidence) || candidate.text == same)
            .collect();
        let best = candidates.iter().map(|candidate| candidate.fused).fold(0.0, f32::max);
        let field = Field { entries, best };
        for candidate in &mut candidates {
            let relevance = question.calibration.relevance(candidate.fused, field);
            candidate.relevance = if candidate.text == same { 1.0 } else { relevance };
        }
        candidates.sort_unstable_by(Candidate::order);
        strongest_first(&mut candidates);
        candidates
    }
}
