//! The floors put together.

use std::io::{IsTerminal, stderr, stdin, stdout};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use engine::{Clock, Engine, Meaning};
use model::{Actor, Caller, TrustLevel};
use providers::reader_process::ReaderPool;
use providers::{LocalFiles, RandomIds, SystemClock};
use store::Attribution;

use crate::settings::Settings;
use crate::store_origin::{self, StoreOrigin};
use crate::{identity, output};

/// Variables that agents set for the commands they run.
const AGENTS: [&str; 12] = [
    "AI_AGENT",
    "AUGMENT_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLINE_ACTIVE",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "GOOSE_TERMINAL",
    "OPENCODE",
    "QWEN_CODE",
];

/// The caller at this machine: who was named, and the usual ids for the rest. It is who gave the
/// command; a person, if all that is typed and shown goes by a terminal. An agent that runs a command
/// reads what it prints, and hands down the terminal it was started from for the rest: one end that is
/// none is enough to tell. Who pipes something in or out is taken for an agent, too.
pub(crate) fn caller(settings: &Settings) -> Caller {
    acting(settings, stdin().is_terminal() && stdout().is_terminal() && stderr().is_terminal())
}

/// The same where a person is asked for a key: it is typed at a terminal, and the question stands on
/// one. What is printed besides may go anywhere.
pub(crate) fn answering(settings: &Settings) -> Caller {
    acting(settings, stdin().is_terminal() && stderr().is_terminal())
}

fn acting(settings: &Settings, is_at_terminal: bool) -> Caller {
    let caller = agent(settings);
    let actor = actor(caller.actor, is_at_terminal && !is_agent());
    Caller { actor, ..caller }
}

/// Whether a known agent runs this command.
pub(crate) fn is_agent() -> bool {
    AGENTS.iter().any(|name| std::env::var_os(name).is_some())
}

/// Whoever calls a tool at this machine as a command: a tool is an agent's, whoever types it, and so are
/// the folders that it opens files in.
pub(crate) fn calling(settings: &Settings) -> Caller {
    acting(settings, false)
}

fn actor(agent: Actor, is_person: bool) -> Actor {
    let level = if is_person { TrustLevel::Person } else { agent.level };
    let command = std::env::args().nth(1);
    let client = concat!("lorekeep ", env!("CARGO_PKG_VERSION")).to_owned();
    Actor {
        client: Some(client),
        tool: command.map(|name| format!("lorekeep {name}")),
        level,
        ..agent
    }
}

/// Who gave the command, and when.
pub(crate) fn attribution(settings: &Settings) -> Attribution {
    Attribution { actor: Arc::new(caller(settings).actor), at: SystemClock.now() }
}

/// Whoever calls the tools of a server at this machine: an agent, in the name of its person.
pub(crate) fn agent(settings: &Settings) -> Caller {
    let identity = settings.identity.clone().or(&identity::default_identity());
    let roots = settings.outside.roots.clone();
    Caller { here: identity::project_root(), roots, ..Caller::new(identity, settings.role) }
}

/// Opens the engine of these settings whenever it is called, for who stays.
pub(crate) fn opener(
    settings: &Settings,
) -> impl Fn() -> engine::Result<Engine> + Send + Sync + 'static {
    let settings = settings.clone();
    move || open(&settings, meaning(&settings), true)
}

/// Opens the engine of these settings for one command: the index is looked after by others.
pub(crate) fn open_once(settings: &Settings) -> engine::Result<Engine> {
    Ok(open(settings, meaning(settings), false)?.acting(caller(settings).actor))
}

/// The same for a command that reads: that it did is noted, if reading is.
pub(crate) fn open_to_read(settings: &Settings) -> engine::Result<Reader> {
    let engine = open_once(settings)?;
    engine.note_reading();
    Ok(Reader(engine))
}

/// The engine of a command that reads. Once it has answered, a person is told if that may not have been
/// all there is: one place for all of them, because none can know before it has read.
pub(crate) struct Reader(pub(crate) Engine);

impl Deref for Reader {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.0
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.incomplete().into_iter().for_each(output::note);
    }
}

/// Leaves the next search the index that this one had to read. That it fails costs the next one time,
/// and this one nothing.
pub(crate) fn leave_index(engine: &Engine) {
    let _ = engine::index::leave(engine);
}

/// Opens it for one command with what compares meanings already open.
pub(crate) fn open_with(settings: &Settings, meaning: Meaning) -> engine::Result<Engine> {
    open(settings, meaning, false)
}

fn open(settings: &Settings, meaning: Meaning, keeps_index: bool) -> engine::Result<Engine> {
    let (dir, origin) = (&settings.data_dir, StoreOrigin::of(&settings.data_dir));
    let setup = engine::Setup {
        clock: Box::new(SystemClock),
        ids: Box::new(RandomIds),
        files: Box::new(files()),
        meaning,
        limits: settings.limits,
        read_only: settings.selection.read_only,
        keeps_index,
        keeps_queries: settings.keep_queries,
        audits_reads: settings.audit_reads,
        injects_from: settings.inject,
        store_trust_max: origin.trust_max(),
        trust: settings.trust,
        secrets: settings.secrets,
        knowledge_dir: knowledge_dir(settings),
        outside: outside(settings),
        backups: settings.backups,
    };
    let engine = Engine::open(dir, setup)?;
    if origin == StoreOrigin::NewInWorkTree
        && let Err(why) = store_origin::claim(dir)
    {
        output::note(format!("the new store in {} is not trusted: {why:#}", dir.display()));
    }
    Ok(engine)
}

/// Where knowledge lies, if not in the data directory. Absolute, because a path is compared.
fn knowledge_dir(settings: &Settings) -> Option<PathBuf> {
    let dir = settings.knowledge_dir.as_ref()?;
    Some(std::path::absolute(dir).unwrap_or_else(|_| dir.clone()))
}

/// The files of this machine. They are parsed by processes of this program, so that a hostile file
/// costs a row in the answer and no more.
fn files() -> LocalFiles {
    // On Linux the program that runs, even if another lies at its path by now.
    const RUNNING: &str = "/proc/self/exe";
    let running = Some(PathBuf::from(RUNNING)).filter(|path| path.exists());
    match running.or_else(|| std::env::current_exe().ok()) {
        Some(program) => {
            LocalFiles::default().with_parsers(ReaderPool::new(program, vec!["reader".into()]))
        }
        None => LocalFiles::default(),
    }
}

/// What may be reached beyond the store. What does not open must not cost the memories: the tools say
/// that it is not there, and the log why.
fn outside(settings: &Settings) -> engine::Outside {
    settings.outside.open(&settings.data_dir).unwrap_or_else(|why| {
        output::note(format!("{why:#}"));
        engine::Outside::default()
    })
}

/// What compares meanings. A model that does not open must not cost the memories: the built-in
/// table serves, and the log says why.
fn meaning(settings: &Settings) -> Meaning {
    settings.embedder.open().unwrap_or_else(|why| {
        output::note(format!("{why:#}; the built-in table compares meanings meanwhile"));
        Meaning::BuiltIn
    })
}
