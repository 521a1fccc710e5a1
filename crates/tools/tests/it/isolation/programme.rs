//! Programmes: what people call one after the other, made by chance while it runs, and run again
//! without some of its steps.

use std::collections::{BTreeMap, HashMap};

use model::Role;
use serde_json::{Value, json};
use tools::{Catalogue, Selection};

use super::arguments::{Asking, Kind, Known, named, place_of};
use super::chance::Chance;
use super::oracle::{Oracle, Place, Plain};
use super::people::{GROUPS, People};
use super::world::{Answer, Call, World, mixed};

/// So many steps are made by chance; what everybody sees at the end is asked after them.
const STEPS: u64 = 180;

/// Every so many programmes, what was never reached is tried until it is.
pub(super) const COMPLETE_EVERY: u64 = 8;

/// So often at the most.
const TRIES_MAX: usize = 80;

/// What stands before the number and the place of an answer that an argument is taken from.
const REFERENCE: &str = "$ref:";

/// Tools that make something for others to refer to; who begins, begins with these.
const MAKING: [&str; 8] = [
    "memory_add",
    "store_memory",
    "memory_store",
    "record_decision",
    "bridge-record",
    "index_file",
    "add_memory_link",
    "sync_now",
];

/// Tools by which somebody writes what is theirs alone.
const ALONE: [&str; 8] = [
    "memory_add",
    "store_memory",
    "memory_store",
    "add_memory_link",
    "build_memory_from_text",
    "memory_relate",
    "memory_validate",
    "index_file",
];

/// Tools that need an admin, or something that was made before; admins call them more often.
const RARE: [&str; 21] = [
    "get_decision_history",
    "memory_inspect_graph",
    "update_memory",
    "validation_history",
    "supersede_decision",
    "accept_proposal",
    "reject_proposal",
    "link_evidence",
    "forget",
    "memory_edge_forget",
    "invalidate_memory_link",
    "memory_relate",
    "record_decision",
    "add_memory_link",
    "bridge-record",
    "memory_apply",
    "update_decision",
    "grz_write_file",
    "grz_edit_file",
    "memory_detect_contradictions",
    "delete_memory",
];

/// What a prompt is asked for: everything, some layer, or what is none.
const LAYERS: [&str; 9] =
    ["", "agent", "user", "session", "project", "team", "org", "company", "everything"];

/// One call.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) number: u64,
    pub(super) who: usize,
    pub(super) call: Call,
}

/// What was called, by whom.
#[derive(Debug, Clone)]
pub(super) struct Programme {
    pub(super) people: People,
    /// Who only writes what is theirs alone, if somebody does.
    pub(super) hermit: Option<usize>,
    pub(super) steps: Vec<Step>,
}

/// How often each tool was called with success.
pub(super) type Reached = BTreeMap<&'static str, usize>;

impl Programme {
    /// A programme by chance, with what showed at once that somebody saw too much.
    pub(super) fn by(seed: u64, reached: &mut Reached) -> (Self, Result<(), String>) {
        let mut chance = Chance::of(seed);
        let people = People::by(&mut chance, seed % 4 == 3);
        let mut made = Making {
            world: World::open(&people, |_| true),
            oracle: Oracle::of(&people),
            catalogue: Catalogue::new(Selection::all()),
            pool: Vec::new(),
            answers: HashMap::new(),
            seen: Ok(()),
            chance,
            programme: Self { people, hermit: (seed % 4 == 2).then_some(1), steps: Vec::new() },
        };
        made.world.sync_first();
        for number in 1..=STEPS {
            made.step(number, reached);
        }
        let mut number = STEPS;
        if seed % COMPLETE_EVERY == COMPLETE_EVERY - 1 {
            number = made.complete(number, reached);
        }
        let hermit = made.programme.hermit;
        for (number, (who, call)) in (number + 1..).zip(looks(&made.programme.people)) {
            // To read what is shared counts as access to it, and others see that on purpose.
            if hermit == Some(who) && matches!(call, Call::Tool("query_memories", _)) {
                continue;
            }
            made.take(Step { number, who, call }, reached);
        }
        (made.programme, made.seen)
    }

    /// Runs those steps that are kept, with the files of the groups that are present.
    pub(super) fn run(
        &self,
        present: impl Fn(usize) -> bool,
        keep: impl Fn(&Step) -> bool,
    ) -> HashMap<u64, Answer> {
        let world = World::open(&self.people, present);
        world.sync_first();
        let mut answers = HashMap::new();
        for step in self.steps.iter().filter(|step| keep(step)) {
            let call = resolved(&step.call, &answers);
            answers.insert(step.number, world.call(step.number, step.who, &call));
        }
        answers
    }

