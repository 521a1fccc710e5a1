//! Learning what holds, and that it does not any more.

use std::collections::{HashMap, HashSet};

use model::fact::{NAME_CHARS_MAX, RELATION_CHARS_MAX};
use model::{
    Caller, Change, Entity, Guard, IndexedEntity, IndexedLink, Link, Op, Provenance, Scope,
    Timestamp,
};

use super::{from_of, link_from, mirror_of, mirror_of_link, named, not_found, overtaken, scope};
use crate::memory::DECISIONS_MAX;
use crate::{Engine, Error, ErrorKind, Result};

/// A link that somebody tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLink {
    /// The one.
    pub from: String,
    /// What it has to do with the other.
    pub relation: String,
    /// The other.
    pub to: String,
    /// What there is to say of the one; none leaves it as it is.
    pub summary: Option<String>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// The ends and what the link says: from, relation, to.
    pub link: [String; 3],
    /// Whether the one was not known.
    pub is_new_from: bool,
    /// Whether the other was not known.
    pub is_new_to: bool,
    /// Whether the link was not open.
    pub is_new_link: bool,
}

/// Keeps a link, and the things at its ends where they are not known. One that is open already stays
/// the one it is.
pub fn link(engine: &Engine, caller: &Caller, new: &NewLink) -> Result<Linked> {
    let linked = link_all(engine, caller, std::slice::from_ref(new))?;
    linked.into_iter().next().ok_or_else(overtaken)
}

/// The same with many, all at once.
pub fn link_all(engine: &Engine, caller: &Caller, new: &[NewLink]) -> Result<Vec<Linked>> {
    let scope = scope(caller)?;
    let words = |new: &NewLink| {
        Ok([
            named("from", &new.from, NAME_CHARS_MAX)?,
            named("relation", &new.relation, RELATION_CHARS_MAX)?,
            named("to", &new.to, NAME_CHARS_MAX)?,
        ])
    };
    let links = new.iter().map(words).collect::<Result<Vec<_>>>()?;
    for _ in 0..DECISIONS_MAX {
        let mut draft = Draft::new(engine, &scope);
        let mut linked = Vec::with_capacity(new.len());
        for (new, link) in new.iter().zip(&links) {
            let summary = new.summary.as_deref();
            let is_new_from =
                draft.entity(&link[0], &Told { summary, replaces: true, ..Told::default() })?;
            let is_new_to = draft.entity(&link[2], &Told::default())?;
            let is_new_link = draft.link(link)?;
            linked.push(Linked { link: link.clone(), is_new_from, is_new_to, is_new_link });
        }
        if draft.apply()? {
            return Ok(linked);
        }
    }
    Err(overtaken())
}

/// A change to the graph that is being decided on.
pub(super) struct Draft<'a> {
    engine: &'a Engine,
    scope: &'a Scope,
    now: Timestamp,
    entities: Vec<(Entity, Fate, Provenance)>,
    /// Where in `entities` each is, by its name.
    places: HashMap<String, usize>,
    links: Vec<([String; 3], Provenance)>,
    wanted: HashSet<[String; 3]>,
    change: Change,
}

/// What is told of an entity.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Told<'a> {
    pub(super) kind: Option<&'a str>,
    pub(super) summary: Option<&'a str>,
    /// Whether the summary takes the place of the one that is there.
    pub(super) replaces: bool,
}

/// What becomes of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    New,
    Changed,
    Known,
}

impl<'a> Draft<'a> {
    pub(super) fn new(engine: &'a Engine, scope: &'a Scope) -> Self {
        Self {
            engine,
            scope,
            now: engine.clock.now(),
            entities: Vec::new(),
            places: HashMap::new(),
            links: Vec::new(),
            wanted: HashSet::new(),
            change: Change::default(),
        }
    }

    /// Wants an entity to be there; kind and summary are set where they are told. Of several tellings
    /// the first counts. Answers whether it is new.
    pub(super) fn entity(&mut self, name: &str, told: &Told<'_>) -> Result<bool> {
        let given =
            |text: Option<&str>| text.filter(|text| !text.trim().is_empty()).map(str::to_owned);
        let (kind, summary) = (given(told.kind), given(told.summary));
        if let Some(place) = self.places.get(name) {
            return Ok(self.entities[*place].1 == Fate::New);
        }
        self.places.insert(name.to_owned(), self.entities.len());
        let known = self.engine.store.entity(self.scope, name)?;
        let (scope, name) = (self.scope.clone(), name.to_owned());
        let Some(known) = known else {
            let entity = Entity {
                scope: scope.clone(),
                name: name.clone(),
                kind,
                summary,
                created_at: self.now,
                updated_at: self.now,
                revision: 1,
                mirror: self.engine.ids.memory_id(),
            };
            self.change.guards.push(Guard::Entity { scope, name, revision: None });
            self.entities.push((entity, Fate::New, Provenance::by(self.engine.actor())));
            return Ok(true);
        };
        let mut changed = known.clone();
        changed.kind = changed.kind.or(kind);
        changed.summary = match told.replaces {
            true => summary.or(changed.summary),
            false => changed.summary.or(summary),
        };
        let fate = if changed == known { Fate::Known } else { Fate::Changed };
        let from = match fate {
            Fate::Changed => from_of(self.engine, &known, &changed)?,
            Fate::New | Fate::Known => Provenance::UNKNOWN,
        };
        if fate == Fate::Changed {
            changed.updated_at = self.now.max(changed.created_at);
            let revision = Some(known.revision);
            self.change.guards.push(Guard::Entity { scope, name, revision });
        }
        self.entities.push((changed, fate, from));
        Ok(false)
    }

