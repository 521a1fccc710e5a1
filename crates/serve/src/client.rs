//! The program that calls.

use rmcp::RoleServer;
use rmcp::service::RequestContext;

/// No more characters of its name are kept.
const NAME_CHARS_MAX: usize = 100;

/// The program as it names itself: in each request, or when it said hello.
pub(crate) fn name(cx: &RequestContext<RoleServer>) -> Option<String> {
    let named = cx.meta.client_info();
    let greeted = || cx.peer.peer_info().map(|hello| hello.client_info.clone());
    let client = named.or_else(greeted)?;
    let name = format!("{} {}", client.name, client.version);
    Some(name.trim().chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect())
}
