//! YAML, as far as a mapping of mappings in block style goes: an entry is added to a section, a
//! value replaced, an entry taken out. Lines are put in and taken out, and no other is touched;
//! anything else is refused.

use serde_json::{Map, Value};

use super::value::{Step, put, take};
use super::{Refusal, line_end, not_understood, split_mark};

/// A file of YAML that is being changed.
#[derive(Debug, Clone)]
pub(crate) struct Yaml {
    mark: String,
    text: String,
}

/// What `section` has behind its colon, and the lines below it.
struct Section {
    /// The place of its line among all.
    line: usize,
    /// The place of the first line that is not its own any more.
    end: usize,
    /// The blanks before each of its entries.
    indent: String,
    /// Whether it says `{}` or `null` instead of having lines.
    is_empty: bool,
}

impl Yaml {
    /// Reads a text that is a mapping, or nothing.
    pub(crate) fn read(text: &str) -> Result<Self, Refusal> {
        let (mark, text) = split_mark(text);
        let is_tabbed = |line: &&str| line.trim_start_matches(' ').starts_with('\t');
        if let Some(line) = text.split_inclusive('\n').find(is_tabbed) {
            let offset = line.as_ptr() as usize - text.as_ptr() as usize;
            return Err(Refusal::at(text, offset, "YAML is not indented by tabs"));
        }
        if let Some(line) = text.split_inclusive('\n').find(|line| line.starts_with("<<")) {
            let offset = line.as_ptr() as usize - text.as_ptr() as usize;
            return Err(Refusal::at(
                text,
                offset,
                "a file that is merged of others is not changed",
            ));
        }
        match parsed(text)? {
            Value::Object(_) | Value::Null => {
                Ok(Self { mark: mark.to_owned(), text: text.to_owned() })
            }
            _ => Err(Refusal::new("the file must be a mapping")),
        }
    }

    /// The text as it is now.
    pub(crate) fn into_text(self) -> String {
        self.mark + &self.text
    }

    /// What stands at a path of keys.
    pub(crate) fn get(&self, path: &[&str]) -> Option<Value> {
        let root = parsed(&self.text).ok()?;
        path.iter().try_fold(&root, |value, key| value.get(*key)).cloned()
    }

    /// Adds an entry to a section, which may be there or not.
    pub(crate) fn add(
        &mut self,
        section: &str,
        name: &str,
        values: &Map<String, Value>,
    ) -> Result<(), Refusal> {
        let end = line_end(&self.text);
        let entry = |indent: &str| {
            let lines = values
                .iter()
                .map(|(key, value)| format!("{indent}{indent}{key}: {}{end}", written(value)));
            format!("{indent}{name}:{end}{}", lines.collect::<String>())
        };
        let new = match self.section(section)? {
            None => {
                let gap = if self.text.is_empty() || self.text.ends_with('\n') { "" } else { end };
                format!("{}{gap}{section}:{end}{}", self.text, entry("  "))
            }
            Some(found) => {
                let mut lines: Vec<String> = self.lines().map(str::to_owned).collect();
                if found.is_empty {
                    let line = &mut lines[found.line];
                    let (_, comment) = split_comment(line.trim_end());
                    let comment = comment.map_or(String::new(), |comment| format!(" {comment}"));
                    *line = format!("{section}:{comment}{end}");
                }
                if let Some(last) = lines[..found.end].last_mut().filter(|one| !one.ends_with('\n'))
                {
                    last.push_str(end);
                }
                lines.insert(found.end, entry(&found.indent));
                lines.concat()
            }
        };
        let path = [Step::Key(section), Step::Key(name)];
        self.change(new, |root| put(root, &path, Value::Object(values.clone())))
    }

    /// Puts another value in the place of one that is there, on one line.
    pub(crate) fn replace(
        &mut self,
        [section, name, key]: [&str; 3],
        value: &Value,
    ) -> Result<(), Refusal> {
        let (from, to) = self.entry(section, name)?.ok_or_else(not_understood)?;
        let start = format!("{key}:");
        let mut lines: Vec<String> = self.lines().map(str::to_owned).collect();
        let line = lines[from..to].iter_mut().find(|line| line.trim_start().starts_with(&start));
        let line = line.ok_or_else(not_understood)?;
        let (kept, end) = line.split_at(line.trim_end_matches(['\r', '\n']).len());
        let indent = &kept[..kept.len() - kept.trim_start().len()];
        let (_, comment) = split_comment(kept);
        let comment = comment.map_or(String::new(), |comment| format!(" {comment}"));
        *line = format!("{indent}{key}: {}{comment}{end}", written(value));
        let path = [Step::Key(section), Step::Key(name), Step::Key(key)];
        let new = lines.concat();
        self.change(new, |root| put(root, &path, value.clone()))
    }

