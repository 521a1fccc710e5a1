//! A memory as it stands in an editor: what may be changed of it between two rules, then its text.

use anyhow::{Result, bail};
use model::{Kind, Memory, MemoryPatch};

use crate::commands::memo;

/// What stands above and below the part before the text.
const RULE: &str = "---";

/// The memory as it is put before the person.
pub(super) fn written(memory: &Memory) -> String {
    let Memory { kind, importance, content, .. } = memory;
    let (kind, tags) = (kind.name(), joined(&memory.tags));
    format!("{RULE}\ntags: {tags}\nkind: {kind}\nimportance: {importance}\n{RULE}\n{content}\n")
}

/// Tags between commas; where one holds a comma or could be taken for something else, as JSON.
fn joined(tags: &[String]) -> String {
    let line = tags.join(", ");
    if listed(&line).as_ref() == Ok(&tags.to_vec()) {
        return line;
    }
    serde_json::Value::from(tags.to_vec()).to_string()
}

/// The tags that a line lists.
fn listed(line: &str) -> Result<Vec<String>, String> {
    if line.starts_with('[') && line.contains('"') {
        return serde_json::from_str(line)
            .map_err(|_| format!("`tags` is {line}; it takes tags between commas"));
    }
    let inner = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).unwrap_or(line);
    let tags = inner.split(',').map(|tag| tag.trim().to_owned());
    Ok(tags.filter(|tag| !tag.is_empty()).collect())
}

/// What a person made of it; none if no text is left.
pub(super) fn read(text: &str) -> Result<Option<MemoryPatch>> {
    let (front, content) = parts(text)?;
    if content.trim().is_empty() {
        return Ok(None);
    }
    let content = Some(memo::kept(content)?);
    let mut patch = MemoryPatch { content, ..MemoryPatch::default() };
    for (number, line) in (2..).zip(front.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.trim();
        match key.trim() {
            "tags" => patch.tags = Some(tags(value)?),
            "kind" => patch.kind = Some(kind(value)?),
            "importance" => patch.importance = Some(importance(value)?),
            key => bail!("line {number}: there is no {key:?}; it takes tags, kind and importance"),
        }
    }
    Ok(Some(patch))
}

/// What stands between the rules, and the text behind them. Who deleted the rules wrote text alone.
fn parts(text: &str) -> Result<(&str, &str)> {
    let Some(rest) = text.strip_prefix("---\n") else { return Ok(("", text)) };
    let end = rest.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, *at, line.trim_end()))
    });
    let Some((start, end, _)) = end.into_iter().find(|(_, _, line)| *line == RULE) else {
        bail!("the second {RULE} is missing, between tags, kind and importance and the text");
    };
    Ok((rest.get(..start).unwrap_or_default(), rest.get(end..).unwrap_or_default()))
}

fn tags(value: &str) -> Result<Vec<String>> {
    let tags = listed(value).map_err(anyhow::Error::msg)?;
    memo::check_tags("`tags`", &tags)?;
    Ok(tags)
}

fn kind(value: &str) -> Result<Kind> {
    let Some(kind) = Kind::named(value) else {
        bail!("`kind` is {value:?}; it takes {}", Kind::ALL.map(Kind::name).join(", "));
    };
    Ok(kind)
}

fn importance(value: &str) -> Result<f64> {
    match value.parse() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => bail!("`importance` is {value:?}; it takes a number from 0 to 1"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(text: &str) -> MemoryPatch {
        read(text).unwrap().unwrap()
    }

    #[test]
    fn what_stands_between_the_rules_is_read_and_the_rest_is_text() {
        let read =
            patch("---\ntags: a, b\n# a note\nkind: pattern\nimportance: 0.9\n---\nx\n---\ny\n");
        assert_eq!(read.tags, Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!((read.kind, read.importance), (Some(Kind::Pattern), Some(0.9)));
        assert_eq!(read.content.as_deref(), Some("x\n---\ny"));
        let text_alone = patch("only text\n");
        assert_eq!(text_alone.content.as_deref(), Some("only text"));
        assert_eq!((text_alone.tags, text_alone.kind), (None, None));
    }

    #[test]
    fn an_empty_text_is_none() {
        assert!(read("").unwrap().is_none());
        assert!(read("---\ntags: a\n---\n \n").unwrap().is_none());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_value() {
        for (text, why) in [
            ("---\nkind: x\n---\nt", "`kind` is \"x\"; it takes preference,"),
            ("---\nimportance: 2\n---\nt", "`importance` is \"2\"; it takes a number from 0 to 1"),
            ("---\ntags: a\nlayer: user\n---\nt", "line 3: there is no \"layer\""),
            ("---\ntags: a\nt", "the second --- is missing"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text:?}: {error}");
        }
    }

    #[test]
    fn tags_come_back_as_they_were() {
        for tags in [vec![], vec!["a"], vec!["a b", "c"], vec!["a, b"], vec!["[x]"], vec!["\"q\""]]
        {
            let tags: Vec<String> = tags.into_iter().map(str::to_owned).collect();
            assert_eq!(listed(&joined(&tags)), Ok(tags));
        }
    }
}
