//! Backups as time goes by, made in the background by a process that stays, one for all; and a look for damage where
//! none is made.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use store::{Rhythm, Rolled, Store};

/// How long it waits before it looks for the first time: whoever started the process gets answers first.
const FIRST: Duration = Duration::from_secs(5);

/// How often it looks at the longest.
const LOOK: Duration = Duration::from_secs(600);

/// How often the store is looked through when nothing changes and no backup is made, which looks, too.
const EXAMINE: Duration = Duration::from_secs(24 * 3_600);

/// How long the end waits for it. What is half made then is removed by who comes next.
const PATIENCE: Duration = Duration::from_millis(100);

/// The thread's handle; it ends when this is dropped.
pub(crate) struct Roller {
    end: Option<Sender<()>>,
    /// Behind a lock only because a receiver cannot be shared.
    ended: Mutex<Receiver<()>>,
}

impl Roller {
    /// None if the system has no thread to give.
    pub(crate) fn start(store: Arc<Store>, rhythm: Rhythm) -> Option<Self> {
        let (end, ending) = channel();
        let (done, ended) = channel();
        let work = move || {
            run(&store, &rhythm, &ending);
            drop(store);
            // Whoever waits for the end may have gone.
            let _ = done.send(());
        };
        std::thread::Builder::new().name("store-backups".into()).spawn(work).ok()?;
        Some(Self { end: Some(end), ended: Mutex::new(ended) })
    }
}

impl Drop for Roller {
    fn drop(&mut self) {
        drop(self.end.take());
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = ended.recv_timeout(PATIENCE);
    }
}

fn run(store: &Store, rhythm: &Rhythm, ending: &Receiver<()>) {
    let look = if rhythm.keep == 0 { LOOK } else { LOOK.min(rhythm.every) };
    let mut pause = FIRST.min(look);
    let mut examined = Instant::now();
    while ending.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        pause = look;
        if store.damage().is_some() {
            // A backup of damage would push out one of before.
            continue;
        }
        match store.roll(rhythm, store::now()) {
            Ok(Rolled::Made(_)) => examined = Instant::now(),
            Ok(Rolled::NoRoom { needed, free }) => {
                tracing::warn!(needed, free, "no backup of the store: too little room on the disk");
            }
            Ok(Rolled::NotDue | Rolled::Elsewhere) => {}
            Err(error) => tracing::warn!(%error, "no backup of the store"),
        }
        if examined.elapsed() > EXAMINE {
            examined = Instant::now();
            if let Ok(Some(why)) = store.examine() {
                tracing::warn!(%why, "the store is damaged; mend: lorekeep doctor --repair");
            }
        }
    }
}
