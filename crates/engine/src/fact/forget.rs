//! Letting go of an entity, or of the difference between two.

use model::{Caller, Change, Guard, IndexedLink, Link, Op, Provenance};
use store::Held;

use super::{link_from, mirror_of_link, not_found, overtaken, scope};
use crate::memory::DECISIONS_MAX;
use crate::{Engine, Error, ErrorKind, Result};

/// What was deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgotten {
    /// The entity's name.
    pub name: String,
    /// How many links went with it.
    pub links: u64,
}

/// Deletes an entity with its links; without `cascade` only if it has none.
pub fn forget(engine: &Engine, caller: &Caller, name: &str, cascade: bool) -> Result<Forgotten> {
    let scope = scope(caller)?;
    let name = name.trim().to_owned();
    for _ in 0..DECISIONS_MAX {
        let found = engine.store.entity_with_links(&scope, &name, Held::Ever, 0)?;
        let (entity, links) = found.ok_or_else(|| not_found(&name))?;
        if !cascade && links.total > 0 {
            let message = format!(
                "Memory object {name} has {} links; delete them first, or give cascade: true",
                links.total
            );
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        let (scope, gone, mirror) = (scope.clone(), name.clone(), entity.mirror);
        if engine.apply(Change::of(Op::DeleteEntity { scope, name: gone, mirror }))?.is_done() {
            return Ok(Forgotten { name, links: links.total });
        }
    }
    Err(overtaken())
}

/// Lets two names be one: what `from` has to do with others, now and before, is `into`'s from then on, and
/// `from` goes. How many links were carried over.
pub fn merge(engine: &Engine, caller: &Caller, from: &str, into: &str) -> Result<u64> {
    let scope = scope(caller)?;
    if from == into {
        let message = format!("{from:?} is {into:?} already; name two");
        return Err(Error::new(ErrorKind::InvalidValue, message));
    }
    for _ in 0..DECISIONS_MAX {
        let find = |name: &str| {
            let found = engine.store.entity_with_links(&scope, name, Held::Ever, u64::MAX >> 1)?;
            found.ok_or_else(|| not_found(name))
        };
        let ((one, links), (other, kept)) = (find(from)?, find(into)?);
        let guard = |entity: &model::Entity| Guard::Entity {
            scope: scope.clone(),
            name: entity.name.clone(),
            revision: Some(entity.revision),
        };
        let mut change = Change { guards: vec![guard(&one), guard(&other)], ops: Vec::new() };
        let renamed = |name: String| if name == one.name { other.name.clone() } else { name };
        let mut known: Vec<Link> = kept.outgoing.into_iter().chain(kept.incoming).collect();
        let (place, name, mirror) = (scope.clone(), one.name.clone(), one.mirror);
        change.ops.push(Op::DeleteEntity { scope: place, name, mirror });
        let mut carried = 0;
        for link in links.outgoing.into_iter().chain(links.incoming) {
            let words = [link.from.clone(), link.relation.clone(), link.to.clone()];
            let link = Link { from: renamed(link.from), to: renamed(link.to), ..link };
            let is_same = |known: &Link| {
                known.told() == link.told()
                    && known.invalid_at.is_none() == link.invalid_at.is_none()
            };
            // What both said is said once; what ties a thing to itself says nothing.
            if link.from == link.to || known.iter().any(is_same) {
                continue;
            }
            known.push(link.clone());
            // Another name for an end makes what is said no more trusted.
            let from = link_from(engine, &scope, &words)?.unwrap_or(Provenance::UNKNOWN);
            let from = from.extended_by(engine.actor());
            let mirror = *mirror_of_link(engine, &scope, &link, from);
            let scope = scope.clone();
            change.ops.push(Op::PutLink(Box::new(IndexedLink { scope, link, mirror })));
            carried += 1;
        }
        if engine.apply_texts(change)?.is_done() {
            return Ok(carried);
        }
    }
    Err(overtaken())
}
