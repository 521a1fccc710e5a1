//! Knowledge items as Markdown files, and back.
//!
//! What a file leaves out is taken from its path and its text: its id is its name, its kind and its
//! layer are the folders it lies in, its title is its first heading. What a person wrote is kept:
//! [`revise`] changes the keys it is told to and not a byte besides.
//!
//! Not here: which files there are, and whether a pattern can be followed.

pub mod adr;
mod body;
mod front;
mod place;
mod revise;
mod rules;
mod save;
pub(crate) mod scalar;
mod simple;
mod write;
mod yaml;

use model::knowledge::KNOWLEDGE_LAYERS;
use model::{Item, ItemKind, ItemStatus, Layer, Severity};

use crate::file::Flaw;
use crate::file::flaw::{MARKERS, conflict};
use crate::file::front as fences;
use body::Body;
use front::Front;
use place::Place;
use rules::Rules;

pub use revise::{Value, revise};
pub use save::{Created, create, save};
pub use write::write;

/// Reads a file of a knowledge folder. `path` is below the folder, with `/`; `layer` is what the
/// folder stands for if neither the file nor its path says so. None if it has no front matter, and
/// so is no item.
///
/// # Errors
///
/// Every flaw that was found, with its line. A constraint or waiver that cannot be read is none of
/// them: it is told in the item.
pub fn read(path: &str, layer: Option<Layer>, text: &str) -> Result<Option<Item>, Vec<Flaw>> {
    let Some(parts) = Parts::of(text).map_err(|flaw| vec![flaw])? else { return Ok(None) };
    let entries = front::entries(parts.front).map_err(|flaw| vec![flaw])?;
    let mut flaws = Vec::new();
    let place = Place::read(path, &mut flaws);
    let body = Body::read(parts.body);
    let mut front = Front::new(entries, &mut flaws);
    let item = assemble(&mut front, place, layer, &body, &parts);
    if let (Some(item), true) = (item, flaws.is_empty()) {
        return Ok(Some(item));
    }
    flaws.sort_by_key(|flaw| flaw.line);
    Err(flaws)
}

fn assemble(
    front: &mut Front<'_>,
    place: Place<'_>,
    layer: Option<Layer>,
    body: &Body<'_>,
    parts: &Parts<'_>,
) -> Option<Item> {
    let has_id = front.has("id");
    let id = front.id();
    let id = if has_id { id } else { Some(place.id(front.flaws)) };
    let kind = front.require("type", ItemKind::ALL, ItemKind::name, place.kind);
    let layer = read_layer(front, place.layer, layer);
    let title = front.text("title").filter(|title| !title.trim().is_empty());
    let title = title.or_else(|| body.title.map(str::to_owned));
    if title.is_none() {
        front
            .flaw(1, "`title` is missing: a key `title`, or a heading `# ` in the text".to_owned());
    }
    let summary = front.text("summary");
    let status = front.require("status", ItemStatus::ALL, ItemStatus::name, None);
    let severity = front.name("severity", Severity::ALL, Severity::name);
    let mut rules = Rules::default();
    if let Some(node) = front.take("constraints") {
        rules.read_constraints(node);
    }
    if let Some(node) = front.take("waivers") {
        rules.read_waivers(node);
    }
    if let Some((line, text)) = body.constraints {
        rules.read_block(text, parts.body_line + line);
    }
    let tags = front.tags();
    let metadata = front.metadata();
    let created_at = front.time("createdAt");
    let updated_at = front.time("updatedAt");
    let version = front.text("version");
    let supersedes = front.item("supersedes");
    let superseded_by = front.items("supersededBy");
    Some(Item {
        id: id?,
        kind: kind?,
        layer: layer?,
        owner: place.owner,
        title: title?,
        summary: summary.unwrap_or_else(|| body.summary.clone()),
        status: status?,
        severity: severity.map(|(severity, _)| severity).unwrap_or_default(),
        tags,
        metadata,
        created_at,
        updated_at,
        version,
        supersedes,
        superseded_by,
        constraints: rules.constraints,
        waivers: rules.waivers,
        flaws: rules.flaws,
        content: parts.content(),
    })
}

/// The layer that the file tells, its folder, or `default`, in that order.
fn read_layer(
    front: &mut Front<'_>,
    folder: Option<Layer>,
    default: Option<Layer>,
) -> Option<Layer> {
    if let Some(folder) = folder
        && let Some((told, line)) = front.name("layer", &KNOWLEDGE_LAYERS, Layer::name)
    {
        if told != folder {
            let (told, folder) = (told.name(), folder.name());
            let why = format!("`layer` is {told}, but the file lies in a folder of layer {folder}");
            front.flaw(line, why);
        }
        return Some(folder);
    }
    front.require("layer", &KNOWLEDGE_LAYERS, Layer::name, folder.or(default))
}

/// A file in its parts.
struct Parts<'a> {
    /// The YAML between the fences.
    front: &'a str,
    /// What stands before it.
    before: usize,
    body: &'a str,
    /// The line it begins in, from 1.
    body_line: usize,
    /// Whether a line ends with a carriage return, by the first one.
    has_returns: bool,
}

impl<'a> Parts<'a> {
    /// The parts; none if there is no front matter.
    fn of(text: &'a str) -> Result<Option<Self>, Flaw> {
        let start = text.len() - text.trim_start_matches('\u{feff}').len();
        let lines: Vec<&str> = text[start..].split('\n').collect();
        let first = lines.first().copied().unwrap_or_default();
        let is_conflict = MARKERS.iter().any(|marker| first.starts_with(marker));
        if !is_conflict && first.trim_end() != "---" {
            return Ok(None);
        }
        if let Some(flaw) = conflict(text) {
            return Err(flaw);
        }
        let Some(end) = fences::end(&lines) else {
            return fences::missing(&lines).map_or(Ok(None), Err);
        };
        let before = start + first.len() + 1;
        let length: usize = lines[1..end].iter().map(|line| line.len() + 1).sum();
        let behind = (before + length + lines[end].len() + 1).min(text.len());
        Ok(Some(Self {
            front: &text[before..before + length],
            before,
            body: &text[behind..],
            body_line: end + 2,
            has_returns: first.ends_with('\r'),
        }))
    }

    /// The text of the item.
    fn content(&self) -> String {
        let body = self.body.trim_end_matches(['\n', '\r']);
        let blank = body.split_inclusive('\n').take_while(|line| line.trim().is_empty());
        let start: usize = blank.map(str::len).sum();
        if self.has_returns {
            body[start..].replace("\r\n", "\n")
        } else {
            body[start..].to_owned()
        }
    }
}
