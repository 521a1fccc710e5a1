//! Knowledge: what an organisation decided, demands and recommends, in Markdown files.
//!
//! The files are the truth, and every verb looks at them: [`library`] notices what changed since it
//! looked last. The store only knows what was synced ([`sync`]): memories that point to items, so that
//! searches for memories come by them too.

mod batch;
mod check;
mod failure;
mod find;
mod health;
mod import;
mod library;
mod place;
mod pointer;
mod project;
mod redacted;
mod rows;
mod sync;
mod trusted;
mod write;

use std::path::{Path, PathBuf};

use model::{Caller, Layer, knowledge};

pub use check::{Check, Checked, Choice, Violation, check, rules};
pub use failure::Failure;
pub(crate) use find::find;
pub use find::{History, Query, Shown, Summary, listed, query, show};
pub use health::{Contradiction, Lapse, altered, contradictions, days, lapses, vanished};
pub use import::{Import, Imported, ImportedFile, Outcome, import};
pub(crate) use library::Library;
pub use library::{Catalogue, Entry};
pub(crate) use pointer::{item_of, judged};
pub use sync::{Counts, Narrow, Status, Synced, status, sync};
pub use trusted::Trusted;
pub use write::{NewItem, Step, Written, advance, create, supersede};

use crate::{Engine, Error, ErrorKind};

/// The knowledge folder of a data directory.
pub const FOLDER: &str = "knowledge";

/// The knowledge folder of a project, below its root.
pub const PROJECT_FOLDER: &str = ".lorekeep/knowledge";

/// A folder with knowledge in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Root {
    /// How the store knows it.
    pub name: String,
    /// Where it lies.
    pub dir: PathBuf,
    /// What its items reach to unless they say so themselves.
    pub layer: Option<Layer>,
    /// The project whose own it is.
    pub project: Option<String>,
}

/// The folders that the caller's knowledge lies in: that of the store, and that of the caller's project.
pub fn roots(engine: &Engine, caller: &Caller) -> Vec<Root> {
    let home = Root {
        name: "home".to_owned(),
        dir: engine.knowledge_dir.clone(),
        layer: None,
        project: None,
    };
    let own = own_root(caller);
    let own = own.filter(|root| root.dir != home.dir && is_dir(engine, &root.dir));
    [Some(home), own].into_iter().flatten().collect()
}

/// The folder of the caller's project, whether or not it is there.
fn own_root(caller: &Caller) -> Option<Root> {
    let (here, id) = caller.here.as_deref().zip(caller.identity.id(Layer::Project))?;
    let (layer, project) = (Some(Layer::Project), Some(id.as_str().to_owned()));
    let name = format!("project:{}", here.display());
    Some(Root { name, dir: here.join(PROJECT_FOLDER), layer, project })
}

fn is_dir(engine: &Engine, dir: &Path) -> bool {
    engine.files.state(dir).is_ok_and(|state| state.is_dir)
}

/// The knowledge layers that are open to the caller, narrowest first.
fn open_layers(caller: &Caller) -> Vec<Layer> {
    let layers = knowledge::KNOWLEDGE_LAYERS.into_iter().rev();
    layers.filter(|layer| caller.identity.id(*layer).is_some()).collect()
}

/// There is no such item, or not for this caller.
fn not_found(caller: &Caller, id: &str) -> Error {
    let layers: Vec<&str> = open_layers(caller).into_iter().map(Layer::name).collect();
    let details = serde_json::json!({"requestedId": id, "searchedLayers": layers});
    let message = format!("Knowledge item '{id}' not found");
    Error { details: Some(details), ..Error::new(ErrorKind::NotFound, message) }
}

/// What git or the file system said.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn git_failed(error: ledger::LedgerError) -> Error {
    Error::new(ErrorKind::Storage, error.to_string())
}
