//! Which part of a page is worth reading: what its author says is the main part or, if nobody says
//! so, where the sentences are. Menus, footers, banners and the like are left out.

use super::names::is_block;
use super::tree::{Id, Node, Tree};

/// Less than this is too little to be what a page is about.
const CHARS_MIN: usize = 140;

/// Classes and ids of what is around a text.
const AROUND: &[&str] = &[
    "ad",
    "ads",
    "advert",
    "advertisement",
    "adverts",
    "banner",
    "breadcrumb",
    "breadcrumbs",
    "consent",
    "cookie",
    "cookies",
    "dropdown",
    "editsection",
    "footer",
    "gdpr",
    "gutter",
    "lineno",
    "linenos",
    "masthead",
    "menu",
    "modal",
    "nav",
    "navbar",
    "navbox",
    "navigation",
    "newsletter",
    "noprint",
    "onetrust",
    "outbrain",
    "pager",
    "pagination",
    "popup",
    "promo",
    "promoted",
    "recommended",
    "related",
    "share",
    "sharing",
    "sidebar",
    "skip",
    "social",
    "sponsor",
    "sponsored",
    "subscribe",
    "taboola",
    "toolbar",
    "tooltip",
];

/// Classes and ids of the text itself.
const TEXT: &[&str] =
    &["article", "body", "content", "entry", "main", "page", "post", "story", "text"];

/// Roles of what is around a text.
const ROLES: &[&str] = &[
    "alertdialog",
    "banner",
    "complementary",
    "contentinfo",
    "dialog",
    "menu",
    "menubar",
    "navigation",
    "search",
    "toolbar",
];

/// What of a page is written.
#[derive(Debug)]
pub(super) struct Content {
    /// The roots of what is written, in order.
    pub(super) roots: Vec<Id>,
    /// Whether each node is left out.
    pub(super) left_out: Vec<bool>,
}

/// What there is in a node.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    chars: usize,
    linked: usize,
    commas: usize,
}

impl Count {
    /// How much of the text is links, from 0 to 1.
    fn link_share(self) -> f64 {
        if self.chars == 0 { 0.0 } else { self.linked as f64 / self.chars as f64 }
    }
}

/// The part that is worth reading.
pub(super) fn content(tree: &Tree) -> Content {
    let root = tree.named("body").next().unwrap_or(0);
    let hidden = spread(tree, |_, node| node.is_hidden());
    let all = count(tree, &hidden);
    let around = around(tree, &hidden, &all, root);
    let counts = count(tree, &around);
    let roots =
        main_part(tree, &around, &counts, root).unwrap_or_else(|| best(tree, &counts, root));
    let chars: usize = roots.iter().map(|id| counts[*id].chars).sum();
    if chars >= CHARS_MIN && chars * 3 >= counts[root].chars {
        return Content { roots, left_out: around };
    }
    // A short page, or one whose text is where nobody would look for it.
    let left_out = if counts[root].chars * 10 >= all[root].chars && counts[root].chars > 0 {
        around
    } else {
        hidden
    };
    Content { roots: vec![root], left_out }
}

/// What is marked, with all that lies in it.
fn spread(tree: &Tree, is_marked: impl Fn(Id, &Node) -> bool) -> Vec<bool> {
    let mut marked = vec![false; tree.len()];
    for id in 0..tree.len() {
        let node = tree.node(id);
        marked[id] = id > 0 && marked[node.parent] || is_marked(id, node);
    }
    marked
}

/// What lies in each node and is not left out.
fn count(tree: &Tree, left_out: &[bool]) -> Vec<Count> {
    let mut counts = vec![Count::default(); tree.len()];
    for id in (1..tree.len()).rev() {
        let node = tree.node(id);
        if left_out[id] || matches!(node.name, "title" | "head") {
            continue;
        }
        if node.name.is_empty() && !node.text.is_empty() {
            let chars = node.text.split_whitespace().map(|word| word.chars().count() + 1).sum();
            let commas = node.text.chars().filter(|c| matches!(c, ',' | '，' | '、' | '،')).count();
            counts[id] = Count { chars, linked: 0, commas };
        }
        if node.name == "a" {
            counts[id].linked = counts[id].chars;
        }
        let (own, parent) = (counts[id], &mut counts[node.parent]);
        parent.chars += own.chars;
        parent.linked += own.linked;
        parent.commas += own.commas;
    }
    counts
}

/// What is around the text, with what is hidden.
fn around(tree: &Tree, hidden: &[bool], counts: &[Count], root: Id) -> Vec<bool> {
    let is_part =
        |node: &Node| matches!(node.name, "main" | "article") || node.attribute("role") == "main";
    let in_part = spread(tree, |_, node| is_part(node));
    // Whether a main part lies in it.
    let mut has_part = vec![false; tree.len()];
    for id in (1..tree.len()).rev() {
        let node = tree.node(id);
        has_part[id] |= is_part(node);
        has_part[node.parent] |= has_part[id];
    }
    let total = counts[root].chars;
    spread(tree, |id, node| {
        if hidden[id] {
            return true;
        }
        if id <= root || has_part[id] || node.name.is_empty() && node.attribute("class").is_empty()
        {
            return false;
        }
        let is_small = counts[id].chars * 5 < total * 2;
        let is_links = counts[id].link_share() > 0.4;
        match node.name {
            "nav" => return true,
            "aside" | "footer" => {
                return is_links || !in_part[id] && is_small && !in_quote(tree, id);
            }
            "header" => return !in_part[id] && is_small,
            _ => {}
        }
        is_small && (ROLES.contains(&node.attribute("role")) || is_named_around(node, is_links))
    })
}

