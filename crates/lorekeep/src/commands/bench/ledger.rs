//! `lorekeep bench ledger`: decisions recorded, linked, read and searched, through the real server, with
//! git behind it.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use engine::record::{self, NewRecord, Recorded, Writing};
use model::{Caller, Identity, Phase, RecordId, RecordKind, Role};
use serde_json::{Value, json};

use super::client::Client;
use super::measure::{Bound, Figure};
use super::scale;
use super::sentences::Sentences;
use crate::cli::LedgerBenchArgs;
use crate::output;

/// How many clients record at once, each with a server of its own.
const CLIENTS: usize = 8;

/// How many calls are under way at once in a pipelined measurement.
const WINDOW: usize = 64;

/// How many threads fill the ledger.
const FILLERS: usize = 16;

/// How many calls each measurement makes.
const RECORDS_ALONE: usize = 1_500;
const RECORDS_EACH: usize = 500;
const LINKS: usize = 10_000;
const LINKS_EACH: usize = 20;
const READS: usize = 30_000;
const SEARCHES: usize = 10_000;
const GROWTH_RECORDS: usize = 1_000;

/// What is wanted.
const WANTED_RECORDS: f64 = 700.0;
const WANTED_LINKS: f64 = 3_000.0;
const WANTED_READS: f64 = 10_000.0;
const WANTED_SEARCHES: f64 = 5_000.0;
const WANTED_GROWTH: f64 = 2.0;

/// The size that a large ledger is compared with.
const SMALL: u64 = 1_000;

pub(crate) fn run(args: &LedgerBenchArgs) -> Result<ExitCode> {
    let scratch = super::scratch(args.dir.as_deref())?;
    if cfg!(debug_assertions) {
        output::note("this is a debug build: it says little of a release build");
    }
    let mut figures = calls(&scratch.path().join("calls"), args.records)?;
    if args.large > 0 {
        figures.extend(growth(scratch.path(), args.large)?);
    }
    super::print(&figures, args.json)?;
    Ok(ExitCode::SUCCESS)
}

/// The tools on a ledger of so many records.
fn calls(dir: &Path, records: u64) -> Result<Vec<Figure>> {
    let sentences = Sentences::new();
    let ids = fill(dir, records)?;
    let at_least = |wanted| Some((Bound::AtLeast, wanted));
    let mut figures = Vec::new();

    let mut client = Client::start(dir)?;
    let read = |at: usize| json!({"fid": ids[at * 7919 % ids.len()].to_string()});
    let rate = stream(&mut client, "get_decisions", READS, WINDOW, read)?;
    figures.push(Figure::new(
        "get_decisions by fid, pipelined",
        rate,
        "/s",
        at_least(WANTED_READS),
    ));
    let question = |at: usize| json!({"query": sentences.question(at as u64 * 7919 % records)});
    client.call("search_decisions", &question(0))?;
    let before = client.cpu_seconds();
    let rate = stream(&mut client, "search_decisions", SEARCHES, WINDOW, question)?;
    let wanted = at_least(WANTED_SEARCHES);
    figures.push(Figure::new("search_decisions, pipelined", rate, "/s", wanted));
    if let (Some(before), Some(after)) = (before, client.cpu_seconds()) {
        let each = (after - before) * 1e6 / SEARCHES as f64;
        figures.push(Figure::new("… server's processor time each", each, "µs", None));
    }

    let mut next = records;
    let rate = stream(&mut client, "record_decision", RECORDS_ALONE, 1, |_| {
        next += 1;
        decision(&sentences, next)
    })?;
    figures.push(Figure::new("record_decision, one client", rate, "/s", None));
    let rate = together(dir, &sentences, next)?;
    let wanted = at_least(WANTED_RECORDS);
    figures.push(Figure::new("record_decision, 8 clients", rate, "/s", wanted));

    let events = events(&mut client, 1 + LINKS / LINKS_EACH)?;
    let link = |at: usize| {
        let (event, decision) = (&events[at / LINKS_EACH], ids[at % ids.len()]);
        json!({"event_id": event, "decision_ids": [decision.to_string()]})
    };
    let rate = stream(&mut client, "link_evidence", LINKS, WINDOW, link)?;
    figures.push(Figure::new("link_evidence, pipelined", rate, "/s", at_least(WANTED_LINKS)));
    drop(client);
    check(&dir.join(engine::LEDGER))?;
    Ok(figures)
}

/// The cost of recording in a small and in a large ledger.
fn growth(scratch: &Path, large: u64) -> Result<Vec<Figure>> {
    let sentences = Sentences::new();
    let mut costs = Vec::new();
    for records in [SMALL, large] {
        let dir = scratch.join(records.to_string());
        fill(&dir, records)?;
        let mut client = Client::start(&dir)?;
        client.call("search_decisions", &json!({"query": "warm"}))?;
        let mut next = records;
        let began = Instant::now();
        let before = client.cpu_seconds();
        stream(&mut client, "record_decision", GROWTH_RECORDS, 1, |_| {
            next += 1;
            decision(&sentences, next)
        })?;
        let wall = began.elapsed().as_secs_f64() * 1e6 / GROWTH_RECORDS as f64;
        let spent = client.cpu_seconds().zip(before).map(|(after, before)| after - before);
        costs.push((wall, spent.map(|spent| spent * 1e6 / GROWTH_RECORDS as f64)));
        drop(client);
        check(&dir.join(engine::LEDGER))?;
    }
    let [(small, small_cpu), (many, many_cpu)] = costs[..] else { bail!("two sizes") };
    let what = |of: u64| format!("record_decision among {of}, one client");
    let mut figures = vec![
        Figure::new(&what(SMALL), small, "µs", None),
        Figure::new(&what(large), many, "µs", None),
        Figure::new("… times as long", many / small, "×", Some((Bound::AtMost, WANTED_GROWTH))),
    ];
    if let (Some(small), Some(many)) = (small_cpu, many_cpu) {
        let wanted = Some((Bound::AtMost, WANTED_GROWTH));
        figures.push(Figure::new("… times the processor time", many / small, "×", wanted));
    }
    Ok(figures)
}

