//! Arguments by chance: of the shape that a tool's schema asks for, with ids and names out of a pool of
//! one's own, other people's, guessed and broken ones.

use model::{Layer, Scope};
use serde_json::{Map, Value, json};
use tools::Definition;

use super::asking::is_ledger;
use super::chance::Chance;
use super::oracle::Place;
use super::people::{GROUPS, People, Person};
use super::world::{DIR, id_of};

/// Words that everybody uses, so that searches find something.
const WORDS: [&str; 12] = [
    "database", "deploys", "staging", "tabs", "coffee", "postgres", "review", "release", "tests",
    "python", "cluster", "style",
];

/// Texts that several people keep word by word, two of which contradict each other.
const SAID: [&str; 4] = [
    "The staging database is PostgreSQL 15",
    "The staging database is MySQL 8",
    "We use tabs for indentation",
    "We never use tabs for indentation",
];

/// Things that everybody links with each other.
const THINGS: [&str; 3] = ["Postgres", "Staging", "Coffee"];

/// What decisions are about.
const TARGETS: [&str; 4] = ["database", "style", "deploys", "coffee"];

/// Namespaces of these names are everybody's own.
const FREE: [&str; 2] = ["docs", "code/api"];

const RELATIONS: [&str; 1] = ["uses"];

/// What an id is the id of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Memory,
    Record,
    Proposal,
    Event,
    Chunk,
    Edge,
}

/// Something that somebody made.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) kind: Kind,
    /// Its id; `$ref:STEP:POINTER` for one that counts up and is another in another run.
    pub(super) id: String,
    pub(super) who: usize,
    pub(super) place: Option<Place>,
}

/// Who asks, of whom, and what there is.
pub(super) struct Asking<'a> {
    pub(super) chance: &'a mut Chance,
    pub(super) people: &'a People,
    pub(super) who: usize,
    pub(super) pool: &'a [Known],
    /// A word that stands for what is written now.
    pub(super) canary: &'a str,
    /// Whether only what is this person's alone is written and named.
    pub(super) alone: bool,
}

