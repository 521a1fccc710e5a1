//! Work on every core.

use std::sync::atomic::{AtomicUsize, Ordering};

/// So many threads are worth it for `count` pieces of work, `each` of which is worth a thread.
pub(crate) fn threads(count: usize, each: usize) -> usize {
    let wanted = count / each.max(1);
    // To ask for the cores reads files of the system's, which is not worth it for little.
    if wanted <= 1 {
        return 1;
    }
    std::thread::available_parallelism().map_or(1, usize::from).min(wanted)
}

/// Runs `work` on so many threads. Each is handed a way to take the number of its next piece, below
/// `count`, that no other gets.
pub(crate) fn run<T: Send>(
    threads: usize,
    count: usize,
    work: impl Fn(&mut dyn FnMut() -> Option<usize>) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let run =
        || work(&mut || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|piece| *piece < count));
    if threads <= 1 {
        return vec![run()];
    }
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        let join = |handle: std::thread::ScopedJoinHandle<'_, T>| match handle.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        handles.into_iter().map(join).collect()
    })
}

/// What `make` makes of each, in order.
pub(crate) fn map<T: Sync, U: Send>(
    items: &[T],
    each: usize,
    make: impl Fn(&T) -> U + Sync,
) -> Vec<U> {
    let parts = run(threads(items.len(), each), items.len(), |next| {
        let mut made = Vec::new();
        while let Some(at) = next() {
            made.push((at, make(&items[at])));
        }
        made
    });
    let mut made: Vec<(usize, U)> = parts.into_iter().flatten().collect();
    made.sort_unstable_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_done_once_and_in_order() {
        let items: Vec<usize> = (0..1_000).collect();
        assert_eq!(map(&items, 1, |n| n * 2), items.iter().map(|n| n * 2).collect::<Vec<_>>());
        assert!(map(&[] as &[usize], 1, |n| *n).is_empty());
    }
}