fn in_quote(tree: &Tree, id: Id) -> bool {
    tree.node(tree.node(id).parent).name == "blockquote"
}

/// Whether its class or its id says that it is around a text, and not a text itself.
fn is_named_around(node: &Node, is_links: bool) -> bool {
    let (mut is_around, mut is_text) = (false, false);
    for word in words(node.attribute("class")).chain(words(node.attribute("id"))) {
        is_around |= AROUND.contains(&word.as_str());
        is_text |= TEXT.contains(&word.as_str());
    }
    is_around && (is_links || !is_text)
}

/// The words of a class or an id: `site-navBar` has three.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).flat_map(|part| {
        let mut words = vec![String::new()];
        let mut was_lower = false;
        for c in part.chars() {
            if c.is_ascii_uppercase() && was_lower {
                words.push(String::new());
            }
            was_lower = !c.is_ascii_uppercase();
            if let Some(word) = words.last_mut() {
                word.push(c.to_ascii_lowercase());
            }
        }
        words
    })
}

/// What the author says is the main part.
fn main_part(tree: &Tree, around: &[bool], counts: &[Count], root: Id) -> Option<Vec<Id>> {
    let total = counts[root].chars;
    let is_main = |id: &Id| {
        let node = tree.node(*id);
        !around[*id] && (node.name == "main" || node.attribute("role") == "main")
    };
    let within = (root..tree.len()).filter(is_main).max_by_key(|id| counts[*id].chars);
    let within = within.filter(|id| counts[*id].chars * 4 >= total);
    let area = tree.within(within.unwrap_or(root));
    let articles = tree.named("article").filter(|id| area.contains(id) && !around[*id]);
    let article = articles.max_by_key(|id| counts[*id].chars);
    // One of many articles is not what a page is about.
    let whole = within.map_or(total, |id| counts[id].chars);
    let article = article.filter(|id| counts[*id].chars * 5 >= whole * 3);
    article.or(within).map(|id| vec![id])
}

/// Where the sentences are: every paragraph speaks for what it lies in, and its neighbours come along
/// if they look alike.
fn best(tree: &Tree, counts: &[Count], root: Id) -> Vec<Id> {
    let mut scores = vec![0.0_f64; tree.len()];
    for id in tree.within(root) {
        let (node, count) = (tree.node(id), counts[id]);
        let is_paragraph = matches!(node.name, "p" | "pre" | "td" | "li" | "blockquote")
            || matches!(node.name, "div" | "section") && !has_blocks(tree, id);
        if !is_paragraph || count.chars < 25 {
            continue;
        }
        let score = 1.0 + count.commas as f64 + (count.chars as f64 / 100.0).min(3.0);
        let score = score * (1.0 - count.link_share());
        let (mut at, mut share) = (id, 1.0);
        for _ in 0..3 {
            if at == root {
                break;
            }
            at = tree.node(at).parent;
            scores[at] += score * share;
            share /= 2.0;
        }
    }
    let value = |id: Id| scores[id] * (1.0 - counts[id].link_share());
    let best = tree.within(root).max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap_or(root);
    if best == root {
        return vec![root];
    }
    let parent = tree.node(best).parent;
    let is_alike = |id: &Id| {
        let (node, count) = (tree.node(*id), counts[*id]);
        *id == best
            || value(*id) > value(best) * 0.2
            || matches!(node.name, "p" | "pre" | "ul" | "ol" | "table" | "blockquote")
                && count.link_share() < 0.25
            || super::names::heading(node.name).is_some()
    };
    tree.children(parent).filter(is_alike).collect()
}

fn has_blocks(tree: &Tree, id: Id) -> bool {
    tree.children(id).any(|child| is_block(tree.node(child).name))
}

/// What the page is called; empty if it does not say.
pub(super) fn title(tree: &Tree) -> String {
    let text = |id: Id| {
        let text: String = tree.within(id).map(|id| tree.node(id).text.as_str()).collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let named = |name| tree.named(name).map(text).find(|text| !text.is_empty());
    named("title").or_else(|| meta(tree, "og:title")).or_else(|| named("h1")).unwrap_or_default()
}

/// When the page was published, as it says; empty if it does not.
pub(super) fn published(tree: &Tree) -> String {
    meta(tree, "article:published_time").unwrap_or_default()
}

fn meta(tree: &Tree, property: &str) -> Option<String> {
    let is_it = |id: &Id| tree.node(*id).attribute("property") == property;
    let text = tree.named("meta").find(is_it).map(|id| tree.node(id).attribute("content"))?;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}
