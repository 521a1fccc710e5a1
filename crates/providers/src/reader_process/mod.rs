//! Parsers that are not made for hostile files, in processes of their own.
//!
//! [`ReaderPool`] keeps a few of them: started when they are needed, used again, ended when the pool
//! is. Each request has limits of time, memory and output; what goes over one ends the process and
//! costs the file that it was at. [`serve`] is what runs in such a process.
//!
//! Not here: what a request asks for. The job is a value that both ends can write as JSON, so that
//! another kind of file needs nothing new here.

mod child;
mod frame;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use child::Child;
pub use frame::serve;
use frame::{Ask, Status};

pub(crate) const MB: usize = 1 << 20;

/// So many processes at once. Each has up to [`Limits::memory_mb`] of memory.
const PROCESSES_MAX: usize = 4;

/// What one request may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From its start to its answer, by the clock.
    pub time: Duration,
    /// Megabytes of memory, beyond what the process has when it starts.
    pub memory_mb: usize,
    /// Megabytes of its answer.
    pub output_mb: usize,
}

/// Why a request was not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// It took longer than this.
    TooSlow(Duration),
    /// It needs more MB of memory than this.
    TooHungry(usize),
    /// Its answer has more MB than this.
    TooLong(usize),
    /// The process ended; in words.
    Ended(String),
    /// The parser panicked.
    GaveUp,
    /// The file cannot be read, as the parser says.
    Refused(String),
    /// The process could not be started; in words.
    NotStarted(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::TooSlow(time) => {
                write!(f, "its parser took longer than {} s", time.as_secs_f32())
            }
            Failure::TooHungry(mb) => write!(f, "its parser needs more than {mb} MB of memory"),
            Failure::TooLong(mb) => write!(f, "its parser answers with more than {mb} MB"),
            Failure::Ended(why) => write!(f, "its parser ended: {why}"),
            Failure::GaveUp => write!(f, "broken: its parser gave up on it"),
            Failure::Refused(why) => write!(f, "{why}"),
            Failure::NotStarted(why) => write!(f, "the reader process does not start: {why}"),
        }
    }
}

impl std::error::Error for Failure {}

/// Processes that read files, all of one kind.
#[derive(Debug)]
pub struct ReaderPool {
    command: PathBuf,
    args: Vec<OsString>,
    processes_max: usize,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    busy: usize,
    idle: Vec<Child>,
}

impl ReaderPool {
    /// Processes that run this command, which is to call [`serve`]. None is started yet.
    pub fn new(command: PathBuf, args: Vec<OsString>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        ReaderPool {
            command,
            args,
            // One that is slow must not keep all others from being read.
            processes_max: cores.clamp(2, PROCESSES_MAX),
            state: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// Does a job with these bytes in one of the processes, as soon as one is free.
    ///
    /// # Errors
    ///
    /// Why there is no answer. The process is gone then, unless the parser says that it cannot
    /// read the file.
    pub fn run<J: Serialize, A: DeserializeOwned>(
        &self,
        job: &J,
        bytes: &[u8],
        limits: Limits,
    ) -> Result<A, Failure> {
        let place = self.take_place();
        let mut child = match place.idle() {
            Some(child) => child,
            None => Child::start(&self.command, &self.args)
                .map_err(|why| Failure::NotStarted(why.to_string()))?,
        };
        let answer = child.ask(&Ask::new(job, limits), bytes, limits)?;
        if !answer.is_worn {
            place.keep(child);
        }
        let unclear = |why: serde_json::Error| Failure::Ended(format!("unclear answer ({why})"));
        match answer.status {
            Status::Done => serde_json::from_slice(&answer.body).map_err(unclear),
            Status::GaveUp => Err(Failure::GaveUp),
            Status::Refused => {
                Err(Failure::Refused(String::from_utf8_lossy(&answer.body).into_owned()))
            }
        }
    }

    /// Ends the processes that wait for work, so that their memory is free.
    pub fn end_idle(&self) {
        // They are waited for, which is not done under the lock.
        let idle = std::mem::take(&mut self.lock().idle);
        drop(idle);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_place(&self) -> Place<'_> {
        let is_full = |state: &mut State| state.busy >= self.processes_max;
        let waited = self.freed.wait_while(self.lock(), is_full);
        waited.unwrap_or_else(PoisonError::into_inner).busy += 1;
        Place(self)
    }
}

/// The right to use one process.
struct Place<'a>(&'a ReaderPool);

impl Place<'_> {
    /// A process that waits for work, if there is one that lives.
    fn idle(&self) -> Option<Child> {
        loop {
            // One that is dropped is waited for, which is not done under the lock.
            let mut child = self.0.lock().idle.pop()?;
            if child.is_alive() {
                return Some(child);
            }
        }
    }

    fn keep(&self, child: Child) {
        self.0.lock().idle.push(child);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.lock().busy -= 1;
        self.0.freed.notify_one();
    }
}
