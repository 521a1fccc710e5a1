//! The tree of a page, built as simply as can be: missing ends are put where they must be, and what is
//! nested deeper than anybody nests stays where the depth ends.

use std::ops::Range;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use super::names::{heading, is_block, is_of_head, is_skipped, is_void, known};

/// The tree is no deeper.
const DEPTH_MAX: usize = 100;

/// It has no more nodes.
const NODES_MAX: usize = 500_000;

/// No further is looked for what an end tag ends.
const SEARCH_MAX: usize = 128;

/// What a longer attribute says is left out.
const ATTRIBUTE_BYTES_MAX: usize = 4096;

/// The attributes that mean something here.
const ATTRIBUTES: [&str; 17] = [
    "alt",
    "alttext",
    "aria-hidden",
    "class",
    "colspan",
    "content",
    "data-src",
    "datetime",
    "hidden",
    "href",
    "id",
    "name",
    "property",
    "role",
    "src",
    "start",
    "style",
];

/// A node, by its place in the order of the page.
pub(super) type Id = usize;

/// An element or a text.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) parent: Id,
    first: Option<u32>,
    last: Option<u32>,
    next: Option<u32>,
    /// The element's name; empty for a text, and for elements that mean nothing.
    pub(super) name: &'static str,
    /// The text, if it is one.
    pub(super) text: String,
    attributes: Vec<(&'static str, String)>,
}

impl Node {
    /// What an attribute says; empty if it is not there.
    pub(super) fn attribute(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value)
    }

    fn has(&self, name: &str) -> bool {
        self.attributes.iter().any(|(known, _)| *known == name)
    }

    /// Whether the page itself does not show it.
    pub(super) fn is_hidden(&self) -> bool {
        self.has("hidden") && self.attribute("hidden") != "until-found"
            || self.attribute("aria-hidden") == "true"
            || {
                let style = self.attribute("style").to_ascii_lowercase();
                let style: String = style.split_whitespace().collect();
                style.contains("display:none") || style.contains("visibility:hidden")
            }
    }
}

/// A page. Node 0 holds it all; whatever lies in a node follows it.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Behind the last node that lies in each.
    ends: Vec<u32>,
}

impl Tree {
    /// Reads a page; none if it has too many nodes.
    pub(super) fn read(html: &str) -> Option<Self> {
        let mut builder = Builder {
            nodes: vec![Node::default()],
            open: vec![Open { name: Name::Known(""), node: Some(0) }],
            started: None,
            attribute: None,
            skipping: None,
            is_full: false,
        };
        let mut emitter = CallbackEmitter::new(|event: CallbackEvent, _: Span<()>| {
            builder.read(&event);
            // One is enough to end it.
            builder.is_full.then_some(())
        });
        emitter.naively_switch_states(true);
        let is_full = Tokenizer::new_with_emitter(html, emitter).next().is_some();
        let nodes = builder.nodes;
        if is_full {
            return None;
        }
        let mut ends: Vec<u32> = (1..).take(nodes.len()).collect();
        for id in (1..nodes.len()).rev() {
            let parent = nodes[id].parent;
            ends[parent] = ends[parent].max(ends[id]);
        }
        Some(Self { nodes, ends })
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, id: Id) -> &Node {
        &self.nodes[id]
    }

    /// It and all that lies in it.
    pub(super) fn within(&self, id: Id) -> Range<Id> {
        id..self.ends[id] as usize
    }

    /// What lies in it directly.
    pub(super) fn children(&self, id: Id) -> impl Iterator<Item = Id> {
        let next = |id: &Id| self.nodes[*id].next.map(|id| id as Id);
        std::iter::successors(self.nodes[id].first.map(|id| id as Id), next)
    }

