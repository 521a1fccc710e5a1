//! Facts and names of single sentences into one set, without duplicates.

use std::collections::{HashMap, HashSet};

use super::clauses::{Fact, IS_A};
use super::words::is_plural;
use super::{ENTITIES_MAX, Entity, Extracted, RELATIONSHIPS_MAX, Relationship};

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Gatherer {
    found: Extracted,
    /// Where the entity of a key is.
    entities: HashMap<String, usize>,
    relationships: HashSet<(usize, String, usize)>,
}

impl Gatherer {
    /// Whether nothing more is kept.
    pub(super) fn is_full(&self) -> bool {
        self.found.relationships.len() >= RELATIONSHIPS_MAX
            && self.found.entities.len() >= ENTITIES_MAX
    }

    /// All that was found.
    pub(super) fn done(self) -> Extracted {
        self.found
    }

    /// Adds the names and the facts of `sentence`, which is none if it states nothing.
    pub(super) fn add(&mut self, names: Vec<String>, facts: Vec<Fact>, sentence: Option<&str>) {
        for name in names {
            self.entity(&name, sentence);
        }
        let Some(sentence) = sentence else { return };
        for Fact { from, relation, to } in facts {
            if self.found.relationships.len() >= RELATIONSHIPS_MAX {
                return;
            }
            let ends = self.entity(&from, Some(sentence)).zip(self.entity(&to, Some(sentence)));
            let Some((start, end)) = ends.filter(|(start, end)| start != end) else { continue };
            if relation == IS_A && self.found.entities[start].kind.is_none() {
                self.found.entities[start].kind = Some(to);
                self.found.entities[start].summary = Some(sentence.to_owned());
            }
            if self.relationships.insert((start, relation.clone(), end)) {
                let name = |at: usize| self.found.entities[at].name.clone();
                let (from, to, sentence) = (name(start), name(end), sentence.to_owned());
                self.found.relationships.push(Relationship { from, relation, to, sentence });
            }
        }
    }

    /// Where the entity with this name is; it is made if it is new and there is room.
    fn entity(&mut self, name: &str, sentence: Option<&str>) -> Option<usize> {
        let key = key(name);
        if let Some(at) = self.entities.get(&key) {
            let summary = &mut self.found.entities[*at].summary;
            if summary.is_none() {
                *summary = sentence.map(str::to_owned);
            }
            return Some(*at);
        }
        if key.is_empty() || self.found.entities.len() >= ENTITIES_MAX {
            return None;
        }
        let at = self.found.entities.len();
        let summary = sentence.map(str::to_owned);
        self.found.entities.push(Entity { name: name.to_owned(), kind: None, summary });
        self.entities.insert(key, at);
        Some(at)
    }
}

/// The same for all variants of a name: in lower case, its last word in the singular.
fn key(name: &str) -> String {
    let lower = name.to_lowercase();
    if !is_plural(&lower) || lower.contains(['_', ':', '.', '/']) {
        return lower;
    }
    match lower.strip_suffix("ies") {
        Some(stem) if stem.len() > 2 => format!("{stem}y"),
        _ => lower[..lower.len() - 1].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn variants_of_a_name_have_one_key() {
        assert_eq!(key("LLMs"), key("llm"));
        assert_eq!(key("AI Companies"), key("AI company"));
        assert_eq!(key("Next.js"), "next.js");
        assert_ne!(key("Redis"), key("Redi"));
    }
}
