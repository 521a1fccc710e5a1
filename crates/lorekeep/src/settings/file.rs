//! A configuration file: read whole or not at all, and split into the settings that it makes. An error
//! names the file, the line and the key, never the text of a line.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use toml::de::{DeTable, DeValue};

use super::kind::Value;
use super::table::{self, SetBy, Setting};

/// No larger file is read.
pub(crate) const FILE_BYTES_MAX: u64 = 1 << 20;

/// A nearer name than this is offered for one that does not exist.
const NEAR_MIN: f64 = 0.8;

/// One setting that a file makes.
pub(crate) struct Entry {
    pub setting: &'static Setting,
    pub value: Value,
    /// The line, from 1.
    pub line: usize,
}

/// The text of a configuration file, which must be a regular file of moderate size.
pub(crate) fn read(path: &Path) -> Result<String> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot open {shown}"))?;
    let found = file.metadata().with_context(|| format!("cannot read {shown}"))?;
    if !found.is_file() {
        bail!("{shown} is not a regular file");
    }
    let mut text = String::new();
    if found.len() <= FILE_BYTES_MAX {
        let mut limited = file.take(FILE_BYTES_MAX + 1);
        limited.read_to_string(&mut text).with_context(|| format!("cannot read {shown}"))?;
    }
    if found.len().max(text.len() as u64) > FILE_BYTES_MAX {
        bail!("{shown} is larger than 1 MB ({} bytes), so it was not read", found.len());
    }
    Ok(text)
}

/// The settings that a text makes; `path` is for messages, and relative paths are below its folder.
pub(crate) fn parse(text: &str, path: &Path) -> Result<Vec<Entry>> {
    let line_of = |span: Range<usize>| 1 + text[..span.start].matches('\n').count();
    let at = |line: usize| format!("{}:{line}", path.display());
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, line_of);
        anyhow!("{}: not valid TOML: {}", at(line), error.message())
    })?;
    let mut found = Vec::new();
    flatten("", table.get_ref(), &mut |key, span, value| {
        let line = line_of(span);
        let Some(setting) = find(&key, value) else {
            return match is_group(&key) {
                true if value.is_table() => Ok(true),
                true => Err(anyhow!("{}: {key} must be a table", at(line))),
                false => Err(anyhow!("{}: {}", at(line), unknown(&key))),
            };
        };
        let value = setting.kind.read(value);
        let value = value.map_err(|why| anyhow!("{}: {key} {why}", at(line)))?;
        let value = setting.kind.anchored(value, path.parent().unwrap_or(Path::new(".")));
        found.push(Entry { setting, value, line });
        Ok(false)
    })?;
    Ok(found)
}

/// Visits every key with its full name; `visit` says whether to go into a table.
fn flatten<'t>(
    prefix: &str,
    table: &'t DeTable<'t>,
    visit: &mut dyn FnMut(String, Range<usize>, &'t DeValue<'t>) -> Result<bool>,
) -> Result<()> {
    for (key, value) in table {
        let name = format!("{prefix}{}", key.get_ref());
        if visit(name.clone(), key.span(), value.get_ref())?
            && let Some(inner) = value.get_ref().as_table()
        {
            flatten(&format!("{name}."), inner, visit)?;
        }
    }
    Ok(())
}

/// The setting of a key. A table of settings may stand for its first one by a plain text: `http = "ADDR"`.
fn find(key: &str, value: &DeValue<'_>) -> Option<&'static Setting> {
    let is_in_files = |setting: &&Setting| !matches!(setting.set_by, SetBy::Environment);
    let named = |key: &str| table::all().filter(is_in_files).find(|row| row.key == key);
    let short = || named(&format!("{key}.address")).filter(|_| value.is_str());
    named(key).or_else(short)
}

fn is_group(key: &str) -> bool {
    let prefix = format!("{key}.");
    table::all().any(|setting| setting.key.starts_with(&prefix))
}

/// The message about a key that does not exist, with the nearest that does.
pub(crate) fn unknown(key: &str) -> String {
    let near = table::all()
        .map(|setting| (strsim::jaro_winkler(setting.key, key), setting.key))
        .filter(|(likeness, _)| *likeness >= NEAR_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match near {
        Some((_, near)) => format!("unknown key {key:?}; did you mean {near:?}?"),
        None => format!("unknown key {key:?}; `lorekeep config list` shows all keys"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(text, Path::new("/p/lorekeep.toml")).err().unwrap().to_string()
    }

    #[test]
    fn an_error_names_file_line_and_key() {
        assert_eq!(
            error("\nrolle = \"user\""),
            "/p/lorekeep.toml:2: unknown key \"rolle\"; did you mean \"role\"?"
        );
        assert!(error("planets = 3").ends_with("`lorekeep config list` shows all keys"));
        assert_eq!(
            error("role = \"root\""),
            "/p/lorekeep.toml:1: role must be guest, user or admin (got \"root\")"
        );
        assert!(error("[http]\n\nlimits.rat = 1").starts_with("/p/lorekeep.toml:3: unknown key"));
        assert!(error("[http]\nlimits.burst = 0").contains("burst must be a whole number from 1"));
        assert!(error("http = 7").contains(":1: http must be a table"));
        assert!(error("toolsets = \"all\"").contains("must be a list of names (got \"all\")"));
        assert!(error("embedder-key = \"x\"").contains("unknown key"), "no secrets in files");
    }

    #[test]
    fn an_error_never_shows_the_text_of_a_line() {
        for text in
            ["host:5432:db:ada:hunter2", "machine x\nlogin ada password hunter2", "a = hunter2"]
        {
            let told = error(text);
            assert!(told.contains(":1: not valid TOML") && !told.contains("hunter2"), "{told}");
        }
    }

    #[test]
    fn a_table_may_be_given_by_its_address_alone() {
        let of = |text: &str| {
            let entries = parse(text, Path::new("/p/lorekeep.toml")).unwrap();
            entries.into_iter().map(|e| (e.setting.key, e.value.shown())).collect::<Vec<_>>()
        };
        let address = [("http.address", "\"127.0.0.1:1\"".to_owned())];
        assert_eq!(of("http = \"127.0.0.1:1\""), address);
        assert_eq!(of("[http]\naddress = \"127.0.0.1:1\""), address);
        assert_eq!(of("data-dir = \"d\""), [("data-dir", "\"/p/d\"".to_owned())]);
    }
}
