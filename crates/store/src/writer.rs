//! The thread that writes, and group commit.
//!
//! Changes that wait while one transaction is being synced are committed together in the next: one
//! sync for all of them. Each stands in a savepoint of its own, so that one that is refused or
//! fails takes no other with it; a large one has the transaction for itself, because in a savepoint
//! each of its statements costs more than the one before. A change is acknowledged after the sync.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use model::audit::NewEntry;
use model::{Change, Outcome};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::archive::{self, Cut};
use crate::audit::{self, Attribution};
use crate::error::{Result, StoreError};
use crate::mark::{self, Mark};
use crate::trouble::Trouble;
use crate::{migrate, write};

/// How many changes one transaction takes at the most.
const BATCH_MAX: usize = 512;

/// A change of more operations is committed alone.
const SHARING_OPS_MAX: usize = 64;

#[derive(Debug)]
struct Request {
    task: Task,
    /// None if nobody waits.
    reply: Option<SyncSender<Result<Outcome>>>,
}

/// What is asked of the writer.
#[derive(Debug)]
enum Task {
    /// A change, and who made it; none if it only keeps the books.
    Apply(Change, Option<Attribution>),
    /// An entry of the audit log that nobody waits for.
    NoteLater(NewEntry),
    /// An entry that must be on disk before who asked goes on.
    Note(NewEntry),
    /// Entries of the audit log that went to a file.
    Archive(Cut),
}

impl Task {
    /// Whether a power cut may take it back.
    fn may_be_lost(&self) -> bool {
        match self {
            Self::Apply(change, _) => change.may_be_lost(),
            Self::NoteLater(_) => true,
            Self::Note(_) | Self::Archive(_) => false,
        }
    }

    fn ops(&self) -> usize {
        match self {
            Self::Apply(change, _) => change.ops.len(),
            Self::Note(_) | Self::NoteLater(_) => 1,
            Self::Archive(_) => SHARING_OPS_MAX + 1,
        }
    }

    /// Does it, together with what the audit log says of it.
    fn carry_out(&self, connection: &Connection) -> Result<Outcome> {
        match self {
            Self::Apply(change, by) => {
                let outcome = write::apply(connection, change)?;
                if let (true, Some(by)) = (outcome.is_done(), by) {
                    audit::note_change(connection, by, change)?;
                }
                Ok(outcome)
            }
            Self::Note(entry) | Self::NoteLater(entry) => {
                audit::note(connection, entry).map(|()| Outcome::Applied)
            }
            Self::Archive(cut) => archive::cut(connection, cut).map(|()| Outcome::Applied),
        }
    }
}

impl Request {
    /// Whoever asked may have stopped waiting; what was done stands all the same.
    fn answer(self, outcome: Result<Outcome>, care: &Care) {
        match self.reply {
            Some(reply) => drop(reply.send(outcome)),
            None => care.unheard.heed(&outcome),
        }
    }
}

/// What went wrong last where nobody waits for an answer. It is told once, until something goes well: on
/// a full disk every call hands in something.
#[derive(Debug, Default)]
pub(crate) struct Unheard(RefCell<Option<String>>);

impl Unheard {
    fn heed(&self, outcome: &Result<Outcome>) {
        if let Some(error) = self.news(outcome) {
            tracing::warn!(error, "something that nobody waited for was not written");
        }
    }

    /// What is to be told.
    fn news(&self, outcome: &Result<Outcome>) -> Option<String> {
        let why = outcome.as_ref().err().map(StoreError::to_string);
        let before = self.0.replace(why.clone());
        why.filter(|why| before.as_ref() != Some(why))
    }
}

/// What the writing thread looks to besides the database.
#[derive(Debug)]
pub(crate) struct Care {
    /// What is wrong with the database: then nothing is written.
    pub(crate) trouble: Arc<Trouble>,
    /// How far it has come.
    pub(crate) mark: Mark,
    /// What went wrong and nobody heard.
    pub(crate) unheard: Unheard,
}

