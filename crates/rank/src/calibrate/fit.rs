//! What evidence weighs, found by logistic regression.
//!
//! Each query is asked in stores of several sizes: its topic's memories among more and more others.
//! Words and meaning count about half and half, which is what orders hits best; the spread of the
//! model's cosines is measured for that. Then, on the fused scores, it is fitted how much they count,
//! and how much it counts to be behind the best and to be one of many.

use std::collections::HashSet;

use model::{ContentHash, Layer, MemoryId, Scope, Subject};

use super::data::Pairs;
use super::{CROWD, Calibration};
use crate::embed::{Embedding, Quantised};
use crate::index::{Ask, Candidate, Entry, Filter, Index};
use crate::terms::query_terms;

/// So many memories a query is asked among, and among all of them.
const SIZES: [usize; 4] = [8, 24, 80, 250];

/// To miss an answer is as bad as to bring so many wrong ones.
const ANSWER_WEIGHT: f64 = 5.0;

/// A cosine that nine of ten answers stay below counts so much of what all of the words count: half
/// and half, but that nearness of meaning is there more often than the very words.
const REACH: f32 = 0.65;

/// The share of its strongest neighbour's strength that counts for a memory.
const LENT: f32 = 0.3;

/// What the search found for one query in one store.
#[derive(Debug)]
pub struct Asking {
    /// How many memories there were.
    pub entries: usize,
    /// The number of the query's topic.
    pub topic: usize,
    /// Each candidate, whether it answers the query, and whether it shares its topic.
    pub found: Vec<(Candidate, bool, bool)>,
    /// How many memories answer the query.
    pub answers: usize,
}

/// The pairs in an index, ready to be asked.
#[derive(Debug)]
pub struct Exam<'a> {
    pairs: &'a Pairs,
    index: Index,
    scope: Scope,
    queries: &'a [Option<Embedding>],
}

impl<'a> Exam<'a> {
    /// Puts the memories with their vectors into an index.
    pub fn of(
        pairs: &'a Pairs,
        memories: &[Option<Embedding>],
        queries: &'a [Option<Embedding>],
    ) -> Self {
        let dimensions = memories.iter().flatten().next().map_or(0, |one| one.as_slice().len());
        let scope = Scope { layer: Layer::User, owner: "exam".into() };
        let mut index = Index::new(dimensions);
        let mut key = 0_i64;
        for (topic, vectors) in pairs.topics.iter().zip(by_topic(pairs, memories)) {
            let thread = key.to_string();
            for (text, vector) in topic.memories.iter().zip(vectors) {
                let mut hash = [0; 32];
                hash[..8].copy_from_slice(&(key + 1).to_le_bytes());
                index.put(&Entry {
                    key,
                    subject: Subject::Memory(MemoryId::from_random([0; 16])),
                    scope: &scope,
                    archived: false,
                    tags: &[],
                    text,
                    hash: ContentHash(hash),
                    created: 0,
                    thread: Some(&thread),
                    vector: vector.as_ref().map(Quantised::of).as_ref(),
                });
                key += 1;
            }
        }
        Self { pairs, index, scope, queries }
    }

    /// What comes of every query in stores of this size; `None` is all there is.
    pub fn ask(&self, size: Option<usize>, calibration: &Calibration) -> Vec<Asking> {
        let mut asked = Vec::new();
        let (mut first, mut number) = (0_usize, 0_usize);
        for (topic, of_topic) in self.pairs.topics.iter().enumerate() {
            let own = first..first + of_topic.memories.len();
            for query in &of_topic.queries {
                let keys = size.map(|size| self.among(own.clone(), number, size));
                let candidates = self.index.search(&Ask {
                    terms: &query_terms(&query.text),
                    vector: self.queries.get(number).and_then(Option::as_ref),
                    same: ContentHash([0; 32]),
                    filter: Filter {
                        scopes: std::slice::from_ref(&self.scope),
                        keys: keys.as_ref(),
                        ..Filter::default()
                    },
                    calibration,
                    wanted: self.index.len(),
                    english: true,
                });
                let judge = |candidate: Candidate| {
                    let at = candidate.key as usize;
                    let is_answer = own.contains(&at) && query.answers.contains(&(at - own.start));
                    (candidate, is_answer, own.contains(&at))
                };
                asked.push(Asking {
                    entries: keys.map_or(self.index.len(), |keys| keys.len()),
                    topic,
                    found: candidates.into_iter().map(judge).collect(),
                    answers: query.answers.len(),
                });
                number += 1;
            }
            first = own.end;
        }
        asked
    }

    /// The memories of a topic and others up to so many, always the same for a query.
    fn among(&self, own: std::ops::Range<usize>, query: usize, size: usize) -> HashSet<i64> {
        let count = self.index.len();
        let step = (0..).map(|n: usize| (query * 7919 + n * 104_729 + 17) % count.max(1));
        let others = step.take(4 * count).filter(|at| !own.contains(at));
        let mut keys: HashSet<i64> = own.clone().map(|at| at as i64).collect();
        for other in others {
            if keys.len() >= size {
                break;
            }
            keys.insert(other as i64);
        }
        keys
    }
}

fn by_topic<'a, T>(pairs: &'a Pairs, mut all: &'a [T]) -> impl Iterator<Item = &'a [T]> {
    pairs.topics.iter().map(move |topic| {
        let (own, rest) = all.split_at(topic.memories.len().min(all.len()));
        all = rest;
        own
    })
}

