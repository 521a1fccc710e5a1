//! Looks after the index in the background: vectors for memories that have none (an older store,
//! another process without a model, a model out of reach), the change to a chosen model, and the
//! snapshot that saves the next start its reading.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use store::Store;

use crate::Result;
use crate::embedders::Embedders;
use crate::index;

/// How long it sleeps between two looks.
const PAUSE: Duration = Duration::from_secs(2);

/// How long it waits after a failure: a model that is out of reach stays so for a while.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(30);

/// The thread's handle; it ends when this is dropped.
pub(crate) struct Keeper {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// None if the system has no thread to give; then the index is not kept, and nothing else lacks.
    pub(crate) fn start(store: Arc<Store>, embedders: Arc<Embedders>) -> Option<Self> {
        let (end, ended) = channel();
        let thread = std::thread::Builder::new().name("index-keeper".into()).spawn(move || {
            let mut pause = Duration::ZERO;
            let mut is_first = true;
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let mut goes_on = |_: &str, _| ended.try_recv().is_err();
                pause = match tend(&store, &embedders, is_first, &mut goes_on) {
                    Ok(()) => PAUSE,
                    Err(_) => PAUSE_AFTER_FAILURE,
                };
                is_first = pause == PAUSE_AFTER_FAILURE;
            }
        });
        Some(Self { end: Some(end), thread: Some(thread.ok()?) })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A panic there costs nothing here.
            let _ = thread.join();
        }
    }
}

fn tend(
    store: &Store,
    embedders: &Embedders,
    is_first: bool,
    goes_on: &mut dyn FnMut(&str, index::Progress) -> bool,
) -> Result<()> {
    let before = embedders.serving(store)?.map(str::to_owned);
    if is_first || store.may_lack_vectors() {
        index::complete_in(store, embedders, goes_on)?;
    }
    let serving = embedders.serving(store)?;
    if serving != before.as_deref() && store.has_index_of(before.as_deref()) {
        store.warm(serving)?;
        store.keep_index_of(serving);
    }
    store.save_index(serving)?;
    Ok(())
}