    /// Compares what some people are answered in the `whole` run with what they are answered when some
    /// steps are left out, and some groups' files.
    pub(super) fn compare(
        &self,
        whole: &HashMap<u64, Answer>,
        keep: impl Fn(&Step) -> bool,
        present: impl Fn(usize) -> bool,
    ) -> Result<(), String> {
        let part = self.run(present, &keep);
        let (mut one, mut other) = (Plain::default(), Plain::default());
        for step in self.steps.iter().filter(|step| keep(step)) {
            let with = one.of(&whole[&step.number]);
            let without = other.of(&part[&step.number]);
            if with != without {
                return Err(format!(
                    "step {} of {}, {:?}\nwith:    {}\nwithout: {}",
                    step.number,
                    self.people.all[step.who].name,
                    step.call,
                    with.text(),
                    without.text()
                ));
            }
        }
        Ok(())
    }

    /// The same programme with as few steps as fail the same property, and how it fails.
    pub(super) fn shrunk(mut self, fails: impl Fn(&Self) -> Option<String>) -> String {
        let mut why = fails(&self).unwrap_or_else(|| "it fails no more".to_owned());
        let mut size = self.steps.len() / 2;
        while size > 0 {
            let mut at = 0;
            while at < self.steps.len() {
                let mut less = self.clone();
                less.steps.drain(at..(at + size).min(less.steps.len()));
                match fails(&less) {
                    Some(still) => (self, why) = (less, still),
                    None => at += size,
                }
            }
            size /= 2;
        }
        let name = |step: &Step| self.people.all[step.who].name;
        let told = |step: &Step| format!("{} {}: {:?}\n", step.number, name(step), step.call);
        let steps: String = self.steps.iter().map(told).collect();
        let who = |p: &super::people::Person| {
            format!("{} {:?} {:?}\n", p.name, p.role, p.identity.scopes())
        };
        let people: String = self.people.all.iter().map(who).collect();
        format!("{why}\n{people}{steps}")
    }

    /// Whether a step is of a tool that needs a higher role.
    pub(super) fn is_denied(&self, step: &Step) -> bool {
        let Call::Tool(name, _) = &step.call else { return false };
        role_of(name) > self.people.all[step.who].role
    }
}

fn role_of(tool: &str) -> Role {
    let specs = tools::Toolset::ALL.into_iter().flat_map(|toolset| toolset.tools());
    specs.into_iter().find(|spec| spec.name == tool).expect("a known tool").role
}

/// A call with what it takes from earlier answers. What an answer does not have, because its step is
/// left out or failed, is an id that nothing has.
fn resolved(call: &Call, answers: &HashMap<u64, Answer>) -> Call {
    fn fill(value: &Value, answers: &HashMap<u64, Answer>) -> Value {
        match value {
            Value::String(text) => match text.strip_prefix(REFERENCE) {
                Some(reference) => target(reference, answers),
                None => value.clone(),
            },
            Value::Array(all) => all.iter().map(|one| fill(one, answers)).collect(),
            Value::Object(all) => {
                all.iter().map(|(key, one)| (key.clone(), fill(one, answers))).collect()
            }
            other => other.clone(),
        }
    }
    match call {
        Call::Tool(name, arguments) => Call::Tool(name, fill(arguments, answers)),
        other => other.clone(),
    }
}

fn target(reference: &str, answers: &HashMap<u64, Answer>) -> Value {
    let (step, pointer) = reference.split_once(':').expect("a step and a place");
    let step: u64 = step.parse().expect("a number");
    let found = answers.get(&step).and_then(|answer| answer.value.pointer(pointer));
    found.cloned().unwrap_or_else(|| match pointer.contains("edge") {
        true => json!(1_000_000 + step),
        false => json!(format!("chunk_{:012x}", (step << 16) + pointer.len() as u64)),
    })
}

/// A programme in the making.
struct Making {
    world: World,
    oracle: Oracle,
    catalogue: Catalogue,
    chance: Chance,
    pool: Vec<Known>,
    answers: HashMap<u64, Answer>,
    seen: Result<(), String>,
    programme: Programme,
}

