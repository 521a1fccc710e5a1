//! Times that a clock gave which was set back since, or ran ahead.

use std::time::Duration;

use model::{Timestamp, time};
use store::Health;

use super::{Finding, State, finding};

/// Clocks that are kept right over a network move by no more than this.
const AHEAD_MAX: Duration = Duration::from_secs(60);

pub(super) fn look(health: &Health, now: Timestamp) -> Vec<Finding> {
    let limit = now.checked_add(AHEAD_MAX).unwrap_or(now);
    let ahead = health.newest.filter(|newest| *newest > limit);
    let ahead = ahead.map(|newest| {
        format!(
            "the newest thing in the store is dated {}, and it is {} here: what is written now is taken \
             for older; mend: set the clock of this machine right. If it is right, it ran ahead before, \
             and this ends by itself",
            time::rfc3339(newest),
            time::rfc3339(now)
        )
    });
    let backwards = (health.changed_before_made > 0).then(|| {
        format!(
            "{} memories, records or entities are dated as changed before they were made: the clock was \
             set back in between; the next change of each rights its date",
            health.changed_before_made
        )
    });
    let all = ahead.into_iter().chain(backwards);
    all.map(|text| finding("clock", State::Worth, text)).collect()
}
