//! Connections on which nobody has brought a good token yet. They get little time, and when there is
//! no room they make way for others, the one that was quiet for longest first: so nobody without a
//! token can keep those out who have one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::door::Peer;

/// One connection.
pub(super) struct Guest {
    /// Where it comes from.
    pub(super) peer: Option<Peer>,
    is_known: AtomicBool,
    /// When something last happened on it.
    last: Mutex<Instant>,
    out: CancellationToken,
}

impl Guest {
    fn new(peer: Option<Peer>) -> Self {
        let last = Mutex::new(Instant::now());
        Self { peer, is_known: AtomicBool::new(false), last, out: CancellationToken::new() }
    }

    /// A good token was brought on it.
    pub(super) fn welcome(&self) {
        self.is_known.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_known(&self) -> bool {
        self.is_known.load(Ordering::Relaxed)
    }

    /// Something happens on it.
    pub(super) fn stirs(&self) {
        *self.last.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Instant::now();
    }

    fn last(&self) -> Instant {
        *self.last.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Whether it has to make way.
    pub(super) fn is_out(&self) -> bool {
        self.out.is_cancelled()
    }

    /// Waits until it has to make way.
    pub(super) async fn must_go(&self) {
        self.out.cancelled().await;
    }
}

/// All connections.
#[derive(Default)]
pub(super) struct Guests(Mutex<Book>);

#[derive(Default)]
struct Book {
    next: u64,
    here: BTreeMap<u64, Arc<Guest>>,
}

/// A connection in the book, until it is dropped.
pub(super) struct Arrival {
    guests: Arc<Guests>,
    number: u64,
    pub(super) guest: Arc<Guest>,
}

impl Drop for Arrival {
    fn drop(&mut self) {
        self.guests.book().here.remove(&self.number);
    }
}

impl Guests {
    /// One more connection.
    pub(super) fn arrive(self: &Arc<Self>, peer: Option<Peer>) -> Arrival {
        let guest = Arc::new(Guest::new(peer));
        let mut book = self.book();
        let number = book.next;
        book.next += 1;
        book.here.insert(number, Arc::clone(&guest));
        drop(book);
        Arrival { guests: Arc::clone(self), number, guest }
    }

    /// Sends away the one without a good token that was quiet for longest; whether there is one.
    pub(super) fn make_room(&self) -> bool {
        let book = self.book();
        let strangers =
            book.here.values().filter(|guest| !guest.is_known() && !guest.out.is_cancelled());
        let quietest = strangers.min_by_key(|guest| guest.last());
        quietest.inspect(|guest| guest.out.cancel()).is_some()
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quietest_stranger_makes_way_and_who_is_known_never() {
        let guests = Arc::new(Guests::default());
        let [known, first, second] = [(); 3].map(|()| guests.arrive(None));
        known.guest.welcome();
        first.guest.stirs();
        assert!(guests.make_room());
        assert!(second.guest.out.is_cancelled() && !first.guest.out.is_cancelled());
        assert!(guests.make_room() && first.guest.out.is_cancelled());
        assert!(!guests.make_room(), "who is known stays");
        drop((first, second));
        assert_eq!(guests.book().here.len(), 1);
    }
}
