//! Who may see what, and what may differ between two runs.
//!
//! Shared on purpose, and why:
//! - knowledge of the company, or of a layer's folder without an owner, is open to whoever has an id in
//!   that layer: a store is of one company.
//! - the id of a commit (`commit_hash`) depends on all that was committed before; which commit of one's
//!   own it is does not.
//! - when and how often knowledge was synced: the folder is one. It names nobody and nothing. How long
//!   it took depends on which files were looked at before.
//! - numbers of edges, events and chunks count up for all. They tell at the most how much is done, and
//!   an id by itself opens nothing.
//! - a command that is allowed runs with the server's rights (`--allow-commands`, admins only): its
//!   folder is confined, what it reads is not. The commands here read their own folder.
//! - a file of a person is what the person lets be indexed: then it is in that namespace, too.

use std::collections::HashMap;

use model::{Layer, Namespace, Scope};
use serde_json::Value;

use super::people::{GROUPS, People, Person, file_word, item_word};
use super::world::{Answer, Call};

/// Where something lies.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Place {
    /// With memories, documents or facts.
    Scope(Scope),
    /// In a namespace of the ledger.
    Ledger(Namespace),
    /// Among the files of the person of this number.
    Files(usize),
    /// In a folder of knowledge; without an owner it is everybody's who has an id there.
    Knowledge(Layer, Option<&'static str>),
}

/// A word that stands for what lies somewhere.
#[derive(Debug, Clone)]
struct Secret {
    text: String,
    places: Vec<Place>,
}

/// All that must not be seen by everybody.
#[derive(Debug, Default)]
pub(super) struct Oracle {
    secrets: Vec<Secret>,
}

impl Oracle {
    /// What the files of these people hold, and what they call their places.
    pub(super) fn of(people: &People) -> Self {
        let mut oracle = Self::default();
        for (number, person) in people.all.iter().enumerate() {
            oracle.keep(file_word(person.name), Place::Files(number));
        }
        for layer in [Layer::Company, Layer::Org] {
            oracle.keep(item_word("shared", layer.name()), Place::Knowledge(layer, None));
        }
        for group in &GROUPS {
            for owner in group.orgs {
                oracle.keep(item_word("orgs", owner), Place::Knowledge(Layer::Org, Some(owner)));
            }
            for owner in group.teams {
                oracle.keep(item_word("teams", owner), Place::Knowledge(Layer::Team, Some(owner)));
            }
            for owner in group.projects {
                let place = Place::Knowledge(Layer::Project, Some(owner));
                oracle.keep(item_word("projects", owner), place);
                oracle.keep(format!("project:{owner}\""), Place::Scope(Scope::project(owner)));
            }
        }
        oracle
    }

    /// From now on, this text lies there.
    pub(super) fn keep(&mut self, mut text: String, place: Place) {
        text.retain(|c| c != '-');
        match self.secrets.iter_mut().find(|secret| secret.text == text) {
            Some(secret) => secret.places.push(place),
            None => self.secrets.push(Secret { text, places: vec![place] }),
        }
    }

    /// All that lies there.
    pub(super) fn of_place(&self, place: &Place) -> Vec<String> {
        let there = self.secrets.iter().filter(|secret| secret.places.contains(place));
        there.map(|secret| secret.text.clone()).collect()
    }

    /// What the answer shows although it is closed to who asked. What was asked with is no secret.
    pub(super) fn leaks(
        &self,
        person: (usize, &Person),
        call: &Call,
        answer: &Answer,
    ) -> Option<String> {
        // An id has two spellings, with and without hyphens.
        let (text, asked) = (answer.text().replace('-', ""), format!("{call:?}").replace('-', ""));
        let shown = self.secrets.iter().find(|secret| {
            let is_open = secret.places.iter().any(|place| is_open(person, place));
            !is_open && text.contains(&secret.text) && !asked.contains(&secret.text)
        })?;
        Some(format!("{:?} of {:?} is shown", shown.text, shown.places))
    }
}

fn is_open((number, person): (usize, &Person), place: &Place) -> bool {
    match place {
        Place::Scope(scope) => person.identity.sees(scope),
        Place::Ledger(namespace) => person.ledgers().has(namespace),
        Place::Files(owner) => *owner == number,
        Place::Knowledge(layer, owner) => person.identity.knows(*layer, *owner),
    }
}

/// Answers as they are compared: without what is shared on purpose, and with numbers that count up for
/// all told by when they first came up.
#[derive(Debug, Default)]
pub(super) struct Plain(HashMap<String, usize>);

/// Fields whose numbers count up for all.
const COUNTED: [&str; 4] = ["id", "edge_id", "event_id", "deleted_ids"];

/// Fields that are shared on purpose.
const SHARED: [&str; 6] = [
    "lastSyncAt",
    "timeSinceSync",
    "totalSyncs",
    "totalItemsSynced",
    "avgSyncDurationMs",
    "durationMs",
];

/// What stands before a number that somebody asked for and that is not there.
const ASKED: &str = "Edge not found: ";

/// Whether there is a repository at all is as little a secret as its newest commit.
const NO_LEDGER: &str = "There is no ledger yet";
const NOTHING: &str = "Nothing to commit";

impl Plain {
    pub(super) fn of(&mut self, answer: &Answer) -> Answer {
        let Answer { value, is_error, attached } = answer.clone();
        Answer { value: self.value("", value), is_error, attached }
    }

    fn value(&mut self, field: &str, value: Value) -> Value {
        match value {
            _ if SHARED.contains(&field) => Value::Null,
            // What was asked for; the same number may be another chunk in the other world.
            Value::String(_) if field == "missing_ids" => "asked".into(),
            Value::Number(number) if COUNTED.contains(&field) => {
                self.named(&format!("{field} {number}"))
            }
            Value::String(text) if text.starts_with("chunk_") => self.named(&text),
            Value::String(text) if field == "commit_hash" && !text.is_empty() => self.named(&text),
            Value::String(text) if text == NO_LEDGER => NOTHING.into(),
            Value::String(text) => match text.split_once(ASKED) {
                Some((before, _)) => format!("{before}{ASKED}").into(),
                None => text.into(),
            },
            Value::Array(all) => all.into_iter().map(|one| self.value(field, one)).collect(),
            Value::Object(all) => all
                .into_iter()
                .map(|(key, one)| {
                    let one = self.value(&key, one);
                    (key, one)
                })
                .collect(),
            other => other,
        }
    }

    fn named(&mut self, text: &str) -> Value {
        let next = self.0.len();
        format!("#{}", self.0.entry(text.to_owned()).or_insert(next)).into()
    }
}
