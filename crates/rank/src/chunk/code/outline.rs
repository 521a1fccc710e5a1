//! Where the parts of a program begin, and what the larger ones are called.

use std::ops::Range;

use tree_sitter::{Node, Tree, TreeCursor};

use super::names;
use crate::chunk::pack::{Level, Mark, Style};

/// A smaller part is not looked into: it would not be parted anyway.
const PARTED_BYTES_MIN: usize = 160;

/// A function, a class or the like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scope {
    /// With the comments before it.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) name: String,
}

/// The places where a program may be parted, and its scopes. Both in the order of the text, outer
/// ones first.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) marks: Vec<Mark>,
    pub(super) scopes: Vec<Scope>,
    /// The scopes with and without what stands before them: what is not parted if it fits.
    pub(super) units: Vec<Range<usize>>,
}

impl Outline {
    pub(super) fn of(tree: &Tree, text: &str) -> Outline {
        let mut outline = Outline::default();
        let mut cursor = tree.walk();
        let mut families = vec![Family { is_on_own_line: true, ..Family::default() }];
        if !cursor.goto_first_child() {
            return outline;
        }
        loop {
            let inner = families.len() - 1;
            let child = outline.visit(&cursor.node(), text, &mut families[inner], inner);
            if child.is_some() && cursor.goto_first_child() {
                families.extend(child);
            } else if !next(&mut cursor, &mut families) {
                return outline;
            }
        }
    }

    /// Notes a node; if it is worth a look inside, the family that its children are.
    fn visit(
        &mut self,
        node: &Node,
        text: &str,
        family: &mut Family,
        depth: usize,
    ) -> Option<Family> {
        let (row, end_row) = rows(node);
        let is_first = !family.has_members;
        let is_on_own_line = if is_first { family.is_on_own_line } else { row > family.end_row };
        let is_behind_blank_line = !is_first && row > family.end_row + 1;
        let lead = family.lead.take().filter(|_| !is_behind_blank_line && is_on_own_line);
        (family.has_members, family.end_row) = (true, end_row);
        if is_on_own_line && node.is_named() {
            if lead.is_none() {
                self.mark(node.start_byte(), Level::at_depth(depth, is_behind_blank_line));
            }
            if names::belongs_to_next(node.kind()) {
                family.lead = lead.or(Some(node.start_byte()));
            }
        }
        let start = lead.unwrap_or(node.start_byte());
        let is_wrapper = names::is_wrapper(node.kind());
        let mut outer = if is_wrapper { family.outer.take().or(Some(start)) } else { None };
        if let Some(name) = names::scope(node, text) {
            let start = family.outer.take().unwrap_or(start);
            self.push_scope(Scope { start, end: node.end_byte(), name }, node.start_byte(), text);
            outer = None;
        }
        let is_large = end_row > row && node.byte_range().len() >= PARTED_BYTES_MIN;
        is_large.then_some(Family { is_on_own_line, outer, ..Family::default() })
    }

    /// Adds a scope whose own text, without comments and decorators, starts at `bare_start`.
    pub(super) fn push_scope(&mut self, scope: Scope, bare_start: usize, text: &str) {
        // The sign behind it stays with it.
        let end = scope.end + usize::from(text[scope.end..].starts_with([';', ',']));
        self.units.extend([scope.start..end, bare_start..end]);
        self.scopes.push(scope);
    }

    fn mark(&mut self, at: usize, level: Level) {
        if self.marks.last().is_none_or(|last| last.at < at) {
            self.marks.push(Mark { at, level, style: Style::Lines });
        }
    }
}

/// The children of a node, as far as they were seen.
#[derive(Debug, Default)]
struct Family {
    /// Whether the node itself, and so its first child, is the first thing on its line.
    is_on_own_line: bool,
    has_members: bool,
    /// The last line of the last one.
    end_row: usize,
    /// Where the comments begin that belong to the next one.
    lead: Option<usize>,
    /// Where the node begins, if it is there only for the scope in it.
    outer: Option<usize>,
}

/// Goes to the next node that is no child of this one; false at the end.
fn next(cursor: &mut TreeCursor, families: &mut Vec<Family>) -> bool {
    while !cursor.goto_next_sibling() {
        families.pop();
        if families.is_empty() || !cursor.goto_parent() {
            return false;
        }
    }
    true
}

/// The first and the last line of a node, from 0. Some end with the end of the line.
fn rows(node: &Node) -> (usize, usize) {
    let (start, end) = (node.start_position(), node.end_position());
    let ends_before = end.column == 0 && end.row > start.row;
    (start.row, end.row - usize::from(ends_before))
}
