//! Records as Markdown files, and back.
//!
//! `read(path, write(record))` is the record again, whatever its texts say: a line of a text that
//! would read as part of the form gets a backslash before it (`escape`). Ordinary text stays as it
//! is. What a person added that we do not know is kept word for word ([`model::Rest`]).

mod body;
pub(crate) mod escape;
pub(crate) mod flaw;
pub(crate) mod front;
mod list;

use front::TextForm;
use model::{Evidence, Record};

pub use flaw::Flaw;

/// The file of a record.
pub fn write(record: &Record) -> String {
    written(record, TextForm::Quoted)
}

/// The file of a record in each form that it may have been written in, the newest first. What was
/// written before is not written again for its form.
pub fn write_in_each_form(record: &Record) -> impl Iterator<Item = String> {
    [TextForm::Quoted, TextForm::Bare].into_iter().map(|form| written(record, form))
}

fn written(record: &Record, form: TextForm) -> String {
    let mut text = front::write(record, form);
    text.push_str("\n# ");
    text.push_str(&on_one_line(&record.title));
    text.push_str("\n\n## Rationale\n\n");
    text.push_str(&escape::escape(&record.rationale));
    text.push('\n');
    list::write(&mut text, "Consequences", record.consequences.iter().cloned());
    list::write(&mut text, "Evidence", record.evidence.iter().map(list::evidence));
    if !record.rest.body.is_empty() {
        text.push('\n');
        text.push_str(&record.rest.body);
        text.push('\n');
    }
    text
}

/// A title as its line can hold it: what ends a line elsewhere is a space.
fn on_one_line(title: &str) -> String {
    title.replace(['\n', '\r'], " ")
}

/// Reads a file; the namespace is the first folder of `path`. A person may leave out what has a
/// default: phase, confidence, times (the epoch stands for a time that is not told).
///
/// # Errors
///
/// Every flaw that was found, with its line.
pub fn read(path: &str, text: &str) -> Result<Record, Vec<Flaw>> {
    if let Some(flaw) = flaw::conflict(text) {
        return Err(vec![flaw]);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // By its first line, so that a text with a carriage return in it keeps it.
    let has_returns = text.split('\n').next().is_some_and(|line| line.ends_with('\r'));
    let line =
        |line| if has_returns { str::strip_suffix(line, '\r').unwrap_or(line) } else { line };
    let lines: Vec<&str> = text.split('\n').map(line).collect();
    let mut flaws = Vec::new();
    let namespace = path.split_once('/').and_then(|(folder, _)| folder.parse().ok());
    if namespace.is_none() {
        let why = format!(
            "{path:?} should lie in a folder named as its namespace: letters, digits, '_', '-'"
        );
        flaws.push(Flaw { line: 1, why });
    }
    let Some(end) = front::end(&lines) else {
        flaws.extend(front::missing(&lines));
        return Err(flaws);
    };
    let front = front::read(&lines[1..end], &mut flaws);
    let body = body::read(&lines[end + 1..], end + 2, &mut flaws);
    match (namespace, front, body) {
        (Some(namespace), Some(front), Some(body)) if flaws.is_empty() => {
            let evidence: Vec<Evidence> =
                body.evidence.iter().map(|item| list::read_evidence(item)).collect();
            Ok(Record {
                id: front.id,
                namespace,
                kind: front.kind,
                status: front.status,
                phase: front.phase,
                trust: front.trust,
                title: body.title,
                target: front.target,
                rationale: body.rationale,
                consequences: body.consequences,
                confidence: front.confidence,
                evidence,
                supersedes: front.supersedes,
                superseded_by: front.superseded_by,
                superseded_at: front.superseded_at,
                created_at: front.created_at,
                updated_at: front.updated_at,
                rest: model::Rest { front: front.rest, body: body.rest },
            })
        }
        _ => {
            flaws.sort_by_key(|flaw| flaw.line);
            Err(flaws)
        }
    }
}
