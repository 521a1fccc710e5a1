//! What is refused before a call begins, told to the audit log.
//!
//! Anybody may be refused, as often as they like. So nobody waits for the log here: what is to be noted
//! goes to a thread of its own by a short queue, what does not fit in is lost, and equal refusals are
//! counted by the engine. Never the token.

use std::net::IpAddr;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use axum::response::Response;
use model::Actor;

use crate::opening::Opening;

/// So many refusals wait to be noted; more are lost.
const WAITING_MAX: usize = 256;

/// How long a store that did not open is left alone.
const REST: Duration = Duration::from_secs(10);

/// Where a request comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) IpAddr);

/// Why a request was refused and to whom, in the answer on its way out.
#[derive(Debug, Clone)]
pub(super) struct Refused {
    /// Who it was; none if only the address is known.
    actor: Option<Actor>,
    why: String,
}

impl Refused {
    /// Puts a note on an answer.
    pub(super) fn mark(answer: &mut Response, actor: Option<Actor>, why: impl Into<String>) {
        answer.extensions_mut().insert(Self { actor, why: why.into() });
    }
}

/// The way to the log; without a store there is none.
pub(super) struct Door(Option<SyncSender<(Actor, String)>>);

impl Door {
    /// The door of the server whose store this opens. Without a thread to have nothing is noted.
    pub(super) fn new(opening: Option<&Arc<Opening>>) -> Self {
        let Some(opening) = opening.map(Arc::downgrade) else { return Self(None) };
        let (refusals, waiting) = sync_channel(WAITING_MAX);
        let thread = std::thread::Builder::new().name("door".into());
        let started = thread.spawn(move || run(&opening, &waiting));
        Self(started.is_ok().then_some(refusals))
    }

    /// Hands in a refusal, without waiting.
    pub(super) fn note(&self, peer: Option<Peer>, refused: Refused) {
        let Some(refusals) = &self.0 else { return };
        let address = || peer.map_or("an unknown address".to_owned(), |Peer(ip)| ip.to_string());
        let actor = refused.actor.unwrap_or_else(|| Actor::agent_of(address()));
        // A full queue is a flood, of which enough is noted.
        let _ = refusals.try_send((actor, refused.why));
    }
}

/// Notes what comes, until the server ends. The store is not kept open by who only waits.
fn run(opening: &Weak<Opening>, waiting: &Receiver<(Actor, String)>) {
    let mut failed: Option<Instant> = None;
    while let Ok((actor, why)) = waiting.recv() {
        if failed.is_some_and(|when| when.elapsed() < REST) {
            continue;
        }
        let Some(opening) = opening.upgrade() else { return };
        match opening.get() {
            Ok(engine) => engine.acting(actor).note_refusal(&why),
            Err(error) => {
                failed = Some(Instant::now());
                tracing::warn!("a refusal is not in the audit log: {}", error.message);
            }
        }
    }
}
