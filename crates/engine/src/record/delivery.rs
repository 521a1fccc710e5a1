//! Keeping the promise of a commit.
//!
//! Whoever wrote waits here until git shows it. In a process that stays, one thread commits: it takes
//! the ledger's lock and holds it as long as there is something to do, for all processes, because they
//! share the queue. So many writers at once cost few writings of objects, and what git needs to know
//! stays in one memory. Nothing is synced to disk on the way, because the queue in the database is; it
//! is emptied when git lies safe (`settle`), after a pause, after many commits, or at the end.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ledger::{CommitId, Held, Ledger};
use model::{Change, Draft, DraftFile, EpisodeId, EpisodeKind, Namespace, Op, RecordId};
use store::{Promised, Queue, Store};

use super::{episode, indexed, project};
use crate::{Engine, Error, ErrorKind, Result};

/// So long nothing must happen before what was committed is made safe.
const QUIET: Duration = Duration::from_millis(200);

/// After so many commits it is made safe without a pause.
const UNSAFE_MAX: usize = 2_048;

/// The lock is kept for so long when there is nothing to do, and the queue looked at so often.
const LINGER: Duration = Duration::from_millis(3);
const GLANCE: Duration = Duration::from_micros(150);

/// How often who waits looks whether another process made the commit.
const GLANCE_WAITING: Duration = Duration::from_millis(1);

/// After this time the promise is kept without anybody waiting for it.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long the end waits for what is left to do.
const PATIENCE_AT_END: Duration = Duration::from_secs(10);

/// What is known of git in this process.
#[derive(Debug, Default)]
struct Known {
    /// Everything promised up to this number is in git.
    delivered: i64,
    /// Whether what the last process left behind was looked at.
    recovered: bool,
    /// Others moved git on: who has an engine must look.
    must_look: bool,
    /// Why a commit could not be made.
    trouble: Option<Error>,
    /// Somebody looks whether another process made the commits.
    is_looking: bool,
}

/// The way from the queue into git.
pub(crate) struct Delivery {
    shared: Arc<Shared>,
    committer: Mutex<Option<Committer>>,
    /// Whether a thread may be started for it.
    stays: bool,
}

struct Shared {
    ledger: Ledger,
    store: Arc<Store>,
    known: Mutex<Known>,
    news: Condvar,
}

impl Delivery {
    pub(crate) fn new(ledger: Ledger, store: Arc<Store>, stays: bool) -> Self {
        let (known, news) = (Mutex::default(), Condvar::new());
        let shared = Arc::new(Shared { ledger, store, known, news });
        Self { shared, committer: Mutex::default(), stays }
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.shared.ledger
    }

