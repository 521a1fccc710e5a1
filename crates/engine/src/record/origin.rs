//! Where a record is from, in the front matter of its file: what is trusted less than an agent stays so wherever the
//! file goes, into another store, too. What a file says of itself lowers the trust, and never raises it.

use model::{Metadata, Provenance, Record, TrustLevel};
use serde_json::Value;

/// The key of our own note; it must be none that a record's file has already.
const LEVEL: &str = "trust_level";
const SOURCE: &str = "source";

/// Where a record is from, lowered by what its file says of that.
pub(super) fn heeded(provenance: &Provenance, record: &Record) -> Provenance {
    provenance.lowered_by(&told(&record.rest.front))
}

/// Notes in the front matter that a record is trusted less than an agent, unless it says so already.
pub(super) fn note(record: &mut Record, provenance: &Provenance) {
    let agent = Provenance { level: TrustLevel::Agent, ..provenance.clone() };
    if provenance.level >= heeded(&agent, record).level {
        return;
    }
    let front = &mut record.rest.front;
    let has = told(front);
    let mut lines: Vec<String> = front.lines().map(str::to_owned).collect();
    lines.retain(|line| key(line) != Some(LEVEL));
    lines.push(format!("{LEVEL}: {}", provenance.level.name()));
    if let Some(source) = provenance.source.as_ref().filter(|_| !has.contains_key(SOURCE)) {
        // A text of JSON is one of YAML, on one line.
        lines.push(format!("{SOURCE}: {}", Value::from(source.as_str())));
    }
    *front = lines.join("\n");
}

fn key(line: &str) -> Option<&str> {
    let is_own = !line.starts_with([' ', '\t', '#', '-']);
    line.split_once(':').filter(|_| is_own).map(|(key, _)| key.trim())
}

/// The keys of a front matter that have their value beside them.
fn told(front: &str) -> Metadata {
    let pair = |line: &str| {
        let key = key(line)?;
        let (_, value) = line.split_once(':')?;
        let value = value.trim().trim_matches(['"', '\'']);
        Some((key.to_owned(), Value::from(value)))
    };
    front.lines().filter_map(pair).collect()
}
