//! Keeping the promise of a commit.
//!
//! Whoever wrote waits here until git shows it. In a process that stays, one thread commits: it takes
//! the ledger's lock and holds it as long as there is something to do, for all processes, because they
//! share the queue. So many writers at once cost few writings of objects, and what git needs to know
//! stays in one memory. Nothing is synced to disk on the way, because the queue in the database is; it
//! is emptied when git lies safe (`settle`), after a pause, after many commits, or at the end.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use ledger::{Held, Ledger};
use model::{Change, Op, RecordId};
use store::{Promised, Store, StoredRecord};

use super::agree::{agree, is_behind};
use super::committer::Committer;
use super::project;
use crate::{Engine, Error, ErrorKind, Result};

/// How often the first of those who wait looks whether another process made the commit, and how often
/// the others see whether they are the first.
const GLANCE_FIRST: Duration = Duration::from_millis(1);
const GLANCE_OTHERS: Duration = Duration::from_millis(25);

/// After this time the promise is kept without anybody waiting for it.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is known of git in this process.
#[derive(Default)]
pub(super) struct Known {
    /// Everything promised up to this number is in git.
    pub(super) delivered: i64,
    /// Whether what the last process left behind was looked at.
    recovered: bool,
    /// Others moved git on: who has an engine must look.
    pub(super) must_look: bool,
    /// Why a commit could not be made.
    pub(super) trouble: Option<Error>,
    /// Who waits for which number.
    waiting: BTreeMap<i64, Thread>,
}

impl Known {
    /// Everything up to this number is in git.
    pub(super) fn deliver(&mut self, number: i64) {
        self.delivered = self.delivered.max(number);
        let rest = self.waiting.split_off(&(self.delivered + 1));
        let done = std::mem::replace(&mut self.waiting, rest);
        done.values().for_each(Thread::unpark);
    }

    /// Somebody must look, and the first of those who wait does.
    pub(super) fn wake_first(&self) {
        if let Some(first) = self.waiting.values().next() {
            first.unpark();
        }
    }
}

/// The way from the queue into git.
pub(crate) struct Delivery {
    shared: Arc<Shared>,
    committer: Mutex<Option<Committer>>,
    /// Whether a thread may be started for it.
    stays: bool,
}

/// What the committer works with, too.
pub(super) struct Shared {
    pub(super) ledger: Ledger,
    pub(super) store: Arc<Store>,
    known: Mutex<Known>,
}

impl Delivery {
    pub(crate) fn new(ledger: Ledger, store: Arc<Store>, stays: bool) -> Self {
        let shared = Arc::new(Shared { ledger, store, known: Mutex::default() });
        Self { shared, committer: Mutex::default(), stays }
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.shared.ledger
    }

    /// Returns when git shows what was promised up to this number. Should git be out of order, the
    /// promise stands, and is kept as soon as it can be.
    pub(super) fn deliver(&self, engine: &Engine, number: i64) {
        let _span = tracing::info_span!(target: crate::TRACE, "ledger.deliver").entered();
        let delivered = if self.stays && self.shared.known().recovered && self.has_committer() {
            self.wait(engine, number)
        } else {
            self.locked(engine, |_, _| Ok(()))
        };
        if let Err(error) = delivered {
            tracing::warn!(%error, "the ledger's commit is still to be made");
        }
    }

    /// Waits until the committer, here or in another process, has made the commit.
    fn wait(&self, engine: &Engine, number: i64) -> Result<()> {
        let began = Instant::now();
        // What was wrong for others may be right by now.
        self.shared.known().trouble = None;
        self.nudge();
        let outcome = loop {
            let mut known = self.shared.known();
            if known.delivered >= number {
                break Ok(());
            }
            if std::mem::take(&mut known.must_look) {
                drop(known);
                break self.locked(engine, |_, _| Ok(()));
            }
            if let Some(trouble) = &known.trouble {
                break Err(trouble.clone());
            }
            known.waiting.insert(number, std::thread::current());
            // The first of those who wait looks for all.
            let is_first = known.waiting.keys().next() == Some(&number);
            drop(known);
            std::thread::park_timeout(if is_first { GLANCE_FIRST } else { GLANCE_OTHERS });
            if is_first && self.shared.known().delivered < number {
                match self.shared.store.delivered() {
                    Ok(delivered) => self.shared.known().deliver(delivered),
                    Err(error) => break Err(error.into()),
                }
            }
            if began.elapsed() > PATIENCE {
                break Err(Error::new(ErrorKind::Timeout, "git does not get to it"));
            }
        };
        let mut known = self.shared.known();
        known.waiting.remove(&number);
        known.wake_first();
        outcome
    }

    /// Brings git and the rows together, if they are not: what was promised is committed, what others
    /// committed is taken in.
    pub(crate) fn recover(&self, engine: &Engine) -> Result<()> {
        let ledger = self.ledger();
        let queue = self.shared.store.queue(true)?;
        // A branch that cannot be read is mended by who takes the lock.
        let head = ledger.head().map(|head| head.map(|head| head.to_string()));
        if queue.drafts.is_empty() && head.is_ok_and(|head| head == queue.head) {
            self.shared.known().recovered = true;
            return Ok(());
        }
        self.locked(engine, |_, _| Ok(()))
    }

