//! Keeping the promise of a commit.
//!
//! Whoever wrote waits here until git shows it. All that is promised by then, whoever promised it, is
//! committed together: one commit each, one writing of objects, one new head. Nothing is synced to disk
//! on the way, because the queue in the database is; it is emptied when git lies safe (`settle`), by a
//! thread that waits for a pause, or at the end.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ledger::{CommitId, Held, Ledger};
use model::{Change, EpisodeId, Op, RecordId};
use store::{Promised, Queue, Store};

use super::project;
use crate::{Engine, Error, ErrorKind, Result};

/// So long nothing must happen before what was committed is made safe.
const QUIET: Duration = Duration::from_millis(200);

/// It is made safe after this time even if there is no pause.
const UNSAFE_MAX: Duration = Duration::from_secs(2);

/// How long the end waits for it.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is known of git in this process.
#[derive(Debug, Default)]
struct Known {
    /// Everything promised up to this number is in git.
    delivered: i64,
    /// Whether what the last process left behind was looked at.
    recovered: bool,
}

/// The way from the queue into git.
pub(crate) struct Delivery {
    shared: Arc<Shared>,
    settler: Mutex<Option<Settler>>,
    /// Whether a thread may be started for it.
    stays: bool,
}

struct Shared {
    ledger: Ledger,
    store: Arc<Store>,
    known: Mutex<Known>,
}

impl Delivery {
    pub(crate) fn new(ledger: Ledger, store: Arc<Store>, stays: bool) -> Self {
        let shared = Arc::new(Shared { ledger, store, known: Mutex::default() });
        Self { shared, settler: Mutex::default(), stays }
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.shared.ledger
    }

    /// Returns when git shows what was promised up to this number. Should git be out of order, the
    /// promise stands, and is kept as soon as it can be.
    pub(super) fn deliver(&self, engine: &Engine, number: i64) {
        let mut known = self.shared.known();
        if known.delivered < number
            && let Err(error) = self.held(engine, &mut known, |_, _| Ok(()))
        {
            tracing::warn!(%error, "the ledger's commit is still to be made");
        }
        drop(known);
        self.nudge();
    }

