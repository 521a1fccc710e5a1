//! A session belongs to the token that opened it.
//!
//! The SDK knows sessions by id alone. So the id that a client is given carries a mark that is made of
//! the id, of who opened it and of a secret of this process; who brings another token's id has the wrong
//! mark, and gets the SDK's own answer for a session that there is not.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use model::{Actor, hex};
use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::SessionId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::auth::{Bearing, Grant};
use super::door::Refused;
use super::limits::too_many;
use super::streams::{Ends, watched};
use super::tokens::random;
use super::turns::is_stream;
use crate::metrics::Reason;

/// The header that names a session.
const HEADER: &str = "mcp-session-id";

/// A session that there never is.
const NONE: HeaderValue = HeaderValue::from_static("none");

/// How many characters of the mark there are.
const MARK_LENGTH: usize = 32;

/// How many sessions one token may have open: each takes memory until it has been quiet for long.
const OPEN_MAX: usize = 256;

/// After so many more, those that have ended are forgotten.
const FORGET_EVERY: usize = 256;

/// How long who has too many waits before it tries again.
const FULL_WAIT: Duration = Duration::from_secs(60);

/// Whose the sessions are.
pub(super) struct Sessions {
    /// A secret of this process.
    secret: [u8; 32],
    manager: Arc<LocalSessionManager>,
    opened: Mutex<Opened>,
}

/// The sessions that were opened, by owner; those that have ended are forgotten now and then.
#[derive(Default)]
struct Opened {
    of: HashMap<String, Vec<SessionId>>,
    /// The token that was brought last for each: an owner gets a new one before the old one runs out.
    borne: HashMap<SessionId, Arc<Bearing>>,
    /// How many were opened since.
    since: usize,
}

/// The mark of a request whose bearer has all the sessions that there may be.
#[derive(Debug, Clone)]
pub(super) struct Full(Option<Actor>);

impl Full {
    /// The refusal of a message that would open one more.
    pub(super) fn refuses(&self, message: &[u8]) -> Option<Response> {
        #[derive(Deserialize)]
        struct Named {
            method: String,
        }
        let named: Named = serde_json::from_slice(message).ok()?;
        (named.method == "initialize").then(|| {
            let why = format!("this token has {OPEN_MAX} sessions open already");
            let mut answer = too_many(FULL_WAIT, &why);
            answer.extensions_mut().insert(Reason::Rate);
            Refused::mark(&mut answer, self.0.clone(), why);
            answer
        })
    }
}

impl Sessions {
    pub(super) fn new(manager: Arc<LocalSessionManager>) -> io::Result<Self> {
        Ok(Self { secret: random()?, manager, opened: Mutex::default() })
    }

    /// Ends a session, unless the token that was brought last for it is good.
    pub(super) async fn end(&self, id: &SessionId) {
        let borne = self.opened().borne.get(id).cloned();
        if !borne.is_some_and(|bearing| bearing.is_good()) {
            // It may have ended already.
            let _ = self.manager.close_session(id).await;
        }
    }

    /// Notes the token that was brought for a session that is known.
    fn bear(&self, id: &SessionId, bearing: &Arc<Bearing>) {
        if let Some(last) = self.opened().borne.get_mut(id) {
            last.clone_from(bearing);
        }
    }

    /// Notes a session that was opened.
    async fn note(&self, owner: &str, id: &str, bearing: Option<Arc<Bearing>>) {
        let is_due = {
            let mut opened = self.opened();
            opened.borne.extend(bearing.map(|bearing| (id.into(), bearing)));
            opened.of.entry(owner.to_owned()).or_default().push(id.into());
            opened.since += 1;
            opened.since >= FORGET_EVERY
        };
        if is_due {
            self.forget_ended(|_| true).await;
            self.opened().since = 0;
        }
    }

    /// Whether this owner has as many as there may be.
    async fn is_full(&self, owner: &str) -> bool {
        let many =
            || self.opened().of.get(owner).is_some_and(|sessions| sessions.len() >= OPEN_MAX);
        if !many() {
            return false;
        }
        self.forget_ended(|other| other == owner).await;
        many()
    }

    /// Forgets what has ended of these owners' sessions, and who has none left.
    async fn forget_ended(&self, is_asked: impl Fn(&str) -> bool) {
        let alive = self.manager.sessions.read().await;
        let mut opened = self.opened();
        opened.of.retain(|owner, sessions| {
            if is_asked(owner) {
                sessions.retain(|id| alive.contains_key(id));
            }
            !sessions.is_empty()
        });
        opened.borne.retain(|id, _| alive.contains_key(id));
    }

