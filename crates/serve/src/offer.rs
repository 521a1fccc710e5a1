//! What of the catalogue is there for one call: the server's offer, less what the caller's token leaves
//! out.
//!
//! Lists and calls ask here alike, so that what a token leaves out cannot be called, and is not told from
//! what there is not. What is not listed for want of a role is told: a guest who calls `memory_add` hears
//! that it needs the role user, as the tools' contracts want it.

use std::sync::Arc;

use axum::http::request::Parts;
use model::Role;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tools::{Catalogue, Definition, Spec, Toolset};

use crate::http::auth::Grant;
use crate::http::step_up::StepUp;
use crate::places::Seat;

/// What the token of a request gives.
pub(crate) fn grant(cx: &RequestContext<RoleServer>) -> Option<&Grant> {
    let parts = cx.extensions.get::<Parts>()?;
    parts.extensions.get::<Arc<Grant>>().map(|grant| &**grant)
}

/// Gives back the seat of a request, if it came by HTTP: a long call has places of its own.
pub(crate) fn leave_seat(cx: &RequestContext<RoleServer>) {
    let parts = cx.extensions.get::<Parts>();
    parts.and_then(|parts| parts.extensions.get()).into_iter().for_each(Seat::leave);
}

/// Tells who asks an issuer for tokens that this call needs a role which its caller has not.
pub(crate) fn needs(cx: &RequestContext<RoleServer>, role: Role) {
    let parts = cx.extensions.get::<Parts>();
    let step_up = parts.and_then(|parts| parts.extensions.get::<Arc<StepUp>>());
    step_up.into_iter().for_each(|step_up| step_up.needs(role));
}

/// The toolsets that show memories, as the prompts do.
const MEMORIES: [Toolset; 3] = [Toolset::Layers, Toolset::Notes, Toolset::Learning];

/// The tools beside the toolset `files` that open files by their paths.
const INDEXING: [&str; 2] = ["index_file", "index_directory"];

/// What is there for one call.
pub(crate) struct Offer<'a> {
    catalogue: &'a Catalogue,
    grant: Option<&'a Grant>,
}

impl<'a> Offer<'a> {
    /// What a grant leaves of the catalogue; without one, all of it.
    pub(crate) fn new(catalogue: &'a Catalogue, grant: Option<&'a Grant>) -> Self {
        Self { catalogue, grant }
    }

    /// The tools that a caller with this role may call, in reading order.
    pub(crate) fn list(self, role: Role) -> impl Iterator<Item = &'a Definition> {
        let all = self.catalogue.all();
        let left = all.filter(move |(toolset, tool)| self.leaves(*toolset, &tool.spec));
        left.map(|(_, tool)| tool).filter(move |tool| tool.spec.role <= role)
    }

    /// The tool of that name, if it is there.
    pub(crate) fn find(&self, name: &str) -> Option<&'a Definition> {
        let mut all = self.catalogue.all();
        let (toolset, tool) = all.find(|(_, tool)| tool.spec.name == name)?;
        self.leaves(toolset, &tool.spec).then_some(tool)
    }

    /// Whether any tool of this toolset is there.
    pub(crate) fn has(&self, toolset: Toolset) -> bool {
        let left = |spec: &Spec| self.leaves(toolset, spec);
        self.catalogue.has(toolset) && toolset.tools().iter().any(left)
    }

    /// Whether the caller's token leaves memories to be shown.
    pub(crate) fn has_memories(&self) -> bool {
        let left =
            |toolset: &Toolset| toolset.tools().iter().any(|spec| self.leaves(*toolset, spec));
        self.grant.is_none() || MEMORIES.iter().any(left)
    }

    fn leaves(&self, toolset: Toolset, spec: &Spec) -> bool {
        let Some(grant) = self.grant else { return true };
        let is_selected = |selection: &tools::Selection| selection.offers(toolset, spec);
        (spec.effect.read_only || !grant.read_only)
            && grant.toolsets.as_ref().is_none_or(is_selected)
            && (!opens_files(toolset, spec) || grant.is_here())
    }
}

/// Whether a tool opens files of this machine by the paths that a caller names.
fn opens_files(toolset: Toolset, spec: &Spec) -> bool {
    toolset == Toolset::Files || INDEXING.contains(&spec.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Caller, Identity};
    use tools::Selection;

    fn grant(toolsets: Option<Vec<Toolset>>, read_only: bool) -> Grant {
        let caller = Caller::new(Identity::default(), Role::Admin);
        let toolsets = toolsets.map(|toolsets| Selection { toolsets, ..Selection::all() });
        Grant { caller, toolsets, read_only, name: "x".into() }
    }

    #[test]
    fn a_token_leaves_out_and_never_adds() {
        let toolsets = vec![Toolset::Layers, Toolset::Web];
        let catalogue = Catalogue::new(Selection { toolsets, ..Selection::all() });
        let names = |grant: &Grant| -> Vec<_> {
            Offer::new(&catalogue, Some(grant)).list(Role::Admin).map(|d| d.spec.name).collect()
        };
        let all = grant(None, false);
        let layers = grant(Some(vec![Toolset::Layers, Toolset::Notes]), false);
        assert_eq!(names(&layers), ["memory_add", "memory_search", "memory_delete"]);
        assert!(names(&all).len() > 3);
        let reads = grant(Some(vec![Toolset::Layers]), true);
        assert_eq!(names(&reads), ["memory_search"]);
        let offer = Offer::new(&catalogue, Some(&reads));
        assert!(offer.find("memory_search").is_some() && offer.find("memory_add").is_none());
        assert!(offer.has(Toolset::Layers) && !offer.has(Toolset::Web) && offer.has_memories());
        let web = grant(Some(vec![Toolset::Web]), false);
        assert!(!Offer::new(&catalogue, Some(&web)).has_memories());
        assert!(Offer::new(&catalogue, None).find("memory_add").is_some());
    }

    #[test]
    fn who_is_not_at_this_machine_opens_no_file_of_it() {
        let catalogue = Catalogue::new(Selection::all());
        let opens = ["index_file", "index_directory", "grz_read_file", "grz_write_file"];
        let found =
            |grant: &Grant, name: &str| Offer::new(&catalogue, Some(grant)).find(name).is_some();
        let afar = grant(None, false);
        let mut here = grant(None, false);
        here.caller.here = Some("/project".into());
        assert!(opens.iter().all(|name| !found(&afar, name) && found(&here, name)));
        assert!(found(&afar, "search") && found(&afar, "delete_file"));
        assert!(INDEXING.iter().all(|name| catalogue.find(name).is_some()));
    }
}
