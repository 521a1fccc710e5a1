//! Ctrl-C and the polite signal to end: heard, so that what is under way ends in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use anyhow::Result;
use tokio::signal::unix::{SignalKind, signal};

/// What a shell adds to a signal's number, for the exit code of who ended by it.
const CODE_OF_SIGNALS: u8 = 128;

/// Whether the process was told to end.
pub(crate) struct Interrupt(Arc<AtomicU8>);

impl Interrupt {
    /// Hears signals from now on, and calls `wake` at the first. The second ends the process at
    /// once: what is committed is safe even then.
    pub(crate) fn listen(wake: impl Fn() + Send + 'static) -> Result<Self> {
        let told = Arc::new(AtomicU8::new(0));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (mut interrupt, mut terminate) = {
            let _entered = runtime.enter();
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
        };
        let heard = Arc::clone(&told);
        let listen = async move {
            loop {
                let kind = tokio::select! {
                    _ = interrupt.recv() => SignalKind::interrupt(),
                    _ = terminate.recv() => SignalKind::terminate(),
                };
                let number = u8::try_from(kind.as_raw_value()).unwrap_or(1);
                let code = CODE_OF_SIGNALS.saturating_add(number);
                if heard.swap(code, Ordering::Relaxed) != 0 {
                    std::process::exit(code.into());
                }
                wake();
            }
        };
        let thread = std::thread::Builder::new().name("signals".into());
        thread.spawn(move || runtime.block_on(listen))?;
        Ok(Self(told))
    }

    /// The exit code, once it was told.
    pub(crate) fn code(&self) -> Option<u8> {
        Some(self.0.load(Ordering::Relaxed)).filter(|code| *code != 0)
    }
}
