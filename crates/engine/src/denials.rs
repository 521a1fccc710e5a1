//! Denials, folded: what is refused to one caller for one reason again and again is told once at once,
//! and then as a number, so that nobody can fill the log by asking for what they do not get.
//!
//! Not here: what a denial is, and how it is written.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::audit::{Deed, NewEntry};
use model::{Actor, Timestamp};
use store::Store;

/// Equal denials within this time are one entry and a number.
const WINDOW: Duration = Duration::from_secs(60);

/// How often it is looked whether such a time is over.
const LOOK: Duration = Duration::from_secs(5);

/// Callers and reasons of who was let in that are told apart.
const INSIDE_MAX: usize = 1_024;

/// Reasons of one caller of those that are told apart; beyond, only by the tool.
const INSIDE_OF_ONE_MAX: usize = 32;

/// The same for those who were not let in: strangers bring no name that costs them anything.
const DOOR_MAX: usize = 64;

/// The same for one address.
const DOOR_OF_ONE_MAX: usize = 8;

/// What is told of denials that are not told apart any more.
const OTHERS: &str = "more was refused, for more reasons than are told apart";

/// In whose name that is told of callers that are not told apart any more.
const MANY: &str = "several callers";

/// Who was refused what, and why.
type Key = (String, Option<String>, String);

/// What is known of equal denials.
struct Fold {
    actor: Actor,
    since: Timestamp,
    last: Timestamp,
    /// How many came after the first.
    more: u64,
}

/// Denials of late.
pub(crate) struct Denials {
    folds: Mutex<HashMap<Key, Fold>>,
    keys_max: usize,
    of_one_max: usize,
}

impl Denials {
    /// Those of callers who were let in.
    pub(crate) fn inside() -> Self {
        Self::new(INSIDE_MAX, INSIDE_OF_ONE_MAX)
    }

    /// Those of who was not.
    pub(crate) fn at_the_door() -> Self {
        Self::new(DOOR_MAX, DOOR_OF_ONE_MAX)
    }

    fn new(keys_max: usize, of_one_max: usize) -> Self {
        Self { folds: Mutex::default(), keys_max, of_one_max }
    }

    fn folds(&self) -> MutexGuard<'_, HashMap<Key, Fold>> {
        self.folds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The entry of a denial; none if its like was noted already and it is only counted.
    pub(crate) fn entry(&self, actor: &Actor, why: &str, at: Timestamp) -> Option<NewEntry> {
        let mut folds = self.folds();
        let (actor, why) = self.place(&folds, actor, why);
        let key = (actor.who.clone(), actor.tool.clone(), why.clone());
        if let Some(fold) = folds.get_mut(&key) {
            fold.more += 1;
            fold.last = at;
            return None;
        }
        folds.insert(key, Fold { actor: actor.clone(), since: at, last: at, more: 0 });
        Some(NewEntry { actor, at, deed: Deed::Denied, what: why })
    }

    /// What a denial is counted as: itself, while there are not too many kinds.
    fn place(&self, folds: &HashMap<Key, Fold>, actor: &Actor, why: &str) -> (Actor, String) {
        let known = (actor.who.clone(), actor.tool.clone(), why.to_owned());
        let of_one = || folds.keys().filter(|(who, ..)| *who == actor.who).count();
        let is_full = folds.len() >= self.keys_max;
        if folds.contains_key(&known) || (!is_full && of_one() < self.of_one_max) {
            return (actor.clone(), why.to_owned());
        }
        if !is_full {
            return (actor.clone(), OTHERS.to_owned());
        }
        // One more place for each who is known already, and one for all others.
        let is_known = folds.keys().any(|(who, ..)| *who == actor.who);
        let who = if is_known { actor.who.clone() } else { MANY.to_owned() };
        let actor = Actor::agent_of(who);
        (actor, OTHERS.to_owned())
    }

    /// What was counted whose time is over; the next of its kind is told at once again.
    pub(crate) fn due(&self, now: Timestamp) -> Vec<NewEntry> {
        let is_over = |fold: &Fold| now.duration_since(fold.since).unsigned_abs() >= WINDOW;
        self.taken(is_over)
    }

