//! Which slots hold a term, and how well a slot's text answers a query's words.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Bound;

use super::filter::Allowed;
use crate::embed::{Word, knows};
use crate::lexical::weight;
use crate::terms::{QueryTerm, index_terms};

/// BM25's two constants, as everybody has them.
const SATURATION: f32 = 1.2;
const LENGTH_SHARE: f32 = 0.75;

/// A term shorter than this is not taken for the beginning of a longer one.
const PREFIX_CHARS_MIN: usize = 3;

/// No more terms are taken for the forms of one word.
const FORMS_MAX: usize = 256;

/// Two forms of a word have so much of the longer in common from its beginning, as a square root, that
/// what is counted falls slowly with an ending and fast with another word.
const FORM_SHARE_MIN: f32 = 0.5;

/// A word that is not English is stemmed by nobody: others that have this share of it in common, from
/// its beginning, and no longer end than this, are forms of it.
const FORM_COMMON: f32 = 0.6;
const FORM_COMMON_CHARS_MIN: usize = 4;
const FORM_END_CHARS_MAX: usize = 4;

/// So many slots are scored together: their sums stay in the processor's cache.
const BLOCK: usize = 1 << 14;

/// Looking for a slot in a list takes as long as going past so many.
const LOOKUP_WORTH: usize = 16;

/// The terms of many texts, by term and by slot. Slots only ever grow, so each list is ascending.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Postings {
    pub(super) ids: BTreeMap<Box<str>, u32>,
    pub(super) lists: Vec<List>,
    /// Where the terms of each slot end in `terms`.
    pub(super) ends: Vec<u64>,
    /// The distinct terms of each slot, one slot behind the other.
    pub(super) terms: Vec<u32>,
    /// How many terms each slot's text has.
    pub(super) lengths: Vec<u32>,
    /// How many slots are in use, and how many terms they have together.
    pub(super) live: u64,
    pub(super) live_length: u64,
}

/// Who holds a term, and how often.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct List {
    pub(super) slots: Vec<u32>,
    pub(super) counts: Vec<u8>,
    /// How many of the slots are in use.
    pub(super) holding: u32,
}

impl List {
    /// The allowed slots that hold the term, and how often each does: by going through the list, or
    /// where only a few are allowed, by looking for those.
    fn allowed<'a>(&'a self, allowed: &'a Allowed) -> impl Iterator<Item = (u32, u8)> + 'a {
        let is_long = |few: &&[u32]| few.len() * LOOKUP_WORTH < self.slots.len();
        let few = allowed.few().filter(is_long);
        let all = if few.is_none() { self.slots.as_slice() } else { &[] };
        let found = few.unwrap_or_default().iter().filter_map(|slot| {
            let at = self.slots.binary_search(slot).ok()?;
            Some((*slot, self.counts[at]))
        });
        let passing = all.iter().zip(&self.counts).map(|(slot, count)| (*slot, *count));
        passing.filter(|(slot, _)| allowed.contains(*slot as usize)).chain(found)
    }
}

/// One of the query's terms: what it weighs, and who holds it.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub(super) weight: f32,
    /// What the word means, for those texts that do not hold it.
    pub(super) word: Option<Word>,
    /// Whether the built-in model has the word.
    is_known: bool,
    slots: Cow<'a, [u32]>,
    counts: Cow<'a, [u8]>,
    /// For each slot how far it holds the term: less than 1 if it holds another form of it. None if all
    /// hold the term itself.
    shares: Option<Vec<f32>>,
}

impl Asked<'_> {
    /// How far the slot at this place of the list holds the term.
    fn share(&self, at: usize) -> f32 {
        self.shares.as_ref().map_or(1.0, |shares| shares[at])
    }
}

/// How well a text answers the query's words.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Lexical {
    /// The share of the query's weight that the text holds, 0..1.
    pub(super) coverage: f32,
    /// BM25, raw.
    pub(super) bm25: f32,
    /// A bit for each of the query's terms that the text holds, in whatever form.
    pub(super) held: u32,
    /// The share of the query's weight of words that the built-in model has or the text holds, 0..1.
    pub(super) understood: f32,
}

