//! The index against its reference: the exact scan, and a fresh build of the same vectors.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::sentences::{Dice, Sentences};
use super::{EXACT_MAX, Probe, Vectors};
use crate::bits::Bits;
use crate::embed::{DIMENSIONS, Embedding, Quantised, StaticEmbedder};

const MANY: usize = 100_000;
const QUERIES: u64 = 40;
const K: usize = 10;

static SENTENCES: LazyLock<Sentences> = LazyLock::new(Sentences::new);

fn embedded(text: &str) -> Embedding {
    StaticEmbedder::built_in().embed(text).unwrap()
}

fn sentence(number: u64) -> Quantised {
    Quantised::of(&embedded(&SENTENCES.sentence(number)))
}

fn sentences(numbers: std::ops::Range<u64>) -> Vectors {
    let mut vectors = Vectors::new(DIMENSIONS);
    for number in numbers {
        vectors.push(Some(&sentence(number)));
    }
    vectors
}

/// Questions about the sentences `0..about`.
fn questions(vectors: &Vectors, about: usize) -> Vec<Probe> {
    let question = |at| embedded(&SENTENCES.question(at * 7_919 % about as u64));
    (0..QUERIES).filter_map(|at| vectors.probe(&question(at))).collect()
}

/// A vector in any direction.
fn noise(dimensions: usize, seed: u64) -> Embedding {
    let mut dice = Dice::new(seed);
    let number = |_| dice.below(2_000) as f32 - 999.5;
    Embedding::towards((0..dimensions).map(number).collect::<Vec<f32>>()).unwrap()
}

fn all(vectors: &Vectors) -> Bits {
    Bits::filled(vectors.len(), |_| true)
}

/// About `percent` of the slots.
fn some(vectors: &Vectors, percent: usize) -> Bits {
    let mut dice = Dice::new(percent as u64);
    Bits::filled(vectors.len(), |_| dice.below(100) < percent)
}

/// What part of the nearest is found, of equals any. What is found must be allowed, in order, and have
/// the cosine that an exact scan gives it.
fn recall(vectors: &Vectors, allowed: &Bits, probes: &[Probe]) -> f64 {
    let (mut hits, mut wanted) = (0, 0);
    for probe in probes {
        let exact = vectors.nearest_exact(probe, allowed, K);
        let found = vectors.nearest(probe, allowed, K);
        assert_eq!(found.len(), exact.len());
        assert!(found.is_sorted_by(|a, b| a.1 > b.1 || a.1 == b.1 && a.0 < b.0), "{found:?}");
        for (slot, cosine) in &found {
            assert!(allowed.contains(*slot as usize));
            assert_eq!(vectors.cosine(probe, *slot as usize), Some(*cosine));
        }
        let floor = exact.last().map_or(f32::INFINITY, |last| last.1);
        hits += found.iter().filter(|one| one.1 >= floor).count();
        wanted += exact.len();
    }
    if wanted == 0 { 1.0 } else { hits as f64 / wanted as f64 }
}

#[test]
fn of_a_hundred_thousand_the_nearest_are_found() {
    let mut vectors = sentences(0..MANY as u64);
    let probes = questions(&vectors, MANY);
    for percent in [100, 50, 10, 1] {
        let recall = recall(&vectors, &some(&vectors, percent), &probes);
        println!("{percent} %: {recall}");
        assert!(recall >= 0.98, "{recall} with {percent} % allowed");
    }
    let one = Bits::filled(MANY, |slot| slot == 77_777);
    assert_eq!(recall(&vectors, &one, &probes), 1.0);
    let alone = vectors.nearest(&probes[0], &one, K);
    assert_eq!(alone.iter().map(|found| found.0).collect::<Vec<_>>(), [77_777]);

    // What was nearest is deleted: some by their bit, the others by their vector.
    let mut deleted = Vec::new();
    for probe in &probes {
        deleted.extend(vectors.nearest(probe, &all(&vectors), K).iter().map(|found| found.0));
    }
    let (by_bit, by_vector) = deleted.split_at(deleted.len() / 2);
    by_vector.iter().for_each(|slot| vectors.set(*slot as usize, None));
    let kept = Bits::filled(MANY, |slot| !by_bit.contains(&(slot as u32)));
    let recall_after = recall(&vectors, &kept, &probes);
    assert!(recall_after >= 0.98, "{recall_after} after deletions");
    for probe in &probes {
        let found = vectors.nearest(probe, &kept, K);
        assert!(found.iter().all(|(slot, _)| !deleted.contains(slot)));
    }

    // A tenth of the slots gets the vectors of other sentences.
    for slot in (0..MANY).step_by(10) {
        vectors.set(slot, Some(&sentence((MANY + slot) as u64)));
    }
    let recall_after = recall(&vectors, &all(&vectors), &probes);
    assert!(recall_after >= 0.98, "{recall_after} after updates");
}

