//! The engine, opened when it is first needed.

use std::sync::{Arc, Mutex};

use engine::{Engine, Error, Result};
use model::Caller;

/// Opens the engine.
pub type Opener = Box<dyn Fn() -> Result<Engine> + Send + Sync>;

/// An engine that is opened when it is first asked for, so that `initialize` does not wait for it.
/// If it cannot be opened the next call tries again: a full disk or a lock may have gone by then.
pub(crate) struct Opening {
    open: Opener,
    engine: Mutex<Option<Arc<Engine>>>,
}

impl Opening {
    pub(crate) fn new(open: Opener) -> Self {
        Self { open, engine: Mutex::default() }
    }

    /// The engine, if it is open: never blocks.
    pub(crate) fn ready(&self) -> Option<Arc<Engine>> {
        self.engine.try_lock().ok()?.clone()
    }

    /// The engine for this caller: who is not at this machine does not hear what is wrong with its files.
    pub(crate) fn get_for(&self, caller: &Caller) -> Result<Arc<Engine>> {
        self.get().map_err(|error| {
            tracing::error!("the store cannot be opened: {}", error.message);
            match caller.confined {
                true => {
                    Error::new(error.kind, "the store cannot be opened; the server's log says why")
                }
                false => error,
            }
        })
    }

    /// The engine; blocks while it is being opened.
    pub(crate) fn get(&self) -> Result<Arc<Engine>> {
        let mut slot = self.engine.lock().unwrap_or_else(|e| e.into_inner());
        match &*slot {
            Some(engine) => Ok(Arc::clone(engine)),
            None => {
                let engine = Arc::new((self.open)()?);
                *slot = Some(Arc::clone(&engine));
                Ok(engine)
            }
        }
    }
}
