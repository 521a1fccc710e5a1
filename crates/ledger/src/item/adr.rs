//! Decision records that other tools wrote: MADR, adr-tools and Log4brains.
//!
//! They tell the same in three ways: in a front matter, in a list below the title, or in a section
//! of its own. What is told is read wherever it stands; the style only says who writes like that.

use model::{ItemStatus, Timestamp};

use super::Parts;
use super::body::{plain, title};
use super::front::{canonical, entries};
use super::rules::date;
use crate::file::escape::{Code, heading};

/// Which tool writes like that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// Markdown any decision records.
    Madr,
    /// The tool of Nygard's form.
    AdrTools,
    /// The one with the date in the names of its files.
    Log4brains,
}

impl Style {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Madr, Self::AdrTools, Self::Log4brains];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Madr => "madr",
            Self::AdrTools => "adr-tools",
            Self::Log4brains => "log4brains",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|style| style.name() == name)
    }
}

/// A decision as another tool wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// Who writes like that.
    pub style: Style,
    /// Its number, by its title or its file's name.
    pub number: Option<u32>,
    /// Its title, without the number.
    pub title: String,
    /// Where it stands; none if it does not say, or says what we do not know.
    pub status: Option<ItemStatus>,
    /// Where it stands, in its own words.
    pub status_text: String,
    /// Its day.
    pub date: Option<Timestamp>,
    /// Tags.
    pub tags: Vec<String>,
    /// Who decided.
    pub deciders: Vec<String>,
    /// Which it took the place of: the names of files without their endings, or numbers.
    pub supersedes: Vec<String>,
    /// Which took its place, in the same way.
    pub superseded_by: Vec<String>,
    /// The Markdown without the front matter, whole.
    pub body: String,
}

/// The names of files that are no decisions.
const OTHERS: [&str; 8] =
    ["readme", "index", "template", "adr-template", "toc", "changelog", "contributing", "license"];

/// Words for a status.
const WORDS: [(&str, ItemStatus); 22] = [
    ("draft", ItemStatus::Draft),
    ("proposed", ItemStatus::Proposed),
    ("pending", ItemStatus::Proposed),
    ("open", ItemStatus::Proposed),
    ("in review", ItemStatus::Proposed),
    ("rfc", ItemStatus::Proposed),
    ("accepted", ItemStatus::Accepted),
    ("approved", ItemStatus::Accepted),
    ("decided", ItemStatus::Accepted),
    ("adopted", ItemStatus::Accepted),
    ("implemented", ItemStatus::Accepted),
    ("done", ItemStatus::Accepted),
    ("rejected", ItemStatus::Rejected),
    ("declined", ItemStatus::Rejected),
    ("withdrawn", ItemStatus::Rejected),
    ("abandoned", ItemStatus::Rejected),
    ("deprecated", ItemStatus::Deprecated),
    ("obsolete", ItemStatus::Deprecated),
    ("retired", ItemStatus::Deprecated),
    ("superseded", ItemStatus::Superseded),
    ("superceded", ItemStatus::Superseded),
    ("replaced", ItemStatus::Superseded),
];

/// What is told about a decision, wherever it stands.
#[derive(Debug, Default)]
struct Told<'a> {
    title: Option<&'a str>,
    front: Vec<(String, Vec<String>)>,
    /// The sign of the list below the title, if there is one.
    bullet: Option<char>,
    listed: Vec<(String, &'a str)>,
    /// The lines of the section `Status`.
    section: Option<Vec<&'a str>>,
    date: Option<&'a str>,
    has_decision: bool,
}

/// Reads a file of another tool; none if it is no decision, but a list of them or a form to fill in.
///
/// # Errors
///
/// Why the file cannot be read, in one sentence.
pub fn read(file_name: &str, text: &str) -> Result<Option<Foreign>, String> {
    let name = file_name.rsplit('/').next().unwrap_or(file_name);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_other = OTHERS.contains(&stem.to_ascii_lowercase().as_str());
    if is_other || stem.to_ascii_lowercase().ends_with("template") {
        return Ok(None);
    }
    let text = text.trim_start_matches('\u{feff}');
    let parts = Parts::of(text).map_err(|flaw| flaw.to_string())?;
    let body = parts.as_ref().map_or(text, |parts| parts.body);
    let mut told = Told::read(body);
    if let Some(parts) = &parts {
        told.read_front(parts.front)?;
    }
    if !told.is_decision() {
        return Ok(None);
    }
    let Some(heading) = told.title else {
        return Err(format!("{name} has no title: a line that begins with `# `"));
    };
    let (number, title) = numbered(heading);
    let lines = told.status_lines();
    let status_text = lines.first().cloned().unwrap_or_default();
    let (supersedes, superseded_by) = links(&lines);
    let status = status(&status_text).or_else(|| lines.iter().rev().find_map(|line| status(line)));
    let is_replaced = !superseded_by.is_empty();
    Ok(Some(Foreign {
        style: told.style(stem),
        number: number.or_else(|| file_number(stem)),
        title: title.to_owned(),
        status: if is_replaced { Some(ItemStatus::Superseded) } else { status },
        status_text,
        date: told.day(stem),
        tags: told.list(&["tags"]),
        deciders: told.list(&["deciders", "decision-makers", "decision makers"]),
        supersedes,
        superseded_by,
        body: body.replace("\r\n", "\n").trim_matches('\n').to_owned(),
    }))
}

