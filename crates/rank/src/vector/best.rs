//! The best few of many that come by one after the other.

/// Keeps the `k` best; of equals the one with the lower slot.
pub(super) struct Best {
    k: usize,
    kept: Vec<(u32, f32)>,
    /// What is not above this cannot be among the best any more.
    floor: f32,
}

impl Best {
    pub(super) fn new(k: usize) -> Best {
        Best { k, kept: Vec::new(), floor: f32::NEG_INFINITY }
    }

    /// Takes one. Slots come in ascending order, so one that is only as good as the floor is out.
    #[inline(always)]
    pub(super) fn offer(&mut self, slot: u32, score: f32) {
        if score > self.floor {
            self.keep(slot, score);
        }
    }

    #[inline(never)]
    fn keep(&mut self, slot: u32, score: f32) {
        self.kept.push((slot, score));
        if self.kept.len() >= self.k.saturating_mul(2).saturating_add(64) {
            self.shrink();
        }
    }

    /// Throws away all but the best, in no order.
    fn shrink(&mut self) {
        if self.k == 0 {
            self.kept.clear();
            self.floor = f32::INFINITY;
        } else if self.kept.len() > self.k {
            let (_, last, _) = self.kept.select_nth_unstable_by(self.k - 1, better);
            self.floor = last.1;
            self.kept.truncate(self.k);
        }
    }

    /// What was kept, the best first.
    pub(super) fn into_sorted(mut self) -> Vec<(u32, f32)> {
        self.shrink();
        self.kept.sort_unstable_by(better);
        self.kept
    }
}

fn better(a: &(u32, f32), b: &(u32, f32)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_are_those_of_sorting_all(
            scores in proptest::collection::vec(-3_i8..3, 0..300),
            k in 0_usize..20,
        ) {
            let all = || scores.iter().zip(0..).map(|(score, slot)| (slot, f32::from(*score)));
            let mut best = Best::new(k);
            all().for_each(|(slot, score)| best.offer(slot, score));
            let mut expected: Vec<(u32, f32)> = all().collect();
            expected.sort_by(better);
            expected.truncate(k);
            prop_assert_eq!(best.into_sorted(), expected);
        }
    }
}