    /// All elements of that name, in order.
    pub(super) fn named(&self, name: &'static str) -> impl Iterator<Item = Id> {
        (0..self.len()).filter(move |id| self.nodes[*id].name == name)
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Name {
    Known(&'static str),
    Other(Box<[u8]>),
}

impl Name {
    fn of(name: &[u8]) -> Self {
        // What is told apart by more than that is not told apart.
        known(name).map_or_else(|| Self::Other(name[..name.len().min(64)].into()), Self::Known)
    }

    fn known(&self) -> &'static str {
        match self {
            Self::Known(name) => name,
            Self::Other(_) => "",
        }
    }
}

/// An element that has not ended.
struct Open {
    name: Name,
    /// None if it lies too deep to be there.
    node: Option<Id>,
}

struct Builder {
    nodes: Vec<Node>,
    open: Vec<Open>,
    /// The start tag that is being read.
    started: Option<(Name, Vec<(&'static str, String)>)>,
    attribute: Option<&'static str>,
    /// The element whose content is left out, and how many of them are open.
    skipping: Option<(&'static str, usize)>,
    is_full: bool,
}

impl Builder {
    fn read(&mut self, event: &CallbackEvent) {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.started = Some((Name::of(name), Vec::new()));
                self.attribute = None;
            }
            CallbackEvent::AttributeName { name } => self.attribute(name),
            CallbackEvent::AttributeValue { value } => self.value(value),
            CallbackEvent::CloseStartTag { self_closing } => {
                if let Some((name, attributes)) = self.started.take() {
                    self.start(name, attributes, *self_closing);
                }
            }
            CallbackEvent::EndTag { name } => self.end(&Name::of(name)),
            CallbackEvent::String { value } if self.skipping.is_none() => {
                self.text(String::from_utf8_lossy(value).into_owned());
            }
            _ => {}
        }
    }

    fn attribute(&mut self, name: &[u8]) {
        self.attribute = ATTRIBUTES.into_iter().find(|known| known.as_bytes() == name);
        if let (Some((_, all)), Some(name)) = (&mut self.started, self.attribute) {
            if all.iter().any(|(known, _)| *known == name) {
                self.attribute = None;
            } else {
                all.push((name, String::new()));
            }
        }
    }

    fn value(&mut self, value: &[u8]) {
        if let (Some((_, all)), Some(_)) = (&mut self.started, self.attribute.take())
            && let Some((_, last)) = all.last_mut()
            && value.len() <= ATTRIBUTE_BYTES_MAX
        {
            *last = String::from_utf8_lossy(value).into_owned();
        }
    }

    fn start(&mut self, name: Name, attributes: Vec<(&'static str, String)>, is_closed: bool) {
        let known = name.known();
        if let Some((skipped, depth)) = &mut self.skipping {
            *depth += usize::from(*skipped == known && !is_closed);
            return;
        }
        if is_skipped(known) {
            // Only what is not of HTML can end in its start tag.
            if !(known == "svg" && is_closed) {
                self.skipping = Some((known, 1));
            }
            return;
        }
        self.imply_ends(known);
        if matches!(known, "html" | "body")
            && self.open.iter().take(4).any(|open| open.name == name)
        {
            return;
        }
        let is_left_open = !(is_void(known) || is_closed && known == "math");
        let is_too_deep = self.open.len() > DEPTH_MAX;
        if is_left_open && is_too_deep {
            self.open.push(Open { name, node: None });
            return;
        }
        let node = self.add(Node { name: known, attributes, ..Node::default() });
        if is_left_open {
            self.open.push(Open { name, node: Some(node) });
        }
    }

    /// Ends what cannot hold the element that starts.
    fn imply_ends(&mut self, name: &str) {
        let is_heading =
            |open: Option<&Open>| open.is_some_and(|open| heading(open.name.known()).is_some());
        if !is_of_head(name) && name != "head" {
            self.end_nearest(&["head"], &["body"]);
        }
        if is_block(name) {
            self.end_nearest(&["p"], &["table", "td", "th", "caption"]);
        }
        match name {
            "li" => self.end_nearest(&["li"], &["ul", "ol", "menu", "dir", "table", "td", "th"]),
            "dt" | "dd" => self.end_nearest(&["dt", "dd"], &["dl", "table", "td", "th"]),
            "td" | "th" => self.end_nearest(&["td", "th"], &["tr", "table"]),
            "tr" => self.end_nearest(&["tr"], &["table"]),
            "thead" | "tbody" | "tfoot" => {
                self.end_nearest(&["thead", "tbody", "tfoot"], &["table"]);
            }
            "a" => {
                let is_open =
                    |open: &&Open| open.name == Name::Known("a") || is_block(open.name.known());
                let nearest = self.open.iter().rev().take(SEARCH_MAX).find(is_open);
                if nearest.is_some_and(|open| open.name == Name::Known("a")) {
                    self.end_nearest(&["a"], &[]);
                }
            }
            _ if heading(name).is_some() && is_heading(self.open.last()) => _ = self.open.pop(),
            _ => {}
        }
    }

    /// Ends the nearest open element of these names, unless one of the others is nearer.
    fn end_nearest(&mut self, names: &[&str], others: &[&str]) {
        for (above, open) in self.open.iter().rev().take(SEARCH_MAX).enumerate() {
            let name = open.name.known();
            if names.contains(&name) {
                self.open.truncate(self.open.len() - above - 1);
                return;
            }
            if others.contains(&name) {
                return;
            }
        }
    }

    fn end(&mut self, name: &Name) {
        let known = name.known();
        if let Some((skipped, depth)) = &mut self.skipping {
            *depth -= usize::from(*skipped == known);
            if *depth == 0 {
                self.skipping = None;
            }
            return;
        }
        if known == "br" {
            self.add(Node { name: "br", ..Node::default() });
            return;
        }
        if matches!(known, "html" | "body") {
            return;
        }
        let is_of_table =
            matches!(known, "table" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th");
        let is_heading = heading(known).is_some();
        for (above, open) in self.open.iter().rev().take(SEARCH_MAX).enumerate() {
            let other = open.name.known();
            if open.name == *name || is_heading && heading(other).is_some() {
                self.open.truncate(self.open.len() - above - 1);
                return;
            }
            let is_wall = match other {
                "body" | "html" => true,
                "table" => true,
                "td" | "th" => !is_of_table,
                // The end of a word in bold does not end a paragraph.
                other => matches!(name, Name::Known(_)) && !is_block(known) && is_block(other),
            };
            if is_wall {
                return;
            }
        }
    }

    fn text(&mut self, text: String) {
        let is_blank = text.trim().is_empty();
        if self.open.last().is_some_and(|open| open.name == Name::Known("head")) && !is_blank {
            self.open.pop();
        }
        self.add(Node { text, ..Node::default() });
    }

    fn add(&mut self, mut node: Node) -> Id {
        let id = self.nodes.len();
        let parent = self.open[..self.open.len().min(DEPTH_MAX + 1)].last();
        let parent = parent.and_then(|open| open.node).unwrap_or(0);
        let at = u32::try_from(id).ok();
        node.parent = parent;
        match self.nodes[parent].last {
            Some(last) => self.nodes[last as Id].next = at,
            None => self.nodes[parent].first = at,
        }
        self.nodes[parent].last = at;
        self.nodes.push(node);
        self.is_full = id >= NODES_MAX;
        id
    }
}