impl<'a> Told<'a> {
    fn read(body: &'a str) -> Self {
        let mut told = Self::default();
        let mut code = Code::default();
        let mut is_status = false;
        let mut has_sections = false;
        for line in body.lines() {
            if code.is_in(line) {
                continue;
            }
            if let Some(name) = heading(line) {
                let name = name.to_lowercase();
                is_status = name == "status";
                has_sections = true;
                told.has_decision |= name.starts_with("decision") || name.starts_with("context");
                if is_status && told.section.is_none() {
                    told.section = Some(Vec::new());
                }
            } else if let Some(found) = title(line) {
                told.title = told.title.or(Some(found));
            } else if is_status && !line.trim().is_empty() {
                told.section.iter_mut().for_each(|lines| lines.push(line.trim()));
            } else if !has_sections {
                told.take_line(line.trim());
            }
        }
        told
    }

    /// Takes a line between the title and the first section.
    fn take_line(&mut self, line: &'a str) {
        let bullet = line.chars().next().filter(|c| matches!(c, '*' | '-' | '+'));
        let rest = bullet.and_then(|_| line[1..].strip_prefix([' ', '\t']));
        let line = rest.unwrap_or(line);
        let line = line.split_once("<!--").map_or(line, |(line, _)| line);
        let Some((key, value)) = line.split_once(':') else { return };
        let key = key.trim_matches([' ', '*', '_']).to_lowercase();
        let value = value.trim_start_matches(['*', '_']).trim();
        if rest.is_some() {
            self.bullet = self.bullet.or(bullet);
            self.listed.push((key, value));
        } else if key == "date" {
            self.date = self.date.or(Some(value));
        } else if matches!(key.as_str(), "status" | "tags" | "deciders") {
            self.listed.push((key, value));
        }
    }

    fn read_front(&mut self, front: &str) -> Result<(), String> {
        let entries = entries(front).map_err(|flaw| flaw.to_string())?;
        let told = entries
            .iter()
            .filter_map(|(key, node)| Some((canonical(key).to_lowercase(), node.texts()?)));
        self.front = told.collect();
        Ok(())
    }

    /// Whether it says what a decision says.
    fn is_decision(&self) -> bool {
        let names_status = self.front.iter().any(|(key, _)| key == "status");
        let lists_status = self.listed.iter().any(|(key, _)| key == "status");
        names_status || lists_status || self.section.is_some() || self.has_decision
    }

    fn style(&self, stem: &str) -> Style {
        let is_dated = stem.split('-').next().is_some_and(|day| day.len() == 8 && is_number(day));
        if is_dated {
            Style::Log4brains
        } else if self.section.is_some() && self.bullet.is_none() && self.front.is_empty() {
            Style::AdrTools
        } else {
            Style::Madr
        }
    }

    /// What is told under one of these names.
    fn values(&self, names: &[&str]) -> Vec<String> {
        let front = self.front.iter().find(|(key, _)| names.contains(&key.as_str()));
        if let Some((_, values)) = front {
            return values.clone();
        }
        let listed = self.listed.iter().find(|(key, _)| names.contains(&key.as_str()));
        listed.map(|(_, value)| vec![(*value).to_owned()]).unwrap_or_default()
    }

    /// The same as a list, whose parts may stand between commas.
    fn list(&self, names: &[&str]) -> Vec<String> {
        let values = self.values(names);
        let parts = values.iter().flat_map(|value| value.split([',', ';']));
        let parts = parts.map(|part| plain(part).trim().to_owned());
        // What the form says for whoever fills it in.
        parts.filter(|part| !part.is_empty() && !part.starts_with(['[', '{'])).collect()
    }

