//! Transcripts: what a tool was asked and what it answered, as tests and as a manual.
//!
//! ```text
//! # a comment
//! @ caller user=ada role=guest       who calls from here on
//! @ limits core=2                    starts over with these limits
//! @ trust human_only                 starts over with a ledger that only people change
//! @ file company/policies/p.md       writes a file below the knowledge folder, with the lines
//! | ---                              that stand behind bars
//! @ no file company/policies/p.md    removes it
//! @ work src/main.rs                 the same below the folder that files tools work in
//! > store_memory {"type": "core", "content": "x"}
//! < {"id": "$id", "...": 0}
//! > memory_delete {"memoryId": "nonsense"}
//! <! {"errorCode": "NOT_FOUND", "...": 0}
//! ```
//!
//! `"$name"` takes any value the first time and must be the same later (two spellings of one memory
//! id are the same); `"$*"` is anything, and within a text any characters (`"$*.md"`); `"...": 0` in
//! an object, or `"..."` at the end of a list, lets more follow. Everything else must be equal. Every request and every answer is held against
//! the advertised schemas.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

#[cfg(test)]
mod examples;
pub mod hidden;
mod pattern;
mod script;
#[cfg(test)]
mod seeds;
#[cfg(test)]
pub(crate) mod spots;

use std::collections::HashMap;

use engine::testing::setup;
use engine::{Engine, Limits, Meaning, Setup};
use model::{Caller, Identity, Layer, Role, Trust};
use serde_json::{Map, Value};

pub use pattern::Captures;
pub use script::{Directive, Step, parse};

use crate::catalogue::{Catalogue, Selection};
use crate::tool::{Context, Reply};

/// Somebody a transcript can be played to: an engine in this process, or a server.
pub trait Speaker {
    /// Calls a tool.
    fn call(&mut self, tool: &str, arguments: Value) -> Reply;
    /// Carries out a directive.
    fn direct(&mut self, directive: &Directive);
}

/// Plays a transcript. `captures` holds what was captured and stays for a transcript that goes on.
///
/// # Panics
/// With the line and both answers, where the transcript and the speaker disagree.
pub fn play(text: &str, speaker: &mut dyn Speaker, captures: &mut Captures) {
    let schemas = Schemas::default();
    let mut last: Option<(String, Reply)> = None;
    for step in parse(text) {
        match step {
            Step::Direct(directive) => speaker.direct(&directive),
            Step::Call { tool, arguments } => {
                let arguments = captures.fill(arguments);
                let reply = speaker.call(&tool, arguments.clone());
                schemas.check(&tool, &arguments, &reply);
                last = Some((tool, reply));
            }
            Step::Expect { line, is_error, pattern } => {
                let (tool, reply) = last.take().expect("an answer follows a call");
                let what = if reply.is_error { "error" } else { "success" };
                assert_eq!(
                    is_error, reply.is_error,
                    "line {line}, {tool}: {what} was not expected: {}",
                    reply.value
                );
                if let Err(why) = captures.compare(&pattern, &reply.value) {
                    panic!(
                        "line {line}, {tool}: {why}\nexpected {pattern}\nanswered {}",
                        reply.value
                    );
                }
            }
        }
    }
}

/// Validators of every tool's schemas.
struct Schemas {
    catalogue: Catalogue,
    validators: HashMap<&'static str, (jsonschema::Validator, jsonschema::Validator)>,
}

impl Default for Schemas {
    fn default() -> Self {
        let compile = |schema: &Map<String, Value>| {
            jsonschema::validator_for(&Value::Object(schema.clone())).expect("a legal schema")
        };
        let catalogue = Catalogue::new(Selection::all());
        let all = catalogue.list(Role::Admin);
        let validators = all.map(|d| (d.spec.name, (compile(&d.input), compile(&d.output))));
        Self { validators: validators.collect(), catalogue }
    }
}