    fn opened(&self) -> MutexGuard<'_, Opened> {
        self.opened.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The id as it is told to who opened the session.
    fn told(&self, id: &str, owner: &str) -> String {
        format!("{id}.{}", self.mark(id, owner))
    }

    /// The id as the SDK knows it, if it is this owner's.
    fn known<'a>(&self, told: &'a str, owner: &str) -> Option<&'a str> {
        let (id, mark) = told.rsplit_once('.')?;
        let is_own = self.mark(id, owner).as_bytes().ct_eq(mark.as_bytes());
        bool::from(is_own).then_some(id)
    }

    fn mark(&self, id: &str, owner: &str) -> String {
        // The lengths keep the parts apart; the secret comes first and last, so that nobody can go on
        // from a mark that they know.
        let mut hash = Sha256::new();
        for part in [&self.secret[..], owner.as_bytes(), id.as_bytes(), &self.secret[..]] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hex(&hash.finalize())[..MARK_LENGTH].to_owned()
    }
}

/// Tells the SDK which session is meant, if it is the caller's own.
pub(super) async fn bind(
    State(sessions): State<Arc<Sessions>>,
    mut request: Request,
    next: Next,
) -> Response {
    let owner = request.extensions().get::<Arc<Grant>>().map(|grant| grant.name.clone());
    let owner = owner.unwrap_or_default();
    if let Some(value) = request.headers().get(HEADER) {
        let id = value.to_str().ok().and_then(|told| sessions.known(told, &owner));
        let id = id.and_then(|id| HeaderValue::from_str(id).ok());
        request.headers_mut().insert(HEADER, id.unwrap_or(NONE));
    } else if sessions.is_full(&owner).await {
        let actor = request.extensions().get::<Arc<Grant>>().map(|grant| &grant.caller.actor);
        let full = Full(actor.cloned());
        request.extensions_mut().insert(full);
    }
    let named = request.headers().get(HEADER).and_then(|id| id.to_str().ok()).map(SessionId::from);
    let bearing = request.extensions().get::<Arc<Bearing>>().cloned();
    if let (Some(id), Some(bearing)) = (&named, &bearing) {
        sessions.bear(id, bearing);
    }
    let is_end = request.method() == Method::DELETE;
    let mut response = next.run(request).await;
    if is_end && response.status() == StatusCode::ACCEPTED {
        // The session has ended when this is said, and clients take nothing but 200 and 204 for that.
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    if let (true, Some(bearing)) = (is_stream(&response), &bearing) {
        let ends = Ends { sessions: Arc::clone(&sessions), session: named };
        response = watched(response, Arc::clone(bearing), ends);
    }
    if let Some(value) = response.headers().get(HEADER) {
        let id = value.to_str().unwrap_or_default().to_owned();
        sessions.note(&owner, &id, bearing).await;
        let told = HeaderValue::from_str(&sessions.told(&id, &owner)).unwrap_or(NONE);
        response.headers_mut().insert(HEADER, told);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_known_to_who_opened_it_and_to_nobody_else() {
        let new = || Sessions::new(Arc::default()).unwrap();
        let sessions = new();
        let told = sessions.told("6f1c", "ada");
        assert_eq!(sessions.known(&told, "ada"), Some("6f1c"));
        assert_eq!(sessions.known(&told, "bob"), None);
        assert_eq!(sessions.known("6f1c", "ada"), None, "without its mark");
        assert_eq!(sessions.known(&told.replace("6f", "7f"), "ada"), None);
        assert_eq!(new().known(&told, "ada"), None, "another process");
        assert_ne!(sessions.mark("ab", "c"), sessions.mark("b", "ca"));
    }

    #[tokio::test]
    async fn sessions_that_ended_do_not_count() {
        let sessions = Sessions::new(Arc::default()).unwrap();
        sessions.opened().of.insert("ada".to_owned(), vec!["1".into(); OPEN_MAX]);
        assert!(!sessions.is_full("ada").await, "none of them is there any more");
        assert!(sessions.opened().of.is_empty());
        let opens = br#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}"#;
        assert!(Full(None).refuses(opens).is_some());
        assert!(Full(None).refuses(br#"{"id": 1, "method": "tools/list"}"#).is_none());
    }

    #[tokio::test]
    async fn who_has_no_session_any_more_is_forgotten() {
        let sessions = Sessions::new(Arc::default()).unwrap();
        for n in 0..4 * FORGET_EVERY {
            sessions.note(&format!("oauth user-{n}"), "1", None).await;
            assert!(sessions.opened().of.len() < FORGET_EVERY, "{n}");
        }
    }
}