#[test]
fn sentences_are_many_and_not_the_same() {
    let distinct: std::collections::HashSet<String> =
        (0..MANY as u64).map(|number| SENTENCES.sentence(number)).collect();
    println!("{} distinct", distinct.len());
    assert!(distinct.len() > MANY * 999 / 1_000, "{}", distinct.len());
}

#[test]
fn growth_past_a_new_centre_loses_nothing() {
    // First only noise, then sentences: the first centre is that of other vectors.
    let mut vectors = Vectors::new(DIMENSIONS);
    for seed in 0..EXACT_MAX as u64 + 1 {
        vectors.push(Some(&Quantised::of(&noise(DIMENSIONS, seed))));
    }
    let centred_at = |vectors: &Vectors| vectors.signs.as_ref().map(|signs| signs.centred_at);
    assert_eq!(centred_at(&vectors), Some(EXACT_MAX + 1));
    let before = vectors.len();
    for number in 0..8 * EXACT_MAX as u64 {
        vectors.push(Some(&sentence(number)));
        if vectors.len() == before * 4 {
            let probes = questions(&vectors, vectors.len() - before);
            let recall = recall(&vectors, &all(&vectors), &probes);
            assert!(recall >= 0.98, "{recall} before the new centre");
        }
    }
    assert_eq!(centred_at(&vectors), Some(8 * before));
    let probes = questions(&vectors, vectors.len() - before);
    let recall = recall(&vectors, &all(&vectors), &probes);
    assert!(recall >= 0.98, "{recall} after the new centre");
}

#[test]
fn parts_come_back_and_other_parts_are_refused() {
    let mut vectors = sentences(0..EXACT_MAX as u64 + 500);
    vectors.set(7, None);
    vectors.push(None);
    let (codes, scales) = vectors.as_parts();
    let (codes, scales) = (codes.to_vec(), scales.to_vec());
    let again = Vectors::from_parts(DIMENSIONS, codes.clone(), scales.clone()).unwrap();
    assert_eq!(again.as_parts(), vectors.as_parts());
    assert_eq!((again.len(), again.present_count), (vectors.len(), vectors.len() - 2));
    assert_eq!(again.present, vectors.present);
    let allowed = all(&vectors);
    for probe in questions(&vectors, 1_000) {
        assert_eq!(again.cosine(&probe, 7), None);
        assert_eq!(
            again.nearest_exact(&probe, &allowed, K),
            vectors.nearest_exact(&probe, &allowed, K)
        );
    }
    assert!(recall(&again, &allowed, &questions(&again, 1_000)) >= 0.98);
    assert!(again.signs.is_none(), "the first question does not wait for signs");

    let refused = |dimensions, codes: &[i8], scales: &[f32]| {
        Vectors::from_parts(dimensions, codes.to_vec(), scales.to_vec()).is_none()
    };
    assert!(refused(DIMENSIONS, &codes[1..], &scales) && refused(DIMENSIONS, &codes, &scales[1..]));
    assert!(refused(DIMENSIONS + 1, &codes, &scales) && refused(usize::MAX, &codes, &scales));
    for scale in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(refused(2, &[1, 1], &[scale]), "{scale}");
    }
    assert!(Vectors::from_parts(DIMENSIONS, Vec::new(), Vec::new()).unwrap().is_empty());
}

#[test]
fn vectors_of_every_length_are_found() {
    for dimensions in [1, 2, 63, 64, 100, 384, 768, 1_000, 1_536] {
        let mut vectors = Vectors::new(dimensions);
        // A few directions with noise around them, which is what texts look like.
        let vector = |seed: u64| {
            let (near, own) = (noise(dimensions, seed % 300), noise(dimensions, !seed));
            let sum = near.as_slice().iter().zip(own.as_slice()).map(|(a, b)| a + 0.7 * b);
            Embedding::towards(sum.collect::<Vec<f32>>())
        };
        for seed in 0..EXACT_MAX as u64 + 700 {
            vectors.push(vector(seed).map(|vector| Quantised::of(&vector)).as_ref());
        }
        assert_eq!(vectors.signs.is_some(), dimensions >= 64);
        let probes: Vec<Probe> =
            (1 << 20..(1 << 20) + 10).filter_map(|at| vectors.probe(&vector(at)?)).collect();
        let recall = recall(&vectors, &all(&vectors), &probes);
        assert!(recall >= 0.98, "{recall} with {dimensions} dimensions");
    }
}

