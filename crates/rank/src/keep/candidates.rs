//! Sentences of a person that say something which will still be true tomorrow: what somebody prefers,
//! what was decided, how things are done, what is where.
//!
//! By rules, and rather too few than too many: each one is shown to a person who has to decide.

mod words;

use model::Kind;

use super::secrets::MARK;
use words::{
    DECISIONS, FILLERS, IS_AT, LEADS, PASSING, PATTERNS, PERSONAL, POINTING, PREFERENCES,
    QUESTIONS, REQUESTS,
};

/// A sentence that may be worth keeping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What it is about.
    pub kind: Kind,
    /// What it says, without words like "remember that" before it.
    pub text: String,
}

/// A sentence that is shorter says too little.
const CHARS_MIN: usize = 15;

/// A sentence that is longer is none.
const CHARS_MAX: usize = 300;

/// No more than this are taken from one prompt.
const CANDIDATES_MAX: usize = 8;

/// The sentences of a prompt that may be worth keeping, in their order, none twice.
pub fn candidates(text: &str) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for sentence in sentences(text) {
        let Some(candidate) = candidate(&sentence) else { continue };
        if !found.iter().any(|known| known.text == candidate.text) {
            found.push(candidate);
        }
        if found.len() == CANDIDATES_MAX {
            break;
        }
    }
    found
}

/// The sentences of a text, without its code.
fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_code = false;
    let mut paragraph = String::new();
    let mut close = |paragraph: &mut String| {
        found.extend(split(paragraph));
        paragraph.clear();
    };
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
            close(&mut paragraph);
            continue;
        }
        let is_item = line.starts_with(['-', '*', '•', '>', '#'])
            || line.split_once(['.', ')']).is_some_and(|(number, _)| {
                !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
            });
        if is_code || line.is_empty() || is_item {
            close(&mut paragraph);
        }
        if is_code || line.starts_with(['>', '#']) {
            continue;
        }
        let told = if is_item {
            line.trim_start_matches(|c: char| !c.is_alphabetic() && c != '`' && c != '"')
        } else {
            line
        };
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(told);
    }
    close(&mut paragraph);
    found
}

/// A paragraph taken apart where a sentence ends: a dot within a name or a number is no end.
fn split(paragraph: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, c) in paragraph.char_indices() {
        let rest = &paragraph[at + c.len_utf8()..];
        let is_end =
            matches!(c, '.' | '!' | '?') && rest.starts_with(' ') && !is_short(paragraph, at);
        if is_end {
            sentences.push(paragraph[start..at + 1].trim().to_owned());
            start = at + 1;
        }
    }
    sentences.push(paragraph[start..].trim().to_owned());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Whether the dot here only shortens a word.
fn is_short(text: &str, at: usize) -> bool {
    let word = text[..at].rsplit(' ').next().unwrap_or_default().to_lowercase();
    matches!(word.trim_start_matches('('), "e.g" | "i.e" | "etc" | "vs" | "cf" | "approx")
}

fn candidate(sentence: &str) -> Option<Candidate> {
    let sentence = straight(sentence);
    let length = sentence.chars().count();
    if length > CHARS_MAX || sentence.ends_with('?') || sentence.contains(MARK) {
        return None;
    }
    let said = without(&sentence, &FILLERS);
    let told = without(said, &LEADS);
    let is_asked = told.len() < said.len();
    let lower = told.to_lowercase();
    if told.chars().count() < CHARS_MIN || is_code(told) || is_passing(&lower) {
        return None;
    }
    let kind = kind(&lower, is_asked)?;
    Some(Candidate { kind, text: capitalised(told) })
}

/// Curly apostrophes as people type them elsewhere.
fn straight(text: &str) -> String {
    text.trim().replace(['\u{2018}', '\u{2019}'], "'")
}

