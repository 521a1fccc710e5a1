//! Points in time, in UTC, to the microsecond (what the store keeps).
//!
//! Nothing here asks the time; a clock is handed in where one is needed.

pub use jiff::Timestamp;
pub use jiff::civil::Date;

/// The day of `time`, in UTC.
pub fn day(time: Timestamp) -> Date {
    time.to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// The point in time `micros` microseconds after the Unix epoch, if the calendar reaches it.
pub fn from_micros(micros: i64) -> Option<Timestamp> {
    Timestamp::from_microsecond(micros).ok()
}

/// `time` in the form every contract speaks: RFC 3339 in UTC, always with six fractional digits,
/// so that the text sorts like the time.
pub fn rfc3339(time: Timestamp) -> String {
    format!("{time:.6}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_time_sorts_like_the_time() {
        let whole = from_micros(1_700_000_000_000_000).map(rfc3339);
        let later = from_micros(1_700_000_000_000_001).map(rfc3339);
        assert_eq!(whole.as_deref(), Some("2023-11-14T22:13:20.000000Z"));
        assert_eq!(later.as_deref(), Some("2023-11-14T22:13:20.000001Z"));
        assert!(whole < later);
    }

    #[test]
    fn a_time_beyond_the_calendar_is_none() {
        assert_eq!(from_micros(i64::MAX), None);
    }
}