    /// Takes an entry out of a section. If it was the last, the section stays empty if `is_kept`
    /// says so, and is taken out if not.
    pub(crate) fn remove(
        &mut self,
        section: &str,
        name: &str,
        is_kept: bool,
    ) -> Result<(), Refusal> {
        let Some((from, to)) = self.entry(section, name)? else { return Ok(()) };
        let is_last = self
            .get(&[section])
            .and_then(|value| Some(value.as_object()?.len() == 1))
            .unwrap_or_default();
        let end = line_end(&self.text);
        let head = self.section(section)?.ok_or_else(not_understood)?.line;
        let mut lines: Vec<String> = self.lines().map(str::to_owned).collect();
        lines.drain(from..to);
        let path = [Step::Key(section), Step::Key(name)];
        let mut gone = &path[..];
        if is_last && is_kept {
            let (_, comment) = split_comment(lines[head].trim_end());
            let comment = comment.map_or(String::new(), |comment| format!(" {comment}"));
            lines[head] = format!("{section}: {{}}{comment}{end}");
        } else if is_last {
            lines.remove(head);
            gone = &path[..1];
        }
        self.change(lines.concat(), |root| {
            take(root, gone)?;
            // A file without keys says nothing, which is not the same as a mapping of nothing.
            if root.as_object().is_some_and(Map::is_empty) {
                *root = Value::Null;
            }
            Some(())
        })
    }

    fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.split_inclusive('\n')
    }

    /// Finds a section; refuses one that is not in block style.
    fn section(&self, name: &str) -> Result<Option<Section>, Refusal> {
        let Some(value) = self.get(&[name]) else { return Ok(None) };
        let start = format!("{name}:");
        let line = self.lines().position(|line| line.starts_with(&start));
        let line = line.ok_or_else(not_understood)?;
        let lines: Vec<&str> = self.lines().collect();
        let refuse = |why: &str| {
            let offset = lines[..line].iter().map(|line| line.len()).sum();
            Refusal::at(&self.text, offset, format!("{name} {why}"))
        };
        if !value.is_object() && !value.is_null() {
            return Err(refuse("must be a mapping"));
        }
        let (said, _) = split_comment(lines[line][start.len()..].trim());
        let is_empty = match said.trim() {
            "" => value.is_null(),
            "{}" | "null" | "~" => true,
            _ => return Err(refuse("must have each entry on lines of its own")),
        };
        let is_content = |line: &str| !line.trim().is_empty() && !line.starts_with('#');
        let indent_of = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let below =
            lines[line + 1..].iter().take_while(|line| !is_content(line) || indent_of(line) > 0);
        let own = |line: &&str| !line.trim().is_empty() && indent_of(line) > 0;
        let length = below.clone().collect::<Vec<_>>().iter().rposition(|line| own(line));
        let is_entry = |line: &&&str| own(line) && !line.trim_start().starts_with('#');
        let first = below.clone().find(is_entry).map_or(2, |line| indent_of(line));
        if !is_empty && below.clone().any(|line| line.trim_start().starts_with("<<:")) {
            return Err(refuse("has entries from elsewhere"));
        }
        Ok(Some(Section {
            line,
            end: line + 1 + length.map_or(0, |last| last + 1),
            indent: " ".repeat(first),
            is_empty,
        }))
    }

    /// The lines of an entry of a section: the first, and the one behind the last.
    fn entry(&self, section: &str, name: &str) -> Result<Option<(usize, usize)>, Refusal> {
        if self.get(&[section, name]).is_none() {
            return Ok(None);
        }
        let found = self.section(section)?.ok_or_else(not_understood)?;
        let lines: Vec<&str> = self.lines().collect();
        let start = format!("{}{name}:", found.indent);
        let own = &lines[found.line + 1..found.end];
        let first = own.iter().position(|line| line.starts_with(&start));
        let first = found.line + 1 + first.ok_or_else(not_understood)?;
        let is_deeper = |line: &&str| {
            let blanks = line.len() - line.trim_start_matches(' ').len();
            blanks > found.indent.len() || line.trim_start().starts_with("- ")
        };
        let inner = &lines[first + 1..found.end];
        let is_inner = |line: &&&str| line.trim().is_empty() || is_deeper(line);
        let length = inner.iter().take_while(is_inner).count();
        let length = inner[..length].iter().rposition(|line| !line.trim().is_empty());
        Ok(Some((first, first + 1 + length.map_or(0, |last| last + 1))))
    }

    /// Takes a new text if it says what it should.
    fn change(
        &mut self,
        new: String,
        wanted: impl Fn(&mut Value) -> Option<()>,
    ) -> Result<(), Refusal> {
        let mut expected = parsed(&self.text)?;
        wanted(&mut expected).ok_or_else(not_understood)?;
        if parsed(&new).map_err(|_| not_understood())? != expected {
            return Err(not_understood());
        }
        self.text = new;
        Ok(())
    }
}

fn parsed(text: &str) -> Result<Value, Refusal> {
    let is_content = |line: &str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    };
    if !text.lines().any(is_content) {
        return Ok(Value::Null);
    }
    let options = serde_saphyr::options! { with_snippet: false };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let told = error.without_snippet().to_string();
        let why = format!("it is no YAML: {}", told.lines().next().unwrap_or_default());
        let number = |number: u64| usize::try_from(number).unwrap_or(1);
        let place = error.location().map(|place| (number(place.line()), number(place.column())));
        Refusal { place, why }
    })
}

