//! How often backups are made and how many are kept, as it was set.

use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use serde::Deserialize;
use store::Rhythm;

/// What one place says. Keys are those of the table `backups` in the configuration file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Partial {
    keep: Option<usize>,
    every: Option<String>,
    max_age: Option<String>,
}

impl Partial {
    /// What a variable says: `keep=7,every=24h,max-age=90d`.
    pub(crate) fn of_pairs(pairs: impl IntoIterator<Item = (String, String)>) -> Result<Self> {
        let mut partial = Self::default();
        for (name, value) in pairs {
            match name.as_str() {
                "keep" => {
                    let number = value.parse();
                    partial.keep = Some(number.map_err(|_| {
                        anyhow!("keep is {value:?}; it takes a whole number, 0 for no backups")
                    })?);
                }
                "every" => partial.every = Some(value),
                "max-age" => partial.max_age = Some(value),
                _ => return Err(anyhow!("{name:?} is unknown; it takes keep, every or max-age")),
            }
        }
        Ok(partial)
    }

    /// This place's word, and the other's where this one says nothing.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            keep: self.keep.or(other.keep),
            every: self.every.or(other.every),
            max_age: self.max_age.or(other.max_age),
        }
    }

    /// What holds in the end.
    pub(crate) fn settle(self) -> Result<Rhythm> {
        let usual = Rhythm::default();
        let every = self.every.as_deref().map(time).transpose().context("backups.every")?;
        let age_max = self.max_age.as_deref().map(time).transpose().context("backups.max-age")?;
        let keep = self.keep.unwrap_or(usual.keep);
        let every = every.unwrap_or(usual.every);
        Ok(Rhythm {
            keep: if every.is_zero() { 0 } else { keep },
            every,
            age_max: age_max.unwrap_or(usual.age_max),
        })
    }
}

/// A time such as `24h`.
fn time(text: &str) -> Result<Duration> {
    let wrong = || anyhow!("{text:?} is no time; it takes a number with s, m, h or d, e.g. 24h");
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or_else(wrong)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 24 * 3_600,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
}

/// A time as [`time`] reads it.
pub(crate) fn shown(time: Duration) -> String {
    let seconds = time.as_secs();
    let (number, unit) = match seconds {
        _ if seconds.is_multiple_of(3_600) => (seconds / 3_600, 'h'),
        _ if seconds.is_multiple_of(60) => (seconds / 60, 'm'),
        _ => (seconds, 's'),
    };
    format!("{number}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_as_it_is_written() {
        for text in ["90s", "5m", "24h", "48h"] {
            assert_eq!(shown(time(text).unwrap()), text);
        }
    }

    #[test]
    fn times_are_numbers_with_a_unit() {
        for (text, seconds) in
            [("0", 0), ("90s", 90), ("5m", 300), ("24h", 86_400), ("2d", 172_800)]
        {
            assert_eq!(time(text).unwrap(), Duration::from_secs(seconds));
        }
        for text in ["", "h", "5", "5w", "-1h", "1.5h", "ü"] {
            let why = time(text).unwrap_err().to_string();
            assert!(why.contains("e.g. 24h"), "{text:?}: {why}");
        }
    }

    #[test]
    fn what_stands_nearer_wins_and_zero_is_off() {
        let of = |text: &str| toml::from_str::<Partial>(text).unwrap();
        let both = of("keep = 2").or(of("keep = 5\nevery = \"1h\"\nmax-age = \"0\""));
        let rhythm = both.settle().unwrap();
        assert_eq!((rhythm.keep, rhythm.every.as_secs(), rhythm.age_max.as_secs()), (2, 3_600, 0));
        assert_eq!(of("every = \"0\"").settle().unwrap().keep, 0);
        assert_eq!(Partial::default().settle().unwrap(), Rhythm::default());
        let pairs = [("keep", "x")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert!(Partial::of_pairs(pairs).unwrap_err().to_string().contains("whole number"));
    }
}