impl Schemas {
    /// What a tool accepted must fit its input schema once it is coerced to it, and what it answered
    /// its output schema.
    fn check(&self, tool: &str, arguments: &Value, reply: &Reply) {
        if reply.is_error {
            return;
        }
        let (input, output) = self.validators.get(tool).expect("a known tool");
        let Value::Object(given) = arguments.clone() else { panic!("arguments are an object") };
        let definition = self.catalogue.find(tool).expect("a known tool");
        let given = Value::Object(definition.coerce(given).0);
        if let Err(error) = input.validate(&given) {
            panic!("{tool} accepted what its schema forbids: {error}");
        }
        if let Err(error) = output.validate(&reply.value) {
            panic!("{tool} answered what its schema forbids: {error}\n{}", reply.value);
        }
    }
}

/// The folder of the data directory whose files and commands the tools reach.
pub const WORK: &str = "work";

/// An engine on the store in `dir`.
fn open(dir: &std::path::Path, setup: Setup) -> Engine {
    #[cfg(test)]
    let setup = Setup { outside: outside(&dir.join(WORK)), ..setup };
    Engine::open(dir, setup).expect("an open store")
}

/// What is reached beyond the store: the files in `work`, and a web that a test knows.
#[cfg(test)]
fn outside(work: &std::path::Path) -> engine::Outside {
    std::fs::create_dir_all(work).expect("a folder");
    let roots = vec![work.to_owned()];
    engine::Outside {
        shell: Some(Box::new(providers::LocalShell::new(roots.clone(), &[]))),
        workspace: Some(Box::new(providers::LocalWorkspace::new(roots))),
        web: Some(Box::new(engine::testing::FakeWeb)),
        ..engine::Outside::default()
    }
}

/// An engine on a store of its own, with a ticking clock, counting ids and every tool.
pub struct Bench {
    engine: Engine,
    caller: Caller,
    catalogue: Catalogue,
    captures: Captures,
    dir: tempfile::TempDir,
}

impl Default for Bench {
    fn default() -> Self {
        Self::new()
    }
}

impl Bench {
    /// A fresh engine without limits, and an admin with an id in every layer.
    pub fn new() -> Self {
        Self::with(Limits::default(), Trust::Open)
    }

    fn with(limits: Limits, trust: Trust) -> Self {
        Self::of(Setup { limits, trust, ..setup(Meaning::BuiltIn) })
    }

    /// The same with another way to treat secrets.
    pub fn with_secrets(secrets: engine::secrets::Policy) -> Self {
        Self::of(Setup { secrets, ..setup(Meaning::BuiltIn) })
    }

    fn of(setup: Setup) -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        Self {
            engine: open(dir.path(), setup),
            caller: everybody(),
            catalogue: Catalogue::new(Selection::all()),
            captures: Captures::default(),
            dir,
        }
    }

    /// The same with files of this folder to be read, too.
    #[must_use]
    pub fn allowing(mut self, dir: &std::path::Path) -> Self {
        self.caller.roots = vec![self.dir.path().join(WORK), dir.to_owned()];
        self
    }

    /// The same for a caller whose project has this root.
    #[must_use]
    pub fn working_in(mut self, root: &std::path::Path) -> Self {
        self.caller.here = Some(root.to_owned());
        self
    }

    /// Plays a transcript.
    pub fn run(&mut self, transcript: &str) {
        let mut captures = std::mem::take(&mut self.captures);
        play(transcript, self, &mut captures);
        self.captures = captures;
    }

    /// Opens the store again, as another process would.
    pub fn restart(&mut self) {
        let setup = Setup {
            ids: Box::new(engine::testing::CountingIds::behind(1_000)),
            ..setup(Meaning::BuiltIn)
        };
        self.engine = open(self.dir.path(), setup);
    }

    /// Closes the store, and leaves its directory.
    pub fn close(self) -> tempfile::TempDir {
        self.dir
    }

    /// The data directory.
    pub fn dir(&self) -> &std::path::Path {
        self.dir.path()
    }

    /// What resources and prompts are read with.
    pub fn context(&self) -> Context<'_> {
        Context::new(&self.engine, &self.caller)
    }
}

impl Speaker for Bench {
    fn call(&mut self, tool: &str, arguments: Value) -> Reply {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        self.catalogue.find(tool).expect("a known tool").call(arguments, &self.context())
    }

