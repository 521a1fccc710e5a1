//! Lists of a file: an item is a dash and its text, further lines indented by two.

use model::{EpisodeId, Evidence, Timestamp};

use super::escape::trim;

/// What stands between the parts of evidence.
const DOT: &str = " · ";

/// Writes a section with these items, if there are any.
pub(super) fn write(text: &mut String, name: &str, items: impl Iterator<Item = String>) {
    for (at, item) in items.enumerate() {
        if at == 0 {
            text.push_str(&format!("\n## {name}\n\n"));
        }
        let lines: Vec<&str> = item.split('\n').collect();
        for (number, line) in lines.iter().enumerate() {
            let is_last = number + 1 == lines.len();
            let lead = if number == 0 { "- " } else { "  " };
            let line = escaped(line, number == 0, is_last);
            // A blank line between two others needs no spaces.
            let line = if line.is_empty() && number > 0 { line } else { format!("{lead}{line}") };
            text.push_str(&line);
            text.push('\n');
        }
    }
}

/// A line of an item that would be taken for a blank one between items.
fn escaped(line: &str, is_first: bool, is_last: bool) -> String {
    let rest = line.trim_start_matches('\\');
    let is_blank = rest.trim().is_empty();
    let is_plain = rest.is_empty() && line.is_empty() && (is_first || !is_last);
    if is_blank && !is_plain { format!("\\{line}") } else { line.to_owned() }
}

fn unescaped(line: &str) -> &str {
    let is_blank = line.trim_start_matches('\\').trim().is_empty();
    if is_blank { line.strip_prefix('\\').unwrap_or("") } else { line }
}

/// The items of a section. A paragraph of its own is an item too.
pub(super) fn read(lines: &[&str]) -> Vec<String> {
    let mut items: Vec<Vec<&str>> = Vec::new();
    let mut blanks = 0;
    for line in trim(lines) {
        let bullet = ["- ", "* ", "+ "].iter().find_map(|lead| line.strip_prefix(lead));
        let bullet = bullet.or(matches!(line.trim_end(), "-" | "*" | "+").then_some(""));
        if let Some(first) = bullet {
            items.push(vec![unescaped(first)]);
        } else if line.trim().is_empty() {
            blanks += 1;
            continue;
        } else {
            let indented = line.strip_prefix("  ").or(line.strip_prefix('\t'));
            match items.last_mut() {
                Some(item) if blanks == 0 || indented.is_some() => {
                    item.extend(std::iter::repeat_n("", blanks));
                    item.push(unescaped(indented.unwrap_or(line)));
                }
                _ => items.push(vec![line]),
            }
        }
        blanks = 0;
    }
    items.into_iter().map(|item| item.join("\n")).collect()
}

/// Evidence as an item.
pub(super) fn evidence(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Note(note) if is_like_an_episode(note) => format!("\\{note}"),
        Evidence::Note(note) => note.clone(),
        Evidence::Episode { id, at: None, text } if text.is_empty() => id.to_string(),
        Evidence::Episode { id, at: None, text } => {
            // An empty time, where the text would be taken for one.
            let plain = format!("{id}{DOT}{text}");
            let same = |read: Evidence| read == *evidence;
            if same(read_evidence(&plain)) { plain } else { format!("{id}{DOT}{DOT}{text}") }
        }
        Evidence::Episode { id, at: Some(at), text } => format!("{id}{DOT}{at}{DOT}{text}"),
    }
}

fn is_like_an_episode(note: &str) -> bool {
    note.trim_start_matches('\\').starts_with(EpisodeId::PREFIX)
}

/// What an item of evidence says.
pub(super) fn read_evidence(item: &str) -> Evidence {
    if let Some(note) = item.strip_prefix('\\').filter(|note| is_like_an_episode(note)) {
        return Evidence::Note(note.to_owned());
    }
    let (id, rest) = item.split_once(DOT).unwrap_or((item.trim_end(), ""));
    let Ok(id) = id.parse::<EpisodeId>() else { return Evidence::Note(item.to_owned()) };
    let (at, text) = match rest.split_once(DOT) {
        Some(("", text)) => (None, text),
        Some((time, text)) => match time.parse::<Timestamp>() {
            Ok(time) => (Some(time), text),
            Err(_) => (None, rest),
        },
        None => (None, rest),
    };
    Evidence::Episode { id, at, text: text.to_owned() }
}
