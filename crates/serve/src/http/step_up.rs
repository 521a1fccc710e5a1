//! A token of an issuer that allows too little for a call: its bearer is told which scope to ask for,
//! so that the client can get it and call again.

use std::sync::OnceLock;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::Role;

use super::error;
use crate::metrics::Reason;

/// What a bearer could ask their issuer for, and what a call turned out to need.
pub(crate) struct StepUp {
    /// What each scope lets its bearer do.
    pub(super) scopes: Vec<(Role, String)>,
    /// What the challenge says besides.
    pub(super) challenge: Option<String>,
    /// The most that anybody may do here: no scope gives more.
    pub(super) role_max: Role,
    pub(super) needed: OnceLock<Role>,
}

impl StepUp {
    /// A call needs this role, and its caller has a lesser one.
    pub(crate) fn needs(&self, role: Role) {
        let _ = self.needed.set(role);
    }

    /// The refusal of a call that needed more, if some scope gives it.
    pub(super) fn refusal(&self) -> Option<Response> {
        let needed = *self.needed.get().filter(|needed| **needed <= self.role_max)?;
        let enough = self.scopes.iter().filter(|(role, _)| *role >= needed);
        let (_, scope) = enough.min_by_key(|(role, _)| *role)?;
        let parts = [format!("error=\"insufficient_scope\", scope=\"{scope}\"")];
        let parts: Vec<_> = parts.into_iter().chain(self.challenge.clone()).collect();
        let challenge = [(header::WWW_AUTHENTICATE, format!("Bearer {}", parts.join(", ")))];
        let text = format!("the token allows too little for this tool: it needs {scope}");
        let refused = (challenge, error(StatusCode::FORBIDDEN, -32600, &text));
        let mut answer = refused.into_response();
        answer.extensions_mut().insert(Reason::Auth);
        Some(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(needed: Option<Role>, role_max: Role) -> Option<String> {
        let scopes =
            vec![(Role::Guest, "r".into()), (Role::User, "w".into()), (Role::Admin, "a".into())];
        let challenge = Some("resource_metadata=\"x\"".into());
        let step = StepUp { scopes, challenge, role_max, needed: OnceLock::new() };
        needed.into_iter().for_each(|role| step.needs(role));
        let answer = step.refusal()?;
        assert_eq!(answer.status(), StatusCode::FORBIDDEN);
        Some(answer.headers()[header::WWW_AUTHENTICATE].to_str().unwrap().to_owned())
    }

    #[test]
    fn the_scope_that_is_just_enough_is_named() {
        let wanted = "Bearer error=\"insufficient_scope\", scope=\"w\", resource_metadata=\"x\"";
        assert_eq!(said(Some(Role::User), Role::Admin).as_deref(), Some(wanted));
        assert_eq!(said(None, Role::Admin), None);
        assert_eq!(said(Some(Role::Admin), Role::User), None, "no scope would help");
    }
}
