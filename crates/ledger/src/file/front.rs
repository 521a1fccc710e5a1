//! The front matter: YAML between two lines of dashes.
//!
//! What we know is read key by key, so that a flaw has its line; the whole must be YAML. Lines that
//! belong to no key of ours, and comments, are kept as they are.

use std::collections::BTreeMap;

use model::record::RECORD_CONFIDENCE_NEW;
use model::time::rfc3339;
use model::{Phase, Record, RecordId, RecordKind, Status, Timestamp, Trust};
use serde::de::IgnoredAny;

use super::Flaw;
use crate::item::scalar;

const FENCE: &str = "---";

/// The keys we know, in the order they are written.
const KEYS: [&str; 12] = [
    "fid",
    "kind",
    "status",
    "phase",
    "target",
    "confidence",
    "supersedes",
    "superseded_by",
    "superseded_at",
    "trust",
    "created_at",
    "updated_at",
];

/// What the front matter says.
#[derive(Debug)]
pub(super) struct Front {
    pub(super) id: RecordId,
    pub(super) kind: RecordKind,
    pub(super) status: Status,
    pub(super) phase: Phase,
    pub(super) trust: Trust,
    pub(super) target: String,
    pub(super) confidence: f64,
    pub(super) supersedes: Option<RecordId>,
    pub(super) superseded_by: Option<RecordId>,
    pub(super) superseded_at: Option<Timestamp>,
    pub(super) created_at: Timestamp,
    pub(super) updated_at: Timestamp,
    pub(super) rest: String,
}

/// Forms of texts that YAML may read as something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextForm {
    /// In quotes: without them the id `397397321518` is a number, and `824e32738355` infinity.
    Quoted,
    /// As they are, which is how files were written before.
    Bare,
}

/// The front matter of a record, with its fences.
pub(super) fn write(record: &Record, form: TextForm) -> String {
    let id = |id: RecordId| match form {
        TextForm::Quoted => format!("\"{id}\""),
        TextForm::Bare => id.to_string(),
    };
    let target = match form {
        TextForm::Quoted => scalar::text(&record.target),
        TextForm::Bare => record.target.clone(),
    };
    let is_closed = record.trust == Trust::HumanOnly;
    let values = [
        Some(id(record.id)),
        Some(record.kind.name().to_owned()),
        Some(record.status.name().to_owned()),
        Some(record.phase.name().to_owned()),
        Some(target),
        Some(record.confidence.to_string()),
        record.supersedes.map(id),
        record.superseded_by.map(id),
        record.superseded_at.map(rfc3339),
        is_closed.then(|| record.trust.name().to_owned()),
        Some(rfc3339(record.created_at)),
        Some(rfc3339(record.updated_at)),
    ];
    let lines = KEYS.iter().zip(values).filter_map(|(key, value)| Some((key, value?)));
    let mut text = format!("{FENCE}\n");
    lines.for_each(|(key, value)| text.push_str(&format!("{key}: {value}\n")));
    if !record.rest.front.is_empty() {
        text.push_str(&record.rest.front);
        text.push('\n');
    }
    text.push_str(FENCE);
    text.push('\n');
    text
}

/// Where the front matter of a file ends; none if it has none or it does not end.
pub(crate) fn end(lines: &[&str]) -> Option<usize> {
    lines.first().filter(|line| line.trim_end() == FENCE)?;
    let closes = |line: &&str| matches!(line.trim_end(), "---" | "...");
    lines.iter().skip(1).position(closes).map(|at| at + 1)
}

/// The flaw of a file for which there is no end.
pub(crate) fn missing(lines: &[&str]) -> Option<Flaw> {
    let is_open = lines.first().is_some_and(|line| line.trim_end() == FENCE);
    let why = if is_open {
        "the front matter should end with a line `---`"
    } else {
        "should be `---`: a file begins with its front matter"
    };
    Some(Flaw { line: 1, why: why.to_owned() })
}

/// A key with what belongs to it.
pub(crate) struct Block<'a> {
    pub(crate) key: &'a str,
    /// From 1.
    pub(crate) line: usize,
    /// Comments before it, its own line, and what is indented below.
    pub(crate) comments: Vec<&'a str>,
    pub(crate) lines: Vec<&'a str>,
}