    /// Returns when git shows what was promised up to this number. Should git be out of order, the
    /// promise stands, and is kept as soon as it can be.
    pub(super) fn deliver(&self, engine: &Engine, number: i64) {
        let delivered = if self.stays && self.shared.known().recovered && self.nudge() {
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
        let shared = &self.shared;
        let began = Instant::now();
        let mut known = shared.known();
        while known.delivered < number {
            if std::mem::take(&mut known.must_look) {
                drop(known);
                return self.locked(engine, |_, _| Ok(()));
            }
            if let Some(trouble) = known.trouble.take() {
                return Err(trouble);
            }
            let (next, slept) = shared
                .news
                .wait_timeout(known, GLANCE_WAITING)
                .unwrap_or_else(PoisonError::into_inner);
            known = next;
            // One of those who wait looks for all.
            if slept.timed_out() && !known.is_looking {
                known.is_looking = true;
                drop(known);
                let delivered = shared.store.delivered();
                known = shared.known();
                known.is_looking = false;
                known.delivered = known.delivered.max(delivered?);
                shared.news.notify_all();
            }
            if began.elapsed() > PATIENCE {
                return Err(Error::new(ErrorKind::Timeout, "git does not get to it"));
            }
        }
        Ok(())
    }

    /// Brings git and the rows together, if they are not: what was promised is committed, what others
    /// committed is taken in.
    pub(crate) fn recover(&self, engine: &Engine) -> Result<()> {
        let ledger = self.ledger();
        let queue = self.shared.store.queue(true)?;
        let head = ledger.head().map_err(failed)?.map(|head| head.to_string());
        if queue.drafts.is_empty() && head == queue.head {
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
        known.delivered = known.delivered.max(delivered);
        drop(known);
        let done = work(&mut held, &mut problems);
        drop(held);
        self.shared.news.notify_all();
        self.nudge();
        done
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

    /// There is something to commit or to make safe. False if no thread does that.
    fn nudge(&self) -> bool {
        let mut committer = self.committer.lock().unwrap_or_else(PoisonError::into_inner);
        if committer.is_none() && self.stays {
            *committer = Committer::start(Arc::clone(&self.shared));
        }
        committer.as_ref().is_some_and(Committer::nudge)
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
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes what was committed safe, and lets go of the promises.
    fn settle(&self) -> Result<()> {
        let is_made = |promised: &Promised| promised.committed.is_some();
        if self.store.is_read_only() || !self.store.queue(true)?.drafts.iter().any(is_made) {
            return Ok(());
        }
        let mut held = self.ledger.lock().map_err(failed)?;
        self.settle_held(&mut held)?;
        Ok(())
    }

    /// Makes few packs of many, which takes its time.
    fn tidy(&self) {
        if self.ledger.needs_tidying()
            && let Err(error) = self.ledger.tidy()
        {
            tracing::warn!(%error, "the ledger is not tidied");
        }
    }

    fn settle_held(&self, held: &mut Held<'_>) -> Result<()> {
        let queue = self.store.queue(true)?;
        held.settle().map_err(failed)?;
        let head = held.head().map_err(failed)?;
        let made = queue.drafts.iter().take_while(|promised| promised.committed.is_some());
        if let (Some(last), Some(head)) = (made.last(), head) {
            let settle = Op::Settle { up_to: last.number, head: head.to_string() };
            self.store.apply(Change::of(settle))?;
        }
        Ok(())
    }
}

/// Commits what is promised and takes in what others committed. The number up to which all is done.
fn agree(
    engine: &Engine,
    held: &mut Held<'_>,
    recovered: bool,
    problems: &mut Vec<project::Problem>,
) -> Result<i64> {
    let mut queue = engine.store.queue(!recovered)?;
    let head = held.head().map_err(failed)?;
    let was_made = queue.drafts.iter().any(|promised| promised.committed.is_some());
    if is_behind(&queue, head) || was_made {
        look_again(engine, held, &mut queue, head, problems)?;
    }
    make(&engine.store, held, &queue)
}

/// Whether git is where the rows do not think it is.
fn is_behind(queue: &Queue, head: Option<CommitId>) -> bool {
    head.map(|head| head.to_string()) != queue.head
}

/// Makes the promised commits of the queue. The number of the last.
fn make(store: &Store, held: &mut Held<'_>, queue: &Queue) -> Result<i64> {
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
    Ok(queue.drafts.last().map_or(0, |last| last.number))
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
    let is_lost = match seen {
        Some(seen) => !held.knows(seen).map_err(failed)?,
        None => false,
    };
    let changed = held.changed(seen, head).map_err(failed)?;
    let there: HashSet<String> = if is_lost {
        changed.iter().map(|file| file.path.clone()).collect()
    } else {
        HashSet::new()
    };
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
    let mut head = head.map(|head| head.to_string()).unwrap_or_default();
    if is_lost && let Some(commit) = restore(engine, held, &there, &mut ops)? {
        head = commit.to_string();
    }
    ops.push(Op::MarkCommitted { commits, head });
    engine.store.apply(Change { guards: Vec::new(), ops })?;
    Ok(())
}

/// The repository is not the one that the rows tell of: it was lost, or a backup of the rows came to
/// another one. What it does not hold is written into it again, so that nothing is lost.
fn restore(
    engine: &Engine,
    held: &mut Held<'_>,
    there: &HashSet<String>,
    ops: &mut Vec<Op>,
) -> Result<Option<CommitId>> {
    let put: HashSet<RecordId> = ops
        .iter()
        .filter_map(|op| match op {
            Op::PutRecord(new) => Some(new.record.id),
            _ => None,
        })
        .collect();
    let known = engine.store.record_paths()?.into_iter();
    let lost: Vec<RecordId> = known
        .filter(|(id, path)| !there.contains(path) && !put.contains(id))
        .map(|(id, _)| id)
        .collect();
    if lost.is_empty() {
        return Ok(None);
    }
    let told = format!("Restored {} records that git had lost", lost.len());
    let (namespace, kind) = (Namespace::default(), EpisodeKind::SystemEvent);
    let happened = episode(engine, &namespace, kind, told, Vec::new());
    let mut files = Vec::with_capacity(lost.len());
    for stored in engine.store.load_records(&lost)? {
        let (indexed, content) = indexed(engine, stored.record);
        let (path, was) = (indexed.path.clone(), None);
        files.push(DraftFile { path, content: Some(content), was });
        ops.push(Op::PutRecord(Box::new(indexed)));
    }
    let draft = Draft {
        episode: happened.id,
        subject: format!("Restore {} records", files.len()),
        body: "They were in the store, and not in this repository.".to_owned(),
        files,
        author: "lorekeep".to_owned(),
        at: happened.at,
    };
    let made = held.commit(&[draft]).map_err(failed)?;
    ops.push(Op::Happen(Box::new(happened)));
    Ok(made.last().copied())
}

/// What git says, as an error of ours.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub(crate) fn failed(error: ledger::LedgerError) -> Error {
    let kind = if error.is_busy() { ErrorKind::Timeout } else { ErrorKind::Storage };
    Error::new(kind, format!("the ledger: {error}"))
}

/// The thread that commits, and makes safe what was committed.
struct Committer {
    nudges: Sender<()>,
    ended: Receiver<()>,
}

impl Committer {
    /// None if the system has no thread to give; then whoever writes commits.
    fn start(shared: Arc<Shared>) -> Option<Self> {
        let (nudges, nudged) = channel();
        let (end, ended) = channel();
        let work = move || {
            run(&shared, &nudged);
            drop(shared);
            // Whoever waits for the end may have gone.
            let _ = end.send(());
        };
        std::thread::Builder::new().name("ledger-committer".into()).spawn(work).ok()?;
        Some(Self { nudges, ended })
    }

    fn nudge(&self) -> bool {
        self.nudges.send(()).is_ok()
    }

    fn end(self) {
        drop(self.nudges);
        let _ = self.ended.recv_timeout(PATIENCE_AT_END);
    }
}

fn run(shared: &Arc<Shared>, nudged: &Receiver<()>) {
    let mut is_safe = true;
    loop {
        let nudge = match is_safe {
            true => nudged.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => nudged.recv_timeout(QUIET),
        };
        match nudge {
            Ok(()) => {
                lead(shared, nudged);
                is_safe = false;
            }
            Err(ended) => {
                if let Err(error) = shared.settle() {
                    tracing::warn!(%error, "the ledger is not settled");
                }
                if ended == RecvTimeoutError::Disconnected {
                    return;
                }
                is_safe = true;
                let shared = Arc::clone(shared);
                // Without a thread for it the next process does it.
                let _ = std::thread::Builder::new()
                    .name("ledger-tidier".into())
                    .spawn(move || shared.tidy());
            }
        }
    }
}

/// Takes the lock and commits for everybody, until there is nothing to do.
fn lead(shared: &Shared, nudged: &Receiver<()>) {
    let tell = |tell: &dyn Fn(&mut Known)| {
        tell(&mut shared.known());
        shared.news.notify_all();
    };
    let mut held = match shared.ledger.lock() {
        Ok(held) => held,
        Err(error) => {
            let error = failed(error);
            return tell(&|known| known.trouble = Some(error.clone()));
        }
    };
    let (mut idle, mut made) = (Instant::now(), 0);
    while idle.elapsed() < LINGER {
        match turn(shared, &mut held) {
            Ok(Turn::Nothing) => {}
            Ok(Turn::Made { last, count }) => {
                tell(&|known| known.delivered = known.delivered.max(last));
                made += count;
                idle = Instant::now();
            }
            Ok(Turn::Behind) => return tell(&|known| known.must_look = true),
            Err(error) => return tell(&|known| known.trouble = Some(error.clone())),
        }
        if made >= UNSAFE_MAX {
            made = 0;
            if let Err(error) = shared.settle_held(&mut held) {
                tracing::warn!(%error, "the ledger is not settled");
            }
        }
        match nudged.recv_timeout(GLANCE) {
            // Whoever nudged waits for another turn.
            Ok(()) => idle = Instant::now(),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                // The end: what is promised is made, and whoever comes next finds it.
                let _ = turn(shared, &mut held);
                return;
            }
        }
    }
}

/// What a look at the queue came to.
enum Turn {
    Nothing,
    Made {
        /// The number of the last commit.
        last: i64,
        /// How many.
        count: usize,
    },
    /// Others moved git on.
    Behind,
}

fn turn(shared: &Shared, held: &mut Held<'_>) -> Result<Turn> {
    let queue = shared.store.queue(false)?;
    if is_behind(&queue, held.head().map_err(failed)?) {
        return Ok(Turn::Behind);
    }
    let count = queue.drafts.len();
    let last = make(&shared.store, held, &queue)?;
    Ok(if count == 0 { Turn::Nothing } else { Turn::Made { last, count } })
}
