//! Running a call: a place among those at work, a time limit, and an answer whatever happens.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engine::{Error, ErrorKind, Result};
use tokio_util::sync::CancellationToken;
use tools::Pace;

use crate::places::{Asked, Load, Place, Places, Tenant};

/// How many calls at once, and how long one may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLimits {
    /// How many work at the same time.
    pub running_max: usize,
    /// How many more wait for their turn; what comes beyond is refused at once. Where several callers
    /// wait, each has its share of it.
    pub waiting_max: usize,
    /// How long a call may wait for its turn; then it is refused, and nothing was done.
    pub wait_max: Duration,
    /// How long a call may work.
    pub time_max: Duration,
    /// How many long calls work at the same time, beside the others.
    pub long_running_max: usize,
    /// How long a long call may work.
    pub long_time_max: Duration,
}

impl CallLimits {
    /// How many calls of all kinds work at the same time.
    pub fn all_running_max(&self) -> usize {
        self.running_max + self.long_running_max
    }
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            running_max: 64,
            waiting_max: 65_536,
            wait_max: Duration::from_secs(3600),
            time_max: Duration::from_secs(60),
            long_running_max: 4,
            long_time_max: Duration::from_secs(3600),
        }
    }
}

/// Runs calls within their limits, off the async threads.
pub(crate) struct Runner {
    limits: CallLimits,
    places: Arc<Places>,
    /// Long calls have places of their own, so that they cannot take those of all others.
    long_places: Arc<Places>,
    /// How long quick calls took of late, in microseconds: a moving average.
    quick_micros: Arc<AtomicU64>,
}

/// Quick calls run where they arrive only while they take less than this: on a large store a search
/// is slow enough to be worth another thread, and must not keep the others from being served.
const QUICK_MICROS_MAX: u64 = 500;

impl Runner {
    pub(crate) fn new(limits: CallLimits) -> Self {
        Self {
            limits,
            places: Places::new(limits.running_max, limits.waiting_max),
            long_places: Places::new(limits.long_running_max, limits.waiting_max),
            quick_micros: Arc::default(),
        }
    }

    /// How many calls work and wait now.
    pub(crate) fn load(&self) -> Load {
        let (usual, long) = (self.places.load(), self.long_places.load());
        Load { running: usual.running + long.running, waiting: usual.waiting + long.waiting }
    }

    /// Runs `work` on a thread where it may block, when it is this tenant's turn. A call that was cancelled before its turn is not
    /// begun; one that is late, or panics, is answered with an error. A late one keeps its place
    /// until it ends, so that there are never more than the limit at work.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        pace: Pace,
        tenant: &Tenant,
        cancelled: &CancellationToken,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (places, time_max) = match pace {
            Pace::Quick | Pace::Waiting => (&self.places, self.limits.time_max),
            Pace::Long => (&self.long_places, self.limits.long_time_max),
        };
        let place = tokio::select! {
            biased;
            () = cancelled.cancelled() => return Err(abandoned()),
            place = self.place(places, tenant) => place?,
        };
        let work = tokio::task::spawn_blocking(move || {
            let _place = place;
            work()
        });
        match tokio::time::timeout(time_max, work).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(join)) => Err(broken(join)),
            Err(_) => Err(late(time_max)),
        }
    }

    /// Whether quick calls are quick enough to run where they arrive.
    pub(crate) fn is_quick(&self) -> bool {
        self.quick_micros.load(Ordering::Relaxed) < QUICK_MICROS_MAX
    }

    /// Runs `work` right here: for calls that are short and wait for nobody. The store ends a read
    /// that takes too long.
    pub(crate) fn run_here<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let _timed = self.timer().start();
        // What a panic leaves behind in the engine is no worse than what a killed process leaves.
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(&*panic)))
    }

    /// Takes the time of a quick call.
    pub(crate) fn timer(&self) -> Timer {
        Timer { began: Instant::now(), average: Arc::clone(&self.quick_micros) }
    }

    /// A place, when it is this tenant's turn.
    async fn place(&self, places: &Arc<Places>, tenant: &Tenant) -> Result<Place> {
        let max = self.limits.waiting_max;
        let refused = |text| Error::new(ErrorKind::Limit, text);
        let turn = match places.ask(tenant) {
            Some(Asked::Place(place)) => return Ok(place),
            Some(Asked::Turn(turn)) => turn,
            None => {
                let text =
                    format!("{max} calls are waiting already; try again when some are answered");
                return Err(refused(text));
            }
        };
        match tokio::time::timeout(self.limits.wait_max, turn.place()).await {
            Ok(place) => place.ok_or_else(abandoned),
            Err(_) => {
                let seconds = self.limits.wait_max.as_secs_f64();
                let text = format!("the call waited {seconds} s for its turn; nothing was done");
                Err(refused(text))
            }
        }
    }
}