impl Postings {
    /// The terms of a text in order, by number.
    pub(super) fn ids_of(&mut self, text: &str) -> Vec<u32> {
        index_terms(text).iter().map(|term| self.id(term)).collect()
    }

    /// Takes in the terms of the next slot's text.
    pub(super) fn push(&mut self, mut terms: Vec<u32>) {
        let slot = self.lengths.len() as u32;
        let length = u32::try_from(terms.len()).unwrap_or(u32::MAX);
        terms.sort_unstable();
        for group in terms.chunk_by(|a, b| a == b) {
            let list = &mut self.lists[group[0] as usize];
            list.slots.push(slot);
            list.counts.push(u8::try_from(group.len()).unwrap_or(u8::MAX));
            list.holding += 1;
            self.terms.push(group[0]);
        }
        self.ends.push(self.terms.len() as u64);
        self.lengths.push(length);
        self.live += 1;
        self.live_length += u64::from(length);
    }

    /// Gives back memory that is not in use.
    pub(super) fn shrink(&mut self) {
        for list in &mut self.lists {
            list.slots.shrink_to_fit();
            list.counts.shrink_to_fit();
        }
        self.lists.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.terms.shrink_to_fit();
        self.lengths.shrink_to_fit();
    }

    fn id(&mut self, term: &str) -> u32 {
        if let Some(id) = self.ids.get(term) {
            return *id;
        }
        let id = self.lists.len() as u32;
        self.ids.insert(term.into(), id);
        self.lists.push(List::default());
        id
    }

    /// Whether most of the terms are of slots that are not in use.
    pub(super) fn is_wasteful(&self) -> bool {
        const TERMS_TOLERATED: u64 = 1 << 20;
        self.terms.len() as u64 > 2 * self.live_length + TERMS_TOLERATED
    }

    /// The slot is not in use any more: its text does not count for what is rare and what is long.
    pub(super) fn retire(&mut self, slot: usize) {
        let start = slot.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        for id in &self.terms[start..self.ends[slot] as usize] {
            self.lists[*id as usize].holding -= 1;
        }
        self.live -= 1;
        self.live_length -= u64::from(self.lengths[slot]);
    }

