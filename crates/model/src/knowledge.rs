//! Knowledge: what an organisation decided, demands and recommends.
//!
//! An item is a Markdown file with a front matter in a knowledge folder. What may become of what is
//! here; what its constraints ask is [`crate::constraint`].

use crate::constraint::{Constraint, Flawed, Severity, Waiver};
use crate::memory::Metadata;
use crate::record::names;
use crate::scope::{Layer, Scope};
use crate::time::Timestamp;

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ItemKind {
    /// A decision on the architecture.
    Adr,
    /// What is demanded.
    Policy,
    /// What is recommended.
    Pattern,
    /// How something has to be.
    Spec,
}

names!(ItemKind {
    Adr => "adr",
    Policy => "policy",
    Pattern => "pattern",
    Spec => "spec",
});

impl ItemKind {
    /// The folder of such items.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Adr => "adrs",
            Self::Policy => "policies",
            Self::Pattern => "patterns",
            Self::Spec => "specs",
        }
    }
}

/// The layers that knowledge lies in, widest first.
pub const KNOWLEDGE_LAYERS: [Layer; 4] = [Layer::Company, Layer::Org, Layer::Team, Layer::Project];

/// The folder of a layer; below it one for each owner, but for the company.
pub const fn layer_folder(layer: Layer) -> Option<&'static str> {
    match layer {
        Layer::Company => Some("company"),
        Layer::Org => Some("orgs"),
        Layer::Team => Some("teams"),
        Layer::Project => Some("projects"),
        Layer::Agent | Layer::User | Layer::Session => None,
    }
}

/// Where an item stands in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ItemStatus {
    /// It is being written.
    Draft,
    /// It waits to be accepted or rejected.
    Proposed,
    /// It binds.
    Accepted,
    /// It was turned down.
    Rejected,
    /// It should not be followed any more.
    Deprecated,
    /// Another took its place.
    Superseded,
}

names!(ItemStatus {
    Draft => "draft",
    Proposed => "proposed",
    Accepted => "accepted",
    Rejected => "rejected",
    Deprecated => "deprecated",
    Superseded => "superseded",
});

impl ItemStatus {
    /// What may become of it.
    pub const fn next(self) -> &'static [Self] {
        match self {
            Self::Draft => &[Self::Proposed, Self::Rejected],
            Self::Proposed => &[Self::Accepted, Self::Rejected],
            Self::Accepted => &[Self::Deprecated, Self::Superseded],
            Self::Rejected | Self::Deprecated | Self::Superseded => &[],
        }
    }

    /// Whether it is of the past: nobody should follow it.
    pub const fn is_past(self) -> bool {
        matches!(self, Self::Rejected | Self::Deprecated | Self::Superseded)
    }

    /// Whether it may become `next`, and if not, what it may become, in words.
    pub fn step(self, next: Self) -> Result<(), String> {
        if self.next().contains(&next) {
            return Ok(());
        }
        let (from, to) = (self.name(), next.name());
        let names: Vec<&str> = self.next().iter().map(|one| one.name()).collect();
        Err(match names[..] {
            [] => format!("what is {from} stays {from}: it cannot become {to}"),
            _ => format!("what is {from} cannot become {to}, only {}", names.join(" or ")),
        })
    }
}

/// Something that an organisation decided, demands or recommends.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Its name, that no other item has.
    pub id: String,
    /// What it is.
    pub kind: ItemKind,
    /// How far it reaches.
    pub layer: Layer,
    /// Whose it is in its layer; none means whoever finds it.
    pub owner: Option<String>,
    /// In one line.
    pub title: String,
    /// In a sentence or two.
    pub summary: String,
    /// Where it stands.
    pub status: ItemStatus,
    /// How much its constraints weigh, unless they say so themselves.
    pub severity: Severity,
    /// Tags.
    pub tags: Vec<String>,
    /// Free data.
    pub metadata: Metadata,
    /// When it was made, if its file says so.
    pub created_at: Option<Timestamp>,
    /// When it was changed last, if its file says so.
    pub updated_at: Option<Timestamp>,
    /// Its version, if its file says so.
    pub version: Option<String>,
    /// Which one it took the place of.
    pub supersedes: Option<String>,
    /// Which ones took its place.
    pub superseded_by: Vec<String>,
    /// What it asks.
    pub constraints: Vec<Constraint>,
    /// Exceptions from that.
    pub waivers: Vec<Waiver>,
    /// What of it cannot be followed.
    pub flaws: Vec<Flawed>,
    /// Its text, as Markdown.
    pub content: String,
}