    /// Does something while nobody else changes the ledger, when git and the rows agree.
    pub(super) fn locked<T>(
        &self,
        engine: &Engine,
        work: impl FnOnce(&mut Held<'_>, &mut Vec<project::Problem>) -> Result<T>,
    ) -> Result<T> {
        let mut held = self.ledger().lock().map_err(failed)?;
        let mut problems = Vec::new();
        let recovered = self.shared.known().recovered;
        let delivered = agree(engine, &mut held, recovered, &mut problems)?;
        let mut known = self.shared.known();
        known.recovered = true;
        known.deliver(delivered);
        drop(known);
        let done = work(&mut held, &mut problems);
        drop(held);
        self.nudge();
        done
    }

    /// Takes in what a person wrote into a record's file, before anything else is made of it.
    /// The record as it is then; none if there is none.
    pub(super) fn take_in_edits(
        &self,
        engine: &Engine,
        id: RecordId,
    ) -> Result<Option<StoredRecord>> {
        let store = &self.shared.store;
        let same = |stored: &StoredRecord| -> Result<Option<Vec<u8>>> {
            let file = self.ledger().file(&stored.path).map_err(failed)?;
            Ok(file.filter(|file| ledger::blob_id(file) == stored.blob))
        };
        let is_true = |stored: &StoredRecord| same(stored).map(|file| file.is_some());
        let Some(stored) = store.record(id)? else { return Ok(None) };
        if let Some(file) = same(&stored)? {
            let is_anew = super::project::reread(engine, &stored, file)?;
            return if is_anew { Ok(store.record(id)?) } else { Ok(Some(stored)) };
        }
        // Perhaps only a commit is on its way.
        self.locked(engine, |_, _| Ok(()))?;
        match store.record(id)? {
            Some(stored) if !is_true(&stored)? => {
                super::sync::take_in(engine, &stored)?;
                Ok(store.record(id)?)
            }
            found => Ok(found),
        }
    }

    /// Whether a thread commits; it is started if it may be.
    fn has_committer(&self) -> bool {
        let mut committer = self.committer.lock().unwrap_or_else(PoisonError::into_inner);
        if committer.as_ref().is_none_or(Committer::is_gone) && self.stays {
            *committer = Committer::start(Arc::clone(&self.shared));
        }
        committer.is_some()
    }

    /// There is something to commit or to make safe, for who does that.
    fn nudge(&self) {
        if self.has_committer() {
            let committer = self.committer.lock().unwrap_or_else(PoisonError::into_inner);
            committer.as_ref().map(Committer::nudge);
        }
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        let committer = self.committer.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        match committer {
            Some(committer) => committer.end(),
            None => {
                // What cannot be made safe now is by the next process.
                let _ = self.shared.settle();
            }
        }
    }
}

impl Shared {
    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes what was committed safe, and lets go of the promises.
    pub(super) fn settle(&self) -> Result<()> {
        let is_made = |promised: &Promised| promised.committed.is_some();
        if self.store.is_read_only() || !self.store.queue(true)?.drafts.iter().any(is_made) {
            return Ok(());
        }
        let mut held = self.ledger.lock().map_err(failed)?;
        self.settle_held(&mut held)?;
        Ok(())
    }

    /// Makes few packs of many, which takes its time.
    pub(super) fn tidy(&self) {
        if self.ledger.needs_tidying()
            && let Err(error) = self.ledger.tidy()
        {
            tracing::warn!(%error, "the ledger is not tidied");
        }
    }

    pub(super) fn settle_held(&self, held: &mut Held<'_>) -> Result<()> {
        let queue = self.store.queue(true)?;
        held.settle().map_err(failed)?;
        let head = held.head().map_err(failed)?;
        if is_behind(&queue, head) {
            // Somebody ended between a commit and the note of it. Who looks for it looks from what is
            // safe on, so that this must not be beyond it: it would be made twice.
            return Ok(());
        }
        let made = queue.drafts.iter().take_while(|promised| promised.committed.is_some());
        if let (Some(last), Some(head)) = (made.last(), head) {
            let settle = Op::Settle { up_to: last.number, head: head.to_string() };
            self.store.apply(Change::of(settle))?;
        }
        Ok(())
    }
}

/// What git says, as an error of ours.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub(crate) fn failed(error: ledger::LedgerError) -> Error {
    let kind = match () {
        () if error.is_busy() => ErrorKind::Timeout,
        () if error.is_damage() => ErrorKind::Damaged,
        () => ErrorKind::Storage,
    };
    Error::new(kind, format!("the ledger: {error}"))
}

#[cfg(test)]
mod tests {
    use model::{Phase, RecordKind};

    use super::*;
    use crate::Limits;
    use crate::record::{NewRecord, Recorded, record, write_in};
    use crate::testing::{engine, everybody};

    #[test]
    fn a_commit_that_was_not_noted_before_others_settled_is_not_made_twice() {
        let dir = tempfile::tempdir().unwrap();
        let engine = engine(dir.path(), Limits::default()).unwrap();
        let decide = |title: &str, target: &str| {
            let new = NewRecord {
                namespace: write_in(&everybody(), None).unwrap(),
                kind: RecordKind::Decision,
                title: title.to_owned(),
                target: target.to_owned(),
                rationale: format!("Because of {title}."),
                consequences: Vec::new(),
                confidence: 0.8,
                phase: Phase::Pattern,
            };
            let recorded = record(&engine, &everybody(), &new).unwrap();
            assert!(matches!(recorded, Recorded::Created(_)), "{recorded:?}");
        };
        let shared = &engine.delivery.shared;
        decide("The first", "one");
        let head = shared.ledger.head().unwrap().unwrap().to_string();
        decide("The second", "two");
        // As if whoever committed it had been killed before it was noted.
        let queue = shared.store.queue(true).unwrap();
        let second = queue.drafts.last().unwrap().draft.episode;
        let forget = Op::MarkCommitted { commits: vec![(second, None)], head };
        shared.store.apply(Change::of(forget)).unwrap();
        shared.settle().unwrap();
        decide("The third", "three");
        let log = shared.ledger.log(None, 10).unwrap();
        assert_eq!(log.len(), 3, "{log:?}");
    }
}
