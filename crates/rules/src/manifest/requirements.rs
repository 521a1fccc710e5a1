//! `requirements.txt`, as pip reads it.

use std::ops::Range;

use super::{Found, requirement};

/// Reads a manifest.
pub(super) fn read(text: &str, found: &mut Found) {
    let mut whole = String::new();
    let (mut at, mut start) = (0, 0);
    for line in text.split_inclusive('\n') {
        if whole.is_empty() {
            start = at;
        }
        at += line.len();
        let line = line.trim_end_matches(['\r', '\n']);
        let is_comment = line.trim_start().starts_with('#');
        if let Some(line) = line.strip_suffix('\\').filter(|_| !is_comment) {
            whole.push_str(line);
            whole.push(' ');
            continue;
        }
        whole.push_str(if is_comment { "" } else { line });
        entry(&std::mem::take(&mut whole), start..at, found);
    }
    entry(&whole, start..at, found);
}

/// Reads a line without the ones it goes on in.
fn entry(line: &str, span: Range<usize>, found: &mut Found) {
    let line = without_comment(line).trim();
    let written = match option(line) {
        Some(Some(editable)) => editable,
        Some(None) => return,
        None => without_options(line),
    };
    if written.is_empty() {
        return;
    }
    if let Some(requirement) = requirement::read(written) {
        found.add(span, requirement.name, requirement.version);
    } else if !is_place(written) {
        found.flaw(span.start, requirement::refusal(written));
    } else if let Some(name) = egg(written) {
        found.add(span, name, None);
    }
}

fn without_comment(line: &str) -> &str {
    let is_begin = |at: usize| line[..at].chars().next_back().is_none_or(char::is_whitespace);
    let comment = line.match_indices('#').find(|(at, _)| is_begin(*at));
    comment.map_or(line, |(at, _)| &line[..at])
}

/// Whether the line is an option; and what stands behind it if it is something to install.
fn option(line: &str) -> Option<Option<&str>> {
    if !line.starts_with('-') {
        return None;
    }
    let editable = ["--editable=", "--editable ", "-e"].iter().find_map(|it| line.strip_prefix(it));
    Some(editable.map(str::trim))
}

/// A requirement without the options behind it, as `--hash=…`.
fn without_options(line: &str) -> &str {
    let option = line.find(" --").into_iter().chain(line.find("\t--")).min();
    option.map_or(line, |at| line[..at].trim())
}

/// Whether it says where something is rather than what: an address or a path.
fn is_place(text: &str) -> bool {
    let is_archive = [".whl", ".zip", ".tar.gz"].iter().any(|end| text.ends_with(end));
    text.starts_with('.') || text.contains("://") || text.contains(['/', '\\']) || is_archive
}

/// The name that an address gives: `…#egg=name`.
fn egg(place: &str) -> Option<&str> {
    let (_, fragment) = place.split_once('#')?;
    let name = fragment.split('&').find_map(|part| part.strip_prefix("egg="))?;
    requirement::read(name).map(|requirement| requirement.name)
}
