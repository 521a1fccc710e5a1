//! Connections, and who makes way when there is no room for one more: of those on which nobody has
//! brought a good token the one that was quiet for longest, or, where one bearer has more connections
//! than there are of those, the quietest of that bearer's on which nothing is being answered. So nobody
//! without a token can keep those out who have one, and nobody with a token everybody else.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::door::Peer;

/// One connection.
pub(super) struct Guest {
    /// Where it comes from.
    pub(super) peer: Option<Peer>,
    state: Mutex<State>,
    out: CancellationToken,
}

#[derive(Clone)]
struct State {
    /// Whose token came with the last request, if it was a good one.
    bearer: Option<Arc<str>>,
    /// Whether a request is being answered.
    is_busy: bool,
    /// When something last happened.
    last: Instant,
}

impl Guest {
    fn new(peer: Option<Peer>) -> Self {
        let state = State { bearer: None, is_busy: false, last: Instant::now() };
        Self { peer, state: Mutex::new(state), out: CancellationToken::new() }
    }

    /// A good token of this bearer was brought on it.
    pub(super) fn welcome(&self, bearer: &str) {
        let mut state = self.state();
        if state.bearer.as_deref() != Some(bearer) {
            state.bearer = Some(bearer.into());
        }
    }

    /// What was brought on it is not good: it is a stranger's, whoever it was before.
    pub(super) fn turn_away(&self) {
        self.state().bearer = None;
    }

    pub(super) fn is_known(&self) -> bool {
        self.state().bearer.is_some()
    }

    /// A request is being answered on it, as long as the mark is there.
    pub(super) fn at_work(self: &Arc<Self>) -> Mark {
        self.set_busy(true);
        Mark(Arc::clone(self))
    }

    pub(super) fn is_busy(&self) -> bool {
        self.state().is_busy
    }

    fn set_busy(&self, is_busy: bool) {
        let mut state = self.state();
        (state.is_busy, state.last) = (is_busy, Instant::now());
    }

    /// Whether it has to make way.
    pub(super) fn is_out(&self) -> bool {
        self.out.is_cancelled()
    }

    /// Waits until it has to make way.
    pub(super) async fn must_go(&self) {
        self.out.cancelled().await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// A request that is being answered.
pub(super) struct Mark(Arc<Guest>);

impl Drop for Mark {
    fn drop(&mut self) {
        self.0.set_busy(false);
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

    /// Sends one away; whether there is one that may be.
    pub(super) fn make_room(&self) -> bool {
        let book = self.book();
        let here = book.here.values().filter(|guest| !guest.is_out());
        let here: Vec<_> = here.map(|guest| (guest, guest.state().clone())).collect();
        let mut counts: HashMap<Option<Arc<str>>, usize> = HashMap::new();
        for (_, state) in &here {
            *counts.entry(state.bearer.clone()).or_default() += 1;
        }
        let strangers = counts.remove(&None).unwrap_or_default();
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        let greedy = most.filter(|(_, count)| *count > strangers).map(|(bearer, _)| bearer);
        let quietest = |bearer: &Option<Arc<str>>| {
            let of_bearer = here.iter().filter(|(_, state)| state.bearer == *bearer);
            // A stranger has nothing to wait for.
            let idle = of_bearer.filter(|(_, state)| !state.is_busy || bearer.is_none());
            idle.min_by_key(|(_, state)| state.last)
        };
        let sent = greedy.and_then(|bearer| quietest(&bearer)).or_else(|| quietest(&None));
        sent.inspect(|(guest, _)| guest.out.cancel()).is_some()
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quietest_stranger_makes_way_and_who_is_known_does_not() {
        let guests = Arc::new(Guests::default());
        let [known, first, second] = [(); 3].map(|()| guests.arrive(None));
        known.guest.welcome("ada");
        drop(first.guest.at_work());
        assert!(guests.make_room());
        assert!(second.guest.is_out() && !first.guest.is_out());
        assert!(guests.make_room() && first.guest.is_out());
        drop((first, second));
        assert_eq!(guests.book().here.len(), 1);
    }

    #[test]
    fn who_has_more_connections_than_all_strangers_gives_up_its_quietest() {
        let guests = Arc::new(Guests::default());
        let of_hog = [(); 4].map(|()| guests.arrive(None));
        of_hog.iter().for_each(|one| one.guest.welcome("hog"));
        let [ada, stranger] = [(); 2].map(|()| guests.arrive(None));
        ada.guest.welcome("ada");
        let _at_work = of_hog[0].guest.at_work();
        drop(of_hog[1].guest.at_work());
        let is_out = || of_hog.each_ref().map(|one| one.guest.is_out());
        assert!(guests.make_room());
        assert_eq!(is_out(), [false, false, true, false], "the quietest that is idle");
        assert!(guests.make_room());
        assert_eq!(is_out(), [false, false, true, true]);
        assert!(guests.make_room());
        assert_eq!(is_out(), [false, true, true, true], "not the one at work");
        assert!(guests.make_room() && stranger.guest.is_out());
        assert!(!ada.guest.is_out(), "who has one keeps it");
    }

    #[test]
    fn who_is_let_in_no_more_is_a_stranger() {
        let guests = Arc::new(Guests::default());
        let [ada, bob] = [(); 2].map(|()| guests.arrive(None));
        ada.guest.welcome("ada");
        bob.guest.welcome("bob");
        bob.guest.turn_away();
        assert!(guests.make_room() && bob.guest.is_out() && !ada.guest.is_out());
    }
}
