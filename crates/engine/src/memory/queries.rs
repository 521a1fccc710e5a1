//! What the caller asked of late: noted beside the search, so that a change of model can be tried on
//! it.
//!
//! A write for each search would cost every process its cached pages and stand in the way of those
//! that write something that matters. The notes are therefore gathered in memory and handed to the
//! store many at once, without waiting; a crash may cost the latest of them.

use std::sync::{Mutex, PoisonError};

use model::{Caller, Change, Layer, NotedQuery, Op, Timestamp};
use store::Store;

use crate::{Engine, Result, secrets};

/// No more characters of a query are kept.
const QUERY_CHARS_MAX: usize = 500;

/// So many searches are noted together.
const SEARCHES_MAX: u64 = 64;

/// A note is handed over by the next search after so many seconds.
const WAIT_SECONDS_MAX: i64 = 60;

/// What was asked and is not in the store yet.
#[derive(Debug, Default)]
pub(crate) struct Notes(Mutex<Gathered>);

#[derive(Debug, Default)]
struct Gathered {
    queries: Vec<NotedQuery>,
    /// How many searches that were, and since when.
    searches: u64,
    since: Timestamp,
}

impl Notes {
    fn add(&self, store: &Store, query: NotedQuery) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(store, query);
    }

    /// Hands over what there is.
    pub(crate) fn hand_in(&self, store: &Store) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).hand_in(store);
    }
}

impl Gathered {
    fn add(&mut self, store: &Store, query: NotedQuery) {
        let now = query.at;
        if self.searches == 0 {
            self.since = now;
        }
        self.searches += 1;
        let is_same =
            |known: &&mut NotedQuery| known.text == query.text && known.scope == query.scope;
        match self.queries.iter_mut().find(is_same) {
            Some(known) => (known.at, known.times) = (now, known.times + 1),
            None => self.queries.push(query),
        }
        let seconds = now.as_second() - self.since.as_second();
        if self.searches >= SEARCHES_MAX || seconds >= WAIT_SECONDS_MAX {
            self.hand_in(store);
        }
    }

    fn hand_in(&mut self, store: &Store) {
        let Self { queries, .. } = std::mem::take(self);
        if !queries.is_empty() {
            // A query that cannot be noted (the disk is full) was still answered.
            let _ = store.hand_in(Change::of(Op::NoteQueries(queries)));
        }
    }
}

/// Notes that the caller asked this. What belongs to no user is not noted.
pub(crate) fn note(engine: &Engine, caller: &Caller, text: &str) {
    let text = text.trim();
    if !engine.keeps_queries || engine.read_only || text.is_empty() {
        return;
    }
    let Some(scope) = caller.identity.scope(Layer::User) else { return };
    // Before it is cut: half a secret is not recognised.
    let mut text = text.to_owned();
    secrets::take(engine.secrets, &mut text);
    let text = text.chars().take(QUERY_CHARS_MAX).collect();
    let at = engine.clock.now();
    engine.notes.add(&engine.store, NotedQuery { scope, text, at, times: 1 });
}

/// What the caller asked of late, the latest first: of all processes, as far as they handed it over.
pub fn queries(engine: &Engine, caller: &Caller) -> Result<Vec<NotedQuery>> {
    let Some(scope) = caller.identity.scope(Layer::User) else { return Ok(Vec::new()) };
    Ok(engine.store.queries(&scope)?)
}
