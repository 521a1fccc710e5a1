//! Facts out of a text.

use model::Caller;
use model::fact::{NAME_CHARS_MAX, RELATION_CHARS_MAX};
use rank::extract::Extracted;

use super::link::{Draft, Told};
use super::read::{self, Question};
use super::{named, overtaken, scope};
use crate::memory::DECISIONS_MAX;
use crate::{Engine, Result};

/// A text to read facts out of.
#[derive(Debug, Clone, Copy, Default)]
pub struct Source<'a> {
    /// The text.
    pub text: &'a str,
    /// What was said before it.
    pub before: Option<&'a str>,
    /// What the client's model answered to the [`questions`], if it was asked; else why not.
    pub answers: Option<&'a Result<Vec<String>, String>>,
}

/// Who read a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A model behind an address.
    Endpoint,
    /// The client's own model.
    Client,
    /// Rules.
    Rules,
}

/// What a text told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The names of all entities it tells of.
    pub entities: Vec<String>,
    /// All links it tells of: from, relation, to.
    pub links: Vec<[String; 3]>,
    /// How many entities were new.
    pub new_entities: usize,
    /// How many links were new.
    pub new_links: usize,
    /// Who read it.
    pub method: Method,
    /// Why none of the models did that were to, if so.
    pub warning: Option<String>,
}

/// What the client's model is asked before a text is read; nothing if another reads it.
pub fn questions(engine: &Engine, source: &Source<'_>) -> Vec<Question> {
    let questions = match engine.outside.reader {
        Some(_) => Vec::new(),
        None => read::questions(source.text, source.before),
    };
    if read::is_for_client(&questions) { questions } else { Vec::new() }
}

/// Reads facts out of a text and keeps them, all at once; what is known already is not kept twice.
pub fn build(engine: &Engine, caller: &Caller, source: &Source<'_>) -> Result<Built> {
    let scope = scope(caller)?;
    let Reading { facts, method, warning } = understand(engine, source);
    let name = |text: &str| named("name", text, NAME_CHARS_MAX).ok();
    let links = facts.relationships.iter().filter_map(|one| {
        let relation = named("relation", &one.relation, RELATION_CHARS_MAX).ok()?;
        Some([name(&one.from)?, relation, name(&one.to)?])
    });
    let links: Vec<[String; 3]> = links.collect();
    for _ in 0..DECISIONS_MAX {
        let mut draft = Draft::new(engine, &scope);
        let mut entities: Vec<String> = Vec::new();
        for entity in &facts.entities {
            let Some(name) = name(&entity.name) else { continue };
            let (kind, summary) = (entity.kind.as_deref(), entity.summary.as_deref());
            draft.entity(&name, &Told { kind, summary, replaces: false })?;
            entities.push(name);
        }
        for link in &links {
            for end in [&link[0], &link[2]] {
                draft.entity(end, &Told::default())?;
                if !entities.contains(end) {
                    entities.push(end.clone());
                }
            }
            draft.link(link)?;
        }
        let (new_entities, new_links) = draft.news();
        if draft.apply()? {
            return Ok(Built { entities, links, new_entities, new_links, method, warning });
        }
    }
    Err(overtaken())
}

/// What somebody read in a text.
struct Reading {
    facts: Extracted,
    method: Method,
    warning: Option<String>,
}

/// Lets the text be read: by the model behind an address if there is one, else by the client's if
/// it was asked, else by rules; by rules as well where a model fails.
fn understand(engine: &Engine, source: &Source<'_>) -> Reading {
    let read = match (&engine.outside.reader, source.answers) {
        (Some(reader), _) => {
            let questions = read::questions(source.text, source.before);
            let ask = |question: &Question| reader.answer(question.system, &question.text);
            let answers: Result<Vec<String>, String> = questions.iter().map(ask).collect();
            let long = || format!("the text is too long for {}", reader.name());
            let answers = if questions.is_empty() { Err(long()) } else { answers };
            let why = |why| format!("{}: {why}", reader.name());
            let read = answers.and_then(|all| facts(&all).map_err(why));
            Some((Method::Endpoint, read))
        }
        (None, Some(answers)) => {
            let read = answers.clone().and_then(|all| facts(&all));
            Some((Method::Client, read.map_err(|why| format!("the client's model: {why}"))))
        }
        (None, None) => None,
    };
    match read {
        Some((method, Ok(facts))) => Reading { facts, method, warning: None },
        read => {
            let why = read.and_then(|(_, read)| read.err());
            let warning = why.map(|why| format!("{why}; the text was read by rules instead"));
            Reading { facts: rank::extract::extract(source.text), method: Method::Rules, warning }
        }
    }
}

fn facts(answers: &[String]) -> Result<Extracted, String> {
    read::facts(answers.iter().map(String::as_str))
}
