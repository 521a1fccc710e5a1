//! What was said and answered, kept as something that happened, and the sentences in it that may be
//! worth a memory. Nothing becomes a memory by itself: [`keep`] and [`merge`] are a person's word.

use model::{
    Caller, Candidate, CandidateState, Change, EpisodeId, EpisodeKind, Kind, Layer, Memory,
    MemoryId, MemoryPatch, Metadata, NewCandidate, Op, Origin, Scope,
};
use rank::keep as rules;
use serde_json::json;

use crate::embedders::By;
use crate::memory::{self, NewMemory, Place, Query, Remembered, Within, recall_by};
use crate::record::{self, Exchange};
use crate::{Engine, Error, ErrorKind, Result, scope, secrets, trust};

/// No more of a text than this is looked at.
const BYTES_MAX: usize = 256 << 10;

/// So many of the latest exchanges are looked at for the same one.
const LATEST_MAX: u64 = 50;

/// A memory that is this much like a candidate says the same, or nearly.
const SAME_MIN: f64 = 0.95;

/// How much a memory matters that a person kept.
const IMPORTANCE: f64 = 0.5;

/// What was said to an agent, and what it answered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interaction {
    /// The client it came by.
    pub client: String,
    /// The session it was said in.
    pub session: Option<String>,
    /// What was said.
    pub prompt: String,
    /// What was answered; empty if that is not known.
    pub response: String,
}

/// What was kept of an interaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// As what it is kept.
    pub episode: EpisodeId,
    /// How many sentences of it may be worth keeping, known ones included.
    pub candidates: usize,
}

/// Keeps an interaction as something that happened: without what nobody said, without secrets, and
/// only once. None if it says nothing.
pub fn record(
    engine: &Engine,
    caller: &Caller,
    interaction: &Interaction,
) -> Result<Option<Captured>> {
    let mut interaction = interaction.clone();
    for text in interaction.session.iter_mut().chain([&mut interaction.client]) {
        secrets::take(engine.secrets, text);
    }
    let interaction = &interaction;
    let (prompt, redacted) = said(engine, &interaction.prompt);
    if rules::is_trivial(&prompt) {
        return Ok(None);
    }
    let hash = model::hex(&memory::hash(&normal(&prompt)).0[..8]);
    if is_known(engine, caller, interaction, &hash)? {
        return Ok(None);
    }
    let (response, more) = said(engine, &interaction.response);
    let project = project(caller);
    let mut metadata = Metadata::new();
    metadata.insert("source".to_owned(), json!("hook"));
    metadata.insert("client".to_owned(), json!(interaction.client));
    metadata.insert("hash".to_owned(), json!(hash));
    let named = [("session", &interaction.session), ("project", &project)];
    for (name, value) in named {
        if let Some(value) = value {
            metadata.insert(name.to_owned(), json!(value));
        }
    }
    if redacted + more > 0 {
        metadata.insert("redacted".to_owned(), json!(redacted + more));
    }
    let found = rules::candidates(&prompt);
    let namespace = record::write_in(caller, None)?;
    let exchange = Exchange { namespace, prompt, response, success: true, metadata };
    let episode = record::told(engine, &exchange, EpisodeKind::AgentAction);
    let id = episode.id;
    let candidates = suggestions(engine, caller, interaction, &found, id)?;
    let captured = Captured { episode: id, candidates: found.len() };
    let ops = [Op::Happen(Box::new(episode))].into_iter().chain(candidates);
    let ops = ops.chain(record::expire(engine)).collect();
    engine.apply(Change { guards: Vec::new(), ops })?;
    Ok(Some(captured))
}

/// What was said of a text, and how many secrets it held.
fn said(engine: &Engine, text: &str) -> (String, usize) {
    let mut text = rules::beginning(text, BYTES_MAX).to_owned();
    let redacted = secrets::take(engine.secrets, &mut text);
    (rules::clean(&text), redacted)
}

