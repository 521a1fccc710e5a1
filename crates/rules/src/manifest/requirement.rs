//! A requirement of Python in one text, as PEP 508 has it.

/// Name and version of a requirement.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Requirement<'a> {
    pub(super) name: &'a str,
    pub(super) version: Option<&'a str>,
}

/// Reads `name[extra]>=1,<2; marker` or `name @ url`; none if it is neither.
pub(super) fn read(text: &str) -> Option<Requirement<'_>> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c));
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    let is_edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    if !is_edge(name.as_bytes().first()) || !is_edge(name.as_bytes().last()) {
        return None;
    }
    let rest = without_extras(rest.trim_start())?;
    if rest.starts_with('@') {
        return Some(Requirement { name, version: None });
    }
    let version = rest.split(';').next().unwrap_or_default().trim();
    let version = match version.strip_prefix('(') {
        Some(inside) => inside.strip_suffix(')')?.trim(),
        None => version,
    };
    if version.is_empty() {
        return Some(Requirement { name, version: None });
    }
    let is_right = version.trim_end_matches(',').split(',').all(is_bound);
    is_right.then_some(Requirement { name, version: Some(version) })
}

fn without_extras(text: &str) -> Option<&str> {
    match text.strip_prefix('[') {
        Some(inside) => inside.split_once(']').map(|(_, rest)| rest.trim_start()),
        None => Some(text),
    }
}

/// Whether it is `>=1.2` or one of its kind.
fn is_bound(text: &str) -> bool {
    let text = text.trim();
    let version = text.trim_start_matches(['<', '>', '=', '!', '~']);
    let operator = &text[..text.len() - version.len()];
    let version = version.trim();
    matches!(operator, "<" | ">" | "<=" | ">=" | "==" | "!=" | "~=" | "===")
        && !version.is_empty()
        && !version.contains(char::is_whitespace)
}

/// Why a text is none.
pub(super) fn refusal(text: &str) -> String {
    format!("`{text}` should be a requirement like `name>=1.2`")
}
