//! Title and sections of a file.

use super::Flaw;
use super::escape::{Code, heading, trim, unescape};
use super::list;

/// What stands behind the front matter.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) title: String,
    pub(super) rationale: String,
    pub(super) consequences: Vec<String>,
    pub(super) evidence: Vec<String>,
    pub(super) rest: String,
}

/// The sections we know; each once.
#[derive(Debug, Default)]
struct Known<'a, 'b> {
    rationale: Option<&'b [&'a str]>,
    consequences: Option<&'b [&'a str]>,
    evidence: Option<&'b [&'a str]>,
}

/// Reads the lines; the first of them is the file's line `first`.
pub(super) fn read(lines: &[&str], first: usize, flaws: &mut Vec<Flaw>) -> Option<Body> {
    let start = lines.iter().position(|line| !line.trim().is_empty());
    let title = start.and_then(|at| lines[at].strip_prefix("# ")).map(str::trim);
    let title = title.filter(|title| !title.is_empty());
    if title.is_none() {
        let line = first + start.unwrap_or_default();
        flaws.push(Flaw { line, why: "should be the title: `# ` and one line of text".to_owned() });
    }
    let from = start.map_or(0, |at| at + usize::from(title.is_some()));
    let (before, sections) = sections(&lines[from..]);
    let mut known = Known::default();
    let mut rest: Vec<String> = Vec::new();
    for section in sections {
        let name = heading(section[0]).unwrap_or_default().to_lowercase();
        let slot = match name.as_str() {
            "rationale" => Some(&mut known.rationale),
            "consequences" => Some(&mut known.consequences),
            "evidence" => Some(&mut known.evidence),
            _ => None,
        };
        // One that says nothing is not written again, and the next of its name would be taken for it then.
        let is_silent = |said: &[&str]| match name.as_str() {
            "rationale" => unescape(said).is_empty(),
            _ => list::read(said).is_empty(),
        };
        match slot {
            Some(slot) if slot.is_none_or(is_silent) => *slot = Some(&section[1..]),
            _ => rest.push(section.join("\n")),
        }
    }
    // Text right below the title gives the reason as well.
    let reasons = [unescape(before), known.rationale.map(unescape).unwrap_or_default()];
    let reasons: Vec<&str> =
        reasons.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    if reasons.is_empty() {
        let why = "there should be a section `## Rationale` that says why".to_owned();
        flaws.push(Flaw { line: first + start.unwrap_or_default(), why });
    }
    Some(Body {
        title: super::on_one_line(title?),
        rationale: reasons.join("\n\n"),
        consequences: known.consequences.map(list::read).unwrap_or_default(),
        evidence: known.evidence.map(list::read).unwrap_or_default(),
        rest: without_blank_end(&rest.join("\n")),
    })
}

fn without_blank_end(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    trim(&lines).join("\n")
}

/// What stands before the first section, and the sections with their headings.
fn sections<'a, 'b>(lines: &'b [&'a str]) -> (&'b [&'a str], Vec<&'b [&'a str]>) {
    let mut code = Code::default();
    let mut starts: Vec<usize> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if !code.is_in(line) && heading(line).is_some() {
            starts.push(at);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let sections = starts.iter().zip(ends).map(|(start, end)| &lines[*start..end]).collect();
    (&lines[..starts.first().copied().unwrap_or(lines.len())], sections)
}