/// The text as it is compared: its words, whatever stands between them.
fn normal(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Whether the same was said in the same session of late.
fn is_known(
    engine: &Engine,
    caller: &Caller,
    interaction: &Interaction,
    hash: &str,
) -> Result<bool> {
    let (namespace, kind) = (record::read_in(caller, None), Some(EpisodeKind::AgentAction));
    let (latest, _) = record::recent(engine, &namespace, kind, LATEST_MAX)?;
    let is_same = |metadata: &Metadata| {
        let text = |name: &str| metadata.get(name).and_then(|value| value.as_str());
        text("hash") == Some(hash) && text("session") == interaction.session.as_deref()
    };
    Ok(latest.iter().any(|episode| is_same(&episode.metadata)))
}

/// The candidates as the store takes them, without those that are memories already.
fn suggestions(
    engine: &Engine,
    caller: &Caller,
    interaction: &Interaction,
    found: &[rules::Candidate],
    episode: EpisodeId,
) -> Result<Vec<Op>> {
    let Ok(scope) = owner(caller) else { return Ok(Vec::new()) };
    let (at, places) = (engine.clock.now(), scope::own(engine, caller)?);
    let mut ops = Vec::new();
    for rules::Candidate { kind, text } in found {
        if engine.store.has_text(&places, &memory::hash(text))? {
            continue;
        }
        ops.push(Op::Suggest(Box::new(NewCandidate {
            scope: scope.clone(),
            text: text.clone(),
            hash: memory::hash(&normal(text)),
            kind: *kind,
            project: project(caller),
            client: interaction.client.clone(),
            session: interaction.session.clone(),
            episode,
            at,
        })));
    }
    Ok(ops)
}

/// Whose candidates these are.
fn owner(caller: &Caller) -> Result<Scope> {
    caller.identity.scope(Layer::User).ok_or_else(|| memory::closed(Layer::User))
}

/// The project that the caller works in, if it has a name of its own.
fn project(caller: &Caller) -> Option<String> {
    let id = caller.identity.id(Layer::Project)?.as_str();
    (id != "default").then(|| id.to_owned())
}

/// A candidate that waits, and the memory that nearly says the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Pending {
    /// The candidate.
    pub candidate: Candidate,
    /// What nearly says the same, if there is such a memory.
    pub similar: Option<Memory>,
}

/// The caller's candidates that wait, oldest first. What has become a memory by another way is not
/// among them.
pub fn pending(engine: &Engine, caller: &Caller) -> Result<Vec<Pending>> {
    let places = scope::own(engine, caller)?;
    let mut pending = Vec::new();
    for candidate in engine.store.pending_candidates(&owner(caller)?)? {
        let text = &candidate.found.text;
        if !engine.store.has_text(&places, &memory::hash(text))? {
            let similar = similar(engine, caller, &candidate)?;
            pending.push(Pending { candidate, similar });
        }
    }
    Ok(pending)
}

/// The memory that nearly says what a candidate says, where the candidate would lie or is the user's.
fn similar(engine: &Engine, caller: &Caller, candidate: &Candidate) -> Result<Option<Memory>> {
    let mut places = vec![owner(caller)?];
    places.extend(caller.identity.default_scope());
    places.extend(candidate.found.project.as_deref().map(Scope::project));
    let query = Query {
        text: candidate.found.text.clone(),
        within: Within::Scopes(places),
        tags_any: Vec::new(),
        floor: SAME_MIN,
        limit: 1,
    };
    let hits = recall_by(engine, caller, &query, By::Serving)?.hits;
    Ok(hits.into_iter().next().map(|hit| hit.memory))
}

/// The candidate of this number, if it waits.
fn waits(engine: &Engine, caller: &Caller, id: i64) -> Result<Candidate> {
    let found = engine.store.candidate(&owner(caller)?, id)?;
    let found = found
        .ok_or_else(|| Error::new(ErrorKind::NotFound, format!("there is no candidate {id}")))?;
    match found.state {
        CandidateState::Pending => Ok(found),
        state => Err(decided(id, state.name())),
    }
}

