//! Facts out of a text.

use model::Caller;
use model::fact::{NAME_CHARS_MAX, RELATION_CHARS_MAX};

use super::link::{Draft, Told};
use super::{named, overtaken, scope};
use crate::memory::DECISIONS_MAX;
use crate::{Engine, Result};

/// What a text told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Built {
    /// The names of all entities it tells of.
    pub entities: Vec<String>,
    /// All links it tells of: from, relation, to.
    pub links: Vec<[String; 3]>,
    /// How many entities were new.
    pub new_entities: usize,
    /// How many links were new.
    pub new_links: usize,
    /// How it was read.
    pub method: &'static str,
}

/// Reads facts out of a text and keeps them, all at once; what is known already is not kept twice.
pub fn build(engine: &Engine, caller: &Caller, text: &str) -> Result<Built> {
    let scope = scope(caller)?;
    let extracted = rank::extract::extract(text);
    let name = |text: &str| named("name", text, NAME_CHARS_MAX).ok();
    let links = extracted.relationships.iter().filter_map(|one| {
        let relation = named("relation", &one.relation, RELATION_CHARS_MAX).ok()?;
        Some([name(&one.from)?, relation, name(&one.to)?])
    });
    let links: Vec<[String; 3]> = links.collect();
    for _ in 0..DECISIONS_MAX {
        let mut draft = Draft::new(engine, &scope);
        let mut entities: Vec<String> = Vec::new();
        for entity in &extracted.entities {
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
            let method = "rules";
            return Ok(Built { entities, links, new_entities, new_links, method });
        }
    }
    Err(overtaken())
}