impl Asking<'_> {
    fn person(&self) -> &Person {
        &self.people.all[self.who]
    }

    /// Arguments for a tool.
    pub(super) fn arguments(&mut self, tool: &Definition) -> Value {
        let name = tool.spec.name;
        if let Some(arguments) = self.one_of_several(name) {
            return arguments;
        }
        let required = tool.input.get("required").and_then(Value::as_array).cloned();
        let required = required.unwrap_or_default();
        let properties = tool.input.get("properties").and_then(Value::as_object);
        let mut arguments = Map::new();
        for (field, schema) in properties.into_iter().flatten() {
            let is_needed = required.contains(&json!(field)) || needed(name, field);
            if is_needed || self.chance.one_in(2) {
                let value = if !self.alone && self.chance.one_in(60) {
                    self.chance.pick(&[json!(17), json!(""), json!(["x"]), json!("../..")]).clone()
                } else {
                    self.field(name, field, schema)
                };
                arguments.insert(field.clone(), value);
            }
        }
        Value::Object(arguments)
    }

    /// Tools that take one of several things.
    fn one_of_several(&mut self, tool: &str) -> Option<Value> {
        let choice = self.chance.below(3);
        Some(match (tool, choice) {
            ("memory_edge_forget", 0) => json!({"edge_id": self.id(Kind::Edge)}),
            ("memory_edge_forget", 1) => json!({"memory_id": self.id(Kind::Memory)}),
            ("memory_edge_forget", _) => {
                json!({"source_id": self.id(Kind::Memory), "target_id": self.id(Kind::Memory)})
            }
            ("memory_forget", 0) => json!({"query": self.words(2), "n_results": 1}),
            ("memory_forget", 1) => json!({"input_value": self.id(Kind::Memory)}),
            ("memory_forget", _) => {
                json!({"memory_id": self.id(Kind::Memory), "force": self.chance.one_in(2)})
            }
            _ => return None,
        })
    }

    fn field(&mut self, tool: &str, field: &str, schema: &Value) -> Value {
        match (tool, field) {
            ("knowledge_show", "id") => self.item(),
            (_, "knowledgeItemIds") => json!([self.item()]),
            (_, "memory_id" | "memoryId" | "id" | "source_id" | "target_id") => {
                self.id(Kind::Memory)
            }
            ("accept_proposal" | "reject_proposal", "fid") => self.id(Kind::Proposal),
            (_, "fid") => self.id(Kind::Record),
            (_, "decision_ids") => json!([self.id(Kind::Record)]),
            ("link_evidence", "event_id") => self.id(Kind::Event),
            (_, "ids") => json!([self.id(Kind::Chunk), self.id(Kind::Chunk)]),
            (_, "namespace") if is_ledger(tool) => self.ledger(),
            (_, "namespace") => self.namespace(),
            (_, "layer") if tool == "memory_add" && self.alone => {
                json!(self.chance.pick(&["user", "agent", "session"]))
            }
            ("index_file" | "delete_file", _) => self.file(),
            ("index_directory", "dir_path") => self.own_file("docs"),
            (_, "file_path") => self.path(),
            (_, "working_directory") => json!(self.chance.pick(&[".", "docs", "../ada", "../no"])),
            (_, "command") => json!(self.chance.pick(&["echo hello", "cat notes.md", "ls"])),
            (_, "timeout_seconds") => json!(20),
            (_, "url") => {
                json!(self.chance.pick(&["https://example.org/", "http://localhost:1/"]))
            }
            ("brave_local_search", "query") => json!("coffee in London"),
            (_, "filters") => self.filters(),
            (_, "files") => json!([{"path": "src/db.ts", "content": "import mysql from 'mysql2'"}]),
            (_, "dependencies") => json!([{"name": "mysql2", "version": "3.0.0"}]),
            (_, "from" | "to" | "name") => json!(self.chance.pick(&THINGS)),
            (_, "relation") if schema["enum"].is_null() => json!(self.chance.pick(&RELATIONS)),
            ("build_memory_from_text", "content") => {
                json!(format!("Postgres is a database. Postgres uses {}.", self.canary))
            }
            (_, "old_string") => json!("staging"),
            (_, "new_string") => json!(format!("staging {}", self.canary)),
            (_, "as_of") => json!("2027-01-01T00:00:00Z"),
            ("record_decision", "kind") => {
                json!(self.chance.pick(&["decision", "proposal", "proposal", "constraint"]))
            }
            (_, "target") => json!(self.chance.pick(&TARGETS)),
            (_, "tags") => json!([self.chance.pick(&WORDS), self.canary]),
            ("query_memories" | "memory_search" | "knowledge_query", "status") => {
                json!(["accepted", "draft"])
            }
            (_, "query" | "search" | "prompt") => json!(self.words(2)),
            (_, "metadata") => json!({"note": self.canary, "source": "runbook"}),
            (_, "confirm") => json!(true),
            (_, "create_edges" | "create_edge" | "cascade" | "replace_all") => json!(true),
            (_, "consequences") => json!([self.text()]),
            _ => self.by_schema(schema),
        }
    }

    fn by_schema(&mut self, schema: &Value) -> Value {
        if let Some(choices) = schema["enum"].as_array() {
            return self.chance.pick(choices).clone();
        }
        match schema["type"].as_str() {
            Some("boolean") => json!(self.chance.one_in(2)),
            Some("integer") => {
                let least = schema["minimum"].as_u64().unwrap_or(0);
                let most = schema["maximum"].as_u64().unwrap_or(1_000).min(1_000);
                // Small numbers cut lists off, which is what they are for; mostly all is asked for.
                json!(if self.chance.one_in(3) {
                    least + self.chance.below(3) as u64
                } else {
                    most
                })
            }
            Some("number") => json!(self.chance.below(10) as f64 / 10.0),
            Some("array") if schema["items"]["enum"].is_array() => {
                json!([self.by_schema(&schema["items"])])
            }
            Some("array") => json!([self.words(1)]),
            Some("object") => json!({"note": self.canary}),
            _ => json!(self.text()),
        }
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<&str> = (0..count).map(|_| *self.chance.pick(&WORDS)).collect();
        words.join(" ")
    }

    fn text(&mut self) -> String {
        if self.chance.one_in(4) {
            return (*self.chance.pick(&SAID)).to_owned();
        }
        let (before, behind) = (self.words(2), self.words(1));
        format!("{before} {} {behind}", self.canary)
    }

    /// An id: mostly one's own or one's group's, at times another group's, a guessed or a broken one.
    fn id(&mut self, kind: Kind) -> Value {
        let (who, group) = (self.who, self.person().group);
        let lot = if self.alone { 0 } else { self.chance.below(20) };
        let is_meant = |known: &&Known| {
            let its = self.people.all[known.who].group;
            let is_kind = known.kind == kind;
            is_kind
                && match lot {
                    0..11 => known.who == who,
                    11..14 => its == group,
                    _ => its != group,
                }
        };
        let meant: Vec<&Known> = self.pool.iter().filter(is_meant).collect();
        let other = id_of(self.chance.below(400) as u64, 0);
        if lot == 19 {
            return json!(self.chance.pick(&["mem_", "' OR 1=1", "*", "%", "0"]));
        }
        if lot < 18 && !meant.is_empty() {
            return json!(self.chance.pick(&meant).id);
        }
        let tail: String = other.to_string().chars().rev().take(12).collect();
        match kind {
            Kind::Memory => json!(other.to_string()),
            Kind::Record | Kind::Proposal => json!(tail),
            Kind::Event => json!(format!("evt_0000{tail}")),
            Kind::Chunk => json!(format!("chunk_{:012x}", 1 + self.chance.below(60))),
            Kind::Edge => json!(1 + self.chance.below(40)),
        }
    }

    fn item(&mut self) -> Value {
        let group = self.chance.pick(&GROUPS);
        let ids = [
            format!("adr-orgs-{}", self.chance.pick(&group.orgs)),
            format!("adr-teams-{}", self.chance.pick(&group.teams)),
            "adr-001-style".to_owned(),
            "adr-002-flawed".to_owned(),
            "common-7".to_owned(),
            "spec-here".to_owned(),
            "no-such-item".to_owned(),
        ];
        json!(self.chance.pick(&ids))
    }

    /// A namespace of the ledger: mostly the group's, at times the other group's, a project's, or one
    /// that nobody writes to.
    fn ledger(&mut self) -> Value {
        let own = &GROUPS[self.person().group];
        let other = &GROUPS[1 - self.person().group];
        let others = [other.ledgers, other.projects, own.projects, ["default", "nobody"]].concat();
        json!(match self.chance.below(10) {
            0..6 => own.ledgers[0],
            6 | 7 => own.ledgers[1],
            _ => *self.chance.pick(&others),
        })
    }

    fn namespace(&mut self) -> Value {
        if self.alone {
            return json!(self.chance.pick(&["default", "global", FREE[0], FREE[1]]));
        }
        let own = self.person().identity.id(Layer::Project);
        let own = own.map_or("none", |id| id.as_str()).to_owned();
        let foreign = self.chance.pick(&GROUPS).projects[0];
        let all = [
            "default".to_owned(),
            "global".to_owned(),
            format!("project:{own}"),
            format!("project:{own}"),
            format!("project:{foreign}"),
            "graph".to_owned(),
            FREE[0].to_owned(),
            FREE[1].to_owned(),
        ];
        json!(self.chance.pick(&all))
    }

    fn own_file(&self, path: &str) -> Value {
        json!(format!("{DIR}/work/{}/{path}", self.person().name))
    }

    /// A file for the index: mostly one's own; at times another's, one behind a link, or nobody's.
    fn file(&mut self) -> Value {
        let other = *self.chance.pick(&GROUPS[1 - self.person().group].people);
        let own = self.person().name;
        let strange = [
            format!("{DIR}/work/{own}/link.md"),
            format!("{DIR}/work/{other}/notes.md"),
            format!("{DIR}/work/{other}/../{own}/notes.md"),
            format!("{DIR}/work/{own}/../{other}/link.md"),
            format!("{DIR}/data/lorekeep.db"),
            format!("{DIR}/work/{own}/missing.md"),
            "notes.md".to_owned(),
        ];
        match self.alone || !self.chance.one_in(3) {
            true => self.own_file("notes.md"),
            false => json!(self.chance.pick(&strange)),
        }
    }

    /// A path below one's own root, or below another's.
    fn path(&mut self) -> Value {
        let own = self.person().name;
        let other = *self.chance.pick(&GROUPS[1 - self.person().group].people);
        let all = [
            "notes.md".to_owned(),
            "notes.md".to_owned(),
            format!("{DIR}/work/{own}/docs/guide.md"),
            format!("{DIR}/work/{other}/notes.md"),
            format!("../{other}/notes.md"),
            "../../data/lorekeep.db".to_owned(),
            "missing.md".to_owned(),
        ];
        json!(self.chance.pick(&all))
    }

    fn filters(&mut self) -> Value {
        match self.chance.below(4) {
            0 => json!({}),
            1 => json!({"namespace": self.namespace()}),
            2 => json!({"doc_type": "document", "source_file": self.file()}),
            _ => {
                json!({"doc_type": self.chance.pick(&["memory", "document", "decision", "entity"])})
            }
        }
    }
}

