//! Waiting for a server, and what its times say.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::Value;

use super::client::Client;

/// How long a snapshot, or the end of what a server does in the background, is waited for.
const PATIENCE: Duration = Duration::from_secs(180);

/// How often it is looked for, and how little a server does that does nothing.
const PAUSE: Duration = Duration::from_millis(250);
const IDLE_SECONDS: f64 = 0.015;

/// Waits until the server has nothing to do any more.
pub(super) fn settle(client: &Client) -> Result<()> {
    let mut last = client.cpu_seconds();
    wait_for(|| {
        let now = client.cpu_seconds();
        let is_idle = now.zip(last).is_none_or(|(now, last)| now - last < IDLE_SECONDS);
        last = now;
        is_idle
    })
}

/// Waits until it is so.
pub(super) fn wait_for(mut is_so: impl FnMut() -> bool) -> Result<()> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        std::thread::sleep(PAUSE);
        if is_so() {
            return Ok(());
        }
    }
    bail!("the server was still at work after {} s", PATIENCE.as_secs())
}

/// The time since then, in milliseconds.
pub(super) fn millis(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e3
}

/// The times, the shortest first.
pub(super) fn sorted(times: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    times
}

/// What this share of the sorted times does not exceed.
pub(super) fn share(sorted: &[f64], share: f64) -> f64 {
    let at = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied().unwrap_or(0.0)
}

/// The median time of a call in milliseconds, after one that does not count.
pub(super) fn median(client: &mut Client, tool: &str, given: &Value, calls: usize) -> Result<f64> {
    client.call(tool, given)?;
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let began = Instant::now();
        client.call(tool, given)?;
        times.push(millis(began));
    }
    Ok(share(&sorted(times.into_iter()), 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_times_is_not_exceeded() {
        let times = sorted((1..=200).rev().map(f64::from));
        assert_eq!([0.5, 0.95, 0.99].map(|part| share(&times, part)), [100.0, 190.0, 198.0]);
        assert_eq!(share(&[], 0.5), 0.0);
    }
}