/// What a line says, and the comment behind it.
fn split_comment(line: &str) -> (&str, Option<&str>) {
    // A `#` in quotes is taken for a comment only where the check of the result refuses it.
    match line.find(" #") {
        Some(at) => (&line[..at], Some(&line[at + 1..])),
        None if line.starts_with('#') => ("", Some(line)),
        None => (line, None),
    }
}

/// A value on one line: a word as it is, everything else as in JSON, which YAML contains.
fn written(value: &Value) -> String {
    let is_plain = |text: &str| {
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
        let starts = |c: char| c.is_ascii_alphabetic() || c == '/';
        text.starts_with(starts)
            && text.chars().all(is_word)
            && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
                .contains(&text.to_ascii_lowercase().as_str())
    };
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        Value::Array(list) => {
            format!("[{}]", list.iter().map(Value::to_string).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn values() -> Map<String, Value> {
        let Value::Object(values) =
            json!({"enabled": true, "cmd": "/opt/my tools/x", "args": ["serve"], "envs": {}})
        else {
            unreachable!("it is an object")
        };
        values
    }

    fn added(text: &str) -> String {
        let mut yaml = Yaml::read(text).expect(text);
        yaml.add("extensions", "ours", &values()).unwrap_or_else(|why| panic!("{why}: {text}"));
        assert_eq!(yaml.get(&["extensions", "ours", "enabled"]), Some(true.into()));
        yaml.into_text()
    }

    const GOOSE: &str = "\
# Goose
GOOSE_PROVIDER: openai # mine
extensions:
  developer:
    bundled: true
    args:
    - -y
    # not this
    - x
  # memory:
  #   enabled: true

GOOSE_MODEL: \"gpt # 5\"
";

    #[test]
    fn an_entry_goes_to_the_end_of_its_section_and_away_again() {
        for text in [
            "",
            "# only a comment\n",
            "GOOSE_MODEL: x\n",
            GOOSE,
            &GOOSE.replace('\n', "\r\n"),
            "\u{feff}---\nextensions:\n    developer:\n        enabled: true\n",
            "extensions:\n  a: {enabled: true}\n  b:\n    text: |\n      ours:\n\n      more\nz: 1\n",
        ] {
            let with = added(text);
            let mut yaml = Yaml::read(&with).unwrap();
            yaml.remove("extensions", "ours", false).unwrap_or_else(|why| panic!("{why}: {with}"));
            assert_eq!(yaml.into_text(), text, "{with}");
        }
        let with = added(GOOSE);
        let ours = "  #   enabled: true\n  ours:\n    enabled: true\n    cmd: \"/opt/my tools/x\"\n    args: [\"serve\"]\n    envs: {}\n\nGOOSE_MODEL";
        assert!(with.contains(ours), "{with}");
    }

    #[test]
    fn an_empty_section_gets_lines_and_is_empty_again() {
        for text in ["extensions: {}\n", "a: 1\nextensions: {} # none\nb: 2\n"] {
            let mut yaml = Yaml::read(&added(text)).unwrap();
            yaml.remove("extensions", "ours", true).unwrap();
            assert_eq!(yaml.into_text(), text);
        }
        for text in ["extensions:\n", "extensions: null\n", "extensions: ~\nb: 1\n"] {
            assert!(added(text).starts_with("extensions:\n  ours:\n"), "{text}");
        }
    }

    #[test]
    fn a_value_is_replaced_on_its_line() {
        let mut yaml = Yaml::read("extensions:\n  ours:\n    cmd: /a # b\n    x: 1\n").unwrap();
        yaml.replace(["extensions", "ours", "cmd"], &json!("/c d")).unwrap();
        assert_eq!(yaml.into_text(), "extensions:\n  ours:\n    cmd: \"/c d\" # b\n    x: 1\n");
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for (text, why) in [
            ("a: 1\n\tb: 2\n", "line 2, column 1: YAML is not indented by tabs"),
            ("a: [1\n", "it is no YAML"),
            ("- a\n", "must be a mapping"),
            ("a: 1\na: 2\n", "it is no YAML"),
            ("a: 1\n---\nb: 2\n", "it is no YAML"),
        ] {
            let refusal = Yaml::read(text).expect_err(text).to_string();
            assert!(refusal.contains(why), "{text}: {refusal}");
        }
        for (text, why) in [
            ("extensions: {a: {b: 1}}\n", "line 1, column 1: extensions must have each entry"),
            ("x: 1\nextensions:\n- name: a\n", "line 2, column 1: extensions must be a mapping"),
            ("extensions: &all\n  a: 1\nb: *all\n", "must have each entry on lines of its own"),
            ("b: &b\n  a: 1\nextensions:\n  <<: *b\n", "has entries from elsewhere"),
            ("\"extensions\":\n  a: 1\n", "cannot change safely"),
            ("b: 1\n...\n", "cannot change safely"),
        ] {
            let mut yaml = Yaml::read(text).expect(text);
            let refusal = yaml.add("extensions", "ours", &values()).expect_err(text).to_string();
            assert!(refusal.contains(why), "{text}: {refusal}");
            assert_eq!(yaml.into_text(), text);
        }
    }
}