/// What is always given although the schema can do without.
fn needed(tool: &str, field: &str) -> bool {
    let is_named = field == "namespace" && tool.starts_with("index_");
    let is_useful = matches!(
        (tool, field),
        ("knowledge_check", "dependencies")
            | ("update_memory", "tags")
            | ("record_decision", "kind")
            | ("update_decision", "confidence")
    );
    is_named || is_useful
}

/// Where a call writes what its person says, if that can be told.
pub(super) fn place_of(
    tool: &str,
    arguments: &Value,
    person: (usize, &Person),
    pool: &[Known],
) -> Option<Place> {
    let (number, Person { identity, .. }) = person;
    let text = |field: &str| arguments[field].as_str();
    let scope = |scope: Option<Scope>| scope.map(Place::Scope);
    let known = |field: &str| {
        let id = text(field)?;
        pool.iter().find(|known| known.id == id)?.place.clone()
    };
    match tool {
        "memory_add" => scope(identity.scope(Layer::named(text("layer").unwrap_or("user"))?)),
        "store_memory" if arguments.get("id").is_none() => scope(identity.scope(Layer::User)),
        "store_memory" | "update_memory" => known("id"),
        "memory_apply" | "memory_outcome" | "memory_validate" => known("memory_id"),
        "memory_store" => scope(named(person.1, text("namespace").unwrap_or("global"))),
        "add_memory_link" | "build_memory_from_text" | "update_memory_object" => {
            scope(identity.facts_scope())
        }
        "grz_write_file" | "grz_edit_file" => Some(Place::Files(number)),
        _ if is_ledger(tool) => {
            let named = match arguments.get("namespace") {
                Some(named) => named.as_str().and_then(|name| name.parse().ok()),
                None => person.1.ledgers().usual(),
            };
            named.filter(|named| person.1.ledgers().has(named)).map(Place::Ledger)
        }
        _ => None,
    }
}

/// The place that a namespace names for this person, if it is open.
pub(super) fn named(person: &Person, namespace: &str) -> Option<Scope> {
    let project = namespace.strip_prefix("project:").map(Scope::project);
    let project = project.filter(|scope| person.identity.sees(scope));
    person.identity.own(namespace).or(project)
}
