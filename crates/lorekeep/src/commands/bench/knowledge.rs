//! `lorekeep bench knowledge`: items synced and noticed, files checked against them, through the real
//! server and the real command.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::client::Client;
use super::measure::{Bound, Figure};
use super::timing::{millis, share, sorted};
use crate::cli::KnowledgeBenchArgs;
use crate::output;

/// How many constraints an item has.
const CONSTRAINTS: u64 = 5;

/// How often what is short is measured.
const TIMES: usize = 21;

/// How many lines the one file has, and each of many.
const LINES_OF_ONE: u64 = 1_000;
const LINES_OF_MANY: u64 = 200;

/// What is wanted.
const WANTED_SYNC: f64 = 5_000.0;
const WANTED_UNCHANGED_MS: f64 = 100.0;
const WANTED_NOTICED_MS: f64 = 20.0;
const WANTED_ONE_MS: f64 = 10.0;
const WANTED_MANY_S: f64 = 3.0;

pub(crate) fn run(args: &KnowledgeBenchArgs) -> Result<ExitCode> {
    let scratch = super::scratch(args.dir.as_deref())?;
    if cfg!(debug_assertions) {
        output::note("this is a debug build: it says little of a release build");
    }
    let mut figures = syncing(&scratch.path().join("sync"), args.items)?;
    figures.extend(checking(scratch.path(), args)?);
    super::print(&figures, args.json)?;
    Ok(ExitCode::SUCCESS)
}

/// Many items: new, unchanged, and looked at by a read.
fn syncing(dir: &Path, items: u64) -> Result<Vec<Figure>> {
    write_items(&dir.join(engine::knowledge::FOLDER), items)?;
    let mut client = Client::start(dir)?;
    let mut timed = |tool: &str, arguments: Value| -> Result<f64> {
        let began = Instant::now();
        client.call(tool, &arguments)?;
        Ok(millis(began))
    };
    // What the files of the benchmark's own making cost is not the sync's to pay.
    timed("sync_status", json!({}))?;
    let new = timed("sync_now", json!({}))?;
    let again: Result<Vec<f64>> = (0..TIMES).map(|_| timed("sync_now", json!({}))).collect();
    // None of them is an ADR, so that nothing but the look at the files is measured.
    let none = json!({"type": "adr"});
    let noticed: Result<Vec<f64>> =
        (0..TIMES).map(|_| timed("knowledge_query", none.clone())).collect();
    let answer = {
        timed("sync_now", json!({}))?;
        client.answer()?
    };
    if answer["result"]["unchanged"] != items {
        bail!("{items} items were expected to be unchanged, and {answer} was answered");
    }
    let median = |times: Vec<f64>| share(&sorted(times.into_iter()), 0.5);
    Ok(vec![
        Figure::new(
            &format!("sync_now, {items} new items"),
            items as f64 * 1e3 / new,
            "/s",
            Some((Bound::AtLeast, WANTED_SYNC)),
        ),
        Figure::new(
            &format!("sync_now, {items} unchanged items"),
            median(again?),
            "ms",
            Some((Bound::AtMost, WANTED_UNCHANGED_MS)),
        ),
        Figure::new(
            &format!("knowledge_query, {items} unchanged items looked at"),
            median(noticed?),
            "ms",
            Some((Bound::AtMost, WANTED_NOTICED_MS)),
        ),
    ])
}

/// Files against the constraints of accepted items: one by the server, many by the command.
fn checking(scratch: &Path, args: &KnowledgeBenchArgs) -> Result<Vec<Figure>> {
    let (items, files) = (args.checked_items, args.files);
    let store = scratch.join("check");
    write_items(&store.join(engine::knowledge::FOLDER), items)?;
    let mut client = Client::start(&store)?;
    let one = json!({"files": [{"path": "src/one.rs", "content": source(1, LINES_OF_ONE)}]});
    let mut times = Vec::new();
    for _ in 0..=TIMES {
        let began = Instant::now();
        client.call("knowledge_check", &one)?;
        times.push(millis(began));
    }
    let first = times.remove(0);
    drop(client);
    let rules = items * CONSTRAINTS;
    let mut figures = vec![
        Figure::new(
            &format!("knowledge_check, 1,000 lines against {rules} constraints"),
            share(&sorted(times.into_iter()), 0.5),
            "ms",
            Some((Bound::AtMost, WANTED_ONE_MS)),
        ),
        Figure::new("… the first time, rules compiled", first, "ms", None),
    ];
    let half = scratch.join("half");
    write_items(&half.join(engine::knowledge::FOLDER), items / 2)?;
    let (tree, few) = (scratch.join("tree"), scratch.join("few"));
    write_files(&tree, files)?;
    write_files(&few, files / 2)?;
    let nothing = scratch.join("nothing");
    fs::create_dir_all(&nothing)?;
    let start = check(&store, &nothing)?;
    let all = check(&store, &tree)?;
    figures.push(Figure::new(
        &format!("check, {files} files of 200 lines against {rules} constraints"),
        all,
        "s",
        Some((Bound::AtMost, WANTED_MANY_S)),
    ));
    figures.push(Figure::new("… of which without files", start, "s", None));
    let net = |seconds: f64, empty: f64| (seconds - empty).max(1e-3);
    let files_half = net(check(&store, &few)?, start);
    figures.push(Figure::new("… cost of twice the files", net(all, start) / files_half, "×", None));
    let rules_half = net(check(&half, &tree)?, check(&half, &nothing)?);
    figures.push(Figure::new("… cost of twice the rules", net(all, start) / rules_half, "×", None));
    Ok(figures)
}