impl Making {
    fn step(&mut self, number: u64, reached: &mut Reached) {
        let is_rare = number >= 30 && self.chance.one_in(2);
        // The first of each group is an admin.
        let who = match is_rare {
            true => GROUPS[0].people.len() * self.chance.below(GROUPS.len()),
            false => self.chance.below(self.programme.people.all.len()),
        };
        let alone = self.programme.hermit == Some(who);
        let call = match self.chance.below(12) {
            0 if !alone => self.other(),
            _ => self.tool(number, who, alone, is_rare),
        };
        self.take(Step { number, who, call }, reached);
    }

    /// Lets admins call the tools that nobody called with success yet; the number of the last step.
    fn complete(&mut self, mut number: u64, reached: &mut Reached) -> u64 {
        let all: Vec<&'static str> =
            self.catalogue.all().map(|(_, definition)| definition.spec.name).collect();
        for name in all {
            for attempt in 0..TRIES_MAX {
                if reached.contains_key(name) {
                    break;
                }
                number += 1;
                let who = GROUPS[0].people.len() * (attempt % GROUPS.len());
                // What it may need is made in between.
                let maker = *self.chance.pick(&MAKING);
                let name = if attempt % 4 < 2 { maker } else { name };
                let call = self.call_of(name, number, who, false);
                self.take(Step { number, who, call }, reached);
            }
        }
        number
    }

    /// A tool by chance.
    fn tool(&mut self, number: u64, who: usize, alone: bool, is_rare: bool) -> Call {
        let all: Vec<&'static str> =
            self.catalogue.all().map(|(_, definition)| definition.spec.name).collect();
        let names = match number {
            _ if alone => ALONE.to_vec(),
            _ if is_rare => RARE.to_vec(),
            0..30 => MAKING.to_vec(),
            _ => all,
        };
        let name = *self.chance.pick(&names);
        self.call_of(name, number, who, alone)
    }

    /// A call of this tool, with arguments by chance.
    fn call_of(&mut self, name: &'static str, number: u64, who: usize, alone: bool) -> Call {
        let definition = self.catalogue.find(name).expect("a known tool");
        let canary = format!("zq{:010x}", mixed(number) >> 24);
        let reads = definition.spec.effect.read_only;
        let mut asking = Asking {
            chance: &mut self.chance,
            people: &self.programme.people,
            who,
            pool: &self.pool,
            canary: if reads { "style" } else { &canary },
            alone,
        };
        let arguments = asking.arguments(definition);
        let person = (who, &self.programme.people.all[who]);
        match place_of(name, &arguments, person, &self.pool) {
            Some(place) => {
                self.oracle.keep(canary, place);
                Call::Tool(name, arguments)
            }
            // Nobody knows where it would lie, so it says nothing.
            None => {
                let text = arguments.to_string().replace(&canary, "style");
                Call::Tool(name, serde_json::from_str(&text).expect("JSON"))
            }
        }
    }

    /// A resource, a prompt or a completion by chance.
    fn other(&mut self) -> Call {
        let memory = self.pool.iter().filter(|known| known.kind == Kind::Memory);
        let memory: Vec<&String> = memory.map(|known| &known.id).collect();
        let memory = match memory.is_empty() {
            true => "none".to_owned(),
            false => (*self.chance.pick(&memory)).clone(),
        };
        let project = self.chance.pick(&GROUPS).projects[0];
        let resources = [
            "memory://recent".to_owned(),
            "memory://core".to_owned(),
            "memory://learnings".to_owned(),
            "memory://tasks/active".to_owned(),
            "memory://stats".to_owned(),
            "memory://tag/style".to_owned(),
            "memory://namespace/global".to_owned(),
            format!("memory://namespace/project:{project}"),
            format!("memory://memory/{memory}"),
        ];
        match self.chance.below(3) {
            0 => {
                let layer = self.chance.pick(&LAYERS);
                Call::Prompt("recall", json!({"query": "staging database", "layer": layer}))
            }
            1 => {
                let name: &&str = self.chance.pick(&["tag", "namespace", "layer"]);
                // The word of what somebody wrote, as far as somebody would guess it.
                let begun: &&str = self.chance.pick(&["", "z", "zq", "s", "p", "project:", "t"]);
                Call::Complete(name, (*begun).to_owned())
            }
            _ => Call::Resource(self.chance.pick(&resources).clone()),
        }
    }

