//! What a call costs: the processor time of this process, the least of several rounds.
//!
//! Instructions would be steadier, but few virtual machines count them. A busy machine makes
//! processor time longer (caches, a shared core), never shorter, so that the least of enough rounds is
//! near the true cost. Rounds of both stores alternate, and there are more of them as long as the
//! bound is not met: noise makes a test slower, and only growth makes it fail.

use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::sys::resource::{UsageWho, getrusage};

/// So many rounds are made at the least, and so many before a test fails.
const ROUNDS_MIN: usize = 3;
const ROUNDS_MAX: usize = 40;

/// One measurement at a time: with `cargo test` all of them share a process.
static ALONE: Mutex<()> = Mutex::new(());

/// Holds off every other measurement of this process.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Fails if a round of `large` costs more than `factor_max` times a round of `small`. Each is told the
/// number of the round, from 0; the first rounds do not count.
#[track_caller]
pub(crate) fn assert_growth(
    what: &str,
    factor_max: f64,
    mut small: impl FnMut(usize),
    mut large: impl FnMut(usize),
) {
    small(0);
    large(0);
    let (mut least_small, mut least_large) = (f64::INFINITY, f64::INFINITY);
    for round in 1..=ROUNDS_MAX {
        least_small = least_small.min(micros(|| small(round)));
        least_large = least_large.min(micros(|| large(round)));
        if round >= ROUNDS_MIN && least_large <= factor_max * least_small {
            let factor = least_large / least_small;
            println!(
                "{what}: {least_small:.0} µs, {least_large:.0} µs: {factor:.2} × (at most {factor_max})"
            );
            return;
        }
    }
    let factor = least_large / least_small;
    panic!(
        "{what}: a round took {least_small:.0} µs of processor time in the small store and {least_large:.0} in \
         the large one, {factor:.1} × as much; at most {factor_max} × is wanted"
    );
}

/// The processor time that `work` takes in this process, in microseconds.
fn micros(work: impl FnOnce()) -> f64 {
    let before = used_micros();
    work();
    (used_micros() - before) as f64
}

/// The processor time of all threads of this process so far.
fn used_micros() -> i64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("the system tells what was used");
    let micros = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    micros(usage.user_time()) + micros(usage.system_time())
}

#[test]
#[should_panic(expected = "at most 3 × is wanted")]
fn a_cost_that_grows_fails() {
    let _alone = alone();
    let work = |count: u64| (0..count * 2_000).fold(0_u64, |sum, n| std::hint::black_box(sum ^ n));
    assert_growth("a sum", 3.0, |_| _ = work(10), |_| _ = work(100));
}
