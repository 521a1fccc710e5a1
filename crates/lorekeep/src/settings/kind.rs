//! Kinds of settings. A kind parses the text of an option or variable, or the value of a file, and
//! words the error once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::de::DeValue;

/// The kind of value that a setting accepts.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// `true` or `false`; `1` and `0` too in a variable.
    Bool,
    /// A whole number, not below the first and not above the second.
    Int(u64, u64),
    /// Any text that is not empty.
    Text,
    /// A file or folder; a relative one is relative to the file that names it, else to the working
    /// directory.
    Path,
    /// Files or folders; a variable separates them as `PATH` does.
    Paths,
    /// Names that this function accepts; separated by commas outside a file.
    List(fn(&str) -> Result<(), String>),
    /// Texts by name; `NAME=VALUE` outside a file.
    Map,
    /// A number with s, m, h or d; 0 alone.
    Duration,
    /// One of these names.
    OneOf(fn() -> Vec<&'static str>),
    /// A text that this function accepts.
    Checked(fn(&str) -> Result<(), String>),
    /// A text that is never shown.
    Secret,
}

/// The value of a setting, as its kind parsed it. An accessor of another kind gives what is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Bool(bool),
    Int(u64),
    Text(String),
    List(Vec<String>),
    Map(BTreeMap<String, String>),
}

impl Value {
    pub(crate) fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }

    pub(crate) fn number(&self) -> u64 {
        if let Self::Int(number) = self { *number } else { 0 }
    }

    pub(crate) fn text(&self) -> String {
        if let Self::Text(text) = self { text.clone() } else { String::new() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(self.text())
    }

    pub(crate) fn list(&self) -> Vec<String> {
        if let Self::List(list) = self { list.clone() } else { Vec::new() }
    }

    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.list().into_iter().map(PathBuf::from).collect()
    }

    pub(crate) fn map(&self) -> BTreeMap<String, String> {
        if let Self::Map(map) = self { map.clone() } else { BTreeMap::new() }
    }

    pub(crate) fn duration(&self) -> Duration {
        duration(&self.text()).unwrap_or_default()
    }

    /// For people, and as a file would say it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Bool(value) => value.to_string(),
            Self::Int(number) => number.to_string(),
            Self::Text(text) => format!("{text:?}"),
            Self::List(list) => format!("{list:?}"),
            Self::Map(map) => {
                let pairs: Vec<_> = map.iter().map(|(k, v)| format!("{k:?} = {v:?}")).collect();
                format!("{{ {} }}", pairs.join(", "))
            }
        }
    }
}

impl Kind {
    /// Parses a word of the command line or of a variable.
    pub(crate) fn parse(self, text: &str) -> Result<Value, String> {
        let wrong = || Err(format!("must be {} (got {text:?})", self.accepts()));
        match self {
            Self::Bool => match text {
                "1" | "true" => Ok(Value::Bool(true)),
                "0" | "false" => Ok(Value::Bool(false)),
                _ => wrong(),
            },
            Self::Int(min, max) => match text.parse() {
                Ok(number) if (min..=max).contains(&number) => Ok(Value::Int(number)),
                _ => wrong(),
            },
            Self::List(check) => checked(check, words(text)),
            Self::Paths => {
                let paths = std::env::split_paths(text);
                let texts = paths.map(|path| path.into_os_string().into_string());
                Ok(Value::List(texts.collect::<Result<_, _>>().or_else(|_| wrong_paths(text))?))
            }
            Self::Map => pairs(&words(&text.replace(' ', ","))).map(Value::Map),
            _ => self.admit(text.to_owned()),
        }
    }

    /// Reads the value of a file.
    pub(crate) fn read(self, value: &DeValue<'_>) -> Result<Value, String> {
        let wrong = || Err(format!("must be {} (got {})", self.accepts(), described(value)));
        match (self, value) {
            (Self::Bool, DeValue::Boolean(value)) => Ok(Value::Bool(*value)),
            (Self::Int(..), DeValue::Integer(number)) => {
                let digits = u64::from_str_radix(number.as_str(), number.radix());
                digits.map_or_else(|_| wrong(), |number| self.parse(&number.to_string()))
            }
            (Self::List(_) | Self::Paths, DeValue::Array(items)) => {
                let texts = items.iter().map(|item| item.get_ref().as_str().map(str::to_owned));
                let Some(list) = texts.collect::<Option<_>>() else { return wrong() };
                if let Self::List(check) = self {
                    checked(check, list)
                } else {
                    Ok(Value::List(list))
                }
            }
            (Self::Map, DeValue::Table(table)) => {
                let pairs = table.iter().map(|(name, value)| {
                    Some((name.get_ref().to_string(), value.get_ref().as_str()?.to_owned()))
                });
                pairs.collect::<Option<_>>().map_or_else(wrong, |map| Ok(Value::Map(map)))
            }
            (Self::Bool | Self::Int(..) | Self::List(_) | Self::Paths | Self::Map, _) => wrong(),
            (_, DeValue::String(text)) => self.admit(text.to_string()),
            _ => wrong(),
        }
    }