/// The writing thread's handle. Dropping it lets what was handed in finish and closes the database.
#[derive(Debug)]
pub(crate) struct Writer {
    requests: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(crate) fn start(connection: Connection, care: Care) -> Result<Self> {
        let (requests, inbox) = channel();
        let thread = std::thread::Builder::new()
            .name("store-writer".into())
            .spawn(move || run(connection, &inbox, &care))
            .map_err(|_| StoreError::Closed)?;
        Ok(Self { requests: Some(requests), thread: Some(thread) })
    }

    pub(crate) fn apply(&self, change: Change, by: Option<Attribution>) -> Result<Outcome> {
        self.wait_for(Task::Apply(change, by))
    }

    /// Hands in a change without waiting for it.
    pub(crate) fn hand_in(&self, change: Change) -> Result<()> {
        self.send(Request { task: Task::Apply(change, None), reply: None })
    }

    /// Hands in an entry of the audit log without waiting for it.
    pub(crate) fn note_later(&self, entry: NewEntry) -> Result<()> {
        self.send(Request { task: Task::NoteLater(entry), reply: None })
    }

    /// Puts an entry into the audit log and returns when it is on disk.
    pub(crate) fn note(&self, entry: NewEntry) -> Result<()> {
        self.wait_for(Task::Note(entry)).map(drop)
    }

    /// Takes entries that went to a file out of the audit log.
    pub(crate) fn archive(&self, cut: Cut) -> Result<()> {
        self.wait_for(Task::Archive(cut)).map(drop)
    }

    fn wait_for(&self, task: Task) -> Result<Outcome> {
        let (reply, answer) = sync_channel(1);
        self.send(Request { task, reply: Some(reply) })?;
        answer.recv().map_err(|_| StoreError::Closed)?
    }

    fn send(&self, request: Request) -> Result<()> {
        let requests = self.requests.as_ref().ok_or(StoreError::Closed)?;
        requests.send(request).map_err(|_| StoreError::Closed)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.requests.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the writer was already answered to whoever waited for it.
            let _ = thread.join();
        }
    }
}

fn run(mut connection: Connection, inbox: &Receiver<Request>, care: &Care) {
    connection.set_prepared_statement_cache_capacity(64);
    // What a savepoint changes is copied first; beyond some pages that went to a temporary file. Should
    // this fail, it still does.
    let _ = connection.pragma_update(None, "temp_store", "MEMORY");
    let mut durable = true;
    while let Ok(first) = inbox.recv() {
        let batch: Vec<Request> =
            std::iter::once(first).chain(inbox.try_iter().take(BATCH_MAX - 1)).collect();
        for batch in parted(batch) {
            let needs_sync = !batch.iter().all(|request| request.task.may_be_lost());
            if durable != needs_sync {
                let level = if needs_sync { "FULL" } else { "NORMAL" };
                if let Err(error) = connection.pragma_update(None, "synchronous", level) {
                    refuse(batch, error.into(), care);
                    continue;
                }
                durable = needs_sync;
            }
            commit(&mut connection, batch, care, needs_sync);
        }
    }
}

/// The requests in their order, those with a large change alone.
fn parted(batch: Vec<Request>) -> Vec<Vec<Request>> {
    let mut parts: Vec<Vec<Request>> = Vec::new();
    let mut is_open = false;
    for request in batch {
        let shares = request.task.ops() <= SHARING_OPS_MAX;
        match parts.last_mut() {
            Some(last) if is_open && shares => last.push(request),
            _ => parts.push(vec![request]),
        }
        is_open = shares;
    }
    parts
}

