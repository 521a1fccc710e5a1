//! Which tools are offered, and to whom.

use std::sync::OnceLock;

use model::Role;

use crate::tool::{Definition, Spec};
use crate::toolset::Toolset;

/// What a server was asked to offer. Who forbids wins: `exclude` over all, then `read_only`; what is
/// left is the toolsets and the single tools together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// These toolsets.
    pub toolsets: Vec<Toolset>,
    /// And these tools.
    pub tools: Vec<String>,
    /// But not these.
    pub exclude: Vec<String>,
    /// And nothing that writes.
    pub read_only: bool,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            toolsets: Toolset::DEFAULT.to_vec(),
            tools: Vec::new(),
            exclude: Vec::new(),
            read_only: false,
        }
    }
}

impl Selection {
    /// Every tool there is.
    pub fn all() -> Self {
        Self { toolsets: Toolset::ALL.to_vec(), ..Self::default() }
    }

    /// The first name in `tools` or `exclude` that no tool has.
    pub fn unknown_tool(&self) -> Option<&str> {
        let known = |name: &str| all_specs().any(|(_, spec)| spec.name == name);
        self.tools.iter().chain(&self.exclude).map(String::as_str).find(|name| !known(name))
    }

    /// Whether it has this tool of this toolset.
    pub fn offers(&self, toolset: Toolset, spec: &Spec) -> bool {
        let is_named = |names: &[String]| names.iter().any(|name| name == spec.name);
        !is_named(&self.exclude)
            && (spec.effect.read_only || !self.read_only)
            && (self.toolsets.contains(&toolset) || is_named(&self.tools))
    }
}

fn all_specs() -> impl Iterator<Item = (Toolset, &'static Spec)> {
    Toolset::ALL
        .into_iter()
        .flat_map(|toolset| toolset.tools().iter().map(move |spec| (toolset, spec)))
}

/// The tools that a server offers. Their schemas are worked out when they are first asked for.
pub struct Catalogue {
    selection: Selection,
    definitions: OnceLock<Vec<(Toolset, Definition)>>,
}

impl Catalogue {
    /// The tools of `selection`.
    pub fn new(selection: Selection) -> Self {
        Self { selection, definitions: OnceLock::new() }
    }

    /// What was selected.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// The tools a caller with this role may call, in reading order.
    pub fn list(&self, role: Role) -> impl Iterator<Item = &Definition> {
        self.all().map(|(_, definition)| definition).filter(move |d| d.spec.role <= role)
    }

    /// Every tool on offer with its toolset, in reading order.
    pub fn all(&self) -> impl Iterator<Item = (Toolset, &Definition)> {
        self.definitions().iter().map(|(toolset, definition)| (*toolset, definition))
    }

    /// The tool of that name, if it is offered.
    pub fn find(&self, name: &str) -> Option<&Definition> {
        self.all().map(|(_, definition)| definition).find(|d| d.spec.name == name)
    }

    /// Whether any tool of this toolset is offered.
    pub fn has(&self, toolset: Toolset) -> bool {
        toolset.tools().iter().any(|spec| self.selection.offers(toolset, spec))
    }

    fn definitions(&self) -> &[(Toolset, Definition)] {
        self.definitions.get_or_init(|| {
            all_specs()
                .filter(|(toolset, spec)| self.selection.offers(*toolset, spec))
                .map(|(toolset, spec)| (toolset, spec.define(toolset.dialect())))
                .collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(selection: Selection, role: Role) -> Vec<&'static str> {
        Catalogue::new(selection).list(role).map(|d| d.spec.name).collect()
    }

    #[test]
    fn who_forbids_wins() {
        let mut selection = Selection {
            toolsets: vec![Toolset::Layers],
            tools: vec!["store_memory".into(), "get_memory_stats".into()],
            exclude: vec!["memory_delete".into()],
            read_only: false,
        };
        assert_eq!(
            names(selection.clone(), Role::Admin),
            ["memory_add", "memory_search", "store_memory", "get_memory_stats"]
        );
        selection.read_only = true;
        assert_eq!(names(selection.clone(), Role::Admin), ["memory_search", "get_memory_stats"]);
        selection.exclude.push("get_memory_stats".into());
        assert_eq!(names(selection, Role::Admin), ["memory_search"]);
    }

    #[test]
    fn a_caller_sees_what_its_role_may_call() {
        let toolsets = vec![Toolset::Layers, Toolset::Documents];
        let selection = Selection { toolsets, ..Selection::all() };
        let reads = [
            "memory_search",
            "search",
            "search_with_filters",
            "search_with_budget",
            "get_index_stats",
        ];
        assert_eq!(names(selection.clone(), Role::Guest), reads);
        assert_eq!(names(selection.clone(), Role::User).len(), 3 + 8);
        assert_eq!(names(selection, Role::Admin).len(), 3 + 9);
    }

    #[test]
    fn a_tool_nobody_knows_is_named() {
        let selection = Selection { exclude: vec!["memory_ad".into()], ..Selection::default() };
        assert_eq!(selection.unknown_tool(), Some("memory_ad"));
        assert_eq!(Selection::all().unknown_tool(), None);
    }
}
