//! A store that several people share, in which everything is decided by the number of the step: ids,
//! times, and so every answer. The same step has the same ids whatever else was called before it, so
//! that a programme can be run again without some of its steps and be compared byte by byte.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use engine::testing::{FakeWeb, setup};
use engine::{Clock, Engine, Ids, Meaning, Outside, Setup, knowledge};
use model::{Caller, Change, Identity, MemoryId, Op, Role, Timestamp, time};
use serde_json::{Map, Value, json};
use tools::{Catalogue, Context, Selection, prompt, resource};

use super::people::{People, Person};

/// What stands for the directory that all files lie below, which is another in every run.
pub(super) const DIR: &str = "$DIR";

/// 2026-01-01T00:00:00Z.
const START_MICROS: i64 = 1_767_225_600_000_000;

/// Which step it is, and what it has asked for so far.
#[derive(Debug, Default)]
struct Now {
    step: AtomicU64,
    asked: AtomicU64,
    ids: Mutex<Vec<MemoryId>>,
}

struct StepClock(Arc<Now>);

impl StepClock {
    fn at(&self, asked: u64) -> Timestamp {
        let seconds = self.0.step.load(Ordering::Relaxed) * 1_000 + asked;
        let micros = i64::try_from(seconds * 1_000_000).expect("a time");
        time::from_micros(START_MICROS + micros).expect("a time")
    }
}

impl Clock for StepClock {
    fn now(&self) -> Timestamp {
        self.at(self.0.asked.fetch_add(1, Ordering::Relaxed))
    }

    fn glance(&self) -> Timestamp {
        self.at(self.0.asked.load(Ordering::Relaxed))
    }
}

struct StepIds(Arc<Now>);

impl Ids for StepIds {
    fn memory_id(&self) -> MemoryId {
        let mut made = self.0.ids.lock().expect("nobody panicked");
        let id = id_of(self.0.step.load(Ordering::Relaxed), made.len() as u64);
        made.push(id);
        id
    }
}

/// The id that a step gives to the thing it makes as its `number`-th.
pub(super) fn id_of(step: u64, number: u64) -> MemoryId {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&mixed(step << 8 | number).to_be_bytes());
    bytes[8..].copy_from_slice(&mixed(!(step << 8 | number)).to_be_bytes());
    MemoryId::from_random(bytes)
}

