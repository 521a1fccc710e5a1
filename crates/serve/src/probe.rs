//! What a server says of itself to who watches it.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::memory;
use model::{Caller, MemoryFilter};

use crate::call::Runner;
use crate::metrics::{Gauge, Metrics};
use crate::opening::Opening;

/// How long what was found of the store counts: anybody may ask, and that must cost nothing.
const FRESH: Duration = Duration::from_secs(1);

/// How long opening and reading the store may take.
const TIME_MAX: Duration = Duration::from_secs(5);

/// The size of a page of memory, as `/proc` counts it on the machines that we are built for.
const PAGE_BYTES: u64 = 4096;

/// When the store was last tried, and what came of it.
type Tried = Option<(Instant, Result<(), &'static str>)>;

/// A look at a running server.
pub struct Probe {
    opening: Arc<Opening>,
    runner: Arc<Runner>,
    metrics: Arc<Metrics>,
    caller: Caller,
    files: Vec<PathBuf>,
    tried: Mutex<Tried>,
    looking: tokio::sync::Mutex<()>,
}

impl Probe {
    pub(crate) fn new(
        opening: Arc<Opening>,
        runner: Arc<Runner>,
        metrics: Arc<Metrics>,
        caller: Caller,
        files: Vec<PathBuf>,
    ) -> Arc<Self> {
        let (tried, looking) = (Mutex::default(), tokio::sync::Mutex::default());
        Arc::new(Self { opening, runner, metrics, caller, files, tried, looking })
    }

    pub(crate) fn opening(&self) -> &Arc<Opening> {
        &self.opening
    }

    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// Whether the store can be opened and read, and takes what it should; if not, why, in words that
    /// tell a stranger nothing. One looks for all who ask at the same time.
    pub(crate) async fn ready(self: &Arc<Self>) -> Result<(), &'static str> {
        let _looking = self.looking.lock().await;
        if let Some((when, found)) = *self.tried()
            && when.elapsed() < FRESH
        {
            return found;
        }
        let probe = Arc::clone(self);
        let read = tokio::task::spawn_blocking(move || probe.read());
        let found = match tokio::time::timeout(TIME_MAX, read).await {
            Ok(Ok(found)) => found,
            Ok(Err(_)) => Err("the store broke the reading off"),
            Err(_) => Err("the store does not answer"),
        };
        *self.tried() = Some((Instant::now(), found));
        found
    }

    fn read(&self) -> Result<(), &'static str> {
        let told = |why: engine::Error, text| {
            tracing::error!("{text}: {}", why.message);
            text
        };
        let engine = self.opening.get().map_err(|why| told(why, "the store cannot be opened"))?;
        let read = memory::count(&engine, &self.caller, MemoryFilter::default());
        read.map_err(|why| told(why, "the store cannot be read"))?;
        engine.refuse_trouble().map_err(|why| told(why, "the store takes no writes"))
    }

    /// Whether anything can be written, once the store is open.
    fn is_writable(&self) -> Option<bool> {
        let engine = self.opening.ready()?;
        Some(!engine.is_read_only() && engine.refuse_trouble().is_ok())
    }

    fn tried(&self) -> std::sync::MutexGuard<'_, Tried> {
        self.tried.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// All figures, as Prometheus reads them.
    pub(crate) fn figures(&self) -> String {
        let load = self.runner.load();
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let bytes = self.files.iter().filter_map(|file| Some(fs::metadata(file).ok()?.len())).sum();
        let gauge = |name, help, value| Gauge { name, help, value };
        let usual = [
            gauge("lorekeep_calls_running", "Calls at work.", count(load.running)),
            gauge("lorekeep_calls_waiting", "Calls that wait for a turn.", count(load.waiting)),
            gauge("lorekeep_store_bytes", "Size of the database.", bytes),
        ];
        let writable = self
            .is_writable()
            .map(|is| gauge("lorekeep_store_writable", "1 if it takes writes.", u64::from(is)));
        let resident = resident_bytes()
            .map(|value| gauge("process_resident_memory_bytes", "Memory in use.", value));
        let descriptors =
            open_descriptors().map(|value| gauge("process_open_fds", "Open descriptors.", value));
        let gauges: Vec<Gauge> =
            usual.into_iter().chain(writable).chain(resident).chain(descriptors).collect();
        self.metrics.text(&gauges)
    }
}

/// The memory of this process, where the system tells.
fn resident_bytes() -> Option<u64> {
    let sizes = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = sizes.split_whitespace().nth(1)?.parse().ok()?;
    pages.checked_mul(PAGE_BYTES)
}

/// The open descriptors of this process, where the system tells.
fn open_descriptors() -> Option<u64> {
    let open = fs::read_dir("/proc/self/fd").ok()?.count();
    u64::try_from(open).ok()
}