/// The seconds that `lorekeep check` takes for a tree.
fn check(store: &Path, tree: &Path) -> Result<f64> {
    let began = Instant::now();
    let status = Command::new(std::env::current_exe()?)
        .args(["check", "--format", "json", "--no-baseline", "--data-dir"])
        .arg(store)
        .current_dir(tree)
        .stdout(Stdio::null())
        .status()?;
    match status.code() {
        Some(0 | 1) => Ok(began.elapsed().as_secs_f64()),
        _ => bail!("lorekeep check ended with {status}"),
    }
}

/// Items with constraints of every target, some for some paths only.
fn write_items(dir: &Path, items: u64) -> Result<()> {
    for at in 0..items {
        let folder = dir.join("company/policies").join(format!("{:02}", at % 64));
        fs::create_dir_all(&folder)?;
        let mut text = format!(
            "---\nid: item-{at}\nstatus: accepted\nseverity: warn\ntags: [bench, group{}]\nconstraints:\n",
            at % 20
        );
        for number in 0..CONSTRAINTS {
            let name = at * CONSTRAINTS + number;
            let (operator, target, pattern) = match number {
                0 => ("must_not_use", "code", format!("legacy_call_{name}\\(")),
                1 => ("must_not_use", "code", format!("(?i)secret_{name}\\s*=\\s*\"")),
                2 => ("must_not_use", "import", format!("^old_crate_{name}(::|$)")),
                3 => ("must_not_use", "dependency", format!("forbidden-{name}|banned-{name}")),
                _ => ("must_not_match", "code", format!("vendor_{name}_v[0-9]+")),
            };
            writeln!(
                text,
                "  - operator: {operator}\n    target: {target}\n    pattern: '{pattern}'"
            )?;
            if name.is_multiple_of(3) {
                writeln!(text, "    appliesTo: ['src/**/*.rs', '*.toml']")?;
            }
        }
        write!(
            text,
            "---\n# Rule {at} on component {}\n\nThe component {} of group {} talks to the others by its \
             interface and not by what lies behind it, because that was tried and cost a week.\n",
            at * 7 % 1_000,
            at * 7 % 1_000,
            at % 20
        )?;
        let file = folder.join(format!("item-{at}.md"));
        fs::write(&file, text).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

fn write_files(dir: &Path, files: u64) -> Result<()> {
    for at in 0..files {
        let folder = dir.join("src").join(format!("part{:02}", at % 50));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("file{at}.rs")), source(at, LINES_OF_MANY))?;
    }
    Ok(())
}

/// A source file that breaks a rule here and there.
fn source(seed: u64, lines: u64) -> String {
    let mut text =
        String::from("use std::collections::HashMap;\nuse crate::model::{Order, Price};\n\n");
    for line in 3..lines {
        let number = (seed * 31 + line) % 997;
        let _ = match line % 8 {
            0 => writeln!(text, "fn step_{number}(order: &Order) -> Option<Price> {{"),
            1 => writeln!(
                text,
                "    let total_{number} = order.lines.iter().map(|l| l.price).sum();"
            ),
            2 => writeln!(text, "    // The discount of {number} is taken off at the end."),
            3 => {
                writeln!(text, "    if total_{number} > LIMITS[{}] {{ return None; }}", number % 16)
            }
            4 => writeln!(text, "    let rate = rates.get(\"group-{number}\").copied()?;"),
            5 => writeln!(text, "    log::debug!(\"priced {{}} by {{}}\", order.id, rate);"),
            6 => writeln!(text, "    Some(Price::of(total_{number} * rate))"),
            _ => writeln!(text, "}}"),
        };
    }
    if seed.is_multiple_of(100) {
        let _ = writeln!(text, "fn old() {{ legacy_call_{}(); }}", seed * 5 % 5_000);
    }
    text
}
