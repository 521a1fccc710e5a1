//! A memory as a person sees it and as a program reads it, and what one may be made of.

use std::io::{Read, stdin};

use anyhow::{Context, Result, bail};
use engine::limits::TAGS_MAX;
use engine::{Clock, Engine, Error, ErrorKind, trust};
use model::{Layer, Memory, MemoryId, Timestamp, time};
use providers::SystemClock;
use serde_json::{Value, json};

use crate::output::one_line;

/// A memory has no more characters than this.
const TEXT_CHARS_MAX: usize = 100_000;

/// A tag has no more characters than this.
const TAG_CHARS_MAX: usize = 100;

/// So many digits tell memories apart where they are listed.
const SHORT_DIGITS: usize = 8;

/// What a reader must know of a memory beside its text, behind the text.
pub(super) fn cautioned(engine: &Engine, memory: &Memory, text: &str) -> String {
    let caution = trust::caution(engine, memory).told();
    caution.map_or_else(|| text.to_owned(), |caution| format!("{text} [{}]", one_line(&caution)))
}

/// A memory, for a program.
pub(super) fn describe(engine: &Engine, memory: &Memory) -> Value {
    json!({
        "id": memory.id.prefixed(),
        "layer": memory.scope.layer.name(),
        "owner": memory.scope.owner,
        "namespace": memory.scope.namespace(),
        "kind": memory.kind.name(),
        "content": memory.content,
        "category": memory.category,
        "tags": memory.tags,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "is_golden": memory.is_golden(),
        "origin": memory.origin.name(),
        "metadata": memory.metadata,
        "thread": memory.thread,
        "archived": memory.archived,
        "access_count": memory.access_count,
        "created_at": time::rfc3339(memory.created_at),
        "updated_at": time::rfc3339(memory.updated_at),
        "accessed_at": time::rfc3339(memory.accessed_at),
        "revision": memory.revision,
        "provenance": {
            "trust": memory.provenance.level.name(),
            "who": memory.provenance.who,
            "client": memory.provenance.client,
            "tool": memory.provenance.tool,
            "source": memory.provenance.source,
        },
        "caution": trust::caution(engine, memory).told(),
    })
}

/// The first digits of an id, which name the memory well enough.
pub(super) fn short(id: MemoryId) -> String {
    let digits = id.prefixed();
    digits.chars().skip(MemoryId::PREFIX.len()).take(SHORT_DIGITS).collect()
}

/// A text that can be kept, without white space at its ends.
pub(super) fn kept(text: &str) -> Result<String> {
    let text = text.trim();
    let length = text.chars().count();
    if length == 0 {
        bail!("there is no text; type it behind the command, or pipe it in");
    }
    if length > TEXT_CHARS_MAX {
        bail!("the text has {length} characters; it takes 1 to {TEXT_CHARS_MAX}");
    }
    Ok(text.to_owned())
}

/// Refuses tags that a memory cannot have; `field` is where they were given.
pub(super) fn check_tags(field: &str, tags: &[String]) -> Result<()> {
    if tags.len() > TAGS_MAX {
        bail!("{field} got {} tags; a memory may have {TAGS_MAX}", tags.len());
    }
    let is_bad = |tag: &&String| !(1..=TAG_CHARS_MAX).contains(&tag.chars().count());
    if let Some(tag) = tags.iter().find(is_bad) {
        bail!("{field} got {tag:?}; it takes 1 to {TAG_CHARS_MAX} characters");
    }
    Ok(())
}

/// What stands on standard input.
pub(super) fn from_input() -> Result<String> {
    let mut text = String::new();
    stdin().read_to_string(&mut text).context("standard input")?;
    Ok(text)
}

/// An error that also says what to type next.
pub(super) fn hinted(error: Error, layer: Option<Layer>) -> Error {
    let hint = match (error.kind, layer) {
        (ErrorKind::NotFound, _) => "`lorekeep list` shows what there is".to_owned(),
        (ErrorKind::Forbidden, Some(layer)) => {
            format!("--identity {}=ID names one", layer.name())
        }
        _ => return error,
    };
    Error { message: format!("{}; {hint}", error.message), ..error }
}

/// How long ago something was, for a person.
pub(super) fn ago(at: Timestamp) -> String {
    let seconds = SystemClock.now().as_second().saturating_sub(at.as_second());
    match age(seconds).as_str() {
        "now" => "just now".to_owned(),
        age => format!("{age} ago"),
    }
}

/// So long, in the largest unit that fits.
pub(super) fn age(seconds: i64) -> String {
    const UNITS: [(i64, &str); 6] = [
        (365 * 86_400, "year"),
        (30 * 86_400, "month"),
        (7 * 86_400, "week"),
        (86_400, "day"),
        (3_600, "hour"),
        (60, "minute"),
    ];
    let fitting = UNITS.into_iter().find(|(length, _)| seconds >= *length);
    let Some((length, unit)) = fitting else { return "now".to_owned() };
    let count = seconds / length;
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_the_largest_unit_that_fits() {
        for (seconds, told) in [
            (-5, "now"),
            (59, "now"),
            (60, "1 minute"),
            (7_199, "1 hour"),
            (7_200, "2 hours"),
            (13 * 86_400, "1 week"),
            (800 * 86_400, "2 years"),
        ] {
            assert_eq!(age(seconds), told);
        }
    }

    #[test]
    fn a_text_is_kept_without_its_margins_if_there_is_one() {
        assert_eq!(kept(" a\nb \n").unwrap(), "a\nb");
        assert!(kept(" \n").is_err());
        assert!(kept(&"x".repeat(TEXT_CHARS_MAX + 1)).is_err());
    }

    #[test]
    fn a_tag_has_bounds() {
        assert!(check_tags("--tag", &["a".to_owned()]).is_ok());
        let why = check_tags("--tag", &[String::new()]).unwrap_err().to_string();
        assert_eq!(why, "--tag got \"\"; it takes 1 to 100 characters");
    }
}
