//! `lorekeep graph`: what a thing has to do with others, drawn.

use std::collections::VecDeque;
use std::process::ExitCode;

use anyhow::{Context, Result};
use engine::{Engine, fact, secrets};
use model::time::rfc3339;
use model::{Caller, Link, Timestamp};
use serde_json::{Value, json};

use crate::cli::{GraphArgs, GraphWhat};
use crate::{output, wiring};

/// So many things are drawn at the most.
const THINGS_MAX: usize = 500;

/// A thing and what is around it.
struct Picture {
    /// The things, the one that was asked for first; each with what is told of it.
    things: Vec<(String, String)>,
    links: Vec<Link>,
}

pub(crate) fn run(args: &GraphArgs) -> Result<ExitCode> {
    let store = match &args.what {
        Some(GraphWhat::Merge(merge)) => &merge.store,
        None => &args.store,
    };
    let settings = super::settings(store)?;
    super::refuse_missing(&settings)?;
    let caller = wiring::caller(&settings);
    if let Some(GraphWhat::Merge(merge)) = &args.what {
        let engine = wiring::open_once(&settings)?;
        let into = secrets::admit(engine.secrets(), "the name", &merge.into)?;
        let carried = fact::merge(&engine, &caller, &merge.from, &into)?;
        let (from, into) = (output::one_line(&merge.from), output::one_line(&into));
        output::line(format!("{from} is {into} from now on; {carried} links were carried over"));
        return Ok(ExitCode::SUCCESS);
    }
    let engine = wiring::open_to_read(&settings)?;
    let name = args.name.as_deref().context("name a thing: lorekeep graph NAME")?;
    let picture = around(&engine, &caller, name, args.depth, args.as_of)?;
    match args.format.as_str() {
        "json" => output::json(&described(&picture))?,
        "mermaid" => output::line(mermaid(&picture).trim_end()),
        "dot" => output::line(dot(&picture).trim_end()),
        _ => told(&picture),
    }
    Ok(ExitCode::SUCCESS)
}

/// The thing of this name and those so many steps away.
fn around(
    engine: &Engine,
    caller: &Caller,
    name: &str,
    depth: u8,
    at: Option<Timestamp>,
) -> Result<Picture> {
    let mut picture = Picture { things: Vec::new(), links: Vec::new() };
    let mut queue = VecDeque::from([(name.to_owned(), 0)]);
    while let Some((name, steps)) = queue.pop_front() {
        if picture.things.iter().any(|(known, _)| *known == name) {
            continue;
        }
        if picture.things.len() == THINGS_MAX {
            output::note(format!("only the nearest {THINGS_MAX} things are drawn"));
            break;
        }
        let seen = fact::look(engine, caller, &name, at)?;
        picture.things.push((seen.entity.name.clone(), seen.entity.told()));
        if steps == depth {
            continue;
        }
        for link in seen.links.outgoing.into_iter().chain(seen.links.incoming) {
            let other = if link.from == name { &link.to } else { &link.from };
            queue.push_back((other.clone(), steps + 1));
            if !picture.links.contains(&link) {
                picture.links.push(link);
            }
        }
    }
    Ok(picture)
}

fn number(picture: &Picture, name: &str) -> Option<usize> {
    picture.things.iter().position(|(known, _)| known == name)
}

fn told(picture: &Picture) {
    if let Some((_, told)) = picture.things.first() {
        output::line(output::one_line(told));
    }
    for link in &picture.links {
        let words = [&link.from, &link.relation, &link.to].map(|word| output::one_line(word));
        let since = link.valid_at.strftime("%Y-%m-%d");
        output::line(format!("  {} ─ {} → {}  (since {since})", words[0], words[1], words[2]));
    }
}

fn described(picture: &Picture) -> Value {
    let thing = |(name, told): &(String, String)| json!({"name": name, "text": told});
    let link = |link: &Link| {
        json!({"from": link.from, "relation": link.relation, "to": link.to,
               "created_at": rfc3339(link.created_at), "valid_at": rfc3339(link.valid_at),
               "invalid_at": link.invalid_at.map(rfc3339)})
    };
    let things: Vec<Value> = picture.things.iter().map(thing).collect();
    let links: Vec<Value> = picture.links.iter().map(link).collect();
    json!({"things": things, "links": links})
}

fn mermaid(picture: &Picture) -> String {
    let mut text = String::from("flowchart LR\n");
    for (at, (name, _)) in picture.things.iter().enumerate() {
        text.push_str(&format!("    n{at}[\"{}\"]\n", tools::mermaid::label(name)));
    }
    for link in &picture.links {
        if let (Some(from), Some(to)) = (number(picture, &link.from), number(picture, &link.to)) {
            let relation = tools::mermaid::label(&link.relation);
            text.push_str(&format!("    n{from} -->|\"{relation}\"| n{to}\n"));
        }
    }
    text
}

fn dot(picture: &Picture) -> String {
    let quoted = |text: &str| {
        let text = output::lines(text)
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace(['\n', '\r'], " ");
        format!("\"{text}\"")
    };
    let mut text = String::from("digraph lorekeep {\n    rankdir=LR;\n");
    for (name, _) in &picture.things {
        text.push_str(&format!("    {};\n", quoted(name)));
    }
    for link in &picture.links {
        let (from, to) = (quoted(&link.from), quoted(&link.to));
        text.push_str(&format!("    {from} -> {to} [label={}];\n", quoted(&link.relation)));
    }
    text.push_str("}\n");
    text
}
