//! `go.mod`.

use super::Found;

/// Reads a manifest.
pub(super) fn read(text: &str, found: &mut Found) {
    // The word before the bracket that is open, and where it stands.
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let code = line.split("//").next().unwrap_or_default().trim();
        if code.is_empty() {
            continue;
        }
        if let Some((word, _)) = open {
            match code {
                ")" => open = None,
                _ if word == "require" => require(code, start, found),
                _ => {}
            }
            continue;
        }
        let end = code.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(code.len());
        let (word, rest) = code.split_at(end);
        match rest.trim() {
            "(" => open = Some((word, start)),
            rest if word == "require" && rest != "()" => require(rest, start, found),
            _ => {}
        }
    }
    if let Some((word, at)) = open {
        found.flaw(at, format!("`{word} (` should be closed with `)`"));
    }
}

/// Reads `path version`.
fn require(code: &str, at: usize, found: &mut Found) {
    let parts: Vec<&str> = code.split_whitespace().map(unquoted).collect();
    let [path, version] = parts.as_slice() else {
        return found.flaw(at, format!("`{code}` should be a module and its version"));
    };
    found.add(at..at + code.len(), path, Some(version));
}

fn unquoted(text: &str) -> &str {
    let inside = |quote| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    inside('"').or_else(|| inside('`')).unwrap_or(text)
}