fn decided(id: i64, how: &str) -> Error {
    Error::new(ErrorKind::Conflict, format!("candidate {id} was {how} already"))
}

fn decide(engine: &Engine, id: i64, state: CandidateState) -> Result<()> {
    let op = Op::Decide { candidate: id, state, at: engine.clock.now() };
    match engine.apply(Change::of(op))?.is_done() {
        true => Ok(()),
        false => Err(decided(id, "decided")),
    }
}

/// Makes a memory of a candidate: what was decided and how things are done of the project it was said
/// in, the rest of the user. The memory's id; that of the one that was there, if it was.
pub fn keep(engine: &Engine, caller: &Caller, id: i64) -> Result<MemoryId> {
    let NewCandidate { text, kind, project, client, session, episode, .. } =
        waits(engine, caller, id)?.found;
    // It may have been kept before the rules knew what it holds.
    let text = secrets::admit(engine.secrets, &format!("candidate {id}"), &text)?;
    let mut metadata = Metadata::new();
    metadata.insert("source".to_owned(), json!("review"));
    metadata.insert("client".to_owned(), json!(client));
    metadata.insert("event".to_owned(), json!(episode.to_string()));
    if let Some(session) = session {
        metadata.insert("session".to_owned(), json!(session));
    }
    let is_shared = matches!(kind, Kind::Decision | Kind::Pattern);
    let project = project.filter(|_| is_shared).map(|project| Scope::project(&project));
    let project = project.filter(|project| caller.identity.sees(project));
    let new = NewMemory {
        origin: Origin::Layers,
        place: project.map_or(Place::Layer(Layer::User), Place::Scope),
        kind,
        content: text,
        category: None,
        tags: Vec::new(),
        importance: IMPORTANCE,
        metadata,
    };
    let memory = match memory::remember_once(engine, caller, new, memory::Sameness::Trimmed)? {
        Remembered::New(memory) => memory.id,
        Remembered::Known(id) => id,
    };
    decide(engine, id, CandidateState::Kept)?;
    Ok(memory)
}

/// Adds what a candidate says to the memory that nearly says the same, if it says more. The memory's
/// id. It is trusted no more than before: nobody has read all of it and said so.
pub fn merge(engine: &Engine, caller: &Caller, id: i64) -> Result<MemoryId> {
    let candidate = waits(engine, caller, id)?;
    let text = &secrets::admit(engine.secrets, &format!("candidate {id}"), &candidate.found.text)?;
    let similar = similar(engine, caller, &candidate)?.ok_or_else(|| {
        let why = format!("no memory nearly says what candidate {id} says; keep it or drop it");
        Error::new(ErrorKind::NotFound, why)
    })?;
    if let Some(why) = trust::unfit(engine, &similar)? {
        let id = similar.id.prefixed();
        let why =
            format!("nothing is merged into memory {id}: {why}; keep the candidate or drop it");
        return Err(Error::new(ErrorKind::Conflict, why));
    }
    if says_more(text, &similar.content) {
        let engine = &engine.acting(engine.actor().no_more_than(similar.provenance.level));
        memory::revise(engine, caller, similar.id, |memory| MemoryPatch {
            content: says_more(text, &memory.content)
                .then(|| format!("{}\n{text}", memory.content)),
            ..MemoryPatch::default()
        })?;
    }
    decide(engine, id, CandidateState::Merged)?;
    Ok(similar.id)
}

/// Whether a text has a word that means something and that the other does not have.
fn says_more(text: &str, known: &str) -> bool {
    let stems = |text: &str| -> Vec<String> {
        rank::terms::query_terms(text).into_iter().map(|term| term.term).collect()
    };
    let known = stems(known);
    stems(text).iter().any(|stem| !known.contains(stem))
}

/// Drops a candidate; the same sentence never comes again.
pub fn drop(engine: &Engine, caller: &Caller, id: i64) -> Result<()> {
    waits(engine, caller, id)?;
    decide(engine, id, CandidateState::Dropped)
}
