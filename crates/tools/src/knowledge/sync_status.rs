//! `sync_status`.

use engine::{Result, knowledge};
use model::{Role, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Context, Effect, Tool};
use crate::wire::DateTime;

/// Check the status of memory-knowledge synchronization.
///
/// # When to use
/// To see when knowledge was last synced, and whether an item failed.
///
/// # Usage
/// ```json
/// {}
/// ```
///
/// # Returns
/// `healthy`: no failed item, and the last sync succeeded or none has run yet; `lastSyncAt` (null before
/// the first), `timeSinceSync` in words, `failedItems`, and `stats` over all syncs.
///
/// # Errors
/// None of its own.
///
/// # Related
/// `knowledge::status`: `sync_now` puts it right.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SyncStatus {}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SyncStatusResponse {
    healthy: bool,
    last_sync_at: Option<DateTime>,
    time_since_sync: String,
    failed_items: usize,
    stats: Stats,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Stats {
    total_syncs: u64,
    total_items_synced: u64,
    avg_sync_duration_ms: f64,
}

impl Tool for SyncStatus {
    const NAME: &'static str = "sync_status";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    type Response = SyncStatusResponse;

    fn call(self, cx: &Context<'_>) -> Result<SyncStatusResponse> {
        let status = knowledge::status(cx.engine, cx.caller)?;
        let stats = status.stats;
        let average = stats.micros as f64 / stats.syncs.max(1) as f64 / 1e3;
        Ok(SyncStatusResponse {
            healthy: status.healthy,
            last_sync_at: stats.last_at.map(Into::into),
            time_since_sync: stats.last_at.map_or("never".to_owned(), |at| since(at, status.now)),
            failed_items: status.failures.len(),
            stats: Stats {
                total_syncs: stats.syncs,
                total_items_synced: stats.items,
                avg_sync_duration_ms: (average * 1e3).round() / 1e3,
            },
        })
    }
}

/// How long ago, in the greatest unit that fits.
fn since(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(at).as_secs().max(0);
    let (count, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check;

    #[test]
    fn before_the_first_sync_all_is_well() {
        check(
            r#"
            > sync_status {}
            < {"healthy": true, "lastSyncAt": null, "timeSinceSync": "never", "failedItems": 0,
               "stats": {"totalSyncs": 0, "totalItemsSynced": 0, "avgSyncDurationMs": 0.0}}
            "#,
        );
    }

    #[test]
    fn the_time_since_is_told_in_the_greatest_unit_that_fits() {
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        for (seconds, told) in [
            (0, "0 seconds ago"),
            (1, "1 second ago"),
            (59, "59 seconds ago"),
            (60, "1 minute ago"),
            (3_599, "59 minutes ago"),
            (7_200, "2 hours ago"),
            (86_400 * 3, "3 days ago"),
            (-5, "0 seconds ago"),
        ] {
            assert_eq!(since(at(1_000_000), at(1_000_000 + seconds)), told);
        }
    }
}
