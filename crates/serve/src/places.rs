//! Places for calls at work, taken in turn by those who wait.
//!
//! A place that becomes free goes to the next caller that waits, one call each before anyone's second:
//! who sends sixty calls at once waits for fifty-nine of them itself, and not who sends four.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::oneshot;

/// Who calls, as far as turns go.
pub(crate) type Tenant = Arc<str>;

/// So many calls that nobody waits for any more are kept in a queue before it is tidied.
const GONE_MAX: usize = 64;

/// A number of places.
pub(crate) struct Places {
    max: usize,
    waiting_max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    taken: usize,
    waiting: usize,
    /// How many queues there have ever been.
    made: u64,
    queues: HashMap<Tenant, Queue>,
    /// The tenants that have a queue, in the order of their turns.
    turns: VecDeque<Tenant>,
}

/// The calls of one tenant that wait.
struct Queue {
    /// Which of all queues this is: a tenant whose queue was emptied gets a new one.
    number: u64,
    calls: VecDeque<oneshot::Sender<Place>>,
    /// How many of them are still waited for.
    waiting: usize,
}

/// How many calls work and wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Load {
    pub(crate) running: usize,
    pub(crate) waiting: usize,
}

impl Places {
    /// So many places, and room for so many calls that wait.
    pub(crate) fn new(max: usize, waiting_max: usize) -> Arc<Self> {
        Arc::new(Self { max, waiting_max, state: Mutex::default() })
    }

    /// How many work and wait now.
    pub(crate) fn load(&self) -> Load {
        let state = self.state();
        Load { running: state.taken, waiting: state.waiting }
    }

    /// A place, or a turn; `None` if too many of this tenant wait already. The room is shared by those
    /// who wait, so that nobody can fill it for all.
    pub(crate) fn ask(self: &Arc<Self>, tenant: &Tenant) -> Option<Asked> {
        let mut state = self.state();
        if state.taken < self.max {
            state.taken += 1;
            return Some(Asked::Place(Place(Some(Arc::clone(self)))));
        }
        let own = state.queues.get(tenant).map_or(0, |queue| queue.waiting);
        let others = state.queues.len() - usize::from(state.queues.contains_key(tenant));
        if own >= self.waiting_max / (others + 1) {
            return None;
        }
        let (give, given) = oneshot::channel();
        let queue = state.queue(tenant);
        queue.calls.push_back(give);
        queue.waiting += 1;
        let queue = queue.number;
        state.waiting += 1;
        let (places, tenant) = (Arc::clone(self), Arc::clone(tenant));
        Some(Asked::Turn(Turn { given, waits: Waits { places, tenant, queue, is_over: false } }))
    }