    /// Brings git and the rows together, if they are not: what was promised is committed, what others
    /// committed is taken in.
    pub(crate) fn recover(&self, engine: &Engine) -> Result<()> {
        let ledger = self.ledger();
        let queue = self.shared.store.queue(true)?;
        let head = ledger.head().map_err(failed)?.map(|head| head.to_string());
        if queue.drafts.is_empty() && head == queue.head {
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
        let mut known = self.shared.known();
        let done = self.held(engine, &mut known, work);
        drop(known);
        self.nudge();
        done
    }

    fn held<T>(
        &self,
        engine: &Engine,
        known: &mut Known,
        work: impl FnOnce(&mut Held<'_>, &mut Vec<project::Problem>) -> Result<T>,
    ) -> Result<T> {
        let mut held = self.ledger().lock().map_err(failed)?;
        let mut problems = Vec::new();
        known.delivered = agree(engine, &mut held, known, &mut problems)?;
        known.recovered = true;
        work(&mut held, &mut problems)
    }

    /// Takes in what a person wrote into a record's file, before anything else is made of it.
    pub(super) fn take_in_edits(&self, engine: &Engine, id: RecordId) -> Result<()> {
        let store = &self.shared.store;
        let is_true = |stored: &store::StoredRecord| -> Result<bool> {
            let file = self.ledger().file(&stored.path).map_err(failed)?;
            Ok(file.is_some_and(|file| ledger::blob_id(&file) == stored.blob))
        };
        let Some(stored) = store.record(id)? else { return Ok(()) };
        if is_true(&stored)? {
            return Ok(());
        }
        // Perhaps only a commit is on its way.
        self.locked(engine, |_, _| Ok(()))?;
        match store.record(id)? {
            Some(stored) if !is_true(&stored)? => super::sync::take_in(engine, &stored),
            _ => Ok(()),
        }
    }

    /// Something was committed: it is to be made safe.
    fn nudge(&self) {
        let mut settler = self.settler.lock().unwrap_or_else(PoisonError::into_inner);
        if settler.is_none() && self.stays {
            *settler = Settler::start(Arc::clone(&self.shared));
        }
        if let Some(settler) = &*settler {
            settler.nudge();
        }
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        let settler = self.settler.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        match settler {
            Some(settler) => settler.end(),
            None => {
                // What cannot be made safe now is by the next process.
                let _ = self.shared.settle();
            }
        }
    }
}

impl Shared {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes what was committed safe, and lets go of the promises.
    fn settle(&self) -> Result<()> {
        let queue = self.store.queue(true)?;
        let made = |promised: &&Promised| promised.committed.is_some();
        if self.store.is_read_only() || !queue.drafts.iter().any(|promised| made(&promised)) {
            return Ok(());
        }
        let _known = self.known();
        let mut held = self.ledger.lock().map_err(failed)?;
        let queue = self.store.queue(true)?;
        held.settle().map_err(failed)?;
        let head = held.head().map_err(failed)?;
        let last = queue.drafts.iter().take_while(made).last();
        if let (Some(last), Some(head)) = (last, head) {
            let settle = Op::Settle { up_to: last.number, head: head.to_string() };
            self.store.apply(Change::of(settle))?;
        }
        drop(held);
        if self.ledger.needs_tidying() {
            self.ledger.tidy().map_err(failed)?;
        }
        Ok(())
    }
}

/// Commits what is promised and takes in what others committed. The number up to which all is done.
fn agree(
    engine: &Engine,
    held: &mut Held<'_>,
    known: &Known,
    problems: &mut Vec<project::Problem>,
) -> Result<i64> {
    let store = &engine.store;
    let mut queue = store.queue(!known.recovered)?;
    let head = held.head().map_err(failed)?;
    let is_behind = head.map(|head| head.to_string()) != queue.head;
    if is_behind || queue.drafts.iter().any(|promised| promised.committed.is_some()) {
        look_again(engine, held, &mut queue, head, problems)?;
    }
    let last = queue.drafts.last().map_or(known.delivered, |last| last.number);
    let open: Vec<&Promised> =
        queue.drafts.iter().filter(|promised| promised.committed.is_none()).collect();
    if !open.is_empty() {
        let drafts: Vec<_> = open.iter().map(|promised| promised.draft.clone()).collect();
        let commits = held.commit(&drafts).map_err(failed)?;
        let head = commits.last().map(CommitId::to_string).unwrap_or_default();
        let made = drafts.iter().zip(&commits);
        let commits = made.map(|(draft, commit)| (draft.episode, Some(commit.to_string())));
        store.apply(Change::of(Op::MarkCommitted { commits: commits.collect(), head }))?;
    }
    // Other processes' promises may have been kept by them.
    Ok(last.max(known.delivered))
}

/// Git is not where the rows think it is: which promises were kept, and what did others commit?
fn look_again(
    engine: &Engine,
    held: &mut Held<'_>,
    queue: &mut Queue,
    head: Option<CommitId>,
    problems: &mut Vec<project::Problem>,
) -> Result<()> {
    let commit = |id: &Option<String>| id.as_ref().and_then(|id| id.parse::<CommitId>().ok());
    let (seen, safe) = (commit(&queue.head), commit(&queue.safe));
    let episodes: HashSet<EpisodeId> =
        queue.drafts.iter().map(|promised| promised.draft.episode).collect();
    let found = held.committed(safe, &episodes).map_err(failed)?;
    for promised in &mut queue.drafts {
        promised.committed = found.get(&promised.draft.episode).map(CommitId::to_string);
    }
    let commits = queue.drafts.iter().map(|p| (p.draft.episode, p.committed.clone())).collect();
    let changed = held.changed(seen, head).map_err(failed)?;
    let promised: HashSet<&str> = queue
        .drafts
        .iter()
        .filter(|promised| promised.committed.is_none())
        .flat_map(|promised| promised.draft.files.iter().map(|file| file.path.as_str()))
        .collect();
    let changed: Vec<_> =
        changed.into_iter().filter(|file| !promised.contains(file.path.as_str())).collect();
    let projection = project::of(engine, &changed, held)?;
    problems.extend(projection.problems);
    let mut ops = projection.ops;
    let head = head.map(|head| head.to_string()).unwrap_or_default();
    ops.push(Op::MarkCommitted { commits, head });
    engine.store.apply(Change { guards: Vec::new(), ops })?;
    Ok(())
}

/// What git says, as an error of ours.
#[expect(clippy::needless_pass_by_value, reason = "map_err hands it over")]
pub(crate) fn failed(error: ledger::LedgerError) -> Error {
    let kind = if error.is_busy() { ErrorKind::Timeout } else { ErrorKind::Storage };
    Error::new(kind, format!("the ledger: {error}"))
}

/// The thread that makes safe what was committed.
struct Settler {
    nudges: Sender<()>,
    ended: Receiver<()>,
}

impl Settler {
    fn start(shared: Arc<Shared>) -> Option<Self> {
        let (nudges, nudged) = channel();
        let (end, ended) = channel();
        let work = move || {
            run(&shared, &nudged);
            drop(shared);
            // Whoever waits for the end may have gone.
            let _ = end.send(());
        };
        std::thread::Builder::new().name("ledger-settler".into()).spawn(work).ok()?;
        Some(Self { nudges, ended })
    }

    fn nudge(&self) {
        // A thread that is gone settles nothing; the next process does.
        let _ = self.nudges.send(());
    }

    fn end(self) {
        drop(self.nudges);
        let _ = self.ended.recv_timeout(PATIENCE);
    }
}

fn run(shared: &Shared, nudged: &Receiver<()>) {
    while nudged.recv().is_ok() {
        let since = Instant::now();
        while since.elapsed() < UNSAFE_MAX {
            match nudged.recv_timeout(QUIET) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        if let Err(error) = shared.settle() {
            tracing::warn!(%error, "the ledger is not settled");
        }
    }
}