/// Reads the lines between the fences; the first of them is line 2.
pub(super) fn read(lines: &[&str], flaws: &mut Vec<Flaw>) -> Option<Front> {
    if let Some(flaw) = cut_off(lines.iter().copied(), 2) {
        flaws.push(flaw);
        return None;
    }
    let (blocks, ending) = blocks(lines);
    if let Some(first) = blocks.first().filter(|block| block.lines[0].starts_with(INSIDE)) {
        // Behind another key it would belong to that.
        let why = "should be a key, at the beginning of the line".to_owned();
        flaws.push(Flaw { line: first.line, why });
        return None;
    }
    let mut values = Values { known: BTreeMap::new(), flaws };
    let mut rest: Vec<&str> = Vec::new();
    let mut is_plain = true;
    for block in &blocks {
        rest.extend(&block.comments);
        if !KEYS.contains(&block.key) {
            rest.extend(&block.lines);
            is_plain = false;
        } else if let Some(value) = plain(block) {
            values.insert(block, value);
        } else {
            is_plain = false;
            values.parse(block);
        }
    }
    rest.extend(ending);
    // What is plain throughout needs no second look.
    if !is_plain && let Some(flaw) = not_yaml(lines) {
        values.flaws.clear();
        values.flaws.push(flaw);
        return None;
    }
    let front = values.front();
    front.map(|front| Front { rest: rest.join("\n").trim_end_matches('\n').to_owned(), ..front })
}

/// How lines begin that belong to the key before them.
const INSIDE: [char; 5] = [' ', '\t', '-', ']', '}'];

/// The keys of the front matter, and the comments at its end.
pub(crate) fn blocks<'a>(lines: &[&'a str]) -> (Vec<Block<'a>>, Vec<&'a str>) {
    let mut blocks: Vec<Block> = Vec::new();
    let mut comments: Vec<&str> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with('#') || line.trim().is_empty() {
            comments.push(line);
        } else if !line.starts_with(INSIDE) || blocks.is_empty() {
            let key = line.split_once(':').map_or(*line, |(key, _)| key).trim();
            let key = key.trim_matches(['"', '\'']);
            let comments = std::mem::take(&mut comments);
            blocks.push(Block { key, line: at + 2, comments, lines: vec![line] });
        } else if let Some(block) = blocks.last_mut() {
            // Blank lines and signs of number inside of a value belong to it.
            block.lines.append(&mut comments);
            block.lines.push(line);
        }
    }
    (blocks, comments)
}

/// The value of a key in one line of nothing but letters, digits and a few signs, in quotes or not.
fn plain<'a>(block: &Block<'a>) -> Option<&'a str> {
    let [line] = block.lines[..] else { return None };
    let value = line.strip_prefix(block.key)?.strip_prefix(':')?;
    let value = value.split_once(" #").map_or(value, |(value, _)| value);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.:+-".contains(c);
    let is_apart = value.is_empty() || value.starts_with(' ');
    let value = value.trim();
    let inside = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    let value = inside('"').or_else(|| inside('\'')).unwrap_or(value);
    (is_apart && value.chars().all(is_plain)).then_some(value)
}

/// How much YAML a front matter may be.
pub(crate) fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: 32, max_aliases: 32, max_anchors: 32, max_events: 20_000, max_nodes: 10_000 },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 200 },
        strict_booleans: true,
        with_snippet: false,
    }
}

/// The flaw of lines with a NUL, the first of which is the file's line `first`: for a reader of YAML they end there,
/// and nobody would look at the rest.
pub(crate) fn cut_off<'a>(lines: impl Iterator<Item = &'a str>, first: usize) -> Option<Flaw> {
    let at = lines.into_iter().position(|line| line.contains('\0'))?;
    Some(Flaw { line: at + first, why: "should be YAML: it has a NUL".to_owned() })
}

/// Why these lines are no YAML.
fn not_yaml(lines: &[&str]) -> Option<Flaw> {
    let text = lines.join("\n");
    let read: Result<BTreeMap<String, IgnoredAny>, _> =
        serde_saphyr::from_str_with_options(&text, options());
    read.err().map(|error| yaml_flaw(&error, 2, lines.len()))
}

