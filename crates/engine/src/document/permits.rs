//! How much of files is in memory at once, whoever asked for it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::ports::Room;

/// So many bytes of files are in memory at once, or one larger file alone. A file takes about four
/// times its size until it is stored.
const SHARED_BYTES_MAX: u64 = 32 << 20;

/// A larger file is read alone, because the processes that share the memory could not hold it.
const FILE_SHARED_BYTES_MAX: u64 = 8 << 20;

/// The right to have files in memory, handed out in the order in which it is asked for.
#[derive(Debug, Default)]
pub(crate) struct Permits {
    queue: Mutex<Queue>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    used: u64,
    /// The number of who comes next, and of whose turn it is.
    next: u64,
    turn: u64,
}

/// Leave to have one file in memory. One thread has no two of them.
#[derive(Debug)]
pub(crate) struct Permit<'a> {
    permits: &'a Permits,
    bytes: u64,
}

impl Permits {
    /// Waits until a file of so many bytes may be read.
    pub(crate) fn acquire(&self, file_bytes: u64) -> Permit<'_> {
        let is_alone = file_bytes > FILE_SHARED_BYTES_MAX;
        let bytes = if is_alone { SHARED_BYTES_MAX } else { file_bytes };
        self.wait(bytes);
        Permit { permits: self, bytes }
    }

    fn wait(&self, bytes: u64) {
        let mut queue = self.lock();
        let mine = queue.next;
        queue.next += 1;
        let must_wait =
            |queue: &mut Queue| queue.turn != mine || queue.used + bytes > SHARED_BYTES_MAX;
        let waited = self.moved.wait_while(queue, must_wait);
        queue = waited.unwrap_or_else(PoisonError::into_inner);
        queue.turn += 1;
        queue.used += bytes;
        self.moved.notify_all();
    }

    fn give_back(&self, bytes: u64) {
        self.lock().used -= bytes;
        self.moved.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// What a parser of the file may take.
    pub(super) fn room(&self) -> Room {
        if self.bytes == SHARED_BYTES_MAX { Room::Alone } else { Room::Shared }
    }

    /// Waits until no other file is in memory.
    pub(super) fn wait_to_be_alone(&mut self) {
        let shared = std::mem::take(&mut self.bytes);
        self.permits.give_back(shared);
        self.permits.wait(SHARED_BYTES_MAX);
        self.bytes = SHARED_BYTES_MAX;
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.permits.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn no_more_is_in_memory_than_may_be_and_everybody_comes_in() {
        let (permits, used) = (Permits::default(), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for thread in 0..8_u64 {
                let (permits, used) = (&permits, &used);
                scope.spawn(move || {
                    for turn in 0..100 {
                        let mut permit = permits.acquire((thread * 1_000 + turn) << 14);
                        if (thread + turn) % 5 == 0 {
                            permit.wait_to_be_alone();
                            assert_eq!(permit.room(), Room::Alone);
                        }
                        let now = used.fetch_add(permit.bytes, Ordering::SeqCst) + permit.bytes;
                        assert!(now <= SHARED_BYTES_MAX, "{now}");
                        used.fetch_sub(permit.bytes, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(permits.lock().used, 0);
    }

    #[test]
    fn a_large_file_is_alone() {
        let permits = Permits::default();
        assert_eq!(permits.acquire(FILE_SHARED_BYTES_MAX).room(), Room::Shared);
        assert_eq!(permits.acquire(FILE_SHARED_BYTES_MAX + 1).room(), Room::Alone);
    }
}