#[test]
fn equal_vectors_are_found_from_the_lowest_slot_on() {
    let mut vectors = Vectors::new(DIMENSIONS);
    for _ in 0..3 * EXACT_MAX {
        vectors.push(Some(&sentence(1)));
    }
    let probe = vectors.probe(&embedded(&SENTENCES.sentence(1))).unwrap();
    let allowed = Bits::filled(vectors.len(), |slot| slot % 2 == 1);
    for found in [vectors.nearest(&probe, &allowed, 4), vectors.nearest_exact(&probe, &allowed, 4)]
    {
        assert_eq!(found.iter().map(|found| found.0).collect::<Vec<_>>(), [1, 3, 5, 7]);
        assert!(found.iter().all(|found| found.1 > 0.9999));
    }
}

#[test]
fn what_is_not_there_is_not_found() {
    let mut vectors = Vectors::new(DIMENSIONS);
    let probe = vectors.probe(&embedded("a question")).unwrap();
    assert!(vectors.nearest(&probe, &Bits::none(0), K).is_empty() && vectors.is_empty());
    assert!(vectors.nearest(&probe, &Bits::filled(500, |_| true), K).is_empty());
    assert_eq!(vectors.probe(&noise(100, 1)), None);

    // Slots without a vector, among them one of other dimensions and one that is not a vector.
    let broken = Quantised { scale: f32::NAN, codes: sentence(1).codes };
    for vector in [None, Some(Quantised::of(&noise(100, 1))), Some(broken)] {
        vectors.push(vector.as_ref());
    }
    assert_eq!((vectors.len(), vectors.present_count), (3, 0));
    let everything = Bits::filled(500, |_| true);
    assert!(vectors.nearest(&probe, &everything, K).is_empty());
    assert!(vectors.nearest_exact(&probe, &everything, K).is_empty());
    assert_eq!((vectors.cosine(&probe, 0), vectors.cosine(&probe, 99)), (None, None));

    assert_eq!(vectors.push(Some(&sentence(1))), 3);
    vectors.set(99, Some(&sentence(2)));
    assert_eq!(vectors.len(), 4);
    assert_eq!(vectors.nearest(&probe, &everything, usize::MAX).len(), 1);
    assert!(vectors.nearest(&probe, &everything, 0).is_empty());
    assert!(vectors.nearest(&probe, &Bits::filled(3, |_| true), K).is_empty());
}

#[test]
fn a_small_store_has_no_signs_and_more_wanted_than_there_are_is_everything() {
    let vectors = sentences(0..EXACT_MAX as u64);
    assert!(vectors.signs.is_none());
    assert!(vectors.bytes() >= EXACT_MAX * (DIMENSIONS + 4));
    let vectors = sentences(0..EXACT_MAX as u64 + 1);
    assert!(vectors.signs.is_some());
    let probe = &questions(&vectors, EXACT_MAX)[0];
    for k in [0, 1, vectors.len() - 1, vectors.len(), vectors.len() + 1, usize::MAX] {
        let found = vectors.nearest(probe, &all(&vectors), k);
        assert_eq!(found.len(), k.min(vectors.len()));
        assert_eq!(found.is_empty(), k == 0);
    }
}

/// A change: the slot, as a part of those there are, and the sentence it gets or none.
fn changes() -> impl Strategy<Value = Vec<(f64, Option<u64>)>> {
    let sentence = prop_oneof![3 => (0_u64..9_999).prop_map(Some), 1 => Just(None)];
    proptest::collection::vec((0.0_f64..1.2, sentence), 0..400)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_changes_give_what_a_fresh_build_gives(
        start in prop_oneof![Just(0), Just(EXACT_MAX - 100), Just(EXACT_MAX + 100)],
        changes in changes(),
    ) {
        // Where a slot would lie behind the last one, one is added.
        let mut vectors = sentences(0..start as u64);
        let mut expected: Vec<Option<u64>> = (0..start as u64).map(Some).collect();
        for (part, number) in changes {
            let slot = (part * expected.len() as f64) as usize;
            let vector = number.map(sentence);
            if slot < expected.len() {
                vectors.set(slot, vector.as_ref());
                expected[slot] = number;
            } else {
                prop_assert_eq!(vectors.push(vector.as_ref()), expected.len());
                expected.push(number);
            }
        }
        let mut fresh = Vectors::new(DIMENSIONS);
        for number in &expected {
            fresh.push(number.map(sentence).as_ref());
        }
        prop_assert_eq!(fresh.as_parts(), vectors.as_parts());
        prop_assert_eq!(&fresh.present, &vectors.present);
        prop_assert_eq!(fresh.present_count, vectors.present_count);
        let probes = &questions(&vectors, 1_000)[..8];
        let allowed = some(&vectors, 98);
        for probe in probes {
            let exact = vectors.nearest_exact(probe, &allowed, K);
            prop_assert_eq!(fresh.nearest_exact(probe, &allowed, K), exact);
        }
        prop_assert!(recall(&vectors, &allowed, probes) >= 0.95);
        prop_assert!(recall(&fresh, &allowed, probes) >= 0.95);
    }
}
