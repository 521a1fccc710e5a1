//! A closer look at single entries, for who wants to know why a search answered as it did.
//!
//! It sees what the search saw, by the same steps, but for what neighbours lend: that depends on
//! which entries were candidates, and the candidates say it themselves.

use std::collections::HashMap;

use model::MemoryId;

use super::search::{likeness, own};
use super::{Ask, Filter, Index, NONE};
use crate::calibrate::Evidence;
use crate::embed::Nearness;

/// What an entry has to say for itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Close {
    /// All that speaks for it, looked at word by word; nothing is lent.
    pub evidence: Evidence,
    /// Each of the query's words, in the query's order.
    pub words: Vec<WordOf>,
}

/// How a text has one of the query's words.
#[derive(Debug, Clone, PartialEq)]
pub struct WordOf {
    /// The word.
    pub word: String,
    /// Its share of the query's weight, 0..1.
    pub share: f32,
    /// Whether the text holds it.
    pub is_held: bool,
    /// How near the nearest word of the text comes to it, 0..1; 1 if it is held.
    pub likeness: f32,
}

impl Index {
    /// How many entries a filter lets through.
    pub fn count_allowed(&self, filter: &Filter<'_>) -> usize {
        self.allowed(filter).count()
    }

    /// A closer look at these entries; none for what the filter keeps from the search.
    pub fn look_at(&self, ask: &Ask<'_>, ids: &[MemoryId]) -> Vec<Option<Close>> {
        let allowed = self.allowed(&ask.filter);
        let asked = self.postings.asked(ask.terms, &allowed);
        let weights: f32 = asked.iter().map(|term| term.weight).sum();
        let probe = ask.vector.and_then(|vector| self.vectors.probe(vector));
        let slots = self.slots_of(ids);
        let meanings: Vec<_> = asked.iter().map(|term| term.word.as_ref()).collect();
        let look = |id: &MemoryId| {
            let slot = *slots.get(id).filter(|slot| allowed.contains(**slot as usize))?;
            let lexical = self.postings.lexical(&asked, &[slot], allowed.mean()).pop()?;
            let cosine = probe.as_ref().and_then(|p| self.vectors.cosine(p, slot as usize));
            let tokens = self.word_tokens(slot);
            let nearness = Nearness::of(&meanings, std::iter::once(tokens));
            let words = asked.iter().zip(ask.terms).enumerate().map(|(number, (term, named))| {
                let is_held = lexical.held >> number & 1 == 1;
                WordOf {
                    word: named.word.clone(),
                    share: term.weight / weights.max(f32::MIN_POSITIVE),
                    is_held,
                    likeness: if is_held { 1.0 } else { nearness.likeness(number, tokens) },
                }
            });
            let held = (lexical.held, lexical.coverage);
            let likeness = likeness(&asked, held, &nearness, tokens);
            let evidence = Evidence { likeness, ..own(weights, &lexical, cosine, ask.english) };
            Some(Close { evidence, words: words.collect() })
        };
        ids.iter().map(look).collect()
    }

    /// The slots of these memories.
    fn slots_of(&self, ids: &[MemoryId]) -> HashMap<MemoryId, u32> {
        let in_use = |slot: &usize| self.places[*slot] != NONE;
        let named = |slot: usize| Some((self.slots[slot].subject.memory()?, slot as u32));
        let all = (0..self.slots.len()).filter(in_use).filter_map(named);
        all.filter(|(id, _)| ids.contains(id)).collect()
    }
}
