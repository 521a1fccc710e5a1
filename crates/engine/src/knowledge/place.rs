//! Where a new item goes, and what it is called.

use model::knowledge::{ITEM_ID_CHARS_MAX, is_item_id, layer_folder};
use model::{Caller, ItemKind, Layer};

use super::library::Catalogue;
use super::write::invalid;
use super::{NewItem, Root, own_root, roots};
use crate::memory::closed;
use crate::{Engine, Error, ErrorKind, Result};

/// A title makes no more characters of an id than this.
const SLUG_CHARS_MAX: usize = 60;

/// Where a new item goes.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) root: Root,
    pub(super) layer: Layer,
    /// Whose it is in its layer.
    pub(super) owner: Option<String>,
}

impl Place {
    /// Where what the caller writes for a layer goes: what belongs to its project goes to the
    /// project's own folder if there is one or it is asked for.
    pub(super) fn of(engine: &Engine, caller: &Caller, layer: Layer, here: bool) -> Result<Self> {
        let name = layer.name();
        if layer_folder(layer).is_none() {
            let takes = "it should be company, org, team or project";
            return Err(invalid(format!("layer {name} keeps no knowledge; {takes}")));
        }
        let Some(id) = caller.identity.id(layer) else {
            return Err(closed(layer));
        };
        if here && layer != Layer::Project {
            let message = format!("a project's own folder takes layer project, not {name}");
            return Err(invalid(message));
        }
        let (home, own) = match <[Root; 2]>::try_from(roots(engine, caller)) {
            Ok([home, own]) => (home, Some(own)),
            Err(mut roots) => (roots.swap_remove(0), None),
        };
        let own = own.filter(|_| layer == Layer::Project);
        let own = match own {
            None if here => Some(own_root(caller).ok_or_else(nowhere)?),
            own => own,
        };
        if let Some(root) = own {
            return Ok(Self { root, layer, owner: None });
        }
        // A project is told by where the caller works; of the others it has to be said.
        let is_told = layer == Layer::Project || caller.identity.named(layer).is_some();
        let owner = (is_told && layer != Layer::Company).then(|| id.as_str().to_owned());
        Ok(Self { root: home, layer, owner })
    }

    /// The file of an item below the folder.
    pub(super) fn path(&self, kind: ItemKind, id: &str) -> Result<String> {
        if !is_item_id(id) {
            let takes = "letters, digits, '-', '_' and '.', the first no '.'";
            return Err(invalid(format!(
                "id {id:?} should be 1 to {ITEM_ID_CHARS_MAX} of {takes}"
            )));
        }
        let folder = match (layer_folder(self.layer), &self.owner) {
            _ if self.root.layer == Some(self.layer) => String::new(),
            (layer, None) => format!("{}/", layer.unwrap_or("projects")),
            (layer, Some(owner)) => format!("{}/{owner}/", layer.unwrap_or("projects")),
        };
        Ok(format!("{folder}{}/{id}.md", kind.folder()))
    }
}

fn nowhere() -> Error {
    Error::new(ErrorKind::NotFound, "the caller works in no project on this machine")
}

/// An id of kind, number and title that no item has; so many of the next numbers are taken.
pub(super) fn named(catalogue: &Catalogue, new: &NewItem, taken: u32) -> String {
    let prefix = format!("{}-", new.kind.name());
    let number = |id: &str| {
        let rest = id.strip_prefix(&prefix)?;
        rest.split('-').next()?.parse::<u32>().ok()
    };
    let last = catalogue.entries.iter().filter_map(|entry| number(&entry.item.id)).max();
    let number = last.unwrap_or(0).saturating_add(1 + taken);
    match slug(&new.title).as_str() {
        "" => format!("{prefix}{number:03}"),
        slug => format!("{prefix}{number:03}-{slug}"),
    }
}

/// A title as part of an id: its words in small letters, with dashes between.
pub(super) fn slug(title: &str) -> String {
    let folded = title.to_lowercase();
    let words = folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = String::new();
    for word in words {
        if slug.len() + word.len() > SLUG_CHARS_MAX {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(word);
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_becomes_words_with_dashes() {
        assert_eq!(slug("Use PostgreSQL, not \"MySQL\"!"), "use-postgresql-not-mysql");
        assert_eq!(slug("データ"), "");
        assert_eq!(slug(&"word ".repeat(40)).len(), 59);
    }
}
