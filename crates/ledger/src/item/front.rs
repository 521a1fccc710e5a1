//! The front matter of an item, key by key.

use model::knowledge::is_item_id;
use model::memory::distinct;
use model::{Metadata, Timestamp};

use super::place::NO_ID;
use super::rules::date;
use super::yaml::{self, Node, Yaml, json_map};
use crate::file::Flaw;
use crate::file::front::one_of;

/// The keys we know, in the order they are written.
pub(super) const KEYS: [&str; 16] = [
    "id",
    "type",
    "layer",
    "title",
    "summary",
    "status",
    "severity",
    "tags",
    "metadata",
    "createdAt",
    "updatedAt",
    "version",
    "supersedes",
    "supersededBy",
    "constraints",
    "waivers",
];

/// Free data is nested no deeper than this.
const METADATA_DEPTH_MAX: usize = 16;

/// A key as we spell it.
pub(super) fn canonical(key: &str) -> &str {
    match key {
        "created_at" => "createdAt",
        "updated_at" => "updatedAt",
        "superseded_by" => "supersededBy",
        "applies_to" => "appliesTo",
        _ => key,
    }
}

/// The one of that name, in small letters or large.
pub(super) fn named<T: Copy>(all: &[T], name: fn(T) -> &'static str, text: &str) -> Option<T> {
    all.iter().copied().find(|one| name(*one).eq_ignore_ascii_case(text.trim()))
}

/// The front matter, of which one key after the other is taken.
pub(super) struct Front<'f> {
    entries: Vec<(String, Node)>,
    pub(super) flaws: &'f mut Vec<Flaw>,
}

/// The keys of a front matter; its first line is the file's second.
pub(super) fn entries(text: &str) -> Result<Vec<(String, Node)>, Flaw> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    match yaml::read(text, 2)? {
        Node { value: Yaml::Map(entries), .. } => Ok(entries),
        Node { value: Yaml::Null, .. } => Ok(Vec::new()),
        node => {
            let why = format!("should be keys and values, not {}", node.named());
            Err(Flaw { line: node.line, why })
        }
    }
}

impl<'f> Front<'f> {
    pub(super) fn new(entries: Vec<(String, Node)>, flaws: &'f mut Vec<Flaw>) -> Self {
        Self { entries, flaws }
    }

    pub(super) fn flaw(&mut self, line: usize, why: String) {
        self.flaws.push(Flaw { line, why });
    }

    /// Whether a key is there with a value.
    pub(super) fn has(&self, key: &str) -> bool {
        let is_told = |node: &Node| !matches!(node.value, Yaml::Null);
        self.entries.iter().any(|(name, node)| canonical(name) == key && is_told(node))
    }

    /// The value of a key. One without a value is one that is not there.
    pub(super) fn take(&mut self, key: &str) -> Option<Node> {
        let at = self.entries.iter().position(|(name, _)| canonical(name) == key)?;
        let (_, node) = self.entries.swap_remove(at);
        (!matches!(node.value, Yaml::Null)).then_some(node)
    }

    fn wrong(&mut self, key: &str, what: &str, node: &Node) {
        self.flaw(node.line, format!("`{key}` should be {what}, not {}", node.named()));
    }

    /// The value of a key by `read`, and its line.
    fn read<T>(
        &mut self,
        key: &str,
        what: &str,
        read: impl Fn(&Node) -> Option<T>,
    ) -> Option<(T, usize)> {
        let node = self.take(key)?;
        let value = read(&node);
        if value.is_none() {
            self.wrong(key, what, &node);
        }
        value.map(|value| (value, node.line))
    }

    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        let read = |node: &Node| node.text().map(str::to_owned);
        self.read(key, "a text", read).map(|(text, _)| text)
    }

    pub(super) fn id(&mut self) -> Option<String> {
        let node = self.take("id")?;
        let id = node.text().filter(|id| is_item_id(id));
        if id.is_none() {
            let why = format!("`id` {} {NO_ID}", node.named());
            self.flaw(node.line, why);
        }
        id.map(str::to_owned)
    }

    /// One of several names, and its line.
    pub(super) fn name<T: Copy>(
        &mut self,
        key: &str,
        all: &[T],
        name: fn(T) -> &'static str,
    ) -> Option<(T, usize)> {
        self.read(key, &one_of(all, name), |node| named(all, name, node.text()?))
    }

    /// The same for a key that must be there; `default` is what stands elsewhere.
    pub(super) fn require<T: Copy>(
        &mut self,
        key: &str,
        all: &[T],
        name: fn(T) -> &'static str,
        default: Option<T>,
    ) -> Option<T> {
        let before = self.flaws.len();
        let value = self.name(key, all, name).map(|(value, _)| value).or(default);
        if value.is_none() && self.flaws.len() == before {
            self.flaw(1, format!("`{key}` is missing: {}", one_of(all, name)));
        }
        value
    }

    pub(super) fn time(&mut self, key: &str) -> Option<Timestamp> {
        let what = "a time such as 2026-01-31T12:00:00Z or a day such as 2026-01-31";
        let read = |node: &Node| {
            let text = node.text()?.trim();
            match date(text) {
                Some(_) => format!("{text}T00:00:00Z").parse().ok(),
                None => text.parse().ok(),
            }
        };
        self.read(key, what, read).map(|(time, _)| time)
    }

    pub(super) fn tags(&mut self) -> Vec<String> {
        let read = |node: &Node| match &node.value {
            Yaml::Text(text) => Some(text.split(',').map(|tag| tag.trim().to_owned()).collect()),
            _ => node.texts(),
        };
        let tags = self.read("tags", "a list of texts", read).map(|(tags, _)| tags);
        let tags: Vec<String> = tags.unwrap_or_default();
        distinct(tags.into_iter().filter(|tag| !tag.is_empty()).collect())
    }

    pub(super) fn metadata(&mut self) -> Metadata {
        let what = format!("a map that is nested at most {METADATA_DEPTH_MAX} deep");
        let read = |node: &Node| match &node.value {
            Yaml::Map(entries) => json_map(entries, METADATA_DEPTH_MAX),
            _ => None,
        };
        self.read("metadata", &what, read).map(|(map, _)| map).unwrap_or_default()
    }

    /// Other items: a text or a list.
    pub(super) fn items(&mut self, key: &str) -> Vec<String> {
        let read = |node: &Node| node.texts();
        let items = self.read(key, "the id of an item or a list of them", read);
        let items: Vec<String> = items.map(|(items, _)| items).unwrap_or_default();
        items.into_iter().filter(|item| !item.trim().is_empty()).collect()
    }

    /// Another item: a text or a list of one.
    pub(super) fn item(&mut self, key: &str) -> Option<String> {
        let read = |node: &Node| node.texts().filter(|items| items.len() <= 1);
        let (items, _) = self.read(key, "the id of one item", read)?;
        items.into_iter().find(|item| !item.trim().is_empty())
    }
}