    /// The kinds that are one text.
    fn admit(self, text: String) -> Result<Value, String> {
        let is_right = match self {
            Self::OneOf(names) => {
                let name = text.to_lowercase();
                if names().contains(&name.as_str()) {
                    return Ok(Value::Text(name));
                }
                false
            }
            Self::Duration => duration(&text).is_some(),
            Self::Checked(check) => return check(&text).map(|()| Value::Text(text)),
            _ => !text.is_empty(),
        };
        match is_right {
            true => Ok(Value::Text(text)),
            false => Err(format!("must be {} (got {text:?})", self.accepts())),
        }
    }

    /// The accepted values, for messages.
    pub(crate) fn accepts(self) -> String {
        match self {
            Self::Bool => "true or false".to_owned(),
            Self::Int(0, u64::MAX) => "a whole number".to_owned(),
            Self::Int(min, u64::MAX) => format!("a whole number from {min}"),
            Self::Int(min, max) => format!("a whole number from {min} to {max}"),
            Self::Text | Self::Checked(_) | Self::Secret => "a text".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::Paths => "a list of paths".to_owned(),
            Self::List(_) => "a list of names".to_owned(),
            Self::Map => "names with a text each".to_owned(),
            Self::Duration => "a time such as 90s, 5m, 24h or 7d; 0 for none".to_owned(),
            Self::OneOf(names) => alternatives(&names()),
        }
    }

    /// The same value with a relative path made absolute.
    pub(crate) fn anchored(self, value: Value, dir: &Path) -> Value {
        let absolute = |text: String| dir.join(text).to_string_lossy().into_owned();
        match (self, value) {
            (Self::Path, Value::Text(text)) => Value::Text(absolute(text)),
            (Self::Paths, Value::List(list)) => {
                Value::List(list.into_iter().map(absolute).collect())
            }
            (_, value) => value,
        }
    }
}

/// `a, b or c`.
pub(crate) fn alternatives(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn checked(check: fn(&str) -> Result<(), String>, list: Vec<String>) -> Result<Value, String> {
    list.iter().try_for_each(|word| check(word)).map(|()| Value::List(list))
}

fn words(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn wrong_paths(text: &str) -> Result<Vec<String>, String> {
    Err(format!("must be a list of paths in UTF-8 (got {text:?})"))
}

/// The pairs `NAME=VALUE` of some words.
pub(crate) fn pairs(words: &[String]) -> Result<BTreeMap<String, String>, String> {
    let pair = |word: &String| {
        let (name, value) =
            word.split_once('=').ok_or_else(|| format!("must be NAME=VALUE (got {word:?})"))?;
        Ok((name.to_owned(), value.to_owned()))
    };
    words.iter().map(pair).collect()
}

fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Boolean(value) => value.to_string(),
        other => format!("a TOML {}", other.type_str()),
    }
}

fn duration(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 24 * 3_600,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(seconds).map(Duration::from_secs)
}

/// A time in the form that a setting takes.
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
    fn a_duration_is_a_number_with_a_unit() {
        for text in ["90s", "5m", "24h", "48h"] {
            assert_eq!(duration(text).map(shown).as_deref(), Some(text));
        }
        for (text, seconds) in
            [("0", 0), ("90s", 90), ("5m", 300), ("24h", 86_400), ("2d", 172_800)]
        {
            assert_eq!(duration(text), Some(Duration::from_secs(seconds)));
        }
        for text in ["", "h", "5", "5w", "-1h", "1.5h", "ü", "999999999999999999d"] {
            let why = Kind::Duration.parse(text).unwrap_err();
            assert!(why.contains("24h") && why.contains(&format!("{text:?}")), "{why}");
        }
    }

    #[test]
    fn an_error_says_what_is_accepted_and_what_was_given() {
        let wrong = |kind: Kind, text: &str| kind.parse(text).unwrap_err();
        assert_eq!(wrong(Kind::Bool, "maybe"), "must be true or false (got \"maybe\")");
        assert_eq!(wrong(Kind::Int(1, 9), "0"), "must be a whole number from 1 to 9 (got \"0\")");
        let names = Kind::OneOf(|| vec!["guest", "user", "admin"]);
        assert_eq!(wrong(names, "root"), "must be guest, user or admin (got \"root\")");
        assert_eq!(wrong(Kind::Map, "a"), "must be NAME=VALUE (got \"a\")");
        assert_eq!(names.parse("Admin"), Ok(Value::Text("admin".into())));
    }
}
