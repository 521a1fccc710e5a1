//! What a tool is.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use engine::fact::Question;
use engine::trust::visible;
use engine::{Engine, Result};
use model::{Actor, Caller, Metadata, Role};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::coerce::{self, Fields};
use crate::dialect::Dialect;
use crate::toolset::Toolset;
use crate::{doc, parse, schema, secrets};

/// A request that carries its own specification.
///
/// The doc comment is the tool's description (its sections are listed in [`doc`]), the fields with
/// their doc comments are the input schema, `Response` is the output schema.
pub trait Tool: DeserializeOwned + JsonSchema {
    /// The tool's name.
    const NAME: &'static str;
    /// What a call does to the world.
    const EFFECT: Effect;
    /// The least role that may call it.
    const ROLE: Role;
    /// Where its calls may run.
    const PACE: Pace = Pace::Waiting;
    /// Whether it may like to ask the client's model first.
    const ASKS: bool = false;
    /// Whether its answer is passed on to the letter: of who reads a file to change it.
    const EXACT: bool = false;
    /// Why secrets may stand in its arguments, though it writes: nothing of them is kept by us.
    const KEEPS_NOTHING: Option<&'static str> = None;
    /// Whether an empty text for an optional field is a value of its own, and not the field left out.
    const EMPTY_IS_A_VALUE: bool = false;
    /// Other names of fields, each with the field's own name.
    const ALIASES: &[(&str, &str)] = &[];
    /// Whether its optional fields say what to change, so that a call is a mistake if it gives only
    /// fields that are unknown instead.
    const IS_PATCH: bool = false;
    /// What it answers.
    type Response: Serialize + JsonSchema;

    /// Does it.
    fn call(self, cx: &Context<'_>) -> Result<Self::Response>;

    /// What the client's model is asked before the call; nothing if it can do without.
    fn questions(&self, _: &Context<'_>) -> Vec<Question> {
        Vec::new()
    }

    /// What goes with an answer that is no JSON: taken out of it.
    fn attachments(_: &mut Self::Response) -> Vec<Attachment> {
        Vec::new()
    }
}

/// A file that goes with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Where it is from.
    pub uri: String,
    /// What it is.
    pub mime_type: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What a call works with.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The verbs' engine.
    pub engine: &'a Engine,
    /// Who calls.
    pub caller: &'a Caller,
    /// Who hears how far a long call is: so many done, of so many. It answers whether to go on.
    pub news: &'a (dyn Fn(u64, u64) -> bool + Sync),
    /// What the client's model answered to the tool's questions, if it was asked; else why not.
    pub answers: Option<&'a Result<Vec<String>, String>>,
    /// Warnings of the answer: arguments that were not taken as given, texts that changed, checks left out.
    pub warnings: Option<&'a Mutex<Vec<String>>>,
}

impl<'a> Context<'a> {
    /// A call of whose progress nobody wants to hear.
    pub fn new(engine: &'a Engine, caller: &'a Caller) -> Self {
        Self { engine, caller, news: &|_, _| true, answers: None, warnings: None }
    }

    /// Warns in the answer if the text of a field is kept as another.
    pub(crate) fn kept(&self, field: &str, given: &str, kept: &str) {
        if given != kept {
            self.warn(format!("{field} was kept as {kept:?}, which is not what was given"));
        }
    }

    /// Adds a warning to the answer.
    pub(crate) fn warn(&self, text: String) {
        if let Some(warnings) = self.warnings {
            warnings.lock().unwrap_or_else(PoisonError::into_inner).push(text);
        }
    }
}

/// What a call does to the world, as MCP's hints say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    /// It changes nothing.
    pub read_only: bool,
    /// It may take something away.
    pub destructive: bool,
    /// The same call again changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond the store.
    pub open_world: bool,
}

impl Effect {
    /// Reads.
    pub const READ: Self =
        Self { read_only: true, destructive: false, idempotent: true, open_world: false };
    /// Adds or changes.
    pub const WRITE: Self =
        Self { read_only: false, destructive: false, idempotent: false, open_world: false };
    /// Takes away.
    pub const DESTROY: Self = Self { destructive: true, ..Self::WRITE };

