//! Where the client works: asked of older clients that tell their roots.
#![expect(deprecated, reason = "roots are how clients before 2026-07-28 tell their directory")]

use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use rmcp::RoleServer;
use rmcp::model::{ClientResult, ListRootsRequest, ServerRequest};
use rmcp::service::{Peer, PeerRequestOptions};

/// How long a client may take to tell its roots.
const PATIENCE: Duration = Duration::from_secs(1);

/// The client's roots on this machine, if it tells any.
pub(crate) async fn all(peer: &Peer<RoleServer>) -> Vec<PathBuf> {
    ask(peer).await.unwrap_or_default()
}

async fn ask(peer: &Peer<RoleServer>) -> Option<Vec<PathBuf>> {
    let info = peer.peer_info()?;
    if info.capabilities.roots.is_none() || !info.protocol_version.has_initialize() {
        return None;
    }
    let request = ServerRequest::ListRootsRequest(ListRootsRequest::default());
    let options = PeerRequestOptions::with_timeout(PATIENCE);
    let answer = peer.send_request_with_option(request, options).await.ok()?;
    let ClientResult::ListRootsResult(told) = answer.await_response().await.ok()? else {
        return None;
    };
    Some(told.roots.iter().filter_map(|root| local(&root.uri)).collect())
}

fn local(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    Some(PathBuf::from(percent_decode_str(path).decode_utf8().ok()?.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_a_local_path() {
        assert_eq!(local("file:///srv/ada/my%20app"), Some("/srv/ada/my app".into()));
        assert_eq!(local("https://example.org/"), None);
    }
}