/// What the evidence weighs, given the vectors of the pairs' memories and queries.
pub fn fit(
    pairs: &Pairs,
    memories: &[Option<Embedding>],
    queries: &[Option<Embedding>],
) -> Calibration {
    fit_exam(&Exam::of(pairs, memories, queries), |_| true)
}

/// The same on the topics that `counts` lets through.
pub fn fit_exam(exam: &Exam<'_>, counts: impl Fn(usize) -> bool) -> Calibration {
    let any = Calibration {
        words: 1.0,
        share: 0.1,
        cosine: 1.0,
        floor: 0.0,
        lent: LENT,
        ..Calibration::LEXICAL
    };
    let asked = |size, calibration: &Calibration| {
        let mut asked = exam.ask(size, calibration);
        asked.retain(|asking| counts(asking.topic));
        asked
    };
    let (floor, reach) = cosines(&asked(None, &any));
    let cosine = if reach > 0.0 { REACH / reach } else { 0.0 };
    let fused = Calibration { words: 1.0, share: 0.05, cosine, floor, ..any };

    let mut rows: Vec<([f64; 4], bool)> = Vec::new();
    for size in SIZES.into_iter().map(Some).chain([None]) {
        for asking in asked(size, &fused) {
            let best = asking.found.first().map_or(0.0, |(candidate, ..)| candidate.fused);
            let crowd = (asking.entries.clamp(CROWD.0, CROWD.1) as f64).ln();
            for (candidate, is_answer, _) in asking.found {
                let behind = f64::from(candidate.fused - best);
                rows.push(([candidate.fused.into(), behind, crowd, 1.0], is_answer));
            }
        }
    }
    let [scale, behind, crowd, bias] = regress(&rows);
    Calibration {
        words: fused.words * scale as f32,
        share: fused.share * scale as f32,
        cosine: fused.cosine * scale as f32,
        floor,
        lent: LENT,
        behind: (behind / scale) as f32,
        crowd: -crowd as f32,
        half: -bias as f32,
    }
}

/// The mean cosine of memories of other topics, and how far above it nine of ten answers stay below.
fn cosines(asked: &[Asking]) -> (f32, f32) {
    let found = || asked.iter().flat_map(|asking| &asking.found);
    let of = |hit: &Candidate| hit.evidence.cosine;
    let others: Vec<f32> = found().filter(|hit| !hit.2).filter_map(|hit| of(&hit.0)).collect();
    let mut answers: Vec<f32> = found().filter(|hit| hit.1).filter_map(|hit| of(&hit.0)).collect();
    answers.sort_unstable_by(f32::total_cmp);
    let floor = others.iter().sum::<f32>() / others.len().max(1) as f32;
    let high = answers.get(answers.len() * 9 / 10).copied().unwrap_or(floor);
    (floor, high - floor)
}

/// The weights under which the logistic function of the weighted sum is nearest to the answers:
/// Newton's method, with a little pull towards nothing so that it always ends.
fn regress<const N: usize>(rows: &[([f64; N], bool)]) -> [f64; N] {
    const ROUNDS: usize = 40;
    const PULL: f64 = 0.01;
    let mut weights = [0.0; N];
    for _ in 0..ROUNDS {
        let mut slope: [f64; N] = weights.map(|weight| -PULL * weight);
        let mut curve = [[0.0; N]; N];
        for (at, row) in curve.iter_mut().enumerate() {
            row[at] = PULL;
        }
        for (features, is_answer) in rows {
            let sum: f64 = features.iter().zip(&weights).map(|(feature, w)| feature * w).sum();
            let guess = 1.0 / (1.0 + (-sum).exp());
            let weight = if *is_answer { ANSWER_WEIGHT } else { 1.0 };
            let miss = weight * (f64::from(u8::from(*is_answer)) - guess);
            let bend = weight * guess * (1.0 - guess);
            for (at, feature) in features.iter().enumerate() {
                slope[at] += miss * feature;
                for (other, second) in features.iter().enumerate() {
                    curve[at][other] += bend * feature * second;
                }
            }
        }
        let step = solve(curve, slope);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight += step);
    }
    weights
}

/// The solution of a system of linear equations, by elimination. The matrix is that of a sum of
/// squares with something on its diagonal, so no pivot is 0.
fn solve<const N: usize>(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for column in 0..N {
        for row in column + 1..N {
            let factor = matrix[row][column] / matrix[column][column];
            let above = matrix[column];
            matrix[row].iter_mut().zip(above).for_each(|(value, above)| *value -= factor * above);
            right[row] -= factor * right[column];
        }
    }
    let mut solution = [0.0; N];
    for row in (0..N).rev() {
        let known: f64 = (row + 1..N).map(|column| matrix[row][column] * solution[column]).sum();
        solution[row] = (right[row] - known) / matrix[row][row];
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_of_equations_is_solved() {
        let [x, y] = solve([[4.0, 1.0], [1.0, 3.0]], [1.0, 2.0]);
        assert!((x - 1.0 / 11.0).abs() < 1e-12 && (y - 7.0 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn a_feature_that_tells_gets_weight_and_one_that_does_not_gets_none() {
        let rows: Vec<([f64; 3], bool)> = (0..400)
            .map(|n| {
                let tells = f64::from(n % 20) / 20.0;
                ([tells, f64::from(n % 7) / 7.0, 1.0], tells > 0.6)
            })
            .collect();
        let [tells, tells_not, _] = regress(&rows);
        assert!(tells > 10.0 && tells_not.abs() < tells / 10.0, "{tells} {tells_not}");
    }
}