/// The flaw of so many lines that are no YAML; the first of them is the file's line `first`.
pub(crate) fn yaml_flaw(error: &serde_saphyr::Error, first: usize, lines: usize) -> Flaw {
    let line = error.location().and_then(|place| usize::try_from(place.line()).ok());
    let told = error.without_snippet().to_string();
    let told = told.lines().next().unwrap_or_default();
    Flaw {
        line: line.unwrap_or(1).clamp(1, lines.max(1)) - 1 + first,
        why: format!("should be YAML: {told}"),
    }
}

/// The values of the keys we know.
struct Values<'a, 'f> {
    known: BTreeMap<&'a str, (usize, String)>,
    flaws: &'f mut Vec<Flaw>,
}

impl<'a> Values<'a, '_> {
    fn insert(&mut self, block: &Block<'a>, value: &str) {
        // A key without a value is one that is not there.
        if value.is_empty() || value == "~" {
            return;
        }
        let value = (block.line, value.to_owned());
        if self.known.insert(block.key, value).is_some() {
            self.flaw(block.line, format!("`{}` should be there once", block.key));
        }
    }

    /// Reads a value that is quoted, or stands in several lines.
    fn parse(&mut self, block: &Block<'a>) {
        let text = block.lines.join("\n");
        let read: Result<BTreeMap<String, String>, _> =
            serde_saphyr::from_str_with_options(&text, options());
        match read.ok().and_then(|mut values| values.remove(block.key)) {
            Some(value) => self.insert(block, value.trim()),
            None => self.flaw(block.line, format!("`{}` should be one value", block.key)),
        }
    }

    fn flaw(&mut self, line: usize, why: String) {
        self.flaws.push(Flaw { line, why });
    }

    /// The value of a key by `read`, which says what would be right.
    fn take<T>(&mut self, key: &str, what: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let (line, text) = self.known.remove(key)?;
        let value = read(&text);
        if value.is_none() {
            self.flaw(line, format!("`{key}` should be {what}, not {text:?}"));
        }
        value
    }

    /// The same for a key that must be there.
    fn require<T>(&mut self, key: &str, what: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        if !self.known.contains_key(key) {
            self.flaw(1, format!("`{key}` is missing: it should be {what}"));
            return None;
        }
        self.take(key, what, read)
    }

    fn front(mut self) -> Option<Front> {
        let before = self.flaws.len();
        let fid = "12 digits and letters a to f";
        let time = "a time such as 2026-01-31T12:00:00Z";
        let to_id = |text: &str| text.parse::<RecordId>().ok();
        let to_time = |text: &str| text.parse::<Timestamp>().ok();
        let id = self.require("fid", fid, to_id);
        let kind =
            self.require("kind", &one_of(RecordKind::ALL, RecordKind::name), RecordKind::named);
        let status = self.require("status", &one_of(Status::ALL, Status::name), Status::named);
        let phase = self.take("phase", &one_of(Phase::ALL, Phase::name), Phase::named);
        let target = "lowercase letters, digits and '_'";
        let target =
            self.require("target", target, |text| is_target(text).then(|| text.to_owned()));
        let confidence = self.take("confidence", "a number from 0 to 1", to_confidence);
        let supersedes = self.take("supersedes", fid, to_id);
        let superseded_by = self.take("superseded_by", fid, to_id);
        let superseded_at = self.take("superseded_at", time, to_time);
        let trust = self.take("trust", &one_of(Trust::ALL, Trust::name), Trust::named);
        let created_at = self.take("created_at", time, to_time);
        let updated_at = self.take("updated_at", time, to_time);
        let known = created_at.or(updated_at).unwrap_or(Timestamp::UNIX_EPOCH);
        if self.flaws.len() > before {
            return None;
        }
        Some(Front {
            id: id?,
            kind: kind?,
            status: status?,
            phase: phase.unwrap_or_default(),
            trust: trust.unwrap_or_default(),
            target: target?,
            confidence: confidence.unwrap_or(RECORD_CONFIDENCE_NEW),
            supersedes,
            superseded_by,
            superseded_at,
            created_at: created_at.unwrap_or(known),
            updated_at: updated_at.unwrap_or(known),
            rest: String::new(),
        })
    }
}

/// The names of all of them, in words.
pub(crate) fn one_of<T: Copy>(all: &[T], name: fn(T) -> &'static str) -> String {
    let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
    format!("one of {}", names.join(", "))
}

fn is_target(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    !text.is_empty() && text.chars().all(is_plain)
}

fn to_confidence(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number| (0.0..=1.0).contains(number))
}
