//! Tables: those that hold a grid become one; those that lay out a page do not.

use super::{Gap, Writer};
use crate::web::page::names::heading;
use crate::web::page::tree::Id;

/// No cell is wider.
const COLSPAN_MAX: usize = 20;

impl Writer<'_> {
    pub(super) fn table(&mut self, id: Id) {
        let rows = self.rows(id);
        let is_grid = self.tree.node(id).attribute("role") != "presentation"
            && rows.iter().any(|row| row.len() > 1)
            && !self.tree.within(id).skip(1).any(|id| {
                let name = self.tree.node(id).name;
                matches!(name, "table" | "pre" | "blockquote") || heading(name).is_some()
            });
        self.widen(Gap::Block);
        if self.is_line || !is_grid {
            self.children(id);
            return self.widen(Gap::Block);
        }
        for caption in self.tree.children(id).filter(|id| self.tree.node(*id).name == "caption") {
            self.node(caption);
            self.widen(Gap::Block);
        }
        let written: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().flat_map(|cell| self.cell(*cell)).collect()).collect();
        let width = written.iter().map(Vec::len).max().unwrap_or(0);
        for (index, mut row) in written.into_iter().enumerate() {
            if index == 0 {
                row.resize(width, String::new());
            }
            self.push_word(&format!("| {} |", row.join(" | ")));
            self.gap = Gap::Line;
            if index == 0 {
                self.push_word(&format!("|{}", " --- |".repeat(width)));
                self.gap = Gap::Line;
            }
        }
        self.widen(Gap::Block);
    }

    /// The cells of a table, row by row.
    fn rows(&self, table: Id) -> Vec<Vec<Id>> {
        let mut rows = Vec::new();
        let mut id = table + 1;
        let end = self.tree.within(table).end;
        while id < end {
            let name = self.tree.node(id).name;
            if self.left_out[id] || matches!(name, "table" | "caption") {
                id = self.tree.within(id).end;
                continue;
            }
            if name == "tr" {
                let is_cell = |id: &Id| {
                    matches!(self.tree.node(*id).name, "td" | "th") && !self.left_out[*id]
                };
                rows.push(self.tree.children(id).filter(is_cell).collect());
            }
            id += 1;
        }
        rows.retain(|row: &Vec<Id>| !row.is_empty());
        rows
    }

    /// A cell, and the empty ones that it takes the place of.
    fn cell(&mut self, id: Id) -> Vec<String> {
        let text = self.on_one_line(id).replace('|', "\\|");
        let span = self.tree.node(id).attribute("colspan").parse().unwrap_or(1);
        let mut cells = vec![text];
        cells.resize(usize::clamp(span, 1, COLSPAN_MAX), String::new());
        cells
    }
}