    /// The query's terms. One that no allowed slot holds is taken for the beginning of longer ones, and
    /// one that is not English for a form of others.
    pub(super) fn asked<'a>(&'a self, terms: &[QueryTerm], allowed: &Allowed) -> Vec<Asked<'a>> {
        terms.iter().map(|term| self.asked_one(term, allowed)).collect()
    }

    fn asked_one<'a>(&'a self, asked: &QueryTerm, allowed: &Allowed) -> Asked<'a> {
        let (term, word) = (asked.term.as_str(), Word::of(&asked.word));
        let is_known = knows(&asked.word);
        let list = self.known_id(term).map(|id| &self.lists[id as usize]);
        // Whether and how often somebody else says the word is none of this caller's business.
        let holding = list.map_or(0, |list| list.allowed(allowed).count());
        let weight = weight(holding as u64, allowed.count() as u64) as f32;
        // A number or a name with digits has no forms.
        let has_forms = !is_known && !term.contains(char::is_numeric);
        if let Some(list) = list.filter(|_| holding > 0 && !has_forms) {
            let (slots, counts) = (Cow::Borrowed(&*list.slots), Cow::Borrowed(&*list.counts));
            return Asked { weight, word, is_known, slots, counts, shares: None };
        }
        let lists = self.forms(term, has_forms);
        let lists = lists.filter(|(list, _)| list.allowed(allowed).next().is_some());
        let mut held: Vec<(u32, u8, f32)> = lists
            .take(FORMS_MAX)
            .flat_map(|(list, share)| list.allowed(allowed).map(move |(at, n)| (at, n, share)))
            .collect();
        held.sort_unstable_by_key(|(slot, ..)| *slot);
        let (mut slots, mut counts, mut shares) = (Vec::new(), Vec::new(), Vec::new());
        for group in held.chunk_by(|a, b| a.0 == b.0) {
            slots.push(group[0].0);
            counts.push(group.iter().fold(0, |sum: u8, (_, count, _)| sum.saturating_add(*count)));
            shares.push(group.iter().map(|(.., share)| *share).fold(0.0, f32::max));
        }
        let (slots, counts) = (slots.into(), counts.into());
        Asked { weight, word, is_known, slots, counts, shares: Some(shares) }
    }

    /// The lists of the terms that begin with this one or, if `inflected`, have so much of it in common
    /// that they are other forms of it; each with how far it counts as the term.
    fn forms<'a>(
        &'a self,
        term: &'a str,
        inflected: bool,
    ) -> impl Iterator<Item = (&'a List, f32)> {
        let chars = term.chars().count();
        let least = ((chars as f32 * FORM_COMMON).ceil() as usize).max(FORM_COMMON_CHARS_MIN);
        let stem_chars = if inflected { least.min(chars) } else { chars };
        let stem = term.char_indices().nth(stem_chars).map_or(term, |(end, _)| &term[..end]);
        self.ids
            .range::<str, _>((Bound::Included(stem), Bound::Unbounded))
            .take_while(move |(name, _)| chars >= PREFIX_CHARS_MIN && name.starts_with(stem))
            .filter_map(move |(name, id)| {
                let common = name.chars().zip(term.chars()).take_while(|(a, b)| a == b).count();
                let longest = name.chars().count().max(chars);
                let is_form = common == chars || longest - common <= FORM_END_CHARS_MAX;
                let share = (common as f32 / longest as f32).sqrt();
                let counts = is_form && share >= FORM_SHARE_MIN;
                counts.then(|| (&self.lists[*id as usize], share))
            })
    }

    /// The `count` allowed slots that answer the words best, in no order.
    pub(super) fn best(&self, asked: &[Asked<'_>], allowed: &Allowed, count: usize) -> Vec<u32> {
        let scale = Scale::of(asked, allowed.mean());
        // What the query's words say for each text: how much of the query it covers, and between
        // equals BM25.
        let mut sums = vec![0_f32; BLOCK.min(self.lengths.len())];
        let mut touched: Vec<u32> = Vec::new();
        let mut cursors = vec![0; asked.len()];
        let mut best = Best::of(count);
        for start in (0..self.lengths.len()).step_by(BLOCK) {
            for (term, cursor) in asked.iter().zip(&mut cursors) {
                let rest = &term.slots[*cursor..];
                let until = rest.partition_point(|slot| (*slot as usize) < start + BLOCK);
                for (at, slot) in (*cursor..).zip(&rest[..until]) {
                    if !allowed.contains(*slot as usize) {
                        continue;
                    }
                    let sum = &mut sums[*slot as usize - start];
                    if *sum == 0.0 {
                        touched.push(*slot);
                    }
                    let weight = term.weight * term.share(at);
                    let bm25 = self.bm25(weight, term.counts[at], *slot as usize, &scale);
                    *sum += scale.coverage * (weight + ORDER_SHARE * bm25);
                }
                *cursor += until;
            }
            for slot in touched.drain(..) {
                best.offer(std::mem::take(&mut sums[slot as usize - start]), slot);
            }
        }
        best.finish()
    }

    /// How well each of the slots, which ascend, answers the words.
    /// `mean` is how long the allowed texts are on average.
    pub(super) fn lexical(&self, asked: &[Asked<'_>], slots: &[u32], mean: f32) -> Vec<Lexical> {
        let scale = Scale::of(asked, mean);
        let mut found = vec![Lexical::default(); slots.len()];
        for (number, term) in asked.iter().enumerate() {
            let mut from = 0;
            for (slot, sum) in slots.iter().zip(&mut found) {
                from += reach(&term.slots[from..], *slot);
                if term.slots.get(from) == Some(slot) {
                    let weight = term.weight * term.share(from);
                    sum.held |= 1 << number;
                    sum.coverage += scale.coverage * weight;
                    sum.bm25 += self.bm25(weight, term.counts[from], *slot as usize, &scale);
                    sum.understood += if term.is_known { 0.0 } else { scale.coverage * weight };
                }
            }
        }
        let known = asked.iter().filter(|term| term.is_known).map(|term| term.weight);
        // A query without terms has no word that is not known.
        let known = if asked.is_empty() { 1.0 } else { scale.coverage * known.sum::<f32>() };
        for sum in &mut found {
            sum.coverage = sum.coverage.min(1.0);
            sum.understood = (sum.understood + known).min(1.0);
        }
        found
    }

    fn bm25(&self, weight: f32, count: u8, slot: usize, scale: &Scale) -> f32 {
        let count = f32::from(count);
        let length = scale.base + scale.length * self.lengths[slot] as f32;
        weight * count * (SATURATION + 1.0) / (count + length)
    }

    /// The number of a term, if any text holds it.
    pub(super) fn known_id(&self, term: &str) -> Option<u32> {
        self.ids.get(term).copied()
    }

    /// The distinct terms of a slot's text, by number, ascending.
    pub(super) fn distinct(&self, slot: usize) -> &[u32] {
        let start = slot.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        &self.terms[start..self.ends[slot] as usize]
    }

    /// How many terms a slot's text has.
    pub(super) fn length(&self, slot: usize) -> u64 {
        u64::from(self.lengths[slot])
    }
}

/// How many of the numbers, which ascend, stand before `slot`: by steps that double, because it is
/// mostly near.
fn reach(numbers: &[u32], slot: u32) -> usize {
    let mut step = 1;
    while numbers.get(step - 1).is_some_and(|number| *number < slot) {
        step *= 2;
    }
    let (from, to) = (step / 2, numbers.len().min(step));
    from + numbers[from..to].partition_point(|number| *number < slot)
}

/// What is the same for all slots of a query.
struct Scale {
    coverage: f32,
    base: f32,
    length: f32,
}

impl Scale {
    /// How long others' texts are is none of the caller's business, so `mean` is of those allowed.
    fn of(asked: &[Asked<'_>], mean: f32) -> Self {
        let weights: f32 = asked.iter().map(|term| term.weight).sum();
        Self {
            coverage: 1.0 / weights.max(f32::MIN_POSITIVE),
            base: SATURATION * (1.0 - LENGTH_SHARE),
            length: SATURATION * LENGTH_SHARE / mean.max(1.0),
        }
    }
}

impl Lexical {
    /// BM25 as a share of what a text could have that is made of the query's words, 0..1.
    /// `weights` is the weight of the whole query.
    pub(super) fn share(&self, weights: f32) -> f32 {
        let most = (SATURATION + 1.0) * weights;
        if most > 0.0 { (self.bm25 / most).min(1.0) } else { 0.0 }
    }
}

/// How much BM25 counts beside coverage.
const ORDER_SHARE: f32 = 0.05;

/// The best of many.
struct Best {
    count: usize,
    floor: f32,
    held: Vec<(f32, u32)>,
}

impl Best {
    fn of(count: usize) -> Self {
        Self { count, floor: f32::MIN, held: Vec::new() }
    }

    fn offer(&mut self, score: f32, slot: u32) {
        if score < self.floor || self.count == 0 {
            return;
        }
        self.held.push((score, slot));
        if self.held.len() >= 4 * self.count {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        if self.held.len() > self.count {
            let order = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1));
            let (_, last, _) = self.held.select_nth_unstable_by(self.count - 1, order);
            self.floor = last.0;
            self.held.truncate(self.count);
        }
    }

    fn finish(mut self) -> Vec<u32> {
        self.shrink();
        self.held.into_iter().map(|(_, slot)| slot).collect()
    }
}