    /// Gives a place that became free to who is next.
    fn give_on(self: &Arc<Self>) {
        loop {
            let next = {
                let mut state = self.state();
                let next = state.next();
                state.taken -= usize::from(next.is_none());
                next
            };
            let Some(call) = next else { return };
            match call.send(Place(Some(Arc::clone(self)))) {
                Ok(()) => return,
                // Nobody waits for it any more: the next one has it.
                Err(mut place) => place.0 = None,
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl State {
    /// The queue of a tenant, with a turn of its own if it is new.
    fn queue(&mut self, tenant: &Tenant) -> &mut Queue {
        let Self { queues, turns, made, .. } = self;
        queues.entry(Arc::clone(tenant)).or_insert_with(|| {
            turns.push_back(Arc::clone(tenant));
            *made += 1;
            Queue { number: *made, calls: VecDeque::new(), waiting: 0 }
        })
    }

    /// The oldest call of the tenant whose turn it is.
    fn next(&mut self) -> Option<oneshot::Sender<Place>> {
        while let Some(tenant) = self.turns.pop_front() {
            let Some(queue) = self.queues.get_mut(&tenant) else { continue };
            let call = queue.calls.pop_front();
            match queue.calls.is_empty() {
                true => drop(self.queues.remove(&tenant)),
                false => self.turns.push_back(tenant),
            }
            if call.is_some() {
                return call;
            }
        }
        None
    }

    /// Notes that a call of this queue waits no more. The tenant may have another queue by now.
    fn leave(&mut self, tenant: &Tenant, queue: u64) {
        self.waiting -= 1;
        let queue = self.queues.get_mut(tenant).filter(|now| now.number == queue);
        let Some(queue) = queue else { return };
        queue.waiting = queue.waiting.saturating_sub(1);
        if queue.calls.len() > 2 * queue.waiting + GONE_MAX {
            queue.calls.retain(|call| !call.is_closed());
        }
    }
}

/// What who asked for a place got.
pub(crate) enum Asked {
    /// A place.
    Place(Place),
    /// A turn to wait for.
    Turn(Turn),
}

/// A place; it goes on to the next when it is dropped.
pub(crate) struct Place(Option<Arc<Places>>);

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(places) = self.0.take() {
            places.give_on();
        }
    }
}

/// A place that several hold on to until one of them gives it back.
#[derive(Clone)]
pub(crate) struct Seat(Arc<Mutex<Option<Place>>>);

impl Seat {
    pub(crate) fn new(place: Place) -> Self {
        Self(Arc::new(Mutex::new(Some(place))))
    }

    /// Gives the place back, if nobody has.
    pub(crate) fn leave(&self) {
        let place = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        drop(place);
    }
}

/// What has a seat until it is dropped.
pub(crate) struct Seated(pub(crate) Seat);

impl Drop for Seated {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// A call that waits for its turn.
pub(crate) struct Turn {
    given: oneshot::Receiver<Place>,
    waits: Waits,
}

impl Turn {
    /// Waits for the place.
    pub(crate) async fn place(mut self) -> Option<Place> {
        let place = (&mut self.given).await.ok();
        self.waits.end();
        place
    }
}

/// Counts a call as waiting.
struct Waits {
    places: Arc<Places>,
    tenant: Tenant,
    queue: u64,
    is_over: bool,
}

impl Waits {
    fn end(&mut self) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.places.state().leave(&self.tenant, self.queue);
        }
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant(name: &str) -> Tenant {
        name.into()
    }

    fn turn(places: &Arc<Places>, of: &str) -> Turn {
        match places.ask(&tenant(of)) {
            Some(Asked::Turn(turn)) => turn,
            Some(Asked::Place(_)) => panic!("a place was free"),
            None => panic!("it was refused"),
        }
    }

    fn place(places: &Arc<Places>) -> Place {
        match places.ask(&tenant("first")) {
            Some(Asked::Place(place)) => place,
            _ => panic!("no place was free"),
        }
    }

    #[tokio::test]
    async fn who_sends_sixty_does_not_hold_up_who_sends_four() {
        let places = Places::new(1, 100);
        let held = place(&places);
        let many: Vec<_> = (0..60).map(|n| (format!("many {n}"), turn(&places, "many"))).collect();
        let few: Vec<_> = (0..4).map(|n| (format!("few {n}"), turn(&places, "few"))).collect();
        assert_eq!(places.load(), Load { running: 1, waiting: 64 });
        let served = Arc::new(Mutex::new(Vec::new()));
        let waiting: Vec<_> = many
            .into_iter()
            .chain(few)
            .map(|(name, turn)| {
                let served = Arc::clone(&served);
                tokio::spawn(async move {
                    let _place = turn.place().await.unwrap();
                    served.lock().unwrap().push(name);
                })
            })
            .collect();
        drop(held);
        for call in waiting {
            call.await.unwrap();
        }
        let served = served.lock().unwrap();
        let last = served.iter().position(|name| name == "few 3").unwrap();
        assert!(last < 8, "{served:?}");
        let own: Vec<_> = served.iter().filter(|name| name.starts_with("many")).collect();
        assert!((0..60).all(|n| *own[n] == format!("many {n}")), "the oldest first");
        assert_eq!(places.load(), Load::default());
    }

    #[test]
    fn the_room_to_wait_is_shared() {
        let places = Places::new(1, 8);
        let _held = place(&places);
        let many: Vec<_> = (0..8).map(|_| turn(&places, "many")).collect();
        assert!(places.ask(&tenant("many")).is_none());
        let few: Vec<_> = (0..4).map(|_| turn(&places, "few")).collect();
        assert!(places.ask(&tenant("few")).is_none(), "half of it is its share");
        drop(few);
        drop(many);
        assert_eq!(places.load(), Load { running: 1, waiting: 0 });
        drop(turn(&places, "many"));
    }

    #[tokio::test]
    async fn who_leaves_an_old_queue_does_not_count_in_the_new_one() {
        let places = Places::new(1, 4);
        let held = place(&places);
        let first = turn(&places, "a");
        // Its place is on the way to it, and its queue is gone.
        drop(held);
        let waiting: Vec<_> = (0..4).map(|_| turn(&places, "a")).collect();
        drop(first.place().await.unwrap());
        assert_eq!(places.load().waiting, 4, "the place is on the way to the next");
        drop(waiting);
        assert_eq!(places.load(), Load::default());
        let _held = place(&places);
        let first = turn(&places, "a");
        let given = places.state().next().unwrap();
        let waiting: Vec<_> = (0..4).map(|_| turn(&places, "a")).collect();
        drop((given, first));
        assert!(places.ask(&tenant("a")).is_none(), "four wait, and there is room for no more");
        drop(waiting);
    }

    #[test]
    fn a_seat_is_given_back_once() {
        let places = Places::new(1, 4);
        let seat = Seat::new(place(&places));
        let other = seat.clone();
        other.leave();
        let _next = place(&places);
        seat.leave();
        drop(seat);
        assert_eq!(places.load().running, 1, "the place is another's by now");
    }

    #[tokio::test]
    async fn a_place_passes_by_who_left() {
        let places = Places::new(1, 1_000);
        let held = place(&places);
        let gone: Vec<_> = (0..900).map(|_| turn(&places, "a")).collect();
        drop(gone);
        assert!(places.state().queues[&tenant("a")].calls.len() <= 2 * GONE_MAX, "tidied");
        let waits = turn(&places, "a");
        drop(held);
        let given = waits.place().await.unwrap();
        assert_eq!(places.load(), Load { running: 1, waiting: 0 });
        let left = turn(&places, "b");
        drop(given);
        drop(left);
        assert_eq!(places.load().running, 0, "a place given to who left is free again");
    }
}
