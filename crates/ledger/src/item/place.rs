//! What the path of an item says: its kind, its layer and whose it is.

use model::knowledge::{KNOWLEDGE_LAYERS, is_item_id, layer_folder};
use model::scope::OwnerId;
use model::{ItemKind, Layer};

use crate::file::Flaw;

/// What a path says.
#[derive(Debug)]
pub(super) struct Place<'a> {
    /// The name of the file without its ending.
    pub(super) stem: &'a str,
    pub(super) kind: Option<ItemKind>,
    pub(super) layer: Option<Layer>,
    pub(super) owner: Option<String>,
}

impl<'a> Place<'a> {
    /// Reads a path below a knowledge folder, with `/`.
    pub(super) fn read(path: &'a str, flaws: &mut Vec<Flaw>) -> Self {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let folders: Vec<&str> = folders.split('/').filter(|folder| !folder.is_empty()).collect();
        let first = folders.first().copied();
        let layer = KNOWLEDGE_LAYERS.into_iter().find(|layer| layer_folder(*layer) == first);
        let layer = layer.filter(|_| first.is_some());
        let owner = match layer {
            None | Some(Layer::Company) => None,
            Some(_) => folders.get(1).filter(|folder| kind(folder).is_none()),
        };
        if let Some(owner) = owner
            && owner.parse::<OwnerId>().is_err()
        {
            let why = format!(
                "the folder {owner:?} names whose it is: it should be 1 to {} of letters, digits, \
                 `_`, `-`, `.` and `@`",
                OwnerId::LENGTH_MAX
            );
            flaws.push(Flaw { line: 1, why });
        }
        let kind = folders.iter().rev().find_map(|folder| kind(folder));
        Self { stem, kind, layer, owner: owner.map(|owner| (*owner).to_owned()) }
    }

    /// The id of a file that tells none.
    pub(super) fn id(&self, flaws: &mut Vec<Flaw>) -> String {
        if !is_item_id(self.stem) {
            let why = format!("`id` is missing, and the file's name {:?} {NO_ID}", self.stem);
            flaws.push(Flaw { line: 1, why });
        }
        self.stem.to_owned()
    }
}

/// What an id has to be.
pub(super) const NO_ID: &str =
    "is none: it should be 1 to 128 of letters, digits, `-`, `_` and `.`, the first no `.`";

fn kind(folder: &str) -> Option<ItemKind> {
    ItemKind::ALL.iter().copied().find(|kind| kind.folder() == folder)
}
