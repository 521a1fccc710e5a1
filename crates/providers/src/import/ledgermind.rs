//! LedgerMind: decisions as Markdown with front matter, in a git repository. What happened (its episodic
//! database) is not read.

use engine::import::{Incoming, Source};
use model::record::{
    REASON_CHARS_MIN, RECORD_CONFIDENCE_NEW, TARGET_CHARS_MAX, TITLE_CHARS_MIN, is_target,
};
use model::{
    Metadata, Namespace, Phase, Record, RecordId, RecordKind, Rest, Status, Timestamp, Trust,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::front::{self, Note};
use super::value::{text, texts, time_of};
use super::{File, Format};

pub(super) fn read(file: &File<'_>) -> Result<Source, String> {
    let mut source = Source::new(Format::LedgerMind.name(), &file.name);
    let note = front::note(file.text);
    if let Some(flaw) = note.flaw {
        return Err(flaw);
    }
    let place = format!("{}:1", file.name);
    if note.front.is_empty() {
        source.skip(place, "it has no front matter, so it is no decision");
        return Ok(source);
    }
    match record(file, &note) {
        Ok(record) => source.incoming.push(Incoming::Decision { place, record: Box::new(record) }),
        Err(why) => source.skip(place, why),
    }
    Ok(source)
}

fn record(file: &File<'_>, note: &Note<'_>) -> Result<Record, String> {
    let empty = Metadata::new();
    let front = &note.front;
    // Newer versions keep what was decided below `context`.
    let context = front.get("context").and_then(Value::as_object).unwrap_or(&empty);
    let field = |keys: &[&str]| text(context, keys).or_else(|| text(front, keys));
    let kind = match field(&["kind"]).unwrap_or("decision") {
        "decision" | "assumption" | "intervention" => RecordKind::Decision,
        "proposal" => RecordKind::Proposal,
        "constraint" => RecordKind::Constraint,
        other => {
            return Err(format!("kind is {other:?}; it takes decision, proposal or constraint"));
        }
    };
    let heading = note.body.lines().find_map(|line| line.strip_prefix("# "));
    let title = field(&["title"]).or(heading).or_else(|| text(front, &["content"]));
    let title = title.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    if title.chars().count() < TITLE_CHARS_MIN {
        return Err(format!("its title {title:?} has less than {TITLE_CHARS_MIN} characters"));
    }
    let rationale = field(&["rationale"]).map_or_else(|| body(note.body), str::to_owned);
    let rationale = rationale.replace("\r\n", "\n").trim().to_owned();
    if rationale.chars().count() < REASON_CHARS_MIN {
        return Err(format!("its rationale has less than {REASON_CHARS_MIN} characters"));
    }
    let stem = file.stem();
    let fid = field(&["fid", "decision_id", "id"]).unwrap_or(&stem);
    let times = |keys: &[&str]| time_of(front, keys).or_else(|| time_of(context, keys));
    let created_at = times(&["created_at", "timestamp", "first_seen"])
        .or_else(|| file.modified())
        .unwrap_or(Timestamp::UNIX_EPOCH);
    let updated_at = times(&["updated_at", "last_seen"]).unwrap_or(created_at).max(created_at);
    let superseded_by = field(&["superseded_by"]).map(id_of);
    let status = status(kind, field(&["status"]), superseded_by.is_some())?;
    Ok(Record {
        id: id_of(fid),
        namespace: namespace(field(&["namespace"])),
        kind,
        status,
        phase: field(&["phase"]).and_then(Phase::named).unwrap_or_default(),
        trust: Trust::Open,
        title,
        target: target(field(&["target"]).unwrap_or("general")),
        rationale,
        consequences: list(context, front, "consequences"),
        confidence: confidence(context, front),
        evidence: Vec::new(),
        supersedes: list(context, front, "supersedes").first().map(|fid| id_of(fid)),
        superseded_by,
        superseded_at: superseded_by.map(|_| times(&["superseded_at"]).unwrap_or(updated_at)),
        created_at,
        updated_at,
        rest: Rest::default(),
    })
}

/// The text below the title, where no rationale is told apart.
fn body(body: &str) -> String {
    let sections = front::sections(body, 1);
    let named = |section: &&front::Section| {
        section.headings.last().is_some_and(|heading| heading.eq_ignore_ascii_case("rationale"))
    };
    sections.iter().find(named).or(sections.first()).map_or(String::new(), |s| s.text.clone())
}

fn status(kind: RecordKind, word: Option<&str>, is_superseded: bool) -> Result<Status, String> {
    let Some(word) = word else {
        return Ok(if is_superseded { Status::Superseded } else { Status::of_new(kind) });
    };
    match word.to_lowercase().as_str() {
        "accepted" => Ok(Status::Active),
        "falsified" => Ok(Status::Rejected),
        other => Status::named(other).ok_or_else(|| {
            format!(
                "status is {word:?}; it takes active, superseded, deprecated, rejected or draft"
            )
        }),
    }
}

fn list(context: &Metadata, front: &Metadata, key: &str) -> Vec<String> {
    let value = context.get(key).or_else(|| front.get(key));
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        other => texts(other),
    }
    .into_iter()
    .map(|text| text.trim().to_owned())
    .filter(|text| !text.is_empty())
    .collect()
}

fn confidence(context: &Metadata, front: &Metadata) -> f64 {
    let told = context.get("confidence").or_else(|| front.get("confidence"));
    let told = told.and_then(Value::as_f64).filter(|value| (0.0..=1.0).contains(value));
    told.unwrap_or(RECORD_CONFIDENCE_NEW)
}

/// The id of ours that stands for one of theirs: itself where it has our form.
fn id_of(fid: &str) -> RecordId {
    let fid = fid.rsplit('/').next().unwrap_or(fid);
    let fid = fid.strip_suffix(".md").unwrap_or(fid);
    fid.parse().unwrap_or_else(|_| {
        let digest = Sha256::digest(fid.as_bytes());
        let mut bytes = [0; 6];
        bytes.copy_from_slice(&digest[..6]);
        RecordId(bytes)
    })
}

/// What a decision is about, in our letters.
fn target(text: &str) -> String {
    let plain: String = text
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .take(TARGET_CHARS_MAX)
        .collect();
    if is_target(&plain) { plain } else { "general".to_owned() }
}

fn namespace(text: Option<&str>) -> Namespace {
    text.and_then(|text| text.parse().ok()).unwrap_or_default()
}
