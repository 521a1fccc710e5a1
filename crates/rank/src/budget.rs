//! As many items as a budget of tokens holds, in the order they are given.
//!
//! Order is worth more than a full budget: nothing is rearranged to fill a gap. What does not fit is
//! left out, and a later one that fits is still taken.

/// What fitted into a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed<T> {
    /// Those that fitted, in the order they were given.
    pub taken: Vec<T>,
    /// How many tokens they need together; never more than the budget.
    pub used: usize,
    /// How many did not fit.
    pub skipped: usize,
}

/// Takes each of `items` that still fits into `budget`, by what `tokens` says it needs.
///
/// ```
/// let packed = rank::budget::pack([5, 9, 3], |size| *size, 10);
/// assert_eq!((packed.taken, packed.used, packed.skipped), (vec![5, 3], 8, 1));
/// ```
pub fn pack<T>(
    items: impl IntoIterator<Item = T>,
    tokens: impl Fn(&T) -> usize,
    budget: usize,
) -> Packed<T> {
    pack_bounded(items, |_| 0, tokens, budget)
}

/// As [`pack`], but asks `tokens` only for an item that may fit by `least`, which says what it needs at
/// the least and costs less to ask ([`crate::tokens::at_least`]).
pub fn pack_bounded<T>(
    items: impl IntoIterator<Item = T>,
    least: impl Fn(&T) -> usize,
    tokens: impl Fn(&T) -> usize,
    budget: usize,
) -> Packed<T> {
    let mut packed = Packed { taken: Vec::new(), used: 0, skipped: 0 };
    for item in items {
        let left = budget - packed.used;
        let needed = Some(&item).filter(|item| least(item) <= left).map(&tokens);
        match needed.filter(|needed| *needed <= left) {
            Some(needed) => {
                packed.used += needed;
                packed.taken.push(item);
            }
            None => packed.skipped += 1,
        }
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sizes(sizes: &[usize], budget: usize) -> (Vec<usize>, usize, usize) {
        let packed = pack(sizes.iter().copied(), |size| *size, budget);
        (packed.taken, packed.used, packed.skipped)
    }

    #[test]
    fn what_does_not_fit_is_skipped_and_a_later_one_is_taken() {
        assert_eq!(sizes(&[4, 7, 6, 1], 10), (vec![4, 6], 10, 2));
    }

    #[test]
    fn one_that_fits_exactly_is_taken() {
        assert_eq!(sizes(&[10, 0, 1], 10), (vec![10, 0], 10, 1));
    }

    #[test]
    fn an_empty_budget_takes_only_what_costs_nothing() {
        assert_eq!(sizes(&[1, 0, 2], 0), (vec![0], 0, 2));
        assert_eq!(sizes(&[], 0), (vec![], 0, 0));
    }

    #[test]
    fn the_largest_size_does_not_overflow() {
        assert_eq!(sizes(&[1, usize::MAX, 2], usize::MAX), (vec![1, 2], 3, 1));
    }

    #[test]
    fn what_cannot_fit_is_not_counted() {
        let counted = std::cell::Cell::new(0);
        let count = |size: &usize| {
            counted.set(counted.get() + 1);
            *size
        };
        let packed = pack_bounded([4, 70, 80, 6, 1], |size| size / 2, count, 10);
        assert_eq!((packed.taken, packed.skipped, counted.get()), (vec![4, 6], 3, 3));
    }

    proptest! {
        #[test]
        fn a_bound_changes_nothing_but_the_counting(
            given in proptest::collection::vec(0usize..50, 0..40),
            budget in 0usize..300,
        ) {
            let plain = pack(given.iter().copied(), |size| *size, budget);
            prop_assert_eq!(plain, pack_bounded(given, |size| size / 2, |size| *size, budget));
        }

        #[test]
        fn a_budget_is_never_exceeded_and_nothing_is_lost(
            given in proptest::collection::vec(0usize..50, 0..40),
            budget in 0usize..300,
        ) {
            let (taken, used, skipped) = sizes(&given, budget);
            prop_assert!(used <= budget);
            prop_assert_eq!(used, taken.iter().sum::<usize>());
            prop_assert_eq!(taken.len() + skipped, given.len());
            let mut rest = given.iter();
            prop_assert!(taken.iter().all(|one| rest.any(|other| other == one)), "in order");
        }
    }
}
