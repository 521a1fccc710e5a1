//! The capabilities that the fixtures need, and -32021 for those that a client lacks.

#![expect(deprecated, reason = "sampling and roots are deprecated but the suite asks for them")]

use rmcp::ErrorData;
use rmcp::model::{ClientCapabilities, ServerCapabilities, TASKS_EXTENSION_ID};

use crate::tools::Context;

/// Adds what the fixtures need to what the product declares.
pub(crate) fn extend(capabilities: &mut ServerCapabilities) {
    capabilities.tools.get_or_insert_default().list_changed = Some(true);
    capabilities.prompts.get_or_insert_default().list_changed = Some(true);
    capabilities.resources.get_or_insert_default().subscribe = Some(true);
    capabilities.completions.get_or_insert_default();
    capabilities.logging.get_or_insert_default();
    capabilities
        .extensions
        .get_or_insert_default()
        .entry(TASKS_EXTENSION_ID.to_owned())
        .or_default();
}

pub(crate) fn need_elicitation(context: &Context) -> Result<(), ErrorData> {
    let needed = ClientCapabilities::builder().enable_elicitation().build();
    need(context, needed, |client| client.elicitation.is_some())
}

pub(crate) fn need_sampling(context: &Context) -> Result<(), ErrorData> {
    let needed = ClientCapabilities::builder().enable_sampling().build();
    need(context, needed, |client| client.sampling.is_some())
}

pub(crate) fn need_roots(context: &Context) -> Result<(), ErrorData> {
    let needed = ClientCapabilities::builder().enable_roots().build();
    need(context, needed, |client| client.roots.is_some())
}

pub(crate) fn need_tasks(context: &Context) -> Result<(), ErrorData> {
    let needed = ClientCapabilities::builder().enable_tasks().build();
    need(context, needed, ClientCapabilities::supports_tasks)
}

/// -32021 unless the client declared what the call needs.
fn need(
    context: &Context,
    needed: ClientCapabilities,
    declared: impl Fn(&ClientCapabilities) -> bool,
) -> Result<(), ErrorData> {
    match context.client_capabilities() {
        Some(client) if declared(&client) => Ok(()),
        _ => Err(ErrorData::missing_required_client_capability(needed)),
    }
}
