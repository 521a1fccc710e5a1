//! A value that a text gives: a range of numbers of one kind, or a set of choices.
//!
//! Two values of one kind exclude each other if they have nothing in common. Values of different
//! kinds are never compared.

/// What a value measures. Values of one kind are in one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A count, or a number without a unit.
    Number,
    /// A count of something in each second.
    Rate,
    /// Seconds.
    Time,
    /// Bytes.
    Bytes,
    /// Bytes in each second.
    Speed,
    /// Hundredths.
    Percent,
    /// An amount of the currency.
    Money(char),
    /// Metres.
    Length,
    /// Grams.
    Mass,
    /// A version, as [`version`] orders them.
    Version,
    /// Days since the beginning of the calendar.
    Day,
    /// Days since the beginning of any year.
    YearDay,
    /// Minutes since midnight.
    Clock,
    /// Days of the week, as a set.
    Weekday,
    /// Members of the group of the lexicon with this number, as a set.
    Choice(u16),
}

impl Kind {
    /// Whether it says when something is.
    pub(super) fn is_when(self) -> bool {
        matches!(self, Kind::Day | Kind::YearDay | Kind::Clock | Kind::Weekday)
    }
}

/// How a value bounds the time of which a text speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// Not at all: it is what the text says.
    None,
    /// Up to then.
    Until,
    /// From then on.
    Since,
}

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Value {
    pub(super) kind: Kind,
    /// The least it can be.
    pub(super) low: f64,
    /// The most it can be.
    pub(super) high: f64,
    /// The choices, for the kinds that are sets.
    pub(super) set: u64,
    /// What one of its unit is in the unit of its kind.
    pub(super) scale: f64,
    pub(super) bound: Bound,
    /// The same read as a range of versions, if it can be one.
    pub(super) version: Option<(f64, f64)>,
    /// How it was written.
    pub(super) text: Box<str>,
}

impl Value {
    /// The one number `number`.
    pub(super) fn exactly(kind: Kind, number: f64) -> Value {
        Value::between(kind, number, number)
    }

    /// Anything from `low` to `high`.
    pub(super) fn between(kind: Kind, low: f64, high: f64) -> Value {
        Value {
            kind,
            low,
            high,
            set: 0,
            scale: 1.0,
            bound: Bound::None,
            version: None,
            text: "".into(),
        }
    }

    /// Any of `set`.
    pub(super) fn among(kind: Kind, set: u64) -> Value {
        Value { set, ..Value::between(kind, 0.0, 0.0) }
    }

    /// Whether the two are of kinds that can be compared.
    pub(super) fn is_like(&self, other: &Value) -> bool {
        self.bound == other.bound
            && (self.kind == other.kind
                || self.as_version(other.kind).is_some()
                || other.as_version(self.kind).is_some())
    }

    /// Whether not both can be right. Only for values that are alike.
    pub(super) fn excludes(&self, other: &Value) -> bool {
        if matches!(self.kind, Kind::Weekday | Kind::Choice(_)) {
            return self.set & other.set == 0;
        }
        let (a_low, a_high) = self.as_version(other.kind).unwrap_or((self.low, self.high));
        let (b_low, b_high) = other.as_version(self.kind).unwrap_or((other.low, other.high));
        let slack = self.slack(other);
        let room = |x: f64, y: f64| slack * x.abs().max(y.abs());
        let apart = |high: f64, low: f64| high < low && low - high > room(low, high);
        apart(a_high, b_low) || apart(b_high, a_low)
    }

    /// Whether it is like `other` and leaves nothing of it out.
    pub(super) fn covers(&self, other: &Value) -> bool {
        self.is_like(other)
            && !self.excludes(other)
            && other.set & !self.set == 0
            && (self.kind != other.kind
                || (self.low <= other.low * (1.0 + 1e-9) && self.high >= other.high * (1.0 - 1e-9)))
    }

    /// How far apart two equal values may be: months are not of one length, and megabytes are
    /// counted by thousands or by 1,024.
    fn slack(&self, other: &Value) -> f64 {
        let units_differ = self.scale != other.scale;
        match self.kind {
            Kind::Version | Kind::Day => 0.0,
            Kind::Bytes | Kind::Time | Kind::Speed if units_differ => 0.05,
            _ => 1e-9,
        }
    }

    /// A number, read as a version where it meets one.
    fn as_version(&self, other: Kind) -> Option<(f64, f64)> {
        let meets = self.kind == Kind::Number && other == Kind::Version;
        self.version.filter(|_| meets)
    }
}

/// The range of what a version can mean: `1.2` is everything from 1.2.0 up to, not including, 1.3.
/// None if a part is so large that it is no version.
pub(super) fn version(parts: &[u32]) -> Option<(f64, f64)> {
    const PARTS: usize = 4;
    const PART: f64 = 8192.0;
    if parts.is_empty() || parts.iter().any(|part| *part >= 8191) {
        return None;
    }
    let (mut low, mut step) = (0.0, PART.powi(PARTS as i32));
    for part in parts.iter().take(PARTS) {
        step /= PART;
        low += f64::from(*part) * step;
    }
    Some((low, low + step - 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_version(parts: &[u32]) -> Value {
        let (low, high) = version(parts).unwrap();
        Value::between(Kind::Version, low, high)
    }

    #[test]
    fn a_short_version_is_all_that_begin_with_it() {
        assert!(of_version(&[1, 2, 3]).excludes(&of_version(&[1, 3])));
        assert!(!of_version(&[2]).excludes(&of_version(&[2, 0])));
        assert!(!of_version(&[3]).excludes(&of_version(&[3, 11, 4, 7])));
        assert!(of_version(&[3, 11, 4, 7]).excludes(&of_version(&[3, 11, 4, 8])));
        assert_eq!(version(&[2026, 9999]), None);
    }

    #[test]
    fn a_whole_number_can_be_a_version() {
        let eighteen = Value { version: version(&[18]), ..Value::exactly(Kind::Number, 18.0) };
        assert!(eighteen.is_like(&of_version(&[20])));
        assert!(eighteen.excludes(&of_version(&[20])));
        assert!(!of_version(&[18, 4]).excludes(&eighteen));
    }

    #[test]
    fn ranges_that_meet_do_not_exclude_each_other() {
        let few = Value::between(Kind::Number, f64::NEG_INFINITY, 5.0);
        let many = Value::between(Kind::Number, 5.0, f64::INFINITY);
        assert!(!few.excludes(&many));
        assert!(few.excludes(&Value::exactly(Kind::Number, 6.0)));
    }
}
