//! `lorekeep list`: the memories, one a line.

use std::process::ExitCode;

use anyhow::Result;
use engine::{Clock, Engine, memory, scope};
use model::{Caller, Memory, MemoryFilter, Order, Page, Paging, time};
use providers::SystemClock;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::memo;
use crate::cli::everyday::ListArgs;
use crate::output::{self, cut, one_line};
use crate::{pager, wiring};

/// So many are read at once where all are wanted.
const PAGE: u64 = 5_000;

/// The columns beside the text have a space on both sides, and so does the text.
const MARGINS: usize = 2;

/// What the columns are called.
const HEAD: [&str; 5] = ["id", "layer", "kind", "age", "text"];

pub(crate) fn run(args: &ListArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.shown.store)?;
    super::refuse_missing(&settings)?;
    let (engine, caller) = (wiring::open_to_read(&settings)?, wiring::caller(&settings));
    let Page { items, total } = listed(&engine, &caller, args)?;
    if args.shown.json {
        let memories: Vec<Value> =
            items.iter().map(|memory| memo::describe(&engine, memory)).collect();
        output::json(&json!({"memories": memories, "total": total}))?;
        return Ok(ExitCode::SUCCESS);
    }
    if !items.is_empty() {
        let table = output::tabled(HEAD, &rows(&engine, &items));
        pager::show(&format!("{table}\n"), !args.shown.no_pager)?;
    }
    let shown = items.len() as u64;
    if total == 0 && is_narrowed(args) {
        output::note("no memory is so; `lorekeep list` without options shows all");
    } else if total == 0 {
        output::note("there are no memories; `lorekeep add TEXT` keeps one");
    } else if !args.all && total > args.limit {
        output::note(format!("{shown} of {total}; --limit N shows more, --all shows all"));
    }
    Ok(ExitCode::SUCCESS)
}

fn is_narrowed(args: &ListArgs) -> bool {
    !(args.layers.is_empty() && args.tags.is_empty() && args.kinds.is_empty())
}

fn listed(engine: &Engine, caller: &Caller, args: &ListArgs) -> Result<Page<Memory>> {
    let mut scopes = scope::own(engine, caller)?;
    scopes.retain(|scope| args.layers.is_empty() || args.layers.contains(&scope.layer));
    let filter = MemoryFilter {
        scopes,
        kinds: args.kinds.clone(),
        tags_all: args.tags.clone(),
        archived: args.archived,
        ..MemoryFilter::default()
    };
    let wanted = if args.all { u64::MAX } else { args.limit };
    let mut all = Page { items: Vec::new(), total: 0 };
    let mut offset = 0;
    loop {
        let limit = wanted.saturating_sub(offset).min(PAGE);
        let paging = Paging { key: args.sort, order: Order::Descending, offset, limit };
        let page = memory::browse(engine, caller, filter.clone(), paging)?;
        all.total = page.total;
        all.items.extend(page.items);
        // What cannot be read is passed, too, and shown by nobody.
        offset += limit;
        if offset >= wanted.min(all.total) {
            return Ok(all);
        }
    }
}

/// For a person: short, and the text cut to the width of the terminal. For a program: whole.
fn rows(engine: &Engine, memories: &[Memory]) -> Vec<[String; 5]> {
    let Some(width) = output::width() else {
        return memories.iter().map(|memory| whole_row(engine, memory)).collect();
    };
    let now = SystemClock.now().as_second();
    let mut rows: Vec<[String; 5]> =
        memories.iter().map(|memory| short_row(engine, memory, now)).collect();
    let widest = |column: usize| {
        let cells = rows.iter().map(|row| row[column].width());
        cells.chain([HEAD[column].width()]).max().unwrap_or(0) + MARGINS
    };
    let taken: usize = (0..HEAD.len() - 1).map(widest).sum();
    let room = width.saturating_sub(taken + MARGINS);
    for [.., text] in &mut rows {
        *text = cut(text, Some(room));
    }
    rows
}

fn whole_row(engine: &Engine, memory: &Memory) -> [String; 5] {
    let (layer, kind) = (memory.scope.layer.name().to_owned(), memory.kind.name().to_owned());
    let made = time::rfc3339(memory.created_at);
    let text = memo::cautioned(engine, memory, &one_line(&memory.content));
    [memory.id.prefixed(), layer, kind, made, text]
}

fn short_row(engine: &Engine, memory: &Memory, now: i64) -> [String; 5] {
    let (layer, kind) = (memory.scope.layer.name().to_owned(), memory.kind.name().to_owned());
    let age = memo::age(now.saturating_sub(memory.created_at.as_second()));
    let text = memo::cautioned(engine, memory, &one_line(&memory.content));
    [memo::short(memory.id), layer, kind, age, text]
}