/// A decision by its number; no two are about the same target.
fn decision(sentences: &Sentences, number: u64) -> Value {
    let (title, target, rationale) = words_of(sentences, number);
    json!({"title": title, "target": target, "rationale": rationale})
}

/// Title, target and reason of a decision.
fn words_of(sentences: &Sentences, number: u64) -> (String, String, String) {
    let sentence = sentences.sentence(number);
    let words: Vec<&str> = sentence.split_whitespace().take(8).collect();
    (format!("{} ({number})", words.join(" ")), format!("component_{number}"), sentence)
}

fn new_record(namespace: Writing, sentences: &Sentences, number: u64) -> NewRecord {
    let (title, target, rationale) = words_of(sentences, number);
    NewRecord {
        namespace,
        kind: RecordKind::Decision,
        title,
        target,
        rationale,
        consequences: vec!["Tell the team".to_owned()],
        confidence: 0.8,
        phase: Phase::Pattern,
    }
}

/// Fills a ledger, by the verbs, from many threads.
fn fill(dir: &Path, records: u64) -> Result<Vec<RecordId>> {
    let sentences = Sentences::new();
    let engine = scale::open(dir)?;
    let caller = Caller::new(Identity::default(), Role::Admin);
    let part = |thread: u64| -> Result<Vec<RecordId>> {
        let numbers = (0..records).filter(|number| number % FILLERS as u64 == thread);
        let recorded = numbers.map(|number| {
            let namespace = record::write_in(&caller, None)?;
            match record::record(&engine, &caller, &new_record(namespace, &sentences, number))? {
                Recorded::Created(created) => Ok(created.id),
                Recorded::Conflict(similar) => bail!("{number}: {similar:?}"),
            }
        });
        recorded.collect()
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..FILLERS as u64).map(|thread| scope.spawn(move || part(thread))).collect();
        let mut ids = Vec::new();
        for thread in threads {
            ids.extend(thread.join().map_err(|_| anyhow::anyhow!("a thread panicked"))??);
        }
        Ok(ids)
    })
}

/// Makes so many calls, `window` of them under way at once. How many a second.
fn stream(
    client: &mut Client,
    tool: &str,
    count: usize,
    window: usize,
    mut arguments: impl FnMut(usize) -> Value,
) -> Result<f64> {
    let began = Instant::now();
    for at in 0..count {
        client.send_call(tool, &arguments(at))?;
        if at + 1 >= window {
            client.receive()?;
        }
    }
    for _ in 1..window.min(count + 1) {
        client.receive()?;
    }
    Ok(count as f64 / began.elapsed().as_secs_f64())
}

/// Recording from many clients at once, each with a server of its own and one call under way.
fn together(dir: &Path, sentences: &Sentences, after: u64) -> Result<f64> {
    let mut clients = (0..CLIENTS).map(|_| Client::start(dir)).collect::<Result<Vec<_>>>()?;
    for client in &mut clients {
        client.call("search_decisions", &json!({"query": "warm"}))?;
    }
    let began = Instant::now();
    std::thread::scope(|scope| {
        let threads: Vec<_> = clients
            .iter_mut()
            .zip(0_u64..)
            .map(|(client, number)| {
                let mut next = after + number * RECORDS_EACH as u64;
                scope.spawn(move || {
                    stream(client, "record_decision", RECORDS_EACH, 1, |_| {
                        next += 1;
                        decision(sentences, next)
                    })
                })
            })
            .collect();
        for thread in threads {
            thread.join().map_err(|_| anyhow::anyhow!("a client panicked"))??;
        }
        Ok((CLIENTS * RECORDS_EACH) as f64 / began.elapsed().as_secs_f64())
    })
}

/// The ids of so many new events.
fn events(client: &mut Client, count: usize) -> Result<Vec<String>> {
    let mut ids = Vec::new();
    for number in 0..count {
        let exchange = json!({"prompt": format!("zzqx {number}"), "response": "wwvk"});
        client.call("bridge-record", &exchange)?;
        let id = client.answer()?["event_id"].as_str().map(str::to_owned);
        ids.push(id.context("an event has an id")?);
    }
    Ok(ids)
}

/// Lets plain git look at what was written.
fn check(ledger: &Path) -> Result<()> {
    let git = |what: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(ledger).args(what).output()
    };
    let checked = git(&["fsck", "--strict", "--no-dangling"]).context("git")?;
    if !checked.status.success() {
        bail!("git fsck: {}", String::from_utf8_lossy(&checked.stderr));
    }
    let counted = git(&["rev-list", "--count", "HEAD"]).context("git")?;
    let counted = String::from_utf8_lossy(&counted.stdout).trim().to_owned();
    output::note(format!("git fsck is clean: {counted} commits in {}", ledger.display()));
    Ok(())
}
