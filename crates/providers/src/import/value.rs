//! Values as others write them: times, kinds, lists of tags, weights.

use engine::import::IncomingMemory;
use model::{Actor, Importance, Kind, Metadata, Timestamp, time};
use serde_json::Value;

/// The first of these keys that holds a text that is not empty.
pub(super) fn text<'a>(object: &'a Metadata, keys: &[&str]) -> Option<&'a str> {
    let found = keys.iter().find_map(|key| object.get(*key)?.as_str());
    found.map(str::trim).filter(|text| !text.is_empty())
}

/// The first of these keys that holds a text or a number, as text.
pub(super) fn word(object: &Metadata, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| match object.get(*key)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// What tells where something is from.
pub(super) fn sources(object: &Metadata) -> Metadata {
    let told = object.iter().filter(|(name, _)| Actor::is_told_by(name));
    told.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The texts of a list, or of a text with commas.
pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(list)) => {
            list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        Some(Value::String(text)) => tags(text),
        _ => Vec::new(),
    }
}

/// Tags as a text tells them: JSON, or words between commas.
pub(super) fn tags(text: &str) -> Vec<String> {
    if let Ok(Value::Array(list)) = serde_json::from_str(text) {
        return list.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    }
    text.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}

/// The time that one of these keys tells.
pub(super) fn time_of(object: &Metadata, keys: &[&str]) -> Option<Timestamp> {
    keys.iter().find_map(|key| match object.get(*key)? {
        Value::String(text) => told_time(text),
        Value::Number(number) => counted_time(number.as_f64()?),
        _ => None,
    })
}

/// A time in words: with or without a zone, or a day.
pub(super) fn told_time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let whole = |at: Timestamp| time::from_micros(at.as_microsecond());
    if let Ok(at) = text.parse::<Timestamp>() {
        return whole(at);
    }
    if let Ok(number) = text.parse::<f64>() {
        return counted_time(number);
    }
    let civil = text.parse::<jiff::civil::DateTime>();
    whole(civil.ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
}

/// A time as a number: seconds, milliseconds or microseconds since 1970, by its size.
pub(super) fn counted_time(number: f64) -> Option<Timestamp> {
    if !number.is_finite() || number <= 0.0 {
        return None;
    }
    let micros = match number {
        n if n < 1e11 => n * 1e6,
        n if n < 1e14 => n * 1e3,
        n => n,
    };
    // Beyond the calendar it is no time.
    (micros < 9e15).then(|| time::from_micros(micros.round() as i64))?
}

/// What kind of memory a word of another system means.
pub(super) fn kind(word: &str) -> Option<Kind> {
    let word = word.trim().to_lowercase().replace(['-', ' '], "_");
    Some(match word.as_str() {
        "preference" | "preferences" | "user" => Kind::Preference,
        "decision" | "decisions" | "choice" => Kind::Decision,
        "golden_rule" => Kind::GoldenRule,
        "pattern" | "learning" | "lesson" | "insight" | "feedback" | "procedure" | "technique" => {
            Kind::Pattern
        }
        "session" | "task" | "todo" | "context" => Kind::Session,
        "fact" | "core" | "note" | "observation" | "reference" | "project" => Kind::Fact,
        _ => return None,
    })
}

/// How much something matters: a word, 0..1, or a number up to 10.
pub(super) fn importance(value: &Value) -> Option<f64> {
    match value {
        Value::String(word) => match word.to_lowercase().as_str() {
            "critical" | "high" => Some(Importance::High.value()),
            "medium" | "normal" => Some(Importance::Medium.value()),
            "low" => Some(Importance::Low.value()),
            other => scaled(other.parse().ok()?),
        },
        Value::Number(number) => scaled(number.as_f64()?),
        _ => None,
    }
}

/// A weight in 0..1, where it may have been given in 0..10.
pub(super) fn scaled(number: f64) -> Option<f64> {
    match number {
        n if (0.0..=1.0).contains(&n) => Some(n),
        n if (1.0..=10.0).contains(&n) => Some(n / 10.0),
        _ => None,
    }
}

/// Sets what a memory is about; a word that we do not know becomes its category, unless it has one.
pub(super) fn set_kind(memory: &mut IncomingMemory, word: Option<&str>) {
    let Some(word) = word else { return };
    match kind(word) {
        Some(kind) => memory.kind = kind,
        None => {
            memory.category.get_or_insert_with(|| word.chars().take(50).collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_form() {
        let at = |text: &str| told_time(text).map(time::rfc3339);
        let noon = Some("2025-03-01T12:00:00.000000Z".to_owned());
        for text in [
            "2025-03-01T12:00:00Z",
            "2025-03-01T13:00:00+01:00",
            "2025-03-01 12:00:00",
            "1740830400",
            "1740830400000",
            "1740830400.0",
        ] {
            assert_eq!(at(text), noon, "{text}");
        }
        assert_eq!(at("2025-03-01"), Some("2025-03-01T00:00:00.000000Z".to_owned()));
        for text in ["", "soon", "-5", "1e300", "NaN"] {
            assert_eq!(at(text), None, "{text}");
        }
    }

    #[test]
    fn tags_are_read_as_json_or_between_commas() {
        assert_eq!(tags(r#"["a", "b"]"#), ["a", "b"]);
        assert_eq!(tags("a, b,,"), ["a", "b"]);
    }
}