    /// Takes a step: runs it, looks at what it shows, and remembers what it made.
    fn take(&mut self, step: Step, reached: &mut Reached) {
        let call = resolved(&step.call, &self.answers);
        let answer = self.world.call(step.number, step.who, &call);
        let person = (step.who, &self.programme.people.all[step.who]);
        if let (Ok(()), Some(leak)) = (&self.seen, self.oracle.leaks(person, &call, &answer)) {
            let why = format!("{} {:?}: {leak}\n{}", person.1.name, call, answer.text());
            self.seen = Err(format!("step {}: {why}", step.number));
        }
        if let (Call::Tool(name, arguments), false) = (&call, answer.is_error) {
            *reached.entry(name).or_default() += 1;
            self.learn(&step, name, arguments, &answer);
        }
        self.answers.insert(step.number, answer);
        self.programme.steps.push(step);
    }

    /// Remembers what a tool made.
    fn learn(&mut self, step: &Step, tool: &str, arguments: &Value, answer: &Answer) {
        let person = (step.who, &self.programme.people.all[step.who]);
        let place = place_of(tool, arguments, person, &self.pool);
        if let Some(place) = &place {
            for id in self.world.made() {
                self.oracle.keep(id.to_string(), place.clone());
            }
        }
        let value = &answer.value;
        let id = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let reference = |pointer: &str| Some(format!("{REFERENCE}{}:{pointer}", step.number));
        let (kind, id) = match tool {
            "memory_add" => (Kind::Memory, id("/memoryId")),
            "store_memory" => (Kind::Memory, id("/id")),
            "memory_store" => (Kind::Memory, id("/data/id")),
            "record_decision" if arguments["kind"] == "proposal" => (Kind::Proposal, id("/fid")),
            "record_decision" => (Kind::Record, id("/fid")),
            "supersede_decision" => (Kind::Record, id("/new_fid")),
            "accept_proposal" => (Kind::Record, id("/fid")),
            "bridge-record" => (Kind::Event, id("/event_id")),
            "get_recent_events" => (Kind::Event, id("/events/0/id")),
            "memory_relate" => (Kind::Edge, reference("/data/edge_id")),
            "index_file" => {
                let scope = arguments["namespace"].as_str().and_then(|one| named(person.1, one));
                if let Some(scope) = scope {
                    self.oracle.index(step.who, &scope);
                }
                (Kind::Chunk, reference("/data/chunk_ids/0"))
            }
            "index_directory" => {
                let scope = arguments["namespace"].as_str().and_then(|one| named(person.1, one));
                if let Some(scope) = scope {
                    self.oracle.index(step.who, &scope);
                }
                return;
            }
            _ => return,
        };
        if let Some(id) = id {
            self.pool.push(Known { kind, id, who: step.who, place });
        }
    }
}

/// What everybody looks at in the end: all that they may see.
fn looks(people: &People) -> Vec<(usize, Call)> {
    let mut looks = Vec::new();
    for who in 0..people.all.len() {
        let mut look = |name, arguments| looks.push((who, Call::Tool(name, arguments)));
        look("memory_list", json!({"limit": 1000}));
        look("query_memories", json!({"limit": 100, "archived": true}));
        look("get_memory_stats", json!({}));
        look("get_index_stats", json!({}));
        look("memory_count", json!({}));
        look("memory_analyze_health", json!({"stale_days": 1}));
        look("memory_search", json!({"query": "staging database", "limit": 100, "threshold": 0}));
        look("search", json!({"query": "staging database", "n_results": 50}));
        look("knowledge_query", json!({"limit": 100}));
        look("sync_status", json!({}));
        look("get_memory_object", json!({"name": "Postgres"}));
        look("grz_read_file", json!({"file_path": "notes.md"}));
        look("get_decisions", json!({"limit": 100}));
        for ledger in GROUPS.iter().flat_map(|group| group.ledgers) {
            look("get_decisions", json!({"namespace": ledger, "limit": 100}));
            look("get_recent_events", json!({"namespace": ledger, "limit": 100}));
            let prompt =
                json!({"prompt": "staging database", "namespace": ledger, "mode": "fuzzy"});
            look("get_context_for_prompt", prompt);
        }
        looks.push((who, Call::Complete("tag", String::new())));
        looks.push((who, Call::Resource("memory://recent".to_owned())));
    }
    looks
}

impl Oracle {
    /// From now on, the files of this person are in this place, too.
    fn index(&mut self, who: usize, scope: &model::Scope) {
        for text in self.of_place(&Place::Files(who)) {
            self.keep(text, Place::Scope(scope.clone()));
        }
    }
}
