//! The program that calls.

use engine::secrets::{self, Policy};
use rmcp::RoleServer;
use rmcp::service::RequestContext;

/// No more characters of its name are kept.
const NAME_CHARS_MAX: usize = 100;

/// The program as it names itself: in each request, or when it said hello.
pub(crate) fn name(cx: &RequestContext<RoleServer>) -> Option<String> {
    let named = cx.meta.client_info();
    let greeted = || cx.peer.peer_info().map(|hello| hello.client_info.clone());
    let client = named.or_else(greeted)?;
    Some(kept(&client.name, &client.version))
}

/// Its name as it is kept with all that it writes: without secrets, since nobody can take it back.
fn kept(name: &str, version: &str) -> String {
    let mut name = format!("{name} {version}");
    secrets::take(Policy::Redact, &mut name);
    name.trim().chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_no_secret_and_gives_no_orders() {
        assert_eq!(kept("codex\u{1b}", "1.2"), "codex 1.2");
        let token = format!("ghp_{}", "A7kD93lMq0XzR5tB8wNy2VhC6jFe4SgP1uRi");
        let told = "[redacted github token]";
        assert_eq!(kept(&format!("c {token}"), &token), format!("c {told} {told}"));
    }
}