    /// The same, where a repetition changes nothing more.
    #[must_use]
    pub const fn idempotent(self) -> Self {
        Self { idempotent: true, ..self }
    }

    /// It in one word, for lists.
    pub const fn word(self) -> &'static str {
        match (self.read_only, self.destructive) {
            (true, _) => "reads",
            (false, false) => "writes",
            (false, true) => "deletes",
        }
    }
}

/// Where a tool's calls may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// They read, are done in little time and wait for nobody, so that they may run where they
    /// arrive: handing them to another thread would cost more than they do.
    Quick,
    /// They may wait: for a disk, a lock, another process.
    Waiting,
    /// They work for minutes, tell how far they are ([`Context::news`]) and end early when nobody
    /// waits for them any more. Few are at work at once.
    Long,
}

/// A tool as a plain value: what the lists are made of.
#[derive(Clone, Copy)]
pub struct Spec {
    /// The tool's name.
    pub name: &'static str,
    /// What a call does.
    pub effect: Effect,
    /// The least role that may call it.
    pub role: Role,
    /// Where its calls may run.
    pub pace: Pace,
    /// Whether it may like to ask the client's model first.
    pub asks: bool,
    exact: bool,
    aliases: &'static [(&'static str, &'static str)],
    pub(crate) empty_is_a_value: bool,
    /// Why secrets may stand in its arguments, though it writes.
    pub keeps_nothing: Option<&'static str>,
    questions: With<Vec<Question>>,
    fields: fn() -> &'static [&'static str],
    request: fn() -> Map<String, Value>,
    response: fn() -> Map<String, Value>,
    call: With<Result<Reply>>,
}

/// Input schema, arguments, what to work with: what comes of it.
type With<T> = fn(&Map<String, Value>, Map<String, Value>, &Context<'_>) -> T;

impl Spec {
    /// The tool `T` as a value.
    pub const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            effect: T::EFFECT,
            role: T::ROLE,
            pace: T::PACE,
            asks: T::ASKS,
            exact: T::EXACT,
            empty_is_a_value: T::EMPTY_IS_A_VALUE,
            aliases: T::ALIASES,
            keeps_nothing: T::KEEPS_NOTHING,
            questions: questions::<T>,
            fields: coerce::names::<T>,
            request: schema::input::<T>,
            response: schema::output::<T::Response>,
            call: call::<T>,
        }
    }

    /// Works out the tool's schemas and description.
    pub(crate) fn define(&self, dialect: Dialect) -> Definition {
        let mut input = (self.request)();
        let text = match input.remove("description") {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let doc = doc::Doc::parse(&text);
        Definition { spec: *self, dialect, doc, input, output: (self.response)() }
    }
}

fn call<T: Tool>(
    schema: &Map<String, Value>,
    arguments: Map<String, Value>,
    cx: &Context<'_>,
) -> Result<Reply> {
    let request: T = parse::arguments(schema, arguments)?;
    let mut response = request.call(cx)?;
    let attachments = T::attachments(&mut response);
    let value = serde_json::to_value(response)
        .map_err(|error| engine::Error::new(engine::ErrorKind::Internal, error.to_string()))?;
    let note = cx.engine.incomplete();
    Ok(Reply { value, is_error: false, attachments, note })
}

