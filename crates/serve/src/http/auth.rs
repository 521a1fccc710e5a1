//! Who is let in: each request brings a bearer token, and the gates are asked for it in turn.
//!
//! What a gate knows of tokens is its own affair: [`super::gates`] has those of tokens in a file.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use model::{Actor, Caller, Role, TrustLevel};
use percent_encoding::percent_decode_str;
use tokio::time::timeout;
use tools::Selection;

use super::guests::Guest;
use super::step_up::StepUp;
use super::turns::is_stream;
use super::{error, refuse};
use crate::metrics::Reason;

/// How a bearer token is announced, in any case.
const SCHEME: &[u8] = b"Bearer ";

/// Names under which others put tokens into an address, where logs and histories keep them.
const QUERY_NAMES: [&str; 3] = ["token", "access_token", "bearer_token"];

/// What a value in an address begins with that is a token of ours, whatever it is called.
const QUERY_VALUE: &str = super::tokens::PREFIX;

/// When who could not be told good from bad should try again.
const RETRY_SECONDS: &str = "30";

/// What is read of the body of a request that is refused: little of who brought no good token.
const DRAINED_BYTES_MAX: u64 = 64 << 10;

/// The same of who did: of what is too large, more than what is not.
const DRAINED_OF_KNOWN_BYTES_MAX: u64 = 16 << 20;

/// How long that may take.
const DRAIN_TIME_MAX: Duration = Duration::from_secs(2);

/// What a token gives.
#[derive(Debug, Clone)]
pub struct Grant {
    /// Who calls. Who is at no place of this machine gets no tool that opens its files.
    pub caller: Caller,
    /// The tools that are left of those on offer; `None` leaves all.
    pub toolsets: Option<Selection>,
    /// Whether nothing that writes is left.
    pub read_only: bool,
    /// Who it is for limits, sessions and figures. No two tokens of the file share it, and all of one
    /// user's by OAuth do; it is no secret.
    pub name: String,
}

impl Grant {
    /// Whether its bearer is at a place of this machine.
    pub(crate) fn is_here(&self) -> bool {
        self.caller.here.is_some() || !self.caller.roots.is_empty()
    }
}

/// Why a gate does not open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The gate does not know the token; another may.
    Unknown,
    /// The gate knows it, and it is good no more or not for this server: the reason, for who brings it.
    Invalid(String),
    /// It is good and allows too little: the scope that is needed.
    Insufficient(String),
    /// Nobody can tell at the moment.
    Unavailable,
}

/// Tells whose a token is.
pub trait Gate: Send + Sync {
    /// Whom this token lets in. Who brings none brings an empty one. Asked on an async thread at each
    /// request: it must not wait for anybody.
    fn admit(&self, token: &[u8]) -> Result<Grant, Refusal>;

    /// Whose a token is that is good no more, for the audit log.
    fn bearer(&self, _: &[u8]) -> Option<String> {
        None
    }

    /// What must be waited for before this token can be looked at, if anything. It ends by itself.
    fn prepare(&self, _: &[u8]) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> {
        None
    }

    /// What the challenge to who is refused says besides, such as `resource_metadata="…"`.
    fn challenge(&self) -> Option<String> {
        None
    }

    /// The scopes that its tokens may have, and what each lets their bearers do.
    fn scopes(&self) -> Vec<(Role, String)> {
        Vec::new()
    }