    /// Wants a link to be open; whether it was not. Its ends must be wanted before.
    pub(super) fn link(&mut self, link: &[String; 3]) -> Result<bool> {
        if self.wanted.contains(link) || self.engine.store.has_link(self.scope, link)? {
            return Ok(false);
        }
        let (scope, is_open) = (self.scope.clone(), false);
        self.change.guards.push(Guard::LinkIsOpen { scope, link: link.clone(), is_open });
        // What ended and is told again is told anew, and was said before.
        let actor = self.engine.actor();
        let from = link_from(self.engine, self.scope, link)?
            .map_or_else(|| Provenance::by(actor), |known| known.reworded_by(actor));
        self.links.push((link.clone(), from));
        self.wanted.insert(link.clone());
        Ok(true)
    }

    /// How many entities and links are new.
    pub(super) fn news(&self) -> (usize, usize) {
        let new = self.entities.iter().filter(|(_, fate, _)| *fate == Fate::New).count();
        (new, self.links.len())
    }

    /// How many entities that are there are told differently.
    pub(super) fn changed(&self) -> usize {
        self.entities.iter().filter(|(_, fate, _)| *fate == Fate::Changed).count()
    }

    /// Carries it out; false if it has to be decided again.
    pub(super) fn apply(self) -> Result<bool> {
        let engine = self.engine;
        let change = self.into_change();
        if change.ops.is_empty() {
            return Ok(true);
        }
        Ok(engine.apply_texts(change)?.is_done())
    }

    /// What carries it out.
    pub(super) fn into_change(mut self) -> Change {
        let engine = self.engine;
        for (entity, fate, from) in self.entities {
            if fate != Fate::Known {
                let mirror = *mirror_of(engine, &entity, from);
                self.change.ops.push(Op::PutEntity(Box::new(IndexedEntity { entity, mirror })));
            }
        }
        for ([from, relation, to], told_by) in self.links {
            let (created_at, valid_at) = (self.now, self.now);
            let link = Link { from, relation, to, created_at, valid_at, invalid_at: None };
            let mirror = *mirror_of_link(engine, self.scope, &link, told_by);
            let scope = self.scope.clone();
            self.change.ops.push(Op::PutLink(Box::new(IndexedLink { scope, link, mirror })));
        }
        self.change
    }
}

/// What came of ending a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The ends and what the link says: from, relation, to.
    pub link: [String; 3],
    /// Until when it was true; none if it had ended before.
    pub at: Option<Timestamp>,
}

/// Says that a link does not hold any more; it stays as what was true. One that has ended already is
/// fine; one that never was is an error.
pub fn end(engine: &Engine, caller: &Caller, link: [&str; 3]) -> Result<Ended> {
    let scope = scope(caller)?;
    let link = link.map(|word| word.trim().to_owned());
    for _ in 0..DECISIONS_MAX {
        if !engine.store.has_link(&scope, &link)? {
            if engine.store.had_link(&scope, &link)? {
                return Ok(Ended { link, at: None });
            }
            let [from, relation, to] = &link;
            let message = format!("Memory link not found: {from} -[{relation}]-> {to}");
            return Err(Error::new(ErrorKind::NotFound, message));
        }
        let at = engine.clock.now();
        let op = Op::CloseLink { scope: scope.clone(), link: link.clone(), at };
        if engine.apply(Change::of(op))?.is_done() {
            return Ok(Ended { link, at: Some(at) });
        }
    }
    Err(overtaken())
}

/// What is to be changed of an entity: none keeps, an empty text clears.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Revision {
    /// What it is.
    pub kind: Option<String>,
    /// What there is to say of it.
    pub summary: Option<String>,
}

/// Changes an entity; what it is now, and whether anything changed.
pub fn revise(
    engine: &Engine,
    caller: &Caller,
    name: &str,
    revision: &Revision,
) -> Result<(Entity, bool)> {
    let scope = scope(caller)?;
    let name = name.trim();
    let set = |old: &mut Option<String>, new: &Option<String>| {
        if let Some(new) = new {
            *old = Some(new.clone()).filter(|text| !text.trim().is_empty());
        }
    };
    for _ in 0..DECISIONS_MAX {
        let known = engine.store.entity(&scope, name)?.ok_or_else(|| not_found(name))?;
        let mut entity = known.clone();
        set(&mut entity.kind, &revision.kind);
        set(&mut entity.summary, &revision.summary);
        if entity == known {
            return Ok((known, false));
        }
        entity.updated_at = engine.clock.now().max(entity.created_at);
        let (scope, name, revision) = (scope.clone(), name.to_owned(), Some(known.revision));
        let mirror = *mirror_of(engine, &entity, from_of(engine, &known, &entity)?);
        let change = Change {
            guards: vec![Guard::Entity { scope, name, revision }],
            ops: vec![Op::PutEntity(Box::new(IndexedEntity { entity: entity.clone(), mirror }))],
        };
        if engine.apply_texts(change)?.is_done() {
            return Ok((entity, true));
        }
    }
    Err(overtaken())
}