    /// All that was counted.
    pub(crate) fn all(&self) -> Vec<NewEntry> {
        self.taken(|_| true)
    }

    fn taken(&self, wanted: impl Fn(&Fold) -> bool) -> Vec<NewEntry> {
        let taken = self.folds().extract_if(|_, fold| wanted(fold)).collect::<Vec<_>>();
        let counted = taken.into_iter().filter(|(_, fold)| fold.more > 0);
        let entry = |((_, _, why), Fold { actor, last, more, .. }): (Key, Fold)| {
            let what = format!("× {more} more within a minute: {why}");
            NewEntry { actor, at: last, deed: Deed::Denied, what }
        };
        let mut entries: Vec<NewEntry> = counted.map(entry).collect();
        entries.sort_by_key(|entry| entry.at);
        entries
    }
}

/// The thread that writes what was counted when its time is over; it ends when this is dropped.
pub(crate) struct Teller {
    _end: Sender<()>,
}

impl Teller {
    /// None if the system has no thread to give: then it is written when the next is refused, and at
    /// the end.
    pub(crate) fn start(store: &Arc<Store>, all: &Arc<[Denials; 2]>) -> Option<Self> {
        let (end, ending) = channel();
        // Neither is kept open by who only tells of it.
        let (store, all) = (Arc::downgrade(store), Arc::clone(all));
        let work = move || {
            while let Err(RecvTimeoutError::Timeout) = Receiver::recv_timeout(&ending, LOOK) {
                let Some(store) = store.upgrade() else { return };
                let due = all.iter().flat_map(|denials| denials.due(store::now()));
                due.for_each(|entry| drop(store.note_later(entry)));
            }
        };
        std::thread::Builder::new().name("audit-counts".into()).spawn(work).ok()?;
        Some(Self { _end: end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn told(entries: &[NewEntry]) -> Vec<(&str, &str)> {
        entries.iter().map(|entry| (entry.actor.who.as_str(), entry.what.as_str())).collect()
    }

    #[test]
    fn the_first_is_told_at_once_and_its_like_as_a_number_when_the_minute_is_over() {
        let denials = Denials::inside();
        let eve = Actor::agent_of("eve").calling("memory_add");
        let first = denials.entry(&eve, "no", at(0)).unwrap();
        assert_eq!((first.what.as_str(), first.at), ("no", at(0)));
        assert!((1..=214).all(|second| denials.entry(&eve, "no", at(second / 4)).is_none()));
        assert!(denials.entry(&eve, "not so", at(9)).is_some(), "another reason");
        assert!(denials.entry(&eve.calling("forget"), "no", at(9)).is_some(), "another tool");
        assert!(denials.entry(&Actor::agent_of("bob"), "no", at(9)).is_some(), "another caller");
        assert_eq!(denials.due(at(59)), []);
        let over = denials.due(at(60));
        assert_eq!(told(&over), [("eve", "× 214 more within a minute: no")]);
        assert_eq!(over[0].at, at(53));
        assert!(denials.entry(&eve, "no", at(61)).is_some(), "told at once again");
        assert_eq!(denials.all(), [], "what came once was told");
    }

    #[test]
    fn who_has_ever_new_reasons_and_strangers_without_end_are_counted_together() {
        let denials = Denials::new(10, 3);
        let eve = Actor::agent_of("eve");
        let written = (0..100).filter(|n| denials.entry(&eve, &n.to_string(), at(0)).is_some());
        assert_eq!(written.count(), 4, "three reasons, and one for all others");
        let strangers = (0..1_000).map(|n| Actor::agent_of(format!("10.0.0.{n}")));
        let written = strangers.filter(|who| denials.entry(who, "who?", at(1)).is_some()).count();
        assert_eq!(written, 7, "the places that were left, and one for all others");
        assert!(denials.entry(&eve, "0", at(2)).is_none(), "who was there before is still known");
        let all = denials.all();
        assert!(told(&all).contains(&(MANY, &format!("× 993 more within a minute: {OTHERS}"))));
        assert!(told(&all).contains(&("eve", &format!("× 96 more within a minute: {OTHERS}"))));
    }
}
