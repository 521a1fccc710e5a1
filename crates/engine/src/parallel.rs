//! Work on every core.

use std::num::NonZero;

/// So little is not worth a thread.
const ALONE_MAX: usize = 64;

/// How many threads can work at once.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// What `make` makes of each, in order; on every core where they are many.
pub(crate) fn map<T: Sync, U: Send>(items: &[T], make: impl Fn(&T) -> U + Sync) -> Vec<U> {
    if items.len() < ALONE_MAX {
        return items.iter().map(make).collect();
    }
    let make = &make;
    std::thread::scope(|scope| {
        let parts = items.chunks(items.len().div_ceil(cores()));
        let work = |part| scope.spawn(move || <[T]>::iter(part).map(make).collect::<Vec<U>>());
        let threads: Vec<_> = parts.map(work).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<U>>| match thread.join() {
            Ok(made) => made,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().flat_map(join).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_keeps_its_order() {
        for count in [0, 1, 63, 64, 1_000] {
            let numbers: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = numbers.iter().map(|number| number * 2).collect();
            assert_eq!(map(&numbers, |number| number * 2), doubled);
        }
    }
}