    fn direct(&mut self, directive: &Directive) {
        match directive {
            Directive::Caller(caller) => {
                let roots = std::mem::take(&mut self.caller.roots);
                self.caller = Caller { roots, ..Caller::clone(caller) };
            }
            Directive::Limits(limits) => *self = Self::with(*limits, Trust::Open),
            Directive::Trust(trust) => *self = Self::with(Limits::default(), *trust),
            Directive::File(..) => _ = directive.write_file(self.dir.path()),
        }
    }
}

/// An admin with the id `me` in every layer, to whom every project is open: somebody at their own
/// machine.
fn everybody() -> Caller {
    let me = || "me".parse().expect("a legal id");
    let identity = Identity::default().with_all_projects();
    let identity = Layer::ALL.into_iter().fold(identity, |i, layer| i.with(layer, me()));
    Caller::new(identity, Role::Admin)
}

/// Plays a transcript to a fresh engine.
pub fn check(transcript: &str) {
    Bench::new().run(transcript);
}

/// A transcript that stores a pattern with this content and makes it a golden rule, `$gold`.
pub fn golden(content: &str) -> String {
    let validate =
        "> memory_validate {\"memory_id\": \"$gold\", \"was_helpful\": true}\n< {\"...\": 0}\n";
    format!(
        "> memory_store {{\"content\": \"{content}\", \"memory_type\": \"pattern\"}}\n\
         < {{\"data\": {{\"id\": \"$gold\", \"...\": 0}}, \"...\": 0}}\n{}",
        validate.repeat(6)
    )
}

/// A text of `length` characters, each of two bytes, so that bytes are not taken for characters.
pub fn text(length: usize) -> String {
    "ä".repeat(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usage_in_the_docs_runs() {
        for definition in Catalogue::new(Selection::all()).list(Role::Admin) {
            let usages = definition.doc.usages();
            assert!(!usages.is_empty(), "{} shows no usage", definition.spec.name);
            for usage in usages {
                let here = std::env::current_dir().expect("a directory");
                let mut bench = Bench::new().allowing(&here);
                bench.seed(definition);
                bench.run(&format!("> {} {usage}\n< {{\"...\": 0}}", definition.spec.name));
            }
        }
    }

    #[test]
    fn every_tool_has_every_section() {
        for definition in Catalogue::new(Selection::all()).list(Role::Admin) {
            let titles: Vec<_> = definition.doc.sections.iter().map(|(t, _)| t.as_str()).collect();
            assert_eq!(titles, crate::doc::SECTIONS, "{}", definition.spec.name);
            assert!(definition.doc.sections.iter().all(|(_, body)| !body.is_empty()));
            assert!(definition.doc.summary.ends_with(['.', ';']), "{}", definition.spec.name);
        }
    }

    #[test]
    fn every_tool_names_what_it_rests_on_and_other_tools() {
        let catalogue = Catalogue::new(Selection::all());
        for definition in catalogue.list(Role::Admin) {
            let (name, related) = (definition.spec.name, definition.doc.related());
            let (verb, others) = related.split_first().expect("a verb");
            assert!(verb.contains("::"), "{name}: {verb} is no verb of the engine");
            assert!(!others.is_empty(), "{name} names no other tool");
            for other in others.iter().filter(|other| !other.starts_with("lorekeep ")) {
                assert!(catalogue.find(other).is_some(), "{name}: there is no tool {other}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "expected {\"total_memories\":1,\"...\":0}")]
    fn a_transcript_that_disagrees_fails() {
        check("> get_memory_stats {}\n< {\"total_memories\": 1, \"...\": 0}");
    }

    #[test]
    fn a_text_may_have_holes() {
        check(
            "> memory_count {\"memory_type\": \"x\"}\n<! {\"success\": false, \"error\": \"Invalid$*type$*x\"}",
        );
    }

    #[test]
    #[should_panic(expected = "was expected, and")]
    fn a_text_that_lacks_a_part_fails() {
        check(
            "> memory_count {\"memory_type\": \"x\"}\n<! {\"success\": false, \"error\": \"$*type$*Invalid$*\"}",
        );
    }

    #[test]
    #[should_panic(expected = "more keys")]
    fn a_transcript_that_leaves_out_a_key_fails() {
        check("> get_memory_stats {}\n< {\"total_memories\": 0}");
    }
}