    /// Documents that everybody may read: a path and the JSON that is there.
    fn documents(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// The gates of a server, and the most that anybody may do behind them.
pub(super) struct Gates {
    gates: Vec<Arc<dyn Gate>>,
    role_max: Role,
}

impl Gates {
    pub(super) fn new(gates: Vec<Arc<dyn Gate>>, role_max: Role) -> Self {
        Self { gates, role_max }
    }

    /// The documents of all gates.
    pub(super) fn documents(&self) -> impl Iterator<Item = (String, String)> {
        self.gates.iter().flat_map(|gate| gate.documents())
    }

    /// Waits until all gates can look at a token.
    async fn prepare(&self, token: &[u8]) {
        for gate in &self.gates {
            if let Some(ready) = gate.prepare(token) {
                ready.await;
            }
        }
    }

    /// Whom a token lets in. The first gate that knows it decides.
    fn admit(&self, token: &[u8]) -> Result<Grant, Refusal> {
        self.admit_by(token).map(|(grant, _)| grant)
    }

    /// The same, and which gate it was.
    fn admit_by(&self, token: &[u8]) -> Result<(Grant, &dyn Gate), Refusal> {
        let mut answers = self.gates.iter().map(|gate| (gate.admit(token), gate));
        let known = answers.find(|(answer, _)| !matches!(answer, Err(Refusal::Unknown)));
        let (answer, gate) = known.ok_or(Refusal::Unknown)?;
        let mut grant = answer?;
        grant.caller.role = grant.caller.role.min(self.role_max);
        // Whoever runs the server at a terminal: what comes by HTTP comes from agents.
        let actor = &mut grant.caller.actor;
        actor.level = actor.level.min(TrustLevel::Agent);
        Ok((grant, &**gate))
    }

    /// What a bearer of this gate's tokens could ask for besides, if their issuer has scopes.
    fn step_up(&self, gate: &dyn Gate) -> Option<Arc<StepUp>> {
        let (scopes, challenge) = (gate.scopes(), gate.challenge());
        let (role_max, needed) = (self.role_max, OnceLock::new());
        (!scopes.is_empty()).then(|| Arc::new(StepUp { scopes, challenge, role_max, needed }))
    }

    /// What to ask an issuer for at first: what reads and writes. Who may do everything is asked for
    /// when it is needed.
    fn usual_scopes(&self) -> Option<String> {
        let most = self.role_max.min(Role::User);
        let all = self.gates.iter().flat_map(|gate| gate.scopes());
        let usual: Vec<_> =
            all.filter(|(role, _)| *role <= most).map(|(_, scope)| quoted(&scope)).collect();
        (!usual.is_empty()).then(|| format!("scope=\"{}\"", usual.join(" ")))
    }

    /// Whose a token is, though it lets nobody in.
    fn bearer(&self, token: &[u8]) -> Option<String> {
        self.gates.iter().find_map(|gate| gate.bearer(token))
    }

    /// What is said to who is refused, by RFC 6750.
    fn challenge(&self, refusal: &Refusal, brought: bool) -> String {
        let error = match refusal {
            Refusal::Insufficient(scope) => {
                Some(format!("error=\"insufficient_scope\", scope=\"{}\"", quoted(scope)))
            }
            Refusal::Invalid(why) => {
                Some(format!("error=\"invalid_token\", error_description=\"{}\"", quoted(why)))
            }
            Refusal::Unknown if brought => Some("error=\"invalid_token\"".to_owned()),
            Refusal::Unknown | Refusal::Unavailable => None,
        };
        let scopes = match refusal {
            Refusal::Unknown | Refusal::Invalid(_) => self.usual_scopes(),
            Refusal::Insufficient(_) | Refusal::Unavailable => None,
        };
        let more = self.gates.iter().filter_map(|gate| gate.challenge());
        let parts: Vec<String> = error.into_iter().chain(scopes).chain(more).collect();
        match parts.is_empty() {
            true => "Bearer".to_owned(),
            false => format!("Bearer {}", parts.join(", ")),
        }
    }
}

/// A text as it may stand between quotes in a header.
fn quoted(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_graphic() && !"\"\\".contains(c) { c } else { ' ' };
    text.chars().map(plain).collect()
}

/// A token that was good, for who has to ask again whether it is: a stream stays open for long.
pub(super) struct Bearing {
    gates: Arc<Gates>,
    token: Vec<u8>,
}

impl Bearing {
    /// Whether its bearer would be let in now. Where nobody can tell, nothing has changed.
    pub(super) fn is_good(&self) -> bool {
        matches!(self.gates.admit(&self.token), Ok(_) | Err(Refusal::Unavailable))
    }
}

/// Lets through who brings a good token, and says who it is.
pub(super) async fn authenticate(
    State(gates): State<Arc<Gates>>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Some(name) = token_in_query(request.uri()) {
        let text = format!(
            "the address has the parameter {name:?}: a token in an address ends up in logs, and is \
             to be revoked; \
             it belongs into the header Authorization: Bearer TOKEN"
        );
        let answer = error(StatusCode::BAD_REQUEST, -32600, &text);
        let why = (None, "a token in the address of a request".to_owned());
        return refuse(request, answer, Reason::Auth, why).await;
    }
    let token = brought(request.headers()).unwrap_or_default();
    gates.prepare(token).await;
    match gates.admit_by(token) {
        Ok((grant, gate)) => {
            let step_up = gates.step_up(gate);
            if let Some(guest) = request.extensions().get::<Arc<Guest>>() {
                guest.welcome(&grant.name);
            }
            let bearing = Bearing { gates: Arc::clone(&gates), token: token.to_vec() };
            request.extensions_mut().insert(Arc::new(bearing));
            // Nobody else behind this line needs it, and what is not there is in no log.
            request.headers_mut().remove(header::AUTHORIZATION);
            request.extensions_mut().insert(grant.caller.clone());
            request.extensions_mut().insert(Arc::new(grant));
            step_up.iter().for_each(|step_up| {
                request.extensions_mut().insert(Arc::clone(step_up));
            });
            let response = next.run(request).await;
            // A stream has begun before anybody knows what its call needs.
            let step_up = step_up.filter(|_| !is_stream(&response));
            step_up.and_then(|step_up| step_up.refusal()).unwrap_or(response)
        }
        Err(refusal) => {
            if let Some(guest) = request.extensions().get::<Arc<Guest>>() {
                guest.turn_away();
            }
            let challenge = gates.challenge(&refusal, !token.is_empty());
            let bearer = gates.bearer(token).map(Actor::agent_of);
            let why = (bearer, noted(&refusal, !token.is_empty()));
            let answer = refused(&refusal, &challenge, !token.is_empty());
            refuse(request, answer, Reason::Auth, why).await
        }
    }
}

/// What the audit log says of who is not let in; never the token.
fn noted(refusal: &Refusal, brought: bool) -> String {
    match refusal {
        Refusal::Unknown if brought => "a token that nobody knows".to_owned(),
        Refusal::Unknown => "no token".to_owned(),
        Refusal::Invalid(why) => format!("a token that is not good: {why}"),
        Refusal::Insufficient(scope) => {
            format!("a token that allows too little: it needs {scope}")
        }
        Refusal::Unavailable => "a token that cannot be checked at the moment".to_owned(),
    }
}

/// The answer to who is not let in.
fn refused(refusal: &Refusal, challenge: &str, brought: bool) -> Response {
    let (status, text) = match refusal {
        Refusal::Unknown if brought => {
            (StatusCode::UNAUTHORIZED, "the token is not one of this server's".to_owned())
        }
        Refusal::Unknown => (StatusCode::UNAUTHORIZED, "a bearer token is needed".to_owned()),
        Refusal::Invalid(why) => {
            (StatusCode::UNAUTHORIZED, format!("the token is not good: {why}"))
        }
        Refusal::Insufficient(scope) => {
            (StatusCode::FORBIDDEN, format!("the token allows too little: it needs {scope}"))
        }
        Refusal::Unavailable => {
            let text = "the token cannot be checked at the moment; try again in a while";
            let wait = [(header::RETRY_AFTER, RETRY_SECONDS)];
            return (wait, error(StatusCode::SERVICE_UNAVAILABLE, -32603, text)).into_response();
        }
    };
    let challenge = [(header::WWW_AUTHENTICATE, challenge.to_owned())];
    (challenge, error(status, -32600, &text)).into_response()
}

/// Reads what is left of a body and keeps nothing of it, within bounds: a body left unread costs the
/// client its connection, and with it the next request on it. Whether there is nothing more.
pub(super) async fn drain(mut body: Body, is_known: bool) -> bool {
    let mut left = if is_known { DRAINED_OF_KNOWN_BYTES_MAX } else { DRAINED_BYTES_MAX };
    if body.size_hint().lower() > left {
        return false;
    }
    let read = async {
        while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            let size = frame.ok().map(|frame| frame.data_ref().map_or(0, |data| data.len() as u64));
            match size.and_then(|size| left.checked_sub(size)) {
                Some(rest) => left = rest,
                None => return false,
            }
        }
        true
    };
    timeout(DRAIN_TIME_MAX, read).await.unwrap_or_default()
}

/// The token that a request brings.
fn brought(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(header::AUTHORIZATION)?.as_bytes();
    let (scheme, token) = value.split_at_checked(SCHEME.len())?;
    // There may be more than one space.
    scheme.eq_ignore_ascii_case(SCHEME).then(|| token.trim_ascii())
}

/// The parameter of an address that is a token's.
fn token_in_query(uri: &Uri) -> Option<String> {
    let read = |word: &str| percent_decode_str(word).decode_utf8_lossy().into_owned();
    let mut pairs = uri.query()?.split('&').map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (read(key), read(value))
    });
    let is_token = |key: &str| QUERY_NAMES.iter().any(|name| key.eq_ignore_ascii_case(name));
    let found = pairs.find(|(key, value)| is_token(key) || value.starts_with(QUERY_VALUE));
    found.map(|(key, _)| key.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Identity;

    struct One(&'static [u8], Result<Role, Refusal>);

    impl Gate for One {
        fn admit(&self, token: &[u8]) -> Result<Grant, Refusal> {
            if token != self.0 {
                return Err(Refusal::Unknown);
            }
            let role = self.1.clone()?;
            let caller = Caller::new(Identity::default(), role);
            Ok(Grant { caller, toolsets: None, read_only: false, name: "one".into() })
        }

        fn challenge(&self) -> Option<String> {
            Some("resource_metadata=\"x\"".into())
        }
    }

    fn gates() -> Gates {
        let old = One(b"old", Err(Refusal::Invalid("it ran out on \"Monday\"".into())));
        let gates: Vec<Arc<dyn Gate>> = vec![Arc::new(old), Arc::new(One(b"a", Ok(Role::Admin)))];
        Gates::new(gates, Role::User)
    }

    #[test]
    fn each_gate_is_asked_and_nobody_gets_more_than_the_server_has() {
        let role = |token: &[u8]| gates().admit(token).map(|grant| grant.caller.role);
        assert_eq!(role(b"a"), Ok(Role::User));
        assert_eq!(role(b"b"), Err(Refusal::Unknown));
        assert!(matches!(role(b"old"), Err(Refusal::Invalid(_))));
    }

    #[test]
    fn the_challenge_says_what_is_wrong_and_where_to_go() {
        let gates = Gates::new(vec![Arc::new(One(b"", Err(Refusal::Unknown)))], Role::Admin);
        let said = |refusal, brought| gates.challenge(&refusal, brought);
        assert_eq!(said(Refusal::Unknown, false), "Bearer resource_metadata=\"x\"");
        assert_eq!(
            said(Refusal::Invalid("a \"b\"\r\n".into()), true),
            "Bearer error=\"invalid_token\", error_description=\"a  b   \", resource_metadata=\"x\""
        );
        let bare = Gates::new(Vec::new(), Role::Admin);
        assert_eq!(bare.challenge(&Refusal::Unknown, false), "Bearer");
        assert_eq!(bare.challenge(&Refusal::Unknown, true), "Bearer error=\"invalid_token\"");
    }

    #[test]
    fn a_token_in_an_address_is_noticed_in_any_case() {
        let found = |uri: &str| token_in_query(&uri.parse().unwrap());
        assert_eq!(found("/mcp?a=1&Access_Token=x").unwrap(), "access_token");
        assert_eq!(found("/mcp?token").unwrap(), "token");
        assert_eq!(found("/mcp?%74oken=x").unwrap(), "token");
        assert_eq!(found("/mcp?key=lk_5f").unwrap(), "key", "whatever it is called");
        assert_eq!(found("/mcp?key=lk%5F5f").unwrap(), "key");
        assert_eq!(found("/mcp?tokens=2"), None);
        assert_eq!(found("/mcp"), None);
    }
}
