//! Old violations that are known, in a file.
//!
//! A violation is known by whose rule it breaks, where, and by the text of the line, not by its
//! number: lines move. The file is made once, and from then on only loses entries.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use model::{Item, Target};
use rules::Finding;
use serde::{Deserialize, Serialize};

/// Where it lies below the root of a project, unless somebody says so.
pub(super) const FILE: &str = ".lorekeep/baseline.json";

/// The version of the format.
const VERSION: u32 = 1;

/// What a violation is known by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Key {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    item: String,
    operator: String,
    target: String,
    pattern: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    key: Key,
    count: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    violations: Vec<Line>,
}

/// The known violations, and how many of each there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Baseline {
    counts: BTreeMap<Key, usize>,
}

impl Key {
    pub(super) fn of(item: &Item, finding: &Finding) -> Self {
        let excerpt = finding.excerpt.as_deref();
        // A dependency stays the same one in another version.
        let is_name = finding.target == Target::Dependency.name();
        let text = excerpt.map(|text| text.split(' ').next().filter(|_| is_name).unwrap_or(text));
        Self {
            file: finding.location.as_ref().map(|place| place.file.clone()),
            item: item.id.clone(),
            operator: finding.operator.clone(),
            target: finding.target.clone(),
            pattern: finding.pattern.clone(),
            text: text.map(str::to_owned),
        }
    }

    /// All of it in one text, which no other key has.
    pub(super) fn text(&self) -> String {
        let Self { file, item, operator, target, pattern, text } = self;
        let [file, text] = [file, text].map(|part| part.as_deref().unwrap_or_default());
        [item, operator, target, pattern, file, text].join("\0")
    }
}

impl Baseline {
    /// The baseline in a file; none if there is no such file.
    pub(super) fn read(path: &Path) -> Result<Option<Self>> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| broken(path)),
        };
        Self::parse(&text).map(Some).with_context(|| broken(path))
    }

    fn parse(text: &str) -> Result<Self> {
        let Document { version, violations } = serde_json::from_str(text)?;
        if version != VERSION {
            bail!("`version` is {version}; this program reads {VERSION}");
        }
        let mut baseline = Self::default();
        for Line { key, count } in violations {
            let known = baseline.counts.entry(key).or_default();
            *known = known.saturating_add(count);
        }
        Ok(baseline)
    }

    /// The baseline of these violations.
    pub(super) fn of(keys: impl IntoIterator<Item = Key>) -> Self {
        let mut baseline = Self::default();
        for key in keys {
            *baseline.counts.entry(key).or_default() += 1;
        }
        baseline
    }

    /// Takes one violation out of it; whether there was one.
    pub(super) fn take(&mut self, key: Key) -> bool {
        let Entry::Occupied(mut count) = self.counts.entry(key) else { return false };
        *count.get_mut() = count.get().saturating_sub(1);
        if *count.get() == 0 {
            count.remove();
        }
        true
    }

    /// The part of it that is about none of these files.
    pub(super) fn without_files(&self, files: &[&str]) -> Self {
        let is_other = |key: &Key| key.file.as_deref().is_none_or(|file| !files.contains(&file));
        let counts = self.counts.iter().filter(|(key, _)| is_other(key));
        Self { counts: counts.map(|(key, count)| (key.clone(), *count)).collect() }
    }

    /// What is left of it without those.
    pub(super) fn without(&self, others: &Self) -> Self {
        let left = |(key, count): (&Key, &usize)| {
            let left = count.saturating_sub(others.counts.get(key).copied().unwrap_or(0));
            (left > 0).then(|| (key.clone(), left))
        };
        Self { counts: self.counts.iter().filter_map(left).collect() }
    }

    /// How many violations it holds.
    pub(super) fn len(&self) -> usize {
        self.counts.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Writes it, a line for each entry; who reads it meanwhile sees the old one or the new one.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let failed = || format!("the baseline {} cannot be written", path.display());
        let lines: Vec<String> = self
            .counts
            .iter()
            .map(|(key, count)| {
                let line = Line { key: key.clone(), count: *count };
                Ok(format!("    {}", serde_json::to_string(&line)?))
            })
            .collect::<Result<_>>()?;
        let lines = if lines.is_empty() { String::new() } else { lines.join(",\n") + "\n  " };
        let lines = if lines.is_empty() { lines } else { format!("\n{lines}") };
        let text = format!("{{\n  \"version\": {VERSION},\n  \"violations\": [{lines}]\n}}\n");
        let whole = std::path::absolute(path)?;
        let folder = whole.parent().map_or_else(|| PathBuf::from("."), Path::to_owned);
        std::fs::create_dir_all(&folder).with_context(failed)?;
        let mut file = tempfile::Builder::new()
            .prefix(".baseline")
            .permissions(permissions())
            .tempfile_in(&folder)
            .with_context(failed)?;
        file.write_all(text.as_bytes()).with_context(failed)?;
        file.persist(&whole).with_context(failed)?;
        Ok(())
    }
}

/// Those of any other file of a project.
fn permissions() -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    std::fs::Permissions::from_mode(0o644)
}

fn broken(path: &Path) -> String {
    format!("the baseline {} cannot be read, and was not changed", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(file: &str, text: &str) -> Key {
        let [item, operator, target, pattern] = ["adr", "must_not_use", "code", "x"];
        Key {
            file: Some(file.to_owned()),
            item: item.to_owned(),
            operator: operator.to_owned(),
            target: target.to_owned(),
            pattern: pattern.to_owned(),
            text: Some(text.to_owned()),
        }
    }

    #[test]
    fn a_baseline_is_read_as_it_was_written_and_sorted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/baseline.json");
        assert_eq!(Baseline::read(&path).unwrap(), None);
        for keys in [vec![], vec![key("b", "x\"\n"), key("a", "y"), key("b", "x\"\n")]] {
            let baseline = Baseline::of(keys.clone());
            baseline.write(&path).unwrap();
            assert_eq!(Baseline::read(&path).unwrap(), Some(baseline.clone()));
            assert_eq!(baseline.len(), keys.len());
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[3].contains(r#""file":"a""#) && lines[4].contains(r#""count":2"#), "{text}");
    }

    #[test]
    fn each_known_violation_is_taken_once() {
        let mut baseline = Baseline::of([key("a", "x"), key("a", "x")]);
        assert!(!baseline.take(key("a", "y")));
        assert!(baseline.take(key("a", "x")) && baseline.take(key("a", "x")));
        assert!(!baseline.take(key("a", "x")));
        assert_eq!(baseline.len(), 0);
    }

    #[test]
    fn a_broken_baseline_names_its_file_and_what_would_be_right() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("baseline.json");
        for (text, why) in [
            ("{", "EOF"),
            (r#"{"version": 2, "violations": []}"#, "`version` is 2"),
            (r#"{"version": 1, "violations": [{"item": 5, "count": 1}]}"#, "invalid type"),
            (r#"{"version": 1}"#, "missing field `violations`"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = format!("{:#}", Baseline::read(&path).unwrap_err());
            assert!(error.contains("baseline.json") && error.contains(why), "{error}");
        }
    }
}