/// Makes everything in the texts of an answer visible, so that nothing in them works unseen on who
/// reads it.
pub(crate) fn show(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(shown) = visible(text) {
                *text = shown;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(show),
        Value::Object(fields) => {
            fields.values_mut().for_each(show);
            let hides = |name: &&String| matches!(visible(name), Cow::Owned(_));
            let hiding: Vec<String> = fields.keys().filter(hides).cloned().collect();
            for name in hiding {
                let value = fields.remove(&name).unwrap_or_default();
                fields.insert(visible(&name).into_owned(), value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What is wrong with the arguments is told by the call.
fn questions<T: Tool>(
    schema: &Map<String, Value>,
    arguments: Map<String, Value>,
    cx: &Context<'_>,
) -> Vec<Question> {
    parse::arguments(schema, arguments).map_or_else(|_| Vec::new(), |tool: T| tool.questions(cx))
}

/// A tool with its schemas and description worked out.
#[derive(Clone)]
pub struct Definition {
    /// The tool.
    pub spec: Spec,
    /// How it words its errors.
    pub dialect: Dialect,
    /// Its description in sections.
    pub doc: doc::Doc,
    /// The schema of its request.
    pub input: Map<String, Value>,
    /// The schema of its answer.
    pub output: Map<String, Value>,
}

impl Definition {
    /// Calls the tool. What goes wrong is an answer too, in the tool's dialect; what is refused is in
    /// the audit log before it is answered.
    pub fn call(&self, arguments: Map<String, Value>, cx: &Context<'_>) -> Reply {
        let (reply, denial) = self.attempt(arguments, cx);
        denial.into_iter().for_each(Denial::note);
        reply
    }

    /// Calls the tool for who must not wait where they are: a denial is theirs to note.
    pub fn attempt(
        &self,
        arguments: Map<String, Value>,
        cx: &Context<'_>,
    ) -> (Reply, Option<Denial>) {
        let engine = cx.engine.acting(cx.caller.actor.calling(self.spec.name));
        let (arguments, warnings) = self.coerce(arguments);
        let warnings = Mutex::new(warnings);
        let called = if cx.caller.role < self.spec.role {
            Err(self.forbidden(cx.caller.role))
        } else {
            let answers = secrets::answers(self, cx);
            let (answers, warnings) = (answers.as_ref(), Some(&warnings));
            let cx = &Context { engine: &engine, answers, warnings, ..*cx };
            secrets::arguments(self, arguments, cx).and_then(|arguments| {
                let engine = &engine.acting(engine.actor().bringing(&self.told(&arguments)));
                (self.spec.call)(&self.input, arguments, &Context { engine, ..*cx })
            })
        };
        if self.spec.effect.read_only && called.is_ok() {
            engine.note_reading();
        }
        let denied = called.as_ref().err().filter(|error| error.is_denial()).cloned();
        let warnings = warnings.into_inner().unwrap_or_else(PoisonError::into_inner);
        let reply = match called {
            Ok(mut reply) => {
                if let Some(answer) = reply.value.as_object_mut()
                    && !warnings.is_empty()
                {
                    answer.insert("warnings".to_owned(), warnings.into());
                }
                if !self.spec.exact {
                    show(&mut reply.value);
                }
                reply
            }
            Err(error) => self.failure(&engine.told(cx.caller, error)),
        };
        (reply, denied.map(|why| Denial { engine, why }))
    }

    /// The arguments as the input schema wants them, and what the answer says of it.
    pub(crate) fn coerce(
        &self,
        arguments: Map<String, Value>,
    ) -> (Map<String, Value>, Vec<String>) {
        let names = (self.spec.fields)();
        let tells = |name: &str| !self.spec.effect.read_only && Actor::is_told_by(name);
        let fields = Fields {
            schema: &self.input,
            is_hidden: &|name| names.contains(&name) || tells(name),
            aliases: self.spec.aliases,
            empty_is_a_value: self.spec.empty_is_a_value,
        };
        fields.coerce(arguments)
    }

    /// What a call that writes says of where its texts are from: in its metadata, or, whatever the
    /// contract has, in fields like `source_url` and `source`, which are no others of the tool's.
    fn told(&self, arguments: &Map<String, Value>) -> Metadata {
        if self.spec.effect.read_only {
            return Metadata::new();
        }
        let properties = self.input.get("properties").and_then(Value::as_object);
        let is_own = |name: &str| properties.is_some_and(|fields| fields.contains_key(name));
        let told = arguments.iter().filter(|(name, _)| Actor::is_told_by(name) && !is_own(name));
        let metadata = arguments.get("metadata").and_then(Value::as_object).into_iter().flatten();
        let metadata = metadata.filter(|(name, _)| Actor::is_told_by(name));
        metadata.chain(told).map(|(name, value)| (name.clone(), brought(value))).collect()
    }

    /// What the client's model is asked before this call.
    pub fn questions(&self, arguments: Map<String, Value>, cx: &Context<'_>) -> Vec<Question> {
        if cx.caller.role < self.spec.role {
            return Vec::new();
        }
        let (arguments, _) = self.coerce(arguments);
        // What is refused is refused by the call, and nobody is asked before.
        match secrets::arguments(self, arguments, cx) {
            Ok(arguments) => (self.spec.questions)(&self.input, arguments, cx),
            Err(_) => Vec::new(),
        }
    }

    /// `error` as an answer of this tool.
    pub fn failure(&self, error: &engine::Error) -> Reply {
        // For who collects traces: the span of a call has a place for it.
        let span = tracing::Span::current();
        span.record("error.type", tracing::field::debug(error.kind));
        span.record("otel.status_code", "ERROR");
        let mut value = self.dialect.error(error);
        show(&mut value);
        Reply { value, is_error: true, attachments: Vec::new(), note: None }
    }

    fn forbidden(&self, role: Role) -> engine::Error {
        let (name, needed, role) = (self.spec.name, self.spec.role.name(), role.name());
        engine::Error::new(
            engine::ErrorKind::Forbidden,
            format!("{name} needs the role {needed}; this caller is {role}"),
        )
    }

    /// What most hosts put before the model: name, description and input schema.
    pub fn prompt_json(&self) -> Value {
        serde_json::json!({
            "name": self.spec.name,
            "description": self.doc.description(),
            "inputSchema": self.input,
        })
    }
}

/// Where something is from, told so that everybody knows what a tool of ours brings: pages, or what
/// lies and runs on this machine.
fn brought(source: &Value) -> Value {
    let name = source.as_str().and_then(|text| text.trim().rsplit("__").next());
    let is_of = |toolset: Toolset| toolset.tools().iter().any(|spec| Some(spec.name) == name);
    match name {
        Some(name) if is_of(Toolset::Web) => format!("web:{name}").into(),
        Some(name) if is_of(Toolset::Files) => format!("tool:{name}").into(),
        _ => source.clone(),
    }
}

/// A call that was refused, and is to be noted.
pub struct Denial {
    engine: Engine,
    why: engine::Error,
}

impl Denial {
    /// Notes it, and returns when that is on disk.
    pub fn note(self) {
        self.engine.note_denial(&self.why);
    }
}

/// Notes that something was read by other means than a tool, or that it was refused.
pub(crate) fn noted<T>(means: &str, cx: &Context<'_>, read: Result<T>) -> Result<T> {
    let engine = cx.engine.acting(cx.caller.actor.calling(means));
    match &read {
        Ok(_) => engine.note_reading(),
        Err(error) if error.is_denial() => engine.note_denial(error),
        Err(_) => {}
    }
    read
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The answer, or the error in the tool's dialect.
    pub value: Value,
    /// Whether it is an error.
    pub is_error: bool,
    /// What goes with it.
    pub attachments: Vec<Attachment>,
    /// Why it may not be all there is.
    pub note: Option<&'static str>,
}

/// One argument of a tool, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// What it takes, and what it is when it is not given.
    pub takes: String,
    /// What it means.
    pub description: String,
    /// Whether it must be given.
    pub required: bool,
}

impl Definition {
    /// What a model pays to read the tool: o200k tokens of [`Self::prompt_json`].
    pub fn tokens(&self) -> usize {
        engine::tokens(&self.prompt_json().to_string())
    }

    /// The arguments in words, in the order of the schema.
    pub fn arguments(&self) -> Vec<Argument> {
        let required = self.input.get("required").and_then(Value::as_array);
        let properties = self.input.get("properties").and_then(Value::as_object);
        let describe = |(name, schema): (&String, &Value)| Argument {
            name: name.clone(),
            takes: parse::takes(schema),
            description: schema["description"].as_str().unwrap_or_default().to_owned(),
            required: required.is_some_and(|all| all.contains(&name.as_str().into())),
        };
        properties.into_iter().flatten().map(describe).collect()
    }
}
