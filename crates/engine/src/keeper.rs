//! Looks after the index in the background: vectors for memories that have none (an older store,
//! another process without a model, a model out of reach), the change to a chosen model, and the
//! snapshot that saves the next start its reading.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use store::Store;

use crate::Result;
use crate::embedders::Embedders;
use crate::index;

/// How long it sleeps between two looks.
const PAUSE: Duration = Duration::from_secs(2);

/// How long it waits after a failure: a model that is out of reach stays so for a while.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(30);

/// How long the end waits for it. A batch at a slow model takes longer, and is done again some day.
const PATIENCE: Duration = Duration::from_millis(300);

/// The thread's handle; it ends when this is dropped.
pub(crate) struct Keeper {
    nudges: Option<Sender<()>>,
    /// Behind a lock only because a receiver cannot be shared.
    ended: Mutex<Receiver<()>>,
}

impl Keeper {
    /// None if the system has no thread to give; then the index is not kept, and nothing else lacks.
    pub(crate) fn start(store: Arc<Store>, embedders: Arc<Embedders>) -> Option<Self> {
        let (nudges, nudged) = channel();
        let (end, ended) = channel();
        let work = move || {
            run(&store, &embedders, &nudged);
            // Whoever lets go of the store last waits for what is still being written.
            drop((store, embedders));
            // Whoever waits for the end may have gone.
            let _ = end.send(());
        };
        std::thread::Builder::new().name("index-keeper".into()).spawn(work).ok()?;
        Some(Self { nudges: Some(nudges), ended: Mutex::new(ended) })
    }

    /// There is something to do.
    pub(crate) fn nudge(&self) {
        if let Some(nudges) = &self.nudges {
            // A keeper that is gone keeps nothing.
            let _ = nudges.send(());
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.nudges.take());
        // If it takes longer, the end of the process ends it.
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = ended.recv_timeout(PATIENCE);
    }
}

fn run(store: &Store, embedders: &Embedders, nudged: &Receiver<()>) {
    let (mut next, mut is_due, mut failed) = (Instant::now(), true, false);
    loop {
        match nudged.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {}
            // While a model is out of reach it is not asked more often.
            Ok(()) if failed => continue,
            Ok(()) => is_due = true,
        }
        // What comes in the meantime is seen to in the same round.
        let mut goes_on = |_: &str, _| loop {
            match nudged.try_recv() {
                Ok(()) => {}
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        };
        let done = tend(store, embedders, is_due, &mut goes_on);
        failed = done.is_err();
        is_due = failed;
        next = Instant::now() + if failed { PAUSE_AFTER_FAILURE } else { PAUSE };
    }
}

fn tend(
    store: &Store,
    embedders: &Embedders,
    is_due: bool,
    goes_on: &mut dyn FnMut(&str, index::Progress) -> bool,
) -> Result<()> {
    let before = embedders.serving(store)?.map(str::to_owned);
    let mut done = Ok(());
    if store.may_lack_vectors() || is_due {
        done = index::complete_in(store, embedders, goes_on);
    }
    let serving = embedders.serving(store)?;
    if serving != before.as_deref() {
        store.keep_index_of(serving);
    }
    store.save_index(serving)?;
    done
}