/// Takes the time from its start to its end into the average of quick calls.
pub(crate) struct Timer {
    began: Instant,
    average: Arc<AtomicU64>,
}

impl Timer {
    /// The time counts from now on.
    pub(crate) fn start(mut self) -> Self {
        self.began = Instant::now();
        self
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        let took = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        let old = self.average.load(Ordering::Relaxed);
        // Two at once may overwrite each other: it is a hint, and nobody waits for it.
        let new = old.saturating_mul(7).saturating_add(took) / 8;
        self.average.store(new, Ordering::Relaxed);
    }
}

fn late(time_max: Duration) -> Error {
    let seconds = time_max.as_secs_f64();
    Error::new(
        ErrorKind::Timeout,
        format!(
            "the call took longer than {seconds} s and was given up; \
             what it writes may still come to be"
        ),
    )
}

fn abandoned() -> Error {
    Error::new(ErrorKind::Timeout, "the call was cancelled before its turn; nothing was done")
}

fn broken(join: tokio::task::JoinError) -> Error {
    match join.try_into_panic() {
        Ok(panic) => panicked(&*panic),
        Err(_) => abandoned(),
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let mut why = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    // It may tell some of what was sent, and goes to the log.
    engine::secrets::take(engine::secrets::Policy::Redact, &mut why);
    tracing::error!("a call panicked: {why}");
    Error::new(ErrorKind::Internal, format!("internal error: {why}; the server goes on"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() -> Tenant {
        "one".into()
    }

    fn runner(running_max: usize, waiting_max: usize, ms: u64) -> Arc<Runner> {
        let time_max = Duration::from_millis(ms);
        let limits = CallLimits { running_max, waiting_max, time_max, ..CallLimits::default() };
        Arc::new(Runner::new(limits))
    }

    #[tokio::test]
    async fn a_panic_is_answered_and_the_next_call_works() {
        let runner = runner(1, 1, 5_000);
        let open = CancellationToken::new();
        let error = runner
            .run::<()>(Pace::Waiting, &one(), &open, || panic!("ouch {}", 7))
            .await
            .unwrap_err();
        assert_eq!(error.kind, ErrorKind::Internal);
        assert_eq!(error.message, "internal error: ouch 7; the server goes on");
        assert_eq!(runner.run(Pace::Waiting, &one(), &open, || Ok(1)).await, Ok(1));
        let error = runner.run_here::<()>(|| panic!("ouch")).unwrap_err();
        assert_eq!(error.message, "internal error: ouch; the server goes on");
    }

    #[tokio::test]
    async fn quick_calls_that_became_slow_give_up_their_place_and_get_it_back() {
        let runner = runner(1, 1, 5_000);
        assert!(runner.is_quick());
        let slow = || {
            std::thread::sleep(Duration::from_millis(20));
            Ok(())
        };
        runner.run_here(slow).unwrap();
        assert!(!runner.is_quick(), "one slow call is enough");
        let open = CancellationToken::new();
        for _ in 0..64 {
            let timer = runner.timer();
            let work = move || {
                let _timed = timer.start();
                Ok(())
            };
            runner.run(Pace::Waiting, &one(), &open, work).await.unwrap();
        }
        assert!(runner.is_quick(), "and quick ones make up for it");
    }

    #[tokio::test]
    async fn a_late_call_is_answered_and_keeps_its_place_until_it_ends() {
        let runner = runner(1, 9, 1_000);
        let open = CancellationToken::new();
        let (finish, finished) = std::sync::mpsc::channel::<()>();
        let late = runner
            .run(Pace::Waiting, &one(), &open, move || Ok(finished.recv().is_ok()))
            .await
            .unwrap_err();
        assert_eq!(late.kind, ErrorKind::Timeout);
        assert_eq!(runner.places.load().running, 1);
        finish.send(()).unwrap();
        assert_eq!(runner.run(Pace::Waiting, &one(), &open, || Ok(1)).await, Ok(1));
    }

    #[tokio::test]
    async fn long_calls_have_few_places_of_their_own_and_more_time() {
        let limits = CallLimits {
            running_max: 1,
            time_max: Duration::from_secs(1),
            long_running_max: 1,
            ..CallLimits::default()
        };
        let runner = Arc::new(Runner::new(limits));
        let open = CancellationToken::new();
        let (finish, finished) = std::sync::mpsc::channel::<()>();
        let long = {
            let (runner, open) = (Arc::clone(&runner), open.clone());
            let work = move || Ok(finished.recv().is_ok());
            tokio::spawn(async move { runner.run(Pace::Long, &one(), &open, work).await })
        };
        while runner.long_places.load().running == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(runner.run(Pace::Waiting, &one(), &open, || Ok(1)).await, Ok(1), "others go on");
        let second = CancellationToken::new();
        let tenant = one();
        let waits = runner.run(Pace::Long, &tenant, &second, || Ok(true));
        let waited = tokio::time::timeout(Duration::from_millis(1_500), waits).await;
        assert!(waited.is_err(), "the next long one waits");
        finish.send(()).unwrap();
        assert_eq!(long.await.unwrap(), Ok(true), "it had more than the usual time");
    }

    #[tokio::test]
    async fn a_call_cancelled_before_its_turn_is_not_begun() {
        let runner = runner(1, 9, 5_000);
        let cancelled = CancellationToken::new();
        cancelled.cancel();
        let error = runner
            .run::<()>(Pace::Waiting, &one(), &cancelled, || panic!("begun"))
            .await
            .unwrap_err();
        assert!(error.message.contains("cancelled before its turn"));
    }

    #[tokio::test]
    async fn what_comes_beyond_the_queue_is_refused_at_once() {
        let runner = runner(1, 1, 5_000);
        let open = CancellationToken::new();
        let (finish, finished) = std::sync::mpsc::channel::<()>();
        let (running, begun) = tokio::sync::oneshot::channel();
        let first = {
            let (runner, open) = (Arc::clone(&runner), open.clone());
            tokio::spawn(async move {
                let work = move || {
                    let _ = running.send(());
                    Ok(finished.recv().is_ok())
                };
                runner.run(Pace::Waiting, &one(), &open, work).await
            })
        };
        begun.await.unwrap();
        let second = {
            let (runner, open) = (Arc::clone(&runner), open.clone());
            tokio::spawn(async move { runner.run(Pace::Waiting, &one(), &open, || Ok(true)).await })
        };
        while runner.load().waiting == 0 {
            tokio::task::yield_now().await;
        }
        let third = runner.run(Pace::Waiting, &one(), &open, || Ok(true)).await.unwrap_err();
        assert_eq!(third.kind, ErrorKind::Limit);
        finish.send(()).unwrap();
        assert_eq!(first.await.unwrap(), Ok(true));
        assert_eq!(second.await.unwrap(), Ok(true));
        assert_eq!(runner.load().waiting, 0);
    }

    #[tokio::test]
    async fn who_waits_too_long_is_refused_and_nothing_is_done() {
        let limits = CallLimits {
            running_max: 1,
            wait_max: Duration::from_millis(20),
            ..CallLimits::default()
        };
        let runner = Arc::new(Runner::new(limits));
        let open = CancellationToken::new();
        let (finish, finished) = std::sync::mpsc::channel::<()>();
        let first = {
            let (runner, open) = (Arc::clone(&runner), open.clone());
            let work = move || Ok(finished.recv().is_ok());
            tokio::spawn(async move { runner.run(Pace::Waiting, &one(), &open, work).await })
        };
        while runner.load().running == 0 {
            tokio::task::yield_now().await;
        }
        let late = runner.run::<()>(Pace::Waiting, &one(), &open, || panic!("begun")).await;
        assert_eq!(late.unwrap_err().kind, ErrorKind::Limit);
        assert_eq!(runner.load(), Load { running: 1, waiting: 0 });
        finish.send(()).unwrap();
        assert_eq!(first.await.unwrap(), Ok(true));
    }
}