fn commit(connection: &mut Connection, batch: Vec<Request>, care: &Care, is_synced: bool) {
    // Whether the files are still where they were is asked when the changes are in them, and before
    // anybody is told.
    let done = care.trouble.refuse().and_then(|()| carry_out(connection, &batch));
    let done = done.and_then(|done| care.trouble.refuse_gone().map(|()| done));
    match done.map_err(|error| care.trouble.heed(error)) {
        Ok((outcomes, reached)) => {
            // Before anybody is told, so that what was acknowledged is missed when it is gone.
            if is_synced {
                reached.inspect(|reached| care.mark.acknowledge(*reached));
            }
            for (request, outcome) in batch.into_iter().zip(outcomes) {
                request.answer(outcome.map_err(|error| care.trouble.heed(error)), care);
            }
        }
        Err(error) => refuse(batch, error, care),
    }
}

/// What came of each change, once all of them are on disk, and how far the store has come with them.
/// An error means that none is.
fn carry_out(
    connection: &mut Connection,
    batch: &[Request],
) -> Result<(Vec<Result<Outcome>>, Option<i64>)> {
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // A newer lorekeep may have changed the schema while this process was running.
    migrate::refuse_newer(migrate::version(&transaction)?)?;
    if let [alone] = batch {
        let outcome = alone.task.carry_out(&transaction);
        let is_done = matches!(outcome, Ok(outcome) if outcome.is_done());
        let reached = if is_done { Some(commit_to(transaction)?) } else { None };
        return Ok((vec![outcome], reached));
    }
    let mut outcomes = Vec::with_capacity(batch.len());
    for request in batch {
        let savepoint = transaction.savepoint()?;
        let outcome = request.task.carry_out(&savepoint);
        if matches!(outcome, Ok(outcome) if outcome.is_done()) {
            savepoint.commit()?;
        } else {
            drop(savepoint);
        }
        let is_broken = outcome.as_ref().is_err_and(StoreError::is_broken_file);
        if outcome.is_err() && (transaction.is_autocommit() || is_broken) {
            // A full disk or an I/O error ends the whole transaction, not the savepoint alone; and
            // nothing goes into a file that is damaged.
            return Err(outcome.err().unwrap_or(StoreError::Closed));
        }
        outcomes.push(outcome);
    }
    let reached = commit_to(transaction)?;
    Ok((outcomes, Some(reached)))
}

/// Commits; how far the store has come by that.
fn commit_to(transaction: Transaction<'_>) -> Result<i64> {
    let reached = mark::reached(&transaction)?;
    transaction.commit()?;
    Ok(reached)
}

fn refuse(batch: Vec<Request>, error: StoreError, care: &Care) {
    let error = Arc::new(error);
    for request in batch {
        request.answer(Err(StoreError::Shared(Arc::clone(&error))), care);
    }
}

#[cfg(test)]
mod tests {
    use model::Op;

    use super::*;

    #[test]
    fn what_fails_unheard_is_told_once_until_it_goes_well() {
        let unheard = Unheard::default();
        let failed = || unheard.news(&Err(StoreError::InUse)).is_some();
        assert!(failed() && !failed());
        assert!(unheard.news(&Err(StoreError::Closed)).is_some(), "another thing");
        assert_eq!(unheard.news(&Ok(Outcome::Applied)), None);
        assert!(failed());
    }

    #[test]
    fn large_changes_are_committed_alone_and_in_their_turn() {
        let request = |ops: usize| {
            let op = Op::SettleTouches;
            let change = Change { guards: Vec::new(), ops: vec![op; ops] };
            Request { task: Task::Apply(change, None), reply: None }
        };
        let sizes = |all: &[usize]| -> Vec<Vec<usize>> {
            let parts = parted(all.iter().map(|ops| request(*ops)).collect());
            let size = |part: &Vec<Request>| part.iter().map(|one| one.task.ops()).collect();
            parts.iter().map(size).collect()
        };
        let large = SHARING_OPS_MAX + 1;
        assert_eq!(sizes(&[1, 2, large, 3, 4]), [vec![1, 2], vec![large], vec![3, 4]]);
        assert_eq!(sizes(&[large, large]), [[large], [large]]);
        assert!(sizes(&[]).is_empty());
    }
}
