//! The thread that commits for all processes that share the queue.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ledger::Held;

use super::agree::{is_behind, make};
use super::delivery::{Known, Shared, failed};
use crate::Result;

/// So long nothing must happen before what was committed is made safe.
const QUIET: Duration = Duration::from_millis(200);

/// What could not be made safe is tried again, less and less often, and at least so often.
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// After so many commits it is made safe without a pause.
const UNSAFE_MAX: usize = 2_048;

/// The lock is kept for so long when there is nothing to do, and the queue looked at so often.
const LINGER: Duration = Duration::from_millis(3);
const GLANCE: Duration = Duration::from_micros(150);

/// How long the end waits for what is left to do.
const PATIENCE_AT_END: Duration = Duration::from_secs(10);

/// The thread that commits, and makes safe what was committed.
pub(super) struct Committer {
    nudges: Sender<()>,
    ended: Receiver<()>,
    thread: JoinHandle<()>,
}

impl Committer {
    /// None if the system has no thread to give; then whoever writes commits.
    pub(super) fn start(shared: Arc<Shared>) -> Option<Self> {
        let (nudges, nudged) = channel();
        let (end, ended) = channel();
        let work = move || {
            run(&shared, &nudged);
            drop(shared);
            // Whoever waits for the end may have gone.
            let _ = end.send(());
        };
        let thread =
            std::thread::Builder::new().name("ledger-committer".into()).spawn(work).ok()?;
        Some(Self { nudges, ended, thread })
    }

    /// Whether it is no more: it ends by itself only by a panic.
    pub(super) fn is_gone(&self) -> bool {
        self.thread.is_finished()
    }

    pub(super) fn nudge(&self) {
        // A thread that is gone commits nothing; whoever waits gives up, and the promise stands.
        let _ = self.nudges.send(());
    }

    pub(super) fn end(self) {
        drop(self.nudges);
        let _ = self.ended.recv_timeout(PATIENCE_AT_END);
    }
}

fn run(shared: &Arc<Shared>, nudged: &Receiver<()>) {
    // How long to wait before what was committed is made safe; none if it is.
    let mut pause: Option<Duration> = None;
    loop {
        let nudge = match pause {
            None => nudged.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(pause) => nudged.recv_timeout(pause),
        };
        match nudge {
            Ok(()) => {
                lead(shared, nudged);
                pause = pause.or(Some(QUIET));
            }
            Err(ended) => {
                let settled = shared.settle();
                if let Err(error) = &settled {
                    tracing::warn!(%error, "the ledger is not settled; it is tried again");
                }
                if ended == RecvTimeoutError::Disconnected {
                    return;
                }
                if settled.is_err() {
                    // What is in the way may take its time; whoever writes does not wait for it.
                    pause = pause.map(|pause| (pause * 2).min(PAUSE_MAX));
                    continue;
                }
                pause = None;
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
        let mut known = shared.known();
        tell(&mut known);
        known.wake_first();
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
                tell(&|known| known.deliver(last));
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