/// An item's id has no more characters than this.
pub const ITEM_ID_CHARS_MAX: usize = 128;

/// Whether an item may have this id: letters, digits, `-`, `_` and `.`, the first of them no `.`.
pub fn is_item_id(text: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    (1..=ITEM_ID_CHARS_MAX).contains(&text.len())
        && text.bytes().all(is_plain)
        && !text.starts_with('.')
}

impl Item {
    /// How much a constraint of this item weighs.
    pub fn severity_of(&self, constraint: &Constraint) -> Severity {
        constraint.severity.unwrap_or(self.severity)
    }

    /// Whether its constraints bind.
    pub fn is_binding(&self) -> bool {
        self.status == ItemStatus::Accepted
    }
}

/// What stands before the name of a place where pointers lie; no other owner has a slash there.
const POINTERS: &str = "knowledge/";

/// Where the pointers to items of an owner lie: a place of its own in the items' layer, so that
/// nothing else is opened with it. `project` is the one whose own knowledge folder they come from.
pub fn pointer_scope(layer: Layer, project: Option<&str>, owner: Option<&str>) -> Scope {
    let (project, owner) = (project.unwrap_or_default(), owner.unwrap_or_default());
    Scope { layer, owner: format!("{POINTERS}{project}/{owner}") }
}

/// The project and the owner of a place of pointers.
pub fn pointer_place(scope: &Scope) -> Option<(Option<&str>, Option<&str>)> {
    // A user may be called like the prefix, and name a namespace as they like.
    let owner = scope.owner.strip_prefix(POINTERS).filter(|_| scope.layer != Layer::User)?;
    let (project, owner) = owner.split_once('/')?;
    let named = |id| Some(id).filter(|id: &&str| !id.is_empty());
    Some((named(project), named(owner)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_goes_the_legal_ways_and_no_other() {
        let legal = [
            (ItemStatus::Draft, ItemStatus::Proposed),
            (ItemStatus::Draft, ItemStatus::Rejected),
            (ItemStatus::Proposed, ItemStatus::Accepted),
            (ItemStatus::Proposed, ItemStatus::Rejected),
            (ItemStatus::Accepted, ItemStatus::Deprecated),
            (ItemStatus::Accepted, ItemStatus::Superseded),
        ];
        for from in ItemStatus::ALL {
            for to in ItemStatus::ALL {
                assert_eq!(
                    from.step(*to).is_ok(),
                    legal.contains(&(*from, *to)),
                    "{from:?} {to:?}"
                );
            }
        }
    }

    #[test]
    fn an_illegal_step_names_the_legal_ones() {
        let refused = ItemStatus::Draft.step(ItemStatus::Accepted);
        assert_eq!(
            refused,
            Err("what is draft cannot become accepted, only proposed or rejected".to_owned())
        );
        let refused = ItemStatus::Rejected.step(ItemStatus::Accepted);
        assert_eq!(
            refused,
            Err("what is rejected stays rejected: it cannot become accepted".to_owned())
        );
    }

    #[test]
    fn ids_are_plain_words() {
        for id in ["adr-042-database-selection", "0001_x.y", "A"] {
            assert!(is_item_id(id), "{id}");
        }
        let long = "x".repeat(129);
        for id in ["", ".hidden", "..", "a/b", "a b", "ä", long.as_str()] {
            assert!(!is_item_id(id), "{id}");
        }
    }

    #[test]
    fn a_place_of_pointers_is_read_back() {
        for project in [None, Some("web")] {
            for owner in [None, Some("acme")] {
                let scope = pointer_scope(Layer::Org, project, owner);
                assert_eq!(pointer_place(&scope), Some((project, owner)));
            }
        }
        assert_eq!(pointer_place(&Scope::project("web")), None);
        let session = Scope { layer: Layer::Session, owner: "knowledge/1".to_owned() };
        assert_eq!(pointer_place(&session), None);
    }
}
