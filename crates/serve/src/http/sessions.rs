//! A session belongs to the token that opened it.
//!
//! The SDK knows sessions by id alone. So the id that a client is given carries a mark that is made of
//! the id, of who opened it and of a secret of this process; who brings another token's id has the wrong
//! mark, and gets the SDK's own answer for a session that there is not.

use std::io;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::middleware::Next;
use axum::response::Response;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::auth::Grant;
use super::tokens::{hex, random};

/// The header that names a session.
const HEADER: &str = "mcp-session-id";

/// A session that there never is.
const NONE: HeaderValue = HeaderValue::from_static("none");

/// How many characters of the mark there are.
const MARK_LENGTH: usize = 32;

/// The secret of this process.
pub(super) struct Sessions([u8; 32]);

impl Sessions {
    pub(super) fn new() -> io::Result<Self> {
        random().map(Self)
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
        for part in [&self.0[..], owner.as_bytes(), id.as_bytes(), &self.0[..]] {
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
    }
    let mut response = next.run(request).await;
    if let Some(value) = response.headers_mut().get_mut(HEADER) {
        let told = value.to_str().ok().map(|id| sessions.told(id, &owner));
        *value = told.and_then(|told| HeaderValue::from_str(&told).ok()).unwrap_or(NONE);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_known_to_who_opened_it_and_to_nobody_else() {
        let sessions = Sessions::new().unwrap();
        let told = sessions.told("6f1c", "ada");
        assert_eq!(sessions.known(&told, "ada"), Some("6f1c"));
        assert_eq!(sessions.known(&told, "bob"), None);
        assert_eq!(sessions.known("6f1c", "ada"), None, "without its mark");
        assert_eq!(sessions.known(&told.replace("6f", "7f"), "ada"), None);
        assert_eq!(Sessions::new().unwrap().known(&told, "ada"), None, "another process");
        assert_ne!(sessions.mark("ab", "c"), sessions.mark("b", "ca"));
    }
}