/// SplitMix64: numbers in a row into numbers that look like chance.
pub(super) fn mixed(number: u64) -> u64 {
    let z = number.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Something that a person asks of the server.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Call {
    /// A tool, with its arguments.
    Tool(&'static str, Value),
    /// A resource, by its address.
    Resource(String),
    /// A prompt, with its arguments.
    Prompt(&'static str, Value),
    /// How an argument may go on.
    Complete(&'static str, String),
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    /// The whole of it.
    pub(super) value: Value,
    /// Whether it is an error.
    pub(super) is_error: bool,
    /// What went with it, as text.
    pub(super) attached: Vec<String>,
}

impl Answer {
    /// All of it as one text.
    pub(super) fn text(&self) -> String {
        format!("{}{}", self.value, self.attached.concat())
    }
}

/// The store and who shares it.
pub(super) struct World {
    pub(super) engine: Engine,
    catalogue: Catalogue,
    now: Arc<Now>,
    people: People,
    dir: tempfile::TempDir,
}

impl World {
    /// A fresh store, with the files of those groups that are `present`.
    pub(super) fn open(people: &People, present: impl Fn(usize) -> bool) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let now = Arc::new(Now::default());
        for (path, text) in people.files(&present) {
            lay(&dir.path().join(path), &text);
        }
        for (path, target) in people.links(&present) {
            std::os::unix::fs::symlink(target, dir.path().join(path)).expect("a link");
        }
        let work = dir.path().join("work");
        fs::create_dir_all(&work).expect("a folder");
        let outside = Outside {
            shell: Some(Box::new(providers::LocalShell::new(vec![work.clone()], &[]))),
            workspace: Some(Box::new(providers::LocalWorkspace::new(vec![work]))),
            web: Some(Box::new(FakeWeb)),
            ..Outside::default()
        };
        let setup = Setup {
            clock: Box::new(StepClock(Arc::clone(&now))),
            ids: Box::new(StepIds(Arc::clone(&now))),
            outside,
            ..setup(Meaning::BuiltIn)
        };
        let engine = Engine::open(&dir.path().join("data"), setup).expect("an open store");
        let catalogue = Catalogue::new(Selection::all());
        Self { engine, catalogue, now, people: people.clone(), dir }
    }

    /// The caller that a person is here.
    pub(super) fn caller(&self, person: &Person) -> Caller {
        let mut caller =
            Caller::from_afar(person.identity.clone(), person.role).by(Some("test 1.0".to_owned()));
        caller.ledgers = person.ledgers();
        caller.roots = vec![self.dir.path().join("work").join(person.name)];
        caller.here = person.project_dir().map(|here| self.dir.path().join(here));
        caller
    }

    /// Lets somebody call, as the step of this number.
    pub(super) fn call(&self, step: u64, who: usize, call: &Call) -> Answer {
        self.now.step.store(step, Ordering::Relaxed);
        self.now.asked.store(0, Ordering::Relaxed);
        self.now.ids.lock().expect("nobody panicked").clear();
        let caller = self.caller(&self.people.all[who]);
        let context = Context::new(&self.engine, &caller);
        let answer = self.answer(call, &context);
        // What is noted by the way is noted, and counted, before the next step begins.
        let _ = self.engine.store().apply(Change::of(Op::SettleTouches));
        answer
    }

    /// Lets somebody sync who sees nothing, so that what cannot be followed is known to the store from
    /// the beginning and not since whoever synced first.
    pub(super) fn sync_first(&self) {
        let nobody = Caller::from_afar(Identity::default(), Role::Admin);
        knowledge::sync(&self.engine, &nobody, &knowledge::Narrow::default()).expect("a sync");
    }

    /// The ids that the last step gave.
    pub(super) fn made(&self) -> Vec<MemoryId> {
        self.now.ids.lock().expect("nobody panicked").clone()
    }

    fn answer(&self, call: &Call, context: &Context<'_>) -> Answer {
        let dialect = |result: engine::Result<Value>| match result {
            Ok(value) => (value, false),
            Err(error) => (
                json!({"kind": format!("{:?}", error.kind), "message": error.message,
                "details": error.details}),
                true,
            ),
        };
        let (value, is_error, attachments) = match call {
            Call::Tool(name, arguments) => {
                let tool = self.catalogue.find(name).expect("a known tool");
                let reply = tool.call(object(self.placed(arguments)), context);
                (reply.value, reply.is_error, reply.attachments)
            }
            Call::Resource(uri) => {
                let nothing = || Ok(json!("there is no such address"));
                let (value, is_error) =
                    dialect(resource::read(uri, context).unwrap_or_else(nothing));
                (value, is_error, Vec::new())
            }
            Call::Prompt(name, arguments) => {
                let prompt = prompt::PROMPTS.iter().find(|prompt| prompt.name == *name);
                let text = prompt.expect("a prompt").render(context, &object(arguments.clone()));
                let (value, is_error) = dialect(text.map(Value::from));
                (value, is_error, Vec::new())
            }
            Call::Complete(argument, value) => {
                let found = prompt::complete(context, argument, value, 100);
                let (value, is_error) = dialect(found.map(|found| json!(found)));
                (value, is_error, Vec::new())
            }
        };
        let attached = attachments
            .into_iter()
            .map(|one| format!("{} {}", one.uri, String::from_utf8_lossy(&one.bytes)))
            .map(|text| self.unplaced(&text))
            .collect();
        let value = serde_json::from_str(&self.unplaced(&value.to_string())).expect("JSON");
        Answer { value, is_error, attached }
    }

    /// Arguments with the directory of this run in them.
    fn placed(&self, arguments: &Value) -> Value {
        let text = arguments.to_string().replace(DIR, &self.path());
        serde_json::from_str(&text).expect("JSON")
    }

    /// An answer without it.
    fn unplaced(&self, text: &str) -> String {
        text.replace(&self.path(), DIR)
    }

    /// A folder of this run.
    pub(super) fn folder(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn path(&self) -> String {
        self.dir.path().canonicalize().expect("a directory").display().to_string()
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("arguments are an object, not {other}"),
    }
}

/// Writes a file that was changed last at a time that is always the same.
fn lay(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(file, text).expect("a file");
    let opened = fs::File::options().write(true).open(file).expect("a file");
    let at = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    opened.set_modified(at).expect("a time");
}