    /// The lines that tell where it stands.
    fn status_lines(&self) -> Vec<String> {
        let mut lines = self.values(&["status"]);
        lines.extend(self.section.iter().flatten().map(|line| (*line).to_owned()));
        lines
    }

    fn day(&self, stem: &str) -> Option<Timestamp> {
        let told = self.values(&["date"]);
        let told = told.iter().map(String::as_str).chain(self.date).find_map(|text| {
            let text = text.trim_matches(|c: char| !c.is_alphanumeric());
            date(text.get(..10)?).map(|day| day.to_string())
        });
        let named = stem.get(..8).filter(|day| is_number(day));
        let day = told.or_else(|| {
            let day = named?;
            Some(format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..]))
        })?;
        format!("{day}T00:00:00Z").parse().ok()
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The number and the title of `12. Title` or `ADR-0012: Title`.
fn numbered(text: &str) -> (Option<u32>, &str) {
    let bare = text
        .get(..3)
        .filter(|word| word.eq_ignore_ascii_case("adr"))
        .map_or(text, |_| text[3..].trim_start_matches(['-', ' ', '#']));
    let end = bare.find(|c: char| !c.is_ascii_digit()).unwrap_or(bare.len());
    let (number, rest) = bare.split_at(end);
    let title = rest.trim_start();
    let title = title.strip_prefix(['.', ':', '-', '–', '—', ')']).map(str::trim);
    match (number.parse().ok(), title) {
        (Some(number), Some(title)) if !title.is_empty() => (Some(number), title),
        _ => (None, text),
    }
}

/// The number that the name of a file begins with; a day is none.
fn file_number(stem: &str) -> Option<u32> {
    let stem =
        stem.get(..4).filter(|word| word.eq_ignore_ascii_case("adr-")).map_or(stem, |_| &stem[4..]);
    let number = stem.split(['-', '_', ' ', '.']).next().filter(|word| is_number(word))?;
    if number.len() == 8 { None } else { number.parse().ok() }
}

/// The status that a text begins with, whatever signs stand around it.
fn status(text: &str) -> Option<ItemStatus> {
    let text = plain(text).to_lowercase();
    // A form that was not filled in names them all.
    if text.contains(" | ") {
        return None;
    }
    let text =
        text.trim_start_matches(|c: char| !c.is_alphanumeric()).replace("in-review", "in review");
    let is_word = |word: &str| {
        let rest = text.strip_prefix(word);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    WORDS.iter().find(|(word, _)| is_word(word)).map(|(_, status)| *status)
}

/// What these lines say it took the place of, and what took its place.
fn links(lines: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut supersedes, mut superseded_by) = (Vec::new(), Vec::new());
    for line in lines {
        let lower = line.to_lowercase();
        let is_by = ["superseded by", "superceded by", "replaced by"]
            .iter()
            .find_map(|words| lower.find(words).map(|at| at + words.len()));
        let is_of = ["supersedes", "supercedes", "replaces"]
            .iter()
            .find_map(|words| lower.find(words).map(|at| at + words.len()));
        // Letters whose small form has another length are in no name of a file.
        let rest = |at: usize| line.get(at..).unwrap_or_default();
        match (is_by, is_of) {
            (Some(at), _) => superseded_by.extend(targets(rest(at))),
            (None, Some(at)) => supersedes.extend(targets(rest(at))),
            (None, None) => {}
        }
    }
    (supersedes, superseded_by)
}

/// The files that a text links to; where it links to none, the numbers it names.
fn targets(text: &str) -> Vec<String> {
    let linked: Vec<String> = text.split("](").skip(1).filter_map(target).collect();
    if !linked.is_empty() {
        return linked;
    }
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | '(' | ')'));
    let words = words.map(|word| word.trim_matches(['.', ':', '`', '*', '"']));
    let number = |word: &str| {
        let word = word.to_lowercase();
        let bare = word.strip_prefix("adr-").or(word.strip_prefix("adr")).unwrap_or(&word);
        let is_file = word.ends_with(".md");
        let bare = bare.trim_start_matches('#');
        if is_file { target(&word) } else { is_number(bare).then(|| bare.to_owned()) }
    };
    words.filter_map(number).collect()
}

/// The name of the file of an address, without its ending.
fn target(link: &str) -> Option<String> {
    let address = link.split([')', ' ', '#', '?']).next()?;
    let name = address.rsplit('/').next()?;
    let stem = name.strip_suffix(".md").unwrap_or(name);
    (!stem.is_empty()).then(|| stem.to_owned())
}