fn without<'t>(text: &'t str, starts: &[&str]) -> &'t str {
    let begins = |start: &&&str| super::begins_at(text, 0, start);
    starts.iter().find(begins).map_or(text, |start| text[start.len()..].trim_start())
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    // A name in code keeps its case.
    let first_word = text.split(' ').next().unwrap_or_default();
    match chars.next() {
        Some(first) if first_word.chars().all(char::is_alphabetic) => {
            first.to_uppercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

/// Whether a sentence is a line of a program or of its output.
fn is_code(text: &str) -> bool {
    let signs = text.chars().filter(|c| "{}[]();=<>|\\$".contains(*c)).count();
    text.ends_with([';', '{', '}']) || signs * 12 > text.chars().count()
}

fn is_passing(lower: &str) -> bool {
    let padded = format!(" {}.", lower.trim_end_matches(['.', '!']));
    PASSING.iter().any(|word| padded.contains(word)) || lower.starts_with("if ")
}

/// What a sentence is about, if it is worth keeping.
fn kind(lower: &str, is_asked: bool) -> Option<Kind> {
    let begins = |starts: &[&str]| starts.iter().any(|start| lower.starts_with(start));
    let lasting = ["from now on", "going forward", "in future", "in the future"];
    if lasting.iter().any(|word| lower.contains(word)) {
        return Some(Kind::Decision);
    }
    let first = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').next().unwrap_or_default();
    let is_wanted = REQUESTS.contains(&first) || QUESTIONS.contains(&first);
    if !is_asked && is_wanted || ends_in_request(lower) || is_tale(lower) {
        return None;
    }
    if begins(&DECISIONS) {
        let is_chosen = lower.contains("go with ") || lower.contains("going with ");
        return (!is_chosen || !points(lower, &DECISIONS)).then_some(Kind::Decision);
    }
    if begins(&PREFERENCES) {
        return (!points(lower, &PREFERENCES)).then_some(Kind::Preference);
    }
    if begins(&PATTERNS) || is_ours(lower) || is_rule(lower) {
        return (!points(lower, &PATTERNS)).then_some(Kind::Pattern);
    }
    if begins(&PERSONAL) || is_asked || is_where(lower) {
        return Some(Kind::Fact);
    }
    None
}

/// Whether a sentence ends in a clause that asks for something: ", move it".
fn ends_in_request(lower: &str) -> bool {
    let clause = lower.rsplit_once(", ").map(|(_, clause)| clause).unwrap_or_default();
    let mut words = clause.trim_end_matches(['.', '!']).split(' ');
    words.next().is_some_and(|first| REQUESTS.contains(&first)) && words.count() < 5
}

/// Whether a sentence tells what happens to us: "we keep seeing", "we run into".
fn is_tale(lower: &str) -> bool {
    let mut words = lower.split(' ');
    match (words.next(), words.next(), words.next()) {
        (Some("we"), Some("keep"), Some(what)) => what.ends_with("ing"),
        (Some("we"), Some("run"), Some(what)) => matches!(what, "into" | "out"),
        (Some("all" | "each" | "every"), Some("of"), _) => true,
        _ => false,
    }
}

/// Whether what follows the first of these words only points at something.
fn points(lower: &str, starts: &[&str]) -> bool {
    let rest = starts.iter().find_map(|start| lower.strip_prefix(start)).unwrap_or_default();
    let next = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    POINTING.contains(&next)
}

/// "Our … is …": what belongs to those who write.
fn is_ours(lower: &str) -> bool {
    let says = [" is ", " are ", " uses ", " use ", " runs ", " lives ", " follows ", " must "];
    lower.starts_with("our ") && says.iter().any(|word| lower.contains(word))
}

/// "All … must …": what holds for every one.
fn is_rule(lower: &str) -> bool {
    let starts = ["all ", "every ", "each ", "no "];
    let says = [" must ", " should ", " has to ", " have to ", " may ", " needs to ", " need to "];
    starts.iter().any(|start| lower.starts_with(start)) && says.iter().any(|s| lower.contains(s))
}

/// "The … is at …": where something is, or what it is called.
fn is_where(lower: &str) -> bool {
    lower.starts_with("the ") && IS_AT.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests;
