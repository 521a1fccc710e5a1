//! `lorekeep recall`: what is found, in full, as a person reads it.

use std::process::ExitCode;

use anyhow::Result;
use engine::memory::{self, Narrow, Query, Recalled, Within};
use engine::{Engine, trust};
use serde_json::{Value, json};

use super::memo;
use crate::cli::everyday::RecallArgs;
use crate::output::{self, STRONG, styled};
use crate::{pager, wiring};

pub(crate) fn run(args: &RecallArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.shown.store)?;
    super::refuse_missing(&settings)?;
    let (engine, caller) = (wiring::open_to_read(&settings)?, wiring::caller(&settings));
    let query = Query {
        text: args.query.join(" "),
        within: match args.layers.as_slice() {
            [] => Within::Own,
            layers => Within::Layers(layers.to_vec()),
        },
        tags_any: args.tags.clone(),
        floor: args.threshold,
        limit: usize::try_from(args.limit)?,
    };
    let found = memory::recall_among(&engine, &caller, &query, &Narrow::default())?;
    let (hits, tokens) = fitting(&engine, &found.hits, args.budget);
    wiring::leave_index(&engine);
    if args.shown.json {
        let memories: Vec<Value> = hits.iter().map(|hit| describe(&engine, hit)).collect();
        let (left_out, total) = (found.hits.len() - hits.len(), found.total);
        output::json(&json!({"memories": memories, "tokens": tokens, "left_out": left_out,
                             "total": total}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let told: Vec<String> = hits.iter().map(|hit| told(&engine, hit)).collect();
    pager::show(&told.join("\n"), !args.shown.no_pager)?;
    print_rest(args, hits.len(), found.hits.len(), found.total);
    Ok(ExitCode::SUCCESS)
}

/// Those whose texts fit the budget, best first, and what they cost together.
fn fitting<'h>(engine: &Engine, hits: &'h [Recalled], budget: usize) -> (Vec<&'h Recalled>, usize) {
    let mut tokens = 0;
    let fits = |hit: &&Recalled| {
        let cost = engine.tokens(&hit.memory.content);
        let has_room = tokens + cost <= budget;
        tokens += if has_room { cost } else { 0 };
        has_room
    };
    let hits = hits.iter().filter(fits).collect();
    (hits, tokens)
}

fn describe(engine: &Engine, hit: &Recalled) -> Value {
    let mut memory = memo::describe(engine, &hit.memory);
    memory["relevance"] = json!(hit.relevance);
    memory
}

/// A head with what there is to know of it, and the text.
fn told(engine: &Engine, hit: &Recalled) -> String {
    let memory = &hit.memory;
    let mut head = vec![
        memory.scope.layer.name().to_owned(),
        memory.kind.name().to_owned(),
        memo::ago(memory.created_at),
    ];
    if !memory.tags.is_empty() {
        head.push(format!("tags {}", memory.tags.join(" ")));
    }
    head.push(format!("relevance {:.2}", hit.relevance));
    head.extend(trust::caution(engine, memory).told());
    let (id, head) = (styled(STRONG, memory.id.prefixed()), output::one_line(&head.join(", ")));
    format!("{id}  {head}\n{}\n", output::lines(memory.content.trim()))
}

fn print_rest(args: &RecallArgs, shown: usize, found: usize, total: usize) {
    let (floor, budget) = (args.threshold, args.budget);
    if total == 0 && floor > 0.0 {
        output::note(format!("nothing reaches {floor}; --threshold 0 shows what comes nearest"));
    } else if total == 0 {
        output::note("nothing speaks for any memory");
    }
    if found > shown {
        let left = found - shown;
        output::note(format!("{left} more did not fit into {budget} tokens; --budget gives room"));
    } else if total > found {
        output::note(format!("{found} of {total} that reach {floor}; --limit shows more"));
    }
}
